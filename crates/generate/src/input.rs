//! Inputs: symbolic values placed into the machine, and their literals under a model.

use cupping_case::{JavaType, Literal};
use cupping_machine::{ClassId, Kind, Machine, Step, Value, shadow_of};
use cupping_term::{Model, Sort, TermId, VarIndex};
use std::rc::Rc;

/// An input that a test can express by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A symbolic primitive.
    Primitive(Kind),
    /// `null`.
    Null,
    /// A string with symbolic characters and symbolic length.
    String {
        /// Maximal length.
        max: u32,
        /// The text that exploration starts from; empty if there is none.
        first: Option<Rc<[u16]>>,
    },
    /// A string literal.
    Text(Vec<u16>),
    /// A box of a symbolic primitive.
    Boxed(Kind),
    /// An array of symbolic primitives with symbolic length.
    Array {
        /// Kind of the elements.
        element: Kind,
        /// Maximal length.
        max: u32,
    },
    /// An array of this many symbolic bytes: the content of a file.
    Bytes(u32),
    /// A `Class` object.
    ClassLiteral(ClassId),
    /// A primitive with these bits.
    Fixed(Kind, u64),
    /// A box of a primitive with these bits.
    FixedBox(Kind, u64),
    /// An array of primitives with these bits.
    Elements(Kind, Vec<u64>),
}

impl Input {
    /// A string of any characters.
    pub fn string(max: u32) -> Input {
        Input::String { max, first: None }
    }

    /// A string that initially is this text and may grow.
    pub fn near(text: &[u16], max: u32) -> Input {
        const ROOM: u32 = 4;
        Input::String { max: max.max(text.len() as u32 + ROOM), first: Some(text.into()) }
    }

    /// Whether it has symbolic variables.
    pub(crate) fn is_free(&self) -> bool {
        match self {
            Input::Null
            | Input::Text(_)
            | Input::ClassLiteral(_)
            | Input::Fixed(..)
            | Input::FixedBox(..)
            | Input::Elements(..) => false,
            Input::Primitive(_)
            | Input::String { .. }
            | Input::Boxed(_)
            | Input::Array { .. }
            | Input::Bytes(_) => true,
        }
    }
}

/// The symbolic variables of an input.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Symbols {
    /// The length of a string or array.
    pub length: Option<VarIndex>,
    /// The primitive, characters or elements.
    pub values: Vec<VarIndex>,
}

/// An input placed into the machine.
pub struct PlacedInput {
    /// Its value.
    pub value: Value,
    /// Its variables.
    pub symbols: Symbols,
    /// Constraints that its variables satisfy by construction.
    pub bounds: Vec<TermId>,
}

/// Places a symbolic input into the machine; its variables are 0 until a model assigns them. They are named
/// as the source would write them, since constraints are shown to people.
pub fn make_symbolic(machine: &mut Machine, input: &Input, name: &str) -> Step<PlacedInput> {
    make_symbolic_again(machine, input, name, &Symbols::default())
}

/// Places a symbolic input with these variables into the machine, and with new ones where these are not enough.
pub fn make_symbolic_again(
    machine: &mut Machine,
    input: &Input,
    name: &str,
    known: &Symbols,
) -> Step<PlacedInput> {
    let mut made = PlacedInput { value: Value::default(), symbols: Symbols::default(), bounds: Vec::new() };
    let symbols = &mut made.symbols;
    match input {
        Input::Primitive(kind) => made.value = variable(machine, *kind, name, known, symbols),
        Input::Boxed(kind) => {
            let value = variable(machine, *kind, name, known, symbols);
            made.value = Value::reference(make_box(machine, *kind, value)?);
        }
        Input::String { max, .. } => {
            let characters: Vec<Value> = (0..*max)
                .map(|at| variable(machine, Kind::Char, &format!("{name}.charAt({at})"), known, symbols))
                .collect();
            let length = length_variable(machine, *max, &format!("{name}.length()"), known, &mut made);
            made.value = Value::reference(machine.new_symbolic_string(&characters, length)?);
        }
        Input::Array { element, max } => {
            let elements: Vec<Value> = (0..*max)
                .map(|at| variable(machine, *element, &format!("{name}[{at}]"), known, symbols))
                .collect();
            let length = length_variable(machine, *max, &format!("{name}.length"), known, &mut made);
            made.value = Value::reference(machine.new_symbolic_array(*element, &elements, length)?);
        }
        Input::Bytes(length) => {
            let elements: Vec<Value> = (0..*length)
                .map(|at| variable(machine, Kind::Byte, &format!("{name}[{at}]"), known, symbols))
                .collect();
            let length = Value::concrete(u64::from(*length));
            made.value = Value::reference(machine.new_symbolic_array(Kind::Byte, &elements, length)?);
        }
        Input::Null
        | Input::Text(_)
        | Input::ClassLiteral(_)
        | Input::Fixed(..)
        | Input::FixedBox(..)
        | Input::Elements(..) => made.value = make_fixed(machine, input)?,
    }
    Ok(made)
}

