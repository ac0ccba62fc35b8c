//! A tree as indented rows, which stays readable at any depth.

use super::{Drawing, shortened, width_of, write_text};
use std::fmt::Write as _;

const INDENT: f64 = 30.0;
const ROW: f64 = 28.0;
const RADIUS: f64 = 10.0;
/// Characters of a text that are shown.
const MOST_CHARACTERS: usize = 80;

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The index of its parent, which precedes it; `None` for a root.
    pub parent: Option<usize>,
    /// The text in its circle: a number or a letter.
    pub mark: String,
    /// The text beside it.
    pub text: String,
}

/// Draws a tree, each node below its parent and before the next child of that parent.
pub fn tree(label: &str, branches: &[Branch]) -> Drawing {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); branches.len()];
    let mut due: Vec<(usize, usize)> = Vec::new();
    for (at, branch) in branches.iter().enumerate() {
        match branch.parent.filter(|it| *it < at) {
            Some(parent) => children[parent].push(at),
            None => due.push((at, 0)),
        }
    }
    due.reverse();
    let mut places = vec![(0.0, 0.0); branches.len()];
    let (mut body, mut width, mut row) = (String::new(), 0.0_f64, 0.0);
    while let Some((at, depth)) = due.pop() {
        let (x, y) = (16.0 + depth as f64 * INDENT, 18.0 + row * ROW);
        row += 1.0;
        places[at] = (x, y);
        let branch = &branches[at];
        if let Some(parent) = branch.parent.filter(|it| *it < at) {
            let (from_x, from_y) = places[parent];
            let _ = writeln!(
                body,
                "<path class=\"line\" d=\"M{from_x:.1} {:.1}V{y:.1}H{:.1}\"/>",
                from_y + RADIUS,
                x - RADIUS
            );
        }
        let text = shortened(&branch.text, MOST_CHARACTERS);
        let _ = writeln!(body, "<circle class=\"box\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/>");
        write_text(&mut body, "middle small", (x, y + 4.0), &branch.mark);
        write_text(&mut body, "", (x + RADIUS + 7.0, y + 4.5), &text);
        width = width.max(x + RADIUS + 7.0 + width_of(&text) + 10.0);
        due.extend(children[at].iter().rev().map(|child| (*child, depth + 1)));
    }
    Drawing { label: label.into(), width, height: row * ROW + 12.0, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_follow_their_parent() {
        let branch = |parent, text: &str| Branch { parent, mark: "1".into(), text: text.into() };
        let all = [branch(None, "a"), branch(Some(0), "b<c>"), branch(Some(0), "d"), branch(Some(1), "e")];
        let drawn = tree("states", &all).file();
        let place =
            |text: &str| drawn.find(&format!(">{text}</text>")).unwrap_or_else(|| panic!("{text}: {drawn}"));
        assert!(
            place("a") < place("b&lt;c&gt;") && place("b&lt;c&gt;") < place("e") && place("e") < place("d")
        );
    }
}
