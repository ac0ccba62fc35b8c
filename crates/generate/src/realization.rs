//! Converts a candidate to a case: runs it with concrete inputs, shortens it, and writes it down.

use crate::candidate::Candidate;
use crate::driver::{PlanDriver, run_concrete};
use crate::environment::speaks_of_environment;
use crate::exceptions::{is_of_the_jvm, says_more_of_the_jvm};
use crate::input::{Input, SourceValue, box_class, literal};
use crate::invokable::is_nameable;
use crate::outcome::InternalError;
use crate::plan::{Plan, PlanStep};
use crate::source_conditions::SourceConditions;
use crate::subclass_bindings::fits_bindings;
use cupping_case::{
    Action, Case, FieldRef, JavaType, Literal, MethodRef, Operand, Outcome, PathNote, Step, VarId, Variable,
};
use cupping_coverage::CoverageMap;
use cupping_explore::InvocationEnd;
use cupping_machine::{Addr, ClassId, Machine, Snapshot, Value};
use std::rc::Rc;

/// Fuel of a run with the inputs of a path, for all invocations together. Each invocation used less than a
/// tenth of it when the path was found.
pub const FUEL: u64 = 40_000_000;
/// Fuel of a trial run with other inputs or without an invocation: it may loop for long.
const TRIAL_FUEL: u64 = 4_000_000;

/// How long a test may sleep or wait, in nanoseconds of the virtual clock.
pub(crate) const LONGEST_TEST: u64 = 1_000_000_000;

/// A candidate after its run with concrete inputs; the machine is at the end of the run.
pub struct Realization {
    /// The shortened sequence.
    pub plan: Rc<Plan>,
    /// Its execution.
    pub driver: PlanDriver,
    /// How it ended.
    pub ended: InvocationEnd,
    /// The probes hit.
    pub hits: Vec<u64>,
    /// Whether the path requires strings and boxes to be fresh objects.
    pub fresh: bool,
    /// Fuel that the run took.
    pub fuel: u64,
}

/// Runs a candidate from the start without symbols and drops unnecessary invocations.
///
/// # Errors
/// A failed self-check: the path found is not the path that ran.
pub fn realize(
    machine: &mut Machine,
    base: &Snapshot,
    map: &CoverageMap,
    candidate: &Candidate,
) -> Result<Realization, InternalError> {
    realize_within(machine, base, map, candidate, FUEL)
}

/// Runs a candidate from the start without symbols, however it ends.
pub(crate) fn run_again(machine: &mut Machine, base: &Snapshot, candidate: &Candidate) {
    let _ = replay(machine, base, candidate, &candidate.plan, false, FUEL);
}

/// As [`realize`], with trial inputs.
///
/// # Errors
///
/// The run ends differently, covers less, or takes too long.
pub fn try_realize(
    machine: &mut Machine,
    base: &Snapshot,
    map: &CoverageMap,
    candidate: &Candidate,
) -> Result<Realization, InternalError> {
    realize_within(machine, base, map, candidate, TRIAL_FUEL)
}

