//! Splicing: combines two runs by making a call of one on the state after the other. A definition of the
//! first then reaches a use of the second without a search. Each state is reached once and forked for each
//! call (sequence grouping, thesis §4.4.3).

use crate::candidate::Candidate;
use crate::driver::{Inputs, PlanDriver, Slot};
use crate::exceptions::{ThrownException, says_more_of_the_jvm};
use crate::input::Symbols;
use crate::invokable::kind_of;
use crate::plan::is_preparation;
use crate::plan::{Plan, PlanStep, Var};
use crate::workbench::Workbench;
use cupping_explore::{InvocationEnd, Path};
use cupping_machine::{
    ClassId, DefUse, Definition, ELEMENT, FieldKeys, Kind, Machine, MethodId, Site, Snapshot,
};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Fuel of one call.
const FUEL: u64 = 4_000_000;

/// A call of a candidate that can be reused.
#[derive(Clone)]
pub struct CallPart {
    /// The run that it belongs to.
    pub candidate: Rc<Candidate>,
    /// Index of the calling step.
    pub step: usize,
    /// Number of calls up to and including it.
    pub calls: usize,
    /// Whether it returned.
    pub returned: bool,
    /// The last definitions of instance and static fields that are live after the call.
    pub defined: BTreeSet<(u32, Site)>,
    /// Fields, with the positions at which the call used earlier definitions.
    pub used: BTreeSet<(u32, Site)>,
    /// The object and its class.
    receiver: Option<(Var, ClassId)>,
    /// The steps that create the arguments, in order; `None` if they depend on an earlier state of the
    /// object.
    arguments: Option<Vec<usize>>,
}

/// The state after a part's call.
pub struct SpliceState {
    part: CallPart,
    driver: PlanDriver,
    state: Snapshot,
}

impl CallPart {
    /// Whether the call can be made on the state that another part left.
    pub fn fits(&self, head: &CallPart) -> bool {
        let class = |part: &CallPart| part.receiver.map(|(_, class)| class);
        let is_call_on = match &self.candidate.plan.steps[self.step] {
            PlanStep::Call { invokable, .. } => invokable.has_receiver() && self.receiver.is_some(),
            _ => false,
        };
        self.arguments.is_some() && (!is_call_on || class(self) == class(head))
    }
}

