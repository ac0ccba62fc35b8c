//! The inputs of a call on a state, one for each path through the call.

use crate::continuation::SequenceState;
use crate::driver::{Inputs, PlanDriver};
use crate::input::Input;
use crate::invokable::Invokable;
use crate::known_inputs::PathInputs;
use crate::long_calls::is_out_of_fuel;
use crate::plan::{Plan, PlanStep};
use crate::trial::{Trial, is_presentable};
use crate::work::work_of_paths;
use crate::workbench::Workbench;
use cupping_explore::{CompletedPath, Exploration, InvocationEnd, Path, SideCounts, Trees};
use cupping_machine::Machine;
use cupping_term::Model;
use std::rc::Rc;

/// Fuel of one path, which counts jumps back and invocations.
const PATH_FUEL: u64 = 50_000;
/// Paths of one call at most.
const PATHS: u32 = 16;
/// Paths tried for a call that makes an argument, until one returns.
const PATHS_BEFORE: u32 = 8;

impl Workbench<'_> {
    /// The inputs of the paths of the last call. Calls before it, which make its arguments, take one path that returns.
    pub(crate) fn inputs(
        &mut self,
        from: &SequenceState,
        plan: &Rc<Plan>,
        invokable: &Invokable,
        is_single: bool,
    ) -> Option<Vec<PathInputs>> {
        for fuel in self.long_calls.limits(invokable.method, PATH_FUEL) {
            let mut ran_out = false;
            let found = self.inputs_of_paths(from, plan, fuel, is_single, &mut ran_out);
            if !ran_out || found.as_ref().is_some_and(|it| !it.is_empty()) {
                return found;
            }
            self.long_calls.ran_out(invokable.method, fuel, PATH_FUEL);
        }
        None
    }

    /// The same with this much fuel for each path; `ran_out` says whether one needed more.
    fn inputs_of_paths(
        &mut self,
        from: &SequenceState,
        plan: &Rc<Plan>,
        fuel: u64,
        is_single: bool,
        ran_out: &mut bool,
    ) -> Option<Vec<PathInputs>> {
        let mut driver = from.driver.extended(plan.clone());
        let new = &plan.steps[driver.next..];
        if !new.iter().any(|step| matches!(step, PlanStep::Input { .. })) {
            return Some(vec![PathInputs { slots: driver.slots, model: from.model.clone() }]);
        }
        let (machine, solver, work) = self.parts_for_paths();
        machine.restore(&from.snapshot);
        let mut trial = Trial { machine, solver, trees: Trees::default(), counts: SideCounts::default() };
        let (mut path, mut model) = (Path::default(), from.model.as_ref().clone());
        let mut given = from.driver.next;
        loop {
            let mut bounds = Vec::new();
            if !driver.enter_next(trial.machine, &Inputs::Symbolic, &mut bounds).ok()? {
                return None;
            }
            for bound in bounds {
                path = path.assume(bound);
            }
            give_texts(&driver, given, &mut model);
            given = driver.next;
            trial.machine.adopt_model(&model);
            cupping_explore::Driver::adopt(&mut driver, trial.machine, &model);
            let limits =
                cupping_explore::ExplorationLimits { fuel, ..cupping_explore::ExplorationLimits::default() };
            let mut exploration = Exploration::new(limits);
            let first = Some(trial.start(&mut exploration, driver.clone(), &path, &model));
            let is_last = driver.next + 1 == plan.steps.len();
            let mut left = if is_last { PATHS } else { PATHS_BEFORE };
            let mut found = Vec::new();
            let mut accept = |machine: &mut Machine, done: &CompletedPath<PlanDriver>| {
                *ran_out |= is_out_of_fuel(done.driver.ended.as_ref());
                if is_last && is_presentable(machine, done) {
                    let (slots, model) = (done.driver.slots.clone(), Rc::new(done.model.clone()));
                    found.push(PathInputs { slots, model });
                }
                !is_last && matches!(done.driver.ended, Some(InvocationEnd::Returned(_)))
            };
            let done = match first {
                Some(only) if is_last && is_single => {
                    accept(trial.machine, &only);
                    None
                }
                first => trial.until(&mut exploration, first, &mut left, &mut accept),
            };
            *work += work_of_paths(exploration.counters) + exploration.counters.paths * 30;
            if is_last {
                return Some(found);
            }
            let done = done?;
            (driver, path, model) = (done.driver, done.path, done.model);
        }
    }
}

/// Sets new texts, made by the steps from this one on, to those that the code compares with.
fn give_texts(driver: &PlanDriver, from: usize, model: &mut Model) {
    for step in &driver.plan.steps[from..driver.next] {
        let PlanStep::Input { input: Input::String { first: Some(text), .. }, var } = step else { continue };
        let symbols = &driver.slots[*var].symbols;
        if let Some(length) = symbols.length {
            model.set(length, text.len() as u64);
        }
        for (symbol, unit) in symbols.values.iter().zip(text.iter()) {
            model.set(*symbol, u64::from(*unit));
        }
    }
}
