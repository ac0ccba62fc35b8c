//! Constraint trees (thesis §3.3): all paths through a method, explored or not.
//!
//! There is one tree per method. Where a path calls another method whose path also depends on the inputs, the
//! tree *refers* to that path, a leaf of the callee's own tree, instead of copying it (§3.3.1): the recursive
//! `gcd` needs one more node per level.

use cupping_machine::{Frame, MethodId, Purpose, Site};
use cupping_term::TermId;
use std::collections::BTreeMap;

/// Index of a node in its tree. The root is 0.
pub type NodeId = u32;

/// The kind of a tree node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Feasible computation between branch constraints.
    Computation,
    /// The end of a path, by return or exception.
    Terminal,
    /// Not tried yet, possibly infeasible.
    Unexplored,
    /// No input takes this path.
    Infeasible,
    /// Undecided within the solver's budget.
    TimeOut,
}

/// An edge from a node to its child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// A branch constraint: the side taken at a site.
    Branch {
        /// The site.
        site: Site,
        /// The side.
        side: u32,
    },
    /// An invocation that took the path to this leaf of the callee's tree.
    Call {
        /// The callee.
        method: MethodId,
        /// The leaf of its path.
        leaf: NodeId,
    },
}

/// A node of a tree.
#[derive(Clone, Debug)]
pub struct ConstraintNode {
    /// Its kind.
    pub kind: NodeKind,
    /// Its parent and the edge from there; `None` for the root.
    pub parent: Option<(NodeId, Edge)>,
    /// Its children by edge.
    pub children: BTreeMap<Edge, NodeId>,
    /// The constraints of the edge to this node from when it was first reached. On other paths to the method,
    /// its inputs are other terms.
    pub conditions: Conditions,
}

/// The constraints of an edge: of a branch, or of an invocation including its callees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The first few.
    pub first: [Option<TermId>; 3],
    /// Their number.
    pub count: u32,
}

impl Conditions {
    /// One constraint.
    pub fn one(constraint: TermId) -> Conditions {
        Conditions { first: [Some(constraint), None, None], count: 1 }
    }

    /// Appends the constraints of a later edge, without duplicates among those stored.
    fn add(&mut self, others: Conditions) {
        self.count = self.count.saturating_add(others.count);
        for constraint in others.first.iter().flatten() {
            if self.first.contains(&Some(*constraint)) {
                self.count -= 1;
            } else if let Some(free) = self.first.iter_mut().find(|it| it.is_none()) {
                *free = Some(*constraint);
            }
        }
    }
}

/// A side of a decision and its constraint.
pub type Side = (u32, TermId);

/// The known paths through one method.
#[derive(Clone, Debug)]
pub struct ConstraintTree {
    nodes: Vec<ConstraintNode>,
}

impl Default for ConstraintTree {
    fn default() -> ConstraintTree {
        ConstraintTree {
            nodes: vec![ConstraintNode {
                kind: NodeKind::Computation,
                parent: None,
                children: BTreeMap::new(),
                conditions: Conditions::default(),
            }],
        }
    }
}

impl ConstraintTree {
    /// The node of this index.
    pub fn node(&self, id: NodeId) -> &ConstraintNode {
        &self.nodes[id as usize]
    }

    /// All nodes, the root first.
    pub fn nodes(&self) -> &[ConstraintNode] {
        &self.nodes
    }

    /// Number of nodes of this kind.
    pub fn count(&self, kind: NodeKind) -> usize {
        self.nodes.iter().filter(|n| n.kind == kind).count()
    }

    fn child(&mut self, parent: NodeId, edge: Edge, conditions: Conditions) -> NodeId {
        if let Some(known) = self.nodes[parent as usize].children.get(&edge) {
            return *known;
        }
        let id = self.nodes.len() as NodeId;
        let (kind, parent_edge) = (NodeKind::Unexplored, Some((parent, edge)));
        let node = ConstraintNode { kind, parent: parent_edge, children: BTreeMap::new(), conditions };
        self.nodes.push(node);
        self.nodes[parent as usize].children.insert(edge, id);
        id
    }

    /// Updates the kind of a node. A node that is feasible in one context stays feasible.
    fn learn(&mut self, id: NodeId, kind: NodeKind) {
        let node = &mut self.nodes[id as usize];
        let open = matches!(node.kind, NodeKind::Unexplored | NodeKind::TimeOut | NodeKind::Infeasible);
        let settled = matches!(kind, NodeKind::Computation | NodeKind::Terminal);
        if open && (settled || node.kind != NodeKind::Infeasible) {
            node.kind = kind;
        }
        if kind == NodeKind::Terminal && node.children.is_empty() {
            node.kind = NodeKind::Terminal;
        }
    }
}

