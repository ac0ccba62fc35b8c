//! Hidden classes (JEP 371): classes that no other class can name, each with a nest host.

use crate::classes::ClassId;
use crate::classes::table::MARK;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use cupping_classfile::{ClassFile, Origin};
use std::sync::Arc;

/// First number and increment: the numbers resemble the addresses that HotSpot uses.
const FIRST: u64 = 0x0000_0008_0000_1000;
const STEP: u64 = 0x400;

impl Machine {
    /// Defines a hidden class, in the nest of `host` if there is one.
    ///
    /// # Errors
    ///
    /// `ClassFormatError`, and the errors of loading a class.
    pub(crate) fn define_hidden(&mut self, bytes: &[u8], host: Option<ClassId>) -> Step<ClassId> {
        let format_error = |why: String| Trap::Raise("java/lang/ClassFormatError", Some(why));
        let parse = |bytes: &[u8]| {
            ClassFile::parse(Arc::from(bytes), "bytes of a program", Origin::Made)
                .map_err(|e| crate::classes::errors::file_error("a class", &e))
        };
        let plain = parse(bytes)?;
        let number = FIRST + STEP * self.classes.hidden_count() as u64;
        let name = format!("{}{MARK}0x{number:016x}", plain.name);
        let renamed = renamed(bytes, &name).ok_or_else(|| format_error(format!("class {}", plain.name)))?;
        let class = self.load_file(Arc::new(parse(&renamed)?))?;
        self.classes.set_hidden(class, host.unwrap_or(class));
        Ok(class)
    }
}

/// A class file under another name: the class's own constant refers to a new text.
fn renamed(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let count = word(8)?;
    let mut entries = vec![0; count as usize];
    let (mut at, mut index) = (10, 1);
    while index < count {
        entries[index as usize] = at;
        let tag = *bytes.get(at)?;
        at += 1 + match tag {
            1 => 2 + word(at + 1)? as usize,
            7 | 8 | 16 | 19 | 20 => 2,
            15 => 3,
            5 | 6 => 8,
            _ => 4,
        };
        index += 1 + matches!(tag, 5 | 6) as u16;
    }
    let this = *entries.get(word(at + 2)? as usize)?;
    (this != 0 && count < u16::MAX).then_some(())?;
    let mut made = bytes[..at].to_vec();
    made[8..10].copy_from_slice(&(count + 1).to_be_bytes());
    made.get_mut(this + 1..this + 3)?.copy_from_slice(&count.to_be_bytes());
    made.push(1);
    made.extend(u16::try_from(name.len()).ok()?.to_be_bytes());
    made.extend(name.as_bytes());
    made.extend(&bytes[at..]);
    Some(made)
}
