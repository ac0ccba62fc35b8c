//! The layout of a heap drawing.

use super::contents::{Heap, StartTarget};
use std::collections::{BTreeSet, VecDeque};

/// Margin around the drawing; above it there is also a row of names.
const MARGIN: f64 = 20.0;
const NAMES: f64 = 26.0;
/// Between neighbours, at least.
const ACROSS: f64 = 24.0;
const DOWN: f64 = 34.0;
/// Width of a character of a link's label.
const LABEL: f64 = 6.2;
/// No drawing for people is this deep.
const DEEPEST: usize = 400;

/// The places of all objects.
pub(super) struct Layout<'a> {
    heap: &'a Heap,
    /// The drawn links of the forest, by object, as indices among all links.
    pub children: Vec<Vec<usize>>,
    /// The middle of each object.
    pub middles: Vec<(f64, f64)>,
    levels: Vec<usize>,
}

impl Layout<'_> {
    pub fn of(heap: &Heap) -> Layout<'_> {
        let children = forest(heap);
        let count = heap.nodes.len();
        let mut layout = Layout { heap, children, middles: vec![(0.0, 0.0); count], levels: vec![0; count] };
        let below: BTreeSet<usize> = layout.children.iter().flatten().map(|it| heap.links[*it].to).collect();
        let roots: Vec<usize> = (0..count).filter(|it| !below.contains(it)).collect();
        if layout.children.iter().all(|it| it.len() <= 1) {
            roots.iter().enumerate().for_each(|(row, root)| layout.list(*root, row));
        } else {
            let mut x = MARGIN;
            for root in roots {
                x = layout.subtree(root, 0, x) + ACROSS;
            }
        }
        layout.rows();
        layout
    }

    /// The right and lower end of what is drawn.
    pub fn corner(&self) -> (f64, f64) {
        let nodes = || self.heap.nodes.iter().zip(&self.middles);
        let right = nodes().map(|(node, (x, _))| x + node.half_width()).fold(0.0, f64::max);
        let bottom = nodes().map(|(node, (_, y))| y + node.half_height()).fold(0.0, f64::max);
        (right + MARGIN + 10.0, if self.heap.nodes.is_empty() { 6.0 } else { bottom + MARGIN })
    }

    /// A list from left to right.
    fn list(&mut self, root: usize, row: usize) {
        let (mut at, mut x) = (Some(root), MARGIN);
        while let Some(node) = at {
            let half = self.heap.nodes[node].half_width();
            self.middles[node].0 = x + half;
            self.levels[node] = row;
            let link = self.children[node].first().map(|it| &self.heap.links[*it]);
            let label = link.map_or(0.0, |it| it.label.chars().count() as f64 * LABEL + 20.0);
            x += 2.0 * half + ACROSS.max(label);
            at = link.map(|it| it.to);
        }
    }

    /// Places the subtree of an object from `x` on; returns the right end. The object is above the middle of its
    /// children or, in a binary tree, between them.
    fn subtree(&mut self, node: usize, depth: usize, x: f64) -> f64 {
        let half = self.heap.nodes[node].half_width();
        self.levels[node] = depth;
        let links: Vec<usize> = self.children[node].clone();
        if links.is_empty() || depth > DEEPEST {
            self.middles[node].0 = x + half;
            return x + 2.0 * half;
        }
        let label = |link: &usize| self.heap.links[*link].label.as_str();
        let target = |link: &usize| self.heap.links[*link].to;
        if links.iter().all(|it| matches!(label(it), "left" | "right")) {
            let (left, right): (Vec<usize>, Vec<usize>) = links.iter().partition(|it| label(it) == "left");
            let mut end = x;
            for child in left.iter().map(target) {
                end = self.subtree(child, depth + 1, end) + ACROSS;
            }
            self.middles[node].0 = end + half;
            end += 2.0 * half;
            for child in right.iter().map(target) {
                end = self.subtree(child, depth + 1, end + ACROSS);
            }
            return end;
        }
        let targets: Vec<usize> = links.iter().map(target).collect();
        let width = self.width(&targets, depth);
        let mut end = x + (half - width / 2.0).max(0.0);
        for child in &targets {
            end = self.subtree(*child, depth + 1, end) + ACROSS;
        }
        let (first, last) = (targets[0], targets[targets.len() - 1]);
        let middle = f64::midpoint(self.middles[first].0, self.middles[last].0);
        self.middles[node].0 = middle.max(x + half);
        (end - ACROSS).max(self.middles[node].0 + half)
    }

    /// The width of these objects side by side.
    fn width(&self, nodes: &[usize], depth: usize) -> f64 {
        let own = nodes.iter().map(|it| 2.0 * self.heap.nodes[*it].half_width()).sum::<f64>();
        let gaps = nodes.len().saturating_sub(1) as f64 * ACROSS;
        if depth > DEEPEST { 0.0 } else { own + gaps }
    }

    /// Sets each level's height to that of its highest object.
    fn rows(&mut self) {
        let levels = self.levels.iter().max().map_or(0, |it| it + 1);
        let mut high = vec![0.0_f64; levels];
        for (node, level) in self.heap.nodes.iter().zip(&self.levels) {
            high[*level] = high[*level].max(node.half_height());
        }
        let mut y = MARGIN / 2.0 + NAMES;
        let mut middles = Vec::new();
        for half in high {
            middles.push(y + half);
            y += 2.0 * half + DOWN;
        }
        for (middle, level) in self.middles.iter_mut().zip(&self.levels) {
            middle.1 = middles[*level];
        }
    }
}

/// For each object the links by which a breadth-first search from the names first reaches another.
fn forest(heap: &Heap) -> Vec<Vec<usize>> {
    let count = heap.nodes.len();
    let mut from: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, link) in heap.links.iter().enumerate().filter(|(_, it)| it.from.max(it.to) < count) {
        from[link.from].push(at);
    }
    let mut met = vec![false; count];
    let mut children = vec![Vec::new(); count];
    let starts = heap.starts.iter().filter_map(|it| match it.target {
        StartTarget::Node(at) if at < count => Some(at),
        _ => None,
    });
    for root in starts.chain(0..count) {
        if std::mem::replace(&mut met[root], true) {
            continue;
        }
        let mut due = VecDeque::from([root]);
        while let Some(at) = due.pop_front() {
            for link in &from[at] {
                let to = heap.links[*link].to;
                if !std::mem::replace(&mut met[to], true) {
                    children[at].push(*link);
                    due.push_back(to);
                }
            }
        }
    }
    children
}
