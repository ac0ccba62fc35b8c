//! The state of the watcher.

use super::entered_calls::Entered;
use super::limits::OF_A_CONDITION;
use super::method_knowledge::MethodKnowledge;
use super::options::WatchOptions;
use super::plans::Plans;
use super::rows::{Rows, UntestedPaths};
use super::running_call::RunningCall;
use super::versions::knowledge::Versions;
use crate::branch::Branch;
use crate::conditions::CaseClass;
use crate::outcome::{Example, WatchOutcome};
use crate::reader::ConditionReader;
use cupping_contract::{CompiledSpecifications, CompiledTriple, Specification};
use cupping_coverage::CoverageMap;
use cupping_machine::{Addr, Machine, MethodId};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The explanation of an outcome.
pub(super) type Note = Cow<'static, str>;

/// A postcondition that waits for nested triples.
pub(super) struct PendingPostcondition {
    pub(super) key: (usize, usize),
    pub(super) receiver: Addr,
    pub(super) open: Vec<(usize, usize)>,
    pub(super) row: usize,
    pub(super) example: Example,
}

// Running calls are large and move between the lists with each call, so they are boxed.
#[allow(clippy::vec_box)]
pub(super) struct WatcherState {
    pub(super) options: WatchOptions,
    pub(super) compiled: Rc<CompiledSpecifications>,
    pub(super) specifications: Rc<Vec<Specification>>,
    pub(super) branches: Vec<Branch>,
    pub(super) coverage: Rc<CoverageMap>,
    pub(super) classes: Vec<Option<CaseClass>>,
    /// Whether any branch looks for an object while methods run.
    pub(super) looks: bool,
    /// The program's fuel at the start, and the cost of conditions since.
    pub(super) begun: u64,
    pub(super) spent: Cell<u64>,
    /// Number of calls skipped because of the overhead or the budget.
    pub(super) skipped: u64,
    /// Number of calls by method on which predicates might have been checked.
    pub(super) predicate_calls: FxHashMap<MethodId, u64>,
    /// The read-only plans of each branch, made on first use.
    pub(super) plans: Vec<Option<Rc<Plans>>>,
    pub(super) reader: RefCell<ConditionReader>,
    /// Reused buffer for the outcomes of a call.
    pub(super) given: Vec<(WatchOutcome, Option<usize>, Note)>,
    /// Number of calls checked against each branch.
    pub(super) used: Vec<u64>,
    pub(super) known: Vec<Option<MethodKnowledge>>,
    /// Whether the tests ran with other code of a method, by method, as far as it was asked.
    pub(super) replaced: RefCell<Vec<Option<bool>>>,
    pub(super) versions: Versions,
    /// Observes the conditions that are evaluated, if their calls are of interest.
    pub(super) witness: RefCell<Option<Entered>>,
    pub(super) counts: FxHashMap<MethodId, u64>,
    /// The running calls; the innermost of each thread is last.
    pub(super) running: Vec<Box<RunningCall>>,
    /// Reusable memory of calls that have ended.
    pub(super) spare: Vec<Box<RunningCall>>,
    pub(super) rows: Rows,
    pub(super) untested_ways: UntestedPaths,
    pub(super) pins: FxHashMap<Addr, u32>,
    /// Results of nested triples, by triple and receiver.
    pub(super) results: FxHashMap<(usize, usize, Addr), bool>,
    pub(super) nested: BTreeSet<(usize, usize)>,
    pub(super) pending: Vec<PendingPostcondition>,
    pub(super) calls: u64,
}

impl WatcherState {
    pub(super) fn triple(&self, branch: usize) -> &CompiledTriple {
        triple_of(&self.compiled, &self.branches[branch])
    }

    pub(super) fn class(&mut self, machine: &mut Machine, case: usize) -> bool {
        if self.classes[case].is_none() {
            self.classes[case] = CaseClass::of(machine, &self.compiled.cases[case]).ok();
        }
        self.classes[case].is_some()
    }

    pub(super) fn spend(&self, units: u64) {
        self.spent.set(self.spent.get() + units);
    }

    /// Runs work on a fork and adds its cost.
    pub(super) fn aside<T>(&self, machine: &mut Machine, work: impl FnOnce(&mut Machine) -> T) -> T {
        let fuel = self.options.fuel;
        let (result, left) = machine.aside(fuel, |machine| {
            if let Some(witness) = self.witness.borrow().clone() {
                machine.exchange_observer(Some(Box::new(witness)));
            }
            let result = work(machine);
            machine.exchange_observer(None);
            (result, machine.fuel())
        });
        self.spend(OF_A_CONDITION + fuel.saturating_sub(left));
        result
    }

    pub(super) fn pin(&mut self, machine: &mut Machine, object: Addr) {
        let count = self.pins.entry(object).or_default();
        *count += 1;
        if *count == 1 {
            machine.pin(object);
        }
    }

    pub(super) fn unpin(&mut self, machine: &mut Machine, object: Addr) {
        if let Some(count) = self.pins.get_mut(&object) {
            *count -= 1;
            if *count == 0 {
                self.pins.remove(&object);
                machine.unpin(object);
            }
        }
    }
}

/// The triple of a branch.
pub(super) fn triple_of<'c>(compiled: &'c CompiledSpecifications, branch: &Branch) -> &'c CompiledTriple {
    &compiled.cases[branch.case].triples[branch.triple]
}
