//! Expected values as Java expressions.

use super::expressions::Writer;
use cupping_case::{Expected, Literal, MethodRef};

/// The expression that builds a value.
pub fn source(writer: &Writer<'_>, expected: &Expected) -> String {
    match expected {
        // javac boxes where a collection needs an object.
        Expected::Literal(Literal::Boxed(inner)) => writer.literal(inner).text,
        Expected::Literal(literal) => writer.literal(literal).text,
        Expected::Call { method, args } => format!("{}({})", callee(writer, method), list(writer, args)),
        Expected::Array { element, elements } => {
            let elements: Vec<String> = elements.iter().map(|it| source(writer, it)).collect();
            writer.array(element, &elements).text
        }
        Expected::List(elements) => collection(writer, "java/util/List", elements),
        Expected::Set(elements) => collection(writer, "java/util/Set", elements),
        Expected::Map(entries) => {
            let parts: Vec<String> = entries
                .iter()
                .flat_map(|(key, value)| [source(writer, key), source(writer, value)])
                .collect();
            format!("{}.of({})", writer.names.class("java/util/Map"), parts.join(", "))
        }
    }
}

fn callee(writer: &Writer<'_>, method: &MethodRef) -> String {
    let class = writer.names.class(&method.class);
    if &*method.name == "<init>" { format!("new {class}") } else { format!("{class}.{}", method.name) }
}

fn collection(writer: &Writer<'_>, class: &str, elements: &[Expected]) -> String {
    let class = writer.names.class(class);
    // A single array would be taken for the elements themselves.
    if let [Expected::Array { .. }] = elements {
        return format!("{class}.<Object>of({})", list(writer, elements));
    }
    format!("{class}.of({})", list(writer, elements))
}

fn list(writer: &Writer<'_>, values: &[Expected]) -> String {
    values.iter().map(|it| source(writer, it)).collect::<Vec<_>>().join(", ")
}
