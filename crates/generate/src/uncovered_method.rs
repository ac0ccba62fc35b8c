//! Explains why lines and branches of a method are not covered.
//!
//! The search records what goes wrong with each invocation ([`Losses`]). At the end, each method that is not
//! covered is explained by the losses of the invocations that run it.

use crate::influence::Influence;
use crate::input::Input;
use crate::invokable::{Invokable, Subject};
use crate::provisions::Provision;
use cupping_classfile::FieldType;
use cupping_coverage::CoverageMap;
use cupping_explore::InvocationEnd;
use cupping_machine::{Halt, Kind, Machine, MethodId};
use std::collections::{BTreeMap, BTreeSet};

/// A method that is not fully covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncoveredMethod {
    /// Internal name of its class: the class under test, or a nested class that no test can name.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The main cause.
    pub cause: Cause,
    /// Details: a type, a native method; may be empty.
    pub detail: String,
}

/// Causes of missing coverage, most specific first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// No method that a test may call runs it.
    NotCallable,
    /// No object of the class could be created.
    NoReceiver,
    /// Runs would affect more than the test's own folder: a path, a socket, a process.
    Withheld,
    /// The machine lacks a native method or other support.
    Unsupported,
    /// Only `null` is known for a parameter.
    OnlyNull,
    /// The arguments could not be created, or creating them never returned.
    NoArguments,
    /// Runs exceeded the limit on steps or decisions.
    TooLong,
    /// The solver gave up on branches.
    SolverGaveUp,
    /// The budget ended with more to try.
    Budget,
    /// Every call that was tried ended with an exception.
    Throws,
    /// Everything within the limits on sequences, lengths and values has been tried.
    Exhausted,
}

impl Cause {
    /// The cause as text.
    pub fn text(self) -> &'static str {
        match self {
            Cause::NotCallable => "nothing that tests may call calls it",
            Cause::NoReceiver => "no object of the class could be created",
            Cause::Withheld => "tests that access more than their own folder",
            Cause::Unsupported => "not supported by the machine",
            Cause::OnlyNull => "only null for a parameter",
            Cause::NoArguments => "arguments could not be created",
            Cause::TooLong => "runs that take too long",
            Cause::SolverGaveUp => "the solver gave up",
            Cause::Budget => "the budget was spent",
            Cause::Throws => "all calls that were tried threw",
            Cause::Exhausted => "nothing left to try within the limits",
        }
    }
}

/// Losses of one invocation.
#[derive(Clone, Debug, Default)]
struct Tally {
    returned: u64,
    /// The classes of exceptions that calls ended with, by internal name.
    thrown: BTreeSet<String>,
    not_begun: u64,
    too_long: u64,
    time_outs: u64,
    waiting: u64,
    unsupported: Option<String>,
    withheld: Option<String>,
    only_null: Option<String>,
}

/// Losses of all invocations of a search.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    tallies: BTreeMap<MethodId, Tally>,
}

impl Losses {
    /// Records that these are all known assignments of an invocation's parameters.
    pub fn assignments(&mut self, invokable: &Invokable, assignments: &[Vec<Provision>]) {
        let is_null = |provision: &Provision| matches!(provision, Provision::Input(Input::Null));
        let only_null = invokable.parameters.iter().enumerate().find(|(at, parameter)| {
            parameter.kind == Kind::Reference && assignments.iter().all(|it| it.get(*at).is_none_or(is_null))
        });
        let tally = self.tallies.entry(invokable.method).or_default();
        if let Some((_, parameter)) = only_null {
            tally.only_null = FieldType::parse(&parameter.ty.descriptor()).map(|it| it.java_name());
        }
    }

    /// Records that an invocation could not start.
    pub fn not_begun(&mut self, method: MethodId) {
        self.tallies.entry(method).or_default().not_begun += 1;
    }

    /// Records how an invocation ended.
    pub fn ended(&mut self, machine: &Machine, method: MethodId, ended: &InvocationEnd) {
        if let InvocationEnd::Threw(exception) = ended {
            self.threw(method, machine.class_name_of(*exception));
        }
        let tally = self.tallies.entry(method).or_default();
        match ended {
            InvocationEnd::Halted(Halt::Unsupported(what)) => tally.unsupported = Some(what.clone()),
            InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions => tally.too_long += 1,
            InvocationEnd::Returned(_) => tally.returned += 1,
            InvocationEnd::Threw(_) => {}
        }
    }

    /// Records that an invocation ended with an exception of this class.
    fn threw(&mut self, method: MethodId, class: &str) {
        self.tallies.entry(method).or_default().thrown.insert(class.to_owned());
    }

