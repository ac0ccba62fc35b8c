//! A control-flow graph: the node of the class on top, below it a column of blocks for each method.

use super::{ARROW, Drawing, width_of, write_text};
use std::fmt::Write as _;

const LINE: f64 = 15.0;
const GAP: f64 = 26.0;
/// Distance of the lines beside a column.
const LANE: f64 = 4.5;
const TOP: f64 = 24.0;
const OVAL: f64 = 12.0;
/// The position of the line that leads back to the class.
const MARGIN: f64 = 8.0;

/// The graph of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The class.
    pub title: String,
    /// Its methods.
    pub columns: Vec<Column>,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// The method.
    pub title: String,
    /// Whether the node of the class leads to it.
    pub is_entry: bool,
    /// The lines of each block.
    pub blocks: Vec<Vec<String>>,
    /// The edges between blocks and out of the method.
    pub edges: Vec<Edge>,
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The block it leaves.
    pub from: usize,
    /// The block it enters; none for the end of the method.
    pub to: Option<usize>,
    /// The kind of edge.
    pub path: Path,
}

/// The kinds of control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Fall-through, jump or return.
    Normal,
    /// An exception, drawn dashed.
    Exception,
}

impl Graph {
    /// Draws it. Edges to lower blocks run on the left of their column, edges to higher ones on the right.
    pub fn draw(&self) -> Drawing {
        let mut x = 20.0;
        let mut bottom = 120.0_f64;
        let mut columns = Vec::new();
        for column in &self.columns {
            let drawn = ColumnDrawing::of(column, x);
            x += drawn.width + 30.0;
            bottom = bottom.max(drawn.bottom);
            columns.push(drawn);
        }
        let width = x.max(width_of(&self.title) + 60.0);
        let mut body = ARROW.to_owned();
        oval(&mut body, (width / 2.0, TOP), &self.title);
        // Ends of methods lead back to the class: down to one line below all, and along the left margin.
        let back = bottom + 14.0;
        let mut has_entries = false;
        for drawn in &columns {
            if let Some(center) = drawn.entry {
                let top = TOP + OVAL;
                let _ = writeln!(
                    body,
                    "<path class=\"line\" marker-end=\"url(#arrow)\" d=\"M{:.1} {top:.1}L{center:.1} 78\"/>",
                    width / 2.0
                );
                let _ = writeln!(
                    body,
                    "<path class=\"line\" d=\"M{center:.1} {:.1}V{back:.1}H{MARGIN:.1}\"/>",
                    drawn.bottom
                );
                has_entries = true;
            }
            body += &drawn.body;
        }
        if has_entries {
            let side = width / 2.0 - width_of(&self.title) / 2.0 - 14.0;
            let _ = writeln!(
                body,
                "<path class=\"line\" marker-end=\"url(#arrow)\" d=\"M{MARGIN:.1} {back:.1}V{TOP:.1}H{side:.1}\"/>"
            );
        }
        Drawing { label: format!("Control flow of {}", self.title), width, height: back + 16.0, body }
    }
}

struct ColumnDrawing {
    width: f64,
    bottom: f64,
    /// The end of the line from the node of the class.
    entry: Option<f64>,
    body: String,
}

