//! Assertions: what a test can say about the result and the state after the invocation under test.

mod calls;
mod captured;
mod changes;
mod computer;
mod constructors;
mod files;
mod getter_chains;
mod iterators;
mod least;
mod literals;
mod observer;
mod observers;
mod printed;
mod recipes;
mod side_effects;
mod spare;
mod statics;
mod texts;
mod values;
mod variation;

use crate::influence::Influence;
use crate::input::primitive_literal;
use crate::invokable::{is_nameable, kind_of};
use crate::plan::{Plan, PlanStep};
use crate::realization::Realization;
use cupping_case::{
    Action, Assertion, Case, Expectation, JavaType, Literal, Operand, Probe, VarId, parse_method_descriptor,
};
use cupping_explore::InvocationEnd;
use cupping_machine::{Addr, ClassKind, Kind, Machine, Snapshot, Value};
use observer::{Observer, PassedArgument, known_var};
use observers::Extent;

pub use observer::Volatility;
pub use spare::{Spare, shown_by, spare};
pub use variation::{Original, Variations};

/// The results of observing a case.
pub struct Observation {
    /// Probes that the asserted observers hit. These observers also run on the JDK.
    pub hits: Vec<u64>,
    /// Whether the run or an observer read a value that differs from run to run.
    pub is_volatile: bool,
    /// Assertions that hold but show nothing that the invocation under test has changed. They are worth writing
    /// only if they detect a fault.
    pub unchanged: Vec<Assertion>,
    /// The probes that their observers hit.
    pub unchanged_hits: Vec<(Probe, Vec<u64>)>,
    /// Whether the invocation under test has written nothing to `System.out`.
    pub is_silent: bool,
}

impl Observation {
    fn nothing(is_volatile: bool) -> Observation {
        Observation {
            hits: Vec::new(),
            is_volatile,
            unchanged: Vec::new(),
            unchanged_hits: Vec::new(),
            is_silent: false,
        }
    }
}

/// Adds assertions to a case. The machine is at the end of the case's run and stays there.
pub fn observe(
    machine: &mut Machine,
    influence: &mut Influence,
    case: &mut Case,
    realized: &Realization,
    ids: &[Option<VarId>],
    package: &str,
    volatility: Volatility<'_>,
) -> Observation {
    let is_volatile = machine.registers().volatile_reads > 0;
    let is_dropped = is_volatile && volatility == Volatility::Dropped;
    let files = files::observe(machine, &realized.driver.files, is_dropped, realized.plan.has_folder());
    let Some(PlanStep::Call { invokable, arguments, result, .. }) = realized.plan.steps.last() else {
        return Observation::nothing(is_volatile);
    };
    if is_dropped {
        case.assertions = files;
        return Observation::nothing(is_volatile);
    }
    let mut observer = Observer {
        passed: passed(case, realized, ids),
        known: known(case, realized, ids, None),
        ..Observer::of(machine, influence, case, package, volatility)
    };
    if matches!(realized.ended, InvocationEnd::Returned(_))
        && let Some(var) = result
        && let (Some(id), Some(value)) = (ids[*var], realized.driver.slots[*var].value)
    {
        let known = known(case, realized, ids, Some(*var));
        let receiver = arguments.first().filter(|_| invokable.has_receiver());
        let copied = receiver.and_then(|it| realized.driver.slots[*it].value).map(Value::as_ref);
        let origin = if invokable.is_constructor() { Origin::New } else { Origin::Returned { by: copied } };
        observer.value(id, &realized.plan.variables[*var].ty, value, &known, origin);
    }
    let before = realized.driver.before.as_deref();
    if invokable.has_receiver()
        && let Some(id) = ids[arguments[0]]
        && let Some(receiver) = realized.driver.slots[arguments[0]].value
    {
        let class = observer.machine.class_of(receiver.as_ref());
        let effects = observer.influence.effects(observer.machine, class, invokable.method);
        let ty = &realized.plan.variables[arguments[0]].ty;
        let extent = match before {
            _ if effects.is_pure() => Extent::None,
            Some(before) => Extent::Changed(before),
            None => Extent::All,
        };
        observer.object(id, ty, receiver.as_ref(), extent);
    }
    // Objects that were passed may have been changed.
    let passed = &arguments[usize::from(invokable.has_receiver()).min(arguments.len())..];
    for (at, argument) in passed.iter().enumerate() {
        let is_repeated = passed[..at].contains(argument) || *result == Some(*argument);
        if let (Some(before), Some(id), Some(value)) =
            (before, ids[*argument], realized.driver.slots[*argument].value)
            && !is_repeated
            && !is_stub(&realized.plan, *argument)
        {
            observer.argument(id, &realized.plan.variables[*argument].ty, value.as_ref(), before);
        }
    }
    let mut is_silent = false;
    if let Some(before) = before {
        is_silent = observer.printed(realized, before);
        if let InvocationEnd::Threw(exception) = realized.ended {
            observer.cause(exception, &known(case, realized, ids, None));
        }
        observer.others(realized, ids, before);
        observer.calls(realized, ids, &known(case, realized, ids, None), before);
        observer.statics(invokable, before);
    }
    if matches!(realized.ended, InvocationEnd::Returned(_)) {
        observer.further_changes(realized, ids);
    }
    observer.asked_chains(realized, ids);
    if matches!(realized.ended, InvocationEnd::Returned(_)) {
        observer.at_least(realized, ids, invokable);
    }
    case.assertions = observer.assertions;
    case.assertions.extend(files);
    case.effects = observer.effects;
    let Observer { hits, is_volatile, unchanged, unchanged_hits, .. } = observer;
    Observation { hits, is_volatile, unchanged, unchanged_hits, is_silent }
}

