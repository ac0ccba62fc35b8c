//! Runs put together of two others: the state that a call of one left, and a call that another made. What the first defined
//! is so used by the second, without a search for it: the state is reached once and forked for each call (sequence
//! grouping, thesis §4.4.3).

use crate::driver::{Inputs, PlanDriver, Slot};
use crate::input::Symbols;
use crate::invokable::kind_of;
use crate::plan::{Plan, PlanStep, Var};
use crate::provide::is_preparation;
use crate::search::Candidate;
use crate::thrown::{Thrown, says_more_of_the_jvm};
use crate::workbench::Workbench;
use cupping_explore::{Ended, Path};
use cupping_machine::{
    ClassId, DefUse, Definition, ELEMENT, FieldKeys, Kind, Machine, MethodId, Site, Snapshot,
};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Instructions of one call.
const FUEL: u64 = 200_000;

/// A call of a candidate, as others can make use of it.
#[derive(Clone)]
pub struct Part {
    /// The run that it is from.
    pub candidate: Rc<Candidate>,
    /// The step that calls.
    pub step: usize,
    /// Calls up to it, itself included.
    pub calls: usize,
    /// Whether it returned.
    pub returned: bool,
    /// Fields, and where they were defined last, as they are after the call: those of the object and static ones.
    pub defined: BTreeSet<(u32, Site)>,
    /// Fields, and where the call used what had been defined.
    pub used: BTreeSet<(u32, Site)>,
    /// The object, and its class.
    receiver: Option<(Var, ClassId)>,
    /// The steps that make the arguments, in order; none if they need the object itself in another state.
    arguments: Option<Vec<usize>>,
}

/// The state after a part's call.
pub struct Spot {
    part: Part,
    driver: PlanDriver,
    state: Snapshot,
}

impl Part {
    /// Whether the call can be made on what another part left.
    pub fn fits(&self, head: &Part) -> bool {
        let class = |part: &Part| part.receiver.map(|(_, class)| class);
        let is_call_on = match &self.candidate.plan.steps[self.step] {
            PlanStep::Call { invokable, .. } => invokable.has_receiver() && self.receiver.is_some(),
            _ => false,
        };
        self.arguments.is_some() && (!is_call_on || class(self) == class(head))
    }
}

