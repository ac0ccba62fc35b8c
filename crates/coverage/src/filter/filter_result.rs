//! The result of the filters for a method.

/// The findings of the filters in a method.
pub(crate) struct FilterResult {
    ignored: Vec<bool>,
    /// The node that a node is a copy of, or itself.
    copy_of: Vec<usize>,
}

impl FilterResult {
    /// Filters nothing, in a method of this number of nodes.
    pub(super) fn none(nodes: usize) -> FilterResult {
        FilterResult { ignored: vec![false; nodes], copy_of: (0..nodes).collect() }
    }

    /// The node under which a node counts: itself, or the one it is a copy of; `None` if it is ignored.
    pub(crate) fn counted_as(&self, node: usize) -> Option<usize> {
        let original = self.original(node);
        (!self.ignored[original]).then_some(original)
    }

    /// Ignores the nodes from `first` to before `end`.
    pub(super) fn ignore(&mut self, first: usize, end: usize) {
        let end = end.min(self.ignored.len());
        if first < end {
            self.ignored[first..end].fill(true);
        }
    }

    /// Counts two nodes as one.
    pub(super) fn merge(&mut self, node: usize, copy: usize) {
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
