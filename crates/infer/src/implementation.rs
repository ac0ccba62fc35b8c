//! Implementations of interfaces as arguments: callbacks whose methods always return the same.

use crate::java_literals::{literal_text, simple};
use cupping_case::{Action, JavaType, Operand, StubMethod, StubResult, parse_method_descriptor};
use cupping_machine::Addr;
use std::fmt::{self, Display, Formatter};

/// An implementation of an interface.
#[derive(Clone, Debug)]
pub struct Implementation {
    /// The object: one for all calls, so that a callback that was registered can be registered again or removed.
    object: Addr,
    /// As a step of a test.
    action: Action,
}

/// By what tests say: equal ones are one object.
impl PartialEq for Implementation {
    fn eq(&self, other: &Implementation) -> bool {
        self.action == other.action
    }
}

impl Implementation {
    /// An implementation: an object of the machine, and the step of a test that makes it.
    pub fn new(object: Addr, action: Action) -> Implementation {
        Implementation { object, action }
    }

    /// The object.
    pub fn object(&self) -> Addr {
        self.object
    }

    /// The step of a test that makes it, with its type.
    pub fn action(&self) -> (Action, JavaType) {
        let Action::Implement { interface, .. } = &self.action else {
            return (self.action.clone(), JavaType::Void);
        };
        (self.action.clone(), JavaType::class(interface))
    }

    /// The lambda expression in Java, if one suffices.
    pub fn lambda(&self) -> Option<String> {
        match &self.action {
            Action::Implement { methods, is_functional: true, .. } => methods.first().map(lambda),
            _ => None,
        }
    }
}

fn lambda(method: &StubMethod) -> String {
    let count = parse_method_descriptor(&method.descriptor).map_or(0, |it| it.0.len());
    let parameters: Vec<String> = (1..=count).map(|it| format!("p{it}")).collect();
    format!("({}) -> {}", parameters.join(", "), answer(method))
}

fn answer(method: &StubMethod) -> String {
    match &method.result {
        StubResult::Value(Operand::Literal(literal)) => literal_text(literal),
        _ => "{ }".to_owned(),
    }
}

impl Display for Implementation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(lambda) = self.lambda() {
            return f.write_str(&lambda);
        }
        let Action::Implement { interface, methods, .. } = &self.action else { return Ok(()) };
        let answers: Vec<String> =
            methods.iter().map(|it| format!("{} -> {}", it.name, answer(it))).collect();
        write!(f, "new {}() {{ {} }}", simple(interface), answers.join("; "))
    }
}
