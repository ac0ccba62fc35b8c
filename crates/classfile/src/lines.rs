//! Line numbers of method bodies.

use crate::reads::{Read, note};

/// An entry of `LineNumberTable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineNumber {
    /// First pc of the line.
    pub pc: u16,
    /// Line in the source file, from 1.
    pub line: u16,
}

/// The source lines of a body, by rising pc. A comment above a method moves them, so they are
/// [recorded](crate::reads) apart from the body, when somebody looks at them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    entries: Box<[LineNumber]>,
    /// What is recorded; nothing for bodies that are not of a class path.
    read: Option<Box<Read>>,
}

impl LineTable {
    /// The lines of a method of a class path.
    pub(crate) fn read_as(&mut self, read: Read) {
        self.read = Some(Box::new(read));
    }

    /// The entries.
    pub fn entries(&self) -> &[LineNumber] {
        if let Some(read) = &self.read {
            note(|| (**read).clone());
        }
        &self.entries
    }

    /// The lines after a change of the body: `place` gives the new pc of an instruction.
    ///
    /// Lines of instructions without a new place are left out.
    pub fn moved(&self, place: impl Fn(u16) -> Option<u16>) -> LineTable {
        let entries = self.entries.iter();
        let entries =
            entries.filter_map(|it| Some(LineNumber { pc: place(it.pc)?, line: it.line })).collect();
        LineTable { entries, read: self.read.clone() }
    }

    /// The source line of the instruction at `pc`, if there is one.
    pub fn line_at(&self, pc: u32) -> Option<u16> {
        let entries = self.entries();
        let after = entries.partition_point(|entry| u32::from(entry.pc) <= pc);
        after.checked_sub(1).map(|index| entries[index].line)
    }
}

impl FromIterator<LineNumber> for LineTable {
    fn from_iter<I: IntoIterator<Item = LineNumber>>(entries: I) -> LineTable {
        LineTable { entries: entries.into_iter().collect(), read: None }
    }
}
