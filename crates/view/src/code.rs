//! Source with line numbers and marks.
//!
//! Rows are in blocks of a hundred, so that a browser lays out only those in sight.

use crate::escape::escape;
use maud::{Markup, PreEscaped, html};

/// A row of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeRow {
    /// Its number, which links use (`#L12`): the line, or its position in the listing from 1.
    pub number: u32,
    /// The text in the gutter: the line, the offset of an instruction, or nothing.
    pub label: String,
    /// The text as HTML.
    pub html: String,
    /// Its mark.
    pub mark: Mark,
    /// The meaning of the mark in words, for those who do not see it; not empty for rows that can be selected.
    pub words: String,
    /// A short figure beside the label: `1/2`.
    pub note: String,
}

/// The mark of a row: a colour, a border and a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// None.
    #[default]
    Plain,
    /// All of it: covered.
    Full,
    /// Some of it.
    Part,
    /// None of it is covered.
    Miss,
}

impl Mark {
    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Mark::Plain => "plain",
            Mark::Full => "full",
            Mark::Part => "part",
            Mark::Miss => "miss",
        }
    }
}

impl CodeRow {
    /// A row without a mark.
    pub fn new(number: u32, label: impl Into<String>, html: impl Into<String>) -> CodeRow {
        let (label, html) = (label.into(), html.into());
        CodeRow { number, label, html, mark: Mark::Plain, words: String::new(), note: String::new() }
    }

    fn markup(&self) -> Markup {
        html! {
            div .r .(self.mark.class()) id={ "L" (self.number) } {
                @if self.words.is_empty() {
                    span .g { (self.label) }
                } @else {
                    button .g type="button" title=(self.words) aria-label={ (self.label) ", " (self.words) } { (self.label) }
                }
                span .q { (self.note) }
                code { (PreEscaped(&self.html)) }
            }
        }
    }
}

/// Rows, a run of which may be folded.
pub fn listing<'a>(sections: impl IntoIterator<Item = (bool, &'a [CodeRow])>) -> Markup {
    html! {
        div .listing tabindex="0" role="region" aria-label="Code" {
            @for (is_folded, rows) in sections {
                @if is_folded {
                    details .fold { summary { (rows.len()) " lines" } (blocks(rows)) }
                } @else {
                    (blocks(rows))
                }
            }
        }
    }
}

fn blocks(rows: &[CodeRow]) -> Markup {
    html! {
        @for block in rows.chunks(100) {
            div .rows style={ "--rows:" (block.len()) } {
                "\n" @for row in block { (row.markup()) "\n" }
            }
        }
    }
}

/// A text with numbered lines; `marks` has the lines to mark, each with its text.
pub fn numbered(text: &str, highlight: fn(&[&str]) -> Vec<String>, marks: &[(u32, Mark, String)]) -> Markup {
    let lines: Vec<&str> = text.lines().collect();
    let mut rows: Vec<CodeRow> = (1..)
        .zip(highlight(&lines))
        .map(|(number, html)| CodeRow::new(number, number.to_string(), html))
        .collect();
    for (line, mark, words) in marks {
        if let Some(row) = rows.iter_mut().find(|it| it.number == *line) {
            (row.mark, row.words) = (*mark, words.clone());
        }
    }
    listing([(false, rows.as_slice())])
}

/// Lines of a language that is not highlighted.
pub fn plain(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|it| escape(it)).collect()
}

/// Text in a box that scrolls if it is wide.
pub fn block(text: &str) -> Markup {
    html! { pre tabindex="0" { (text) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_lines_say_why() {
        let page = numbered("a\n<b>\n", plain, &[(2, Mark::Miss, "not covered".into())]).into_string();
        assert!(page.contains("<div class=\"r plain\" id=\"L1\"><span class=\"g\">1</span>"), "{page}");
        assert!(page.contains("aria-label=\"2, not covered\"") && page.contains("&lt;b&gt;"), "{page}");
    }
}
