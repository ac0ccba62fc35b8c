//! How each place of a method is reached, which determines where probes are needed.

use crate::body::CoveredBody;

/// Facts about one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PlaceState {
    /// Whether something jumps here, or the method begins here.
    target: bool,
    /// Control can fall through to it.
    successor: bool,
    /// It is reached in more than one way.
    multiple: bool,
    /// A line begins here that invokes something.
    invokes: bool,
}

/// The places of a method, by index of the node there.
pub(super) struct Labels(Vec<PlaceState>);

impl Labels {
    /// Finds how the places of a method are reached.
    pub(super) fn of(body: &CoveredBody<'_>) -> Labels {
        let mut labels = Labels(vec![PlaceState::default(); body.nodes.len() + 1]);
        for guard in body.guards.iter().rev() {
            // A guarded range gets a probe at its start unless the method begins there; otherwise it would be
            // unknown what was executed before it when it is left by an exception.
            labels.set_target(guard.start);
            labels.set_target(guard.handler);
        }
        labels.follow(body);
        labels
    }

    fn follow(&mut self, body: &CoveredBody<'_>) {
        let mut falls_through = false;
        let mut line_start = None;
        for (index, node) in body.nodes.iter().enumerate() {
            if node.label && index == 0 {
                self.set_target(index);
            }
            if node.label && falls_through {
                self.set_successor(index);
            }
            if node.line_start {
                line_start = Some(index);
            }
            let mut targets: Vec<usize> = node.targets().iter().filter_map(|t| body.node_at(*t)).collect();
            targets.sort_unstable();
            targets.dedup();
            for target in targets {
                self.set_target(target);
            }
            if let (true, Some(start)) = (node.is_invocation(), line_start) {
                self.0[start].invokes = true;
            }
            falls_through = !node.opcode.ends_path();
        }
    }

    fn set_target(&mut self, node: usize) {
        let reached = &mut self.0[node];
        if reached.target || reached.successor {
            reached.multiple = true;
        } else {
            reached.target = true;
        }
    }

    fn set_successor(&mut self, node: usize) {
        let reached = &mut self.0[node];
        reached.successor = true;
        reached.multiple |= reached.target;
    }

    /// Whether it is reached in more than one way.
    pub(super) fn is_multiple(&self, node: usize) -> bool {
        self.0[node].multiple
    }

    /// Whether control can fall through to it.
    pub(super) fn is_successor(&self, node: usize) -> bool {
        self.0[node].successor
    }

    /// Whether falling through to it must be recorded.
    pub(super) fn needs_probe(&self, node: usize) -> bool {
        let reached = self.0[node];
        reached.successor && (reached.multiple || reached.invokes)
    }
}
