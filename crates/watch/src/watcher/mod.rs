//! Test mode (paper §4, §5, §9): observes the calls of a program and checks each against the triples.
//!
//! On entry to a watched method, the watcher selects the branches that apply: it first compares shapes and
//! bounds of the arguments, which runs no code, then evaluates preconditions on a fork. Branches that apply,
//! or that are still undecided, stay with the call. Each label that the call passes removes the branches
//! whose tests never went that way. At the end of the call, normal or not, the watcher evaluates the
//! postconditions on a fork and determines the outcomes.
//!
//! [`branch_lookup`] finds the branches of a method, [`applicability`] selects those that apply to a call ([`entry`]),
//! [`judge`] determines outcomes, [`versions`] compares calls with an earlier version, and [`summary`] makes the
//! report. All are methods of [`WatcherState`].

mod active_branch;
mod applicability;
mod blame;
mod branch_lookup;
mod changed_call;
mod entered_calls;
mod entry;
mod evaluation;
mod index;
mod inner_call;
mod judge;
mod limits;
mod method_knowledge;
mod nearest_triple;
mod options;
mod plans;
mod rows;
mod running_call;
mod state;
mod summary;
mod targets;
mod versions;

use crate::binding::{Binding, TraceStep};
use crate::branch::Branch;
use crate::conditions::define;
use crate::outcome::Report;
use cupping_contract::{CompiledSpecifications, Specification};
use cupping_coverage::CoverageMap;
use cupping_machine::{CallEnd, Machine, Observer, WatchScope, WatchedCall};
pub(crate) use limits::MOST_BRANCHES;
pub use options::WatchOptions;
use rows::{Rows, UntestedPaths};
use rustc_hash::FxHashMap;
use state::WatcherState;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use targets::Targets;

/// The observer of test mode.
#[derive(Clone)]
pub struct Watcher(Rc<RefCell<WatcherState>>);

impl Watcher {
    /// Attaches the watcher to a machine that has not yet run its program.
    ///
    /// # Errors
    /// The machine rejects a condition class.
    pub fn install(
        machine: &mut Machine,
        compiled: Rc<CompiledSpecifications>,
        specifications: Rc<Vec<Specification>>,
        branches: Vec<Branch>,
        coverage: Rc<CoverageMap>,
        options: WatchOptions,
    ) -> Result<Watcher, String> {
        define(machine, &compiled)?;
        let looks = branches.iter().any(|it| it.bindings.iter().any(|it| matches!(it, Binding::Trace(..))));
        // If no branch looks for objects, paths through methods without triples are irrelevant.
        let program = machine.program().clone();
        let triples = compiled.cases.iter().flat_map(|it| &it.triples);
        let targets = Targets::new(&program, triples.map(|it| &it.target));
        machine.track_where(&coverage, |class, method| looks || targets.includes(class, method));
        let mut nested = BTreeSet::new();
        let mut scope = WatchScope { class_path: true, only_own_probes: !looks, ..WatchScope::default() };
        for (at, case) in compiled.cases.iter().enumerate() {
            for triple in &case.triples {
                nested.extend(triple.pre_nested.iter().chain(&triple.post_nested).map(|inner| (at, *inner)));
                scope.classes.insert(triple.target.class.as_str().into());
            }
        }
        let state = WatcherState {
            options,
            classes: compiled.cases.iter().map(|_| None).collect(),
            compiled,
            specifications,
            looks,
            begun: machine.fuel(),
            spent: Cell::new(0),
            skipped: 0,
            predicate_calls: FxHashMap::default(),
            used: vec![0; branches.len()],
            plans: branches.iter().map(|_| None).collect(),
            reader: RefCell::default(),
            given: Vec::new(),
            branches,
            coverage,
            known: Vec::new(),
            replaced: RefCell::default(),
            versions: versions::knowledge::Versions::default(),
            witness: RefCell::default(),
            counts: FxHashMap::default(),
            running: Vec::new(),
            spare: Vec::new(),
            rows: Rows::default(),
            untested_ways: UntestedPaths::default(),
            pins: FxHashMap::default(),
            results: FxHashMap::default(),
            nested,
            pending: Vec::new(),
            calls: 0,
        };
        let watcher = Watcher(Rc::new(RefCell::new(state)));
        machine.watch(scope, Some(Box::new(watcher.clone())));
        Ok(watcher)
    }

    /// The report, after the run.
    pub fn report(&self, machine: &Machine) -> Report {
        self.0.borrow_mut().report(machine)
    }
}

impl Observer for Watcher {
    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
        self.0.borrow_mut().entered(machine, call)
    }

    fn left(&mut self, machine: &mut Machine, call: WatchedCall, how: CallEnd) {
        self.0.borrow_mut().left(machine, call, how);
    }

    fn probed(&mut self, serial: u32, probe: u32) {
        let mut state = self.0.borrow_mut();
        if let Some(running) = state.running.iter_mut().rev().find(|it| it.call.serial == serial) {
            running.step(probe);
        }
        if state.looks && state.running.iter().any(|it| it.tested.looks) {
            state.search(&TraceStep::Label(probe), None);
        }
    }
}
