//! Exactly one instance of each isomorphism class.
//!
//! Two instances are isomorphic if renaming atoms of the same signature (those without a name) turns one into the other.
//! In two steps:
//!
//! 1. [`breadth`]: atoms that are reached from named ones by fields with at most one value are numbered in the order in
//!    which a fixed traversal meets them. One numbering is left of such atoms, at the price of a clause for each tuple.
//! 2. [`leader`]: what exchanges the other atoms is broken by comparison: an instance is given out only if none of its
//!    images is lexicographically greater. Exchanges of two atoms are compared by clauses from the start; the others
//!    when a candidate is found, each that is greater becoming a clause ("SAT modulo symmetries").
//!
//! The second step permutes only atoms that the first leaves alone, and any isomorphism between two instances numbered by
//! the first maps those to each other: so together they leave one.

pub(crate) mod breadth;
pub(crate) mod leader;
pub(crate) mod reachable;
