//! Symmetry breaking: leaves exactly one instance of each isomorphism class.
//!
//! Two instances are isomorphic if renaming interchangeable atoms (unnamed atoms of the same signature) turns
//! one into the other. There are two steps:
//!
//! 1. [`traversal`]: atoms that are reachable from named ones through fields with at most one value are
//!    numbered in the order of a fixed traversal. This leaves one numbering of them and costs one clause per
//!    tuple.
//! 2. [`lex_leader`]: symmetries of the other atoms are broken by comparison: an instance is accepted only if
//!    none of its images is lexicographically greater. Transpositions are compared by clauses from the start.
//!    Other permutations are checked on each candidate, and each greater image yields a clause ("SAT modulo
//!    symmetries").
//!
//! The second step only permutes atoms that the first leaves alone, and any isomorphism between two instances
//! numbered by the first step maps those atoms to each other. Together they leave exactly one instance.

pub(crate) mod lex_leader;
pub(crate) mod reachability;
pub(crate) mod traversal;
