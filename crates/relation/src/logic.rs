//! Typed logic: formulas with resolved names and checked types, the input of the translation to circuits.
//!
//! Nodes are shared and numbered, and know their free variables, so that the translator can cache the circuit
//! of a node by the values of those variables.

use crate::error::Span;
use crate::syntax::ast::Mult;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::rc::Rc;

/// Index of a signature in the [`Model`](crate::Model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SigId(pub u32);

/// Index of a field in the [`Model`](crate::Model).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u32);

/// A quantified variable, with a unique number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub(crate) u32);

/// The state in which a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldState {
    /// The default state: before the method in a precondition, after it in a postcondition.
    Now,
    /// The pre-state.
    Before,
}

/// The number of tuples of an expression, if it is known statically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Size {
    One,
    Lone,
    Any,
}

/// A node with its number, free variables and position.
#[derive(Debug)]
pub(crate) struct LogicNode<K> {
    pub(crate) id: u32,
    pub(crate) free: Box<[Var]>,
    pub(crate) span: Span,
    pub(crate) kind: K,
}

/// A relational expression.
pub(crate) type Rel = Rc<LogicNode<RelKind>>;
/// A formula.
pub(crate) type Formula = Rc<LogicNode<FormulaKind>>;
/// An integer expression.
pub(crate) type Number = Rc<LogicNode<NumberKind>>;

#[derive(Debug)]
pub(crate) enum RelKind {
    Empty,
    Univ,
    Iden,
    Sig(SigId, FieldState),
    Field(FieldId, FieldState),
    Bool(bool),
    Text(String),
    Var(Var),
    Union(Rel, Rel),
    Difference(Rel, Rel),
    Intersection(Rel, Rel),
    Override(Rel, Rel),
    Join(Rel, Rel),
    Product(Rel, Rel),
    Domain(Rel, Rel),
    Range(Rel, Rel),
    Transpose(Rel),
    Closure(Rel),
    Reflexive(Rel),
    Comprehension(Vec<Bound>, Formula),
    If(Formula, Rel, Rel),
    Integer(Number),
}

#[derive(Debug)]
pub(crate) enum FormulaKind {
    Not(Formula),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Iff(Formula, Formula),
    If(Formula, Formula, Formula),
    In(Rel, Rel),
    Equal(Rel, Rel),
    Count(Mult, Rel),
    AtMost(Number, Number),
    Same(Number, Number),
    All(Vec<Bound>, Formula),
    Some(Vec<Bound>, Formula),
    /// `one` and `lone`; the flag says that at least one is required.
    Few(bool, Vec<Bound>, Formula),
}

#[derive(Debug)]
pub(crate) enum NumberKind {
    Constant(i64),
    Cardinality(Rel),
    /// The sum of a set of integers; the flag says that it has at most one element.
    Value(Rel, bool),
    Sum(Vec<Bound>, Number),
    Arithmetic(Operation, Number, Number),
    Negate(Number),
    If(Formula, Number, Number),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A variable and its domain; `distinct` lists earlier variables from which it must differ.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) var: Var,
    /// The author's name for it; empty if generated.
    pub(crate) name: Rc<str>,
    pub(crate) set: Rel,
    pub(crate) distinct: Vec<Var>,
}

/// The factory for nodes.
#[derive(Debug, Default)]
pub(crate) struct LogicNodeFactory {
    next: Cell<u32>,
    variables: Cell<u32>,
}

impl LogicNodeFactory {
    pub(crate) fn variable(&self) -> Var {
        Var(self.variables.replace(self.variables.get() + 1))
    }

    fn node<K>(&self, kind: K, span: Span, free: Vec<Var>) -> Rc<LogicNode<K>> {
        let id = self.next.replace(self.next.get() + 1);
        let mut free = free;
        free.sort_unstable();
        free.dedup();
        Rc::new(LogicNode { id, free: free.into(), span, kind })
    }

    pub(crate) fn rel(&self, kind: RelKind, span: Span) -> Rel {
        use RelKind as K;
        let free = match &kind {
            K::Empty | K::Univ | K::Iden | K::Sig(..) | K::Field(..) | K::Bool(_) | K::Text(_) => Vec::new(),
            K::Var(var) => vec![*var],
            K::Union(a, b)
            | K::Difference(a, b)
            | K::Intersection(a, b)
            | K::Override(a, b)
            | K::Join(a, b)
            | K::Product(a, b)
            | K::Domain(a, b)
            | K::Range(a, b) => [&a.free[..], &b.free].concat(),
            K::Transpose(a) | K::Closure(a) | K::Reflexive(a) => a.free.to_vec(),
            K::Comprehension(bounds, body) => bound_free(bounds, &body.free),
            K::If(c, a, b) => [&c.free[..], &a.free, &b.free].concat(),
            K::Integer(number) => number.free.to_vec(),
        };
        self.node(kind, span, free)
    }

    pub(crate) fn formula(&self, kind: FormulaKind, span: Span) -> Formula {
        use FormulaKind as K;
        let free = match &kind {
            K::Not(a) => a.free.to_vec(),
            K::And(parts) | K::Or(parts) => parts.iter().flat_map(|it| it.free.to_vec()).collect(),
            K::Iff(a, b) => [&a.free[..], &b.free].concat(),
            K::If(c, a, b) => [&c.free[..], &a.free, &b.free].concat(),
            K::In(a, b) | K::Equal(a, b) => [&a.free[..], &b.free].concat(),
            K::Count(_, a) => a.free.to_vec(),
            K::AtMost(a, b) | K::Same(a, b) => [&a.free[..], &b.free].concat(),
            K::All(bounds, body) | K::Some(bounds, body) | K::Few(_, bounds, body) => {
                bound_free(bounds, &body.free)
            }
        };
        self.node(kind, span, free)
    }

    pub(crate) fn number(&self, kind: NumberKind, span: Span) -> Number {
        use NumberKind as K;
        let free = match &kind {
            K::Constant(_) => Vec::new(),
            K::Cardinality(a) | K::Value(a, _) => a.free.to_vec(),
            K::Sum(bounds, body) => bound_free(bounds, &body.free),
            K::Arithmetic(_, a, b) => [&a.free[..], &b.free].concat(),
            K::Negate(a) => a.free.to_vec(),
            K::If(c, a, b) => [&c.free[..], &a.free, &b.free].concat(),
        };
        self.node(kind, span, free)
    }
}

fn bound_free(bounds: &[Bound], body: &[Var]) -> Vec<Var> {
    let mut free: Vec<Var> = body.to_vec();
    free.extend(bounds.iter().flat_map(|it| it.set.free.iter().copied()));
    free.retain(|it| bounds.iter().all(|bound| bound.var != *it));
    free
}
