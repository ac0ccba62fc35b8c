//! Resolves trees to typed logic: looks up names, checks types, and unfolds functions.
//!
//! A name can be ambiguous: in a function of `List`, `next` is `this.next`, or the relation itself where only
//! a relation fits (``header.*next`` in the TestEra paper). Resolving an expression therefore yields a list
//! of candidates in order of preference, and types eliminate candidates on the way up. Fields with the same
//! name in several signatures form their union, from which a join selects the right field.

mod calls;
mod conversion;
mod declare;
mod operators;
mod value;

use crate::error::{Error, Result, Span};
use crate::logic::{Bound, FieldId, FieldState, Formula, FormulaKind, NumberKind, Rel, RelKind, SigId, Size};
use crate::model::Model;
use crate::spelling::nearest;
use crate::syntax::ast::{Binary, Decl, Expr, ExprKind, Mult, Quantifier, Unary};
use crate::syntax::foreign;
use crate::types::Type;
use std::rc::Rc;
pub(crate) use value::Value;

/// Limit on the depth of unfolded calls, which excludes recursion.
const DEEPEST_CALL: usize = 40;

/// The names in scope at an expression.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    names: Vec<(String, Value)>,
    /// Number of names given from outside. A field with such a name is used where only the field fits.
    given: usize,
    /// The pre-state values of those names, where they differ.
    earlier: Vec<Option<Value>>,
    before: bool,
    depth: usize,
}

impl Scope {
    pub(crate) fn with(&self, name: &str, value: Value) -> Scope {
        let mut scope = self.clone();
        scope.names.push((name.to_owned(), value));
        scope
    }

    fn find(&self, name: &str) -> Option<&Value> {
        self.names.iter().rev().find(|(it, _)| it == name).map(|(_, value)| value)
    }

    fn when(&self) -> FieldState {
        if self.before { FieldState::Before } else { FieldState::Now }
    }
}

/// Resolves expressions against a model.
pub(crate) struct Resolver<'m> {
    pub(crate) model: &'m Model,
    /// Whether there is an earlier state.
    pub(crate) earlier: bool,
}

/// A name for the value of a field of a singleton signature: a parameter, `this`, or `result`.
#[derive(Clone, Debug)]
pub struct BoundName {
    /// The name.
    pub name: String,
    /// The signature.
    pub of: SigId,
    /// The field.
    pub field: FieldId,
    /// The state in which the field is read.
    pub when: FieldState,
    /// Whether a backtick reads it in the pre-state, as for a static field used by its simple name.
    pub varies: bool,
}

/// A formula ready to be solved or evaluated.
#[derive(Clone, Debug)]
pub struct Condition(pub(crate) Formula);

impl Condition {
    /// Its position in the specification.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// Its conjuncts, with nested conjunctions flattened.
    pub fn conjuncts(&self) -> Vec<Condition> {
        match &self.0.kind {
            FormulaKind::And(parts) => {
                parts.iter().flat_map(|it| Condition(it.clone()).conjuncts()).collect()
            }
            _ => vec![self.clone()],
        }
    }
}

impl Model {
    /// Resolves a formula about a state and an earlier one, which may use the given names.
    pub fn condition(&self, expr: &Expr, given: &[BoundName]) -> Result<Condition> {
        self.resolve(expr, given, true)
    }

    /// Resolves a formula about a single state: a backtick is an error.
    pub fn condition_of_one_state(&self, expr: &Expr, given: &[BoundName]) -> Result<Condition> {
        self.resolve(expr, given, false)
    }

    fn resolve(&self, expr: &Expr, given: &[BoundName], earlier: bool) -> Result<Condition> {
        let resolver = Resolver { model: self, earlier };
        let mut scope = Scope::default();
        for it in given {
            let of = self.nodes.rel(RelKind::Sig(it.of, FieldState::Now), expr.span);
            let field = self.nodes.rel(RelKind::Field(it.field, it.when), expr.span);
            let ty = Type::of(it.of).join(&self.field(it.field).columns, self);
            let size = match self.field(it.field).function {
                Some(Mult::One) => Size::One,
                Some(_) => Size::Lone,
                None => Size::Any,
            };
            let rel = self.nodes.rel(RelKind::Join(of, field), expr.span);
            let earlier = it.varies.then(|| {
                let of = self.nodes.rel(RelKind::Sig(it.of, FieldState::Before), expr.span);
                let field = self.nodes.rel(RelKind::Field(it.field, FieldState::Before), expr.span);
                Value::Rel(self.nodes.rel(RelKind::Join(of, field), expr.span), ty.clone(), size)
            });
            scope = scope.with(&it.name, Value::Rel(rel, ty, size));
            scope.earlier.push(earlier);
        }
        scope.given = given.len();
        resolver.formula(expr, &scope).map(Condition)
    }

