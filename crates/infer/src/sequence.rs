//! Sequences of calls with literal arguments: constructions of objects, and tests.

use crate::implementation::Implementation;
use crate::java_literals::{literal_text, simple};
use cupping_case::{Action, Case, JavaType, Literal, Operand, Outcome, Step, VarId, Variable};
use cupping_generate::Invokable;
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A literal.
    Literal(Literal),
    /// An object that is constructed for the call.
    Make(Rc<Construction>),
    /// An array with elements of this type.
    Array(JavaType, Vec<Arg>),
    /// An implementation of an interface.
    Implementation(Rc<Implementation>),
    /// The object on which the method is called.
    Receiver,
}

/// A call and its arguments.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// What is called.
    pub invokable: Rc<Invokable>,
    /// The arguments, the receiver not among them.
    pub arguments: Vec<Arg>,
}

impl PartialEq for Invocation {
    fn eq(&self, other: &Invocation) -> bool {
        self.invokable.reference == other.invokable.reference && self.arguments == other.arguments
    }
}

/// The construction of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Construction {
    /// The object whose method returns it, unless a constructor or static factory creates it.
    pub of: Option<Rc<Construction>>,
    /// The call that makes it.
    pub maker: Invocation,
    /// Calls on it, in order.
    pub then: Vec<Invocation>,
}

/// A call under test.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSequence {
    /// The object on which it is called; `None` for constructors and static methods.
    pub receiver: Option<Rc<Construction>>,
    /// The call.
    pub call: Invocation,
}

impl Construction {
    /// The same object after one more call.
    pub fn and(&self, call: Invocation) -> Construction {
        let mut then = self.then.clone();
        then.push(call);
        Construction { of: self.of.clone(), maker: self.maker.clone(), then }
    }

    /// An object that this call makes.
    pub fn new(maker: Invocation) -> Construction {
        Construction { of: None, maker, then: Vec::new() }
    }

    /// An object that a method of another object returns.
    pub fn grown(of: Rc<Construction>, maker: Invocation) -> Construction {
        Construction { of: Some(of), maker, then: Vec::new() }
    }

    /// The number of calls.
    pub fn calls(&self) -> usize {
        self.of.as_ref().map_or(0, |it| it.calls()) + self.then.len() + 1
    }
}

impl CallSequence {
    /// The number of calls, including the call under test.
    pub fn calls(&self) -> usize {
        self.receiver.as_ref().map_or(0, |it| it.calls()) + 1
    }

    /// The number of arguments of the call under test that are at an end of their type.
    pub fn extremes(&self) -> usize {
        let is_extreme = |it: &&Arg| match it {
            Arg::Literal(Literal::Null) => true,
            Arg::Literal(Literal::Int(it)) => [i32::MIN, i32::MAX].contains(it),
            Arg::Literal(Literal::Long(it)) => [i64::MIN, i64::MAX].contains(it),
            Arg::Literal(Literal::Double(it)) => !it.is_finite(),
            _ => false,
        };
        self.call.arguments.iter().filter(is_extreme).count()
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Literal(literal) => f.write_str(&literal_text(literal)),
            Arg::Make(made) => write!(f, "{made}"),
            Arg::Implementation(it) => write!(f, "{it}"),
            Arg::Array(ty, elements) => {
                let texts: Vec<String> = elements.iter().map(ToString::to_string).collect();
                let name = ty.to_string();
                write!(f, "new {}[] {{{}}}", simple(&name), texts.join(", "))
            }
            Arg::Receiver => f.write_str("itself"),
        }
    }
}

impl Display for Invocation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(ToString::to_string).collect();
        let reference = &self.invokable.reference;
        let class = reference.class.rsplit(['/', '$']).next().unwrap_or(&reference.class);
        if self.invokable.is_constructor() {
            write!(f, "new {class}")?;
        } else if self.invokable.is_static {
            write!(f, "{class}.{}", reference.name)?;
        } else {
            f.write_str(&reference.name)?;
        }
        write!(f, "({})", arguments.join(", "))
    }
}

impl Display for Construction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(of) = &self.of {
            write!(f, "{of}.")?;
        }
        write!(f, "{}", self.maker)?;
        self.then.iter().try_for_each(|call| write!(f, ".{call}"))
    }
}

impl Display for CallSequence {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(made) = &self.receiver {
            if let Some(of) = &made.of {
                write!(f, "{of}.")?;
            }
            write!(f, "{}; ", made.maker)?;
            made.then.iter().try_for_each(|call| write!(f, "{call}; "))?;
        }
        write!(f, "{}", self.call)
    }
}

/// Writes a test as a case.
#[derive(Default)]
struct Writer {
    variables: Vec<Variable>,
    steps: Vec<Step>,
    /// Implementations of interfaces, each made once.
    implementations: Vec<(Rc<Implementation>, VarId)>,
}

impl Writer {
    fn action(&mut self, action: Action, ty: Option<JavaType>) -> Option<VarId> {
        let id = ty.filter(|ty| *ty != JavaType::Void).map(|ty| {
            self.variables.push(Variable { ty });
            VarId(self.variables.len() as u32 - 1)
        });
        self.steps.push(Step { action, result: id });
        id
    }

