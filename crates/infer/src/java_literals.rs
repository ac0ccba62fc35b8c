//! Values as Java source writes them.

use cupping_case::Literal;

/// A name without what stands before its last dot.
pub fn simple(name: &str) -> &str {
    name.rsplit(['.', '$', '/']).next().unwrap_or(name)
}

/// A literal in Java syntax, without escaping.
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
        Literal::Float(value) if !value.is_finite() => real_text(f64::from(*value), "Float"),
        Literal::Float(value) => format!("{value:?}f"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_java() {
        let text = |it: &str| Literal::String(it.encode_utf16().collect());
        let cases = [
            (Literal::Int(i32::MIN), "Integer.MIN_VALUE"),
            (Literal::Long(7), "7L"),
            (Literal::Long(i64::MAX), "Long.MAX_VALUE"),
            (Literal::Byte(-1), "(byte) -1"),
            (Literal::Float(2.5), "2.5f"),
            (Literal::Float(f32::NAN), "Float.NaN"),
            (Literal::Float(f32::NEG_INFINITY), "Float.NEGATIVE_INFINITY"),
            (Literal::Float(0.1), "0.1f"),
            (Literal::Double(1.0), "1.0"),
            (Literal::Double(f64::INFINITY), "Double.POSITIVE_INFINITY"),
            (Literal::Char(u16::from(b'\'')), "'\\''"),
            (Literal::Char(9), "'\\u0009'"),
            (text("a\"b\\\u{e9}"), "\"a\\\"b\\\\\\u00e9\""),
            (Literal::Constant { class: "p/Color".into(), field: "RED".into() }, "Color.RED"),
        ];
        for (literal, expected) in cases {
            assert_eq!(literal_text(&literal), expected);
        }
    }
}
