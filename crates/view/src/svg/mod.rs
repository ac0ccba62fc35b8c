//! Drawings: trees, control-flow graphs, and heaps, each with one layout.
//!
//! Colours are those of the page's style sheet. A stand-alone drawing in a file includes them.

mod graph;
mod heap;
mod tree;

pub use graph::{Column, Edge, Graph, Path};
pub use heap::{Colour, Form, Heap, HeapNode, HeapRow, Link, Start, StartTarget};
pub use tree::{Branch, tree};

use crate::escape::escape;
use maud::{Markup, PreEscaped, Render, html};
use std::fmt::Write as _;

/// The colours, and the styles of drawings.
const COLOURS: &str = include_str!("../../assets/colours.css");
const STYLE: &str = include_str!("../../assets/drawing.css");

/// Approximate width of a character of a drawing's text, in pixels.
const CHARACTER: f64 = 7.4;

/// A finished drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    label: String,
    width: f64,
    height: f64,
    body: String,
}

impl Drawing {
    /// An SVG file with this drawing.
    pub fn file(&self) -> String {
        self.svg(&format!("<style>{COLOURS}{STYLE}svg{{background:var(--card)}}</style>"))
    }

    fn svg(&self, style: &str) -> String {
        let Drawing { label, width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" role=\"img\" aria-label=\"{}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n{style}{body}</svg>\n",
            escape(label)
        )
    }
}

/// The drawing for a page, in a box that scrolls if it is wider than the window.
impl Render for Drawing {
    fn render(&self) -> Markup {
        html! {
            div .scroll .drawn tabindex="0" role="region" aria-label=(self.label) { (PreEscaped(self.svg(""))) }
        }
    }
}

/// A drawing with a caption.
pub fn figure(caption: &str, drawing: &Drawing) -> Markup {
    html! { figure { figcaption { (caption) } (drawing) } }
}

/// The approximate width of a text.
fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// The first characters of a text.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Writes a text at a place; the class may be empty.
fn write_text(out: &mut String, class: &str, (x, y): (f64, f64), text: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = writeln!(out, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text));
}

/// An arrow's head. Drawings of one page share the name, and the head.
const ARROW: &str = "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" \
                     markerHeight=\"7\" orient=\"auto-start-reverse\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/>\
                     </marker></defs>\n";
