//! The deduction tree and its search.

use super::context::{Deduction, PairBudget, last_definitions, simplified};
use super::roots::Root;
use super::sequence::{CallableKind, DeducedCall, Sequence, SequenceOutcome};
use crate::pairs::Pair;
use crate::symbolic::with_lengths;
use cupping_solve::{Answer, Query};
use cupping_term::{Substitution, TermId, VarIndex};
use std::rc::Rc;

/// The status of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has not been visited.
    Open,
    /// Its children were tried.
    Expanded,
    /// Its condition implies that of an ancestor.
    Pruned {
        /// The ancestor.
        implies: usize,
    },
    /// It is the start of a complete sequence.
    Complete,
    /// It exceeds the depth limit.
    Cut,
}

/// A call with the condition under which the calls after it exercise the pair.
#[derive(Clone, Debug)]
pub struct DeductionNode {
    /// The parent, which is the next call of the sequence.
    pub parent: Option<usize>,
    /// The called method.
    pub summary: usize,
    /// The path through it.
    pub path: usize,
    /// Conjuncts over the state before the call and over the parameters of this and later calls.
    pub condition: Rc<[TermId]>,
    /// Whether the definition is placed in this node or an ancestor.
    pub has_definition: bool,
    /// Its status.
    pub fate: Fate,
    /// Number of calls from here on.
    pub depth: usize,
    parameters: Vec<(VarIndex, Option<VarIndex>)>,
    /// The projection of the condition to the state, if it is found.
    projected: Option<Rc<[TermId]>>,
}

/// The tree of a pair.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The nodes in the order of creation; several may be roots.
    pub nodes: Vec<DeductionNode>,
}

impl Tree {
    /// The children of a node, or the roots.
    pub fn children(&self, node: Option<usize>) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(move |n| self.nodes[*n].parent == node)
    }

    /// A node and its ancestors.
    pub fn upwards(&self, from: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(from), |at| self.nodes[*at].parent)
    }
}

/// A tree under construction.
pub(super) struct Build<'b, 'a> {
    pub deduction: &'b mut Deduction<'a>,
    pub pair: &'b Pair,
    pub tree: &'b mut Tree,
    pub depth: usize,
    pub confirm: &'b mut dyn FnMut(&Sequence) -> SequenceOutcome,
    pub tried: &'b mut PairBudget,
    pub was_cut: bool,
    pub was_static: bool,
    pub was_spent: bool,
}

impl Build<'_, '_> {
    /// Searches from the roots; returns a confirmed sequence, if one is found.
    pub fn run(&mut self, roots: &[Root]) -> Option<Sequence> {
        for root in roots {
            let d = &mut *self.deduction;
            let call = d.composer.at(d.terms, d.variables, d.summaries, (root.summary, root.path), 1);
            let condition = call.condition.get(..root.conditions).unwrap_or(&call.condition).to_vec();
            let Some(condition) = simplified(d.terms, condition) else { continue };
            if d.is_contradictory(root.summary, &condition) {
                continue;
            }
            let node = self.add(None, (root.summary, root.path), condition.into(), root.has_definition)?;
            let is_whole = (root.has_definition || self.pair.is_initial) && self.needs_no_more(node);
            if is_whole && let Some(sequence) = self.complete(node) {
                return Some(sequence);
            }
            if let Some(sequence) = self.expand(node) {
                return Some(sequence);
            }
            if self.tried.runs == 0 {
                return None;
            }
        }
        None
    }

    /// Adds a node; `None` at the limit.
    fn add(
        &mut self,
        parent: Option<usize>,
        (summary, path): (usize, usize),
        condition: Rc<[TermId]>,
        has_definition: bool,
    ) -> Option<usize> {
        if self.deduction.solver.work() > self.deduction.limit || self.deduction.stop.is_due() {
            (self.was_spent, self.tried.nodes) = (true, 0);
        }
        self.tried.nodes = self.tried.nodes.checked_sub(1)?;
        let Some(left) = self.tried.round.checked_sub(1) else {
            self.was_cut = true;
            return None;
        };
        self.tried.round = left;
        let depth = parent.map_or(1, |p| self.tree.nodes[p].depth + 1);
        let d = &mut *self.deduction;
        let call = d.composer.at(d.terms, d.variables, d.summaries, (summary, path), depth);
        let projected = d.projected(&condition);
        self.tree.nodes.push(DeductionNode {
            parent,
            summary,
            path,
            condition,
            has_definition,
            fate: Fate::Open,
            depth,
            parameters: call.parameters.clone(),
            projected,
        });
        Some(self.tree.nodes.len() - 1)
    }