/// The constraint trees of all methods explored.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    by_method: BTreeMap<MethodId, ConstraintTree>,
}

/// The position of a path in the trees: one entry per frame on the stack, outermost first.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    frames: Vec<Invocation>,
}

/// A method on the stack, with the position of its path in its tree.
#[derive(Clone, Debug)]
struct Invocation {
    /// The serial number of its frame.
    serial: u32,
    method: MethodId,
    at: NodeId,
    /// Constraints of the decisions in it and in its callees.
    met: Conditions,
}

/// A node of one of the trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The method whose tree it is in.
    pub method: MethodId,
    /// The node.
    pub node: NodeId,
}

impl Trees {
    /// The tree of a method, if any of its paths has run.
    pub fn get(&self, method: MethodId) -> Option<&ConstraintTree> {
        self.by_method.get(&method)
    }

    /// All trees by method.
    pub fn iter(&self) -> impl Iterator<Item = (MethodId, &ConstraintTree)> {
        self.by_method.iter().map(|(m, t)| (*m, t))
    }

    /// Records a decision in the innermost frame: adds nodes for the `others` sides and moves the cursor
    /// along `side`.
    pub fn decide(
        &mut self,
        cursor: &mut Cursor,
        frames: &[Frame],
        site: Site,
        (side, taken): Side,
        others: impl Iterator<Item = Side>,
    ) -> Vec<TreeNode> {
        self.follow(cursor, frames);
        let Some(Invocation { method, at, met, .. }) = cursor.frames.last_mut() else { return Vec::new() };
        let tree = self.by_method.entry(*method).or_default();
        let other_nodes = others.map(|(side, constraint)| {
            let node = tree.child(*at, Edge::Branch { site, side }, Conditions::one(constraint));
            TreeNode { method: *method, node }
        });
        let other_nodes = other_nodes.collect();
        *at = tree.child(*at, Edge::Branch { site, side }, Conditions::one(taken));
        met.add(Conditions::one(taken));
        tree.learn(*at, NodeKind::Computation);
        other_nodes
    }

    /// Records the end of the path. Returns its leaf in the tree of the outermost method; `None` if nothing
    /// was decided.
    pub fn end(&mut self, cursor: &mut Cursor) -> Option<TreeNode> {
        while cursor.frames.len() > 1 {
            self.leave(cursor);
        }
        let leaf = cursor.frames.last().map(|it| TreeNode { method: it.method, node: it.at });
        self.leave(cursor);
        leaf
    }

    /// Records what the solver found about a side.
    pub fn learn(&mut self, node: TreeNode, kind: NodeKind) {
        if let Some(tree) = self.by_method.get_mut(&node.method) {
            tree.learn(node.node, kind);
        }
    }

    /// Synchronises the cursor with the stack: invocations that have ended become call edges.
    fn follow(&mut self, cursor: &mut Cursor, frames: &[Frame]) {
        let live: Vec<&Frame> = frames.iter().filter(|f| f.purpose != Purpose::Entry).collect();
        let common =
            cursor.frames.iter().zip(&live).take_while(|(known, frame)| known.serial == frame.serial).count();
        while cursor.frames.len() > common {
            self.leave(cursor);
        }
        for frame in &live[common..] {
            self.by_method.entry(frame.code.method).or_default();
            let (serial, method) = (frame.serial, frame.code.method);
            cursor.frames.push(Invocation { serial, method, at: 0, met: Conditions::default() });
        }
    }

    fn leave(&mut self, cursor: &mut Cursor) {
        let Some(Invocation { method, at: leaf, met, .. }) = cursor.frames.pop() else { return };
        if let Some(tree) = self.by_method.get_mut(&method) {
            tree.learn(leaf, NodeKind::Terminal);
        }
        // An invocation without decisions has a single path, so the caller's tree omits it.
        if leaf == 0 {
            return;
        }
        if let Some(caller) = cursor.frames.last_mut() {
            let tree = self.by_method.entry(caller.method).or_default();
            caller.at = tree.child(caller.at, Edge::Call { method, leaf }, met);
            caller.met.add(met);
            tree.learn(caller.at, NodeKind::Computation);
        }
    }
}
