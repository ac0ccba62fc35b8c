//! Primitive values and strings as Java source with exactly the same value (JLS §3.10).

/// Maximum length of a piece of a string in one literal, in UTF-16 units: a constant holds 65535 bytes of modified
/// UTF-8 (JVMS §4.4.7), and a unit takes at most three.
const LONGEST_PIECE: usize = 16_000;

/// An `int` literal.
pub fn int(value: i32) -> String {
    match value {
        i32::MIN => "Integer.MIN_VALUE".into(),
        i32::MAX => "Integer.MAX_VALUE".into(),
        _ => value.to_string(),
    }
}

/// A `long` literal.
pub fn long(value: i64) -> String {
    match value {
        i64::MIN => "Long.MIN_VALUE".into(),
        i64::MAX => "Long.MAX_VALUE".into(),
        _ => format!("{value}L"),
    }
}

/// A `byte` expression.
pub fn byte(value: i8) -> String {
    match value {
        i8::MIN => "Byte.MIN_VALUE".into(),
        i8::MAX => "Byte.MAX_VALUE".into(),
        _ => format!("(byte) {value}"),
    }
}

/// A `short` expression.
pub fn short(value: i16) -> String {
    match value {
        i16::MIN => "Short.MIN_VALUE".into(),
        i16::MAX => "Short.MAX_VALUE".into(),
        _ => format!("(short) {value}"),
    }
}

/// A `float` expression with the same bits.
pub fn float(value: f32) -> String {
    if value.is_nan() {
        return match value.to_bits() {
            0x7fc0_0000 => "Float.NaN".into(),
            bits => format!("Float.intBitsToFloat(0x{bits:08x})"),
        };
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match value.abs() {
        f32::INFINITY if sign.is_empty() => "Float.POSITIVE_INFINITY".into(),
        f32::INFINITY => "Float.NEGATIVE_INFINITY".into(),
        f32::MAX => format!("{sign}Float.MAX_VALUE"),
        f32::MIN_POSITIVE => format!("{sign}Float.MIN_NORMAL"),
        size if size.to_bits() == 1 => format!("{sign}Float.MIN_VALUE"),
        size => format!("{sign}{size:?}f"),
    }
}

/// A `double` expression with the same bits.
pub fn double(value: f64) -> String {
    if value.is_nan() {
        return match value.to_bits() {
            0x7ff8_0000_0000_0000 => "Double.NaN".into(),
            bits => format!("Double.longBitsToDouble(0x{bits:016x}L)"),
        };
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match value.abs() {
        f64::INFINITY if sign.is_empty() => "Double.POSITIVE_INFINITY".into(),
        f64::INFINITY => "Double.NEGATIVE_INFINITY".into(),
        f64::MAX => format!("{sign}Double.MAX_VALUE"),
        f64::MIN_POSITIVE => format!("{sign}Double.MIN_NORMAL"),
        size if size.to_bits() == 1 => format!("{sign}Double.MIN_VALUE"),
        size => format!("{sign}{size:?}"),
    }
}

/// A `char` literal.
pub fn char(unit: u16) -> String {
    let mut text = String::from("'");
    match unit {
        0x27 => text.push_str("\\'"),
        0x22 => text.push('"'),
        _ => escape(unit, &mut text),
    }
    text.push('\'');
    text
}

/// A `String` expression; strings too long for a constant are joined at run time.
pub fn string(units: &[u16]) -> String {
    if units.len() <= LONGEST_PIECE {
        return piece(units);
    }
    let pieces: Vec<String> = units.chunks(LONGEST_PIECE).map(piece).collect();
    format!("String.join(\"\", {})", pieces.join(", "))
}

fn piece(units: &[u16]) -> String {
    let mut text = String::from("\"");
    let mut after_high = false;
    for &unit in units {
        // After a high surrogate javac 17 looks ahead for a low one, and then miscounts backslashes.
        if unit == 0x5c && after_high {
            text.push_str("\\134");
        } else {
            escape(unit, &mut text);
        }
        after_high = (0xd800..0xdc00).contains(&unit);
    }
    text.push('"');
    text
}

/// Control characters are written in octal: javac replaces `\u000a` before it looks for tokens (JLS §3.3), so a
/// unicode escape of a line terminator would end the line inside of the literal.
fn escape(unit: u16, out: &mut String) {
    match unit {
        0x0a => out.push_str("\\n"),
        0x0d => out.push_str("\\r"),
        0x09 => out.push_str("\\t"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        0x22 => out.push_str("\\\""),
        0x5c => out.push_str("\\\\"),
        0x20..=0x7e => out.push(unit as u8 as char),
        0x00..=0x1f => out.push_str(&format!("\\{unit:03o}")),
        _ => out.push_str(&format!("\\u{unit:04x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_exactly() {
        let table = [
            (int(i32::MIN), "Integer.MIN_VALUE"),
            (int(-1), "-1"),
            (long(i64::MAX), "Long.MAX_VALUE"),
            (long(0), "0L"),
            (byte(-128), "Byte.MIN_VALUE"),
            (byte(-1), "(byte) -1"),
            (short(7), "(short) 7"),
            (float(0.1), "0.1f"),
            (float(-0.0), "-0.0f"),
            (float(f32::from_bits(0x7fc0_0001)), "Float.intBitsToFloat(0x7fc00001)"),
            (double(-0.0), "-0.0"),
            (double(1e300), "1e300"),
            (double(f64::NAN), "Double.NaN"),
            (double(f64::NEG_INFINITY), "Double.NEGATIVE_INFINITY"),
            (double(-5e-324), "-Double.MIN_VALUE"),
            (double(-f64::MAX), "-Double.MAX_VALUE"),
        ];
        for (written, expected) in table {
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn text_is_escaped() {
        let units: Vec<u16> = "a\"\\u\n\0\u{7}1é".encode_utf16().chain([0xd800]).collect();
        assert_eq!(string(&units), r#""a\"\\u\n\000\0071\u00e9\ud800""#);
        assert_eq!(char(b'\'' as u16), r"'\''");
        assert_eq!(char(b'"' as u16), "'\"'");
    }

    #[test]
    fn long_strings_are_joined() {
        let written = string(&vec![b'x' as u16; LONGEST_PIECE + 1]);
        assert!(written.starts_with("String.join(\"\", \"xxx"));
        assert!(written.ends_with("xxx\", \"x\")"));
    }
}
