//! The objects around a call as a drawing.

use crate::picture::{Cell, ObjectDrawing, Picture};
use cupping_view::svg::{Drawing, Form, Heap, HeapNode, HeapRow, Link, Start, StartTarget};

/// Draws objects and marks their differences from the picture before.
pub(super) fn drawing(label: &str, picture: &Picture, before: Option<&Picture>) -> Drawing {
    let mut heap = Heap::default();
    for (name, cell) in &picture.roots {
        let target = match cell {
            Cell::Text(text) => StartTarget::Text(text.clone()),
            Cell::Object(to) => StartTarget::Node(*to),
        };
        heap.starts.push(Start { name: name.clone(), target });
    }
    for (at, drawn) in picture.boxes.iter().enumerate() {
        let old = before.map(|it| (it, it.boxes.iter().find(|it| it.identity == drawn.identity)));
        let is_new = matches!(old, Some((_, None)));
        let mut rows = Vec::new();
        for (name, cell) in &drawn.rows {
            let is_changed = old.is_some_and(|(before, old)| {
                old.is_some_and(|old| differs(name, cell, picture, old, before))
            });
            match cell {
                Cell::Text(value) => {
                    rows.push(HeapRow { name: name.clone(), value: value.clone(), is_changed })
                }
                Cell::Object(to) => {
                    heap.links.push(Link { from: at, to: *to, label: name.clone(), is_changed })
                }
            }
        }
        let form = Form::Rows(drawn.class.clone(), rows);
        heap.nodes.push(HeapNode { title: drawn.class.clone(), form, is_new });
    }
    heap.draw(label)
}

/// Whether a field held something else before.
fn differs(name: &str, now: &Cell, picture: &Picture, old: &ObjectDrawing, before: &Picture) -> bool {
    let was = old.rows.iter().find(|(other, _)| other == name).map(|(_, it)| it);
    match (was, now) {
        (Some(Cell::Object(was)), Cell::Object(now)) => {
            before.boxes[*was].identity != picture.boxes[*now].identity
        }
        (was, now) => was != Some(now),
    }
}
