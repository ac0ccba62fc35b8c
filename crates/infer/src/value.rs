//! Values, and objects as they were at one moment.

use crate::java_literals::{char_text, real_text, simple, string_text};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// A Java value, read out of the machine. A box is represented by its content; the type of a term tells whether it
/// is boxed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value: the path to it leads through `null`, it was not recorded, or it differs from run to run.
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
    pub fn is_present(&self) -> bool {
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

    /// Equality: `==` for primitives, but NaN is equal to itself (otherwise a getter would not return its field);
    /// `equals` for boxes, strings and enum constants, identity for others; `None` if one is absent.
    pub fn same(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Absent, _) | (_, Value::Absent) => None,
            (Value::Float(a), Value::Float(b)) => Some(a == b || a.is_nan() && b.is_nan()),
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

    /// The order of two numbers or two strings.
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

/// An object at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Internal name of its class.
    pub class: Rc<str>,
    /// Its fields, and its observers with `()` appended to their names.
    pub fields: Vec<(Rc<str>, Value)>,
    /// The elements of an array or collection; of a long one, the first.
    pub elements: Option<Vec<Value>>,
    /// The number of elements.
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

/// The state that a call sees before it, or leaves.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The receiver; absent for static methods, and before constructors.
    pub this: Value,
    /// The arguments.
    pub arguments: Vec<Value>,
    /// Objects that the receiver refers to.
    pub state: Rc<Image>,
    /// Objects that arguments and result refer to.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Absent),
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-2i64..3).prop_map(Value::Int),
            (0u16..3).prop_map(Value::Char),
            prop_oneof![Just(-1.0), Just(0.0), Just(1.5)].prop_map(Value::Float),
            prop_oneof![Just("a"), Just("b")].prop_map(|it| Value::Text(it.into())),
            (1u32..3).prop_map(Value::Object),
        ];
        leaf.prop_recursive(2, 4, 2, |part| proptest::collection::vec(part, 0..3).prop_map(Value::Seq))
    }

    proptest! {
        #[test]
        fn equality_is_symmetric_and_unknown_of_absent_values(a in values(), b in values()) {
            prop_assert_eq!(a.same(&b), b.same(&a), "{:?} {:?}", a, b);
            prop_assert_eq!(Value::Absent.same(&a), None);
            if a.is_present() && !format!("{a:?}").contains("Absent") {
                prop_assert_eq!(a.same(&a), Some(true));
            }
        }

        #[test]
        fn order_agrees_with_equality(a in values(), b in values()) {
            let order = a.order(&b);
            prop_assert_eq!(b.order(&a), order.map(Ordering::reverse));
            if let (Some(order), Some(same)) = (order, a.same(&b)) {
                // A character and a real number are compared as numbers, but are never equal.
                let is_char = |it: &Value| matches!(it, Value::Char(_));
                let is_real = |it: &Value| matches!(it, Value::Float(_));
                let is_mixed = is_char(&a) && is_real(&b) || is_real(&a) && is_char(&b);
                prop_assert!(is_mixed || order.is_eq() == same, "{:?} {:?}", a, b);
            }
        }
    }

    #[test]
    fn numbers_are_equal_across_types_and_not_a_number_is_equal_to_itself() {
        assert_eq!(Value::Int(97).same(&Value::Char(97)), Some(true));
        assert_eq!(Value::Int(1).same(&Value::Float(1.0)), Some(true));
        assert_eq!(Value::Float(f64::NAN).same(&Value::Float(f64::NAN)), Some(true));
        assert_eq!(Value::Float(f64::NAN).same(&Value::Float(1.0)), Some(false));
        assert_eq!(Value::Float(f64::NAN).order(&Value::Float(1.0)), None);
        assert_eq!(Value::Null.same(&Value::Object(1)), Some(false));
        assert_eq!(Value::Text("a".into()).order(&Value::Text("b".into())), Some(Ordering::Less));
    }

    #[test]
    fn only_whole_elements_are_all_elements() {
        let object = |length| Object {
            class: "[I".into(),
            fields: Vec::new(),
            elements: Some(vec![Value::Int(1)]),
            length: Some(length),
        };
        assert!(object(1).all_elements().is_some());
        assert!(object(2).all_elements().is_none());
    }
}
