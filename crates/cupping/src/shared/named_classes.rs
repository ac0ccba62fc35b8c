//! The classes that a class file names.

use cupping_classfile::{ClassFile, Constant, MethodSignature, descriptor};
use std::collections::BTreeSet;

/// The classes in its constants, by internal name; an array stands for its elements.
pub fn in_constants(file: &ClassFile) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 1..file.constant_count() {
        match file.constant(index) {
            Ok(Constant::Class(name)) if name.starts_with('[') => add(&name, &mut found),
            Ok(Constant::Class(name)) => drop(found.insert(name.into_owned())),
            _ => {}
        }
    }
    found
}

/// The classes in the types of its members, and of members that it uses.
pub fn in_types(file: &ClassFile) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 1..file.constant_count() {
        if let Ok(Constant::NameAndType { descriptor, .. }) = file.constant(index) {
            add(&descriptor, &mut found);
        }
    }
    file.fields.iter().for_each(|it| add(&it.descriptor, &mut found));
    file.methods.iter().for_each(|it| add(&it.descriptor, &mut found));
    found
}

/// The classes in the generic signatures of its methods: type arguments, and the bounds of type parameters.
pub fn in_signatures(file: &ClassFile) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let declared = file.methods.iter().filter_map(|it| MethodSignature::parse(it.signature.as_deref()?));
    for signature in declared {
        let bounds = signature.type_parameters.iter().flat_map(|it| &it.bounds);
        for ty in signature.parameters.iter().chain([&signature.result]).chain(bounds) {
            ty.visit_classes(&mut |name, _| found.extend([name.to_owned()]));
        }
    }
    found
}

fn add(of: &str, found: &mut BTreeSet<String>) {
    found.extend(descriptor::classes(of).map(str::to_owned));
}