/// Where a result comes from.
#[derive(Clone, Copy)]
enum Origin {
    /// From a constructor.
    New,
    /// From a method, called on this object if it is not static.
    Returned { by: Option<Addr> },
}

impl Observer<'_> {
    /// Says what the result is.
    fn value(&mut self, id: VarId, ty: &JavaType, value: Value, known: &[(VarId, Addr)], origin: Origin) {
        let kind = kind_of(ty);
        if kind != Kind::Reference {
            self.say(Probe::Var(id), Expectation::Equals(primitive_literal(kind, kind.narrow(value.bits))));
            return;
        }
        let object = value.as_ref();
        if let Some(path) = files::path_in_folder(self.machine, ty, object) {
            self.say(Probe::Var(id), Expectation::InFolder(path));
            return;
        }
        if let Some(literal) = self.literal(object) {
            self.say(Probe::Var(id), Expectation::Equals(literal));
            return;
        }
        if ty.is_string() {
            self.say(Probe::Var(id), Expectation::NotNull);
            return;
        }
        if let Some(same) = known_var(known, object) {
            self.say(Probe::Var(id), Expectation::Same(same));
            return;
        }
        if let Some(expected) = self.expected_as(ty, object) {
            self.say(Probe::Var(id), expected);
            return;
        }
        if self.iterator(id, ty, object) {
            return;
        }
        let before = self.assertions.len();
        let class = self.machine.class_of(object);
        let extent = match origin {
            Origin::Returned { by: Some(by) } if self.machine.class_of(by) == class => Extent::Unlike(by),
            _ => Extent::All,
        };
        let same = self.unchanged.len();
        self.object(id, ty, object, extent);
        // A copy that shows no change is to show what it copied.
        if matches!(extent, Extent::Unlike(_)) && self.assertions.len() == before {
            self.unchanged.truncate(same);
            self.object(id, ty, object, Extent::All);
        }
        if self.assertions.len() == before {
            self.further(id, ty, object, Extent::All);
        }
        if self.assertions.len() == before && !matches!(origin, Origin::New) {
            if let Some(alike) = self.made_alike(object, class) {
                self.say(Probe::Var(id), Expectation::EqualsValue(alike));
            } else if !self.size(id, object) {
                let expectation = self.existence(ty, object);
                self.say(Probe::Var(id), expectation);
            }
        }
    }

    /// The weakest assertion about an object: its class, if a test can name it and the declaration does not
    /// imply it.
    fn existence(&mut self, declared: &JavaType, object: Addr) -> Expectation {
        let class = self.machine.class_of(object);
        let name = &self.machine.class(class).name;
        let is_declared = matches!(declared, JavaType::Class(declared) if **declared == **name);
        match is_nameable(self.machine, class, self.package) && !is_declared {
            true => Expectation::InstanceOf(Box::from(&**name)),
            false => Expectation::NotNull,
        }
    }

    /// Asserts the change of an argument, if the invocation under test has changed it.
    fn argument(&mut self, id: VarId, ty: &JavaType, object: Addr, before: &Snapshot) {
        if !ty.is_reference() || ty.is_string() || object == 0 {
            return;
        }
        let now = self.expected_as(ty, object);
        let here = self.machine.snapshot();
        self.machine.restore(before);
        let was = self.expected_as(ty, object);
        self.machine.restore(&here);
        match now {
            Some(now) if was.as_ref() != Some(&now) => self.say(Probe::Var(id), now),
            Some(same) => self.unchanged.push(Assertion { probe: Probe::Var(id), expectation: same }),
            None => self.object(id, ty, object, Extent::Changed(before)),
        }
    }

    /// An expression equal by value to an object declared with this type.
    fn expected_as(&mut self, ty: &JavaType, object: Addr) -> Option<Expectation> {
        let is_array = object != 0
            && matches!(self.machine.class(self.machine.class_of(object)).kind, ClassKind::Array { .. });
        // An array declared as an object is cast to its type; with any other declared type, the object is not
        // an array.
        let is_castable = matches!(ty, JavaType::Array(_)) || *ty == JavaType::class("java/lang/Object");
        if is_array && !is_castable {
            return None;
        }
        self.expected(object).map(Expectation::EqualsValue)
    }
}