fn realize_within(
    machine: &mut Machine,
    base: &Snapshot,
    map: &CoverageMap,
    candidate: &Candidate,
    fuel: u64,
) -> Result<Realization, InternalError> {
    let again = |machine: &mut Machine, fresh: bool| {
        replay(machine, base, candidate, &candidate.plan, fresh, fuel).map_err(|why| {
            internal(machine, candidate, &format!("the sequence did not run with concrete inputs: {why}"))
        })
    };
    let was = map.covered(&candidate.hits);
    let remembered = candidate.remembered.as_deref();
    let mut first = again(machine, remembered.is_some_and(|it| it.fresh))?;
    let mut gain = map.gain(&was, &map.covered(&first.hits));
    if gain.total() > 0 || !same_end(machine, candidate, &first) {
        first = again(machine, true)?;
        gain = map.gain(&was, &map.covered(&first.hits));
    }
    if gain.total() > 0 || !same_end(machine, candidate, &first) {
        let what = format!(
            "a path found by exploration ran differently with concrete inputs: {:?} then, {:?} now, {} branches lost",
            candidate.ended, first.ended, gain.branches
        );
        return Err(internal(machine, candidate, &what));
    }
    if remembered.is_some() || candidate.keeps_inputs {
        return Ok(first);
    }
    let mut best = first;
    let mut index = candidate.plan.steps.len().saturating_sub(1);
    while index > candidate.plan.setup {
        index -= 1;
        if index >= best.plan.steps.len() || !best.plan.steps[index].is_effect() {
            continue;
        }
        let Some(shorter) = best.plan.without(index).map(Rc::new) else { continue };
        let Ok(run) = replay(machine, base, candidate, &shorter, best.fresh, TRIAL_FUEL) else { continue };
        let lost = map.gain(&was, &map.covered(&run.hits));
        let same_pairs = candidate.pairs.is_subset(&machine.registers().pairs);
        if lost.total() == 0 && same_pairs && same_end(machine, candidate, &run) {
            best = run;
        }
    }
    // Move the machine to the end of the selected run.
    replay(machine, base, candidate, &best.plan.clone(), best.fresh, fuel)
        .map_err(|why| internal(machine, candidate, &format!("the shortened sequence did not run: {why}")))
}

fn replay(
    machine: &mut Machine,
    base: &Snapshot,
    candidate: &Candidate,
    plan: &Rc<Plan>,
    fresh: bool,
    fuel: u64,
) -> Result<Realization, String> {
    machine.restore(base);
    let begun = machine.now();
    match run_concrete(machine, plan, &candidate.driver.slots, &candidate.model, fresh, fuel) {
        // The inputs with which the path was found have been checked; those of a trial are others.
        Ok(_) if fuel == TRIAL_FUEL && machine.now().saturating_sub(begun) > LONGEST_TEST => {
            Err("it sleeps or waits for long".into())
        }
        Ok((driver, ended)) if driver.next + 1 >= plan.steps.len() => {
            let hits = machine.registers().coverage.as_ref().clone();
            let fuel = fuel.saturating_sub(machine.fuel());
            Ok(Realization { plan: plan.clone(), driver, ended, hits, fresh, fuel })
        }
        Ok((driver, ended)) => {
            let text = match &ended {
                InvocationEnd::Threw(exception) => machine.describe_throwable(*exception),
                other => format!("{other:?}"),
            };
            Err(format!("step {} of {} ended with {text}", driver.next + 1, plan.steps.len()))
        }
        Err(trap) => Err(machine.describe_trap(&trap)),
    }
}

fn same_end(machine: &Machine, candidate: &Candidate, run: &Realization) -> bool {
    match (&run.ended, &candidate.thrown) {
        (InvocationEnd::Returned(_), None) => true,
        (InvocationEnd::Threw(exception), Some(thrown)) => machine.class_name_of(*exception) == thrown.class,
        _ => false,
    }
}

fn internal(machine: &Machine, candidate: &Candidate, message: &str) -> InternalError {
    InternalError { message: message.to_owned(), reproduction: describe(machine, candidate) }
}

/// The sequence and its inputs as text.
fn describe(machine: &Machine, candidate: &Candidate) -> String {
    let mut text = String::new();
    for step in &candidate.plan.steps {
        text += &match step {
            PlanStep::Input { input, var } => {
                let stated =
                    match literal(machine, input, &candidate.driver.slots[*var].symbols, &candidate.model) {
                        SourceValue::Literal(literal) => format!("{literal:?}"),
                        SourceValue::Elements(ty, elements) => format!("{ty}[] {elements:?}"),
                        SourceValue::TextBytes(text) => {
                            format!("{:?}.getBytes()", String::from_utf16_lossy(&text))
                        }
                    };
                format!("v{var} = {stated}\n")
            }
            PlanStep::TestFolder { var } => format!("v{var} = the test's folder\n"),
            PlanStep::NewArray { elements, var, .. } => format!("v{var} = array of {elements:?}\n"),
            PlanStep::Stub { stub, results, var } => {
                format!("v{var} = stub of {} {results:?}\n", machine.class(stub.interface).name)
            }
            PlanStep::StaticField { field, var } => {
                let class = machine.class(field.0);
                format!("v{var} = {}.{}\n", class.name, class.fields[field.1].name)
            }
            PlanStep::GetField { field, object, var } => {
                let field = &machine.class(field.0).fields[field.1].name;
                format!("v{var} = field {field} of v{object}\n")
            }
            PlanStep::SetField { name, operands, .. } => format!("field {name} of {operands:?}\n"),
            PlanStep::Call { invokable, arguments, result, .. } => format!(
                "{:?} = {}.{}{} {arguments:?}\n",
                result, invokable.reference.class, invokable.reference.name, invokable.reference.descriptor
            ),
        };
    }
    for taken in candidate.path.decisions() {
        text += &format!("; {}\n", machine.terms().display(taken.constraint, 300));
    }
    text
}

