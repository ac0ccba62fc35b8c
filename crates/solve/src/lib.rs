//! The solver chain: path conditions to models.
//!
//! A [`Solver`] answers a [`Query`] by asking its layers in turn ([`layers::all`]); real solver calls come
//! last. Every model is evaluated before it is given out, whichever layer it comes from.
//!
//! Z3 is reached through `z3-sys`, the plain bindings, in one module of wrappers: the `z3` crate above them
//! has no conversions between bit-vectors and floats. The SAT solver is `batsat`: pure Rust, deterministic, with
//! cores of assumptions, built in seconds where `cadical` compiles C++ for half a minute. `rustc-hash` hashes as in
//! `cupping-term`.

mod bits;
pub mod chain;
mod config;
pub mod layers;
mod project;
mod query;
mod shrink;
mod solver;
mod stats;
mod z3;

pub use config::Config;
pub use project::project;
pub use query::{Answer, InternalError, Query, Reason, TextQuery};
pub use solver::{Solver, replay};
pub use stats::Stats;
