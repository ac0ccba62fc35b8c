//! A state as SVG: lists from left to right, trees from top to bottom, what leads elsewhere as dashed lines.

use crate::picture::{Colour, Picture, Start};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Between the middles of neighbours.
const ACROSS: f64 = 58.0;
const DOWN: f64 = 62.0;
const MARGIN: f64 = 34.0;
/// Half the height of a node.
const RADIUS: f64 = 17.0;
/// Width of a character, about.
const LETTER: f64 = 7.2;

/// Text as the content of an element or attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{0}'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(it)).unwrap_or('?')),
            _ => out.push(it),
        }
    }
    out
}

struct Layout<'a> {
    picture: &'a Picture,
    /// The edges of the tree that is drawn, by their place among all.
    tree: Vec<Vec<usize>>,
    places: Vec<(f64, f64)>,
    is_list: bool,
    wide: f64,
}

/// The picture as SVG.
pub fn svg(picture: &Picture) -> String {
    let mut layout = Layout::new(picture);
    layout.place();
    layout.draw()
}

impl Layout<'_> {
    fn new(picture: &Picture) -> Layout<'_> {
        let mut met = vec![false; picture.nodes.len()];
        let mut tree = vec![Vec::new(); picture.nodes.len()];
        let starts = picture.starts.iter().filter_map(|(_, it)| match it {
            Start::PictureNode(at) => Some(*at),
            Start::Text(_) => None,
        });
        for root in starts.chain(0..picture.nodes.len()) {
            if std::mem::replace(&mut met[root], true) {
                continue;
            }
            let mut waiting = std::collections::VecDeque::from([root]);
            while let Some(at) = waiting.pop_front() {
                for (number, edge) in picture.edges.iter().enumerate().filter(|(_, it)| it.from == at) {
                    if !std::mem::replace(&mut met[edge.to], true) {
                        tree[at].push(number);
                        waiting.push_back(edge.to);
                    }
                }
            }
        }
        let is_list = tree.iter().all(|it| it.len() <= 1);
        let longest = picture.nodes.iter().map(|it| text_of(it).chars().count()).max().unwrap_or(0);
        let wide = ACROSS.max(longest as f64 * LETTER + 26.0);
        Layout { picture, tree, places: vec![(0.0, 0.0); picture.nodes.len()], is_list, wide }
    }

    fn place(&mut self) {
        let children: BTreeSet<usize> =
            self.tree.iter().flatten().map(|it| self.picture.edges[*it].to).collect();
        let roots: Vec<usize> = (0..self.picture.nodes.len()).filter(|it| !children.contains(it)).collect();
        let mut next = 0.0;
        let mut row = 0.0;
        for root in roots {
            if self.is_list {
                let (mut at, mut column) = (Some(root), 0.0);
                while let Some(node) = at {
                    self.places[node] = (column, row);
                    column += 1.0;
                    at = self.tree[node].first().map(|it| self.picture.edges[*it].to);
                }
                row += 1.0;
            } else {
                self.subtree(root, 0, &mut next);
            }
        }
    }

    /// Leaves take the next place; what is above them stands over the middle, or, in a binary tree, between.
    fn subtree(&mut self, node: usize, depth: usize, next: &mut f64) {
        let own: Vec<(usize, String)> = self.tree[node]
            .iter()
            .map(|it| (self.picture.edges[*it].to, self.picture.edges[*it].label.clone()))
            .collect();
        // Nothing that is shown to people is so deep.
        if depth > 400 || own.is_empty() {
            self.places[node] = (*next, depth as f64);
            *next += 1.0;
            return;
        }
        let is_binary = own.iter().all(|(_, label)| label == "left" || label == "right");
        if is_binary {
            for (child, _) in own.iter().filter(|it| it.1 == "left") {
                self.subtree(*child, depth + 1, next);
            }
            self.places[node] = (*next, depth as f64);
            *next += 1.0;
            for (child, _) in own.iter().filter(|it| it.1 == "right") {
                self.subtree(*child, depth + 1, next);
            }
            return;
        }
        for (child, _) in &own {
            self.subtree(*child, depth + 1, next);
        }
        let xs: Vec<f64> = own.iter().map(|(child, _)| self.places[*child].0).collect();
        self.places[node] = (xs.iter().sum::<f64>() / xs.len() as f64, depth as f64);
    }

    fn at(&self, node: usize) -> (f64, f64) {
        let (x, y) = self.places[node];
        (MARGIN + 30.0 + x * self.wide, MARGIN + 22.0 + y * DOWN)
    }

    fn half(&self, node: usize) -> f64 {
        let length = text_of(&self.picture.nodes[node]).chars().count();
        RADIUS.max(length as f64 * LETTER / 2.0 + 7.0)
    }

    fn draw(&self) -> String {
        let columns = self.places.iter().map(|it| it.0).fold(0.0, f64::max);
        let rows = self.places.iter().map(|it| it.1).fold(0.0, f64::max);
        let texts: Vec<String> = self
            .picture
            .starts
            .iter()
            .filter_map(|(name, it)| match it {
                Start::Text(text) => Some(format!("{name} = {text}")),
                Start::PictureNode(_) => None,
            })
            .collect();
        let below = texts.len() as f64 * 18.0;
        let widest = texts.iter().map(|it| it.chars().count()).max().unwrap_or(0) as f64 * LETTER + 20.0;
        let width = (2.0 * MARGIN + 60.0 + columns * self.wide).max(widest);
        let nodes_end = if self.picture.nodes.is_empty() { 16.0 } else { 2.0 * MARGIN + 28.0 + rows * DOWN };
        let height = nodes_end + below;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"13\">\n"
        );
        out += "<defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" \
                markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#444\"/></marker></defs>\n";
        self.edges(&mut out);
        for at in 0..self.picture.nodes.len() {
            self.node(at, &mut out);
        }
        let mut names: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (name, start) in &self.picture.starts {
            if let Start::PictureNode(at) = start {
                names.entry(*at).or_default().push(name);
            }
        }
        for (at, names) in names {
            let (x, y) = self.at(at);
            let _ = writeln!(
                out,
                "<text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\" fill=\"#06c\">{}</text>",
                y - RADIUS - 8.0,
                escape(&names.join(", "))
            );
        }
        for (row, text) in texts.iter().enumerate() {
            let y = nodes_end + row as f64 * 18.0;
            let _ = writeln!(out, "<text x=\"10\" y=\"{y:.0}\" fill=\"#06c\">{}</text>", escape(text));
        }
        out + "</svg>\n"
    }

    fn edges(&self, out: &mut String) {
        let in_tree: BTreeSet<usize> = self.tree.iter().flatten().copied().collect();
        let tree_pairs: BTreeSet<(usize, usize)> =
            in_tree.iter().map(|it| (self.picture.edges[*it].from, self.picture.edges[*it].to)).collect();
        // A field that only leads back, such as `parent`, says nothing new.
        let mut back: BTreeMap<&str, bool> = BTreeMap::new();
        for edge in &self.picture.edges {
            *back.entry(&edge.label).or_insert(true) &= tree_pairs.contains(&(edge.to, edge.from));
        }
        for (number, edge) in self.picture.edges.iter().enumerate() {
            let is_tree = in_tree.contains(&number);
            if !is_tree && back.get(edge.label.as_str()) == Some(&true) {
                continue;
            }
            let ((x1, y1), (x2, y2)) = (self.at(edge.from), self.at(edge.to));
            let dashed = if is_tree { "" } else { " stroke-dasharray=\"4 3\"" };
            let style = format!("fill=\"none\" stroke=\"#444\" marker-end=\"url(#to)\"{dashed}");
            let (lx, ly);
            if edge.from == edge.to {
                let top = y1 - RADIUS;
                let _ = writeln!(
                    out,
                    "<path d=\"M{:.1} {top:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {top:.1}\" {style}/>",
                    x1 - 6.0,
                    x1 - 24.0,
                    top - 26.0,
                    x1 + 24.0,
                    top - 26.0,
                    x1 + 6.0
                );
                (lx, ly) = (x1 + 22.0, top - 14.0);
            } else {
                let (dx, dy) = (x2 - x1, y2 - y1);
                let length = dx.hypot(dy).max(1.0);
                let cut = |half: f64| {
                    (half / (dx.abs() / length).max(0.01)).min(RADIUS / (dy.abs() / length).max(0.01))
                };
                let (a, b) = (cut(self.half(edge.from)), cut(self.half(edge.to)));
                let (sx, sy) = (x1 + dx / length * a, y1 + dy / length * a);
                let (ex, ey) = (x2 - dx / length * b, y2 - dy / length * b);
                let bend = if is_tree { 0.0 } else { 26.0 };
                let (mx, my) = ((sx + ex) / 2.0 - dy / length * bend, (sy + ey) / 2.0 + dx / length * bend);
                let _ =
                    writeln!(out, "<path d=\"M{sx:.1} {sy:.1}Q{mx:.1} {my:.1} {ex:.1} {ey:.1}\" {style}/>");
                (lx, ly) = (mx + if dx.abs() < 1.0 { 4.0 } else { 0.0 }, my - 3.0);
            }
            let _ = writeln!(
                out,
                "<text x=\"{lx:.1}\" y=\"{ly:.1}\" font-size=\"10\" fill=\"#666\" text-anchor=\"middle\">{}</text>",
                escape(&edge.label)
            );
        }
    }

    fn node(&self, at: usize, out: &mut String) {
        let node = &self.picture.nodes[at];
        let (x, y) = self.at(at);
        let (fill, ink) = match node.colour {
            Some(Colour::Black) => ("#111", "#fff"),
            Some(Colour::Red) => ("#d11", "#fff"),
            None => ("#fff", "#111"),
        };
        let half = self.half(at);
        let data: Vec<String> = node.data.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let title = escape(&format!("{} {}", node.name, data.join(", ")));
        let _ = writeln!(
            out,
            "<g><title>{title}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
             rx=\"{RADIUS}\" fill=\"{fill}\" stroke=\"#111\"/><text x=\"{x:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\" fill=\"{ink}\">{}</text></g>",
            x - half,
            y - RADIUS,
            2.0 * half,
            2.0 * RADIUS,
            y + 4.5,
            escape(&text_of(node))
        );
    }
}

/// What stands in a node: its data without the colour, or its name.
fn text_of(node: &crate::picture::PictureNode) -> String {
    let shown: Vec<&(String, String)> = node
        .data
        .iter()
        .filter(|(name, _)| {
            node.colour.is_none()
                || !matches!(name.to_lowercase().as_str(), "color" | "colour" | "red" | "black")
        })
        .collect();
    match &shown[..] {
        [] => node.name.clone(),
        [(_, value)] => value.clone(),
        several if several.iter().all(|it| it.0.starts_with('[')) => {
            let values: Vec<&str> = several.iter().map(|it| it.1.as_str()).collect();
            format!("[{}]", values.join(", "))
        }
        several => {
            several.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        }
    }
}