    /// Whether the limit on nodes is reached.
    fn is_cut_short(&mut self) -> bool {
        let is_full = self.tried.nodes == 0 || self.tried.round == 0;
        self.was_cut |= is_full;
        is_full
    }

    fn kind(&self, node: usize) -> CallableKind {
        self.deduction.kinds[self.tree.nodes[node].summary]
    }

    /// Whether a node can be the first call: a constructor, or a static method if no call needs an object before one
    /// is made.
    fn needs_no_more(&self, node: usize) -> bool {
        let mut kinds = self.tree.upwards(node).map(|n| self.kind(n));
        kinds.find(|kind| *kind != CallableKind::Static).is_none_or(|kind| kind == CallableKind::Constructor)
    }

    /// Tries the possible predecessors of a node.
    fn expand(&mut self, node: usize) -> Option<Sequence> {
        if self.kind(node) == CallableKind::Constructor && !self.pair.is_static {
            return None;
        }
        if self.tree.nodes[node].depth >= self.depth {
            self.tree.nodes[node].fate = Fate::Cut;
            self.was_cut = true;
            return None;
        }
        self.tree.nodes[node].fate = Fate::Expanded;
        let has_definition = self.tree.nodes[node].has_definition;
        let (first, rest) = self.candidates(has_definition);
        // Place the defining method or the constructor as early as possible.
        for group in [first, rest] {
            let mut children = Vec::new();
            for (summary, path, defines) in group {
                let child = self.child(node, summary, path, has_definition || defines);
                let Some(child) = child else {
                    if self.is_cut_short() {
                        return None;
                    }
                    continue;
                };
                if (has_definition || defines || self.pair.is_initial)
                    && self.needs_no_more(child)
                    && let Some(sequence) = self.complete(child)
                {
                    return Some(sequence);
                }
                if self.tried.runs == 0 {
                    return None;
                }
                children.push(child);
            }
            for child in children {
                if self.tree.nodes[child].fate == Fate::Open
                    && let Some(sequence) = self.expand(child)
                {
                    return Some(sequence);
                }
                if self.tried.runs == 0 || self.is_cut_short() {
                    return None;
                }
            }
        }
        None
    }

    /// The possible predecessors: first those to be placed early, then the others. The flag says whether the
    /// path executes the definition.
    #[expect(clippy::type_complexity, reason = "two lists of the same triples")]
    fn candidates(&self, has_definition: bool) -> (Vec<(usize, usize, bool)>, Vec<(usize, usize, bool)>) {
        let d = &*self.deduction;
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for (summary, kind) in d.kinds.iter().enumerate() {
            for (number, path) in d.continuing(summary) {
                let is_constructor = *kind == CallableKind::Constructor;
                if has_definition {
                    let group = if is_constructor { &mut first } else { &mut rest };
                    group.push((summary, number, false));
                    continue;
                }
                let (last, is_certain) = last_definitions(d.accesses, path, self.pair.variable);
                if last.contains(&self.pair.definition) {
                    first.push((summary, number, true));
                }
                if !is_certain && (!is_constructor || self.pair.is_static) {
                    rest.push((summary, number, false));
                }
            }
        }
        // Paths with few conditions are most likely to succeed.
        let effort = |(summary, path, _): &(usize, usize, bool)| {
            let path = &d.summaries[*summary].paths[*path];
            (!path.is_exact, path.condition.len())
        };
        first.sort_by_key(effort);
        rest.sort_by_key(effort);
        (first, rest)
    }

    /// Adds a child, unless its postcondition contradicts the node's condition.
    fn child(&mut self, node: usize, summary: usize, path: usize, has_definition: bool) -> Option<usize> {
        let depth = self.tree.nodes[node].depth + 1;
        let places_definition = has_definition && !self.tree.nodes[node].has_definition;
        let d = &mut *self.deduction;
        let call = d.composer.at(d.terms, d.variables, d.summaries, (summary, path), depth);
        let is_step = d.kinds[summary] == CallableKind::Constructor || places_definition;
        if !is_step && !self.touches(node, summary, path) {
            // The condition is the node's plus its own: no progress, so no query is needed.
            self.leave_out(node, (summary, path), &call.condition, call.parameters.clone());
            return None;
        }
        let d = &mut *self.deduction;
        let condition = d.before((summary, path), depth, &call, &self.tree.nodes[node].condition)?;
        let child = self.add(Some(node), (summary, path), condition, has_definition)?;
        if !is_step {
            let above: Vec<usize> = self.tree.upwards(node).collect();
            for other in above {
                if self.tree.nodes[other].has_definition == has_definition && self.implies(child, other) {
                    self.tree.nodes[child].fate = Fate::Pruned { implies: other };
                    break;
                }
            }
        }
        Some(child)
    }