fn make_fixed(machine: &mut Machine, input: &Input) -> Step<Value> {
    Ok(Value::reference(match input {
        // String literals are interned.
        Input::Text(units) => machine.intern(units)?,
        Input::ClassLiteral(class) => machine.mirror(*class)?,
        Input::Fixed(kind, bits) => return Ok(Value::concrete(slot_of(*kind, *bits))),
        Input::FixedBox(kind, bits) => return box_by_value_of(machine, *kind, slot_of(*kind, *bits)),
        Input::Elements(kind, values) => {
            let class = machine.load(&format!("[{}", kind.letter()))?;
            let array = machine.new_array(class, values.len() as u32)?;
            for (at, bits) in values.iter().enumerate() {
                machine.set_element_value(array, at as u32, *kind, Value::concrete(slot_of(*kind, *bits)));
            }
            array
        }
        _ => 0,
    }))
}

/// Places an input into the machine with its values under a model, without symbols.
///
/// Literals are interned and small boxes are shared, which code that compares identities can detect. `fresh`
/// creates separate objects instead.
pub fn make_concrete(
    machine: &mut Machine,
    input: &Input,
    symbols: &Symbols,
    model: &Model,
    fresh: bool,
) -> Step<Value> {
    let value = |at: usize| symbols.values.get(at).map_or(0, |v| model.get(*v));
    let length = || symbols.length.map_or(0, |v| model.get(v) as usize);
    match input {
        Input::Primitive(kind) => Ok(Value::concrete(slot_of(*kind, value(0)))),
        Input::Boxed(kind) => {
            let bits = slot_of(*kind, value(0));
            if fresh {
                return Ok(Value::reference(make_box(machine, *kind, Value::concrete(bits))?));
            }
            box_by_value_of(machine, *kind, bits)
        }
        Input::String { .. } => {
            let units: Vec<u16> = (0..length()).map(|at| value(at) as u16).collect();
            if fresh {
                return Ok(Value::reference(machine.new_string(&units)?));
            }
            Ok(Value::reference(machine.intern(&units)?))
        }
        Input::Array { element, .. } => {
            let class = machine.load(&format!("[{}", element.letter()))?;
            let array = machine.new_array(class, length() as u32)?;
            for at in 0..length() {
                let slot = Value::concrete(slot_of(*element, value(at)));
                machine.set_element_value(array, at as u32, *element, slot);
            }
            Ok(Value::reference(array))
        }
        Input::Bytes(length) => {
            let class = machine.load("[B")?;
            let array = machine.new_array(class, *length)?;
            for at in 0..*length {
                let slot = Value::concrete(slot_of(Kind::Byte, value(at as usize)));
                machine.set_element_value(array, at, Kind::Byte, slot);
            }
            Ok(Value::reference(array))
        }
        Input::Null
        | Input::Text(_)
        | Input::ClassLiteral(_)
        | Input::Fixed(..)
        | Input::FixedBox(..)
        | Input::Elements(..) => make_fixed(machine, input),
    }
}

/// The input with its values under a model, without symbols.
pub fn fixed(input: &Input, symbols: &Symbols, model: &Model) -> Input {
    let value = |at: usize| symbols.values.get(at).map_or(0, |v| model.get(*v));
    let values = |length: usize| (0..length).map(value).collect::<Vec<u64>>();
    let length = symbols.length.map_or(0, |v| model.get(v) as usize);
    match input {
        Input::Primitive(kind) => Input::Fixed(*kind, value(0)),
        Input::Boxed(kind) => Input::FixedBox(*kind, value(0)),
        Input::String { .. } => Input::Text(values(length).into_iter().map(|it| it as u16).collect()),
        Input::Array { element, .. } => Input::Elements(*element, values(length)),
        Input::Bytes(length) => Input::Elements(Kind::Byte, values(*length as usize)),
        Input::Null
        | Input::Text(_)
        | Input::ClassLiteral(_)
        | Input::Fixed(..)
        | Input::FixedBox(..)
        | Input::Elements(..) => input.clone(),
    }
}

