//! What a run records: probes of coverage, requirements, definitions and uses of fields; and where it pauses.

mod arrivals;
pub(crate) mod data_flow;
mod definitions;
pub(crate) mod last_definitions;
pub(crate) mod plans;
mod probes;
mod requirements;
