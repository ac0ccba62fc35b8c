//! All calls on all states up to a bound (slides: "method sequence generation", "construct object state tree").
//!
//! States are forks of one machine. Each is reached once, by the shortest sequence. States that `equals`
//! distinguishes come before those that only the heap distinguishes. The result *holds within the bound*, and the
//! output names the bound.

mod challenge;
mod course;
mod explorer;
mod extremes;
mod inquiry;
mod limits;
mod literal;
mod march;
mod sampling;
mod shape;
mod statics;
mod symbolic;
mod warm_up;
mod worlds;

pub use explorer::Explorer;
pub use inquiry::SolverReport;
pub use limits::{Exploration, ExplorerLimits, ReachedState};