/// The input under a model as source code; arrays have their elements.
pub fn literal(machine: &Machine, input: &Input, symbols: &Symbols, model: &Model) -> SourceValue {
    let value = |at: usize| symbols.values.get(at).map_or(0, |v| model.get(*v));
    let length = symbols.length.map_or(0, |v| model.get(v) as usize);
    match input {
        Input::Primitive(kind) => SourceValue::Literal(primitive_literal(*kind, slot_of(*kind, value(0)))),
        Input::Boxed(kind) => {
            SourceValue::Literal(Literal::Boxed(Box::new(primitive_literal(*kind, slot_of(*kind, value(0))))))
        }
        Input::Null => SourceValue::Literal(Literal::Null),
        Input::String { .. } => {
            SourceValue::Literal(Literal::String((0..length).map(|at| value(at) as u16).collect()))
        }
        Input::Text(units) => SourceValue::Literal(Literal::String(units.clone())),
        Input::Array { element, .. } => SourceValue::Elements(
            java_type(*element),
            (0..length).map(|at| primitive_literal(*element, slot_of(*element, value(at)))).collect(),
        ),
        Input::Bytes(length) => {
            let bytes: Vec<u8> = (0..*length as usize).map(|at| value(at) as u8).collect();
            if is_text(&bytes) {
                SourceValue::TextBytes(bytes.into_iter().map(u16::from).collect())
            } else {
                SourceValue::Elements(
                    JavaType::Byte,
                    bytes.into_iter().map(|byte| Literal::Byte(byte as i8)).collect(),
                )
            }
        }
        Input::ClassLiteral(class) => {
            let ty = JavaType::parse(&machine.descriptor_of(*class)).unwrap_or(JavaType::Void);
            SourceValue::Literal(Literal::Class(ty))
        }
        Input::Fixed(kind, bits) => SourceValue::Literal(primitive_literal(*kind, slot_of(*kind, *bits))),
        Input::FixedBox(kind, bits) => {
            SourceValue::Literal(Literal::Boxed(Box::new(primitive_literal(*kind, slot_of(*kind, *bits)))))
        }
        Input::Elements(Kind::Byte, values) if is_long_text(values) => {
            SourceValue::TextBytes(values.iter().map(|byte| *byte as u16).collect())
        }
        Input::Elements(kind, values) => SourceValue::Elements(
            java_type(*kind),
            values.iter().map(|bits| primitive_literal(*kind, slot_of(*kind, *bits))).collect(),
        ),
    }
}

/// An input as source code.
pub enum SourceValue {
    /// A literal.
    Literal(Literal),
    /// A new array with this element type and these elements.
    Elements(JavaType, Vec<Literal>),
    /// The bytes of this ASCII text.
    TextBytes(Vec<u16>),
}

/// Whether bytes are printable text that is the same in all common encodings.
pub fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r'))
}

/// Whether bytes are more readable as the text that they are.
fn is_long_text(bytes: &[u64]) -> bool {
    const SHORT: usize = 8;
    let is_ascii = bytes.iter().all(|byte| *byte < 0x80);
    bytes.len() > SHORT && is_ascii && is_text(&bytes.iter().map(|byte| *byte as u8).collect::<Vec<_>>())
}

/// The stack slot for a variable's bits: narrow kinds are widened as by the JVM, and values of 32 bits have no other
/// bits.
fn slot_of(kind: Kind, bits: u64) -> u64 {
    match kind {
        Kind::Int | Kind::Float => u64::from(bits as u32),
        _ => kind.narrow(bits),
    }
}

/// The literal of a primitive slot.
pub fn primitive_literal(kind: Kind, slot: u64) -> Literal {
    match kind {
        Kind::Boolean => Literal::Boolean(slot & 1 != 0),
        Kind::Byte => Literal::Byte(slot as i8),
        Kind::Char => Literal::Char(slot as u16),
        Kind::Short => Literal::Short(slot as i16),
        Kind::Int => Literal::Int(slot as u32 as i32),
        Kind::Long => Literal::Long(slot as i64),
        Kind::Float => Literal::Float(f32::from_bits(slot as u32)),
        Kind::Double => Literal::Double(f64::from_bits(slot)),
        Kind::Reference | Kind::Void => Literal::Null,
    }
}

/// The Java type of a primitive kind.
pub fn java_type(kind: Kind) -> JavaType {
    match kind {
        Kind::Boolean => JavaType::Boolean,
        Kind::Byte => JavaType::Byte,
        Kind::Char => JavaType::Char,
        Kind::Short => JavaType::Short,
        Kind::Int => JavaType::Int,
        Kind::Long => JavaType::Long,
        Kind::Float => JavaType::Float,
        Kind::Double => JavaType::Double,
        Kind::Reference => JavaType::class("java/lang/Object"),
        Kind::Void => JavaType::Void,
    }
}

/// The box class of a primitive kind.
pub fn box_class(kind: Kind) -> &'static str {
    BOXES.iter().find(|(k, _)| *k == kind).map_or("java/lang/Object", |(_, class)| class)
}

