//! What a user can choose about generation.

use crate::criteria::Criteria;
use crate::guidance::Guidance;
use crate::sequences::Filter;
use crate::subsume::Subsumption;
use cupping_case::Remembered;
use cupping_machine::Kind;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How arrays are represented for the solver (thesis §3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum HeapRepresentation {
    /// Reasoning where the array is small, simulation elsewhere.
    #[default]
    Mixed,
    /// Every index is fixed on the path.
    Simulation,
    /// Arrays of primitives are reasoned about whatever their size.
    Reasoning,
}

/// Options of generation for one class.
#[derive(Clone, Debug)]
pub struct Options {
    /// Moves the first values of symbols along: other seeds explore from other values.
    pub seed: u64,
    /// Time for one class, exploration and choice of tests together.
    pub budget: Duration,
    /// When the search ends by the clock in any case; `None` for twice the budget.
    pub clock: Option<Duration>,
    /// Calls in a sequence at most, the method under test included.
    pub max_length: usize,
    /// Names (`m`) or names with descriptors (`m(I)V`) of the methods under test; all when empty.
    pub methods: Vec<String>,
    /// Characters of a symbolic string and elements of a symbolic array at most.
    pub max_elements: u32,
    /// What is passed where any object will do: boxes of this kind alone, in place of a choice of likely ones.
    pub objects: Option<Kind>,
    /// What tests are to cover.
    pub criteria: Criteria,
    /// How arrays are represented.
    pub heap: HeapRepresentation,
    /// Tests that are kept at most for data flow alone, without new branches or lines.
    pub max_data_flow_tests: usize,
    /// Whether definition-use pairs are goals as lines and branches are.
    pub pairs_are_goals: bool,
    /// What may be invoked before the method under test.
    pub filter: Filter,
    /// What people know of the classes.
    pub guidance: Arc<Guidance>,
    /// Tests of an earlier run, by the internal name of the class.
    pub corpus: Arc<BTreeMap<Box<str>, Vec<Remembered>>>,
    /// Which states are not extended.
    pub subsumption: Subsumption,
    /// Whether every sequence up to the length is explored along all its paths; the budget is a limit in time then.
    pub exhaustive: bool,
    /// Whether the outcome tells of the sequences of the methods under test, as text.
    pub explain_sequences: bool,
    /// Whether the outcome explains what the search knows, which takes memory.
    pub explain: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            budget: Duration::from_secs(10),
            clock: None,
            max_length: 16,
            methods: Vec::new(),
            max_elements: 6,
            objects: None,
            criteria: Criteria::default(),
            heap: HeapRepresentation::Mixed,
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
