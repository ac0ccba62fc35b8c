//! The comparison of two programs.

use crate::api::{self, ApiChange};
use crate::canonical::{Canonical, has_stable_name};
use crate::change::{ClassChange, MethodChange, MethodFate, Status};
use crate::renamed_members;
use cupping_classfile::{AccessFlags, ClassFile, ClassFileError, Field, Method, Program};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The differences between two programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The number of classes in both.
    pub common: usize,
    /// Classes that are not as they were, by name.
    pub classes: Vec<ClassChange>,
    /// Changes that clients notice when they are compiled or linked.
    pub api: Vec<ApiChange>,
}

/// Compares the classes of these names on the class paths. Classes that the compiler numbers count as part of the
/// methods that use them.
///
/// # Errors
///
/// A class file is damaged.
pub fn compare(old: &Program, new: &Program, names: &BTreeSet<String>) -> Result<Comparison, ClassFileError> {
    compare_of(old, new, names, false)
}

/// As [`compare`], for classes of the programs' JDKs.
///
/// # Errors
///
/// A class file is damaged.
pub fn compare_jdks(
    old: &Program,
    new: &Program,
    names: &BTreeSet<String>,
) -> Result<Comparison, ClassFileError> {
    compare_of(old, new, names, true)
}

fn compare_of(
    old: &Program,
    new: &Program,
    names: &BTreeSet<String>,
    of_jdk: bool,
) -> Result<Comparison, ClassFileError> {
    let mut comparison = Comparison::default();
    for name in names {
        let find = |program: &Program| -> Result<Option<Arc<ClassFile>>, ClassFileError> {
            Ok(program.find(name)?.filter(|it| it.origin().is_jdk() == of_jdk && has_stable_name(it)))
        };
        let (was, is) = (find(old)?, find(new)?);
        comparison.api.extend(api::changes(old, new, was.as_deref(), is.as_deref()));
        match (was, is) {
            (Some(was), Some(is)) => {
                comparison.common += 1;
                comparison.classes.extend(class(old, new, &was, &is));
            }
            (Some(was), None) => comparison.classes.push(alone(&was, Status::Removed)),
            (None, Some(is)) => comparison.classes.push(alone(&is, Status::Added)),
            (None, None) => {}
        }
    }
    Ok(comparison)
}

/// A class that one version has.
fn alone(class: &ClassFile, status: Status) -> ClassChange {
    ClassChange { name: (&*class.name).into(), status, methods: Vec::new(), fields: Vec::new() }
}

/// The differences of two versions of a class, if there are any.
fn class(old: &Program, new: &Program, was: &ClassFile, is: &ClassFile) -> Option<ClassChange> {
    let is_numbered = |it: &ClassFile| it.inner_classes.iter().any(|inner| inner.outer.is_none());
    if was.bytes() == is.bytes() && !is_numbered(was) {
        return None;
    }
    let (mut before, mut now) = (Canonical::new(old), Canonical::new(new));
    let names = renamed_members::pair(&mut before, &mut now, was, is);
    let mut methods = Vec::new();
    let is_ours = |it: &&Method| !it.access.is_synthetic();
    for method in is.methods.iter().filter(is_ours) {
        let old_name = names
            .iter()
            .find(|((_, descriptor), new)| ***new == *method.name && **descriptor == *method.descriptor)
            .map(|((name, _), _)| name.clone());
        let counterpart = was.method(old_name.as_deref().unwrap_or(&method.name), &method.descriptor);
        let fate = match (counterpart, old_name) {
            (None, _) => MethodFate::Added,
            (Some(_), Some(old_name)) => MethodFate::Renamed(old_name),
            (Some(other), None) => {
                const BEHAVIOUR: AccessFlags =
                    AccessFlags::STATIC.or(AccessFlags::ABSTRACT).or(AccessFlags::SYNCHRONIZED);
                let has_flags = other.access.only(BEHAVIOUR) == method.access.only(BEHAVIOUR);
                if has_flags && before.body(was, other) == now.body(is, method) {
                    continue;
                }
                MethodFate::Changed
            }
        };
        methods.push(MethodChange {
            name: (&*method.name).into(),
            descriptor: (&*method.descriptor).into(),
            fate,
            old_line: counterpart.and_then(|it| line(was, it)),
            new_line: line(is, method),
        });
    }
    for method in was.methods.iter().filter(is_ours) {
        let is_kept = is.method(&method.name, &method.descriptor).is_some()
            || names.contains_key(&(Box::from(&*method.name), Box::from(&*method.descriptor)));
        if !is_kept {
            methods.push(MethodChange {
                name: (&*method.name).into(),
                descriptor: (&*method.descriptor).into(),
                fate: MethodFate::Removed,
                old_line: line(was, method),
                new_line: None,
            });
        }
    }
    let fields = fields(was, is);
    let has_other_supertypes = was.super_name != is.super_name || was.interfaces != is.interfaces;
    if methods.is_empty() && fields.is_empty() && !has_other_supertypes {
        return None;
    }
    Some(ClassChange { name: (&*is.name).into(), status: Status::Changed, methods, fields })
}

fn line(class: &ClassFile, method: &Method) -> Option<u16> {
    class.code(method).ok()??.line_numbers.entries().iter().map(|it| it.line).min()
}

/// Fields that are not declared as they were.
fn fields(was: &ClassFile, is: &ClassFile) -> Vec<String> {
    let is_ours = |it: &&Field| !it.access.is_synthetic();
    let declared = |class: &ClassFile, it: &Field| {
        let value = it.constant_value.and_then(|at| class.constant(at).ok()).map(|it| format!("{it:?}"));
        (it.descriptor.clone(), it.access, value)
    };
    let text = |what: &str, it: &Field| format!("{what} {} {}", api::type_name(&it.descriptor), it.name);
    let mut changes = Vec::new();
    for field in is.fields.iter().filter(is_ours) {
        match was.field(&field.name) {
            None => changes.push(text("added", field)),
            Some(other) if declared(was, other) != declared(is, field) => {
                changes.push(text("changed", field));
            }
            Some(_) => {}
        }
    }
    let removed = was.fields.iter().filter(is_ours).filter(|it| is.field(&it.name).is_none());
    changes.extend(removed.map(|it| text("removed", it)));
    changes
}
