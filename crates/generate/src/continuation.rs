//! Continuations: one more call on the state that a sequence left, once for each path through the call. The state is
//! concrete, and the call's own inputs are symbolic until its path is known; then it is run again with concrete ones.
//! States of long sequences thus cost no more than those of short ones.

use crate::builder::{Builder, builders};
use crate::candidate::Candidate;
use crate::canonical::canonical_of;
use crate::driver::{Inputs, PlanDriver};
use crate::exceptions::{ThrownException, says_more_of_the_jvm};
use crate::invokable::Invokable;
use crate::known_inputs::PathInputs;
use crate::long_calls::is_out_of_fuel;
use crate::plan::{Plan, PlanStep, Var};
use crate::splice::defined;
use crate::workbench::{Hint, PlannedCall, Workbench};
use cupping_explore::{InvocationEnd, Path};
use cupping_machine::{ClassId, DefUse, Kind, Machine, Site, Snapshot, Value};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Fuel of one call with concrete inputs.
const FUEL: u64 = 100_000;

/// The state after a sequence of calls with concrete inputs.
pub struct SequenceState {
    pub(crate) driver: PlanDriver,
    pub(crate) model: Rc<Model>,
    pub(crate) snapshot: Snapshot,
    pub(crate) object: Option<Var>,
    /// The class of the object: the class under test, that of a builder, or the type of a view.
    pub(crate) class: ClassId,
    /// Objects that the sequence has turned from, the latest first.
    pub(crate) others: Vec<Var>,
    /// Number of calls, those that make arguments included.
    pub calls: usize,
    /// Whether one of the calls threw.
    pub has_thrown: bool,
}

impl SequenceState {
    /// The class of the object that there is to call methods on.
    pub fn object_class(&self) -> Option<ClassId> {
        self.object.map(|_| self.class)
    }

    /// Number of objects that the sequence has turned from.
    pub fn others(&self) -> usize {
        self.others.len()
    }

    /// The definitions of fields of the objects and of static fields that are alive. The machine is in this state.
    pub(crate) fn alive(&self, machine: &Machine) -> BTreeSet<(u32, Site)> {
        let of = |var: Option<Var>| {
            let object = var.and_then(|var| self.driver.object(var));
            defined(machine, &self.driver, var.zip(object.map(|it| machine.class_of(it))))
        };
        let mut alive = of(self.object);
        alive.extend(self.others.iter().flat_map(|var| of(Some(*var))));
        alive
    }
}

/// A call on a state, along one path.
pub struct Continuation {
    /// Whether there was a call; if not, the sequence only goes on with another object.
    pub is_call: bool,
    /// The state after it. If the call threw, the test catches it.
    pub state: SequenceState,
    /// Whether another call can follow.
    pub goes_on: bool,
    /// Equal for states that calls on the object cannot distinguish; `None` if the state is too large.
    pub key: Option<u64>,
    /// The primitive fields of the object and its class, numbered, with their values; for references, whether
    /// they are `null`.
    pub values: Vec<(u32, u64)>,
    /// The definitions of fields of the object and of static fields that are alive.
    pub defined: BTreeSet<(u32, Site)>,
    /// The definition-use pairs that the whole sequence exercises.
    pub pairs: Rc<BTreeSet<DefUse>>,
    pub(crate) hits: Rc<Vec<u64>>,
    /// The plan that ends with the call, whose exception is not caught.
    pub(crate) plan: Rc<Plan>,
    pub(crate) ended: InvocationEnd,
    pub(crate) thrown: Option<ThrownException>,
}

impl Continuation {
    /// The class of the exception that the call threw, by internal name.
    pub fn thrown_class(&self) -> Option<&str> {
        self.thrown.as_ref().map(|thrown| thrown.class.as_str())
    }

