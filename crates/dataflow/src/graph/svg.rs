//! The class control-flow graph as a drawing: the class node on top, below it a column for each method.

use super::dot::label;
use super::{Blocks, ClassGraph, Exit};
use crate::accesses::Accesses;
use crate::flattened_class::FlatClass;
use cupping_machine::Machine;
use std::fmt::Write as _;

const LINE: usize = 14;
const GAP: usize = 26;
const LANE: usize = 9;
const CHARACTER: usize = 7;

/// The drawing as SVG. Edges to blocks further down run at the left of their column, those further up and to
/// handlers (dashed) at the right.
pub fn svg(machine: &Machine, flat: &FlatClass, graph: &ClassGraph, accesses: &Accesses) -> String {
    let mut columns = Vec::new();
    let mut x = 20;
    for method in 0..flat.methods.len() {
        let column = Column::new(machine, flat, graph, accesses, method, x);
        x += column.width + 30;
        columns.push(column);
    }
    let height = columns.iter().map(|c| c.bottom).max().unwrap_or(120) + 30;
    let name = machine.class(flat.class).name.replace('/', ".");
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {x} {height}\" width=\"{x}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<style>.b{{fill:#fff;stroke:#333}}.e{{fill:none;stroke:#333}}\
         .x{{stroke-dasharray:4 3}}.c{{stroke:#888;stroke-dasharray:1 3}}</style>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"#333\"/></marker></defs>\n"
    );
    oval(&mut out, x / 2, 24, &name);
    for column in &columns {
        if column.is_entry {
            let (cx, top) = (column.x + column.width / 2, 24 + 12);
            let _ = writeln!(out, "<path class=\"e\" d=\"M{} {top}L{cx} {}\"/>", x / 2, 78);
        }
        out += &column.drawing;
    }
    out += "</svg>\n";
    out
}

struct Column {
    x: usize,
    width: usize,
    bottom: usize,
    is_entry: bool,
    drawing: String,
}

impl Column {
    fn new(
        machine: &Machine,
        flat: &FlatClass,
        graph: &ClassGraph,
        accesses: &Accesses,
        method: usize,
        x: usize,
    ) -> Column {
        let blocks = Blocks::of(&flat.methods[method]);
        let title = flat.method_name(machine, method);
        let mut texts = Vec::new();
        for (at, block) in blocks.all.iter().enumerate() {
            let mut text = label(flat, accesses, method, block);
            text[0] = format!("{at}: {}", text[0]);
            for call in graph.calls[method][block.start..block.end].iter().flatten() {
                text.push(format!("calls {}", flat.method_name(machine, call.callee)));
            }
            texts.push(text);
        }
        let longest = texts.iter().flatten().map(String::len).chain([title.len()]).max().unwrap_or(8);
        let inner = longest * CHARACTER + 16;
        let lanes = blocks.all.len() * LANE / 2 + 16;
        let (left, width) = (x + lanes, inner + 2 * lanes);
        let center = left + inner / 2;
        let mut out = String::new();
        oval(&mut out, center, 90, &title);
        let mut y = 130;
        let mut boxes = Vec::new();
        for text in &texts {
            let height = text.len() * LINE + 10;
            boxes.push((y, height));
            let _ = writeln!(
                out,
                "<rect class=\"b\" x=\"{left}\" y=\"{y}\" width=\"{inner}\" height=\"{height}\"/>"
            );
            for (nth, line) in text.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "<text x=\"{}\" y=\"{}\">{}</text>",
                    left + 8,
                    y + (nth + 1) * LINE,
                    escaped(line)
                );
            }
            y += height + GAP;
        }
        let exit = y + 10;
        oval(&mut out, center, exit, &title);
        let _ = writeln!(out, "<path class=\"e\" d=\"M{center} 102V130\"/>");
        for (at, block) in blocks.all.iter().enumerate() {
            let (top, height) = boxes[at];
            let end = top + height;
            for next in &block.next {
                edge(&mut out, (left, inner), (at, end), (*next, boxes[*next].0), "");
            }
            for handler in &block.handlers {
                edge(&mut out, (left, inner), (at, end), (*handler, boxes[*handler].0), " x");
            }
            for way in &block.exits {
                let style = if *way == Exit::Throw { " x" } else { "" };
                edge(&mut out, (left, inner), (at, end), (blocks.all.len(), exit - 12), style);
            }
        }
        let bottom = exit + 14;
        Column { x, width, bottom, is_entry: flat.is_entry[method], drawing: out }
    }
}

/// An edge from below one block to the top of another, straight down where it is the next.
fn edge(
    out: &mut String,
    (left, inner): (usize, usize),
    from: (usize, usize),
    to: (usize, usize),
    style: &str,
) {
    let (from, from_y) = from;
    let (to, to_y) = to;
    let center = left + inner / 2;
    let path = if to == from + 1 {
        format!("M{center} {from_y}V{to_y}")
    } else {
        let lane = (from.abs_diff(to) * LANE / 2 + 6).min(left);
        let side = if to > from { left - lane.min(left) } else { left + inner + lane };
        let start = if to > from { left + inner / 4 } else { left + 3 * inner / 4 };
        format!("M{start} {from_y}V{}H{side}V{}H{start}V{to_y}", from_y + 6, to_y.saturating_sub(6))
    };
    let _ = writeln!(out, "<path class=\"e{style}\" marker-end=\"url(#arrow)\" d=\"{path}\"/>");
}

fn oval(out: &mut String, x: usize, y: usize, text: &str) {
    let rx = text.len() * CHARACTER / 2 + 12;
    let _ = writeln!(out, "<ellipse class=\"b\" cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"12\"/>");
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{}</text>", y + 4, escaped(text));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