/// The primitive kind of a box class.
pub fn boxed_kind(class: &str) -> Option<Kind> {
    BOXES.iter().find(|(_, name)| *name == class).map(|(kind, _)| *kind)
}

const BOXES: [(Kind, &str); 8] = [
    (Kind::Boolean, "java/lang/Boolean"),
    (Kind::Byte, "java/lang/Byte"),
    (Kind::Char, "java/lang/Character"),
    (Kind::Short, "java/lang/Short"),
    (Kind::Int, "java/lang/Integer"),
    (Kind::Long, "java/lang/Long"),
    (Kind::Float, "java/lang/Float"),
    (Kind::Double, "java/lang/Double"),
];

fn make_box(machine: &mut Machine, kind: Kind, value: Value) -> Step<cupping_machine::Addr> {
    let class = machine.load(box_class(kind))?;
    machine.initialize_class_now(class)?;
    let object = machine.new_object(class)?;
    if let Some(offset) = machine.field_offset(class, "value") {
        machine.write_word(object + offset, value.bits);
        machine.set_heap_shadow((object + offset) as u64 * 8, 8, value.shadow);
    }
    Ok(object)
}

/// A box from `valueOf`, as in emitted tests.
fn box_by_value_of(machine: &mut Machine, kind: Kind, bits: u64) -> Step<Value> {
    let class = machine.load(box_class(kind))?;
    machine.initialize_class_now(class)?;
    let descriptor = format!("({})L{};", kind.letter(), box_class(kind));
    match machine.declared_method(class, "valueOf", &descriptor) {
        Some(method) => machine.call(method, &[Value::concrete(bits)]),
        None => Ok(Value::reference(make_box(machine, kind, Value::concrete(bits))?)),
    }
}

/// The next of the known variables, or a new one of this kind, as a slot with its shadow.
fn variable(machine: &mut Machine, kind: Kind, name: &str, known: &Symbols, symbols: &mut Symbols) -> Value {
    let terms = machine.terms_mut();
    let sort = match kind {
        Kind::Boolean => Sort::Bool,
        Kind::Byte => Sort::Bv8,
        Kind::Char | Kind::Short => Sort::Bv16,
        Kind::Long => Sort::Bv64,
        Kind::Float => Sort::F32,
        Kind::Double => Sort::F64,
        _ => Sort::Bv32,
    };
    let known = known.values.get(symbols.values.len()).copied();
    let variable = match known {
        Some(known) => terms.variable(known).term,
        None => terms.new_variable(name, sort),
    };
    symbols.values.extend(terms.as_variable(variable));
    let term = match kind {
        Kind::Boolean => terms.bool_to_int(variable),
        Kind::Byte | Kind::Short => terms.sext(Sort::Bv32, variable),
        Kind::Char => terms.zext(Sort::Bv32, variable),
        _ => variable,
    };
    Value { bits: 0, shadow: shadow_of(term) }
}

fn length_variable(
    machine: &mut Machine,
    max: u32,
    name: &str,
    known: &Symbols,
    made: &mut PlacedInput,
) -> Value {
    let terms = machine.terms_mut();
    let variable = match known.length {
        Some(known) => terms.variable(known).term,
        None => terms.new_variable(name, Sort::Bv8),
    };
    made.symbols.length = terms.as_variable(variable);
    let limit = terms.constant(Sort::Bv8, max as u64);
    made.bounds.push(terms.ule(variable, limit));
    let term = terms.zext(Sort::Bv32, variable);
    Value { bits: 0, shadow: shadow_of(term) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A negative constant of the code is a `long` before it becomes the bits of an input.
    #[test]
    fn slots_have_the_bits_of_their_kind_only() {
        let bits = -4_i64 as u64;
        assert_eq!(slot_of(Kind::Int, bits), u64::from(-4_i32 as u32));
        assert_eq!(slot_of(Kind::Float, bits), u64::from(-4_i32 as u32));
        assert_eq!(slot_of(Kind::Byte, 0x1_80), u64::from(-128_i32 as u32));
        assert_eq!(slot_of(Kind::Char, bits), 0xfffc);
        assert_eq!(slot_of(Kind::Boolean, 3), 1);
        assert_eq!(slot_of(Kind::Long, bits), bits);
    }

    #[test]
    fn long_ascii_bytes_are_shown_as_text() {
        let bytes = |text: &str| text.bytes().map(u64::from).collect::<Vec<u64>>();
        assert!(is_long_text(&bytes("123456789")));
        assert!(!is_long_text(&bytes("12345678")), "short");
        assert!(!is_long_text(&bytes("1234567\u{e9}9")), "depends on the encoding");
        assert!(!is_long_text(&bytes("12345678\0")), "not printable");
    }
}
