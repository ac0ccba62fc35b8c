//! Resolves operators on candidate values.

use super::value::Value;
use super::{Resolver, Scope};
use crate::error::{Error, Result, Span};
use crate::logic::{FormulaKind, Number, NumberKind, Operation, Rel, RelKind, Size};
use crate::model::Model;
use crate::syntax::ast::{Binary, Expr, ExprKind, Mult, Unary};
use crate::types::Type;

impl Resolver<'_> {
    pub(super) fn unary(
        &self,
        operator: Unary,
        operand: &Expr,
        span: Span,
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        let nodes = &self.model.nodes;
        if operator == Unary::Not {
            let inner = self.formula(operand, scope)?;
            return Ok(vec![Value::Formula(nodes.formula(FormulaKind::Not(inner), span))]);
        }
        let mut failed = None;
        let mut found = Vec::new();
        for value in self.meanings(operand, scope)? {
            match self.unary_value(operator, &value, operand.span, span) {
                Ok(value) => found.push(value),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.filter(|_| found.is_empty()).map_or(Ok(found), Err)
    }

    fn unary_value(&self, operator: Unary, value: &Value, at: Span, span: Span) -> Result<Value> {
        let nodes = &self.model.nodes;
        if operator == Unary::Negate {
            let number = self.as_number(value, at)?;
            if let NumberKind::Constant(it) = number.kind {
                let negated = nodes.number(NumberKind::Constant(it.wrapping_neg()), span);
                return Ok(Value::Number(negated, true));
            }
            return Ok(Value::Number(nodes.number(NumberKind::Negate(number), span), false));
        }
        let (rel, ty, size) = self.as_rel(value, at)?;
        match operator {
            Unary::Cardinality => Ok(Value::Number(nodes.number(NumberKind::Cardinality(rel), span), false)),
            Unary::Test(mult) => Ok(Value::Formula(nodes.formula(FormulaKind::Count(mult, rel), span))),
            _ if ty.arity != 2 => Err(Error::new(at, "this operator needs a relation with two columns")
                .label(format!("this is {}", self.describe(&ty)))
                .help("apply `~`, `^` and `*` to a binary relation such as a field")),
            Unary::Transpose => {
                Ok(Value::Rel(nodes.rel(RelKind::Transpose(rel), span), ty.transposed(), size))
            }
            Unary::Closure => {
                let ty = ty.closure(self.model);
                Ok(Value::Rel(nodes.rel(RelKind::Closure(rel), span), ty, Size::Any))
            }
            _ => {
                let mut ty = ty.closure(self.model);
                // Reflexive closure relates every atom to itself; the type keeps to the signatures of the
                // relation where possible.
                let columns: Vec<_> = ty.column(0).into_iter().chain(ty.column(1)).collect();
                ty.products.extend(columns.into_iter().map(|it| vec![it, it]));
                Ok(Value::Rel(nodes.rel(RelKind::Reflexive(rel), span), ty, Size::Any))
            }
        }
    }

    fn describe(&self, ty: &Type) -> String {
        match ty.arity {
            1 => format!("a set of {}", ty.show(self.model)),
            _ => format!("a relation {}", ty.show(self.model)),
        }
    }

    /// `left.right`
    pub(super) fn join(&self, left: &Value, right: &Value, span: Span) -> Result<Value> {
        let (a, left_type, left_size) = self.as_rel(left, span)?;
        let (b, right_type, _) = self.as_rel(right, span)?;
        if left_type.arity + right_type.arity <= 2 {
            let help = match (left, right) {
                (Value::Number(..), Value::Number(..)) => {
                    "a range is written `a <= n and n <= b`, or as a set: `0 + 1`"
                }
                _ => "one side of `.` must be a relation",
            };
            return Err(Error::new(span, "two sets cannot be joined")
                .label(format!("{} and {}", self.describe(&left_type), self.describe(&right_type)))
                .help(help));
        }
        let ty = left_type.join(&right_type, self.model);
        if ty.is_none() && !left_type.is_none() && !right_type.is_none() {
            let help = match left_type == Type::of(Model::INT) && self.leads_to_arrays(&right_type) {
                true => "an element of an array is written `a.at[0]`",
                false => {
                    "the last column of the left side and the first column of the right side share no atoms"
                }
            };
            return Err(Error::new(span, "this join is always empty")
                .label(format!("{}, joined with {}", self.describe(&left_type), self.describe(&right_type)))
                .help(help));
        }
        let size = self.image_size(left_size, &left_type, &b);
        Ok(Value::Rel(self.model.nodes.rel(RelKind::Join(a, b), span), ty, size))
    }

    /// Whether the last column has atoms with elements `at` indices.
    fn leads_to_arrays(&self, ty: &Type) -> bool {
        let is_indexed = |sig| self.model.fields.iter().any(|it| it.name == "at" && it.owner == sig);
        ty.products.iter().all(|it| it.last().is_some_and(|sig| is_indexed(*sig)))
    }

    /// The size of the image of a set under a relation.
    fn image_size(&self, from: Size, ty: &Type, relation: &Rel) -> Size {
        if from == Size::Any || ty.arity != 1 {
            return Size::Any;
        }
        match self.function(relation, ty) {
            Some(Mult::One) => from,
            Some(_) => Size::Lone,
            None => Size::Any,
        }
    }

    /// Whether the relation has at most (`Lone`) or exactly one (`One`) value for each atom of `from`.
    fn function(&self, relation: &Rel, from: &Type) -> Option<Mult> {
        match &relation.kind {
            RelKind::Field(id, _) => {
                let field = self.model.field(*id);
                let total = from.products.iter().all(|it| self.model.is_within(it[0], field.owner));
                match field.function? {
                    Mult::One if total => Some(Mult::One),
                    _ => Some(Mult::Lone),
                }
            }
            // A union of same-named fields of disjoint signatures.
            RelKind::Union(a, b) => {
                let (RelKind::Field(x, _), RelKind::Field(y, _)) = (&a.kind, &b.kind) else { return None };
                let (x, y) = (self.model.field(*x), self.model.field(*y));
                let apart = self.model.common(x.owner, y.owner).is_none();
                (x.name == y.name && apart && x.function.is_some() && y.function.is_some())
                    .then_some(Mult::Lone)
            }
            _ => None,
        }
    }

    pub(super) fn binary(
        &self,
        operator: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
        scope: &Scope,
    ) -> Result<Vec<Value>> {
        let nodes = &self.model.nodes;
        if matches!(operator, Binary::And | Binary::Or | Binary::Implies | Binary::Iff) {
            let a = self.formula(left, scope)?;
            let b = self.formula(right, scope)?;
            let kind = match operator {
                Binary::And => FormulaKind::And(vec![a, b]),
                Binary::Or => FormulaKind::Or(vec![a, b]),
                Binary::Iff => FormulaKind::Iff(a, b),
                _ => FormulaKind::Or(vec![nodes.formula(FormulaKind::Not(a), left.span), b]),
            };
            return Ok(vec![Value::Formula(nodes.formula(kind, span))]);
        }
        let (lefts, rights) = (self.meanings(left, scope)?, self.meanings(right, scope)?);
        let (lefts, rights) = match operator {
            _ if !compares(operator) => (lefts, rights),
            _ => (
                self.computed(left, &rights, scope).map_or(lefts.clone(), |it| vec![it]),
                self.computed(right, &lefts, scope).map_or(rights, |it| vec![it]),
            ),
        };
        self.warn_of_disjoint_types(operator, &lefts, &rights, span);
        let mut found = Vec::new();
        let mut failed = None;
        for a in lefts {
            for b in &rights {
                match self.binary_value(operator, &a, b, left.span, right.span, span) {
                    Ok(value) => found.push(value),
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        failed.filter(|_| found.is_empty()).map_or(Ok(found), Err)
    }

    /// Warns about comparisons of disjoint types.
    fn warn_of_disjoint_types(&self, operator: Binary, lefts: &[Value], rights: &[Value], span: Span) {
        if !matches!(operator, Binary::Equal | Binary::NotEqual | Binary::In | Binary::NotIn) {
            return;
        }
        let ty = |it: &Value| match it {
            Value::Rel(_, ty, _) => ty.clone(),
            Value::Number(..) => Type::of(Model::INT),
            Value::Formula(_) => Type::none(1),
        };
        let apart =
            |a: &Type, b: &Type| !a.is_none() && !b.is_none() && a.intersection(b, self.model).is_none();
        let (lefts, rights): (Vec<Type>, Vec<Type>) =
            (lefts.iter().map(ty).collect(), rights.iter().map(ty).collect());
        // Readings with different numbers of columns cannot be compared.
        let pairs = lefts.iter().flat_map(|a| rights.iter().map(move |b| (a, b)));
        let readings: Vec<_> = pairs.filter(|(a, b)| a.arity == b.arity).collect();
        if let Some((a, b)) = readings.first()
            && readings.iter().all(|(a, b)| apart(a, b))
        {
            let help = match a.arity {
                1 => "compare values of one type",
                _ => "a field alone is the relation of all objects; its value for one is written `x.field`",
            };
            let (a, b) = (a.show(self.model), b.show(self.model));
            let text = format!("the two sides of the comparison share no values: {a} and {b}");
            let doubt = Error::new(span, text).help(help);
            self.model.warnings.borrow_mut().insert(span, doubt);
        }
    }

    /// `a + b` and `a - b` as arithmetic, where they are compared with at most one integer: a union of two
    /// would make no sense there.
    fn computed(&self, expr: &Expr, other: &[Value], scope: &Scope) -> Option<Value> {
        let ExprKind::Binary(Binary::Union | Binary::Difference, ..) = &expr.kind else { return None };
        let is_scalar = |it: &Value| match it {
            Value::Number(..) => true,
            Value::Rel(_, ty, size) => *size != Size::Any && *ty == Type::of(Model::INT),
            Value::Formula(_) => false,
        };
        let (number, sureness) =
            other.first().filter(|it| is_scalar(it)).and_then(|_| self.sum(expr, scope))?;
        (sureness != IntegerCertainty::Unsure).then_some(Value::Number(number, false))
    }

    /// A sum or difference of operands with at most one integer each, and how certain the arithmetic reading
    /// is. `None` if an operand is anything else.
    pub(super) fn sum(&self, expr: &Expr, scope: &Scope) -> Option<(Number, IntegerCertainty)> {
        if let ExprKind::Binary(operator @ (Binary::Union | Binary::Difference), left, right) = &expr.kind {
            let (a, first) = self.sum(left, scope)?;
            let (b, second) = self.sum(right, scope)?;
            let operation = if *operator == Binary::Union { Operation::Add } else { Operation::Subtract };
            let kind = NumberKind::Arithmetic(operation, a, b);
            return Some((self.model.nodes.number(kind, expr.span), first.with(second)));
        }
        let value = self.meanings(expr, scope).ok()?.swap_remove(0);
        let sureness = match &value {
            Value::Rel(_, ty, Size::One) if *ty == Type::of(Model::INT) => IntegerCertainty::Sure,
            Value::Rel(_, ty, Size::Lone) if *ty == Type::of(Model::INT) => IntegerCertainty::Unsure,
            Value::Number(_, true) => IntegerCertainty::Written,
            Value::Number(_, false) => IntegerCertainty::Sure,
            _ => return None,
        };
        Some((self.as_number(&value, expr.span).ok()?, sureness))
    }

    fn binary_value(
        &self,
        operator: Binary,
        left: &Value,
        right: &Value,
        at_left: Span,
        at_right: Span,
        span: Span,
    ) -> Result<Value> {
        let nodes = &self.model.nodes;
        let not = |kind| {
            let inner = nodes.formula(kind, span);
            Ok(Value::Formula(nodes.formula(FormulaKind::Not(inner), span)))
        };
        match operator {
            Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => {
                let a = self.as_number(left, at_left)?;
                let b = self.as_number(right, at_right)?;
                match operator {
                    Binary::AtMost => Ok(Value::Formula(nodes.formula(FormulaKind::AtMost(a, b), span))),
                    Binary::AtLeast => Ok(Value::Formula(nodes.formula(FormulaKind::AtMost(b, a), span))),
                    Binary::Less => not(FormulaKind::AtMost(b, a)),
                    _ => not(FormulaKind::AtMost(a, b)),
                }
            }
            Binary::Equal | Binary::NotEqual if numeric(left, right) => {
                let kind =
                    FormulaKind::Same(self.as_number(left, at_left)?, self.as_number(right, at_right)?);
                if operator == Binary::Equal {
                    Ok(Value::Formula(nodes.formula(kind, span)))
                } else {
                    not(kind)
                }
            }
            Binary::Union | Binary::Difference if arithmetic(left, right) => {
                let operation = if operator == Binary::Union { Operation::Add } else { Operation::Subtract };
                let (a, b) = (self.as_number(left, at_left)?, self.as_number(right, at_right)?);
                Ok(Value::Number(nodes.number(NumberKind::Arithmetic(operation, a, b), span), false))
            }
            Binary::Equal | Binary::NotEqual | Binary::In | Binary::NotIn => {
                let (a, b, ..) = self.same_arity(left, right, at_left, at_right, span)?;
                match operator {
                    Binary::Equal => Ok(Value::Formula(nodes.formula(FormulaKind::Equal(a, b), span))),
                    Binary::In => Ok(Value::Formula(nodes.formula(FormulaKind::In(a, b), span))),
                    Binary::NotEqual => not(FormulaKind::Equal(a, b)),
                    _ => not(FormulaKind::In(a, b)),
                }
            }
            _ => self.relational(operator, left, right, at_left, at_right, span),
        }
    }

    fn relational(
        &self,
        operator: Binary,
        left: &Value,
        right: &Value,
        at_left: Span,
        at_right: Span,
        span: Span,
    ) -> Result<Value> {
        let nodes = &self.model.nodes;
        match operator {
            Binary::Product(..) => {
                let (a, left, _) = self.as_rel(left, at_left)?;
                let (b, right, _) = self.as_rel(right, at_right)?;
                Ok(Value::Rel(nodes.rel(RelKind::Product(a, b), span), left.product(&right), Size::Any))
            }
            Binary::Domain | Binary::Range => {
                let (a, left, _) = self.as_rel(left, at_left)?;
                let (b, right, _) = self.as_rel(right, at_right)?;
                let (set, ty, kind) = if operator == Binary::Domain {
                    (left, right, RelKind::Domain(a, b))
                } else {
                    (right, left, RelKind::Range(a, b))
                };
                if set.arity != 1 {
                    return Err(Error::new(span, "`<:` and `:>` restrict a relation by a set")
                        .label(format!("{} is not a set", set.show(self.model))));
                }
                Ok(Value::Rel(nodes.rel(kind, span), ty, Size::Any))
            }
            _ => {
                let (a, b, left, right, size) = self.same_arity(left, right, at_left, at_right, span)?;
                let (kind, ty, size) = match operator {
                    Binary::Union => (RelKind::Union(a, b), left.union(&right), Size::Any),
                    Binary::Override => (RelKind::Override(a, b), left.union(&right), Size::Any),
                    Binary::Intersection => {
                        let ty = left.intersection(&right, self.model);
                        (RelKind::Intersection(a, b), ty, if size == Size::Any { size } else { Size::Lone })
                    }
                    _ => (RelKind::Difference(a, b), left, if size == Size::Any { size } else { Size::Lone }),
                };
                Ok(Value::Rel(nodes.rel(kind, span), ty, size))
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn same_arity(
        &self,
        left: &Value,
        right: &Value,
        at_left: Span,
        at_right: Span,
        span: Span,
    ) -> Result<(Rel, Rel, Type, Type, Size)> {
        let (a, mut left, size) = self.as_rel(left, at_left)?;
        let (b, mut right, _) = self.as_rel(right, at_right)?;
        // `none` adapts its number of columns.
        if left.is_none() && matches!(a.kind, RelKind::Empty) {
            left.arity = right.arity;
        }
        if right.is_none() && matches!(b.kind, RelKind::Empty) {
            right.arity = left.arity;
        }
        if left.arity != right.arity {
            let is_product = |it: &Rel| matches!(it.kind, RelKind::Product(..));
            let help = match is_product(&a) || is_product(&b) {
                true => "`->` makes pairs; the field of an object is written `x.field`",
                false => {
                    "a field alone is the relation of all objects; its value for one is written `x.field`"
                }
            };
            let sides = format!("{}, and {}", self.describe(&left), self.describe(&right));
            let error = Error::new(span, "the two sides have different numbers of columns");
            return Err(error.label(sides).help(help));
        }
        Ok((a, b, left, right, size))
    }
}

/// Whether both are numbers, or one is a number and the other exactly one integer.
fn numeric(left: &Value, right: &Value) -> bool {
    let single = |it: &Value| matches!(it, Value::Rel(_, ty, Size::One) if *ty == Type::of(Model::INT));
    match (left, right) {
        (Value::Number(..), Value::Number(..)) => true,
        (Value::Number(..), other) | (other, Value::Number(..)) => single(other),
        _ => single(left) && single(right),
    }
}

/// Whether `+` and `-` are arithmetic: between numbers, between a computed number and an integer, and between
/// a literal and exactly one integer (`size + 1`). In `keys - 0` they are set operators.
fn arithmetic(left: &Value, right: &Value) -> bool {
    match (left, right) {
        // In `x in 0 + 1` they are a set of two numbers.
        (Value::Number(_, a), Value::Number(_, b)) => !(*a && *b),
        (Value::Number(_, false), Value::Rel(_, ty, _)) | (Value::Rel(_, ty, _), Value::Number(_, false)) => {
            *ty == Type::of(Model::INT)
        }
        (Value::Number(..), Value::Rel(_, ty, Size::One))
        | (Value::Rel(_, ty, Size::One), Value::Number(..)) => *ty == Type::of(Model::INT),
        _ => false,
    }
}

/// How certain it is that an expression is an integer and not a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerCertainty {
    /// It is an integer, or computed.
    Sure,
    /// It is a literal, or computed from one and from what may be empty.
    Written,
    /// It may be empty.
    Unsure,
}

impl IntegerCertainty {
    /// The certainty of a sum: one certain operand suffices, and so does a literal (`n.right.rank + 1`).
    fn with(self, other: IntegerCertainty) -> IntegerCertainty {
        match (self, other) {
            (IntegerCertainty::Sure, _) | (_, IntegerCertainty::Sure) => IntegerCertainty::Sure,
            (IntegerCertainty::Written, _) | (_, IntegerCertainty::Written) => IntegerCertainty::Written,
            _ => IntegerCertainty::Unsure,
        }
    }
}

/// Whether the operator compares two values.
fn compares(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Equal | Binary::NotEqual | Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast
    )
}
