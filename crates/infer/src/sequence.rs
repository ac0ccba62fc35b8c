//! Calls that make objects and tests of them, with all their values written out.

use cupping_case::{Action, Case, JavaType, Literal, Operand, Outcome, Step, VarId, Variable};
use cupping_generate::Invokable;
use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A value that source states by itself.
    Literal(Literal),
    /// An object that is made for it.
    Make(Rc<Construction>),
    /// An array of the elements of this type.
    Array(JavaType, Vec<Arg>),
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

/// An object, by what makes it and what is called on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Construction {
    /// The object whose method makes it, if it is no constructor or static factory.
    pub of: Option<Rc<Construction>>,
    /// What makes it.
    pub maker: Invocation,
    /// Calls on it, in order.
    pub then: Vec<Invocation>,
}

/// A call under test.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
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

    /// An object that a method of another one gives.
    pub fn grown(of: Rc<Construction>, maker: Invocation) -> Construction {
        Construction { of: Some(of), maker, then: Vec::new() }
    }

    /// How many calls there are.
    pub fn calls(&self) -> usize {
        self.of.as_ref().map_or(0, |it| it.calls()) + self.then.len() + 1
    }
}

impl Test {
    /// How many calls there are, the one under test included.
    pub fn calls(&self) -> usize {
        self.receiver.as_ref().map_or(0, |it| it.calls()) + 1
    }

    /// Arguments that are as far out as their type allows: of the call under test, as they are.
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

impl Display for Test {
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

/// A name without what stands before its last dot.
pub fn simple(name: &str) -> &str {
    name.rsplit(['.', '$', '/']).next().unwrap_or(name)
}

/// A literal as Java writes it, but for its escapes.
pub fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".into(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Byte(value) => format!("(byte) {value}"),
        Literal::Short(value) => format!("(short) {value}"),
        Literal::Char(value) => char_text(*value),
        Literal::Int(value) => int_text(*value),
        Literal::Long(i64::MIN) => "Long.MIN_VALUE".into(),
        Literal::Long(i64::MAX) => "Long.MAX_VALUE".into(),
        Literal::Long(value) => format!("{value}L"),
        Literal::Float(value) => format!("{}f", real_text(f64::from(*value), "Float")),
        Literal::Double(value) => real_text(*value, "Double"),
        Literal::String(units) => string_text(&String::from_utf16_lossy(units)),
        Literal::Class(ty) => format!("{ty}.class"),
        Literal::Constant { class, field } => format!("{}.{field}", simple(class)),
        Literal::Boxed(inner) => literal_text(inner),
    }
}

fn int_text(value: i32) -> String {
    match value {
        i32::MIN => "Integer.MIN_VALUE".into(),
        i32::MAX => "Integer.MAX_VALUE".into(),
        _ => value.to_string(),
    }
}

/// A real number as Java writes it.
pub fn real_text(value: f64, class: &str) -> String {
    if value.is_nan() {
        format!("{class}.NaN")
    } else if value.is_infinite() {
        format!("{class}.{}_INFINITY", if value > 0.0 { "POSITIVE" } else { "NEGATIVE" })
    } else {
        format!("{value:?}")
    }
}

/// A character as Java writes it.
pub fn char_text(unit: u16) -> String {
    match char::from_u32(u32::from(unit)) {
        Some(c @ ('\'' | '\\')) => format!("'\\{c}'"),
        Some(c) if (' '..='~').contains(&c) => format!("'{c}'"),
        _ => format!("'\\u{unit:04x}'"),
    }
}

/// A string as Java writes it.
pub fn string_text(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        match char::from_u32(u32::from(unit)) {
            Some(c @ ('"' | '\\')) => out.extend(['\\', c]),
            Some(c) if (' '..='~').contains(&c) => out.push(c),
            _ => out += &format!("\\u{unit:04x}"),
        }
    }
    out.push('"');
    out
}

/// Writes tests down as cases.
#[derive(Default)]
struct Writer {
    variables: Vec<Variable>,
    steps: Vec<Step>,
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

impl Test {
    /// The test as a case without assertions; `threw` is the internal name of what it threw. The variables that hold
    /// the receiver and the result are given, too.
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
            effects: Default::default(),
        };
        Some((case, receiver, result))
    }
}
