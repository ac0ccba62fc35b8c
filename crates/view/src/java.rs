//! Java as HTML, line by line, with syntax highlighting.
//!
//! A scanner of tokens, not a parser: every token is escaped, so damaged source and other languages of the JVM
//! appear as text at worst.

use crate::escape::escape;
use crate::reserved::RESERVED_WORDS;

/// The comment or text block that continues in the next line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Continuation {
    Nothing,
    Comment,
    TextBlock,
}

/// The lines as HTML. Tokens are in `span`s of these classes: `k` keyword, `s` string or character, `c` comment, `n`
/// number, `a` annotation.
pub fn highlight<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut open = Continuation::Nothing;
    lines.into_iter().map(|line| one(line, &mut open)).collect()
}

fn one(line: &str, open: &mut Continuation) -> String {
    let mut out = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (class, length) = match open {
            Continuation::Comment => ("c", close(rest, "*/", open)),
            Continuation::TextBlock => ("s", close(rest, "\"\"\"", open)),
            Continuation::Nothing => token(rest, open),
        };
        let (text, after) = rest.split_at(length);
        match class {
            "" => out.push_str(&escape(text)),
            class => out.push_str(&format!("<span class=\"{class}\">{}</span>", escape(text))),
        }
        rest = after;
    }
    out
}

/// Length of the text up to the end of the open token, or of all of it.
fn close(text: &str, end: &str, open: &mut Continuation) -> usize {
    match text.find(end) {
        Some(at) => {
            *open = Continuation::Nothing;
            at + end.len()
        }
        None => text.len(),
    }
}

/// Class and length, never 0, of the token that the text begins with.
fn token(text: &str, open: &mut Continuation) -> (&'static str, usize) {
    let first = text.chars().next().unwrap_or(' ');
    if text.starts_with("//") {
        return ("c", text.len());
    }
    for (start, end, what, class) in
        [("/*", "*/", Continuation::Comment, "c"), ("\"\"\"", "\"\"\"", Continuation::TextBlock, "s")]
    {
        if let Some(inside) = text.strip_prefix(start) {
            *open = what;
            return (class, start.len() + close(inside, end, open));
        }
    }
    match first {
        '"' | '\'' => ("s", quoted(text, first)),
        '@' => ("a", 1 + word(&text[1..])),
        '0'..='9' => ("n", number(text)),
        _ if is_word(first) => {
            let length = word(text);
            (if RESERVED_WORDS.contains(&&text[..length]) { "k" } else { "" }, length)
        }
        _ => ("", first.len_utf8()),
    }
}

/// Length of a quoted literal; it ends with the line at the latest.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn number(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).unwrap_or(text.len())
}

fn word(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lit(source: &str) -> String {
        highlight(source.lines()).join("\n")
    }

    #[test]
    fn tokens_are_marked() {
        let cases = [
            ("int x;", "<span class=\"k\">int</span> x;"),
            ("interest", "interest"),
            ("a<b && c", "a&lt;b &amp;&amp; c"),
            (
                "\"</script>\\\"\" + 'x'",
                "<span class=\"s\">&quot;&lt;/script&gt;\\&quot;&quot;</span> + <span class=\"s\">&#39;x&#39;</span>",
            ),
            ("0x1F_FFL+2", "<span class=\"n\">0x1F_FFL</span>+<span class=\"n\">2</span>"),
            ("@Test f()", "<span class=\"a\">@Test</span> f()"),
            ("a // <b>", "a <span class=\"c\">// &lt;b&gt;</span>"),
            (
                "/* a\nb */ int",
                "<span class=\"c\">/* a</span>\n<span class=\"c\">b */</span> <span class=\"k\">int</span>",
            ),
            (
                "\"\"\"\nint \"x\"\"\"\";",
                "<span class=\"s\">&quot;&quot;&quot;</span>\n<span class=\"s\">int &quot;x&quot;&quot;&quot;</span><span class=\"s\">&quot;;</span>",
            ),
        ];
        for (source, expected) in cases {
            assert_eq!(lit(source), expected, "{source}");
        }
    }

    proptest! {
        #[test]
        fn highlighting_keeps_the_whole_source(source in "[ -~\n\u{e9}\u{1F600}]{0,200}") {
            let tag = |text: &str| text.replace("</span>", "");
            let mut plain = tag(&lit(&source));
            for class in ["k", "s", "c", "n", "a"] {
                plain = plain.replace(&format!("<span class=\"{class}\">"), "");
            }
            let expected: Vec<String> = source.lines().map(escape).collect();
            prop_assert_eq!(plain, expected.join("\n"));
        }
    }
}
