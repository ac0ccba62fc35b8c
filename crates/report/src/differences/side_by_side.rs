//! Two versions of a piece of source next to each other, line by line.

use cupping_view::code::Mark;
use cupping_view::highlight;
use maud::{Markup, PreEscaped, html};

/// Number of lines beyond which no longest common subsequence is computed.
const MAX_LINES: usize = 1000;

/// Consecutive lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
}

/// A row: the places of lines in the old and the new excerpt.
type AlignedLines = (Option<usize>, Option<usize>);

/// Both excerpts in two columns, with equal lines next to each other, others marked by colour and sign.
pub(super) fn side_by_side(old: &Excerpt, new: &Excerpt) -> Markup {
    let [left, right] = [old, new].map(|it| highlight(it.lines.iter().map(String::as_str)));
    let rows = aligned(&old.lines, &new.lines);
    let is_same = |row: &AlignedLines| matches!(row, (Some(was), Some(is)) if old.lines[*was].trim() == new.lines[*is].trim());
    html! {
        div .listing tabindex="0" role="region" aria-label="Both versions" {
            table {
                thead { tr { th scope="col" { "Old" } th scope="col" { "New" } } }
                tbody {
                    @for row in &rows {
                        @let marks = if is_same(row) { [Mark::Plain; 2] } else { [Mark::Miss, Mark::Full] };
                        tr { (side(row.0, old.first, &left, marks[0])) (side(row.1, new.first, &right, marks[1])) }
                    }
                }
            }
        }
    }
}

/// A line with its number, marked as lines of listings are.
fn side(line: Option<usize>, first: u32, lines: &[String], mark: Mark) -> Markup {
    let Some(at) = line else { return html! { td {} } };
    let words = match mark {
        Mark::Miss => Some("only in the old version"),
        Mark::Full => Some("only in the new version"),
        Mark::Plain | Mark::Part => None,
    };
    html! {
        td .r .(mark.class()) title=[words] {
            span .g { (first as usize + at) } " " code { (PreEscaped(&lines[at])) }
        }
    }
}

/// Rows of two texts: common lines side by side; lines in between are paired in order.
fn aligned(old: &[String], new: &[String]) -> Vec<AlignedLines> {
    let common = common(old, new);
    let mut rows = Vec::new();
    let (mut was, mut is) = (0, 0);
    for (to_was, to_is) in common.into_iter().chain([(old.len(), new.len())]) {
        let (left, right) = (to_was - was, to_is - is);
        for at in 0..left.max(right) {
            rows.push(((at < left).then_some(was + at), (at < right).then_some(is + at)));
        }
        if to_was < old.len() && to_is < new.len() {
            rows.push((Some(to_was), Some(to_is)));
        }
        (was, is) = (to_was + 1, to_is + 1);
    }
    rows
}

/// A longest common subsequence, by the indices of its lines. Indentation is ignored.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    if old.len().max(new.len()) > MAX_LINES {
        return Vec::new();
    }
    let is_equal = |was: usize, is: usize| old[was].trim() == new[is].trim();
    let mut longest = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for was in (0..old.len()).rev() {
        for is in (0..new.len()).rev() {
            longest[was][is] = match is_equal(was, is) {
                true => longest[was + 1][is + 1] + 1,
                false => longest[was + 1][is].max(longest[was][is + 1]),
            };
        }
    }
    let (mut was, mut is) = (0, 0);
    let mut pairs = Vec::new();
    while was < old.len() && is < new.len() {
        if is_equal(was, is) {
            pairs.push((was, is));
            (was, is) = (was + 1, is + 1);
        } else if longest[was + 1][is] >= longest[was][is + 1] {
            was += 1;
        } else {
            is += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(first: u32, lines: &str) -> Excerpt {
        Excerpt { first, lines: lines.lines().map(str::to_owned).collect() }
    }

    #[test]
    fn equal_lines_stand_beside_each_other() {
        let (old, new) = (excerpt(1, "a\nb\nc\nd"), excerpt(1, "a\nx\ny\n  c\nd\ne"));
        let rows = aligned(&old.lines, &new.lines);
        let expected = [
            (Some(0), Some(0)),
            (Some(1), Some(1)),
            (None, Some(2)),
            (Some(2), Some(3)),
            (Some(3), Some(4)),
            (None, Some(5)),
        ];
        assert_eq!(rows, expected);
        assert_eq!(aligned(&[], &new.lines).len(), 6);
    }

    #[test]
    fn other_lines_are_marked_and_text_is_no_markup() {
        let page = side_by_side(&excerpt(7, "a < b"), &excerpt(9, "a > b")).into_string();
        let (old, new) = page.split_once("</td>").unwrap();
        assert!(old.contains("r miss") && old.contains("<span class=\"g\">7</span>"), "{page}");
        assert!(new.contains("r full") && new.contains("<span class=\"g\">9</span>"), "{page}");
        assert!(old.contains("a &lt; b"), "{page}");
        let same = side_by_side(&excerpt(1, "a;"), &excerpt(1, " a;")).into_string();
        assert!(!same.contains("miss") && !same.contains("full"), "{same}");
    }
}
