//! String literals of the code under test that inputs should match.

use cupping_machine::{ClassId, Machine};

/// Short string constants of a class that its code may compare inputs with, in constant pool order.
pub fn string_literals(machine: &Machine, class: ClassId, most: usize) -> Vec<Vec<u16>> {
    let Some(file) = machine.class(class).file.clone() else { return Vec::new() };
    let mut found: Vec<Vec<u16>> = Vec::new();
    for units in file.texts() {
        if (1..=16).contains(&units.len()) && !found.contains(&units) {
            found.push(units);
            if found.len() >= most {
                break;
            }
        }
    }
    found
}
