//! Puts back what tests change and all of them share: static fields.

use super::JunitVersion;
use super::class::JunitMethod;
use super::expressions::{Expression, Writer};
use cupping_case::{Action, Case, FieldRef, JavaType, Literal, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// The method that runs after each test; none where no case changes a static field.
pub(super) fn restore(
    cases: &[&Case],
    writer: &Writer<'_>,
    version: JunitVersion,
) -> Option<Box<JunitMethod>> {
    let changed: BTreeMap<(&str, &str), &(FieldRef, Literal)> =
        cases.iter().flat_map(|case| &case.restores).map(|it| ((&*it.0.class, &*it.0.name), it)).collect();
    if changed.is_empty() {
        return None;
    }
    let name = "restoreStaticFields".to_owned();
    let mut by_reflection = false;
    let mut body = Vec::new();
    for (field, value) in changed.values() {
        let value = Operand::Literal(value.clone());
        let action = Action::SetField { field: field.clone(), receiver: None, value };
        by_reflection |= writer.is_by_reflection(&action);
        let none = |_| Expression::primary("null".into(), JavaType::class("java/lang/Object"));
        body.push(format!("    {};", writer.action(&action, &none).text));
    }
    let annotation = writer.names.class(&version.after_each().replace('.', "/"));
    let visibility = if version == JunitVersion::Four { "public " } else { "" };
    let throws = if by_reflection { " throws Throwable" } else { "" };
    let mut lines = vec![format!("@{annotation}"), format!("{visibility}void {name}(){throws} {{")];
    lines.append(&mut body);
    lines.push("}".into());
    let imports = writer.names.take_imports();
    Some(Box::new(JunitMethod {
        name,
        case: 0,
        fails_with: None,
        lines,
        imports,
        assertions: BTreeSet::new(),
    }))
}
