//! The classes that a class file names.

use cupping_classfile::{ClassFile, Constant};
use std::collections::BTreeSet;

/// Those in its constants, by internal name; an array stands for its elements.
pub fn in_constants(file: &ClassFile) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 1..file.constant_count() {
        match file.constant(index) {
            Ok(Constant::Class(name)) if name.starts_with('[') => of_descriptor(&name, &mut found),
            Ok(Constant::Class(name)) => drop(found.insert(name.into_owned())),
            _ => {}
        }
    }
    found
}

/// Those in the types of its members, and of members that it uses.
pub fn in_types(file: &ClassFile) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 1..file.constant_count() {
        if let Ok(Constant::NameAndType { descriptor, .. }) = file.constant(index) {
            of_descriptor(&descriptor, &mut found);
        }
    }
    file.fields.iter().for_each(|it| of_descriptor(&it.descriptor, &mut found));
    file.methods.iter().for_each(|it| of_descriptor(&it.descriptor, &mut found));
    found
}

/// The classes in a descriptor: `(Lshop/Till;[Lshop/Coin;)V`.
fn of_descriptor(descriptor: &str, found: &mut BTreeSet<String>) {
    for part in descriptor.split(';') {
        if let Some((_, name)) = part.split_once('L') {
            found.insert(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_name_classes() {
        let mut found = BTreeSet::new();
        of_descriptor("(ILshop/Till;[[Lshop/LittleCoin;J)V", &mut found);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["shop/LittleCoin", "shop/Till"]);
    }
}