    /// Whether a path may affect the node's condition.
    fn touches(&self, node: usize, summary: usize, path: usize) -> bool {
        let d = &*self.deduction;
        let after = &d.summaries[summary].paths[path].after;
        let about =
            |v: &VarIndex| self.tree.nodes[node].condition.iter().any(|c| d.terms.variables(*c).contains(v));
        // The existence of an object is part of the state.
        (self.needs_no_more(node) && d.kinds[summary] != CallableKind::Static)
            || after.iter().any(|(v, _)| about(v))
    }

    /// Records a pruned child.
    fn leave_out(
        &mut self,
        node: usize,
        (summary, path): (usize, usize),
        own: &[TermId],
        parameters: Vec<(VarIndex, Option<VarIndex>)>,
    ) {
        let above = &self.tree.nodes[node];
        let condition: Vec<TermId> = own.iter().chain(above.condition.iter()).copied().collect();
        let terms = &mut *self.deduction.terms;
        let Some(condition) = simplified(terms, condition) else { return };
        if condition.iter().any(|c| condition.contains(&terms.not(*c))) {
            return;
        }
        let (depth, has_definition) = (above.depth + 1, above.has_definition);
        self.tree.nodes.push(DeductionNode {
            parent: Some(node),
            summary,
            path,
            condition: condition.into(),
            has_definition,
            fate: Fate::Pruned { implies: node },
            depth,
            parameters,
            projected: None,
        });
    }

    /// Whether the condition of one node implies that of another.
    fn implies(&mut self, node: usize, other: usize) -> bool {
        // A state without an object differs from one with an object.
        if self.needs_no_more(other) && !self.needs_no_more(node) {
            return false;
        }
        let given = self.tree.nodes[node].condition.clone();
        if self.tree.nodes[other].condition.iter().all(|c| given.contains(c)) {
            return true;
        }
        let Some(projected) = self.tree.nodes[other].projected.clone() else { return false };
        projected.iter().all(|c| self.deduction.implies(&given, *c))
    }

    /// Completes a sequence at a node if its condition holds for a new object and the initial static
    /// variables, and confirms it.
    fn complete(&mut self, node: usize) -> Option<Sequence> {
        let d = &mut *self.deduction;
        let mut substitution = Substitution::default();
        for (variable, bits) in d.statics {
            let sort = d.terms.variable(*variable).sort;
            let value = d.terms.constant(sort, *bits);
            substitution.set(d.terms, *variable, value);
        }
        let condition = self.tree.nodes[node].condition.clone();
        let is_about_statics =
            condition.iter().any(|c| d.terms.variables(*c).iter().any(|v| d.variables.contains(*v)));
        let ground: Vec<TermId> = condition.iter().map(|c| substitution.apply(d.terms, *c)).collect();
        let assertions = with_lengths(d.terms, &ground);
        let query = Query { assertions: &assertions, hint: None };
        let model = match d.solver.solve(d.terms, &query) {
            Answer::Sat(model) => model,
            Answer::Unsat { .. } => {
                self.was_static |= is_about_statics;
                return None;
            }
            Answer::Unknown(_) => {
                self.tried.unconfirmed += 1;
                return None;
            }
        };
        let mentioned: Vec<VarIndex> = ground.iter().flat_map(|c| d.terms.variables(*c)).copied().collect();
        let calls = self.tree.upwards(node).map(|n| {
            let node = &self.tree.nodes[n];
            let known = |v: VarIndex| mentioned.contains(&v).then_some(v);
            let parameters = node.parameters.iter().map(|(p, l)| (known(*p), l.and_then(known)));
            DeducedCall { summary: node.summary, parameters: parameters.collect() }
        });
        let sequence = Sequence { calls: calls.collect(), model };
        match (self.confirm)(&sequence) {
            SequenceOutcome::Exercised => {
                self.tried.runs = self.tried.runs.saturating_sub(1);
                self.tree.nodes[node].fate = Fate::Complete;
                return Some(sequence);
            }
            SequenceOutcome::Missed => self.tried.runs = self.tried.runs.saturating_sub(1),
            SequenceOutcome::MissedLast => {
                self.tried.runs = self.tried.runs.saturating_sub(1);
                // The pair has its next turn in the next round.
                (self.tried.round, self.was_cut) = (0, true);
            }
            SequenceOutcome::Known => {}
        }
        self.tried.unconfirmed += 1;
        None
    }
}
