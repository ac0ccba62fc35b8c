//! The tree of states (slide 32), drawn: each different state once, below the one from which it was first reached.

use crate::explore::Exploration;
use crate::output::html::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;

const COLUMN: usize = 240;
const ROW: usize = 34;
/// States that are drawn.
const MOST: usize = 80;

/// A state to be drawn: its number, its place, its depth, and where its parent is.
type Node = (u32, usize, usize, Option<(usize, usize)>);

/// The drawing.
pub fn svg(explored: &Exploration) -> String {
    // The first state of each number stands for it.
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, state) in explored.states.iter().enumerate() {
        first.entry(state.number).or_insert(at);
    }
    let shown: Vec<(u32, usize)> = first.into_iter().take(MOST).collect();
    let mut children: BTreeMap<Option<u32>, Vec<(u32, usize)>> = BTreeMap::new();
    for (number, at) in &shown {
        let parent = explored.states[*at].parent.map(|it| explored.states[it as usize].number);
        let parent = parent.filter(|it| it != number && shown.iter().any(|(known, _)| known == it));
        children.entry(parent).or_default().push((*number, *at));
    }
    let (mut body, mut row, mut widest) = (String::new(), 0, 0);
    let mut open: Vec<Node> = Vec::new();
    let push = |parent: Option<u32>, depth: usize, from: Option<(usize, usize)>, open: &mut Vec<Node>| {
        for (number, at) in children.get(&parent).into_iter().flatten().rev() {
            open.push((*number, *at, depth, from));
        }
    };
    push(None, 0, None, &mut open);
    while let Some((number, at, depth, from)) = open.pop() {
        let (x, y) = (20 + depth * COLUMN, 30 + row * ROW);
        row += 1;
        widest = widest.max(depth);
        let made = &explored.states[at].made;
        let call = made.then.last().unwrap_or(&made.maker).to_string();
        let call: String = call.chars().take(34).collect();
        if let Some((fx, fy)) = from {
            let _ = writeln!(body, "<path d=\"M{fx},{} V{y} H{x}\" fill=\"none\" stroke=\"#888\"/>", fy + 10);
        }
        let _ = writeln!(
            body,
            "<circle cx=\"{}\" cy=\"{y}\" r=\"10\" fill=\"#dde8ff\" stroke=\"#446\"/><text x=\"{}\" y=\"{}\" \
             text-anchor=\"middle\" font-size=\"10\">{number}</text><text x=\"{}\" y=\"{}\" font-size=\"12\">{}</text>",
            x + 10,
            x + 10,
            y + 4,
            x + 26,
            y + 4,
            escaped(&call)
        );
        push(Some(number), depth + 1, Some((x + 10, y)), &mut open);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\">\n{body}</svg>",
        (widest + 1) * COLUMN + 40,
        row * ROW + 40
    )
}
