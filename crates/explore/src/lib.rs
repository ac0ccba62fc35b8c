//! Path exploration: constraint tree and search order.

mod exploration;
mod path;
mod search;
mod tree;

pub use exploration::{Completed, Counters, Driver, Ended, Exploration, Limits, Next, SelfCheck, Tools};
pub use path::{Path, Taken};
pub use search::{BreadthFirst, Candidate, Rank, Searcher, SideCounts, UncoveredFirst};
pub use tree::{ConstraintTree, Cursor, Edge, Node, NodeId, NodeKind, TreeNode, Trees};