/// The objects that a test holds in variables, except for one variable of the plan.
fn known(
    case: &Case,
    realized: &Realization,
    ids: &[Option<VarId>],
    but: Option<usize>,
) -> Vec<(VarId, Addr)> {
    (0..ids.len())
        .filter(|other| Some(*other) != but)
        .filter_map(|other| Some((ids[other]?, realized.driver.slots[other].value?)))
        .filter(|(other, _)| case.variables[other.0 as usize].ty.is_reference())
        .map(|(other, value)| (other, value.as_ref()))
        .collect()
}

/// Arguments of the calls of a case, the last call first, without results of the last call.
fn passed(case: &Case, realized: &Realization, ids: &[Option<VarId>]) -> Vec<PassedArgument> {
    let value_of = |id: VarId| {
        let var = ids.iter().position(|it| *it == Some(id))?;
        realized.driver.slots[var].value
    };
    let mut passed = Vec::new();
    for step in case.steps.iter().rev() {
        let (method, arguments) = match &step.action {
            Action::Construct { constructor, args } => (constructor, args),
            Action::Invoke { method, args, .. } | Action::InvokeStatic { method, args } => (method, args),
            _ => continue,
        };
        let Some((parameters, _)) = parse_method_descriptor(&method.descriptor) else { continue };
        for (ty, operand) in parameters.into_iter().zip(arguments) {
            let value = match operand {
                Operand::Var(id) => value_of(*id),
                Operand::Literal(_) => None,
            };
            if value.is_some() || matches!(operand, Operand::Literal(it) if *it != Literal::Null) {
                passed.push(PassedArgument { ty, operand: operand.clone(), value });
            }
        }
    }
    passed
}

/// Whether a variable holds a stub, whose results the test has chosen.
fn is_stub(plan: &Plan, var: usize) -> bool {
    plan.steps.iter().any(|step| matches!(step, PlanStep::Stub { var: made, .. } if *made == var))
}
