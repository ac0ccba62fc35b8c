//! The string constants of a class: an operator can only load constants that exist.

use cupping_classfile::{ClassFile, Constant};
use std::cell::OnceCell;

/// The string constants of a class, found on demand.
#[derive(Default)]
pub struct Strings {
    found: OnceCell<Vec<(u16, Vec<u16>)>>,
}

impl Strings {
    /// The string constants of the class, by index: UTF-16 units.
    pub fn of(&self, class: &ClassFile) -> &[(u16, Vec<u16>)] {
        self.found.get_or_init(|| {
            let constants = (1..class.constant_count()).filter_map(|index| match class.constant(index) {
                Ok(Constant::String(units)) => Some((index, units)),
                _ => None,
            });
            constants.collect()
        })
    }

    /// The index of the empty string.
    pub fn empty(&self, class: &ClassFile) -> Option<u16> {
        self.of(class).iter().find(|(_, units)| units.is_empty()).map(|(index, _)| *index)
    }
}