impl Workbench<'_> {
    /// Runs a candidate with concrete inputs and returns its calls, as far as they run as before.
    pub fn parts(&mut self, candidate: &Rc<Candidate>) -> Vec<CallPart> {
        self.reset();
        let (mut parts, mut executed) = (Vec::new(), 0);
        let mut driver = PlanDriver::new(candidate.plan.clone());
        let machine = self.machine();
        let inputs =
            Inputs::Concrete { slots: &candidate.driver.slots, model: &candidate.model, fresh: false };
        while !driver.is_done() {
            add_missing_definitions(machine, &driver);
            let before = machine.registers().pairs.clone();
            let Ok(Some((ended, returned))) = driver.call_concrete(machine, &inputs, FUEL) else { break };
            executed += FUEL - machine.fuel().min(FUEL);
            if matches!(ended, InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions) {
                break;
            }
            let step = if returned { driver.next - 1 } else { driver.next };
            let new = machine.registers().pairs.difference(&before).map(|pair| (pair.field, pair.usage));
            let receiver = receiver(machine, &driver, step);
            parts.push(CallPart {
                candidate: candidate.clone(),
                step,
                calls: parts.len() + 1,
                returned,
                defined: defined(machine, &driver, receiver),
                used: new.collect(),
                receiver,
                arguments: arguments(&candidate.plan, step, receiver.map(|(var, _)| var)),
            });
            if !returned {
                break;
            }
        }
        self.charge(executed, 1);
        parts
    }

    /// Moves to the state after a part's call.
    pub fn enter(&mut self, part: &CallPart) -> Option<SpliceState> {
        self.reset();
        let machine = self.machine();
        let candidate = &part.candidate;
        let inputs =
            Inputs::Concrete { slots: &candidate.driver.slots, model: &candidate.model, fresh: false };
        let mut driver = PlanDriver::new(candidate.plan.clone());
        let mut executed = 0;
        while driver.next <= part.step {
            let ended = driver.call_concrete(machine, &inputs, FUEL).ok()?;
            executed += FUEL - machine.fuel().min(FUEL);
            ended.filter(|(_, returned)| *returned)?;
        }
        let state = machine.snapshot();
        self.charge(executed, 1);
        Some(SpliceState { part: part.clone(), driver, state })
    }

    /// Makes the call of a part in a state. Returns a candidate if the pairs exercised by the whole run are
    /// wanted.
    pub fn splice(
        &mut self,
        spot: &SpliceState,
        tail: &CallPart,
        wanted: &mut dyn FnMut(&Machine, &BTreeSet<DefUse>) -> bool,
    ) -> Option<Candidate> {
        let (plan, offset) = spliced(&spot.part, tail)?;
        let machine = self.machine();
        machine.restore(&spot.state);
        let mut driver = spot.driver.extended(Rc::new(plan));
        driver.next = spot.part.step + 1;
        let mut slots = vec![Slot::default(); offset];
        slots.extend(tail.candidate.driver.slots.iter().cloned());
        let inputs = Inputs::Concrete { slots: &slots, model: &tail.candidate.model, fresh: false };
        let mut last = None;
        let mut executed = 0;
        while !driver.is_done() {
            last = driver.call_concrete(machine, &inputs, FUEL).ok()?;
            executed += FUEL - machine.fuel().min(FUEL);
            if !last.as_ref().is_some_and(|(_, returned)| *returned) {
                break;
            }
        }
        let is_kept = match &last {
            Some((InvocationEnd::Returned(_), _)) => driver.is_done(),
            Some((InvocationEnd::Threw(exception), _)) => {
                driver.next + 1 == driver.plan.steps.len() && !says_more_of_the_jvm(machine, *exception)
            }
            _ => false,
        };
        let found = is_kept && {
            let recorded = machine.registers().pairs.clone();
            wanted(machine, &recorded)
        };
        let found = found.then(|| candidate(machine, driver, spot, tail, offset));
        self.charge(executed, 1);
        found.flatten()
    }
}

/// The definition site of fields that have no definition.
const NOWHERE: Site = Site { method: MethodId(u32::MAX), at: 0 };

/// Adds definitions for the fields of the next call's object and static fields that have none, so that their
/// uses are recorded.
fn add_missing_definitions(machine: &mut Machine, driver: &PlanDriver) {
    let call = driver.plan.steps[driver.next..].iter().find(|step| matches!(step, PlanStep::Call { .. }));
    let Some(PlanStep::Call { invokable, arguments, .. }) = call else { return };
    let receiver = arguments.first().filter(|_| invokable.has_receiver());
    let object = receiver.and_then(|var| driver.object(*var)).unwrap_or(0);
    let mut class = Some(if object == 0 { invokable.class } else { machine.class_of(object) });
    let invocation = machine.registers().invocation;
    let definition = Definition { site: NOWHERE, invocation, is_tracked: true };
    while let Some(id) = class {
        let of = machine.class(id);
        class = of.super_class;
        let keys: Vec<FieldKeys> =
            of.fields.iter().map(|field| FieldKeys::new(&of.name, &field.name)).collect();
        for keys in keys {
            for key in [(object, keys.of_object), (0, keys.of_static)] {
                if !machine.registers().definitions.contains_key(&key) {
                    machine.add_definition(key, definition);
                }
            }
        }
    }
}

/// The object of a call: its receiver, or the object that it creates.
fn receiver(machine: &Machine, driver: &PlanDriver, step: usize) -> Option<(Var, ClassId)> {
    let PlanStep::Call { invokable, arguments, result, .. } = &driver.plan.steps[step] else { return None };
    let var = if invokable.has_receiver() { *arguments.first()? } else { (*result)? };
    let gives_object = invokable.is_constructor() || kind_of(&invokable.result) == Kind::Reference;
    if !invokable.has_receiver() && !gives_object {
        return None;
    }
    driver.object(var).map(|object| (var, machine.class_of(object)))
}

