//! The in-memory file system: directories, files and symbolic links, as a process of an ordinary user sees
//! them.
//!
//! It is a part of the state: each fork has its own. From the host it contains only data files of the JDK,
//! which are read on demand, and files that were copied into it before the run.

mod contents;
mod entry;
mod names;
mod paths;

use crate::state::PersistentMap;
use crate::world::errno::Errno;
pub use entry::{EntryContent, FileEntry, Inode, USER};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The result of a system call.
pub type FileResult<T> = Result<T, Errno>;

/// The root directory.
pub const ROOT: Inode = 2;
/// The folder that relative paths start from.
pub const WORKING_DIRECTORY: &str = "/cupping-dir";
/// The home of the user.
pub const HOME: &str = "/cupping-home";
/// Where temporary files go.
pub const TEMPORARY: &str = "/cupping-tmp";
/// The empty folder that represents the temporary folder of a test.
pub const TEST_FOLDER: &str = "/cupping-tmp/junit";
/// The same folder in a varied run ([`Machine::vary`](crate::Machine::vary)): its path has nothing in common with the
/// other but the root.
pub const VARIED_TEST_FOLDER: &str = "/elsewhere/tmp/junit123";
/// The apparent home of the JDK.
pub const JDK: &str = "/jdk";

/// The whole tree.
#[derive(Clone, Debug)]
pub struct Files {
    entries: PersistentMap<Inode, FileEntry>,
    next: Inode,
    held: u64,
    /// Files that a byte with a shadow has been written to.
    symbolic: PersistentMap<Inode, ()>,
}

impl Files {
    /// A tree with the folders that every program finds.
    pub fn new(now: i64) -> Files {
        let mut files = Files {
            entries: PersistentMap::default(),
            next: ROOT,
            held: 0,
            symbolic: PersistentMap::default(),
        };
        files.add(EntryContent::Directory(Rc::default()), 0o755, 0, ROOT, now);
        for (path, mode, owner) in [
            (WORKING_DIRECTORY, 0o755, USER),
            (HOME, 0o755, USER),
            (TEMPORARY, 0o1777, 0),
            ("/tmp", 0o1777, 0),
            (JDK, 0o755, 0),
        ] {
            let made = files.add(EntryContent::Directory(Rc::default()), mode, owner, ROOT, now);
            files.link(ROOT, &path.as_bytes()[1..], made);
        }
        // The tree is empty, so this cannot fail.
        let _ = files.install(TEST_FOLDER, EntryContent::Directory(Rc::default()), USER, now);
        for (name, random) in [("null", false), ("random", true), ("urandom", true)] {
            let folder = "/dev";
            // The tree is empty, so this cannot fail.
            let _ = files.install(&format!("{folder}/{name}"), EntryContent::Device(random), 0, now);
            if let Ok(entry) =
                files.find(format!("{folder}/{name}").as_bytes(), true).and_then(|it| files.entry_mut(it))
            {
                entry.mode = 0o666;
            }
        }
        files
    }

    fn add(&mut self, node: EntryContent, mode: u32, owner: u32, parent: Inode, now: i64) -> Inode {
        let inode = self.next;
        self.next += 1;
        let links = if matches!(node, EntryContent::Directory(_)) { 2 } else { 1 };
        let entry = FileEntry {
            node,
            mode,
            owner,
            links,
            accessed: now,
            modified: now,
            changed: now,
            made: now,
            parent,
        };
        self.entries.insert(inode, entry);
        inode
    }

    /// Enters a name into a folder, which is there.
    fn link(&mut self, folder: Inode, name: &[u8], inode: Inode) {
        if let Some(FileEntry { node: EntryContent::Directory(names), .. }) = self.entries.get_mut(&folder) {
            Rc::make_mut(names).insert(name.to_vec(), inode);
        }
    }

    fn unlink(&mut self, folder: Inode, name: &[u8]) {
        if let Some(FileEntry { node: EntryContent::Directory(names), .. }) = self.entries.get_mut(&folder) {
            Rc::make_mut(names).remove(name);
        }
    }

    /// What is known about a file that is there.
    pub fn entry(&self, inode: Inode) -> FileResult<&FileEntry> {
        self.entries.get(&inode).ok_or(Errno::NoEntry)
    }

    fn entry_mut(&mut self, inode: Inode) -> FileResult<&mut FileEntry> {
        self.entries.get_mut(&inode).ok_or(Errno::NoEntry)
    }

    fn names(&self, inode: Inode) -> FileResult<&Rc<BTreeMap<Vec<u8>, Inode>>> {
        match &self.entry(inode)?.node {
            EntryContent::Directory(names) => Ok(names),
            _ => Err(Errno::NotDirectory),
        }
    }

    /// Whether the user has this permission: 4 to read, 2 to write, 1 to run or pass through.
    pub fn may(&self, inode: Inode, what: u32) -> FileResult<()> {
        let entry = self.entry(inode)?;
        let granted = if entry.owner == USER { entry.mode >> 6 } else { entry.mode };
        if granted & what == what { Ok(()) } else { Err(Errno::AccessDenied) }
    }
}
