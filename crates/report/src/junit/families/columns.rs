//! The parameters of a family: holes whose values differ; holes with equal values share one.

use super::super::slugs::{decapitalised, is_identifier};
use super::super::variables::invoked;
use super::holes::{Hole, Role, Skeleton};
use crate::source::java;
use crate::source::tree::{Expr, TypeName};
use cupping_case::{Case, JavaType};
use std::collections::BTreeSet;

/// A parameter.
pub(super) struct Column {
    pub name: String,
    pub ty: TypeName,
    /// The holes that it fills.
    pub holes: Vec<usize>,
    /// Its values, row by row.
    pub values: Vec<Expr>,
}

/// The parameters of tests with the same body. Their names come from the parameters of the called method, if the
/// class files have these.
pub(super) fn columns(skeletons: &[Skeleton], case: Option<&Case>) -> Option<Vec<Column>> {
    let first = skeletons.first()?;
    let mut columns: Vec<(Column, Vec<String>)> = Vec::new();
    let mut roles: Vec<Vec<&Role>> = Vec::new();
    for at in 0..first.values.len() {
        let holes: Vec<&Hole> = skeletons.iter().map(|it| it.values.get(at)).collect::<Option<_>>()?;
        let texts: Vec<String> = holes.iter().map(|it| java::text(&it.value)).collect();
        if texts.iter().collect::<BTreeSet<_>>().len() == 1 {
            continue;
        }
        let (ty, role) = (&first.values[at].ty, &first.values[at].role);
        // The code may change an array, and the expected array is a different one.
        let is_array = matches!(ty.ty, JavaType::Array(_));
        let is_alike =
            |(known, known_texts): &(Column, Vec<String>)| known.ty == *ty && *known_texts == texts;
        let alike = columns.iter().position(|it| !is_array && is_alike(it));
        match alike {
            Some(known) => {
                columns[known].0.holes.push(at);
                roles[known].push(role);
            }
            None => {
                let values = holes.iter().map(|it| it.value.clone()).collect();
                let column = Column { name: String::new(), ty: ty.clone(), holes: vec![at], values };
                columns.push((column, texts));
                roles.push(vec![role]);
            }
        }
    }
    let mut columns: Vec<Column> = columns.into_iter().map(|(column, _)| column).collect();
    name(&mut columns, &roles, skeletons, case);
    // Expected values come last.
    let mut order: Vec<(bool, Column)> = columns
        .into_iter()
        .zip(&roles)
        .map(|(column, roles)| (roles.iter().all(|it| matches!(it, Role::Expected(_))), column))
        .collect();
    order.sort_by_key(|(is_expected, _)| *is_expected);
    Some(order.into_iter().map(|(_, column)| column).collect())
}

/// Gives each parameter a name that does not occur in the body.
fn name(columns: &mut [Column], roles: &[Vec<&Role>], skeletons: &[Skeleton], case: Option<&Case>) {
    let mut taken: BTreeSet<String> = skeletons.first().map(Skeleton::names).unwrap_or_default();
    for (column, roles) in columns.iter_mut().zip(roles) {
        let local = roles.iter().find_map(|it| match it {
            Role::Local(name) => Some(name.clone()),
            _ => None,
        });
        if let Some(local) = local {
            column.name = local;
            continue;
        }
        let told = roles.iter().find_map(|it| word(it, case)).filter(|it| is_identifier(it));
        let stem = told.unwrap_or_else(|| by_type(&column.ty).to_owned());
        let mut name = stem.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{stem}{number}");
            number += 1;
        }
        column.name = name;
    }
}

/// The name of a value according to its role.
fn word(role: &Role, case: Option<&Case>) -> Option<String> {
    match role {
        Role::Local(_) | Role::Other => None,
        Role::Expected(None) => Some("expected".to_owned()),
        Role::Expected(Some(observer)) => {
            let words = ["get", "is", "has"];
            let is_word = |rest: &&str| rest.starts_with(|it: char| it.is_ascii_uppercase());
            let stripped = words.iter().find_map(|it| observer.strip_prefix(it).filter(is_word));
            match stripped {
                Some(property) => Some(format!("expected{property}")),
                None if observer == "toString" => Some("expectedText".to_owned()),
                None => Some(format!("expected{}", super::super::slugs::capital(observer))),
            }
        }
        Role::Argument(method, count, at) => {
            let called = case?.steps.iter().filter_map(|step| invoked(&step.action)).find(|(it, args)| {
                let is_constructor = method == "<init>" && &*it.name == "<init>";
                args.len() == *count && (is_constructor || &*it.name == method.as_str())
            });
            let name = called?.0.parameter_names.get(*at)?;
            Some(decapitalised(name))
        }
    }
}

fn by_type(ty: &TypeName) -> &'static str {
    match &ty.ty {
        JavaType::Boolean => "flag",
        JavaType::Char => "character",
        JavaType::Array(_) => "elements",
        JavaType::Class(_) => "text",
        _ => "number",
    }
}
