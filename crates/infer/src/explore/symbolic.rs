//! The symbolic search for violating inputs.
//!
//! It follows sequences of calls as breadth does, with symbols for primitive arguments. At the end of each path the
//! solver is asked for arguments that violate a clause. The arguments of every path and of every answer become a
//! test, and tests run like any call, so only an execution can violate a clause. If all paths were followed and no
//! clause failed, it is *proved* for these sequences: for all values of primitive arguments, and for the objects
//! that were tried. Calls with too many paths, such as those that take a size, use tried values instead, and the
//! bound says so.

use super::explorer::Explorer;
use super::inquiry::{CallArgument, Inquiry, InquiryStep, OneCall, SolverReport};
use crate::argument_type::ArgumentType;
use crate::program_point::ProgramPoint;
use crate::runner::{CALL_FUEL, argument_value, construct};
use crate::sequence::{Arg, CallSequence};
use crate::specification::{Clause, Specification};
use crate::symbolic_state::{FormulaStatus, SymbolicState, SymbolicValue};
use crate::term::Term;
use cupping_case::Literal;
use cupping_explore::{
    BreadthFirst, CompletedPath, Exploration, ExplorationLimits, InvocationEnd, Path, SideCounts, Tools,
    Trees,
};
use cupping_generate::{Input, canonical, make_symbolic};
use cupping_machine::{Addr, Machine, Snapshot, Value as Slot};
use cupping_solve::{Solver, SolverLimits};
use cupping_term::{Model, TermId};
use rustc_hash::FxHashSet;

/// The largest number of paths of one call.
const MOST_PATHS: usize = 40;
/// The number of argument lists for a call with too many paths.
const MOST_TRIED: usize = 6;

/// A state at the end of a path.
struct PathEndState {
    snapshot: Snapshot,
    path: Path,
    model: Model,
    object: Addr,
    steps: Vec<InquiryStep>,
    /// The key that distinguishes it from others.
    key: Option<u64>,
    /// Its shape, and the terms in it.
    form: Option<(u64, Vec<TermId>)>,
}

impl Explorer<'_> {
    /// Whether an inquiry ends here.
    fn is_over(&self, inquiry: &Inquiry) -> bool {
        inquiry.asked.paths >= self.limits.paths || inquiry.is_spent() || (self.limits.interrupted)()
    }

    /// Asks about a specification. The resulting tests become executions.
    pub fn ask(&mut self, specification: &Specification) -> SolverReport {
        let (clauses, throws) = (&specification.clauses, &specification.throws);
        let mut inquiry = Inquiry {
            clauses,
            throws,
            open: vec![false; clauses.len()],
            open_throws: vec![false; throws.len()],
            solver: Solver::new(SolverLimits {
                sat_conflicts: 1_000,
                search_steps_hard: 20_000,
                z3_resources: 100_000,
                z3_bit_vectors: false,
                ..SolverLimits::default()
            }),
            tests: Vec::new(),
            seen: FxHashSet::default(),
            asked: SolverReport {
                proved: vec![0; clauses.len()],
                tried: vec![false; clauses.len()],
                throws: vec![(0, false); throws.len()],
                ..SolverReport::default()
            },
        };
        self.machine.restore(&self.base);
        let makers = self.subject.makers.clone();
        let mut level = Vec::new();
        let mut is_whole = true;
        for method in 0..self.subject.methods.len() {
            let has_receiver = self.subject.methods[method].has_receiver();
            if !has_receiver {
                let (reached, whole) = self.follow(None, method, &mut inquiry);
                is_whole &= whole;
                level.extend(reached.into_iter().filter(|_| makers.contains(&method)));
            }
        }
        let mut keys = FxHashSet::default();
        for calls in 2.. {
            if level.is_empty() || self.is_over(&inquiry) {
                break;
            }
            let mut next = Vec::new();
            for state in std::mem::take(&mut level) {
                for method in 0..self.subject.methods.len() {
                    if !self.subject.methods[method].has_receiver() {
                        continue;
                    }
                    if self.is_over(&inquiry) {
                        is_whole = false;
                        break;
                    }
                    let (reached, whole) = self.follow(Some(&state), method, &mut inquiry);
                    is_whole &= whole;
                    next.extend(reached.into_iter().filter(|it| it.key.is_none_or(|it| keys.insert(it))));
                }
            }
            if is_whole {
                for (proved, open) in inquiry.asked.proved.iter_mut().zip(&inquiry.open) {
                    *proved = if *open { 0 } else { calls };
                }
                inquiry.asked.throws.iter_mut().for_each(|it| it.0 = calls);
            }
            level = next;
        }
        let Inquiry { tests, mut asked, open, open_throws, .. } = inquiry;
        asked.proved.iter_mut().zip(open).filter(|it| it.1).for_each(|it| *it.0 = 0);
        asked.throws.iter_mut().zip(open_throws).filter(|it| it.1).for_each(|it| it.0.0 = 0);
        if self.found.changes_statics {
            // Sequences that begin with other values of static fields were not followed.
            asked.proved.iter_mut().chain(asked.throws.iter_mut().map(|it| &mut it.0)).for_each(|it| *it = 0);
        }
        self.machine.restore(&self.base);
        for test in tests {
            self.also(&test);
        }
        self.machine.restore(&self.base);
        asked
    }

    /// Makes the call of a test, and records it.
    fn also(&mut self, test: &CallSequence) -> Option<()> {
        let method =
            self.subject.methods.iter().position(|it| it.reference == test.call.invokable.reference)?;
        self.machine.restore(&self.base);
        let Some(made) = &test.receiver else {
            self.call(method, test.call.clone(), None);
            return Some(());
        };
        self.is_large = false;
        let object = construct(self.machine, made).ok()?;
        let state = self.reach(None, made.clone(), object, None)?;
        let snapshot = self.forks[state as usize].snapshot.clone();
        self.machine.restore(&snapshot);
        self.call(method, test.call.clone(), Some(state));
        Some(())
    }
}

