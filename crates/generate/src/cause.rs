//! Who is to blame for an exception: a value that the code computed, or one that the test passed.

mod completion;
mod conditions;
mod contracts;
mod keys;
mod numbers;
mod objects;
mod places;
mod preparation;
pub(crate) mod sizes;

use crate::driver::PlanDriver;
use crate::input::Input;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use crate::source_conditions::SourceConditions;
use conditions::{Lack, is_affine};
use cupping_case::{Blame, Cause, JavaType};
use cupping_classfile::{Action, Constant, Instruction, instructions};
use cupping_explore::{Path, PathDecision};
use cupping_machine::{Addr, ClassId, DecisionKind, Machine, MethodId, ReferenceOrigin, TraceRow};
use cupping_term::TermId;
use preparation::{closed, hidden_call, holds_itself, is_answer, repeated_answer, returns_null};

/// Why the invocation under test failed with this exception. The machine is at the end of the run.
pub(crate) fn cause(machine: &Machine, exception: Addr, driver: &PlanDriver, path: &Path) -> Cause {
    let rows = machine.stack_trace(exception);
    let run = CauseRun { machine, rows: &rows, driver, plan: &driver.plan, path };
    let is = |name: &str| machine.is_named_subtype(machine.class_of(exception), name);
    let found = if is("java/lang/NullPointerException") {
        run.of_null()
    } else if is("java/lang/ClassCastException") || is("java/lang/ArrayStoreException") {
        run.of_type(exception)
    } else if is("java/lang/AssertionError") {
        run.of_assertion()
    } else if is("java/lang/ArithmeticException") {
        run.of_divisor()
    } else if is("java/lang/NegativeArraySizeException") {
        run.of_number(Lack::Room)
    } else if is("java/lang/IndexOutOfBoundsException") {
        run.of_number(Lack::Place)
    } else if is("java/util/NoSuchElementException") {
        run.of_number(Lack::Element)
    } else if is("java/lang/StackOverflowError") {
        run.of_recursion()
    } else {
        None
    };
    let (blame, what) = found.unwrap_or_else(|| (Blame::Defect, run.own(machine.class_name_of(exception))));
    let excuse = match blame {
        Blame::Precondition => None,
        Blame::Defect => hidden_call(machine, &driver.plan)
            .map(|hidden| format!("the test itself calls `{}`, which is not public", called(hidden)))
            .or_else(|| contracts::allowed(machine, exception, &driver.plan))
            .or_else(|| objects::incomplete(machine, driver))
            .or_else(|| completion::not_completed(machine, driver, &run.missed()?))
            .or_else(|| {
                Some(format!("the test goes on after it has called `{}`", called(closed(&driver.plan)?)))
            }),
    };
    match excuse {
        Some(what) => Cause { blame: Blame::Precondition, what: what.into() },
        None => Cause { blame, what: what.into() },
    }
}

/// How many nulls a plan passes.
pub(crate) fn nulls(plan: &Plan) -> usize {
    plan.steps.iter().filter(|step| matches!(step, PlanStep::Input { input: Input::Null, .. })).count()
}

type BlameText = Option<(Blame, String)>;

struct CauseRun<'a> {
    machine: &'a Machine,
    /// The stack trace, innermost first.
    rows: &'a [TraceRow],
    driver: &'a PlanDriver,
    plan: &'a Plan,
    path: &'a Path,
}