    /// The conjunction of the conditions.
    pub fn conjunction(&self, conditions: &[Condition]) -> Condition {
        let parts = conditions.iter().map(|it| it.0.clone()).collect();
        Condition(self.nodes.formula(FormulaKind::And(parts), Span::default()))
    }

    /// Exactly one of the two conditions holds.
    pub fn difference(&self, a: &Condition, b: &Condition) -> Condition {
        let same = self.nodes.formula(FormulaKind::Iff(a.0.clone(), b.0.clone()), a.0.span);
        Condition(self.nodes.formula(FormulaKind::Not(same), a.0.span))
    }

    /// The negation of a condition.
    pub fn negation(&self, a: &Condition) -> Condition {
        Condition(self.nodes.formula(FormulaKind::Not(a.0.clone()), a.0.span))
    }
}

impl Resolver<'_> {
    pub(crate) fn formula(&self, expr: &Expr, scope: &Scope) -> Result<Formula> {
        self.choose(expr, scope, |value| self.as_formula(value, expr.span))
    }

    fn rel(&self, expr: &Expr, scope: &Scope) -> Result<(Rel, Type, Size)> {
        self.choose(expr, scope, |value| self.as_rel(value, expr.span))
    }

    /// The first candidate of the wanted kind.
    fn choose<T>(&self, expr: &Expr, scope: &Scope, want: impl Fn(&Value) -> Result<T>) -> Result<T> {
        let mut failed = None;
        for value in self.meanings(expr, scope)? {
            match want(&value) {
                Ok(it) => return Ok(it),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(|| Error::new(expr.span, "this expression has no meaning")))
    }

    /// All candidates for an expression in order of preference; at least one.
    fn meanings(&self, expr: &Expr, scope: &Scope) -> Result<Vec<Value>> {
        let span = expr.span;
        let nodes = &self.model.nodes;
        let formula = |kind| Ok(vec![Value::Formula(nodes.formula(kind, span))]);
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, span, scope),
            ExprKind::Bare(name) => match self.fields_named(name, span, scope) {
                none if none.is_empty() => Err(Error::new(span, format!("no signature has a field {name}"))),
                found => Ok(found),
            },
            ExprKind::Number(value) => {
                Ok(vec![Value::Number(nodes.number(NumberKind::Constant(*value), span), true)])
            }
            ExprKind::Text(text) => {
                let rel = nodes.rel(RelKind::Text(text.clone()), span);
                Ok(vec![Value::Rel(rel, Type::of(Model::TEXT), Size::One)])
            }
            ExprKind::Unary(Unary::Before, _) if !self.earlier => {
                Err(Error::new(span, "there is no earlier state here").help("a backtick belongs in `post`"))
            }
            ExprKind::Unary(Unary::Before, operand) => {
                let mut scope = scope.clone();
                scope.before = true;
                self.meanings(operand, &scope)
            }
            ExprKind::Unary(operator, operand) => self.unary(*operator, operand, span, scope),
            ExprKind::Binary(Binary::Join, left, right) => self.join_or_call(left, right, span, scope),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, span, scope),
            ExprKind::If(condition, then, other) => self.conditional(condition, then, other, span, scope),
            ExprKind::Apply(callee, arguments) => self.apply(callee, arguments, span, scope),
            ExprKind::Quantified(quantifier, decls, body) => {
                let (bounds, scope) = self.bounds(decls, scope)?;
                let body = self.formula(body, &scope)?;
                formula(match quantifier {
                    Quantifier::All => FormulaKind::All(bounds, body),
                    Quantifier::Count(Mult::No) => {
                        let not = nodes.formula(FormulaKind::Not(body), span);
                        FormulaKind::All(bounds, not)
                    }
                    Quantifier::Count(Mult::Lone) => FormulaKind::Few(false, bounds, body),
                    Quantifier::Count(Mult::One) => FormulaKind::Few(true, bounds, body),
                    Quantifier::Count(_) => FormulaKind::Some(bounds, body),
                })
            }
            ExprKind::Comprehension(decls, body) => {
                let (bounds, inner) = self.bounds(decls, scope)?;
                let mut ty: Option<Type> = None;
                for decl in decls {
                    let column = self.rel(&decl.bound, &inner)?.1;
                    for _ in &decl.names {
                        ty = Some(ty.map_or_else(|| column.clone(), |it| it.product(&column)));
                    }
                }
                let body = self.formula(body, &inner)?;
                let rel = nodes.rel(RelKind::Comprehension(bounds, body), span);
                Ok(vec![Value::Rel(rel, ty.unwrap_or_else(|| Type::none(1)), Size::Any)])
            }
            ExprKind::Sum(decls, body) => {
                let (bounds, inner) = self.bounds(decls, scope)?;
                let body = self.choose(body, &inner, |value| self.as_number(value, body.span))?;
                Ok(vec![Value::Number(nodes.number(NumberKind::Sum(bounds, body), span), false)])
            }
            ExprKind::Let(name, value, body) => {
                let mut found = Vec::new();
                let mut failed = None;
                for value in self.meanings(value, scope)? {
                    match self.meanings(body, &scope.with(&name.text, value)) {
                        Ok(values) => found.extend(values),
                        Err(error) => failed = failed.or(Some(error)),
                    }
                }
                match failed {
                    Some(error) if found.is_empty() => Err(error),
                    _ => Ok(found),
                }
            }
            ExprKind::Block(parts) if parts.len() == 1 => self.meanings(&parts[0], scope),
            ExprKind::Block(parts) => {
                let parts: Result<Vec<_>> = parts.iter().map(|it| self.formula(it, scope)).collect();
                formula(FormulaKind::And(parts?))
            }
        }
    }

    fn name(&self, name: &str, span: Span, scope: &Scope) -> Result<Vec<Value>> {
        if let Some(at) = scope.names.iter().rposition(|(it, _)| it == name) {
            let earlier = scope.earlier.get(at).filter(|_| scope.before && at < scope.given);
            let value = earlier.cloned().flatten().unwrap_or_else(|| scope.names[at].1.clone());
            // A parameter `key` does not hide a field `key` in `e.key`.
            let fields = if at < scope.given { self.fields_named(name, span, scope) } else { Vec::new() };
            return Ok(std::iter::once(value).chain(fields).collect());
        }
        let nodes = &self.model.nodes;
        let one = |kind, ty, size| Ok(vec![Value::Rel(nodes.rel(kind, span), ty, size)]);
        match name {
            "none" | "null" => return one(RelKind::Empty, Type::none(1), Size::Lone),
            "univ" => return one(RelKind::Univ, self.everything(), Size::Any),
            "iden" => {
                let columns = self.everything().products.into_iter().map(|it| vec![it[0], it[0]]).collect();
                return one(RelKind::Iden, Type { arity: 2, products: columns }, Size::Any);
            }
            "true" | "false" => return one(RelKind::Bool(name == "true"), Type::of(Model::BOOL), Size::One),
            _ => {}
        }
        let mut found = Vec::new();
        for field in self.fields_named(name, span, scope) {
            if let (Some(this), Value::Rel(..)) = (scope.find("this"), &field)
                && let Ok(value) = self.join(this, &field, span)
            {
                found.push(value);
            }
            found.push(field);
        }
        if let Some(sig) = self.model.find_signature(name) {
            let size = match self.model.signature(sig).mult {
                Some(Mult::One) => Size::One,
                Some(Mult::Lone) => Size::Lone,
                _ => Size::Any,
            };
            let rel = nodes.rel(RelKind::Sig(sig, scope.when()), span);
            found.push(Value::Rel(rel, Type::of(sig), size));
        }
        if self.model.functions.contains_key(name) {
            match self.call(name, Vec::new(), span, scope) {
                Ok(values) => found.extend(values),
                Err(error) if found.is_empty() => return Err(error),
                Err(_) => {}
            }
        }
        if found.is_empty() {
            return Err(self.unknown(name, span, scope));
        }
        Ok(found)
    }

    fn unknown(&self, name: &str, span: Span, scope: &Scope) -> Error {
        let error = Error::new(span, format!("unknown name {name}"));
        if name == "this" {
            return error
                .help("only functions with a receiver (`fun List::ok()`) and signature facts have `this`");
        }
        if let Some(plain) = name.strip_suffix('\'') {
            return error.help(format!("the value before the call is written {plain}`"));
        }
        if name.contains('/') {
            return error.help("a quotient is written `div[a, b]`");
        }
        if let Some(remedy) = foreign::method(name) {
            return error.help(remedy);
        }
        let known = self.model.sigs.iter().map(|it| &it.name);
        let known = known.chain(self.model.fields.iter().map(|it| &it.name));
        let known = known.chain(self.model.functions.keys()).chain(scope.names.iter().map(|(it, _)| it));
        match nearest(known.map(String::as_str), name) {
            Some(near) => error.help(format!("did you mean {near}?")),
            None if scope.given > 0 => error.help(format!(
                "declare it, or correct the spelling; the names of the call are {}",
                listed(scope.names[..scope.given].iter().map(|it| it.0.as_str()))
            )),
            None => error.help("declare it, or correct the spelling"),
        }
    }

    /// The unions of all fields with this name, one for each number of columns: a class may have a field `at`,
    /// as arrays do.
    fn fields_named(&self, name: &str, span: Span, scope: &Scope) -> Vec<Value> {
        let nodes = &self.model.nodes;
        let mut found: Vec<(Rel, Type)> = Vec::new();
        for (id, field) in self.model.fields().filter(|(_, it)| it.name == name) {
            let rel = nodes.rel(RelKind::Field(id, scope.when()), span);
            match found.iter_mut().find(|(_, ty)| ty.arity == field.columns.arity) {
                Some((union, ty)) => {
                    *union = nodes.rel(RelKind::Union(union.clone(), rel), span);
                    *ty = ty.union(&field.columns);
                }
                None => found.push((rel, field.columns.clone())),
            }
        }
        found.into_iter().map(|(rel, ty)| Value::Rel(rel, ty, Size::Any)).collect()
    }

    fn everything(&self) -> Type {
        let roots = self.model.signatures().filter(|(_, it)| it.parent.is_none());
        Type { arity: 1, products: roots.map(|(id, _)| vec![id]).collect() }
    }

    /// The variables of declarations, and the scope that contains them.
    fn bounds(&self, decls: &[Decl], scope: &Scope) -> Result<(Vec<Bound>, Scope)> {
        let nodes = &self.model.nodes;
        let mut bounds = Vec::new();
        let mut scope = scope.clone();
        for decl in decls {
            let span = decl.bound.span;
            if decl.partition || !matches!(decl.mult, None | Some(Mult::One)) {
                return Err(Error::new(
                    span,
                    "only single atoms can be quantified over, not sets or relations",
                )
                .help("drop the multiplicity; use a relation of the model instead"));
            }
            let set = self.choose(&decl.bound, &scope, |value| {
                let (rel, ty, size) = self.as_rel(value, span)?;
                if ty.arity == 1 {
                    return Ok((rel, ty, size));
                }
                Err(Error::new(span, "only sets can be quantified over")
                    .label(format!("this is a relation: {}", ty.show(self.model)))
                    .help("name the atom to start from, or give the function a receiver"))
            })?;
            let mut distinct = Vec::new();
            for name in &decl.names {
                let var = nodes.variable();
                bounds.push(Bound {
                    var,
                    name: name.text.as_str().into(),
                    set: set.0.clone(),
                    distinct: distinct.clone(),
                });
                if decl.disjoint {
                    distinct.push(var);
                }
                let rel = nodes.rel(RelKind::Var(var), name.span);
                scope = scope.with(&name.text, Value::Rel(rel, set.1.clone(), Size::One));
            }
        }
        Ok((bounds, scope))
    }

    fn conditional(
        &self,
        condition: &Expr,
        then: &Expr,
        other: &Expr,
        span: Span,
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        let nodes = &self.model.nodes;
        let condition = self.formula(condition, scope)?;
        if let (Ok(a), Ok(b)) = (self.formula(then, scope), self.formula(other, scope)) {
            return Ok(vec![Value::Formula(nodes.formula(FormulaKind::If(condition, a, b), span))]);
        }
        let numeric = |expr: &Expr| {
            let values = self.meanings(expr, scope).ok()?;
            values.iter().find_map(|it| match it {
                Value::Number(number, _) => Some(Rc::clone(number)),
                _ => None,
            })
        };
        if let (Some(a), Some(b)) = (numeric(then), numeric(other)) {
            return Ok(vec![Value::Number(nodes.number(NumberKind::If(condition, a, b), span), false)]);
        }
        let (a, left, _) = self.rel(then, scope)?;
        let (b, right, _) = self.rel(other, scope)?;
        if left.arity != right.arity {
            return Err(Error::new(span, "the two alternatives have different numbers of columns"));
        }
        Ok(vec![Value::Rel(nodes.rel(RelKind::If(condition, a, b), span), left.union(&right), Size::Any)])
    }
}

/// `a, b and c`
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
