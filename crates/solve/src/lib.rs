//! The solver chain: from path conditions to models.
//!
//! A [`Solver`] answers a [`Query`] by asking its layers in turn ([`layers::all`]), cheap ones first and Z3
//! last. Every model is evaluated before it is returned, whichever layer it comes from.
//!
//! Z3 is used through `z3-sys`, the plain bindings, wrapped in one module: the higher-level `z3` crate lacks
//! conversions between bit-vectors and floats. The SAT solver is `batsat`: pure Rust, deterministic, with
//! unsatisfiable cores over assumptions, and quick to build, whereas `cadical` compiles C++ for half a
//! minute. `rustc-hash` is used as in `cupping-term`.

mod bits;
pub mod chain;
pub mod layers;
mod limits;
mod projection;
mod query;
mod readability;
mod solver;
mod stats;
mod z3;

pub use limits::SolverLimits;
pub use projection::project;
pub use query::{Answer, InternalError, Query, Reason, TextQuery};
pub use solver::{Effort, Solver, replay};
pub use stats::Stats;
