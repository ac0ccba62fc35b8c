//! Arrays of bytes and of characters that form a text.

use crate::source::tree::Expr;
use cupping_case::{JavaType, Literal};

/// Minimum number of elements of an array that is written as a text.
const LEAST: usize = 4;

/// The text that the elements of such an array form, if it reads better: all are printable, and most are letters,
/// digits or blanks.
pub(super) fn array_text(element: &JavaType, values: &[Expr]) -> Option<String> {
    if !matches!(element, JavaType::Byte | JavaType::Char) || values.len() < LEAST {
        return None;
    }
    let text: String = values.iter().map(character).collect::<Option<_>>()?;
    let words = text.chars().filter(|it| it.is_ascii_alphanumeric() || *it == ' ').count();
    (words * 3 >= text.len() * 2).then_some(text)
}

fn character(value: &Expr) -> Option<char> {
    let code = match value {
        Expr::Literal(Literal::Int(code)) => u8::try_from(*code).ok()?,
        Expr::Literal(Literal::Byte(code)) => u8::try_from(*code).ok()?,
        Expr::Literal(Literal::Char(code)) => u8::try_from(*code).ok()?,
        _ => return None,
    };
    (b' '..=b'~').contains(&code).then_some(char::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_people_read_is_a_text() {
        let bytes = |text: &str| -> Vec<Expr> {
            text.bytes().map(|it| Expr::Literal(Literal::Int(i32::from(it)))).collect()
        };
        let text = |it: &str| array_text(&JavaType::Byte, &bytes(it));
        assert_eq!(text("SGVsbG8=").as_deref(), Some("SGVsbG8="));
        assert_eq!(text("abc"), None);
        assert_eq!(text("-+*/ab"), None);
        assert_eq!(text("ab\ncd"), None);
        assert_eq!(array_text(&JavaType::Int, &bytes("abcd")), None);
        assert_eq!(array_text(&JavaType::Byte, &[Expr::name("a"), Expr::name("b")]), None);
    }
}