    /// The whole sequence as a candidate for a test.
    pub fn candidate(&self) -> Candidate {
        let mut driver = self.state.driver.clone();
        driver.plan = self.plan.clone();
        driver.ended = Some(self.ended.clone());
        if self.thrown.is_some() {
            driver.caught.pop();
            driver.next -= 1;
        }
        Candidate {
            plan: self.plan.clone(),
            path: Path::default(),
            model: self.state.model.as_ref().clone(),
            hits: self.hits.clone(),
            pairs: self.pairs.clone(),
            ended: self.ended.clone(),
            thrown: self.thrown.clone(),
            is_pure: false,
            leaf: None,
            control: 0,
            remembered: None,
            keeps_inputs: false,
            driver,
        }
    }
}

/// How much may be done for one call.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// After this much work, paths are left out if one has been found.
    pub work: u64,
    /// Whether a call that runs out of fuel is made again with much more of it.
    pub is_long: bool,
    /// Whether only one path is run, which needs no solver.
    pub is_single: bool,
}

/// The continuations of a state by a call.
#[derive(Default)]
pub struct Continuations {
    /// One for each path.
    pub found: Vec<Continuation>,
    /// Whether there is none since the call ran out of fuel.
    pub ran_out: bool,
}

impl Workbench<'_> {
    /// The builders of the class.
    pub fn builders(&mut self) -> Rc<Vec<Builder>> {
        if self.builders.is_none() {
            let found = builders(self.session.machine(), &self.subject);
            self.builders = Some(Rc::new(found));
        }
        self.builders.clone().unwrap_or_default()
    }

    /// The state before all sequences.
    pub fn origin(&mut self) -> SequenceState {
        self.reset();
        SequenceState {
            driver: PlanDriver::new(Rc::new(Plan::default())),
            model: Rc::default(),
            snapshot: self.machine().snapshot(),
            object: None,
            class: self.subject().class,
            others: Vec::new(),
            calls: 0,
            has_thrown: false,
        }
    }

    /// Makes a call on a state, once for each path. `alternative` chooses among the references that can be passed,
    /// first the objects that the sequence has turned from; `None` if there are no more of them.
    pub fn continuations(
        &mut self,
        from: &SequenceState,
        invokable: &Rc<Invokable>,
        alternative: usize,
        effort: Effort,
    ) -> Option<Continuations> {
        let limit = self.work() + effort.work;
        let (plan, object) = self.plan_of_call(from, invokable, alternative)?;
        self.long_calls.begin(effort.is_long);
        let mut found = Vec::new();
        for inputs in self.inputs(from, &plan, invokable, effort.is_single).unwrap_or_default() {
            if !found.is_empty() && self.work() > limit {
                break;
            }
            let made = self.continuation(from, &plan, invokable, &inputs, object);
            if made.is_some()
                && let Some(chosen) = alternative.checked_sub(from.others.len())
            {
                let of = (invokable.method, chosen);
                self.known_inputs.keep(of, &from.driver, &plan, (&inputs.slots, &inputs.model));
            }
            found.extend(made);
        }
        let ran_out = found.is_empty() && self.long_calls.has_run_out();
        Some(Continuations { found, ran_out })
    }

    /// The plan that makes a call on a state, and the object on which the sequence continues.
    #[expect(clippy::type_complexity, reason = "a plan and an object")]
    pub(crate) fn plan_of_call(
        &mut self,
        from: &SequenceState,
        invokable: &Rc<Invokable>,
        alternative: usize,
    ) -> Option<(Rc<Plan>, Option<(Var, ClassId)>)> {
        if invokable.has_receiver() && from.object.is_none() {
            return None;
        }
        self.machine().restore(&from.snapshot);
        let mut call = PlannedCall {
            invokable: invokable.clone(),
            arguments: vec![Hint::Any; invokable.parameters.len()],
            alternative: alternative.saturating_sub(from.others.len()),
        };
        if let Some(var) = from.others.get(alternative) {
            self.pass(from, *var, &mut call)?;
        }
        let mut provider = self.take_provider();
        let mut plan = from.driver.plan.as_ref().clone();
        let made =
            self.append(&mut provider, &mut plan, &call, from.object.map(|object| (object, from.class)));
        self.return_provider(provider);
        let (_, result) = made?;
        let plan = Rc::new(plan);
        let object = match self.made_by(from, invokable) {
            Some(class) => result.map(|object| (object, class)),
            None => from.object.map(|object| (object, from.class)),
        };
        Some((plan, object))
    }

    /// The class of the object that a call creates and on which the sequence continues: without an object, a
    /// builder or an object under test; from a builder, an object under test.
    fn made_by(&mut self, from: &SequenceState, invokable: &Invokable) -> Option<ClassId> {
        let subject = self.subject().class;
        if from.object.is_some() && from.class == subject {
            return None;
        }
        if from.object.is_none() && self.subject().makers.iter().any(|it| it.method == invokable.method) {
            return Some(subject);
        }
        let class = match invokable.is_constructor() {
            true => invokable.class,
            false => {
                let machine = self.machine();
                let descriptor = machine.method(invokable.method).descriptor.clone();
                let (_, result) = descriptor.split_once(')')?;
                machine.load_descriptor(result).ok().filter(|_| result.starts_with('L'))?
            }
        };
        let is_builder = from.object.is_none() && self.builders().iter().any(|it| it.class == class);
        (is_builder || from.object.is_some() && class == subject).then_some(class)
    }

    /// Runs a call with concrete inputs.
    pub(crate) fn continuation(
        &mut self,
        from: &SequenceState,
        plan: &Rc<Plan>,
        invokable: &Invokable,
        inputs: &PathInputs,
        object: Option<(Var, ClassId)>,
    ) -> Option<Continuation> {
        let class = object.map_or(from.class, |(_, class)| class);
        let object = object.map(|(object, _)| object);
        let model = if Rc::ptr_eq(&from.model, &inputs.model) {
            from.model.clone()
        } else {
            let mut model = from.model.as_ref().clone();
            for slot in &inputs.slots[from.driver.slots.len()..] {
                for symbol in slot.symbols.length.iter().chain(&slot.symbols.values) {
                    model.set(*symbol, inputs.model.get(*symbol));
                }
            }
            Rc::new(model)
        };
        let (mut driver, last, executed, calls) =
            self.run_concretely(from, plan, invokable, inputs, &model)?;
        let machine = self.session.machine();
        let thrown = match &last {
            Some((InvocationEnd::Returned(_), _)) if driver.is_done() => None,
            Some((InvocationEnd::Threw(exception), _))
                if driver.next + 1 == plan.steps.len() && !says_more_of_the_jvm(machine, *exception) =>
            {
                Some(*exception)
            }
            _ => {
                self.charge(executed, 1);
                return None;
            }
        };
        let threw =
            thrown.map(|exception| ThrownException::of(machine, exception, &driver, &Path::default()));
        let ended = driver.ended.clone()?;
        let (hits, pairs) = (machine.registers().coverage.clone(), machine.registers().pairs.clone());
        let value = object.and_then(|var| driver.slots[var].value).filter(|value| value.as_ref() != 0);
        // The test cannot access the object of a constructor that throws.
        let is_made = from.object == object || thrown.is_none();
        let goes_on = match (object, value) {
            (Some(_), Some(value)) => is_made && machine.is_subtype(machine.class_of(value.as_ref()), class),
            (Some(_), None) => false,
            (None, _) => true,
        };
        if let Some(exception) = thrown {
            // The test catches it.
            let mut caught = plan.as_ref().clone();
            if let Some(PlanStep::Call { catches, .. }) = caught.steps.last_mut() {
                *catches = true;
            }
            driver.caught.push((driver.next, machine.class_of(exception)));
            driver.next += 1;
            driver.plan = Rc::new(caught);
        }
        driver.before = None;
        let state = SequenceState {
            driver,
            model,
            snapshot: machine.snapshot(),
            object,
            class,
            others: if from.object.is_some() { from.others.clone() } else { Vec::new() },
            calls: from.calls + calls,
            has_thrown: from.has_thrown || thrown.is_some(),
        };
        let defined = state.alive(machine);
        let objects = 1 + state.others.len() as u64;
        let (key, values) = abstraction(machine, &state);
        self.companions.note(self.session.machine(), &self.base);
        self.charge_definitions(objects);
        // The cost of copies grows with the sequence.
        self.charge(executed, 2 + plan.steps.len() as u64 / 8);
        let plan = plan.clone();
        Some(Continuation {
            is_call: true,
            state,
            goes_on,
            key,
            values,
            defined,
            pairs,
            hits,
            plan,
            ended,
            thrown: threw,
        })
    }
    /// Runs the new steps of a plan; returns the driver, how the last call ended, the instructions executed, and the
    /// number of calls. The machine is in the state after them.
    #[expect(clippy::type_complexity, reason = "the parts of a run")]
    fn run_concretely(
        &mut self,
        from: &SequenceState,
        plan: &Rc<Plan>,
        invokable: &Invokable,
        inputs: &PathInputs,
        model: &Model,
    ) -> Option<(PlanDriver, Option<(InvocationEnd, bool)>, u64, usize)> {
        let mut found = None;
        let mut executed = 0;
        for fuel in self.long_calls.limits(invokable.method, FUEL) {
            let machine = self.session.machine();
            machine.restore(&from.snapshot);
            let mut driver = from.driver.extended(plan.clone());
            let concrete = Inputs::Concrete { slots: &inputs.slots, model, fresh: false };
            let (mut last, mut calls) = (None, 0);
            while !driver.is_done() {
                last = driver.call_concrete(machine, &concrete, fuel).ok()?;
                executed += fuel - machine.fuel().min(fuel);
                calls += 1;
                if !last.as_ref().is_some_and(|(_, goes_on)| *goes_on) {
                    break;
                }
            }
            let ran_out = is_out_of_fuel(last.as_ref().map(|(ended, _)| ended));
            found = Some((driver, last, executed, calls));
            if !ran_out {
                break;
            }
            self.long_calls.ran_out(invokable.method, fuel, FUEL);
        }
        found
    }
}

