//! The limits of an exploration, and its results.

use crate::sequence::Construction;
use crate::trace::{CallOutcome, Execution, ExecutionOrigin};
use crate::value::Image;
use cupping_machine::Addr;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The limits of exploration.
#[derive(Clone, Copy, Debug)]
pub struct ExplorerLimits {
    /// The largest number of calls on an object before the call under test, its construction included.
    pub calls: usize,
    /// The largest number of states from which calls are made.
    pub states: usize,
    /// The largest number of calls under test.
    pub executions: usize,
    /// Minimum number of calls under test for each method, if that is more: a class with many methods needs more.
    pub each: usize,
    /// The fuel (calls and backward jumps) of the whole exploration.
    pub work: u64,
    /// The largest number of paths with symbolic arguments.
    pub paths: usize,
    /// The number of random calls that try to break likely formulas; another batch follows until none breaks
    /// anything.
    pub challenges: usize,
    /// Whether the user wants it to end; checked where work is counted. The result is then unusable.
    pub interrupted: fn() -> bool,
}

impl Default for ExplorerLimits {
    fn default() -> ExplorerLimits {
        ExplorerLimits {
            calls: 6,
            states: 160,
            executions: 5_000,
            each: 200,
            work: 1_500_000,
            paths: 500,
            challenges: 6_000,
            interrupted: || false,
        }
    }
}

impl ExplorerLimits {
    /// The limits for a class with this many methods.
    pub fn of(self, methods: usize) -> ExplorerLimits {
        let executions = self.executions.max(self.each * methods);
        ExplorerLimits {
            executions,
            work: self.work.max((self.work / self.executions.max(1) as u64) * executions as u64),
            ..self
        }
    }
}

/// A state of an object.
#[derive(Clone, Debug)]
pub struct ReachedState {
    /// The state before the last call, if there was one.
    pub parent: Option<u32>,
    /// Its construction.
    pub made: Rc<Construction>,
    /// Its number among the states that `equals` distinguishes.
    pub number: u32,
    /// The object.
    pub receiver: Addr,
    /// The objects that it refers to.
    pub image: Rc<Image>,
    /// Whether all methods were called on it.
    pub expanded: bool,
    /// Whether it takes much memory; smaller states come first.
    pub is_large: bool,
}

/// The results of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The calls, in order: shorter sequences first.
    pub executions: Vec<Execution>,
    /// The states.
    pub states: Vec<ReachedState>,
    /// The number of states that `equals` distinguishes.
    pub numbers: u32,
    /// The number of calls up to which all sequences were followed by every call.
    pub complete: usize,
    /// Whether the tried values lead to no further state.
    pub closed: bool,
    /// Whole numbers that were passed as arguments.
    pub passed: BTreeSet<i128>,
    /// Whole numbers in the code of the class, and their neighbours.
    pub constants: BTreeSet<i128>,
    /// The number of calls that did not end or are not supported.
    pub stuck: u64,
    /// The number of calls that were tried.
    pub tried: u64,
    /// Whether calls change static fields, which have their initial values before each sequence.
    pub changes_statics: bool,
    /// The number of random sequences that tried to break likely formulas.
    pub challenged: u64,
    /// The index of the first execution that was made to break likely formulas.
    pub first_challenge: Option<usize>,
}

impl Exploration {
    /// Whether no call of a method led to another state: fields that stand can refer to objects that changed.
    pub fn is_kept_by(&self, method: usize) -> bool {
        let number = |state: u32| self.states[state as usize].number;
        self.executions.iter().filter(|it| it.method == method).all(|it| match it.origin {
            ExecutionOrigin::Explored { from: Some(from), to: Some(to) } => number(from) == number(to),
            ExecutionOrigin::Explored { from: Some(_), to: None } => {
                matches!(it.ending, CallOutcome::Threw { .. })
            }
            _ => true,
        })
    }
}

impl ReachedState {
    /// A state that is not among the numbered ones.
    pub fn new(made: Rc<Construction>, receiver: Addr, image: Rc<Image>) -> ReachedState {
        ReachedState {
            parent: None,
            made,
            number: u32::MAX,
            receiver,
            image,
            expanded: false,
            is_large: false,
        }
    }
}
