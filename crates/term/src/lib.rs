//! Hash-consed terms over Java's arithmetic: construction, rewriting and evaluation.
//!
//! A [`Terms`] arena holds terms of seven [`Sort`]s: booleans, bit-vectors of 8 to 64 bits, and IEEE floats.
//! [`Op`] lists the operations and [`semantics`] defines them; building a term rewrites it by the rules of
//! [`Rule`]. An [`Evaluator`] computes the value of a term under a [`Model`]. No algorithm here recurses over
//! the depth of a term, because loops of the program under test make terms arbitrarily deep.
//!
//! Hash maps use `rustc-hash`: it is faster than SipHash on short keys, and no attacker chooses the keys.

mod arena;
mod build;
mod eval;
mod idioms;
mod java;
mod op;
mod print;
mod range;
mod rewrite;
mod rules;
pub mod semantics;
mod sort;
mod substitute;
mod table;
pub mod text;
mod variables;

pub use arena::{OPERATIONS_OF_MICROSECOND, TableId, Term, TermId, Terms, Variable};
pub use build::SortError;
pub use eval::{Evaluator, Model};
pub use op::{Op, Signature};
pub use range::Range;
pub use rules::{Rule, RuleCounters};
pub use sort::{CANONICAL_NAN_F32, CANONICAL_NAN_F64, Sort};
pub use substitute::Substitution;
pub use table::{Run, Table};
pub use variables::{VarIndex, VarSetId};
