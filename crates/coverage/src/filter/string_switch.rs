//! `switch` on a string: `javac` switches on the hash code, compares, and switches again on the number of the
//! matching case. Only the second switch counts.

use super::FilterResult;
use super::cursor::Cursor;
use crate::body::CoveredBody;
use cupping_classfile::Opcode;

pub(super) fn filter(body: &CoveredBody<'_>, filtered: &mut FilterResult) {
    for (index, node) in body.nodes.iter().enumerate().filter(|(_, node)| node.is_switch()) {
        let default = node.targets().first().and_then(|target| body.node_at(*target));
        if let Some(second) = default.filter(|second| is_string_switch(body, index, *second).is_some()) {
            filtered.ignore(index, second);
        }
    }
}

/// Whether the switch at `first` is on a hash code, followed by the comparisons up to `second`.
fn is_string_switch(body: &CoveredBody<'_>, first: usize, second: usize) -> Option<()> {
    let start = first.checked_sub(4)?;
    if body.nodes[start + 1..=first].iter().any(|node| node.label) {
        return None;
    }
    let cursor = &mut Cursor::new(body, start);
    cursor.op(Opcode::IconstM1)?;
    cursor.variable(Opcode::Istore, "case")?;
    cursor.variable(Opcode::Aload, "string")?;
    cursor.invoke(Opcode::Invokevirtual, "java/lang/String", "hashCode", "()I")?;
    cursor.any()?;
    loop {
        cursor.variable(Opcode::Aload, "string")?;
        cursor.op(Opcode::Ldc)?;
        cursor.invoke(Opcode::Invokevirtual, "java/lang/String", "equals", "(Ljava/lang/Object;)Z")?;
        cursor.op(Opcode::Ifeq)?;
        cursor.any()?;
        cursor.variable(Opcode::Istore, "case")?;
        if cursor.at == second {
            break;
        }
        let target = cursor.op(Opcode::Goto)?.jump().and_then(|target| body.node_at(target));
        (target == Some(second)).then_some(())?;
    }
    cursor.variable(Opcode::Iload, "case")?;
    cursor.any().filter(|node| node.is_switch()).map(|_| ())
}
