//! A state as a drawing.

use crate::picture::{Picture, PictureNode};
use cupping_view::svg::{Drawing, Form, Heap, Link, Start, StartTarget};

/// Draws a picture.
pub fn drawing(label: &str, picture: &Picture) -> Drawing {
    let nodes = picture.nodes.iter().map(|node| {
        let data: Vec<String> = node.data.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let title = format!("{} {}", node.name, data.join(", "));
        let form = Form::Round(text_of(node), node.colour);
        cupping_view::svg::HeapNode { title, form, is_new: false }
    });
    let links = picture.edges.iter().map(|edge| Link {
        from: edge.from,
        to: edge.to,
        label: edge.label.clone(),
        is_changed: false,
    });
    let starts = picture.starts.iter().map(|(name, start)| {
        let target = match start {
            crate::picture::Start::PictureNode(at) => StartTarget::Node(*at),
            crate::picture::Start::Text(text) => StartTarget::Text(text.clone()),
        };
        Start { name: name.clone(), target }
    });
    Heap { starts: starts.collect(), nodes: nodes.collect(), links: links.collect() }.draw(label)
}

/// A picture as an SVG file.
pub fn svg(picture: &Picture) -> String {
    drawing("A state", picture).file()
}

/// The text in a node: its data without the colour, or its name.
fn text_of(node: &PictureNode) -> String {
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
