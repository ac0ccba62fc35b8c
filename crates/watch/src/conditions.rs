//! Loads the compiled conditions of a specification into a machine and evaluates them there.

use crate::old_value::OldValue;
use cupping_contract::{CompiledCase, CompiledSpecifications, CompiledTriple};
use cupping_machine::{CallEnd, ClassId, Halt, Kind, Machine, MethodId, Value};
use rustc_hash::FxHashMap;

/// Defines the condition classes on a machine. They have no static initialisers, so they count as initialised
/// at once.
///
/// # Errors
/// The machine rejects a class.
pub fn define(machine: &mut Machine, compiled: &CompiledSpecifications) -> Result<(), String> {
    for (name, bytes) in &compiled.classes {
        if let Err(trap) = machine.define_privileged(bytes) {
            return Err(format!(
                "the class {name}, compiled from conditions: {}",
                machine.describe_trap(&trap)
            ));
        }
    }
    Ok(())
}

/// The words of a condition that follow a dot and do not precede one: the fields that it may read.
pub fn field_names(text: &str) -> Vec<String> {
    let tokens = cupping_contract::tokens(text);
    let word = |at: usize| tokens.get(at).map_or("", |it| &text[it.span.start..it.span.end]);
    (1..tokens.len())
        .filter(|at| word(at - 1) == "." && word(at + 1) != "(")
        .map(|at| word(at).to_owned())
        .collect()
}

/// The methods of a testcase's class.
pub(crate) struct CaseClass {
    pub(crate) class: ClassId,
    methods: FxHashMap<String, MethodId>,
}

impl CaseClass {
    pub(crate) fn of(machine: &mut Machine, case: &CompiledCase) -> Result<CaseClass, String> {
        let class = match machine.initialize_now(&case.class) {
            Ok(class) => class,
            Err(trap) => return Err(machine.describe_trap(&trap)),
        };
        let methods = machine.class(class).methods.clone();
        let methods = methods.into_iter().map(|id| (machine.method(id).name.to_string(), id)).collect();
        Ok(CaseClass { class, methods })
    }

    pub(crate) fn method(&self, name: &str) -> Option<MethodId> {
        self.methods.get(name).copied()
    }

    /// Runs one of the methods.
    pub(crate) fn ask(
        &self,
        machine: &mut Machine,
        name: &str,
        arguments: &[Value],
    ) -> Result<CallEnd, Halt> {
        match self.method(name) {
            Some(method) => machine.ask(method, arguments),
            None => Err(Halt::Unsupported(format!("a condition without {name}"))),
        }
    }

    /// The value of a variable.
    pub(crate) fn variable(&self, machine: &Machine, name: &str) -> Value {
        Value::concrete(machine.static_field(self.class, name).unwrap_or(0))
    }
}

/// The truth value of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Holds,
    Fails,
    /// The condition threw or did not end, for this reason.
    Open(String),
}

impl Truth {
    /// The truth of a suite's predicate on values other than the test's: only a failed assertion counts
    /// against it.
    pub(crate) fn of_predicate(machine: &Machine, answer: Result<CallEnd, Halt>) -> Truth {
        match answer {
            Ok(CallEnd::Threw(thrown)) => {
                let mut at = Some(machine.class_of(thrown));
                let mut classes = std::iter::from_fn(|| {
                    let class = machine.class(at?);
                    at = class.super_class;
                    Some(class.name.clone())
                });
                match classes.any(|name| &*name == "java/lang/AssertionError") {
                    true => Truth::Fails,
                    false => Truth::of(machine, Ok(CallEnd::Threw(thrown))),
                }
            }
            answer => Truth::of_assertions(machine, answer),
        }
    }

    /// The truth of a test's assertions: they hold if the code runs to its end.
    pub(crate) fn of_assertions(machine: &Machine, answer: Result<CallEnd, Halt>) -> Truth {
        match answer {
            Ok(CallEnd::Returned(_)) => Truth::Holds,
            Ok(CallEnd::Threw(thrown)) => {
                // A failure to link or create something in this setting says nothing about the program.
                let mut at = Some(machine.class_of(thrown));
                let is_ours = std::iter::from_fn(|| {
                    let class = machine.class(at?);
                    at = class.super_class;
                    Some(class.name.clone())
                })
                .any(|name| matches!(&*name, "java/lang/LinkageError" | "java/lang/VirtualMachineError"));
                if is_ours { Truth::of(machine, Ok(CallEnd::Threw(thrown))) } else { Truth::Fails }
            }
            Err(halt) => Truth::of(machine, Err(halt)),
        }
    }

    /// The truth of a condition that returned this value.
    pub(crate) fn of_bits(value: Value) -> Truth {
        if value.bits & 1 != 0 { Truth::Holds } else { Truth::Fails }
    }

    pub(crate) fn of(machine: &Machine, answer: Result<CallEnd, Halt>) -> Truth {
        match answer {
            Ok(CallEnd::Returned(value)) => Truth::of_bits(value),
            Ok(CallEnd::Threw(thrown)) => {
                let class = machine.class_name_of(thrown).replace('/', ".");
                let message = machine.throwable_message(thrown);
                let message =
                    message.map_or(String::new(), |it| format!(": {}", String::from_utf16_lossy(&it)));
                Truth::Open(format!("the condition threw {class}{message}"))
            }
            Err(Halt::Arrived(_)) => Truth::Open("the condition was paused".into()),
            Err(Halt::OutOfFuel) => Truth::Open("the condition did not end".into()),
            Err(Halt::Unsupported(what)) => Truth::Open(what),
            Err(Halt::Exit(_)) => Truth::Open("the condition exited the program".into()),
            Err(Halt::Deadlock(_)) => Truth::Open("the condition blocked on another thread".into()),
        }
    }
}

/// Evaluates an expression and captures its value as an old value. Call this on a fork.
pub(crate) fn past(
    machine: &mut Machine,
    class: &CaseClass,
    name: &str,
    variables: &[Value],
) -> Result<OldValue, String> {
    let kind = class.method(name).map_or(Kind::Void, |it| machine.method(it).result);
    match class.ask(machine, name, variables) {
        Ok(CallEnd::Returned(value)) => Ok(OldValue::of(machine, kind, value)),
        Ok(CallEnd::Threw(thrown)) => Err(machine.describe_throwable(thrown)),
        Err(halt) => Err(describe(&halt)),
    }
}

/// Appends the values of `old` and `modifies` to the arguments of a postcondition. Call this on a fork.
pub(crate) fn push_past(
    machine: &mut Machine,
    class: &CaseClass,
    triple: &CompiledTriple,
    variables: &[Value],
    past: &[OldValue],
    arguments: &mut Vec<Value>,
) {
    let (old, modifies) = past.split_at(triple.old.len().min(past.len()));
    for it in old {
        let value = it.value(machine);
        arguments.push(value);
    }
    for ((name, is_object), before) in triple.modifies.iter().zip(modifies) {
        let changed = if *is_object {
            before.is_changed_itself(machine)
        } else {
            let now = class.ask(machine, name, variables);
            !matches!(now, Ok(CallEnd::Returned(value)) if value.bits == before.bits())
        };
        arguments.push(Value::boolean(changed));
    }
}

pub(crate) fn describe(halt: &Halt) -> String {
    match halt {
        Halt::Exit(code) => format!("the program exited with code {code}"),
        Halt::OutOfFuel => "the evaluation did not end".into(),
        Halt::Deadlock(_) => "deadlock: every thread waits for another".into(),
        Halt::Unsupported(what) => format!("the machine does not support {what}"),
        Halt::Arrived(place) => format!("the evaluation paused at place {place}"),
    }
}
