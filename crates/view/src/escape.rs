//! Text made safe for pages and drawings.
//!
//! Markup is written with `maud`, which escapes every text. This file handles the rest: control characters, which
//! neither HTML nor XML allows even as references, and JSON inside of a `script` element.

use serde::Serialize;

/// Text as the content of an element, or of an attribute in quotes, of HTML, XML or SVG.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(printable_char(c)),
        }
    }
    out
}

/// The document with its control characters replaced by their pictures.
pub fn printable(document: &str) -> String {
    document.chars().map(printable_char).collect()
}

fn printable_char(c: char) -> char {
    match c {
        '\t' | '\n' => c,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('?'),
        '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        _ => c,
    }
}

/// A value as JSON for a `script` element: nothing in it can end the element or begin a comment.
pub fn script_json(value: &impl Serialize) -> String {
    // Strings, numbers and lists only: serialisation cannot fail.
    let json = serde_json::to_string(value).unwrap_or_default();
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(escape("<a href=\"x\">'&\u{0}\t"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\u{2400}\t");
        assert_eq!(printable("<p>\u{1b}[0m\u{9f}\n"), "<p>\u{241b}[0m\u{fffd}\n");
    }

    #[test]
    fn json_stays_in_its_element_and_reads_back() {
        let texts = ["</script><!--", "]]>&amp;", "\u{2028}\"\\"];
        let json = script_json(&texts);
        assert!(!json.contains(['<', '>', '&']), "{json}");
        let read: Vec<String> = serde_json::from_str(&json).unwrap();
        assert_eq!(read, texts);
    }
}
