//! Lookup tables of the code as texts: an input that contains a whole table exercises each entry.

use cupping_machine::{ClassId, ClassKind, Kind, Machine};

/// Minimum and maximum number of entries of a table that is used.
const ENTRIES: std::ops::RangeInclusive<u32> = 4..=128;
/// Tables that are used, at most.
const MAX_TABLES: usize = 12;

/// The static arrays of characters and bytes of these classes that hold printable characters, each once.
pub(super) fn texts_of_tables(machine: &Machine, classes: &[ClassId]) -> Vec<Vec<u16>> {
    let mut found: Vec<Vec<u16>> = Vec::new();
    for class in classes {
        for field in machine.class(*class).fields.iter().filter(|it| it.is_static()) {
            if !matches!(&*field.descriptor, "[C" | "[B") || found.len() == MAX_TABLES {
                continue;
            }
            let array = machine.static_field(*class, &field.name).unwrap_or(0);
            let text = text_of(machine, array as cupping_machine::Addr);
            found.extend(text.filter(|it| !found.contains(it)));
        }
    }
    found
}

fn text_of(machine: &Machine, array: cupping_machine::Addr) -> Option<Vec<u16>> {
    if array == 0 || !ENTRIES.contains(&machine.array_length(array)) {
        return None;
    }
    let ClassKind::Array { kind: kind @ (Kind::Char | Kind::Byte), .. } =
        machine.class(machine.class_of(array)).kind
    else {
        return None;
    };
    let entry = |at| u16::try_from(kind.narrow(machine.element(array, at, kind))).ok();
    let text: Vec<u16> = (0..machine.array_length(array)).map(entry).collect::<Option<_>>()?;
    text.iter().all(|it| (0x20..0x7f).contains(it)).then_some(text)
}
