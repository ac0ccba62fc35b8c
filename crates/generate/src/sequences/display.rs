//! Displays influence and candidate sequences as text, as in Table 4.3 and Figure 4.1 of the thesis.

use super::candidates::{Reason, judge};
use super::element::{Element, type_name};
use super::flow;
use super::universe::Universe;
use crate::influence::{Effects, FieldReference};
use cupping_machine::{Kind, Machine};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Limit on the lines of a tree.
const MAX_LINES: usize = 400;

/// Definitions, uses, parameters and results of the predecessors of an element; the element itself is last.
pub fn influence_table(machine: &Machine, universe: &Universe, last: usize) -> String {
    let heading = ["Invokable", "Defines", "Uses", "Arguments", "Returns"].map(String::from);
    let mut rows = vec![heading];
    let leading = leading_to(universe, last);
    let shown = |at: &usize| *at < universe.own || leading.contains(at);
    for at in (0..universe.elements.len()).filter(shown) {
        rows.push(row(machine, &universe.elements[at]));
    }
    let mut text = String::new();
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}

/// The elements that may influence an element directly or indirectly, including itself.
fn leading_to(universe: &Universe, last: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([last]);
    let mut open = vec![last];
    while let Some(later) = open.pop() {
        let before = (0..universe.elements.len()).filter(|first| universe.influences(*first, later));
        open.extend(before.filter(|first| found.insert(*first)));
    }
    found
}

fn row(machine: &Machine, element: &Element) -> [String; 5] {
    let Effects { defines, uses, stores, loads, changes, reads, is_unknown, .. } = element.effects.as_ref();
    let side = |fields, kinds: &BTreeSet<u8>, types: &crate::influence::Types| {
        let mut parts = field_names(machine, fields);
        parts.extend(kinds.iter().map(|kind| kind_name(*kind).to_owned()));
        parts.extend(types.iter().map(|class| type_name(machine, class)));
        parts.extend(is_unknown.then(|| "anything".to_owned()));
        list(parts)
    };
    let arguments = element.slots.iter().map(|s| type_name(machine, s.class)).collect();
    let returns = element.result.map(|class| type_name(machine, class));
    [
        element.name.clone(),
        side(defines, stores, changes),
        side(uses, loads, reads),
        list(arguments),
        list(returns.into_iter().collect()),
    ]
}

fn list(parts: Vec<String>) -> String {
    if parts.is_empty() { "-".into() } else { parts.join(", ") }
}

/// Field names, qualified by class where ambiguous.
fn field_names(machine: &Machine, fields: &BTreeSet<FieldReference>) -> Vec<String> {
    let name = |f: &FieldReference| machine.class(f.class).fields[f.index as usize].name.clone();
    let mut names: Vec<String> = fields
        .iter()
        .map(|field| {
            let is_double =
                fields.iter().any(|other| other.class != field.class && name(other) == name(field));
            let class = if is_double { type_name(machine, field.class) + "." } else { String::new() };
            format!("{class}{}", name(field))
        })
        .collect();
    names.sort_unstable();
    names
}

fn kind_name(key: u8) -> &'static str {
    use Kind::*;
    let names = [
        (Byte, "byte[]"),
        (Char, "char[]"),
        (Short, "short[]"),
        (Int, "int[]"),
        (Long, "long[]"),
        (Float, "float[]"),
        (Double, "double[]"),
    ];
    names.iter().find(|(kind, _)| *kind as u8 == key).map_or("Object[]", |(_, name)| name)
}

/// The candidate sequences of an element as a tree, down to a depth: each line is inserted before its parent.
/// Executable sequences are marked with a star, pruned ones with a minus and a reason.
pub fn sequence_tree(universe: &Universe, last: usize, depth: usize) -> String {
    let mut tree = Tree { universe, text: String::new(), lines: 0, left_out: 0, depth };
    let mut backwards = vec![last];
    tree.line(0, mark(universe, &backwards), &universe.elements[last].name, "");
    tree.below(&mut backwards);
    if tree.left_out > 0 {
        let _ = writeln!(tree.text, "... and {} more", tree.left_out);
    }
    tree.text
}

/// A star for an executable sequence.
fn mark(universe: &Universe, backwards: &[usize]) -> char {
    if flow::is_executable(universe, backwards) { '*' } else { ' ' }
}

struct Tree<'a> {
    universe: &'a Universe,
    text: String,
    lines: usize,
    left_out: usize,
    depth: usize,
}

impl Tree<'_> {
    fn line(&mut self, depth: usize, mark: char, name: &str, note: &str) {
        if self.lines >= MAX_LINES {
            self.left_out += 1;
            return;
        }
        self.lines += 1;
        let _ = writeln!(self.text, "{mark} {}{name}{note}", "  ".repeat(depth));
    }

    fn below(&mut self, backwards: &mut Vec<usize>) {
        let depth = backwards.len();
        if depth >= self.depth || self.lines >= MAX_LINES {
            return;
        }
        for element in 0..self.universe.elements.len() {
            let name = &self.universe.elements[element].name;
            match judge(self.universe, backwards, element) {
                None => {}
                Some(Err(Reason::NoDataFlow)) => self.line(depth, '-', name, "  (no data flow)"),
                Some(Err(Reason::PartialOrder)) => self.line(depth, '-', name, "  (partial order)"),
                Some(Ok(())) => {
                    backwards.push(element);
                    self.line(depth, mark(self.universe, backwards), name, "");
                    self.below(backwards);
                    backwards.pop();
                }
            }
        }
    }
}