/// Writes down a case without assertions. Variables that the case keeps are given by their index in the plan.
pub fn write_down(
    machine: &mut Machine,
    candidate: &Candidate,
    realized: &Realization,
    package: &str,
) -> Option<(Case, Vec<Option<VarId>>)> {
    let plan = &realized.plan;
    let invokable = plan.under_test()?.clone();
    if !plan.steps.iter().all(|step| fits_bindings(machine, plan, step)) {
        return None;
    }
    let mut writer = Writer {
        machine,
        candidate,
        plan,
        fresh: realized.fresh,
        operands: vec![None; plan.variables.len()],
        ids: vec![None; plan.variables.len()],
        variables: Vec::new(),
        steps: Vec::new(),
    };
    let mut caught = Vec::new();
    for (at, step) in plan.steps.iter().enumerate() {
        writer.step(step)?;
        if let Some((_, class)) = realized.driver.caught.iter().find(|(step, _)| *step == at) {
            let class = nameable(writer.machine, *class, package);
            caught.push((writer.steps.len() - 1, Box::from(&*writer.machine.class(class).name)));
        }
    }
    let Writer { variables, steps, ids, .. } = writer;
    if steps.iter().any(|step| texts(&step.action).any(speaks_of_environment)) {
        return None;
    }
    // Whoever runs the test may have the class that is missing here, or more memory.
    let ends_by_jvm = match &realized.ended {
        InvocationEnd::Threw(exception) => says_more_of_the_jvm(machine, *exception),
        _ => false,
    };
    if ends_by_jvm || realized.driver.caught.iter().any(|(_, class)| is_of_the_jvm(machine, *class)) {
        return None;
    }
    let outcome = match &realized.ended {
        InvocationEnd::Threw(exception) => outcome_of(machine, *exception, package),
        _ => Outcome::Returned,
    };
    let case = Case {
        under_test: invokable.reference.clone(),
        variables,
        steps,
        outcome,
        assertions: Vec::new(),
        distinction: String::new(),
        path: path_notes(machine, candidate),
        name: None,
        restores: Vec::new(),
        empties: Vec::new(),
        cause: candidate.thrown.as_ref().and_then(|it| it.cause.clone()),
        effects: machine.effects_at_exit(),
        purpose: Vec::new(),
        caught,
    };
    Some((case, ids))
}

struct Writer<'a> {
    machine: &'a Machine,
    candidate: &'a Candidate,
    plan: &'a Plan,
    fresh: bool,
    operands: Vec<Option<Operand>>,
    ids: Vec<Option<VarId>>,
    variables: Vec<Variable>,
    steps: Vec<Step>,
}

