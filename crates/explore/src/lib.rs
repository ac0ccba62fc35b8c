//! Path exploration (concolic execution with forks): frontier, search order and constraint trees.

mod exploration;
mod path;
mod search;
mod tree;

pub use exploration::{
    CompletedPath, Counters, Driver, DriverRequest, Exploration, ExplorationLimits, HARD, InvocationEnd,
    PathMemory, SelfCheck, SharedPathMemory, Tools, spent,
};
pub use path::{Path, PathDecision, Signature};
pub use search::{BreadthFirst, Candidate, Rank, RequiredCounts, Searcher, SideCounts, UncoveredFirst};
pub use tree::{Conditions, ConstraintNode, ConstraintTree, Cursor, Edge, NodeId, NodeKind, TreeNode, Trees};
