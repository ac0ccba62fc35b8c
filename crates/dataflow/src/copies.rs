//! Copies that the compiler makes: `javac` writes a `finally` block once for each way out of its `try`, and once as
//! a handler that catches everything. In the source it is one block, so an access in it is one access.
//!
//! The handler is recognised by its shape: it stores the exception that it caught, and ends by throwing it again.
//! The code in between is the block. Accesses elsewhere in the method are copies of those in the block if they are
//! in the same line, and their statements have the same instructions, apart from the numbers of local variables.

use crate::body::AnalysedBody;
use crate::origin::Origins;
use cupping_classfile::Action;
use std::collections::BTreeMap;
use std::ops::Range;

/// The properties that an access shares with its copies.
pub(crate) type CopyKey = (usize, bool, bool);

/// Groups accesses, given as instructions in order: for each, the index of its original, which is its own index if
/// it is not a copy or the first of several.
pub(crate) fn originals(body: &AnalysedBody, origins: &Origins, accesses: &[(usize, CopyKey)]) -> Vec<usize> {
    let mut found: Vec<usize> = (0..accesses.len()).collect();
    let blocks = blocks(body);
    if blocks.is_empty() {
        return found;
    }
    let statements: Vec<Range<usize>> =
        accesses.iter().map(|(at, _)| statement(body, origins, *at)).collect();
    // Candidates for copies of each other.
    let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, (at, likeness)) in accesses.iter().enumerate() {
        let first = (0..number).find(|other| {
            let (place, of_other) = accesses[*other];
            of_other == *likeness
                && body.line(place) == body.line(*at)
                && body.line(place).is_some()
                && is_same(body, &statements[*other], &statements[number])
        });
        alike.entry(first.unwrap_or(number)).or_default().push(number);
    }
    for group in alike.values() {
        let in_block =
            |block: &Range<usize>| group.iter().filter(|it| block.contains(&accesses[**it].0)).count();
        let Some(in_one) = blocks.iter().map(in_block).find(|count| *count > 0) else { continue };
        // Each copy has them all.
        if group.len() > in_one && group.len().is_multiple_of(in_one) {
            for (nth, number) in group.iter().enumerate() {
                found[*number] = group[nth % in_one];
            }
        }
    }
    found
}

/// The `finally` blocks as handlers have them.
fn blocks(body: &AnalysedBody) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for handler in body.handlers.iter().filter(|handler| handler.catches.is_none()) {
        let start = handler.target;
        if found.iter().any(|block| block.start == start)
            || body.instructions[start].action() != Action::Store
        {
            continue;
        }
        let throws = |at: &usize| {
            body.instructions[*at].action() == Action::Throw
                && body.instructions[*at - 1].action() == Action::Load
        };
        if let Some(end) = (start + 1..body.instructions.len()).find(throws) {
            found.push(start..end);
        }
    }
    found
}

/// The instructions of a statement up to an access, starting where the operand stack was empty.
fn statement(body: &AnalysedBody, origins: &Origins, at: usize) -> Range<usize> {
    let is_empty = |at: usize| origins.before[at].as_ref().is_none_or(|before| before.stack.is_empty());
    let start = (0..=at).rev().find(|at| is_empty(*at)).unwrap_or(0);
    debug_assert!(at < body.instructions.len());
    start..at + 1
}

/// Whether two statements have the same instructions.
fn is_same(body: &AnalysedBody, one: &Range<usize>, other: &Range<usize>) -> bool {
    one.len() == other.len()
        && one.clone().zip(other.clone()).all(|(a, b)| {
            let (x, y) = (&body.instructions[a], &body.instructions[b]);
            let moves_local = matches!(x.action(), Action::Load | Action::Store);
            x.action() == y.action()
                && (moves_local || x.opcode == y.opcode)
                && (x.action() != Action::Constant || x.operand == y.operand)
                && body.constant(a) == body.constant(b)
        })
}
