//! The methods of testing libraries that assert something, and the values of which they do.
//!
//! While two versions are compared, assertions of plain values do nothing: in the state of the program they would
//! mostly fail, and hide those after them.

use super::rendering::rendered;
use cupping_classfile::{Code, Opcode};
use cupping_machine::{Kind, Machine, MethodBody, MethodId, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Classes whose static methods assert.
const CLASSES: [&str; 8] = [
    "org/junit/jupiter/api/Assertions",
    "org/junit/Assert",
    "junit/framework/Assert",
    "junit/framework/TestCase",
    "org/testng/Assert",
    "org/hamcrest/MatcherAssert",
    "org/assertj/core/api/Assertions",
    "com/google/common/truth/Truth",
];

/// The asserting methods, and whether each only compares values.
#[derive(Clone, Default)]
pub(super) struct AssertingMethods(Rc<Vec<(MethodId, bool)>>);

impl AssertingMethods {
    /// Finds them. Call this on a fork, where classes of suites can be named.
    pub(super) fn of(machine: &mut Machine) -> AssertingMethods {
        let mut found = Vec::new();
        for name in CLASSES {
            let Ok(class) = machine.load(name) else { continue };
            for id in machine.class(class).methods.clone() {
                let method = machine.method(id);
                if !method.is_static() || !method.name.starts_with("assert") {
                    continue;
                }
                // Code that the assertion is to run must run.
                let runs_code = ["Executable", "ThrowingSupplier", "ThrowingRunnable", "Callable", "Stream"];
                let has_code = matches!(method.body, MethodBody::Bytecode | MethodBody::Code(_));
                let compares = method.result == Kind::Void
                    && has_code
                    && !runs_code.iter().any(|it| method.descriptor.contains(it));
                found.push((id, compares));
            }
        }
        AssertingMethods(Rc::new(found))
    }

    pub(super) fn contains(&self, method: MethodId) -> bool {
        self.0.iter().any(|it| it.0 == method)
    }

    /// Lets calls of these methods be reported and not compare anything, or ends that.
    pub(super) fn watch(&self, machine: &mut Machine, is_on: bool) {
        let nothing = Code {
            max_stack: 0,
            max_locals: 0,
            bytecode: vec![Opcode::Return as u8].into(),
            exception_table: Box::default(),
            line_numbers: Default::default(),
            local_variables: Box::default(),
            stack_map: None,
        };
        for (method, compares) in self.0.iter() {
            if *compares {
                machine.replace_code(*method, is_on.then(|| nothing.clone()));
            }
            // Methods of the program's own class path are watched anyway.
            if machine.class(machine.method(*method).class).from_jdk {
                machine.set_watched(*method, is_on);
            }
        }
    }
}

/// What an assertion sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AssertedValues {
    /// The values that it concerns, as far as it can see them.
    pub(super) text: String,
    /// If it compares two numbers, whether they are equal. Of hash codes, nothing else counts.
    are_equal: Option<bool>,
}

impl AssertedValues {
    /// How something ended, in place of an assertion.
    pub(super) fn end(text: String) -> AssertedValues {
        AssertedValues { text, are_equal: None }
    }

    /// Whether it sees the same in another run. `has_hashes` says whether its numbers may be hash codes.
    pub(super) fn is_same(&self, other: &AssertedValues, has_hashes: bool) -> bool {
        let is_related = has_hashes && self.are_equal.is_some() && self.are_equal == other.are_equal;
        self.text == other.text || is_related
    }
}

/// The values that an assertion concerns, without its message.
pub(super) fn rendered_assertion(
    machine: &mut Machine,
    method: MethodId,
    arguments: &[Value],
) -> AssertedValues {
    let loaded = machine.method(method);
    let (name, kinds) = (loaded.name.clone(), loaded.parameters.clone());
    let class: Arc<str> = machine.class(loaded.class).name.clone();
    let mut values: Vec<(Kind, Value)> = kinds.iter().copied().zip(arguments.iter().copied()).collect();
    let concerned = match &*name {
        "assertTrue" | "assertFalse" | "assertNull" | "assertNotNull" => 1,
        _ => 2,
    };
    let is_text = |machine: &Machine, (kind, value): (Kind, Value)| {
        kind == Kind::Reference
            && (value.bits == 0 || machine.class_name_of(value.as_ref()) == "java/lang/String")
    };
    if values.len() > concerned {
        // JUnit 4 has the message first, others last.
        let is_first = matches!(&*class, "org/junit/Assert" | "org/hamcrest/MatcherAssert")
            || class.starts_with("junit/framework/");
        if is_first && is_text(machine, values[0]) {
            values.remove(0);
        }
        values.truncate(concerned);
    }
    let texts: Vec<String> = match (&*name, &values[..]) {
        ("assertNull" | "assertNotNull", [(_, value)]) => {
            vec![if value.bits == 0 { "null" } else { "an object" }.to_owned()]
        }
        ("assertSame" | "assertNotSame", [(_, a), (_, b)]) => {
            vec![if a.bits == b.bits { "the same object" } else { "two objects" }.to_owned()]
        }
        _ => values.iter().map(|(kind, value)| rendered(machine, *kind, *value)).collect(),
    };
    // All that such an assertion says is whether they differ.
    if let ("assertNotEquals", [a, b]) = (&*name, &texts[..]) {
        let text = if a == b { "assertNotEquals: they are equal" } else { "assertNotEquals: they differ" };
        return AssertedValues::end(text.to_owned());
    }
    let are_equal = match (&*name, &texts[..]) {
        ("assertEquals", [a, b]) if is_number(a) && is_number(b) => Some(a == b),
        _ => None,
    };
    AssertedValues { text: format!("{name}({})", texts.join(", ")), are_equal }
}

/// Whether a text is that of an integer, possibly in a box.
fn is_number(text: &str) -> bool {
    let digits = text.rsplit(' ').next().unwrap_or_default();
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit())
}
