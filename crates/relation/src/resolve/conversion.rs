//! Conversion of values to a formula, a relation or a number.

use super::Resolver;
use super::value::Value;
use crate::error::{Error, Result, Span};
use crate::logic::{Formula, FormulaKind, Number, NumberKind, Rel, RelKind, Size};
use crate::model::Model;
use crate::types::Type;

impl Resolver<'_> {
    pub(super) fn as_rel(&self, value: &Value, span: Span) -> Result<(Rel, Type, Size)> {
        match value {
            Value::Rel(rel, ty, size) => Ok((rel.clone(), ty.clone(), *size)),
            Value::Number(number, _) => {
                let rel = self.model.nodes.rel(RelKind::Integer(number.clone()), span);
                Ok((rel, Type::of(Model::INT), Size::Lone))
            }
            Value::Formula(_) => Err(Error::new(span, "expected a set or relation, found a formula")
                .label("this is true or false")),
        }
    }

    pub(super) fn as_formula(&self, value: &Value, span: Span) -> Result<Formula> {
        match value {
            Value::Formula(formula) => Ok(formula.clone()),
            Value::Rel(rel, ty, _) if *ty == Type::of(Model::BOOL) => {
                let nodes = &self.model.nodes;
                let yes = nodes.rel(RelKind::Bool(true), span);
                Ok(nodes.formula(FormulaKind::Equal(rel.clone(), yes), span))
            }
            Value::Rel(rel, ty, _) => Err(Error::new(rel.span, "expected a formula, found a relation")
                .label(format!("this is {}", ty.show(self.model)))
                .help("write `some`, `no`, `one` or `lone` before it, or compare it")),
            Value::Number(number, _) => Err(Error::new(number.span, "expected a formula, found a number")
                .label("this is a number")
                .help("compare it with another number")),
        }
    }

    pub(super) fn as_number(&self, value: &Value, span: Span) -> Result<Number> {
        match value {
            Value::Number(number, _) => Ok(number.clone()),
            Value::Rel(rel, ty, size) if ty.arity == 1 => {
                if ty.products.iter().all(|it| it[0] == Model::INT) {
                    let kind = NumberKind::Value(rel.clone(), *size != Size::Any);
                    return Ok(self.model.nodes.number(kind, span));
                }
                Err(Error::new(span, "expected an integer, found a set")
                    .label(format!("this is {}", ty.show(self.model)))
                    .help("only integers can be ordered; `#` counts a set"))
            }
            Value::Rel(..) => {
                Err(Error::new(span, "expected an integer, found a relation").help("`#` counts its tuples"))
            }
            Value::Formula(_) => Err(Error::new(span, "expected an integer, found a formula")),
        }
    }
}
