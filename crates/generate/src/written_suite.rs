//! Candidates written down as cases, and what each case is for.

use crate::outcome::InternalError;
use crate::suite_coverage::SuiteCoverage;
use cupping_case::Suite;

/// Cases written down.
pub struct WrittenSuite {
    /// The uncertified cases.
    pub suite: Suite,
    /// The coverage of each case.
    pub coverage: SuiteCoverage,
    /// Failed self-checks.
    pub errors: Vec<InternalError>,
    /// Candidates without a case, by index, with the reason.
    pub lost: Vec<(usize, String)>,
}

/// What a test is for.
#[derive(Clone, Debug, Default)]
pub struct Purpose {
    /// What distinguishes its name.
    pub distinction: String,
    /// The comment over it, one sentence a line.
    pub text: Vec<String>,
}