impl Writer<'_> {
    fn step(&mut self, step: &PlanStep) -> Option<()> {
        match step {
            PlanStep::Input { input, var } => {
                let symbols = &self.candidate.driver.slots[*var].symbols;
                match literal(self.machine, input, symbols, &self.candidate.model) {
                    SourceValue::Literal(literal) if self.fresh && matches!(input, Input::String { .. }) => {
                        let args = vec![Operand::Literal(literal)];
                        let constructor = copy_constructor("java/lang/String", "Ljava/lang/String;");
                        self.action(Action::Construct { constructor, args }, Some(*var));
                    }
                    SourceValue::Literal(Literal::Boxed(literal)) if self.fresh => {
                        let Input::Boxed(kind) = input else { return None };
                        let constructor = copy_constructor(box_class(*kind), &kind.letter().to_string());
                        let args = vec![Operand::Literal(*literal)];
                        self.action(Action::Construct { constructor, args }, Some(*var));
                    }
                    SourceValue::Literal(literal) => self.operands[*var] = Some(Operand::Literal(literal)),
                    SourceValue::TextBytes(text) => {
                        let receiver = Operand::Literal(Literal::String(text));
                        let action = Action::Invoke { method: get_bytes(), receiver, args: Vec::new() };
                        self.action(action, Some(*var));
                    }
                    SourceValue::Elements(element, elements) => {
                        let elements = elements.into_iter().map(Operand::Literal).collect();
                        self.action(Action::NewArray { element, elements }, Some(*var));
                    }
                }
            }
            PlanStep::TestFolder { var } => self.action(Action::TestFolder, Some(*var)),
            PlanStep::NewArray { element, elements, var } => {
                let element = JavaType::parse(&self.machine.descriptor_of(*element))?;
                let elements = elements.iter().map(|e| self.operands[*e].clone()).collect::<Option<_>>()?;
                self.action(Action::NewArray { element, elements }, Some(*var));
            }
            PlanStep::Stub { stub, results, var } => {
                let results: Option<Vec<Operand>> =
                    results.iter().map(|r| self.operands[*r].clone()).collect();
                self.action(stub.write_down(self.machine, None, Vec::new(), &results?), Some(*var));
            }
            PlanStep::StaticField { field, var } => {
                let class = self.machine.class(field.0);
                let name = &class.fields[field.1].name;
                let literal = Literal::Constant { class: Box::from(&*class.name), field: Box::from(&**name) };
                self.operands[*var] = Some(Operand::Literal(literal));
            }
            PlanStep::GetField { field, object, var } => {
                let receiver = self.operands[*object].clone();
                self.action(Action::GetField { field: self.field(*field)?, receiver }, Some(*var));
            }
            PlanStep::SetField { field, operands, .. } => {
                let field = self.field(*field)?;
                let mut operands: Vec<Operand> =
                    operands.iter().map(|v| self.operands[*v].clone()).collect::<Option<_>>()?;
                let value = operands.pop()?;
                self.action(Action::SetField { field, receiver: operands.pop(), value }, None);
            }
            PlanStep::Call { invokable, arguments, result, .. } => {
                let mut args =
                    arguments.iter().map(|a| self.operands[*a].clone()).collect::<Option<Vec<_>>>()?;
                let method = invokable.reference.clone();
                let action = if let Some(stub) = &invokable.stub {
                    let results = args.split_off(args.len() - stub.returning().count());
                    stub.write_down(self.machine, Some(method), args, &results)
                } else if invokable.is_constructor() {
                    Action::Construct { constructor: method, args }
                } else if invokable.is_static {
                    Action::InvokeStatic { method, args }
                } else {
                    let receiver = args.remove(0);
                    Action::Invoke { method, receiver, args }
                };
                self.action(action, *result);
            }
        }
        Some(())
    }

    fn field(&self, (class, index): (cupping_machine::ClassId, usize)) -> Option<FieldRef> {
        let class = self.machine.class(class);
        let declared = &class.fields[index];
        Some(FieldRef {
            class: Box::from(&*class.name),
            name: Box::from(&*declared.name),
            ty: JavaType::parse(&declared.descriptor)?,
        })
    }

    fn action(&mut self, action: Action, result: Option<usize>) {
        let id = result.map(|var| {
            let id = VarId(self.variables.len() as u32);
            self.variables.push(Variable { ty: self.plan.variables[var].ty.clone() });
            self.operands[var] = Some(Operand::Var(id));
            self.ids[var] = Some(id);
            id
        });
        self.steps.push(Step { action, result: id });
    }
}

/// The constructor of a class with one parameter of this type.
fn copy_constructor(class: &str, descriptor: &str) -> MethodRef {
    MethodRef {
        class: class.into(),
        name: "<init>".into(),
        descriptor: format!("({descriptor})V").into(),
        varargs: false,
        throws: Vec::new(),
        parameter_names: Vec::new(),
    }
}

