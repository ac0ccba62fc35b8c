//! What the compiler generated and nobody wrote does not count. One filter a file, each for a shape of code that
//! JaCoCo 0.8.6 recognises; those for Kotlin, Scala, Groovy and the Eclipse compiler are not here.

mod cursor;
mod finally;
mod generated;
mod resources;
mod string_switch;
mod synchronized;

use super::body::Body;

/// What the filters found in a method.
pub(super) struct Filtered {
    ignored: Vec<bool>,
    /// The node that a node is a copy of, or itself.
    copy_of: Vec<usize>,
}

impl Filtered {
    /// Applies all filters to a method.
    pub(super) fn of(body: &Body<'_>) -> Filtered {
        let nodes = body.nodes.len();
        let mut filtered = Filtered { ignored: vec![false; nodes], copy_of: (0..nodes).collect() };
        if generated::is_generated(body) {
            filtered.ignored.fill(true);
            return filtered;
        }
        for filter in [synchronized::filter, resources::filter, finally::filter, string_switch::filter] {
            filter(body, &mut filtered);
        }
        filtered
    }

    /// The node under which a node counts: itself, or the one it is a copy of; none if that is ignored.
    pub(super) fn counted_as(&self, node: usize) -> Option<usize> {
        let original = self.original(node);
        (!self.ignored[original]).then_some(original)
    }

    /// Ignores the nodes from `first` to before `end`.
    fn ignore(&mut self, first: usize, end: usize) {
        let end = end.min(self.ignored.len());
        if first < end {
            self.ignored[first..end].fill(true);
        }
    }

    /// Counts two nodes as one.
    fn merge(&mut self, node: usize, copy: usize) {
        let (node, copy) = (self.original(node), self.original(copy));
        self.copy_of[copy] = node;
    }

    fn original(&self, mut node: usize) -> usize {
        while self.copy_of[node] != node {
            node = self.copy_of[node];
        }
        node
    }
}
