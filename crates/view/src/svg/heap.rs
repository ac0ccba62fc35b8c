//! A heap: objects, their data, and the references between them. Lists run from left to right, trees from top to
//! bottom; references that close a cycle or share an object are dashed.

mod contents;
mod layout;

use super::{ARROW, Drawing, shortened, width_of, write_text};
use crate::escape::escape;
pub use contents::{Colour, Form, Heap, HeapNode, HeapRow, Link, Start, StartTarget};
use contents::{MOST_CHARACTERS, RADIUS, ROW};
use layout::Layout;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

impl Heap {
    /// Draws it.
    pub fn draw(&self, label: &str) -> Drawing {
        let layout = Layout::of(self);
        let texts: Vec<String> = self
            .starts
            .iter()
            .filter_map(|start| match &start.target {
                StartTarget::Text(text) => {
                    Some(format!("{} = {}", start.name, shortened(text, MOST_CHARACTERS)))
                }
                StartTarget::Node(_) => None,
            })
            .collect();
        let (right, bottom) = layout.corner();
        let widest = texts.iter().map(|it| width_of(it)).fold(0.0, f64::max) + 20.0;
        let mut body = ARROW.to_owned();
        self.draw_links(&layout, &mut body);
        for (at, node) in self.nodes.iter().enumerate() {
            node.draw(layout.middles[at], &mut body);
        }
        self.draw_names(&layout, &mut body);
        for (row, text) in texts.iter().enumerate() {
            write_text(&mut body, "name", (10.0, bottom + 14.0 + row as f64 * ROW), text);
        }
        let height = bottom + texts.len() as f64 * ROW + 6.0;
        Drawing { label: label.into(), width: right.max(widest).max(40.0), height, body }
    }

    /// The names over the objects that they stand for.
    fn draw_names(&self, layout: &Layout, out: &mut String) {
        let mut names: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for start in &self.starts {
            if let StartTarget::Node(at) = start.target {
                names.entry(at).or_default().push(&start.name);
            }
        }
        for (at, names) in names.into_iter().filter(|(at, _)| *at < self.nodes.len()) {
            let (x, y) = layout.middles[at];
            write_text(out, "name middle", (x, y - self.nodes[at].half_height() - 8.0), &names.join(", "));
        }
    }

    fn draw_links(&self, layout: &Layout, out: &mut String) {
        let tree: BTreeSet<usize> = layout.children.iter().flatten().copied().collect();
        let pairs: BTreeSet<(usize, usize)> =
            tree.iter().map(|it| (self.links[*it].from, self.links[*it].to)).collect();
        // A field that only leads back, such as `parent`, adds nothing.
        let mut leads_back: BTreeMap<&str, bool> = BTreeMap::new();
        for link in &self.links {
            *leads_back.entry(&link.label).or_insert(true) &= pairs.contains(&(link.to, link.from));
        }
        for (number, link) in self.links.iter().enumerate() {
            let in_tree = tree.contains(&number);
            let is_hidden = !in_tree && leads_back.get(link.label.as_str()) == Some(&true);
            if is_hidden || link.from.max(link.to) >= self.nodes.len() {
                continue;
            }
            let (path, place) = self.route(layout, link, in_tree);
            let mut class = if in_tree { "line".to_owned() } else { "line dashed".to_owned() };
            let mut label = "label middle".to_owned();
            if link.is_changed {
                class += " changed";
                label += " changed";
            }
            let _ = writeln!(out, "<path class=\"{class}\" marker-end=\"url(#arrow)\" d=\"{path}\"/>");
            write_text(out, &label, place, &link.label);
        }
    }

    /// The path of a link, and the place of its label.
    fn route(&self, layout: &Layout, link: &Link, in_tree: bool) -> (String, (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (layout.middles[link.from], layout.middles[link.to]);
        if link.from == link.to {
            let top = y1 - self.nodes[link.from].half_height();
            let (left, right, above) = (x1 - 24.0, x1 + 24.0, top - 26.0);
            let path = format!(
                "M{:.1} {top:.1}C{left:.1} {above:.1} {right:.1} {above:.1} {:.1} {top:.1}",
                x1 - 6.0,
                x1 + 6.0
            );
            return (path, (right - 2.0, top - 14.0));
        }
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = dx.hypot(dy).max(1.0);
        // The distance from a node's centre at which a line in this direction leaves it.
        let cut = |node: &HeapNode| {
            let (across, down) = ((dx.abs() / length).max(0.01), (dy.abs() / length).max(0.01));
            (node.half_width() / across).min(node.half_height() / down)
        };
        let (a, b) = (cut(&self.nodes[link.from]), cut(&self.nodes[link.to]));
        let (start_x, start_y) = (x1 + dx / length * a, y1 + dy / length * a);
        let (end_x, end_y) = (x2 - dx / length * b, y2 - dy / length * b);
        let bend = if in_tree { 0.0 } else { 26.0 };
        let middle_x = f64::midpoint(start_x, end_x) - dy / length * bend;
        let middle_y = f64::midpoint(start_y, end_y) + dx / length * bend;
        let path = format!("M{start_x:.1} {start_y:.1}Q{middle_x:.1} {middle_y:.1} {end_x:.1} {end_y:.1}");
        (path, (middle_x + if dx.abs() < 1.0 { 4.0 } else { 0.0 }, middle_y - 3.0))
    }
}

impl HeapNode {
    fn draw(&self, (x, y): (f64, f64), out: &mut String) {
        let (half, high) = (self.half_width(), self.half_height());
        let round = if matches!(self.form, Form::Round(..)) { RADIUS } else { 4.0 };
        let class = match (&self.form, self.is_new) {
            (Form::Round(_, Some(Colour::Black)), _) => "box black",
            (Form::Round(_, Some(Colour::Red)), _) => "box red",
            (_, true) => "box new",
            _ => "box",
        };
        let _ = writeln!(
            out,
            "<g><title>{}</title><rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
             rx=\"{round}\"/>",
            escape(&self.title),
            x - half,
            y - high,
            2.0 * half,
            2.0 * high
        );
        match &self.form {
            Form::Round(text, colour) => {
                let class = if colour.is_some() { "middle on-colour" } else { "middle" };
                write_text(out, class, (x, y + 4.5), text);
            }
            Form::Rows(class, rows) => {
                let (left, top) = (x - half + 8.0, y - high);
                write_text(out, "class", (left, top + 15.0), class);
                for (nth, row) in (1..).zip(rows) {
                    let class = if row.is_changed { "changed" } else { "" };
                    write_text(out, class, (left, top + f64::from(nth) * ROW + 15.0), &row.text());
                }
            }
        }
        out.push_str("</g>\n");
    }
}

#[cfg(test)]
mod tests;