impl CauseRun<'_> {
    fn of_null(&self) -> BlameText {
        if self.plan.under_test().is_some_and(|it| it.is_equals()) {
            return Some((Blame::Defect, "`equals` must accept null".into()));
        }
        if self.is_thrown_by("java/util/Objects", "requireNonNull") && !self.passes_null() {
            return Some((
                Blame::Precondition,
                "`requireNonNull` checks a value that the test has not set".into(),
            ));
        }
        let origin = self.missed();
        if let Some((key, by)) = self.missing_key() {
            return Some((
                Blame::Precondition,
                format!("the test passes {key}, for which `{by}` finds nothing"),
            ));
        }
        if !self.passes_null() {
            return match origin {
                Some(ReferenceOrigin::Field(class, name)) if self.waits_for_setter(&class, &name) => Some((
                    Blame::Precondition,
                    format!("the field `{name}` is null until it is set, and the test does not set it"),
                )),
                Some(ReferenceOrigin::Field(class, name)) if self.is_set_elsewhere(&class, &name) => Some((
                    Blame::Precondition,
                    format!("the field `{name}` is set by other code, and the test does not set it"),
                )),
                origin => Some((Blame::Defect, in_words(origin))),
            };
        }
        let arguments = match origin {
            Some(ReferenceOrigin::Argument(argument)) => vec![argument],
            // The JDK throws because of the value that it found to be null, as `requireNonNull` does.
            None => (0..=self.rows.first().map_or(0, |row| self.arity(row.method))).collect(),
            Some(ReferenceOrigin::Null) => return Some((Blame::Defect, in_words(origin))),
            Some(_) => Vec::new(),
        };
        let passed = arguments.into_iter().find_map(|argument| self.passed(argument));
        let name = passed.and_then(|var| self.is_null(var).then(|| self.name(var)).flatten());
        let what =
            name.map_or("the test passes null".into(), |name| format!("the test passes null as {name}"));
        Some((Blame::Precondition, what))
    }

    /// Where the reference comes from that the innermost method found null.
    fn missed(&self) -> Option<ReferenceOrigin> {
        self.machine.null_origin(self.rows.first()?)
    }

    /// How many of the innermost rows are in the JDK: all before the first row of other code.
    fn rows_in_jdk(&self) -> usize {
        let is_in_jdk = |row: &&TraceRow| self.machine.class(self.machine.method(row.method).class).from_jdk;
        self.rows.iter().take_while(is_in_jdk).count()
    }

    /// Whether a method of this class whose name has this prefix threw the exception.
    fn is_thrown_by(&self, class: &str, name: &str) -> bool {
        self.rows.first().is_some_and(|row| {
            let method = self.machine.method(row.method);
            method.name.starts_with(name) && &*self.machine.class(method.class).name == class
        })
    }

    /// The variable that the test passed, if the innermost method received it unchanged through all calls.
    fn passed(&self, argument: usize) -> Option<Var> {
        self.passed_to(0, argument)
    }

    /// As [`CauseRun::passed`], for an argument of the method at this index of the stack trace.
    fn passed_to(&self, place: usize, argument: usize) -> Option<Var> {
        let mut argument = argument;
        for row in self.rows.get(place + 1..)? {
            match self.machine.argument_origin(row, argument)? {
                ReferenceOrigin::Argument(next) => argument = next,
                _ => return None,
            }
        }
        let PlanStep::Call { invokable, arguments, .. } = self.plan.steps.last()? else { return None };
        // The object may be of a subclass that overrides the method.
        let (entered, named) =
            [self.rows.last()?.method, invokable.method].map(|it| self.machine.method(it)).into();
        if entered.name != named.name || entered.descriptor != named.descriptor {
            return None;
        }
        arguments.get(if invokable.is_constructor() { argument.checked_sub(1)? } else { argument }).copied()
    }

    /// The stub result that a condition depends on; the interface's contract is unknown.
    fn answered(&self, condition: TermId) -> Option<String> {
        let passed = self.passed_numbers();
        let variables = self.machine.terms().variables(condition);
        let mut vars = variables.iter().filter_map(|it| passed.get(it)).map(|it| it.var);
        let var = vars.find(|var| is_answer(self.plan, *var))?;
        Some(format!("`{}`", self.plan.variables[var].name))
    }

    /// Whether the test passes null: as such, or as a value that it has from elsewhere.
    fn passes_null(&self) -> bool {
        let last = match self.plan.steps.last() {
            Some(PlanStep::Call { invokable, arguments, .. }) => {
                arguments.get(usize::from(invokable.has_receiver())..).unwrap_or_default()
            }
            _ => &[],
        };
        nulls(self.plan) > 0
            || returns_null(self.machine, self.plan)
            || last.iter().any(|var| self.is_null(*var))
    }

    fn is_null(&self, var: Var) -> bool {
        let is_reference = self.plan.variables.get(var).is_some_and(|it| it.ty.is_reference());
        let value = self.driver.slots.get(var).and_then(|it| it.value);
        is_reference && value.is_some_and(|it| it.as_ref() == 0)
    }

    /// Whether no constructor of a class sets a field, but a method that takes an object does.
    fn waits_for_setter(&self, class: &str, field: &str) -> bool {
        let stores = self.stores(class, field);
        let is_constructed = |row: &&TraceRow| self.machine.method(row.method).name.starts_with('<');
        let is_passed = |row: &&TraceRow| self.machine.method(row.method).descriptor.contains(";)");
        !stores.iter().any(|row| is_constructed(&row)) && stores.iter().any(|row| is_passed(&row))
    }

    /// Whether a class never stores to a field that others may set: another class, or a framework, as
    /// annotations show. A private field that nothing sets is a mistake in the code.
    fn is_set_elsewhere(&self, class: &str, field: &str) -> bool {
        let has_open = |id| {
            let file = self.machine.class(id).file.as_ref();
            let declared = file.and_then(|it| it.field(field));
            declared.is_some_and(|it| !it.access.is_private() || objects::is_annotated(it))
        };
        self.declaring(class).is_some_and(has_open) && self.stores(class, field).is_empty()
    }

    /// A class of this name among those of the methods that the exception left.
    fn declaring(&self, class: &str) -> Option<ClassId> {
        let methods = self.rows.iter().map(|row| self.machine.method(row.method).class);
        let above = |id| std::iter::successors(Some(id), |id| self.machine.class(*id).super_class);
        methods.flat_map(above).find(|id| &*self.machine.class(*id).name == class)
    }

    /// Where a class stores to its field.
    fn stores(&self, class: &str, field: &str) -> Vec<TraceRow> {
        let Some(id) = self.declaring(class) else { return Vec::new() };
        let known = self.machine.class(id);
        let Some(file) = &known.file else { return Vec::new() };
        let is_store = |it: &Instruction| {
            matches!(it.action(), Action::PutField | Action::PutStatic)
                && matches!(it.constant(file), Some(Constant::Field { name, .. }) if name == field)
        };
        let mut stores = Vec::new();
        for method in &known.methods {
            let declared = file.methods.get(self.machine.method(*method).index);
            let Some(Ok(Some(code))) = declared.map(|it| file.code(it)) else { continue };
            let places = instructions(&code.bytecode).flatten().filter(is_store).map(|it| it.pc);
            stores.extend(places.map(|offset| TraceRow { method: *method, offset }));
        }
        stores
    }

    fn of_type(&self, exception: Addr) -> BlameText {
        let row = self.rows.first()?;
        let raw = || {
            Some((
                Blame::Precondition,
                "the test passes an object that the generic declaration excludes".into(),
            ))
        };
        let is_erased = self.plan.steps.iter().any(|step| self.passes_erased(step));
        let method = self.machine.method(row.method);
        if method.access.is_bridge() {
            return raw();
        }
        match self.machine.cast_origin(row) {
            Some(ReferenceOrigin::Argument(argument)) => {
                let var = self.passed(argument);
                let declared = self.plan.under_test().filter(|_| var.is_some());
                let is_generic = declared.is_some_and(|it| is_generic(self.machine, it));
                // `equals(Object)` must accept any object; for other methods, the caller knows what is allowed.
                match var {
                    Some(var) if !is_generic && !self.plan.under_test().is_some_and(|it| it.is_equals()) => {
                        let name = self.name(var).unwrap_or("an argument".into());
                        let what = format!("the test passes an object of another class as {name}");
                        Some((Blame::Precondition, what))
                    }
                    _ if is_generic || (var.is_none() && is_erased) => raw(),
                    _ => None,
                }
            }
            _ if is_erased => raw(),
            _ => {
                let name = self.passed_as_other(exception)?;
                let what = format!("the test passes an object of another class as {name}");
                Some((Blame::Precondition, what))
            }
        }
    }

    /// The parameter of a wider type through which the test has passed an object of the class that a cast rejects.
    /// `equals` must accept any object.
    fn passed_as_other(&self, exception: Addr) -> Option<String> {
        if self.plan.under_test().is_some_and(|it| it.is_equals()) {
            return None;
        }
        let message = String::from_utf16_lossy(&self.machine.throwable_message(exception)?);
        let rejected = message.strip_prefix("class ").or(message.strip_prefix("Cannot cast "))?;
        let rejected = rejected.split(' ').next()?.replace('.', "/");
        let is_rejected = |var: Var| {
            self.driver.object(var).is_some_and(|object| self.machine.class_name_of(object) == rejected)
        };
        self.plan.steps.iter().find_map(|step| {
            let PlanStep::Call { invokable, arguments, .. } = step else { return None };
            let arguments = arguments.iter().skip(usize::from(invokable.has_receiver()));
            let mut wider = arguments
                .zip(&invokable.parameters)
                .filter(|(_, parameter)| parameter.ty != JavaType::class(&rejected));
            self.name(*wider.find(|(var, _)| is_rejected(**var))?.0)
        })
    }

    /// Whether a step passes an object to a parameter whose declared type is a type variable, or makes a stub
    /// return such an object.
    fn passes_erased(&self, step: &PlanStep) -> bool {
        match step {
            PlanStep::Call { invokable, .. } => is_generic(self.machine, invokable),
            PlanStep::Stub { results, .. } => !results.is_empty(),
            _ => false,
        }
    }

    fn of_assertion(&self) -> BlameText {
        if self.passes_null() {
            return Some((Blame::Precondition, "an assertion excludes null, which the test passes".into()));
        }
        let invokable = self.plan.under_test()?;
        let takes_any = !invokable.parameters.is_empty();
        let excluded =
            || Some((Blame::Precondition, "an assertion excludes the arguments of the test".into()));
        let own = self.rows.first()?.method;
        let last = self.last_decision().filter(|taken| taken.site.method == own);
        if takes_any && invokable.is_constructor() {
            // The caller is not responsible for values that a constructor computes.
            let is_computed = last.is_some_and(|it| !is_affine(self.machine, it.constraint));
            return if is_computed && self.has_changed() { None } else { excluded() };
        }
        if takes_any && !self.has_changed() {
            return excluded();
        }
        // Assertions at the start of a method are preconditions for its callers.
        if self.rows.len() == 1 && !invokable.is_constructor() && !self.has_changed() {
            return Some((
                Blame::Precondition,
                "an assertion excludes the state in which the test makes the call".into(),
            ));
        }
        let names = self.numbers_of(last?.constraint)?;
        Some((Blame::Precondition, format!("an assertion excludes the {names} that the test passes")))
    }

    fn of_recursion(&self) -> BlameText {
        if holds_itself(self.plan) {
            return Some((Blame::Precondition, "the test puts an object into itself".into()));
        }
        let asked = repeated_answer(self.machine, self.plan, self.rows)?;
        Some((
            Blame::Precondition,
            format!("the recursion asks `{asked}` of the test's object, whose last answer repeats"),
        ))
    }

    /// Whether the invocation under test has set a field before it failed.
    fn has_changed(&self) -> bool {
        let registers = self.machine.registers();
        registers.definitions.iter().any(|(_, it)| it.invocation == registers.invocation)
    }

    fn of_divisor(&self) -> BlameText {
        if self.rows.first().is_some_and(|row| self.machine.method(row.method).name.ends_with("Exact")) {
            return Some((Blame::Precondition, "exact arithmetic rejects the result".into()));
        }
        let last = self.last_decision().filter(|it| it.kind == DecisionKind::DivisionCheck)?;
        let variables = self.machine.terms().variables(last.constraint).len();
        let names = self.numbers_of(last.constraint).filter(|_| variables == 1)?;
        Some((Blame::Precondition, format!("the test passes the divisor as {names}")))
    }

    /// The last decision that was taken in a method that the exception left. Decisions that the JDK takes while
    /// it composes the message come later and do not count.
    fn last_decision(&self) -> Option<PathDecision> {
        let is_left = |taken: &&PathDecision| self.rows.iter().any(|row| row.method == taken.site.method);
        let in_jdk = |method: MethodId| {
            let known = self.machine.methods().get(method.0 as usize);
            known.is_some_and(|method| self.machine.class(method.class).from_jdk)
        };
        let is_by_jdk = self.rows.first().is_some_and(|row| in_jdk(row.method));
        let decisions = self.path.decisions();
        let is_way =
            |taken: &&PathDecision| taken.kind != DecisionKind::Concretization && !taken.kind.is_required();
        let of_message = |taken: &&PathDecision| is_by_jdk && in_jdk(taken.site.method) && !is_left(taken);
        let last = decisions.iter().rev().filter(is_way).find(|taken| !of_message(taken))?;
        is_left(&last).then_some(*last)
    }

    fn name(&self, var: Var) -> Option<String> {
        parameter_name(self.plan, var)
    }

    fn arity(&self, method: MethodId) -> usize {
        let descriptor = &self.machine.method(method).descriptor;
        cupping_case::parse_method_descriptor(descriptor).map_or(0, |(parameters, _)| parameters.len())
    }

    /// The fault of the code itself, without blame on an input.
    fn own(&self, exception: &str) -> String {
        let shown = self.last_decision().map(|it| SourceConditions::default().text(self.machine, &it, 60));
        let short = exception.rsplit('/').next().unwrap_or_default();
        match (short, shown) {
            ("AssertionError", _) => "an assertion does not hold".into(),
            ("ClassCastException", _) if self.plan.under_test().is_some_and(|it| it.is_equals()) => {
                "`equals` must accept any object".into()
            }
            ("ClassCastException", _) => "the object that it casts is of another class".into(),
            ("ConcurrentModificationException", _) => "it changes a collection while it iterates".into(),
            ("StackOverflowError", _) => "its recursion does not end".into(),
            (_, Some(condition)) => format!("it reaches `{condition}`"),
            (_, None) => "the cause was not traced to the test".into(),
        }
    }
}

