//! Private members with another name in the new version.

use crate::canonical::{Canonical, RenamedMember};
use cupping_classfile::{ClassFile, Field, Method};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs private fields and methods of two versions of a class that differ only in their names. Returns the new
/// names of methods by old name and descriptor.
///
/// Fields of the same type are paired in order. That is a guess, but a harmless one: the pairing is a bijection, and
/// where it is wrong, the methods that use the fields differ.
pub fn pair(
    old: &mut Canonical<'_>,
    new: &mut Canonical<'_>,
    was: &ClassFile,
    is: &ClassFile,
) -> BTreeMap<(Box<str>, Box<str>), Box<str>> {
    for (number, (one, other)) in fields(was, is).into_iter().enumerate() {
        let token = format!("field~{number}");
        old.rename(RenamedMember::field(was, &one.name, &one.descriptor), &token);
        new.rename(RenamedMember::field(is, &other.name, &other.descriptor), &token);
    }
    let mut open: Vec<&Method> = private_methods(is, was);
    let mut renamed = BTreeMap::new();
    for method in private_methods(was, is) {
        let token = format!("method~{}", renamed.len());
        let found = open.iter().position(|other| {
            if other.descriptor != method.descriptor || other.access != method.access {
                return false;
            }
            let names = (RenamedMember::method(was, method), RenamedMember::method(is, other));
            old.rename(names.0.clone(), &token);
            new.rename(names.1.clone(), &token);
            let is_same = old.body(was, method) == new.body(is, other);
            if !is_same {
                old.forget(&names.0);
                new.forget(&names.1);
            }
            is_same
        });
        if let Some(at) = found {
            let other = open.remove(at);
            let key = (Box::from(&*method.name), Box::from(&*method.descriptor));
            renamed.insert(key, Box::from(&*other.name));
        }
    }
    renamed
}

/// Private fields that only one version has, of the same type, pair by pair.
fn fields<'a>(was: &'a ClassFile, is: &'a ClassFile) -> Vec<(&'a Field, &'a Field)> {
    let mut open: Vec<&Field> = private_fields(is, was);
    let mut pairs = Vec::new();
    for field in private_fields(was, is) {
        let is_alike = |other: &&Field| other.descriptor == field.descriptor && other.access == field.access;
        if let Some(at) = open.iter().position(is_alike) {
            pairs.push((field, open.remove(at)));
        }
    }
    pairs
}

fn private_fields<'a>(of: &'a ClassFile, other: &ClassFile) -> Vec<&'a Field> {
    let known: BTreeSet<&str> = other.fields.iter().map(|it| &*it.name).collect();
    let is_own =
        |it: &&Field| it.access.is_private() && !it.access.is_synthetic() && !known.contains(&*it.name);
    of.fields.iter().filter(is_own).collect()
}

fn private_methods<'a>(of: &'a ClassFile, other: &ClassFile) -> Vec<&'a Method> {
    let is_own = |it: &&Method| {
        let is_private = it.access.is_private() && !it.access.is_synthetic();
        is_private && !it.name.starts_with('<') && other.method(&it.name, &it.descriptor).is_none()
    };
    of.methods.iter().filter(is_own).collect()
}
