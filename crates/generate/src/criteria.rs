//! What tests are to cover: the criteria that are asked for, what a path does for them, and what is left in the end.

mod standing;
mod tally;

use cupping_case::Criterion;
use cupping_coverage::RequirementKind;
pub(crate) use standing::{Ended, Standings};
use std::collections::BTreeSet;
pub(crate) use tally::tally;

/// The criteria of a run.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Criteria {
    /// None where nothing was said: lines and branches, and some tests for data flow.
    asked: Option<BTreeSet<Criterion>>,
    /// Whether every path is to have its test whatever else is asked for.
    all_paths: bool,
}

impl Criteria {
    /// These criteria; none for lines, branches and data flow. `all_paths` keeps a test for each path beside.
    pub fn new(asked: impl IntoIterator<Item = Criterion>, all_paths: bool) -> Criteria {
        let asked: BTreeSet<Criterion> = asked.into_iter().collect();
        Criteria { asked: Some(asked).filter(|it| !it.is_empty()), all_paths }
    }

    /// Whether this criterion is among them.
    pub fn has(&self, criterion: Criterion) -> bool {
        let by_default = matches!(criterion, Criterion::Line | Criterion::Branch);
        (criterion == Criterion::Path && self.all_paths)
            || self.asked.as_ref().map_or(by_default, |asked| asked.contains(&criterion))
    }

    /// Whether tests for data flow alone are wanted.
    pub fn has_data_flow(&self) -> bool {
        self.asked.is_none()
    }

    /// The criteria that reports tell of: those that were asked for.
    pub fn reported(&self) -> Vec<Criterion> {
        let is_asked = self.asked.is_some() || self.all_paths;
        Criterion::ALL.into_iter().filter(|criterion| is_asked && self.has(*criterion)).collect()
    }

    /// What is asked of instructions.
    pub(crate) fn requirements(&self) -> Vec<RequirementKind> {
        let kinds = [
            (Criterion::Boundary, RequirementKind::Boundary),
            (Criterion::Overflow, RequirementKind::Overflow),
            (Criterion::Exception, RequirementKind::Exception),
        ];
        kinds.into_iter().filter(|(criterion, _)| self.has(*criterion)).map(|(_, kind)| kind).collect()
    }
}
