//! The tree and its search.

use super::compose::{before, implies, is_unsatisfiable};
use super::{Deduced, Deduction, Kind, Root, Sequence, last_definitions, simplified};
use crate::pairs::Pair;
use cupping_solve::project;
use cupping_solve::{Answer, Query};
use cupping_term::{Substitution, TermId, VarIndex};

/// What became of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has not been looked at.
    Open,
    /// Its children were tried.
    Expanded,
    /// Its condition implies that of a node above it.
    Pruned {
        /// That node.
        implies: usize,
    },
    /// It is the constructor: a sequence begins here.
    Complete,
    /// It lies too deep.
    Cut,
}

/// A call and the condition under which what follows exercises the pair.
#[derive(Clone, Debug)]
pub struct Node {
    /// The node above, which is the call after it.
    pub parent: Option<usize>,
    /// The method called.
    pub summary: usize,
    /// The path through it.
    pub path: usize,
    /// Conjuncts over the state before the call and the parameters of the calls from here on.
    pub condition: Vec<TermId>,
    /// Whether the definition has been placed, here or above.
    pub has_definition: bool,
    /// What became of it.
    pub fate: Fate,
    /// Calls from here on.
    pub depth: usize,
    parameters: Vec<(VarIndex, Option<VarIndex>)>,
    /// What the condition says of the state alone, where that is found.
    projected: Option<Vec<TermId>>,
}

/// The tree of a pair.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The nodes, in the order in which they were made; several may be roots.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// A node's children.
    pub fn children(&self, node: Option<usize>) -> impl Iterator<Item = usize> {
        (0..self.nodes.len()).filter(move |n| self.nodes[*n].parent == node)
    }

    /// A node and those above it.
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
    pub confirm: &'b mut dyn FnMut(&Sequence) -> bool,
    pub runs: &'b mut usize,
    pub nodes: &'b mut usize,
    pub was_cut: bool,
    pub was_static: bool,
    pub unconfirmed: &'b mut usize,
}

impl Build<'_, '_> {
    /// Searches from the roots; the sequence that was confirmed, if one was.
    pub fn run(&mut self, roots: &[Root]) -> Option<Sequence> {
        for root in roots {
            let d = &mut *self.deduction;
            let call = d.composer.at(d.terms, d.variables, d.summaries, (root.summary, root.path), 1);
            let condition = call.condition.get(..root.conditions).unwrap_or(&call.condition).to_vec();
            let Some(condition) = simplified(d.terms, condition) else { continue };
            if is_unsatisfiable(d.terms, d.solver, &condition) {
                continue;
            }
            let node = self.add(None, (root.summary, root.path), condition, root.has_definition)?;
            let is_whole = root.has_definition && self.needs_no_more(node);
            if is_whole && let Some(sequence) = self.complete(node) {
                return Some(sequence);
            }
            if let Some(sequence) = self.expand(node) {
                return Some(sequence);
            }
            if *self.runs == 0 {
                return None;
            }
        }
        None
    }