    /// Records that an invocation slept or waited longer than a test may.
    pub fn took_long(&mut self, method: MethodId) {
        self.tallies.entry(method).or_default().too_long += 1;
    }

    /// Records an unsafe effect of an invocation.
    pub fn withheld(&mut self, method: MethodId, what: String) {
        self.tallies.entry(method).or_default().withheld.get_or_insert(what);
    }

    /// Records the number of sides on which the solver gave up.
    pub fn time_outs(&mut self, method: MethodId, sides: u64) {
        self.tallies.entry(method).or_default().time_outs += sides;
    }

    /// Records that an invocation was not fully explored.
    pub fn waiting(&mut self, method: MethodId) {
        self.tallies.entry(method).or_default().waiting += 1;
    }

    /// The uncovered methods of the map's classes, with causes.
    pub fn unreached(
        &self,
        machine: &mut Machine,
        influence: &mut Influence,
        subject: &Subject,
        map: &CoverageMap,
        hits: &[u64],
    ) -> Vec<UncoveredMethod> {
        // Computed once for all methods: the methods that each invocation under test runs.
        let runs: Vec<_> = subject
            .under_test
            .iter()
            .chain(&subject.makers)
            .map(|it| (it, influence.effects(machine, subject.class, it.method)))
            .collect();
        let mut found = Vec::new();
        for class in map.classes() {
            let Ok(id) = machine.load(&class.name) else { continue };
            let methods = machine.class(id).methods.clone();
            for method in class.coverage(hits).methods {
                if method.counters.lines.missed
                    + method.counters.branches.missed
                    + method.counters.instructions.missed
                    == 0
                {
                    continue;
                }
                let own = methods.iter().copied().find(|it| machine.method(*it).index == method.index);
                let callers = runs.iter().filter(|(caller, effects)| {
                    own.is_some_and(|own| caller.method == own || effects.runs.contains(&own))
                });
                let (cause, mut detail) = self.cause(&callers.map(|(it, _)| &***it).collect::<Vec<_>>());
                if cause == Cause::NoReceiver {
                    detail = self.of_makers(subject);
                }
                found.push(UncoveredMethod {
                    class: class.name.to_string(),
                    name: method.name.to_string(),
                    descriptor: method.descriptor.to_string(),
                    cause,
                    detail,
                });
            }
        }
        found
    }

    /// What became of the calls that might have made an object.
    fn of_makers(&self, subject: &Subject) -> String {
        let tallies = || subject.makers.iter().filter_map(|it| self.tallies.get(&it.method));
        let thrown: BTreeSet<&String> = tallies().flat_map(|it| &it.thrown).collect();
        if !thrown.is_empty() {
            return format!("calls of constructors and factories threw {}", listed(thrown));
        }
        if tallies().any(|it| it.not_begun > 0) {
            "the arguments of its constructors could not be created".into()
        } else {
            String::new()
        }
    }

    /// The main cause for a method that these invocations run.
    fn cause(&self, callers: &[&Invokable]) -> (Cause, String) {
        if callers.is_empty() {
            return (Cause::NotCallable, String::new());
        }
        let tallies: Vec<&Tally> = callers.iter().filter_map(|it| self.tallies.get(&it.method)).collect();
        if tallies.is_empty() {
            return (Cause::NoReceiver, String::new());
        }
        let text = |pick: fn(&Tally) -> Option<&String>| tallies.iter().find_map(|it| pick(it)).cloned();
        let any = |pick: fn(&Tally) -> bool| tallies.iter().any(|it| pick(it));
        if let Some(what) = text(|it| it.withheld.as_ref()) {
            return (Cause::Withheld, what);
        }
        if let Some(what) = text(|it| it.unsupported.as_ref()) {
            return (Cause::Unsupported, what);
        }
        if let Some(ty) = text(|it| it.only_null.as_ref()) {
            return (Cause::OnlyNull, ty);
        }
        let has_run = any(Tally::has_run);
        let causes = [
            (!has_run && any(|it| it.not_begun > 0), Cause::NoArguments),
            (any(|it| it.too_long > 0), Cause::TooLong),
            (any(|it| it.time_outs > 0), Cause::SolverGaveUp),
            (any(|it| it.waiting > 0), Cause::Budget),
        ];
        if let Some((_, cause)) = causes.into_iter().find(|(applies, _)| *applies) {
            return (cause, String::new());
        }
        if has_run && !any(|it| it.returned > 0) {
            return (Cause::Throws, listed(tallies.iter().flat_map(|it| &it.thrown).collect()));
        }
        (Cause::Exhausted, String::new())
    }
}

