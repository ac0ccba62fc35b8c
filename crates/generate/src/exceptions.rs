//! Classifies exceptions that end a path: deliberate refusals, likely bugs, and failures of the environment.

use crate::cause::sizes::sizes;
use crate::cause::{cause, nulls};
use crate::driver::PlanDriver;
use cupping_case::{Blame, Cause};
use cupping_coverage::CoverageMap;
use cupping_explore::Path;
use cupping_machine::{Addr, ClassId, Machine, MethodId};
use cupping_term::Model;

/// An instruction in a coverage map: indices of class and method, and the offset.
pub(crate) type MapPlace = (usize, usize, u32);

/// An exception that ended a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThrownException {
    /// Internal name of its class.
    pub class: String,
    /// Where it was created: the innermost frame on the class path.
    pub place: Option<(MethodId, u32)>,
    /// The cause, unless the exception is a deliberate refusal.
    pub cause: Option<Cause>,
}

/// Where an exception was created, with its class.
pub(crate) type Fault = (String, Option<(MethodId, u32)>);

/// How clearly an input shows a fault: by blame, nulls and sizes that may be too small; lower is better.
pub(crate) type Grade = (Option<Blame>, usize, usize);

impl ThrownException {
    /// Classifies the exception that ended the last invocation of a plan.
    pub fn of(machine: &Machine, exception: Addr, driver: &PlanDriver, path: &Path) -> ThrownException {
        let class = machine.class_name_of(exception).to_owned();
        let trace = machine.stack_trace(exception);
        let innermost = trace.first();
        let place = trace
            .iter()
            .find(|row| !machine.class(machine.method(row.method).class).from_jdk)
            .or(innermost)
            .map(|row| (row.method, row.offset));
        let throws = driver.plan.under_test().map(|it| &*it.reference.throws).unwrap_or_default();
        let declared = throws.iter().any(|t| machine.is_named_subtype(machine.class_of(exception), t));
        let is_error = machine.is_named_subtype(machine.class_of(exception), "java/lang/AssertionError");
        let by_machine = machine.registers().raised == exception;
        let in_jdk = innermost.is_some_and(|row| machine.class(machine.method(row.method).class).from_jdk);
        let kind_of_bug = FAILURES.iter().any(|f| machine.is_named_subtype(machine.class_of(exception), f));
        let is_failure = !declared && (is_error || (kind_of_bug && (by_machine || in_jdk)));
        ThrownException { class, place, cause: is_failure.then(|| cause(machine, exception, driver, path)) }
    }

    /// Whether it is not a deliberate refusal.
    pub fn is_failure(&self) -> bool {
        self.cause.is_some()
    }

    /// Its class and place.
    pub(crate) fn fault(&self) -> Fault {
        (self.class.clone(), self.place)
    }

    /// How clearly an input that leads to the fault shows it.
    pub(crate) fn grade(&self, driver: &PlanDriver, model: &Model) -> Grade {
        let plan = &driver.plan;
        (self.cause.as_ref().map(|it| it.blame), nulls(plan), sizes(plan, &driver.slots, model).len())
    }
}

impl ThrownException {
    /// Its class and, if it was created in a class of the map, its place.
    pub fn in_map(&self, machine: &Machine, map: &CoverageMap) -> (String, Option<MapPlace>) {
        let place = self.place.and_then(|(method, offset)| {
            let method = machine.method(method);
            let (class, _) = map.class(&machine.class(method.class).name)?;
            Some((class, method.index, offset))
        });
        (self.class.clone(), place)
    }
}

/// Whether an exception depends on the JVM rather than on the code: memory, natives, or missing classes.
pub fn says_more_of_the_jvm(machine: &Machine, exception: Addr) -> bool {
    is_of_the_jvm(machine, machine.class_of(exception))
}

/// As [`says_more_of_the_jvm`], for exceptions of a class.
pub fn is_of_the_jvm(machine: &Machine, class: ClassId) -> bool {
    let below = |name: &str| machine.is_named_subtype(class, name);
    below("java/lang/OutOfMemoryError")
        || below("java/lang/LinkageError")
        || below("java/lang/InternalError")
        || &*machine.class(class).name == "java/lang/Error"
}

/// The class that is missing from the class path, if an exception says so; an internal name.
pub(crate) fn missing_class(machine: &Machine, exception: Addr) -> Option<String> {
    if machine.class_name_of(exception) != "java/lang/NoClassDefFoundError" {
        return None;
    }
    let name = String::from_utf16(&machine.throwable_message(exception)?).ok()?;
    let is_name = !name.is_empty() && !name.contains([' ', ';', '[']);
    (is_name && matches!(machine.program().find(&name), Ok(None))).then_some(name)
}

/// Exceptions that indicate mistakes if the JVM or JDK throws them on behalf of the code.
const FAILURES: &[&str] = &[
    "java/lang/NullPointerException",
    "java/lang/IndexOutOfBoundsException",
    "java/lang/ArithmeticException",
    "java/lang/ClassCastException",
    "java/lang/NegativeArraySizeException",
    "java/lang/ArrayStoreException",
    "java/lang/StackOverflowError",
    "java/util/NoSuchElementException",
    "java/util/ConcurrentModificationException",
];
