//! What traces hold: values, and objects as they were at one moment.

use crate::java_literals::{char_text, real_text, simple, string_text};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// A value of Java, read out of the machine. Boxes are what is in them: whether a term is a box is in its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// There is none: the way to it leads through `null`, it was not recorded, or it differs from run to run.
    Absent,
    /// `null`
    Null,
    /// A `boolean`.
    Bool(bool),
    /// A `byte`, `short`, `int` or `long`.
    Int(i64),
    /// A `char`.
    Char(u16),
    /// A `float` or `double`.
    Float(f64),
    /// A string.
    Text(String),
    /// A constant of an enum: internal name of the class, name of the field.
    Enum(String, String),
    /// Another object, by its address.
    Object(u32),
    /// The elements of an array or of a collection.
    Seq(Vec<Value>),
}

impl Value {
    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        !matches!(self, Value::Absent)
    }

    /// As a whole number.
    pub fn number(&self) -> Option<i128> {
        match self {
            Value::Int(value) => Some(i128::from(*value)),
            Value::Char(value) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// As a real number.
    pub fn real(&self) -> Option<f64> {
        match self {
            Value::Float(value) => Some(*value),
            other => other.number().map(|it| it as f64),
        }
    }

    /// The elements.
    pub fn elements(&self) -> Option<&[Value]> {
        match self {
            Value::Seq(elements) => Some(elements),
            _ => None,
        }
    }

    /// As `==` compares primitives and `equals` the rest; `None` where one is absent.
    pub fn same(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Absent, _) | (_, Value::Absent) => None,
            (Value::Float(a), Value::Float(b)) => Some(a == b),
            (Value::Seq(a), Value::Seq(b)) => {
                if a.len() != b.len() {
                    return Some(false);
                }
                let mut all = true;
                for (a, b) in a.iter().zip(b) {
                    all &= a.same(b)?;
                }
                Some(all)
            }
            (Value::Int(_) | Value::Char(_), Value::Int(_) | Value::Char(_)) => {
                Some(self.number() == other.number())
            }
            (Value::Float(a), Value::Int(_)) => Some(Some(*a) == other.real()),
            (Value::Int(_), Value::Float(b)) => Some(self.real() == Some(*b)),
            _ => Some(self == other),
        }
    }

    /// How two numbers, or two strings, compare.
    pub fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            _ => match (self.number(), other.number()) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => self.real()?.partial_cmp(&other.real()?),
            },
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self))
    }
}

/// A value in the notation of the text output.
fn text(of: &Value) -> String {
    match of {
        Value::Absent => "nothing".into(),
        Value::Null => "null".into(),
        Value::Bool(it) => it.to_string(),
        Value::Int(it) if *it == i64::from(i32::MIN) => "Integer.MIN_VALUE".into(),
        Value::Int(it) if *it == i64::from(i32::MAX) => "Integer.MAX_VALUE".into(),
        Value::Int(i64::MIN) => "Long.MIN_VALUE".into(),
        Value::Int(i64::MAX) => "Long.MAX_VALUE".into(),
        Value::Int(it) if i32::try_from(*it).is_err() => format!("{it}L"),
        Value::Int(it) => it.to_string(),
        Value::Char(it) => char_text(*it),
        Value::Float(it) => real_text(*it, "Double"),
        Value::Text(it) => string_text(it),
        Value::Enum(class, name) => format!("{}.{name}", simple(class)),
        Value::Object(_) => "an object".into(),
        Value::Seq(all) => {
            let all: Vec<String> = all.iter().map(text).collect();
            format!("[{}]", all.join(", "))
        }
    }
}

/// An object as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Internal name of its class.
    pub class: Rc<str>,
    /// Its fields, and its observers with `()` behind their names.
    pub fields: Vec<(Rc<str>, Value)>,
    /// The elements of an array or collection; of many, the first.
    pub elements: Option<Vec<Value>>,
    /// How many elements there are.
    pub length: Option<usize>,
}

impl Object {
    /// All elements, if all are known.
    pub fn all_elements(&self) -> Option<&Vec<Value>> {
        self.elements.as_ref().filter(|it| self.length == Some(it.len()))
    }

    /// The field or observer of this name.
    pub fn field(&self, name: &str) -> Value {
        self.fields.iter().find(|(own, _)| **own == *name).map_or(Value::Absent, |(_, value)| value.clone())
    }
}

/// Objects by address, at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// The objects.
    pub objects: BTreeMap<u32, Object>,
}

/// What a call could see before it, or has left behind it.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The receiver; absent for static methods, and before constructors.
    pub this: Value,
    /// The arguments.
    pub arguments: Vec<Value>,
    /// What is reached from the receiver.
    pub state: Rc<Image>,
    /// What is reached from arguments and result.
    pub others: Rc<Image>,
}

impl Image {
    /// An object by its address.
    pub fn object(&self, value: &Value) -> Option<&Object> {
        let Value::Object(at) = value else { return None };
        self.objects.get(at)
    }
}

impl Moment {
    /// An object by its address.
    pub fn object(&self, value: &Value) -> Option<&Object> {
        let Value::Object(at) = value else { return None };
        self.state.objects.get(at).or_else(|| self.others.objects.get(at))
    }
}
