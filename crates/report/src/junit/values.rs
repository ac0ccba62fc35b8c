//! Expected values as expressions.

use super::expressions::Writer;
use crate::source::tree::{Expr, NewObject};
use cupping_case::{ExpectedValue, JavaType, Literal, MethodRef};

/// The expression that builds a value.
pub fn expression(writer: &Writer<'_>, expected: &ExpectedValue) -> Expr {
    let all = |values: &[ExpectedValue]| values.iter().map(|it| expression(writer, it)).collect::<Vec<_>>();
    match expected {
        // The compiler boxes where a collection needs an object.
        ExpectedValue::Literal(Literal::Boxed(inner)) => writer.literal(inner).expr,
        ExpectedValue::Literal(literal) => writer.literal(literal).expr,
        ExpectedValue::Call { method, args } => call(writer, method, all(args)),
        ExpectedValue::Array { element, elements } => writer.array(element, all(elements)).expr,
        ExpectedValue::List(elements) => of(writer, "java/util/List", elements, all(elements)),
        ExpectedValue::Set(elements) => of(writer, "java/util/Set", elements, all(elements)),
        ExpectedValue::Map(entries) => {
            let parts = entries.iter().flat_map(|(key, value)| [key, value]);
            let parts = parts.map(|it| expression(writer, it)).collect();
            Expr::static_call(writer.class("java/util/Map"), "of", parts)
        }
    }
}

fn call(writer: &Writer<'_>, method: &MethodRef, arguments: Vec<Expr>) -> Expr {
    let class = writer.class(&method.class);
    if &*method.name == "<init>" {
        Expr::New(Box::new(NewObject::of(None, class, arguments)))
    } else {
        Expr::static_call(class, &method.name, arguments)
    }
}

/// `List.of(…)` or `Set.of(…)`. A single array as an argument would be taken for the elements themselves.
fn of(writer: &Writer<'_>, class: &str, elements: &[ExpectedValue], mut arguments: Vec<Expr>) -> Expr {
    if let [ExpectedValue::Array { .. }] = elements
        && let Some(array) = arguments.pop()
    {
        arguments.push(Expr::cast(writer.ty(&JavaType::class("java/lang/Object")), array));
    }
    Expr::static_call(writer.class(class), "of", arguments)
}
