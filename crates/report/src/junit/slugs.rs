//! Words for identifiers: types, values and methods as parts of a name.

use super::type_names::ClassName;
use cupping_case::{JavaType, Literal};
use cupping_view::RESERVED_WORDS;

/// Whether this is a valid name of a variable or a method in every version of Java.
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| is_part(c) && !c.is_numeric())
        && chars.all(is_part)
        && text != "_"
        && !RESERVED_WORDS.contains(&text)
}

/// Whether a character may be in a name.
fn is_part(character: char) -> bool {
    is_of_word(character) || character == '_' || character == '$'
}

/// Whether a character is a letter or digit of a name, in any script.
fn is_of_word(character: char) -> bool {
    // Java excludes some characters that Unicode allows in names, such as the middle dot.
    character.is_alphanumeric() && unicode_ident::is_xid_continue(character)
}

/// The only character of a case mapping. Letters whose mapping has several, such as `ß`, stay as they are.
fn only(mut mapped: impl ExactSizeIterator<Item = char>, letter: char) -> char {
    if mapped.len() == 1 { mapped.next().unwrap_or(letter) } else { letter }
}

/// First letter in upper case.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    only(first.to_uppercase(), first).to_string() + chars.as_str()
}

/// First letters in lower case: `URLReader` becomes `urlReader`, `CoinBox` becomes `coinBox`.
pub fn decapitalised(text: &str) -> String {
    let upper = text.chars().take_while(|it| it.is_uppercase()).count();
    // The last capital of `XMLEvent` begins a word, that of `SVG12` does not.
    let begins_word = text.chars().nth(upper).is_some_and(char::is_lowercase);
    let lowered = if upper > 1 && begins_word { upper - 1 } else { upper };
    let low: String = text.chars().take(lowered).map(|it| only(it.to_lowercase(), it)).collect();
    low + &text.chars().skip(lowered).collect::<String>()
}

/// Free text as one camel-case word: `denominator == 0` becomes `denominatorIsZero`.
pub fn camel_case(text: &str) -> String {
    let spelt = [
        ("==", " is "),
        ("!=", " isNot "),
        ("<=", " atMost "),
        (">=", " atLeast "),
        ("<", " below "),
        (">", " above "),
        ("&&", " and "),
        ("||", " or "),
        ("-", " minus "),
        ("+", " plus "),
        ("!", " not "),
    ];
    let text = spelt.iter().fold(text.to_string(), |text, (sign, word)| text.replace(sign, word));
    let mut out = String::new();
    for word in text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()) {
        let word = if word == "0" { "zero" } else { word };
        out += &if out.is_empty() { decapitalised(word) } else { capital(word) };
    }
    out
}

/// A type as a word: `int`, `String`, `intArray`.
pub fn of_type(ty: &JavaType) -> String {
    match ty {
        JavaType::Class(name) => identifier_part(ClassName::parse(name).simple()),
        JavaType::Array(element) => format!("{}Array", of_type(element)),
        primitive => primitive.to_string(),
    }
}

/// A value as a word, such as `zero`, `minus3`, `null`, `empty`; `None` if there is no short one.
pub fn of_literal(literal: &Literal) -> Option<String> {
    match literal {
        Literal::Null => Some("null".into()),
        Literal::Boolean(value) => Some(value.to_string()),
        Literal::Byte(value) => Some(of_integer(i64::from(*value), i64::from(i8::MIN), i64::from(i8::MAX))),
        Literal::Short(value) => {
            Some(of_integer(i64::from(*value), i64::from(i16::MIN), i64::from(i16::MAX)))
        }
        Literal::Int(value) => Some(of_integer(i64::from(*value), i64::from(i32::MIN), i64::from(i32::MAX))),
        Literal::Long(value) => Some(of_integer(*value, i64::MIN, i64::MAX)),
        Literal::Float(value) => of_float(f64::from(*value), f64::from(f32::MAX), format!("{value:?}")),
        Literal::Double(value) => of_float(*value, f64::MAX, format!("{value:?}")),
        Literal::Char(unit) => of_char(*unit),
        Literal::String(units) => of_string(units),
        Literal::Class(ty) => Some(format!("{}Class", of_type(ty))),
        Literal::Constant { field, .. } => Some(of_constant(field)),
        Literal::Boxed(inner) => of_literal(inner),
    }
}

fn of_integer(value: i64, min: i64, max: i64) -> String {
    match value {
        0 => "zero".into(),
        _ if value == min => "minValue".into(),
        _ if value == max => "maxValue".into(),
        _ if value < 0 => format!("minus{}", value.unsigned_abs()),
        _ => value.to_string(),
    }
}

