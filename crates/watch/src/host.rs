//! The classes of conditions on a machine.

use cupping_contract::{Compiled, CompiledCase};
use cupping_machine::{ClassId, Halt, Left, Machine, MethodId, Value};
use rustc_hash::FxHashMap;

/// Makes the classes of conditions known to a machine. They are initialised already as far as anybody can see: they have no
/// static initialisers.
///
/// # Errors
/// A class that the machine does not take.
pub fn define(machine: &mut Machine, compiled: &Compiled) -> Result<(), String> {
    for (name, bytes) in &compiled.classes {
        if let Err(trap) = machine.define_privileged(bytes) {
            return Err(format!("the class {name} of conditions: {}", machine.describe_trap(&trap)));
        }
    }
    Ok(())
}

/// Words of a condition that stand behind a dot and before none: the fields that it may read.
pub fn field_names(text: &str) -> Vec<String> {
    let tokens = cupping_contract::tokens(text);
    let word = |at: usize| tokens.get(at).map_or("", |it| &text[it.span.start..it.span.end]);
    (1..tokens.len())
        .filter(|at| word(at - 1) == "." && word(at + 1) != "(")
        .map(|at| word(at).to_owned())
        .collect()
}

/// The methods of the class of a testcase.
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
    pub(crate) fn ask(&self, machine: &mut Machine, name: &str, arguments: &[Value]) -> Result<Left, Halt> {
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

/// How a condition came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Holds,
    Fails,
    /// It threw, or could not be evaluated to its end: why.
    Open(String),
}

impl Truth {
    /// What came of a predicate asked of other values than the test's: a failed assertion alone counts.
    pub(crate) fn of_predicate(machine: &Machine, answer: Result<Left, Halt>) -> Truth {
        match answer {
            Ok(Left::Threw(thrown)) => {
                let mut at = Some(machine.class_of(thrown));
                let mut classes = std::iter::from_fn(|| {
                    let class = machine.class(at?);
                    at = class.super_class;
                    Some(class.name.clone())
                });
                match classes.any(|name| &*name == "java/lang/AssertionError") {
                    true => Truth::Fails,
                    false => Truth::of(machine, Ok(Left::Threw(thrown))),
                }
            }
            answer => Truth::of_assertions(machine, answer),
        }
    }

    /// What came of the assertions of a test: it goes on if they hold.
    pub(crate) fn of_assertions(machine: &Machine, answer: Result<Left, Halt>) -> Truth {
        match answer {
            Ok(Left::Returned(_)) => Truth::Holds,
            Ok(Left::Threw(thrown)) => {
                // What cannot be linked or made here says nothing of the program.
                let mut at = Some(machine.class_of(thrown));
                let is_ours = std::iter::from_fn(|| {
                    let class = machine.class(at?);
                    at = class.super_class;
                    Some(class.name.clone())
                })
                .any(|name| matches!(&*name, "java/lang/LinkageError" | "java/lang/VirtualMachineError"));
                if is_ours { Truth::of(machine, Ok(Left::Threw(thrown))) } else { Truth::Fails }
            }
            Err(halt) => Truth::of(machine, Err(halt)),
        }
    }

    /// What a condition came to that returned this.
    pub(crate) fn of_bits(value: Value) -> Truth {
        if value.bits & 1 != 0 { Truth::Holds } else { Truth::Fails }
    }

    pub(crate) fn of(machine: &Machine, answer: Result<Left, Halt>) -> Truth {
        match answer {
            Ok(Left::Returned(value)) => Truth::of_bits(value),
            Ok(Left::Threw(thrown)) => {
                let class = machine.class_name_of(thrown).replace('/', ".");
                let message = machine.throwable_message(thrown);
                let message =
                    message.map_or(String::new(), |it| format!(": {}", String::from_utf16_lossy(&it)));
                Truth::Open(format!("the condition threw {class}{message}"))
            }
            Err(Halt::OutOfFuel) => Truth::Open("the condition did not end".into()),
            Err(Halt::Unsupported(what)) => Truth::Open(what),
            Err(Halt::Exit(_)) => Truth::Open("the condition ended the program".into()),
            Err(Halt::Deadlock(_)) => Truth::Open("the condition waits for another thread".into()),
        }
    }
}