    fn argument(&mut self, argument: &Arg, receiver: Option<VarId>) -> Option<Operand> {
        Some(match argument {
            Arg::Literal(literal) => Operand::Literal(literal.clone()),
            Arg::Make(made) => Operand::Var(self.made(made)?),
            Arg::Receiver => Operand::Var(receiver?),
            Arg::Implementation(it) => {
                if let Some((_, known)) = self.implementations.iter().find(|known| known.0 == *it) {
                    return Some(Operand::Var(*known));
                }
                let (action, ty) = it.action();
                let id = self.action(action, Some(ty))?;
                self.implementations.push((it.clone(), id));
                Operand::Var(id)
            }
            Arg::Array(element, elements) => {
                let elements =
                    elements.iter().map(|it| self.argument(it, receiver)).collect::<Option<Vec<_>>>()?;
                let ty = JavaType::Array(Box::new(element.clone()));
                Operand::Var(self.action(Action::NewArray { element: element.clone(), elements }, Some(ty))?)
            }
        })
    }

    fn made(&mut self, made: &Construction) -> Option<VarId> {
        let of = match &made.of {
            Some(of) => Some(self.made(of)?),
            None => None,
        };
        let object = self.call(&made.maker, of, true)??;
        for call in &made.then {
            self.call(call, Some(object), false)?;
        }
        Some(object)
    }

    fn call(
        &mut self,
        call: &Invocation,
        receiver: Option<VarId>,
        wants_result: bool,
    ) -> Option<Option<VarId>> {
        let arguments: Option<Vec<Operand>> =
            call.arguments.iter().map(|it| self.argument(it, receiver)).collect();
        let (args, method) = (arguments?, call.invokable.reference.clone());
        let action = if call.invokable.is_constructor() {
            Action::Construct { constructor: method, args }
        } else if call.invokable.is_static {
            Action::InvokeStatic { method, args }
        } else {
            Action::Invoke { method, receiver: Operand::Var(receiver?), args }
        };
        let ty = wants_result.then(|| call.invokable.result.clone());
        Some(self.action(action, ty))
    }
}

impl CallSequence {
    /// The test as a case without assertions, with the variables of the receiver and of the result. `threw` is the
    /// internal name of the exception.
    pub fn case(&self, threw: Option<&str>) -> Option<(Case, Option<VarId>, Option<VarId>)> {
        let mut writer = Writer::default();
        let receiver = match &self.receiver {
            Some(made) => Some(writer.made(made)?),
            None => None,
        };
        let result = writer.call(&self.call, receiver, threw.is_none())?;
        let outcome = match threw {
            Some(class) => Outcome::Threw { class: class.into(), message: None },
            None => Outcome::Returned,
        };
        let case = Case {
            under_test: self.call.invokable.reference.clone(),
            variables: writer.variables,
            steps: writer.steps,
            outcome,
            assertions: Vec::new(),
            distinction: String::new(),
            path: Vec::new(),
            name: None,
            restores: Vec::new(),
            empties: Vec::new(),
            cause: None,
            effects: Default::default(),
            purpose: Vec::new(),
            caught: Vec::new(),
        };
        Some((case, receiver, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_case::MethodRef;
    use cupping_machine::{ClassId, MethodId};

    fn invocation(class: &str, name: &str, is_static: bool, arguments: Vec<Arg>) -> Invocation {
        let reference = MethodRef {
            class: class.into(),
            name: name.into(),
            descriptor: "()V".into(),
            varargs: false,
            throws: Vec::new(),
            parameter_names: Vec::new(),
        };
        let invokable = Invokable {
            method: MethodId(0),
            class: ClassId(0),
            parameters: Vec::new(),
            result: JavaType::class(class),
            reference,
            is_static,
            stub: None,
        };
        Invocation { invokable: Rc::new(invokable), arguments }
    }

    fn stack() -> Construction {
        Construction::new(invocation("p/Stack", "<init>", false, vec![Arg::Literal(Literal::Int(3))]))
    }

    fn push(value: Arg) -> Invocation {
        invocation("p/Stack", "push", false, vec![value])
    }

    #[test]
    fn sequences_are_printed_as_statements() {
        let one = || Arg::Literal(Literal::Boxed(Box::new(Literal::Int(1))));
        let made = stack().and(push(one())).and(push(Arg::Receiver));
        let test = CallSequence {
            receiver: Some(Rc::new(made.clone())),
            call: invocation("p/Stack", "pop", false, Vec::new()),
        };
        assert_eq!(test.to_string(), "new Stack(3); push(1); push(itself); pop()");
        assert_eq!((test.calls(), made.calls()), (4, 3));
        let passed = Arg::Make(Rc::new(made));
        assert_eq!(push(passed).to_string(), "push(new Stack(3).push(1).push(itself))");
    }

    #[test]
    fn objects_that_methods_return_name_their_origin() {
        let copy = invocation("p/Stack", "copy", false, Vec::new());
        let grown = Construction::grown(Rc::new(stack()), copy).and(push(Arg::Literal(Literal::Null)));
        assert_eq!(grown.to_string(), "new Stack(3).copy().push(null)");
        assert_eq!(grown.calls(), 3);
        let factory = invocation("p/Outer$Stack", "of", true, vec![Arg::Array(JavaType::Int, Vec::new())]);
        assert_eq!(factory.to_string(), "Stack.of(new int[] {})");
    }

    #[test]
    fn extreme_arguments_are_counted() {
        let call =
            |arguments| CallSequence { receiver: None, call: invocation("p/Stack", "of", true, arguments) };
        let extreme = vec![
            Arg::Literal(Literal::Int(i32::MAX)),
            Arg::Literal(Literal::Null),
            Arg::Literal(Literal::Int(7)),
        ];
        assert_eq!(call(extreme).extremes(), 2);
    }
}
