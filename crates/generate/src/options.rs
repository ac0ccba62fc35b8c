//! Options of test generation.

use crate::criteria::Criteria;
use crate::guidance::Guidance;
use crate::sequences::Filter;
use crate::subsumption::Subsumption;
use cupping_case::{Criterion, RecordedTest};
use cupping_machine::Kind;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How arrays are represented for the solver (thesis §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum HeapRepresentation {
    /// Reasoning for small arrays, simulation for others.
    #[default]
    Mixed,
    /// Simulation: every index is fixed on the path.
    Simulation,
    /// Reasoning for primitive arrays of any size.
    Reasoning,
}

/// A wall-clock limit that never takes effect: only work counts, so that each machine finds the same.
pub const NO_CLOCK: Duration = Duration::MAX;

/// Options of generation for one class.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// Varies the initial values of symbols.
    pub seed: u64,
    /// Budget for one class, for both exploration and selection.
    pub budget: Duration,
    /// Work after which the search ends once it has an object of the class; `None` unless objects are all that
    /// the search is for.
    pub enough: Option<Duration>,
    /// Wall-clock limit of the work on a class; `None` for five quarters of the budget, [`NO_CLOCK`] for none.
    pub clock: Option<Duration>,
    /// Maximal number of calls in a sequence, including the method under test.
    pub max_length: usize,
    /// Names (`m`) or names with descriptors (`m(I)V`) of the methods under test; empty for all.
    pub methods: Vec<String>,
    /// Maximal length of symbolic strings and arrays.
    pub max_elements: u32,
    /// Argument for parameters that accept any object: only boxes of this kind, instead of several likely
    /// values.
    pub objects: Option<Kind>,
    /// Coverage criteria.
    pub criteria: Criteria,
    /// How arrays are represented.
    pub heap: HeapRepresentation,
    /// Limit on the tests selected for data flow alone.
    pub max_data_flow_tests: usize,
    /// Whether to search for inputs that break an undeclared precondition; see
    /// [`GenerateOptions::writes_preconditions`].
    pub preconditions: bool,
    /// Whether definition-use pairs are goals in the same way as lines and branches.
    pub pairs_are_goals: bool,
    /// What may be invoked before the method under test.
    pub filter: Filter,
    /// Guidance by people.
    pub guidance: Arc<Guidance>,
    /// Tests of an earlier run, by internal class name.
    pub corpus: Arc<BTreeMap<Box<str>, Vec<RecordedTest>>>,
    /// Which states are pruned.
    pub subsumption: Subsumption,
    /// Whether to explore all paths of all sequences up to the maximal length, with the budget as a time
    /// limit.
    pub exhaustive: bool,
    /// Whether the outcome explains the sequences of the methods under test as text.
    pub explain_sequences: bool,
    /// Whether the outcome includes explanations, which take memory.
    pub explain: bool,
}

impl GenerateOptions {
    /// Wall-clock limit of the work on a class.
    pub fn clock(&self) -> Duration {
        self.clock.unwrap_or(self.budget.saturating_add(self.budget / 4))
    }

    /// Whether only work counts.
    pub fn counts_work_only(&self) -> bool {
        self.clock == Some(NO_CLOCK)
    }

    /// Whether inputs that break an undeclared precondition become failing tests: on request, and where each
    /// exception or path is asked for.
    pub fn writes_preconditions(&self) -> bool {
        let asks = |it| self.criteria.has(it);
        self.preconditions || self.exhaustive || asks(Criterion::Exception) || asks(Criterion::Path)
    }
}

impl Default for GenerateOptions {
    fn default() -> GenerateOptions {
        GenerateOptions {
            seed: 0,
            budget: Duration::from_secs(10),
            enough: None,
            clock: None,
            max_length: 16,
            methods: Vec::new(),
            max_elements: 6,
            objects: None,
            criteria: Criteria::default(),
            heap: HeapRepresentation::Mixed,
            preconditions: false,
            max_data_flow_tests: 16,
            pairs_are_goals: false,
            filter: Filter::default(),
            guidance: Arc::default(),
            corpus: Arc::default(),
            subsumption: Subsumption::Implication,
            exhaustive: false,
            explain: false,
            explain_sequences: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_preconditions_are_written_if_asked_for_or_if_each_end_counts() {
        let plain = GenerateOptions::default;
        let asking = |criterion| Criteria::new([criterion], false);
        assert!(!plain().writes_preconditions());
        assert!(GenerateOptions { preconditions: true, ..plain() }.writes_preconditions());
        assert!(GenerateOptions { exhaustive: true, ..plain() }.writes_preconditions());
        for (criterion, expected) in
            [(Criterion::Exception, true), (Criterion::Path, true), (Criterion::Branch, false)]
        {
            let options = GenerateOptions { criteria: asking(criterion), ..plain() };
            assert_eq!(options.writes_preconditions(), expected, "{criterion:?}");
        }
    }

    #[test]
    fn only_without_a_clock_work_alone_counts() {
        let clocked = |clock| GenerateOptions { clock, ..GenerateOptions::default() };
        assert!(clocked(Some(NO_CLOCK)).counts_work_only());
        assert!(!clocked(None).counts_work_only());
        assert!(!clocked(Some(Duration::from_secs(1))).counts_work_only());
    }
}
