//! Parameters as symbols, as values, and as data in tests.

use cupping_machine::{Kind, Machine, Step, Value, shadow_of};
use cupping_term::{Model, Sort, TermId, VarIndex};

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A primitive.
    Primitive(Kind),
    /// An array of primitives with at most this many elements.
    Array(Kind, u32),
    /// A string of at most this many characters.
    Text(u32),
}

/// The value of a parameter: its bits, or those of its elements or characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// A primitive.
    Word(u64),
    /// Elements or characters.
    Words(Vec<u64>),
}

impl Datum {
    /// A string.
    pub fn text(text: &str) -> Datum {
        Datum::Words(text.encode_utf16().map(u64::from).collect())
    }

    /// An int.
    pub fn int(value: i32) -> Datum {
        Datum::Word(value as u32 as u64)
    }

    /// An array of ints.
    pub fn ints(values: &[i32]) -> Datum {
        Datum::Words(values.iter().map(|v| *v as u32 as u64).collect())
    }
}

/// The variables of a parameter.
pub struct Variables {
    length: Option<VarIndex>,
    values: Vec<VarIndex>,
    /// The constraint that holds of them by construction.
    pub bound: Option<TermId>,
}

impl Variables {
    /// The value of the parameter under a model.
    pub fn datum(&self, model: &Model) -> Datum {
        match self.length {
            None => Datum::Word(model.get(self.values[0])),
            Some(length) => {
                let length = model.get(length) as usize;
                assert!(length <= self.values.len(), "the bound of the length was lost");
                Datum::Words(self.values[..length].iter().map(|v| model.get(*v)).collect())
            }
        }
    }

    /// Gives the variables the values of a datum.
    pub fn set(&self, datum: &Datum, model: &mut Model) {
        let words = match datum {
            Datum::Word(word) => std::slice::from_ref(word),
            Datum::Words(words) => words,
        };
        if let Some(length) = self.length {
            model.set(length, words.len() as u64);
        }
        for (variable, word) in self.values.iter().zip(words) {
            model.set(*variable, *word);
        }
    }
}

/// The parameters of a method: primitives, arrays of primitives, and strings.
pub fn parameters(descriptor: &str, max: u32) -> Vec<Argument> {
    let inner = descriptor.trim_start_matches('(').split(')').next().unwrap_or_default();
    let mut rest = inner.as_bytes();
    let mut parameters = Vec::new();
    while let [first, ..] = rest {
        let (parameter, length) = match first {
            b'[' => (Argument::Array(Kind::of_descriptor(rest[1]), max), 2),
            b'L' => (Argument::Text(max), "Ljava/lang/String;".len()),
            letter => (Argument::Primitive(Kind::of_descriptor(*letter)), 1),
        };
        parameters.push(parameter);
        rest = &rest[length..];
    }
    parameters
}

impl Argument {
    /// Width of a primitive, or of an element or character.
    pub fn width(&self) -> u32 {
        match self {
            Argument::Primitive(kind) | Argument::Array(kind, _) => sort_of(*kind).bits(),
            Argument::Text(_) => 16,
        }
    }

    /// Makes the parameter symbolic, with zero values.
    pub fn make_symbolic(&self, machine: &mut Machine, at: usize) -> Step<(Value, Variables)> {
        let mut variables = Variables { length: None, values: Vec::new(), bound: None };
        let value = match self {
            Argument::Primitive(kind) => symbol(machine, *kind, format!("p{at}"), &mut variables),
            Argument::Array(kind, max) => {
                let elements = symbols(machine, *kind, *max, at, &mut variables);
                let length = length_symbol(machine, *max, at, &mut variables);
                Value::reference(machine.new_symbolic_array(*kind, &elements, length)?)
            }
            Argument::Text(max) => {
                let characters = symbols(machine, Kind::Char, *max, at, &mut variables);
                let length = length_symbol(machine, *max, at, &mut variables);
                Value::reference(machine.new_symbolic_string(&characters, length)?)
            }
        };
        Ok((value, variables))
    }

    /// Makes the parameter concrete.
    pub fn make_concrete(&self, machine: &mut Machine, datum: &Datum) -> Step<Value> {
        match (self, datum) {
            (Argument::Primitive(kind), Datum::Word(word)) => Ok(Value::concrete(kind.narrow(*word))),
            (Argument::Array(kind, _), Datum::Words(words)) => {
                let class = machine.load(&format!("[{}", kind.letter()))?;
                let array = machine.new_array(class, words.len() as u32)?;
                for (at, word) in words.iter().enumerate() {
                    machine.set_element_value(array, at as u32, *kind, Value::concrete(kind.narrow(*word)));
                }
                Ok(Value::reference(array))
            }
            (Argument::Text(_), Datum::Words(words)) => {
                let units: Vec<u16> = words.iter().map(|w| *w as u16).collect();
                Ok(Value::reference(machine.new_string(&units)?))
            }
            _ => panic!("{datum:?} is no value for {self:?}"),
        }
    }
}

fn symbols(machine: &mut Machine, kind: Kind, max: u32, at: usize, variables: &mut Variables) -> Vec<Value> {
    (0..max).map(|nth| symbol(machine, kind, format!("p{at}[{nth}]"), variables)).collect()
}

fn sort_of(kind: Kind) -> Sort {
    match kind {
        Kind::Boolean => Sort::Bool,
        Kind::Byte => Sort::Bv8,
        Kind::Char | Kind::Short => Sort::Bv16,
        Kind::Long => Sort::Bv64,
        Kind::Float => Sort::F32,
        Kind::Double => Sort::F64,
        _ => Sort::Bv32,
    }
}

fn symbol(machine: &mut Machine, kind: Kind, name: String, variables: &mut Variables) -> Value {
    let terms = machine.terms_mut();
    let variable = terms.new_variable(name, sort_of(kind));
    variables.values.extend(terms.as_variable(variable));
    let term = match kind {
        Kind::Boolean => terms.bool_to_int(variable),
        Kind::Byte | Kind::Short => terms.sext(Sort::Bv32, variable),
        Kind::Char => terms.zext(Sort::Bv32, variable),
        _ => variable,
    };
    Value { bits: 0, shadow: shadow_of(term) }
}

fn length_symbol(machine: &mut Machine, max: u32, at: usize, variables: &mut Variables) -> Value {
    let terms = machine.terms_mut();
    let variable = terms.new_variable(format!("p{at}.length"), Sort::Bv8);
    variables.length = terms.as_variable(variable);
    let limit = terms.constant(Sort::Bv8, max as u64);
    variables.bound = Some(terms.ule(variable, limit));
    let term = terms.zext(Sort::Bv32, variable);
    Value { bits: 0, shadow: shadow_of(term) }
}