/// The string literals of an action.
fn texts(action: &Action) -> impl Iterator<Item = &[u16]> {
    let operands: Vec<&Operand> = match action {
        Action::Construct { args, .. }
        | Action::InvokeStatic { args, .. }
        | Action::Implement { args, .. } => args.iter().collect(),
        Action::Invoke { receiver, args, .. } => args.iter().chain([receiver]).collect(),
        Action::NewArray { elements, .. } => elements.iter().collect(),
        Action::SetField { value, .. } | Action::SetElement { value, .. } => vec![value],
        Action::Allocate { .. } | Action::TestFolder | Action::GetField { .. } => Vec::new(),
    };
    operands.into_iter().filter_map(|operand| match operand {
        Operand::Literal(Literal::String(text)) => Some(text.as_slice()),
        _ => None,
    })
}

/// `String.getBytes()`
fn get_bytes() -> MethodRef {
    MethodRef {
        class: "java/lang/String".into(),
        name: "getBytes".into(),
        descriptor: "()[B".into(),
        varargs: false,
        throws: Vec::new(),
        parameter_names: Vec::new(),
    }
}

/// The exception that a test expects: its class, or the nearest superclass that the test can name; and its
/// message, if the code under test composed it rather than the JDK.
pub fn outcome_of(machine: &mut Machine, exception: Addr, package: &str) -> Outcome {
    let class = nameable(machine, machine.class_of(exception), package);
    let is_volatile = machine.registers().volatile_reads > 0;
    let message = if is_volatile { None } else { message_of(machine, exception) };
    Outcome::Threw { class: Box::from(&*machine.class(class).name), message }
}

/// A class, or the nearest superclass that tests in a package can name.
fn nameable(machine: &Machine, mut class: ClassId, package: &str) -> ClassId {
    while !is_nameable(machine, class, package) {
        match machine.class(class).super_class {
            Some(parent) => class = parent,
            None => break,
        }
    }
    class
}

/// The message of an exception, if the code under test composed it rather than the JDK.
pub fn message_of(machine: &mut Machine, exception: Addr) -> Option<Vec<u16>> {
    let is_made_by_code = machine.registers().raised != exception
        && machine
            .stack_trace(exception)
            .first()
            .is_some_and(|row| !machine.class(machine.method(row.method).class).from_jdk);
    if !is_made_by_code {
        return None;
    }
    message_by_getter(machine, exception).filter(|it| !speaks_of_environment(it))
}

/// What `getMessage` of an exception returns, which its class may have redefined. Nothing if that fails, or reads what
/// differs from run to run.
fn message_by_getter(machine: &mut Machine, exception: Addr) -> Option<Vec<u16>> {
    let class = machine.class_of(exception);
    let says = machine.find_method(class, "getMessage", "()Ljava/lang/String;")?;
    if &*machine.class(machine.method(says).class).name == "java/lang/Throwable" {
        return machine.throwable_message(exception);
    }
    machine.aside(TRIAL_FUEL, |machine| {
        let reads = machine.registers().volatile_reads;
        let text = machine.call(says, &[Value::reference(exception)]).ok()?.as_ref();
        let is_stable = machine.registers().volatile_reads == reads;
        (is_stable && text != 0).then(|| machine.string_units(text))
    })
}

/// The path condition in the code under test, in order.
fn path_notes(machine: &mut Machine, candidate: &Candidate) -> Vec<PathNote> {
    let mut notes = Vec::new();
    let mut conditions = SourceConditions::default();
    for taken in candidate.path.decisions() {
        let known = machine.methods().get(taken.site.method.0 as usize);
        let Some(method) = known.filter(|m| !machine.class(m.class).from_jdk) else { continue };
        let class = machine.class(method.class).name.clone();
        let place = format!("{}.{}", class.rsplit(['/', '$']).next().unwrap_or(&class), method.name);
        let offset = match &method.body {
            cupping_machine::MethodBody::Code(code) => code.offsets.get(taken.site.at as usize).copied(),
            _ => None,
        };
        let line = offset.and_then(|offset| machine.line_of(taken.site.method, offset));
        notes.push(PathNote { place, line, constraint: conditions.text(machine, &taken, 120) });
    }
    notes
}
