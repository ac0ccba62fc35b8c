//! Definition-use pairs (§4): a definition and a use of the same variable, and whether a definition-clear
//! path connects them.

use crate::accesses::Accesses;
use crate::flattened_class::FlatClass;
use crate::graph::{ClassGraph, Failures, Reach, STEPS};
use std::collections::BTreeSet;

/// A definition-use pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The variable.
    pub variable: usize,
    /// Index of the definition access.
    pub definition: usize,
    /// Index of the use access.
    pub usage: usize,
    /// Whether the variable is static.
    pub is_static: bool,
    /// Whether a static initialiser may execute the definition, before any call.
    pub is_initial: bool,
    /// Whether the use, too, may be executed by a static initialiser.
    pub is_used_initially: bool,
    /// Whether there is a definition-clear path in the class control-flow graph.
    pub has_clear_path: bool,
    /// Whether there is such a path on which no call by a client throws before the use.
    pub has_path_of_returns: bool,
    /// Whether the definition may be live when a call by a client throws, and the use may follow.
    pub may_follow_exception: bool,
}

/// The pairs of a class, ordered by variable, definition and use.
///
/// Every definition of a variable is paired with every use. Constants, that is `static final` variables, have
/// no pairs unless their contents are modified. `is_watched` says whether the definitions in a method can be
/// observed.
pub fn pairs(
    flat: &FlatClass,
    graph: &ClassGraph,
    accesses: &Accesses,
    is_watched: &dyn Fn(usize) -> bool,
) -> Vec<Pair> {
    let mut found = Vec::new();
    let (mut steps, mut steps_of_returns) = (STEPS, STEPS);
    let initial = initial(flat, graph);
    for (variable, declared) in flat.variables.iter().enumerate() {
        let of_variable = || (0..accesses.all.len()).filter(|id| accesses.all[*id].variable == variable);
        let is_changed =
            of_variable().any(|id| accesses.all[id].is_definition && accesses.all[id].is_contents);
        if declared.is_static && declared.is_final && !is_changed {
            continue;
        }
        for definition in of_variable().filter(|id| accesses.all[*id].is_definition) {
            let at = &accesses.all[definition];
            if !is_watched(at.method) {
                continue;
            }
            let reaches = |failures: Failures, steps: &mut u64| -> Vec<Reach> {
                let places = at.places().map(|place| (at.method, place));
                places.map(|at| Reach::of(flat, graph, accesses, variable, at, failures, steps)).collect()
            };
            let reach = reaches(Failures::GoOn, &mut steps);
            let outlives_exception = reach.iter().any(|it| it.outlives_exception);
            let of_returns = reaches(Failures::End, &mut steps_of_returns);
            for usage in of_variable().filter(|id| !accesses.all[*id].is_definition) {
                let of = &accesses.all[usage];
                // Nothing is known about uses on objects other than `this`.
                let is_other = !of.on_this;
                let is_reached = |by: &[Reach]| {
                    let or_new = at.is_contents || of.is_contents || !at.on_this;
                    by.iter().any(|reach| of.places().any(|it| reach.reaches((of.method, it), or_new)))
                };
                let has_clear_path = is_other || is_reached(&reach);
                found.push(Pair {
                    variable,
                    definition,
                    usage,
                    is_static: declared.is_static,
                    is_initial: declared.is_static && initial.contains(&at.method),
                    is_used_initially: declared.is_static && initial.contains(&of.method),
                    has_clear_path,
                    has_path_of_returns: is_other || is_reached(&of_returns),
                    may_follow_exception: has_clear_path && outlives_exception,
                });
            }
        }
    }
    found
}

/// The static initialisers, and the methods that they call.
fn initial(flat: &FlatClass, graph: &ClassGraph) -> BTreeSet<usize> {
    let is_initializer = |method: &usize| &*flat.methods[*method].name == "<clinit>";
    let mut open: Vec<usize> = (0..flat.methods.len()).filter(is_initializer).collect();
    let mut found: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(method) = open.pop() {
        let callees = graph.calls[method].iter().flatten().map(|call| call.callee);
        open.extend(callees.filter(|callee| found.insert(*callee)));
    }
    found
}