impl ColumnDrawing {
    fn of(column: &Column, x: f64) -> ColumnDrawing {
        let texts = column.blocks.iter().flatten().chain([&column.title]);
        let inner = texts.map(|it| width_of(it)).fold(60.0, f64::max) + 16.0;
        let lanes = column.blocks.len() as f64 * LANE + 16.0;
        let (left, width) = (x + lanes, inner + 2.0 * lanes);
        let center = left + inner / 2.0;
        let mut body = String::new();
        oval(&mut body, (center, 90.0), &column.title);
        let mut y = 130.0;
        let mut boxes = Vec::new();
        for lines in &column.blocks {
            let height = lines.len() as f64 * LINE + 10.0;
            boxes.push((y, height));
            let _ = writeln!(
                body,
                "<rect class=\"box\" x=\"{left:.1}\" y=\"{y:.1}\" width=\"{inner:.1}\" height=\"{height:.1}\" rx=\"3\"/>"
            );
            for (nth, line) in (1..).zip(lines) {
                write_text(&mut body, "", (left + 8.0, y + f64::from(nth) * LINE + 1.0), line);
            }
            y += height + GAP;
        }
        let exit = y + 10.0;
        oval(&mut body, (center, exit), &column.title);
        let _ =
            writeln!(body, "<path class=\"line\" d=\"M{center:.1} 102V130\" marker-end=\"url(#arrow)\"/>");
        for edge in &column.edges {
            let Some((top, height)) = boxes.get(edge.from).copied() else { continue };
            let (to, to_y) = match edge.to.and_then(|it| Some((it, boxes.get(it)?.0))) {
                Some(block) => block,
                None => (boxes.len(), exit - OVAL),
            };
            let route = Route { left, inner, from: (edge.from, top + height), to: (to, to_y) };
            let class = if edge.path == Path::Exception { "line dashed" } else { "line" };
            let path = route.path();
            let _ = writeln!(body, "<path class=\"{class}\" marker-end=\"url(#arrow)\" d=\"{path}\"/>");
        }
        ColumnDrawing { width, bottom: exit + OVAL, entry: column.is_entry.then_some(center), body }
    }
}

/// The route of an edge from below one block to the top of another.
struct Route {
    left: f64,
    inner: f64,
    from: (usize, f64),
    to: (usize, f64),
}

impl Route {
    /// Straight down to the next block, else through a lane beside the column.
    fn path(&self) -> String {
        let Route { left, inner, from: (from, from_y), to: (to, to_y) } = *self;
        if to == from + 1 {
            return format!("M{:.1} {from_y:.1}V{to_y:.1}", left + inner / 2.0);
        }
        let lane = from.abs_diff(to) as f64 * LANE + 6.0;
        let is_down = to > from;
        let side = if is_down { (left - lane).max(2.0) } else { left + inner + lane };
        let start = left + inner * if is_down { 0.25 } else { 0.75 };
        format!(
            "M{start:.1} {from_y:.1}V{:.1}H{side:.1}V{:.1}H{start:.1}V{to_y:.1}",
            from_y + 6.0,
            to_y - 9.0
        )
    }
}

fn oval(out: &mut String, (x, y): (f64, f64), text: &str) {
    let half = width_of(text) / 2.0 + 14.0;
    let _ =
        writeln!(out, "<ellipse class=\"box\" cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{half:.1}\" ry=\"{OVAL}\"/>");
    write_text(out, "middle", (x, y + 4.0), text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_run_beside_the_blocks_they_pass() {
        let route = |from, to| Route { left: 50.0, inner: 100.0, from: (from, 10.0), to: (to, 90.0) }.path();
        assert_eq!(route(0, 1), "M100.0 10.0V90.0");
        assert!(route(0, 2).contains("H35.0"), "left: {}", route(0, 2));
        assert!(route(2, 0).contains("H165.0"), "right: {}", route(2, 0));
    }

    #[test]
    fn an_edge_to_nowhere_leaves_the_method() {
        let edge = |to| Edge { from: 0, to, path: Path::Exception };
        let column = Column {
            title: "f()".into(),
            blocks: vec![vec!["<0>".into()]],
            edges: vec![edge(None)],
            is_entry: true,
        };
        let graph = Graph { title: "A".into(), columns: vec![column] };
        let drawn = graph.draw().file();
        assert!(drawn.contains("&lt;0&gt;") && drawn.contains("line dashed"), "{drawn}");
        let mut broken = graph;
        broken.columns[0].edges = vec![edge(Some(7)), Edge { from: 9, to: None, path: Path::Normal }];
        broken.draw();
    }

    #[test]
    fn ends_of_entries_lead_back_to_the_class() {
        let column = |is_entry| Column { title: "f()".into(), is_entry, ..Column::default() };
        let drawn = |columns| Graph { title: "A".into(), columns }.draw().file();
        let backs = |drawn: &str| drawn.matches("H8.0\"").count();
        let both = drawn(vec![column(true), column(false), column(true)]);
        assert_eq!(backs(&both), 2, "{both}");
        assert_eq!(both.matches("M8.0 ").count(), 1, "{both}");
        assert_eq!(backs(&drawn(vec![column(false)])), 0);
    }
}