    /// Adds a node; `None` where there are too many.
    fn add(
        &mut self,
        parent: Option<usize>,
        (summary, path): (usize, usize),
        condition: Vec<TermId>,
        has_definition: bool,
    ) -> Option<usize> {
        *self.nodes = self.nodes.checked_sub(1)?;
        let depth = parent.map_or(1, |p| self.tree.nodes[p].depth + 1);
        let d = &mut *self.deduction;
        let call = d.composer.at(d.terms, d.variables, d.summaries, (summary, path), depth);
        let variables = d.variables;
        let projected = project(d.terms, &condition, &|v| variables.contains(v));
        self.tree.nodes.push(Node {
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

    fn kind(&self, node: usize) -> Kind {
        self.deduction.kinds[self.tree.nodes[node].summary]
    }

    /// Whether a node can be the first call: a constructor, or a static method where no object is needed.
    fn needs_no_more(&self, node: usize) -> bool {
        self.kind(node) == Kind::Constructor || self.tree.upwards(node).all(|n| self.kind(n) == Kind::Static)
    }

    /// Tries what may come before a node.
    fn expand(&mut self, node: usize) -> Option<Sequence> {
        if self.kind(node) == Kind::Constructor && !self.pair.is_static {
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
        // The defining method, or the constructor, as soon as possible.
        for group in [first, rest] {
            let mut children = Vec::new();
            for (summary, path, defines) in group {
                let child = self.child(node, summary, path, has_definition || defines);
                let Some(child) = child else {
                    if *self.nodes == 0 {
                        return None;
                    }
                    continue;
                };
                if (has_definition || defines)
                    && self.needs_no_more(child)
                    && let Some(sequence) = self.complete(child)
                {
                    return Some(sequence);
                }
                if *self.runs == 0 {
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
                if *self.runs == 0 || *self.nodes == 0 {
                    return None;
                }
            }
        }
        None
    }

    /// The paths that may come before: those to be placed as soon as possible, and the others. With each, whether it
    /// makes the definition.
    #[expect(clippy::type_complexity, reason = "two lists of the same triples")]
    fn candidates(&self, has_definition: bool) -> (Vec<(usize, usize, bool)>, Vec<(usize, usize, bool)>) {
        let d = &*self.deduction;
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for (summary, kind) in d.kinds.iter().enumerate() {
            for (number, path) in d.continuing(summary) {
                let is_constructor = *kind == Kind::Constructor;
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
        (first, rest)
    }

    /// A child of a node, unless its postconditions contradict the node's condition.
    fn child(&mut self, node: usize, summary: usize, path: usize, has_definition: bool) -> Option<usize> {
        let depth = self.tree.nodes[node].depth + 1;
        let d = &mut *self.deduction;
        let call = d.composer.at(d.terms, d.variables, d.summaries, (summary, path), depth);
        let condition = before(d.terms, d.solver, &call, &self.tree.nodes[node].condition)?;
        let places_definition = has_definition && !self.tree.nodes[node].has_definition;
        let child = self.add(Some(node), (summary, path), condition, has_definition)?;
        if self.kind(child) != Kind::Constructor && !places_definition {
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

    /// Whether the condition of one node implies that of another.
    fn implies(&mut self, node: usize, other: usize) -> bool {
        // A state that needs no object is another state.
        if self.needs_no_more(other) && !self.needs_no_more(node) {
            return false;
        }
        let given = &self.tree.nodes[node].condition;
        if self.tree.nodes[other].condition.iter().all(|c| given.contains(c)) {
            return true;
        }
        let Some(projected) = self.tree.nodes[other].projected.clone() else { return false };
        let given = given.clone();
        let d = &mut *self.deduction;
        projected.into_iter().all(|c| implies(d.terms, d.solver, &given, c))
    }

    /// Ends a sequence at a node, if it holds for a new object and the static variables as they are, and confirms it.
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
        let query = Query { assertions: &ground, hint: None };
        let model = match d.solver.solve(d.terms, &query) {
            Answer::Sat(model) => model,
            Answer::Unsat { .. } => {
                self.was_static |= is_about_statics;
                return None;
            }
            Answer::Unknown(_) => {
                *self.unconfirmed += 1;
                return None;
            }
        };
        let mentioned: Vec<VarIndex> = ground.iter().flat_map(|c| d.terms.variables(*c)).copied().collect();
        let calls = self.tree.upwards(node).map(|n| {
            let node = &self.tree.nodes[n];
            let known = |v: VarIndex| mentioned.contains(&v).then_some(v);
            let parameters = node.parameters.iter().map(|(p, l)| (known(*p), l.and_then(known)));
            Deduced { summary: node.summary, parameters: parameters.collect() }
        });
        let sequence = Sequence { calls: calls.collect(), model };
        *self.runs = self.runs.saturating_sub(1);
        if (self.confirm)(&sequence) {
            self.tree.nodes[node].fate = Fate::Complete;
            return Some(sequence);
        }
        *self.unconfirmed += 1;
        None
    }
}