/// The parameter to which a variable is passed: `` `index` ``, or `` `size` of Buffer`` in an earlier call.
fn parameter_name(plan: &Plan, var: Var) -> Option<String> {
    let last = plan.steps.len() - 1;
    plan.steps.iter().enumerate().rev().find_map(|(at, step)| {
        let PlanStep::Call { invokable, arguments, .. } = step else { return None };
        let skip = usize::from(invokable.has_receiver());
        let place = arguments.iter().skip(skip).position(|it| *it == var)?;
        let name = &invokable.parameters.get(place)?.name;
        Some(if at == last { format!("`{name}`") } else { format!("`{name}` of {}", called(invokable)) })
    })
}

fn called(invokable: &Invokable) -> String {
    let class = invokable.reference.class.rsplit(['/', '$']).next().unwrap_or_default();
    if invokable.is_constructor() { class.into() } else { format!("{class}.{}", invokable.reference.name) }
}

/// Whether the declared type of a parameter is a type variable or has type arguments.
fn is_generic(machine: &Machine, invokable: &Invokable) -> bool {
    let method = machine.method(invokable.method);
    let file = machine.class(method.class).file.as_ref();
    let signature =
        file.and_then(|file| file.methods.get(method.index)).and_then(|it| it.signature.as_deref());
    let parameters = signature.and_then(|it| it.split_once('(')).map(|(_, rest)| rest);
    let Some((parameters, _)) = parameters.and_then(|it| it.split_once(')')) else { return false };
    let first =
        |it: &str| it.trim_start_matches(['[', 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z']).starts_with('T');
    parameters.contains('<') || parameters.split(';').any(first)
}

fn in_words(origin: Option<ReferenceOrigin>) -> String {
    match origin {
        Some(ReferenceOrigin::Field(_, name)) => format!("the field `{name}` is null"),
        Some(ReferenceOrigin::Element) => "an element is null".into(),
        Some(ReferenceOrigin::Result(_, name)) => format!("`{name}` returns null"),
        Some(ReferenceOrigin::Null | ReferenceOrigin::Argument(_) | ReferenceOrigin::Other) | None => {
            "the code produced the null itself".into()
        }
    }
}