/// What calls can distinguish about a state: a hash of everything reachable from the objects and the static
/// fields of the class, and the values of the object's own fields. The machine is in this state.
pub(crate) fn abstraction(machine: &Machine, state: &SequenceState) -> (Option<u64>, Vec<(u32, u64)>) {
    let (mut roots, mut values) = (Vec::new(), Vec::new());
    let value = |var: Var| state.driver.slots[var].value.filter(|value| value.as_ref() != 0);
    let object = state.object.and_then(value);
    for value in object.into_iter().chain(state.others.iter().filter_map(|var| value(*var))) {
        roots.push((Kind::Reference, value));
    }
    let mut next = Some(object.map_or(state.class, |object| machine.class_of(object.as_ref())));
    while let Some(id) = next {
        let of = machine.class(id);
        next = of.super_class;
        for (index, field) in of.fields.iter().enumerate() {
            let bits = if field.is_static() {
                if of.from_jdk || field.access.is_final() && field.kind != Kind::Reference {
                    continue;
                }
                let Some(bits) = machine.static_field(id, &field.name) else { continue };
                roots.push((field.kind, Value::concrete(bits)));
                bits
            } else {
                let Some(object) = object else { continue };
                machine.memory().read(object.as_ref() + u32::from(field.offset))
            };
            let bits = if field.kind == Kind::Reference { u64::from(bits != 0) } else { bits };
            values.push(((id.0 << 8) | index as u32, bits));
        }
    }
    (canonical_of(machine, &roots, &Path::default()).map(|it| it.key), values)
}
