//! Constraint trees in the format of the page's script: parallel lists, each text once.

use super::code::Listing;
use super::names::{signature, simple};
use cupping_case::{Explanation, PathEdge, PathKind, PathTree};
use serde::Serialize;
use std::collections::BTreeMap;

/// All trees of a page.
#[derive(Debug, Default, Serialize)]
pub struct Trees<'a> {
    /// The texts that the trees refer to.
    pub texts: Vec<&'a str>,
    /// The trees, in the order of the explanation.
    pub trees: Vec<Tree>,
}

/// A tree. In each list, the entry at a node's index belongs to the node.
#[derive(Debug, Serialize)]
pub struct Tree {
    /// The method as declared; with its class, unless it is the page's.
    pub name: String,
    /// Whether it is a method of the page's class.
    pub own: bool,
    /// A letter a node: its kind.
    pub kinds: String,
    /// The parent of each node.
    pub parents: Vec<u32>,
    /// The constraint of each node, by place among the texts.
    pub texts: Vec<u32>,
    /// The source line of each branch; 0 where it is unknown.
    pub lines: Vec<u32>,
    /// Invocation nodes: node, the callee's tree or -1, the leaf there, and the callee's name.
    pub calls: Vec<(u32, i64, u32, u32)>,
    /// Nodes that there are beyond those.
    pub more: u32,
    /// For own lines, the row of the listing: by line.
    pub rows: BTreeMap<u32, u32>,
}

/// The letter that stands for a kind.
pub fn letter(kind: PathKind) -> char {
    match kind {
        PathKind::Computation => 'c',
        PathKind::Terminal => 't',
        PathKind::Unexplored => 'u',
        PathKind::Infeasible => 'i',
        PathKind::TimeOut => 'o',
    }
}

/// The trees of a class.
pub fn trees<'a>(class: &str, explanation: &'a Explanation, listing: &Listing) -> Trees<'a> {
    let mut texts = Texts::default();
    let trees = explanation.trees.iter().map(|tree| one(class, tree, listing, &mut texts)).collect();
    Trees { texts: texts.all, trees }
}

fn one<'a>(class: &str, tree: &'a PathTree, listing: &Listing, texts: &mut Texts<'a>) -> Tree {
    let own = *tree.class == *class;
    let declared = signature(&tree.class, &tree.name, &tree.descriptor);
    let mut shown = Tree {
        name: if own { declared } else { format!("{}.{declared}", simple(&tree.class)) },
        own,
        kinds: tree.nodes.iter().map(|node| letter(node.kind)).collect(),
        parents: tree.nodes.iter().map(|node| node.parent).collect(),
        texts: Vec::new(),
        lines: Vec::new(),
        calls: Vec::new(),
        more: tree.left_out,
        rows: BTreeMap::new(),
    };
    for (at, node) in (0..).zip(&tree.nodes) {
        let (text, line) = match &node.edge {
            PathEdge::Root => ("", 0),
            PathEdge::Branch { line, constraint } => (constraint.as_str(), line.unwrap_or(0)),
            PathEdge::Call { tree, leaf, name, constraint } => {
                shown.calls.push((at, tree.map_or(-1, i64::from), *leaf, texts.place(name)));
                (constraint.as_str(), 0)
            }
        };
        shown.texts.push(texts.place(text));
        shown.lines.push(line);
        if let Some(row) = listing.row_of_line(line).filter(|_| own) {
            shown.rows.insert(line, row);
        }
    }
    shown
}

#[derive(Default)]
struct Texts<'a> {
    all: Vec<&'a str>,
    known: BTreeMap<&'a str, u32>,
}

impl<'a> Texts<'a> {
    fn place(&mut self, text: &'a str) -> u32 {
        *self.known.entry(text).or_insert_with(|| {
            self.all.push(text);
            self.all.len() as u32 - 1
        })
    }
}
