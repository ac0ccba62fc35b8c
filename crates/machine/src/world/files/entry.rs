//! An entry of the file system: a file, a folder, a link or a device, with its attributes.

use crate::world::content::Content;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// The number of a file within the file system.
pub type Inode = u64;

/// The user that the program runs as.
pub const USER: u32 = 1000;

/// The content of an entry.
#[derive(Clone, Debug)]
pub enum EntryContent {
    /// A file.
    File(Content),
    /// A file that was given to the program: its path on the host, where it is read on demand, and its length.
    Given(Rc<Path>, u64),
    /// `/dev/null`, or `/dev/random` (true), which yields random bytes from the seed. Both discard what is written.
    Device(bool),
    /// A folder.
    Directory(Rc<BTreeMap<Vec<u8>, Inode>>),
    /// A symbolic link.
    Link(Rc<[u8]>),
}

/// A file, folder or link with its attributes. Times are nanoseconds since 1970.
#[derive(Clone, Debug)]
pub struct FileEntry {
    /// Its content.
    pub node: EntryContent,
    /// Its permissions, as `chmod` takes them.
    pub mode: u32,
    /// Its owner: 0 or [`USER`].
    pub owner: u32,
    /// Names that it has.
    pub links: u32,
    /// When it was last read.
    pub accessed: i64,
    /// When it was last written.
    pub modified: i64,
    /// When any of this last changed.
    pub changed: i64,
    /// When it was made.
    pub made: i64,
    /// The folder it is in, for folders.
    pub parent: Inode,
}

impl FileEntry {
    /// Its length in bytes.
    pub fn length(&self) -> u64 {
        match &self.node {
            EntryContent::File(content) => content.length(),
            EntryContent::Given(_, length) => *length,
            EntryContent::Device(_) => 0,
            EntryContent::Directory(_) => 4096,
            EntryContent::Link(target) => target.len() as u64,
        }
    }

    /// Its mode with the bits that tell its kind (`st_mode`).
    pub fn full_mode(&self) -> u32 {
        let kind = match &self.node {
            EntryContent::File(_) | EntryContent::Given(..) => 0o100_000,
            EntryContent::Device(_) => 0o020_000,
            EntryContent::Directory(_) => 0o040_000,
            EntryContent::Link(_) => 0o120_000,
        };
        kind | self.mode
    }
}
