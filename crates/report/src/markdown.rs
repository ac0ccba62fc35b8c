//! Common parts of documents in Markdown.

/// Code in a cell of a table; nothing for an empty text.
pub(crate) fn cell(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    // A run of backticks inside needs a longer one outside.
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A title that begins with a capital letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().collect::<String>());
    first.map_or(String::new(), |first| first + characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No text ends its cell or its row.
    #[test]
    fn code_stays_in_its_cell() {
        let cases = [
            ("", ""),
            ("a + b", "`a + b`"),
            ("a || b", "`a \\|\\| b`"),
            ("'`'", "`` '`' ``"),
            ("a\nb", "`a b`"),
            ("a\rb", "`a b`"),
        ];
        for (text, expected) in cases {
            assert_eq!(cell(text), expected);
        }
        assert_eq!((capitalised("ähnlich"), capitalised("")), ("Ähnlich".to_owned(), String::new()));
    }
}
