//! Natural loops: which instructions they consist of.

use crate::body::AnalysedBody;
use std::collections::{BTreeMap, BTreeSet};

/// A natural loop.
#[derive(Clone, Debug, Default)]
pub struct Loop {
    /// Its instructions.
    pub body: BTreeSet<usize>,
    /// Local variables that it stores into.
    pub locals: BTreeSet<usize>,
}

/// The loops of a method, by their first instruction.
pub type Loops = BTreeMap<usize, Loop>;

/// Finds the loops of a method.
pub fn loops(body: &AnalysedBody) -> Loops {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); body.instructions.len()];
    for at in 0..body.instructions.len() {
        let handlers = body.guards(at).map(|h| h.target);
        for next in body.targets[at].iter().copied().chain(handlers) {
            before[next].push(at);
        }
    }
    let mut found = Loops::new();
    for (head, sources) in before.iter().enumerate() {
        let back: Vec<usize> = sources.iter().copied().filter(|s| *s >= head).collect();
        if back.is_empty() {
            continue;
        }
        let entry: &mut Loop = found.entry(head).or_default();
        entry.body.insert(head);
        let mut open = back;
        while let Some(at) = open.pop() {
            if entry.body.insert(at) {
                open.extend(&before[at]);
            }
        }
        for at in &entry.body {
            if let Some((number, slots)) = body.instructions[*at].stored_local() {
                entry.locals.extend((number..number + slots).map(usize::from));
            }
        }
    }
    found
}
