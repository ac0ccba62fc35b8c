//! The class control-flow graph as a drawing: the class on top, below it a column for each method.

use super::dot::label;
use super::exceptions::Exceptions;
use super::{Blocks, ClassGraph, Exit};
use crate::accesses::Accesses;
use crate::flattened_class::FlatClass;
use cupping_machine::Machine;
use cupping_view::svg::{Column, Drawing, Edge, Graph, Path};

/// The drawing.
pub fn drawing(machine: &Machine, flat: &FlatClass, graph: &ClassGraph, accesses: &Accesses) -> Drawing {
    let exceptions = Exceptions::of(flat, graph);
    let columns =
        (0..flat.methods.len()).map(|method| column(machine, flat, graph, accesses, &exceptions, method));
    let title = machine.class(flat.class).name.replace('/', ".");
    Graph { title, columns: columns.collect() }.draw()
}

/// The drawing as an SVG file.
pub fn svg(machine: &Machine, flat: &FlatClass, graph: &ClassGraph, accesses: &Accesses) -> String {
    drawing(machine, flat, graph, accesses).file()
}

fn column(
    machine: &Machine,
    flat: &FlatClass,
    graph: &ClassGraph,
    accesses: &Accesses,
    exceptions: &Exceptions,
    method: usize,
) -> Column {
    let blocks = Blocks::of(&flat.methods[method]);
    let mut column = Column {
        title: flat.method_name(machine, method),
        is_entry: flat.is_entry[method],
        blocks: Vec::new(),
        edges: Vec::new(),
    };
    for (at, block) in blocks.all.iter().enumerate() {
        let mut lines = label(flat, accesses, method, block);
        lines[0] = format!("{at}: {}", lines[0]);
        for call in graph.calls[method][block.start..block.end].iter().flatten() {
            lines.push(format!("calls {}", flat.method_name(machine, call.callee)));
        }
        column.blocks.push(lines);
        let edge = |to, path| Edge { from: at, to, path };
        column.edges.extend(block.next.iter().map(|next| edge(Some(*next), Path::Normal)));
        column.edges.extend(block.handlers.iter().map(|handler| edge(Some(*handler), Path::Exception)));
        if !block.exits.contains(&Exit::Throw) && exceptions.leave(flat, graph, method, block) {
            column.edges.push(edge(None, Path::Exception));
        }
        column.edges.extend(block.exits.iter().map(|exit| match exit {
            Exit::Return => edge(None, Path::Normal),
            Exit::Throw => edge(None, Path::Exception),
        }));
    }
    column
}