/// The live definitions of an object and of static fields.
pub(crate) fn defined(
    machine: &Machine,
    driver: &PlanDriver,
    receiver: Option<(Var, ClassId)>,
) -> BTreeSet<(u32, Site)> {
    let object = receiver.and_then(|(var, _)| driver.object(var)).unwrap_or(0);
    let alive = machine.registers().definitions.iter().filter(|((of, field), definition)| {
        (*of == object || *of == 0)
            && field & ELEMENT == 0
            && definition.is_tracked
            && definition.site != NOWHERE
    });
    alive.map(|((_, field), definition)| (*field, definition.site)).collect()
}

/// The steps that create the arguments of a call, in order.
fn arguments(plan: &Plan, step: usize, receiver: Option<Var>) -> Option<Vec<usize>> {
    let is_object = |var: &Var| Some(*var) == receiver;
    let mut needed: BTreeSet<Var> =
        plan.steps[step].uses().iter().copied().filter(|var| !is_object(var)).collect();
    let mut steps = Vec::new();
    for at in (0..step).rev() {
        let of_step = &plan.steps[at];
        let makes = of_step.defines().is_some_and(|var| needed.contains(&var) && !is_object(&var));
        let changes = of_step.is_effect() && of_step.uses().iter().any(|var| needed.contains(var));
        // File preparations refer to files by name.
        let prepares = plan.has_folder()
            && matches!(of_step, PlanStep::Call { invokable, .. } if is_preparation(invokable));
        if !makes && !changes && !prepares {
            continue;
        }
        // A value that came from the object, or was passed to it, belongs to its own run.
        if of_step.uses().iter().any(is_object) {
            return None;
        }
        needed.extend(of_step.uses().iter().copied());
        steps.push(at);
    }
    steps.reverse();
    Some(steps)
}

/// The plan with the head's steps and the tail's call with its dependencies. The tail's variables are shifted
/// by the returned number.
fn spliced(head: &CallPart, tail: &CallPart) -> Option<(Plan, usize)> {
    let (first, second) = (&head.candidate.plan, &tail.candidate.plan);
    let offset = first.variables.len();
    let mut plan = Plan {
        variables: first.variables.clone(),
        steps: first.steps[..=head.step].to_vec(),
        setup: 0,
        given: first.given,
    };
    plan.variables.extend(second.variables.iter().cloned());
    let own = tail.receiver.map(|(var, _)| var);
    let on = head.receiver.map(|(var, _)| var);
    let moved = |var: Var| if Some(var) == own { on } else { Some(var + offset) };
    for at in tail.arguments.as_ref()?.iter().chain([&tail.step]) {
        plan.steps.push(second.steps[*at].renamed(&moved)?);
    }
    Some((plan, offset))
}

/// The candidate of a completed run. Inputs of the tail get fresh symbols, since both runs may share some.
fn candidate(
    machine: &mut Machine,
    mut driver: PlanDriver,
    spot: &SpliceState,
    tail: &CallPart,
    offset: usize,
) -> Option<Candidate> {
    let head = &spot.part.candidate;
    let mut model: Model = head.model.clone();
    for (var, slot) in driver.slots.iter_mut().enumerate() {
        slot.symbols = match var.checked_sub(offset) {
            None => head.driver.slots[var].symbols.clone(),
            Some(var) => {
                let symbols = &tail.candidate.driver.slots[var].symbols;
                let mut own = |symbol| {
                    let sort = machine.terms().variable(symbol).sort;
                    let term = machine.terms_mut().new_variable("input", sort);
                    let own = machine.terms().as_variable(term)?;
                    model.set(own, tail.candidate.model.get(symbol));
                    Some(own)
                };
                Symbols {
                    length: symbols.length.and_then(&mut own),
                    values: symbols.values.iter().map(|symbol| own(*symbol)).collect::<Option<_>>()?,
                }
            }
        };
    }
    let ended = driver.ended.clone()?;
    let thrown = match &ended {
        InvocationEnd::Threw(exception) => {
            Some(ThrownException::of(machine, *exception, &driver, &Path::default()))
        }
        _ => None,
    };
    Some(Candidate {
        plan: driver.plan.clone(),
        path: Path::default(),
        model,
        hits: machine.registers().coverage.clone(),
        pairs: machine.registers().pairs.clone(),
        ended,
        thrown,
        is_pure: false,
        leaf: None,
        control: 0,
        remembered: None,
        keeps_inputs: false,
        driver,
    })
}
