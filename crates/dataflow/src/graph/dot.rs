//! The class control-flow graph for Graphviz.

use super::exceptions::Exceptions;
use super::{Blocks, ClassGraph, Exit};
use crate::accesses::Accesses;
use crate::flattened_class::FlatClass;
use cupping_machine::Machine;
use std::fmt::Write as _;

/// The label of a block: its lines, and its definitions and uses.
pub(super) fn label(
    flat: &FlatClass,
    accesses: &Accesses,
    method: usize,
    block: &super::Block,
) -> Vec<String> {
    let body = &flat.methods[method];
    let mut lines: Vec<u16> = (block.start..block.end).filter_map(|at| body.line(at)).collect();
    lines.sort_unstable();
    let mut text = match (lines.first(), lines.last()) {
        (Some(first), Some(last)) if first != last => vec![format!("lines {first}\u{2013}{last}")],
        (Some(first), _) => vec![format!("line {first}")],
        _ => vec![format!("@{}", body.instructions[block.start].pc)],
    };
    for at in block.start..block.end {
        for id in accesses.at(method, at) {
            let access = &accesses.all[*id];
            let what = if access.is_definition { "def" } else { "use" };
            let variable = &flat.variables[access.variable].name;
            let of = if access.is_contents { " (contents)" } else { "" };
            text.push(format!("{what} {variable}{of}"));
        }
    }
    text
}

/// The graph in Graphviz's language.
pub fn dot(machine: &Machine, flat: &FlatClass, graph: &ClassGraph, accesses: &Accesses) -> String {
    let mut out = String::from("digraph ccfg {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    let name = machine.class(flat.class).name.replace('/', ".");
    let _ = writeln!(out, "  class [label=\"{name}\", shape=ellipse, style=bold];");
    let exceptions = Exceptions::of(flat, graph);
    for method in 0..flat.methods.len() {
        let blocks = Blocks::of(&flat.methods[method]);
        let title = quoted(&flat.method_name(machine, method));
        let _ = writeln!(out, "  subgraph cluster_{method} {{\n    label=\"{title}\";");
        let _ = writeln!(out, "    entry_{method} [label=\"{title}\", shape=ellipse];");
        let _ = writeln!(out, "    exit_{method} [label=\"{title}\", shape=ellipse, peripheries=2];");
        for (at, block) in blocks.all.iter().enumerate() {
            let text: Vec<String> = label(flat, accesses, method, block).iter().map(|l| quoted(l)).collect();
            let _ = writeln!(out, "    b_{method}_{at} [label=\"{at}\\n{}\"];", text.join("\\n"));
        }
        let _ = writeln!(out, "  }}\n  entry_{method} -> b_{method}_0;");
        for (at, block) in blocks.all.iter().enumerate() {
            for next in &block.next {
                let _ = writeln!(out, "  b_{method}_{at} -> b_{method}_{next};");
            }
            for handler in &block.handlers {
                let _ = writeln!(out, "  b_{method}_{at} -> b_{method}_{handler} [style=dashed];");
            }
            for exit in &block.exits {
                let style = if *exit == Exit::Throw { " [style=dashed]" } else { "" };
                let _ = writeln!(out, "  b_{method}_{at} -> exit_{method}{style};");
            }
            if !block.exits.contains(&Exit::Throw) && exceptions.leave(flat, graph, method, block) {
                let _ = writeln!(out, "  b_{method}_{at} -> exit_{method} [style=dashed];");
            }
            let callees = graph.calls[method][block.start..block.end].iter().flatten();
            for callee in callees.map(|call| call.callee) {
                let _ = writeln!(out, "  b_{method}_{at} -> entry_{callee} [style=dotted];");
                let _ = writeln!(out, "  exit_{callee} -> b_{method}_{at} [style=dotted];");
            }
        }
        if flat.is_entry[method] {
            let _ = writeln!(out, "  class -> entry_{method};\n  exit_{method} -> class;");
        }
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
