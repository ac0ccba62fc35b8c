//! Contents of files: bytes, their shadows, and the space that they take.

use super::entry::{EntryContent, FileEntry, Inode};
use super::{FileResult, Files};
use crate::state::Shadow;
use crate::world::content::{Bytes, Content};
use crate::world::errno::Errno;

/// Bytes that all files may take together.
const CAPACITY: u64 = 1 << 30;

/// The largest file.
pub const LARGEST: u64 = 1 << 44;

impl Files {
    /// Writes into a file; the file system may be full.
    pub fn write(&mut self, inode: Inode, at: u64, bytes: &Bytes, now: i64) -> FileResult<()> {
        let length = bytes.plain.len() as u64;
        if at.checked_add(length).is_none_or(|end| end > LARGEST) {
            return Err(Errno::TooLarge);
        }
        let is_full = self.held + length > CAPACITY;
        if !bytes.shadows.is_empty() {
            self.symbolic.insert(inode, ());
        }
        self.change_content(inode, now, Errno::ReadOnly, |content| {
            if is_full {
                return Err(Errno::NoSpace);
            }
            content.write_symbolic(at, bytes);
            Ok(())
        })
    }

    /// The shadows of all bytes in files: file, position and shadow, in no order.
    pub fn shadows(&self) -> Vec<(Inode, u64, Shadow)> {
        let mut found = Vec::new();
        for inode in self.symbolic.keys() {
            if let Some(FileEntry { node: EntryContent::File(content), .. }) = self.entries.get(inode) {
                found.extend(content.shadows().map(|(at, shadow)| (*inode, at, shadow)));
            }
        }
        found
    }

    /// Whether any byte in a file may have a shadow.
    pub fn may_have_shadows(&self) -> bool {
        !self.symbolic.is_empty()
    }

    /// Sets the value of a file's byte according to its shadow.
    pub fn set_value(&mut self, inode: Inode, at: u64, byte: u8) {
        if let Some(FileEntry { node: EntryContent::File(content), .. }) = self.entries.get_mut(&inode) {
            content.set_value(at, byte);
        }
    }

    /// Sets the length of a file.
    pub fn set_length(&mut self, inode: Inode, length: u64, now: i64) -> FileResult<()> {
        if length > LARGEST {
            return Err(Errno::TooLarge);
        }
        self.change_content(inode, now, Errno::Invalid, |content| {
            content.set_length(length);
            Ok(())
        })
    }

    /// Changes the content of a file. A device discards it, other nodes reject it.
    fn change_content(
        &mut self,
        inode: Inode,
        now: i64,
        refusal: Errno,
        change: impl FnOnce(&mut Content) -> FileResult<()>,
    ) -> FileResult<()> {
        let entry = self.entry_mut(inode)?;
        let content = match &mut entry.node {
            EntryContent::File(content) => content,
            EntryContent::Device(_) => return Ok(()),
            _ => return Err(refusal),
        };
        let before = content.held();
        change(content)?;
        let after = content.held();
        entry.modified = now;
        entry.changed = now;
        self.held = self.held - before + after;
        Ok(())
    }

    /// Bytes that are free.
    pub fn free(&self) -> u64 {
        CAPACITY - self.held.min(CAPACITY)
    }

    /// Bytes that there are in all.
    pub fn capacity(&self) -> u64 {
        CAPACITY
    }
}