impl Tally {
    /// Whether a call has ended.
    fn has_run(&self) -> bool {
        self.returned > 0 || !self.thrown.is_empty()
    }
}

/// Names of classes, as in source.
fn listed(classes: BTreeSet<&String>) -> String {
    let names: Vec<String> = classes.into_iter().map(|it| it.replace('/', ".")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invokable::Parameter;
    use crate::testing::lab;
    use cupping_case::{JavaType, MethodRef};
    use cupping_machine::{ClassId, Value};

    /// A static method with one parameter of this type.
    fn invokable(number: u32, ty: JavaType) -> Invokable {
        let kind = crate::invokable::kind_of(&ty);
        Invokable {
            method: MethodId(number),
            class: ClassId(0),
            parameters: vec![Parameter { kind, ty, name: "it".into(), is_outer: false, generic: None }],
            result: JavaType::Void,
            reference: MethodRef {
                class: "Box".into(),
                name: "put".into(),
                descriptor: "(I)V".into(),
                varargs: false,
                throws: Vec::new(),
                parameter_names: Vec::new(),
            },
            is_static: true,
            stub: None,
        }
    }

    fn cause_of(losses: &Losses, callers: &[&Invokable]) -> Cause {
        losses.cause(callers).0
    }

    #[test]
    fn a_method_without_callers_is_not_callable() {
        let losses = Losses::default();
        assert_eq!(cause_of(&losses, &[]), Cause::NotCallable);
        assert_eq!(cause_of(&losses, &[&invokable(1, JavaType::Int)]), Cause::NoReceiver);
    }

    #[test]
    fn missing_arguments_matter_only_if_no_call_has_run() {
        let (one, other) = (invokable(1, JavaType::Int), invokable(2, JavaType::Int));
        let (_folder, machine) = lab("class Samples { }");
        let mut losses = Losses::default();
        losses.not_begun(one.method);
        assert_eq!(cause_of(&losses, &[&one]), Cause::NoArguments);
        losses.ended(&machine, other.method, &InvocationEnd::Returned(Value::concrete(0)));
        assert_eq!(cause_of(&losses, &[&one, &other]), Cause::Exhausted);
        losses.waiting(other.method);
        assert_eq!(cause_of(&losses, &[&one, &other]), Cause::Budget);
        losses.time_outs(one.method, 0);
        assert_eq!(cause_of(&losses, &[&one, &other]), Cause::Budget, "no side timed out");
        losses.time_outs(one.method, 1);
        assert_eq!(cause_of(&losses, &[&one, &other]), Cause::SolverGaveUp);
        losses.ended(&machine, one.method, &InvocationEnd::Halted(Halt::OutOfFuel));
        assert_eq!(cause_of(&losses, &[&one, &other]), Cause::TooLong);
    }

    #[test]
    fn what_a_user_can_change_is_named_first() {
        let one = invokable(1, JavaType::class("p/Seat"));
        let (_folder, machine) = lab("class Samples { }");
        let mut losses = Losses::default();
        losses.waiting(one.method);
        losses.assignments(&one, &[vec![Provision::Input(Input::Null)]]);
        assert_eq!(losses.cause(&[&one]), (Cause::OnlyNull, "p.Seat".into()));
        losses.ended(&machine, one.method, &InvocationEnd::Halted(Halt::Unsupported("a modem".into())));
        assert_eq!(losses.cause(&[&one]), (Cause::Unsupported, "a modem".into()));
        losses.withheld(one.method, "reads /etc".into());
        losses.withheld(one.method, "reads /home".into());
        assert_eq!(losses.cause(&[&one]), (Cause::Withheld, "reads /etc".into()));
    }

    #[test]
    fn a_parameter_with_another_choice_is_not_only_null() {
        let one = invokable(1, JavaType::class("p/Seat"));
        let mut losses = Losses::default();
        let null = vec![Provision::Input(Input::Null)];
        losses.assignments(&one, &[null, vec![Provision::Input(Input::string(3))]]);
        assert_eq!(cause_of(&losses, &[&one]), Cause::Exhausted);
    }

    #[test]
    fn calls_that_only_throw_say_what() {
        let one = invokable(1, JavaType::Int);
        let mut losses = Losses::default();
        losses.threw(one.method, "java/lang/NullPointerException");
        losses.threw(one.method, "java/io/IOException");
        let both = "java.io.IOException, java.lang.NullPointerException";
        assert_eq!(losses.cause(&[&one]), (Cause::Throws, both.into()));
        let (_folder, machine) = lab("class Samples { }");
        losses.ended(&machine, one.method, &InvocationEnd::Returned(Value::concrete(0)));
        assert_eq!(cause_of(&losses, &[&one]), Cause::Exhausted);
    }
}
