//! Values that can be written as a Java expression without calling anything.

use crate::JavaType;

/// A value that Java source can state by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A `byte`.
    Byte(i8),
    /// A UTF-16 unit; surrogates may stand alone.
    Char(u16),
    /// A `short`.
    Short(i16),
    /// An `int`.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`; equality of literals is Rust's, so compare bits where NaN matters.
    Float(f32),
    /// A `double`.
    Double(f64),
    /// A `String` as UTF-16 units; surrogates may stand alone.
    String(Vec<u16>),
    /// A class literal such as `String.class`.
    Class(JavaType),
    /// A constant of an enum, or any other public static final field: internal class name and field name.
    Constant {
        /// Internal name of the declaring class.
        class: Box<str>,
        /// Name of the field.
        field: Box<str>,
    },
    /// A box (`Integer`, `Character`, …) around a primitive literal.
    Boxed(Box<Literal>),
}
