//! Which uses a definition reaches along paths of the class control-flow graph without another definition.
//!
//! Calls are followed without regard to where they came from, so that a path may return to a caller it did not have:
//! what is found to be unreachable is so.

use super::{ClassGraph, Place};
use crate::accesses::Accesses;
use crate::flat::Flat;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The places that are reached from the definition of a variable without another definition of it.
pub struct Reach {
    before: FxHashSet<Place>,
}

impl Reach {
    /// Follows a definition; `at` is a place that defines the variable.
    pub fn of(flat: &Flat, graph: &ClassGraph, accesses: &Accesses, variable: usize, at: Place) -> Reach {
        let mut walk = Walk { flat, graph, seen: FxHashSet::default(), open: Vec::new(), left: false };
        walk.leave(at, variable, true);
        while let Some(place) = walk.open.pop() {
            if !accesses.defines(place.0, place.1, variable) {
                walk.leave(place, variable, false);
            } else {
                // The new value is not there yet where the instruction fails.
                let next = graph.next(flat, place);
                walk.go(next.handlers);
                if next.throws {
                    walk.exit(place.0, variable, true);
                }
            }
        }
        Reach { before: walk.seen }
    }

    /// Whether a place is reached.
    pub fn reaches(&self, place: Place) -> bool {
        self.before.contains(&place)
    }
}

struct Walk<'a> {
    flat: &'a Flat,
    graph: &'a ClassGraph,
    /// Places before which the definition may be the last.
    seen: FxHashSet<Place>,
    open: Vec<Place>,
    /// Whether the class node has been reached.
    left: bool,
}

impl Walk<'_> {
    fn go(&mut self, places: Vec<Place>) {
        for place in places {
            if self.seen.insert(place) {
                self.open.push(place);
            }
        }
    }

    /// Goes on behind a place; a definition that fails has not taken place.
    fn leave(&mut self, place: Place, variable: usize, is_definition: bool) {
        let next = self.graph.next(self.flat, place);
        self.go(next.places);
        if next.returns {
            self.exit(place.0, variable, false);
        }
        if !is_definition {
            self.go(next.handlers);
            if next.throws {
                self.exit(place.0, variable, true);
            }
        }
    }

    /// Leaves a method: to its callers, and through the class node to all that can be called on the object.
    fn exit(&mut self, method: usize, variable: usize, is_exception: bool) {
        if is_exception {
            let callers: BTreeSet<Place> = (0..self.graph.calls.len())
                .flat_map(|m| (0..self.graph.calls[m].len()).map(move |at| (m, at)))
                .filter(|(m, at)| self.graph.calls[*m][*at].is_some_and(|call| call.callee == method))
                .collect();
            for (caller, at) in callers {
                let next = self.graph.next(self.flat, (caller, at));
                let before = self.seen.len();
                self.go(next.handlers);
                // An exception goes up through a caller once.
                if next.throws && (self.seen.len() > before || self.seen.insert((caller, usize::MAX))) {
                    self.exit(caller, variable, true);
                }
            }
        } else {
            self.go(self.graph.returns_to[method].clone());
        }
        let is_initializer = &*self.flat.methods[method].name == "<clinit>";
        if (self.flat.is_entry[method] || is_initializer) && !self.left {
            self.left = true;
            let is_static = self.flat.variables[variable].is_static;
            let entries = (0..self.flat.methods.len()).filter(|m| self.flat.is_entry[*m]);
            // An object is constructed once.
            let entries = entries.filter(|m| is_static || !self.flat.methods[*m].is_constructor());
            self.go(entries.map(|m| (m, 0)).collect());
        }
    }
}
