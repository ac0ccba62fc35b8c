//! Values that are Java expressions by themselves, without a call.

use crate::JavaType;
use serde::{Deserialize, Serialize};

/// A value that Java source can express directly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A `byte`.
    Byte(i8),
    /// A UTF-16 code unit; unpaired surrogates are possible.
    Char(u16),
    /// A `short`.
    Short(i16),
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`. Equality of literals is Rust's, so compare bits where NaN matters.
    Float(#[serde(with = "bits_of_float")] f32),
    /// A `double`.
    Double(#[serde(with = "bits_of_double")] f64),
    /// A `String` as UTF-16 code units; unpaired surrogates are possible.
    String(Vec<u16>),
    /// A class literal such as `String.class`.
    Class(JavaType),
    /// An enum constant or another public static final field.
    Constant {
        /// Internal name of the declaring class.
        class: Box<str>,
        /// Name of the field.
        field: Box<str>,
    },
    /// A box (`Integer`, `Character`, …) of a primitive literal.
    Boxed(Box<Literal>),
}

/// JSON has neither NaN nor infinities, so floats are stored as their bits.
mod bits_of_float {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(value.to_bits())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        u32::deserialize(deserializer).map(f32::from_bits)
    }
}

/// The same for doubles.
mod bits_of_double {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.to_bits())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}
