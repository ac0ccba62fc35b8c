//! The copies of a `finally` block, which `javac` puts at every exit of the guarded range, count as one.

use super::FilterResult;
use crate::body::{CoveredBody, Guard, InstructionNode};
use cupping_classfile::Opcode;
use std::collections::BTreeSet;

pub(super) fn filter(body: &CoveredBody<'_>, filtered: &mut FilterResult) {
    for guard in body.guards.iter().filter(|guard| guard.catch_type.is_none()) {
        if let Some(length) = length(body, guard.handler) {
            merge_copies(body, filtered, guard, length);
        }
    }
}

/// The number of nodes of the `finally` block in the handler that rethrows; `None` if it does not rethrow.
fn length(body: &CoveredBody<'_>, handler: usize) -> Option<usize> {
    let store = &body.nodes[handler];
    if store.opcode != Opcode::Astore {
        return None;
    }
    let is_load = |node: &InstructionNode| node.opcode == Opcode::Aload && node.local() == store.local();
    let length = body.nodes[handler + 1..].iter().position(is_load)?;
    let rethrow = body.nodes.get(handler + length + 2)?;
    (length > 0 && rethrow.opcode == Opcode::Athrow).then_some(length)
}

/// Merges the copies at the exits of the ranges that share the handler of `any`.
fn merge_copies(body: &CoveredBody<'_>, filtered: &mut FilterResult, any: &Guard, length: usize) {
    let ranges = || body.guards.iter().filter(|guard| guard.handler == any.handler);
    let inside: BTreeSet<usize> = ranges().flat_map(|guard| guard.start..guard.end).collect();
    let mut merge = |copy: usize| {
        if !inside.contains(&copy) {
            merge_copy(body, filtered, any.handler, copy, length);
        }
    };
    for guard in &body.guards {
        if guard.handler == any.handler {
            for node in &body.nodes[guard.start..guard.end] {
                if let Some(target) = node.jump().and_then(|target| body.node_at(target)) {
                    merge(target);
                }
            }
            let last = &body.nodes[guard.end - 1];
            if last.opcode != Opcode::Goto && !last.is_exit() {
                merge(guard.end);
            }
        }
        // A `catch` of the same range may be empty except for storing the exception: the copy follows.
        if !std::ptr::eq(guard, any) && guard.start == any.start && guard.end == any.end {
            merge(guard.handler + 1);
        }
    }
}

fn merge_copy(
    body: &CoveredBody<'_>,
    filtered: &mut FilterResult,
    handler: usize,
    copy: usize,
    length: usize,
) {
    let first = handler + 1;
    let same = |offset: usize| {
        let copied = body.nodes.get(copy + offset);
        copied.is_some_and(|node| node.opcode == body.nodes[first + offset].opcode)
    };
    if !(0..length).all(same) {
        return;
    }
    filtered.ignore(handler, first);
    for offset in 0..length {
        filtered.merge(first + offset, copy + offset);
    }
    // Loading the exception and throwing it again.
    filtered.ignore(first + length, first + length + 2);
    let end = copy + length;
    if body.nodes.get(end).is_some_and(|node| node.opcode == Opcode::Goto) {
        filtered.ignore(end, end + 1);
    }
}