impl Explorer<'_> {
    /// Follows all paths of a call; returns the states that they lead to, and whether these are all paths.
    fn follow(
        &mut self,
        from: Option<&PathEndState>,
        method: usize,
        inquiry: &mut Inquiry<'_>,
    ) -> (Vec<PathEndState>, bool) {
        let (mut reached, mut is_whole) = (Vec::new(), true);
        self.machine.restore(&self.base);
        let parameters = self.subject.methods[method].parameters.clone();
        let types: Vec<_> = parameters.iter().map(|it| it.ty.clone()).collect();
        let columns: Vec<Vec<Arg>> = parameters
            .iter()
            .map(|it| {
                if it.ty.is_reference() {
                    self.pool.values(self.machine, self.subject, ArgumentType::of(it), 0)
                } else {
                    Vec::new()
                }
            })
            .collect();
        // Nothing is known of what a call does with objects if there are none.
        let is_lacking = |all: &[Arg]| all.iter().all(|it| *it == Arg::Literal(Literal::Null));
        if types.iter().zip(&columns).any(|(ty, all)| ty.is_reference() && is_lacking(all)) {
            return (reached, false);
        }
        let last = columns.iter().map(|it| it.len().saturating_sub(1)).max().unwrap_or(0);
        let mut which = vec![0, 1.min(last), last];
        which.dedup();
        for choice in which {
            let fixed: Vec<Option<Arg>> =
                columns.iter().map(|it| it.get(choice.min(it.len().saturating_sub(1))).cloned()).collect();
            is_whole &= self.follow_choice(from, method, &fixed, inquiry, &mut reached).unwrap_or(false);
        }
        if is_whole || types.iter().all(|it| it.is_reference()) {
            return (reached, is_whole);
        }
        // Calls with sizes have too many paths, so they also run with tried values.
        reached.truncate(2);
        let all: Vec<Vec<Arg>> = {
            self.machine.restore(&self.base);
            self.pool.all_choices(self.machine, self.subject, method)
        };
        let mut is_whole = true;
        for arguments in all.into_iter().take(MOST_TRIED) {
            let fixed: Vec<Option<Arg>> = arguments.into_iter().map(Some).collect();
            is_whole &= self.follow_choice(from, method, &fixed, inquiry, &mut reached).unwrap_or(false);
        }
        (reached, is_whole)
    }

    fn follow_choice(
        &mut self,
        from: Option<&PathEndState>,
        method: usize,
        fixed: &[Option<Arg>],
        inquiry: &mut Inquiry<'_>,
        reached: &mut Vec<PathEndState>,
    ) -> Option<bool> {
        let invokable = self.subject.methods[method].clone();
        self.machine.restore(from.map_or(&self.base, |it| &it.snapshot));
        let (mut path, model) = from.map_or_else(Default::default, |it| (it.path.clone(), it.model.clone()));
        let mut object = from.map_or(0, |it| it.object);
        let receiver = (object != 0).then_some(object);
        let (mut given, mut arguments) = (Vec::new(), Vec::new());
        for (parameter, fixed) in invokable.parameters.iter().zip(fixed) {
            match fixed {
                Some(arg) => {
                    let value = argument_value(self.machine, arg, receiver).ok()?;
                    arguments.push((parameter.kind, value));
                    given.push(CallArgument::Fixed(arg.clone()));
                }
                None => {
                    let made =
                        make_symbolic(self.machine, &Input::Primitive(parameter.kind), &parameter.name)
                            .ok()?;
                    path = made.bounds.iter().fold(path, |path, it| path.assume(*it));
                    arguments.push((parameter.kind, made.value));
                    given.push(CallArgument::Symbol(parameter.kind, *made.symbols.values.first()?));
                }
            }
        }
        let mut values = Vec::new();
        let mut target = invokable.method;
        self.machine.set_fuel(CALL_FUEL);
        if invokable.is_constructor() {
            self.machine.initialize_class_now(invokable.class).ok()?;
            object = self.machine.new_object(invokable.class).ok()?;
            values.push(Slot::reference(object));
        } else if invokable.has_receiver() {
            values.push(Slot::reference(object));
            target = self.machine.select(self.machine.class_of(object), target);
        }
        let key = self.subject.key(method);
        // Past values of all terms that clauses compare.
        let mut old: Vec<(Term, SymbolicValue)> = Vec::new();
        for clause in inquiry.clauses.iter().filter(|it| it.point == ProgramPoint::Exit(key.clone())) {
            for term in past_terms(clause) {
                if !old.iter().any(|it| it.0 == term) {
                    let this = receiver.unwrap_or(0);
                    let mut before = SymbolicState {
                        machine: self.machine,
                        this,
                        arguments: &arguments,
                        result: None,
                        old: &[],
                    };
                    let value = before.value(&term);
                    old.push((term, value));
                }
            }
        }
        let mut conditions: Vec<(usize, FormulaStatus)> = Vec::new();
        for (at, throws) in inquiry.throws.iter().enumerate().filter(|it| it.1.method == key) {
            let this = receiver.unwrap_or(0);
            let mut before =
                SymbolicState { machine: self.machine, this, arguments: &arguments, result: None, old: &[] };
            conditions.push((at, before.holds(&throws.condition)));
        }
        values.extend(arguments.iter().map(|it| it.1));
        self.machine.adopt_model(&model);
        self.machine.enter(target, &values).ok()?;
        let mut steps = from.map_or_else(Vec::new, |it| it.steps.clone());
        steps.push(InquiryStep { method, given });
        let limits = ExplorationLimits { fuel: CALL_FUEL, decisions: 200, ..ExplorationLimits::default() };
        let mut exploration = Exploration::new(limits);
        let (mut trees, mut counts) = (Trees::default(), SideCounts::default());
        let is_any = |_: &Machine, _: cupping_machine::MethodId| false;
        let (mut is_whole, mut paths) = (true, 0);
        let mut start = Some((OneCall { arguments, ended: None }, path, model));
        loop {
            if paths >= MOST_PATHS || inquiry.is_spent() {
                return Some(false);
            }
            let mut tools = Tools {
                machine: self.machine,
                solver: &mut inquiry.solver,
                trees: &mut trees,
                counts: &mut counts,
                searcher: &BreadthFirst,
                under_test: &is_any,
            };
            let done = match start.take() {
                Some((driver, path, model)) => Some(exploration.start(&mut tools, driver, path, model)),
                None => match exploration.step(&mut tools) {
                    Some(done) => done,
                    None => break,
                },
            };
            let Some(done) = done else { continue };
            paths += 1;
            inquiry.asked.paths += 1;
            let changes = self.found.changes_statics || self.statics.changed(self.machine).is_some();
            self.found.changes_statics = changes;
            self.throws_at_end(&steps, &conditions, &done, inquiry);
            is_whole &= self.at_end(&steps, object, &old, &done, inquiry);
            let is_returned = matches!(done.driver.ended, Some(InvocationEnd::Returned(_)));
            let made = match &done.driver.ended {
                _ if from.is_some() || invokable.is_constructor() => object,
                // Other results are no objects on which calls follow, and perhaps no references.
                Some(InvocationEnd::Returned(value)) if self.subject.makers.contains(&method) => {
                    value.as_ref()
                }
                _ => 0,
            };
            if is_returned && made != 0 {
                let canonical = canonical(self.machine, &[Slot::reference(made)], &done.path);
                let form = canonical.as_ref().map(|it| (it.shape, it.slots.clone()));
                // A known state under a stronger condition adds nothing.
                if form.is_some() && from.is_some_and(|it| it.form == form) {
                    continue;
                }
                // States that differ in the conditions on their symbols are followed separately.
                let key = canonical.filter(|it| it.conditions.is_empty()).map(|it| it.key);
                let snapshot = self.machine.snapshot();
                let CompletedPath { path, model, .. } = done;
                reached.push(PathEndState {
                    snapshot,
                    path,
                    model,
                    object: made,
                    steps: steps.clone(),
                    key,
                    form,
                });
            }
        }
        let counters = exploration.counters;
        Some(is_whole && counters.time_outs + counters.skipped == 0 && exploration.self_checks.is_empty())
    }
}

/// The terms whose past values a clause needs.
fn past_terms(clause: &Clause) -> Vec<Term> {
    let mut found = Vec::new();
    clause.formula.any(|it| {
        if let Term::Old(of) = it {
            found.push((**of).clone());
        }
        false
    });
    found
}
