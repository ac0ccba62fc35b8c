//! Hash-consed terms over Java's arithmetic: rewriting and evaluation.
//!
//! A [`Terms`] arena holds terms of seven [`Sort`]s: truth values, bit-vectors of 8 to 64 bits, and IEEE
//! floats. [`Op`] lists the operations; [`semantics`] says what they mean; building a term rewrites it by the
//! rules of [`Rule`]. An [`Evaluator`] gives the value of a term under a [`Model`]. Nothing here recurses over
//! the depth of a term: loops of the program under test make terms as deep as they run.
//!
//! Hash maps hash with `rustc-hash` (faster than SipHash on keys of a few words; no attacker chooses them).

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
pub mod text;
mod variables;

pub use arena::{Table, TableId, Term, TermId, Terms, VarIndex, Variable};
pub use build::SortError;
pub use eval::{Evaluator, Model};
pub use op::{Op, Signature};
pub use range::Range;
pub use rules::{Rule, RuleCounters};
pub use sort::{CANONICAL_NAN_F32, CANONICAL_NAN_F64, Sort};
pub use substitute::Substitution;
pub use variables::VarSetId;
