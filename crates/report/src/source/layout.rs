//! Layout of printed lines: the indentation that a style asks for, and breaks of lines that are too long.
//!
//! The printer indents by four spaces. A long line is broken outside of literals and comments: behind a comma, or
//! before the `.` of a call on what a call returned; where the nesting is lowest, and as late as the width allows.

use crate::style::TestStyle;

/// Spaces of a level as the printer writes them.
const PRINTED_INDENT: usize = 4;
/// Levels by which a continued line is indented further.
const CONTINUATION: usize = 2;
/// Columns of a tab.
const TAB: usize = 4;

/// The lines that a printed line becomes in a style.
pub fn lines(style: &TestStyle, line: &str) -> Vec<String> {
    let text = line.trim_start_matches(' ');
    let spaces = line.len() - text.len();
    let (levels, odd) = (spaces / PRINTED_INDENT, spaces % PRINTED_INDENT);
    let indent = style.indent.levels(levels) + &" ".repeat(odd);
    let is_comment = ["//", "/*", "*"].iter().any(|it| text.starts_with(it));
    let Some(width) = style.width.filter(|_| !is_comment) else { return vec![indent + text] };
    let columns = |indent: &str| indent.chars().map(|it| if it == '\t' { TAB } else { 1 }).sum::<usize>();
    let continued = style.indent.levels(levels + CONTINUATION) + &" ".repeat(odd);
    let (mut all, mut before, mut rest) = (Vec::new(), indent, text);
    loop {
        let room = width.saturating_sub(columns(&before));
        if rest.chars().count() > room
            && let Some(at) = place_of_break(rest, room)
        {
            all.push(format!("{before}{}", rest[..at].trim_end()));
            rest = rest[at..].trim_start();
            before.clone_from(&continued);
        } else {
            all.push(before + rest);
            return all;
        }
    }
}

/// Where a line is broken so that at most so many characters stand before, if it can be.
fn place_of_break(text: &str, room: usize) -> Option<usize> {
    let mut best = None;
    // A comma is a better place than a call of the same depth.
    let (mut depth, mut lowest) = (0_usize, (usize::MAX, false));
    let (mut quote, mut is_escaped, mut last) = (None, false, ' ');
    for (count, (at, letter)) in text.char_indices().enumerate() {
        if count > room {
            break;
        }
        if let Some(open) = quote {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if letter == open => quote = None,
                _ => {}
            }
            last = letter;
            continue;
        }
        if last == '/' && letter == '/' {
            // A comment at the end of the line stays whole.
            break;
        }
        match letter {
            '"' | '\'' => quote = Some(letter),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // Behind a comma the space is left out; a `.` goes to the next line.
        let is_call = last == ')' && letter == '.';
        if (is_call || last == ',' && letter == ' ') && (depth, is_call) <= lowest {
            lowest = (depth, is_call);
            best = Some(at);
        }
        last = letter;
    }
    best.filter(|at| *at > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Indent;

    fn style(indent: Indent, width: usize) -> TestStyle {
        TestStyle { indent, width: Some(width), ..TestStyle::default() }
    }

    #[test]
    fn indentation_is_that_of_the_style() {
        assert_eq!(lines(&TestStyle::default(), "        a();"), ["        a();"]);
        assert_eq!(lines(&style(Indent::Spaces(2), 80), "        a();"), ["    a();"]);
        assert_eq!(lines(&style(Indent::Tab, 80), "        a();"), ["\t\ta();"]);
        assert_eq!(lines(&style(Indent::Tab, 80), "     * text"), ["\t * text"]);
    }

    #[test]
    fn lines_break_where_the_nesting_is_lowest() {
        assert_eq!(
            lines(
                &style(Indent::Spaces(2), 40),
                "    assertEquals(\"a, b. c\", order.of(1, 2).total(3, 4));"
            ),
            ["  assertEquals(\"a, b. c\",", "      order.of(1, 2).total(3, 4));"]
        );
        assert_eq!(
            lines(&style(Indent::Spaces(4), 30), "    builder().name(\"x\").price(5).build();"),
            ["    builder().name(\"x\")", "            .price(5).build();"]
        );
    }

    #[test]
    fn literals_and_comments_stay_whole() {
        for line in [
            "    f(); // g(1, 2), h(4, 5)",
            "    // a long comment, with commas, and more",
            "    a(\"x, y, z, \\\", w, v, u, t, s, r\");",
        ] {
            assert_eq!(lines(&style(Indent::Spaces(4), 20), line), [line]);
        }
    }

    #[test]
    fn nothing_is_lost() {
        let line =
            "    assertArrayEquals(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, of('\\'', \"é, ü\", f(1, 2)));";
        for width in 10..100 {
            let all = lines(&style(Indent::Spaces(4), width), line);
            let squeezed = |text: &str| text.replace(' ', "");
            assert_eq!(squeezed(&all.concat()), squeezed(line), "{width}");
        }
    }
}
