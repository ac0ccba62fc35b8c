//! Coverage criteria of a run: which are requested, what a path contributes, and what remains open.

mod goal_status;
mod tally;

use cupping_case::Criterion;
use cupping_coverage::RequirementKind;
pub(crate) use goal_status::{FinishedSearch, GoalStatuses};
use std::collections::BTreeSet;
pub(crate) use tally::tally;

/// The requested criteria.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Criteria {
    /// `None` for the default: lines, branches, mutants, and some data-flow tests.
    asked: Option<BTreeSet<Criterion>>,
    /// Whether every path gets a test in addition.
    all_paths: bool,
}

impl Criteria {
    /// These criteria; none for the default of lines, branches and data flow. `all_paths` adds a test per
    /// path.
    pub fn new(asked: impl IntoIterator<Item = Criterion>, all_paths: bool) -> Criteria {
        let asked: BTreeSet<Criterion> = asked.into_iter().collect();
        Criteria { asked: Some(asked).filter(|it| !it.is_empty()), all_paths }
    }

    /// Whether this criterion is requested.
    pub fn has(&self, criterion: Criterion) -> bool {
        // A test for each path is enough.
        let by_default = matches!(criterion, Criterion::Line | Criterion::Branch)
            || (criterion == Criterion::Mutation && !self.all_paths);
        (criterion == Criterion::Path && self.all_paths)
            || self.asked.as_ref().map_or(by_default, |asked| asked.contains(&criterion))
    }

    /// Whether tests for data flow alone are wanted.
    pub fn has_data_flow(&self) -> bool {
        self.asked.is_none()
    }

    /// The criteria to report: those requested explicitly.
    pub fn reported(&self) -> Vec<Criterion> {
        let is_asked = self.asked.is_some() || self.all_paths;
        Criterion::ALL.into_iter().filter(|criterion| is_asked && self.has(*criterion)).collect()
    }

    /// The kinds of requirements on instructions.
    pub(crate) fn requirements(&self) -> Vec<RequirementKind> {
        let kinds = [
            (Criterion::Boundary, RequirementKind::Boundary),
            (Criterion::Overflow, RequirementKind::Overflow),
            (Criterion::Exception, RequirementKind::Exception),
        ];
        kinds.into_iter().filter(|(criterion, _)| self.has(*criterion)).map(|(_, kind)| kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_default_lines_branches_and_mutants_count_and_nothing_is_reported() {
        let criteria = Criteria::default();
        let counting: Vec<Criterion> = Criterion::ALL.into_iter().filter(|it| criteria.has(*it)).collect();
        assert_eq!(counting, [Criterion::Line, Criterion::Branch, Criterion::Mutation]);
        assert!(criteria.reported().is_empty());
        assert!(criteria.has_data_flow());
        assert_eq!(Criteria::new([], false), criteria, "an empty request is none");
    }

    #[test]
    fn requested_criteria_are_the_only_ones_and_reported() {
        let criteria = Criteria::new([Criterion::Exception, Criterion::Branch], false);
        assert!(!criteria.has(Criterion::Line) && !criteria.has(Criterion::Mutation));
        assert_eq!(criteria.reported(), [Criterion::Branch, Criterion::Exception]);
        assert!(!criteria.has_data_flow());
    }

    #[test]
    fn a_test_for_each_path_replaces_those_for_mutants() {
        let criteria = Criteria::new([], true);
        assert_eq!(criteria.reported(), [Criterion::Line, Criterion::Branch, Criterion::Path]);
        assert!(!criteria.has(Criterion::Mutation));
        let both = Criteria::new([Criterion::Mutation], true);
        assert!(both.has(Criterion::Mutation) && both.has(Criterion::Path) && !both.has(Criterion::Line));
    }

    #[test]
    fn only_conditions_on_operands_are_requirements() {
        let all = Criteria::new(Criterion::ALL, false);
        let kinds = [RequirementKind::Boundary, RequirementKind::Overflow, RequirementKind::Exception];
        assert_eq!(all.requirements(), kinds);
        assert_eq!(Criteria::new([Criterion::Overflow], false).requirements(), [RequirementKind::Overflow]);
        assert!(Criteria::default().requirements().is_empty());
    }
}
