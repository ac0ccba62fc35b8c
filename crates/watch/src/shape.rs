//! Abstract objects (paper §6.1.1): what a call depends on of the objects it gets, without addresses, so that it can be
//! compared in another run.

use cupping_machine::{Addr, ClassKind, FieldKeys, Kind, Machine};
use rustc_hash::FxHashSet;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// Elements of an array that are compared.
const MOST_ELEMENTS: u32 = 64;
/// Characters of a string that are shown.
const SHOWN: usize = 60;

/// A value without its identity.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `null`.
    Null,
    /// A primitive value.
    Bits(Kind, u64),
    /// A string.
    Text(Vec<u16>),
    /// An object: its class, and the fields that matter, by name.
    Object(Arc<str>, Vec<(Arc<str>, Shape)>),
    /// An array: its class, its length, its first elements.
    Array(Arc<str>, u32, Vec<Shape>),
    /// An object that was used but not looked into: its class.
    Some(Arc<str>),
    /// Anything at all.
    Any,
}

/// What is looked at of objects: pairs of object and key of a field that were read, or all.
pub(crate) type Reads = FxHashSet<(Addr, u32)>;

/// The shape of a value, objects down to a depth; fields that were not read (if that is known) and objects of the JDK but
/// strings and boxes are not looked into.
pub(crate) fn shape_of(
    machine: &Machine,
    kind: Kind,
    bits: u64,
    depth: usize,
    reads: Option<&Reads>,
) -> Shape {
    if kind != Kind::Reference {
        return Shape::Bits(kind, bits);
    }
    let object = bits as Addr;
    if object == 0 {
        return Shape::Null;
    }
    let id = machine.class_of(object);
    let class = machine.class(id);
    if &*class.name == "java/lang/String" {
        return Shape::Text(machine.string_units(object));
    }
    if let ClassKind::Array { kind, .. } = class.kind {
        let length = machine.array_length(object);
        let shown = if depth == 0 { 0 } else { length.min(MOST_ELEMENTS) };
        let element = |at| shape_of(machine, kind, machine.element(object, at, kind), depth - 1, reads);
        return Shape::Array(class.name.clone(), length, (0..shown).map(element).collect());
    }
    let is_box = is_box(&class.name);
    if depth == 0
        || (class.from_jdk && !is_box && class.super_class.is_none_or(|it| machine.class(it).from_jdk))
    {
        return Shape::Some(class.name.clone());
    }
    let mut fields = Vec::new();
    let mut at = Some(id);
    while let Some(id) = at {
        let class = machine.class(id);
        if !class.from_jdk || is_box {
            for field in class.fields.iter().filter(|field| !field.is_static()) {
                let key = FieldKeys::new(&class.name, &field.name).of_object;
                if is_box && &*field.name != "value"
                    || reads.is_some_and(|it| !is_box && !it.contains(&(object, key)))
                {
                    continue;
                }
                let bits = machine.field(object, field.offset as u32);
                // Of an array in a field it is not known which elements were read: its length is all that counts.
                let is_array = field.kind == Kind::Reference
                    && bits != 0
                    && matches!(machine.class(machine.class_of(bits as Addr)).kind, ClassKind::Array { .. });
                let depth = if is_array && reads.is_some() { 0 } else { depth - 1 };
                fields.push((field.name.clone(), shape_of(machine, field.kind, bits, depth, reads)));
            }
        }
        at = class.super_class;
    }
    let class = machine.class(id);
    if fields.is_empty() {
        Shape::Some(class.name.clone())
    } else {
        Shape::Object(class.name.clone(), fields)
    }
}

fn is_box(class: &str) -> bool {
    matches!(
        class,
        "java/lang/Integer"
            | "java/lang/Long"
            | "java/lang/Short"
            | "java/lang/Byte"
            | "java/lang/Character"
            | "java/lang/Boolean"
            | "java/lang/Double"
            | "java/lang/Float"
    )
}

impl Shape {
    /// Whether a value is of this shape.
    pub(crate) fn fits(&self, machine: &Machine, bits: u64) -> bool {
        let object = bits as Addr;
        let is_of = |class: &str| object != 0 && machine.class_name_of(object) == class;
        match self {
            Shape::Any => true,
            Shape::Null => object == 0,
            Shape::Bits(_, expected) => *expected == bits,
            Shape::Some(class) => is_of(class),
            Shape::Text(units) => is_of("java/lang/String") && machine.string_units(object) == *units,
            Shape::Array(class, length, elements) => {
                let kind = machine.element_kind(machine.class_of(object));
                is_of(class)
                    && machine.array_length(object) == *length
                    && (0..)
                        .zip(elements)
                        .all(|(at, shape)| shape.fits(machine, machine.element(object, at, kind)))
            }
            Shape::Object(class, fields) => {
                is_of(class)
                    && fields.iter().all(|(name, shape)| {
                        machine
                            .field_offset(machine.class_of(object), name)
                            .is_some_and(|offset| shape.fits(machine, machine.field(object, offset)))
                    })
            }
        }
    }

    /// The number that it is, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Shape::Bits(kind, bits) => number(*kind, *bits),
            _ => None,
        }
    }

    /// The same without the fields of these names, at the top: what a condition asks itself.
    pub(crate) fn without(self, names: &[String]) -> Shape {
        match self {
            Shape::Object(class, fields) => {
                let kept =
                    fields.into_iter().filter(|(name, _)| !names.iter().any(|it| **it == **name)).collect();
                Shape::Object(class, kept)
            }
            other => other,
        }
    }
}

/// A primitive number as a real one.
pub(crate) fn number(kind: Kind, bits: u64) -> Option<f64> {
    Some(match kind {
        Kind::Byte | Kind::Short | Kind::Int => bits as u32 as i32 as f64,
        Kind::Char => bits as u16 as f64,
        Kind::Long => bits as i64 as f64,
        Kind::Float => f32::from_bits(bits as u32) as f64,
        Kind::Double => f64::from_bits(bits),
        _ => return None,
    })
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let simple = |class: &str| class.rsplit(['/', '$']).next().unwrap_or(class).to_owned();
        match self {
            Shape::Any => f.write_str("any"),
            Shape::Null => f.write_str("null"),
            Shape::Bits(kind, bits) => match kind {
                Kind::Boolean => write!(f, "{}", *bits != 0),
                Kind::Char => write!(f, "{:?}", char::from_u32(*bits as u32).unwrap_or('\u{fffd}')),
                Kind::Long => write!(f, "{}L", *bits as i64),
                Kind::Float => write!(f, "{:?}f", f32::from_bits(*bits as u32)),
                Kind::Double => write!(f, "{:?}", f64::from_bits(*bits)),
                Kind::Void => f.write_str("nothing"),
                _ => write!(f, "{}", *bits as u32 as i32),
            },
            Shape::Text(units) => {
                let text = String::from_utf16_lossy(units);
                let cut: String = text.chars().take(SHOWN).collect();
                write!(f, "{cut:?}{}", if cut.len() < text.len() { "…" } else { "" })
            }
            Shape::Some(class) => f.write_str(&simple(class)),
            Shape::Array(class, length, elements) => {
                let shown: Vec<String> = elements.iter().take(12).map(ToString::to_string).collect();
                let more = if *length as usize > shown.len() { ", …" } else { "" };
                write!(
                    f,
                    "{}[{}{more}]",
                    simple(class.trim_start_matches('[').trim_end_matches(';')),
                    shown.join(", ")
                )
            }
            Shape::Object(class, fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, shape)| format!("{name}={shape}")).collect();
                write!(f, "{}{{{}}}", simple(class), fields.join(", "))
            }
        }
    }
}