fn of_float(value: f64, max: f64, digits: String) -> Option<String> {
    let size = match value.abs() {
        size if size.is_nan() => return Some("NaN".into()),
        0.0 => "zero".into(),
        f64::INFINITY => "infinity".into(),
        size if size == max => "maxValue".into(),
        _ => {
            let digits = digits.trim_start_matches('-');
            let digits = digits.strip_suffix(".0").unwrap_or(digits);
            digits.replace('.', "point").replace("e-", "eMinus")
        }
    };
    let word = if value.is_sign_negative() { format!("minus{}", capital(&size)) } else { size };
    (word.len() <= 16).then_some(word)
}

pub(super) fn of_char(unit: u16) -> Option<String> {
    let letter = char::from_u32(u32::from(unit))?;
    Some(match CHARACTERS.iter().find(|(character, _)| *character == letter) {
        Some((_, name)) => (*name).into(),
        None if letter.is_ascii_alphanumeric() => letter.to_string(),
        None => format!("u{unit:04x}"),
    })
}

/// Names of characters that no identifier has.
const CHARACTERS: &[(char, &str)] = &[
    ('\0', "nul"),
    ('\t', "tab"),
    ('\n', "newline"),
    ('\r', "carriageReturn"),
    (' ', "space"),
    ('!', "exclamation"),
    ('"', "quote"),
    ('#', "hash"),
    ('$', "dollar"),
    ('%', "percent"),
    ('&', "ampersand"),
    ('\'', "apostrophe"),
    ('(', "paren"),
    (')', "closeParen"),
    ('*', "asterisk"),
    ('+', "plus"),
    (',', "comma"),
    ('-', "hyphen"),
    ('.', "dot"),
    ('/', "slash"),
    (':', "colon"),
    (';', "semicolon"),
    ('<', "less"),
    ('=', "equalsSign"),
    ('>', "greater"),
    ('?', "question"),
    ('@', "at"),
    ('[', "bracket"),
    ('\\', "backslash"),
    (']', "closeBracket"),
    ('^', "caret"),
    ('_', "underscore"),
    ('`', "backtick"),
    ('{', "brace"),
    ('|', "bar"),
    ('}', "closeBrace"),
    ('~', "tilde"),
];

fn of_string(units: &[u16]) -> Option<String> {
    if units.is_empty() {
        return Some("empty".into());
    }
    if units.iter().all(|&unit| unit == 0x20) {
        return Some("blank".into());
    }
    let text = String::from_utf16(units).ok()?;
    (text.len() <= 12 && text.chars().all(|c| c.is_ascii_alphanumeric())).then_some(text)
}

/// `MAX_SIZE` as `maxSize`.
fn of_constant(field: &str) -> String {
    if field.chars().any(char::is_lowercase) {
        return identifier_part(field);
    }
    camel_case(&field.to_lowercase())
}

/// Keeps characters that are valid in an identifier, except `_`, which separates the words of a test's name.
pub fn identifier_part(text: &str) -> String {
    text.chars().filter(|c| is_of_word(*c) || *c == '$').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_a_person_would_choose() {
        assert_eq!(decapitalised("CoinBox"), "coinBox");
        assert_eq!(decapitalised("URLReader"), "urlReader");
        assert_eq!(decapitalised("BMI"), "bmi");
        assert_eq!(decapitalised("SVG12Engine"), "svg12Engine");
        assert_eq!(decapitalised("ÄrgerÜber"), "ärgerÜber");
        assert_eq!(capital("über") + &capital("ßen"), "Überßen");
        assert_eq!(identifier_part("größe_数·2²"), "größe数2");
        assert_eq!(camel_case("größe <= 5"), "größeAtMost5");
        assert_eq!(camel_case("denominator == 0"), "denominatorIsZero");
        let table = [
            (Literal::Int(0), "zero"),
            (Literal::Int(-3), "minus3"),
            (Literal::Long(i64::MIN), "minValue"),
            (Literal::Double(-0.0), "minusZero"),
            (Literal::Double(1.5), "1point5"),
            (Literal::Float(-1e-7), "minus1eMinus7"),
            (Literal::String(vec![]), "empty"),
            (Literal::Char(b'-' as u16), "hyphen"),
            (Literal::Constant { class: "A".into(), field: "DARK_RED".into() }, "darkRed"),
        ];
        for (literal, word) in table {
            assert_eq!(of_literal(&literal).as_deref(), Some(word));
        }
        assert_eq!(of_literal(&Literal::String("a b".encode_utf16().collect())), None);
    }

    #[test]
    fn keywords_are_no_identifiers() {
        assert!(is_identifier("coinBox") && is_identifier("größe") && is_identifier("数"));
        for bad in ["int", "", "3x", "a-b", "record", "_"] {
            assert!(!is_identifier(bad), "{bad}");
        }
    }
}