impl Workbench<'_> {
    /// Runs a candidate again with concrete inputs: its calls, as long as they run as they did.
    pub fn parts(&mut self, candidate: &Rc<Candidate>) -> Vec<Part> {
        self.reset();
        let (mut parts, mut executed) = (Vec::new(), 0);
        let mut driver = PlanDriver::new(candidate.plan.clone());
        let machine = self.machine();
        let inputs =
            Inputs::Concrete { slots: &candidate.driver.slots, model: &candidate.model, fresh: false };
        while !driver.is_done() {
            stand_in(machine, &driver);
            let before = machine.registers.pairs.clone();
            let Ok(Some((ended, returned))) = driver.call_concrete(machine, &inputs, FUEL) else { break };
            executed += FUEL - machine.fuel().min(FUEL);
            if matches!(ended, Ended::Halted(_) | Ended::TooManyDecisions) {
                break;
            }
            let step = if returned { driver.next - 1 } else { driver.next };
            let new = machine.registers.pairs.difference(&before).map(|pair| (pair.field, pair.usage));
            let receiver = receiver(machine, &driver, step);
            parts.push(Part {
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

    /// Goes to the state after a part's call.
    pub fn enter(&mut self, part: &Part) -> Option<Spot> {
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
        Some(Spot { part: part.clone(), driver, state })
    }

    /// Makes the call of a part in a state: a candidate, if the pairs that the whole run has exercised are wanted.
    pub fn splice(
        &mut self,
        spot: &Spot,
        tail: &Part,
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
            Some((Ended::Returned(_), _)) => driver.is_done(),
            Some((Ended::Threw(exception), _)) => {
                driver.next + 1 == driver.plan.steps.len() && !says_more_of_the_jvm(machine, *exception)
            }
            _ => false,
        };
        let found = is_kept && {
            let recorded = machine.registers.pairs.clone();
            wanted(machine, &recorded)
        };
        let found = found.then(|| candidate(machine, driver, spot, tail, offset));
        self.charge(executed, 1);
        found.flatten()
    }
}

/// Where fields were defined that nothing has stored to yet.
const NOWHERE: Site = Site { method: MethodId(u32::MAX), at: 0 };

/// Has fields of the next call's object and static fields defined that nothing has stored to yet, so that a use of them is
/// recorded.
fn stand_in(machine: &mut Machine, driver: &PlanDriver) {
    let call = driver.plan.steps[driver.next..].iter().find(|step| matches!(step, PlanStep::Call { .. }));
    let Some(PlanStep::Call { invokable, arguments, .. }) = call else { return };
    let receiver = arguments.first().filter(|_| invokable.has_receiver());
    let object = receiver.and_then(|var| driver.slots[*var].value).map_or(0, |value| value.as_ref());
    let mut class = Some(if object == 0 { invokable.class } else { machine.class_of(object) });
    let invocation = machine.registers.invocation;
    let definition = Definition { site: NOWHERE, invocation, is_tracked: true };
    while let Some(id) = class {
        let of = machine.class(id);
        class = of.super_class;
        let keys: Vec<FieldKeys> =
            of.fields.iter().map(|field| FieldKeys::new(&of.name, &field.name)).collect();
        for keys in keys {
            for key in [(object, keys.of_object), (0, keys.of_static)] {
                if !machine.registers.definitions.contains_key(&key) {
                    machine.registers.definitions.insert(key, definition);
                }
            }
        }
    }
}

/// What the object of a call is: its receiver, or what it makes.
fn receiver(machine: &Machine, driver: &PlanDriver, step: usize) -> Option<(Var, ClassId)> {
    let PlanStep::Call { invokable, arguments, result } = &driver.plan.steps[step] else { return None };
    let var = if invokable.has_receiver() { *arguments.first()? } else { (*result)? };
    let gives_object = invokable.is_constructor() || kind_of(&invokable.result) == Kind::Reference;
    if !invokable.has_receiver() && !gives_object {
        return None;
    }
    let object = driver.slots[var].value?.as_ref();
    (object != 0).then(|| (var, machine.class_of(object)))
}

/// The definitions that are alive of an object and of static variables.
fn defined(
    machine: &Machine,
    driver: &PlanDriver,
    receiver: Option<(Var, ClassId)>,
) -> BTreeSet<(u32, Site)> {
    let object = receiver.and_then(|(var, _)| driver.slots[var].value).map_or(0, |value| value.as_ref());
    let alive = machine.registers.definitions.iter().filter(|((of, field), definition)| {
        (*of == object || *of == 0)
            && field & ELEMENT == 0
            && definition.is_tracked
            && definition.site != NOWHERE
    });
    alive.map(|((_, field), definition)| (*field, definition.site)).collect()
}

/// The steps that make the arguments of a call, in order.
fn arguments(plan: &Plan, step: usize, receiver: Option<Var>) -> Option<Vec<usize>> {
    let is_object = |var: &Var| Some(*var) == receiver;
    let mut needed: BTreeSet<Var> =
        plan.steps[step].uses().iter().copied().filter(|var| !is_object(var)).collect();
    let mut steps = Vec::new();
    for at in (0..step).rev() {
        let of_step = &plan.steps[at];
        let makes = of_step.defines().is_some_and(|var| needed.contains(&var) && !is_object(&var));
        let changes = of_step.is_effect() && of_step.uses().iter().any(|var| needed.contains(var));
        // What prepares files works on them by their names.
        let prepares = plan.has_folder()
            && matches!(of_step, PlanStep::Call { invokable, .. } if is_preparation(invokable));
        if !makes && !changes && !prepares {
            continue;
        }
        // What the object gave or was given is tied to its own run.
        if of_step.uses().iter().any(is_object) {
            return None;
        }
        needed.extend(of_step.uses().iter().copied());
        steps.push(at);
    }
    steps.reverse();
    Some(steps)
}

/// The plan of a head's steps and a tail's call with what that needs; the tail's variables are moved up by the number given.
fn spliced(head: &Part, tail: &Part) -> Option<(Plan, usize)> {
    let (first, second) = (&head.candidate.plan, &tail.candidate.plan);
    let offset = first.variables.len();
    let mut plan =
        Plan { variables: first.variables.clone(), steps: first.steps[..=head.step].to_vec(), setup: 0 };
    plan.variables.extend(second.variables.iter().cloned());
    let own = tail.receiver.map(|(var, _)| var);
    let on = head.receiver.map(|(var, _)| var);
    let moved = |var: Var| if Some(var) == own { on } else { Some(var + offset) };
    for at in tail.arguments.as_ref()?.iter().chain([&tail.step]) {
        plan.steps.push(second.steps[*at].renamed(&moved)?);
    }
    Some((plan, offset))
}

/// The candidate of a run that has ended; inputs of the tail get symbols of their own, since both runs may have begun with the
/// same ones.
fn candidate(
    machine: &mut Machine,
    mut driver: PlanDriver,
    spot: &Spot,
    tail: &Part,
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
                    let sort = machine.terms.variable(symbol).sort;
                    let term = machine.terms.new_variable("input", sort);
                    let own = machine.terms.as_variable(term)?;
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
    let invokable = driver.plan.under_test()?.clone();
    let thrown = match &ended {
        Ended::Threw(exception) => Some(Thrown::of(machine, *exception, &invokable)),
        _ => None,
    };
    Some(Candidate {
        plan: driver.plan.clone(),
        path: Path::default(),
        model,
        hits: machine.registers.coverage.clone(),
        pairs: machine.registers.pairs.clone(),
        ended,
        thrown,
        is_pure: false,
        leaf: None,
        control: 0,
        remembered: None,
        driver,
    })
}
