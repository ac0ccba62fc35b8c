//! The in-memory file system: directories, files and symbolic links, as a process of an ordinary user sees them.
//!
//! It is a part of the state: a fork has its own. Of the host there is nothing in it but data files of the JDK,
//! which are read when they are first asked for, and what was copied into it before the run.

use super::content::{Bytes, Content};
use super::errno::Errno;
use super::path::{LINKS, Parts, is_too_long};
use crate::state::{PersistentMap, Shadow};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// What a file is known by inside the file system.
pub type Inode = u64;

/// The root directory.
pub const ROOT: Inode = 2;
/// The folder that relative paths start from.
pub const WORKING_DIRECTORY: &str = "/cupping-dir";
/// The home of the user.
pub const HOME: &str = "/cupping-home";
/// Where temporary files go.
pub const TEMPORARY: &str = "/cupping-tmp";
/// The empty folder that stands for the temporary folder of a test.
pub const TEST_FOLDER: &str = "/cupping-tmp/junit";
/// Where the JDK seems to be.
pub const JDK: &str = "/jdk";
/// The user that the program runs as.
pub const USER: u32 = 1000;
/// Bytes that all files may take together.
const CAPACITY: u64 = 1 << 30;
/// Files and folders that there may be.
const MOST_FILES: usize = 1 << 20;
/// The largest file.
pub const LARGEST: u64 = 1 << 44;

/// The result of a system call.
pub type Call<T> = Result<T, Errno>;

/// What is at a place.
#[derive(Clone, Debug)]
pub enum Node {
    /// A file.
    File(Content),
    /// A file that was given to the program: its place on the host, where it is read when it is asked for, and its
    /// length.
    Given(Rc<Path>, u64),
    /// `/dev/null`, or `/dev/random` (true), which gives bytes of the seed's without end; what is written to either is
    /// gone.
    Device(bool),
    /// A folder.
    Directory(Rc<BTreeMap<Vec<u8>, Inode>>),
    /// A symbolic link.
    Link(Rc<[u8]>),
}

/// A file, folder or link with what is known about it. Times are nanoseconds since 1970.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is.
    pub node: Node,
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

/// The whole tree.
#[derive(Clone, Debug)]
pub struct Files {
    entries: PersistentMap<Inode, Entry>,
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
        files.add(Node::Directory(Rc::default()), 0o755, 0, ROOT, now);
        for (path, mode, owner) in [
            (WORKING_DIRECTORY, 0o755, USER),
            (HOME, 0o755, USER),
            (TEMPORARY, 0o1777, 0),
            ("/tmp", 0o1777, 0),
            (JDK, 0o755, 0),
        ] {
            let made = files.add(Node::Directory(Rc::default()), mode, owner, ROOT, now);
            files.link(ROOT, &path.as_bytes()[1..], made);
        }
        // Nothing is there yet: it cannot fail.
        let _ = files.install(TEST_FOLDER, Node::Directory(Rc::default()), USER, now);
        for (name, random) in [("null", false), ("random", true), ("urandom", true)] {
            let folder = "/dev";
            // Nothing is there yet: it cannot fail.
            let _ = files.install(&format!("{folder}/{name}"), Node::Device(random), 0, now);
            if let Ok(entry) =
                files.find(format!("{folder}/{name}").as_bytes(), true).and_then(|it| files.entry_mut(it))
            {
                entry.mode = 0o666;
            }
        }
        files
    }

    fn add(&mut self, node: Node, mode: u32, owner: u32, parent: Inode, now: i64) -> Inode {
        let inode = self.next;
        self.next += 1;
        let links = if matches!(node, Node::Directory(_)) { 2 } else { 1 };
        let entry =
            Entry { node, mode, owner, links, accessed: now, modified: now, changed: now, made: now, parent };
        self.entries.insert(inode, entry);
        inode
    }

    /// Enters a name into a folder, which is there.
    fn link(&mut self, folder: Inode, name: &[u8], inode: Inode) {
        if let Some(Entry { node: Node::Directory(names), .. }) = self.entries.get_mut(&folder) {
            Rc::make_mut(names).insert(name.to_vec(), inode);
        }
    }

    fn unlink(&mut self, folder: Inode, name: &[u8]) {
        if let Some(Entry { node: Node::Directory(names), .. }) = self.entries.get_mut(&folder) {
            Rc::make_mut(names).remove(name);
        }
    }

    /// What is known about a file that is there.
    pub fn entry(&self, inode: Inode) -> Call<&Entry> {
        self.entries.get(&inode).ok_or(Errno::NoEntry)
    }

    fn entry_mut(&mut self, inode: Inode) -> Call<&mut Entry> {
        self.entries.get_mut(&inode).ok_or(Errno::NoEntry)
    }

    fn names(&self, inode: Inode) -> Call<&Rc<BTreeMap<Vec<u8>, Inode>>> {
        match &self.entry(inode)?.node {
            Node::Directory(names) => Ok(names),
            _ => Err(Errno::NotDirectory),
        }
    }

    /// Whether the user may do this: 4 to read, 2 to write, 1 to run or pass through.
    pub fn may(&self, inode: Inode, what: u32) -> Call<()> {
        let entry = self.entry(inode)?;
        let granted = if entry.owner == USER { entry.mode >> 6 } else { entry.mode };
        if granted & what == what { Ok(()) } else { Err(Errno::AccessDenied) }
    }

    /// The file at a path; a link at its end is followed if asked for.
    pub fn find(&self, path: &[u8], follow: bool) -> Call<Inode> {
        let (folder, name) = self.place(path, follow)?;
        match name {
            None => Ok(folder),
            Some(name) => self.names(folder)?.get(&name).copied().ok_or(Errno::NoEntry),
        }
    }

    /// The folder and name that a path leads to, which need not be there; no name for the folder itself.
    fn place(&self, path: &[u8], follow: bool) -> Call<(Inode, Option<Vec<u8>>)> {
        if path.is_empty() {
            return Err(Errno::NoEntry);
        }
        if is_too_long(path) {
            return Err(Errno::NameTooLong);
        }
        let start = if path[0] == b'/' { ROOT } else { self.find(WORKING_DIRECTORY.as_bytes(), true)? };
        let (mut at, mut followed) = (start, 0);
        let mut parts = Parts::of(path);
        loop {
            let Some(part) = parts.next() else { return Ok((at, None)) };
            let names = self.names(at)?;
            self.may(at, 1)?;
            if part == b".." {
                at = self.entry(at)?.parent;
                continue;
            }
            let is_last = parts.is_empty();
            let Some(inode) = names.get(&part).copied() else {
                return if is_last { Ok((at, Some(part))) } else { Err(Errno::NoEntry) };
            };
            match &self.entry(inode)?.node {
                Node::Link(target) if !is_last || follow || parts.must_be_directory() => {
                    followed += 1;
                    if followed > LINKS {
                        return Err(Errno::Loop);
                    }
                    if target.first() == Some(&b'/') {
                        at = ROOT;
                    }
                    parts.prepend(target);
                }
                Node::Directory(_) if is_last => return Ok((at, Some(part))),
                Node::Directory(_) => at = inode,
                _ if is_last && !parts.must_be_directory() => return Ok((at, Some(part))),
                _ => return Err(Errno::NotDirectory),
            }
        }
    }

    /// Makes something under a path where nothing is.
    fn make(&mut self, path: &[u8], node: Node, mode: u32, follow: bool, now: i64) -> Call<Inode> {
        let (folder, name) = self.place(path, follow)?;
        let Some(name) = name else { return Err(Errno::Exists) };
        if self.names(folder)?.contains_key(&name) {
            return Err(Errno::Exists);
        }
        self.may(folder, 2)?;
        if self.entries.len() >= MOST_FILES {
            return Err(Errno::NoSpace);
        }
        let is_directory = matches!(node, Node::Directory(_));
        let made = self.add(node, mode, USER, folder, now);
        self.link(folder, &name, made);
        self.touch(folder, now);
        if is_directory {
            self.entry_mut(folder)?.links += 1;
        }
        Ok(made)
    }

    fn touch(&mut self, inode: Inode, now: i64) {
        if let Some(entry) = self.entries.get_mut(&inode) {
            entry.modified = now;
            entry.changed = now;
        }
    }

    /// `mkdir`.
    pub fn make_directory(&mut self, path: &[u8], mode: u32, now: i64) -> Call<()> {
        self.make(path, Node::Directory(Rc::default()), mode & 0o7777, false, now).map(|_| ())
    }

    /// `symlink`.
    pub fn make_link(&mut self, target: &[u8], path: &[u8], now: i64) -> Call<()> {
        self.make(path, Node::Link(target.into()), 0o777, false, now).map(|_| ())
    }

    /// A new, empty file; [`Errno::Exists`] if there is anything under the path. Through a link whose target is
    /// missing, the target is made, if asked for.
    pub fn make_file(&mut self, path: &[u8], mode: u32, follow: bool, now: i64) -> Call<Inode> {
        self.make(path, Node::File(Content::default()), mode & 0o7777, follow, now)
    }

    /// The path that an operation on this one is about: absolute, without `.`, `..` and, but for the last part if it is
    /// not followed, links. It need not be there; from where it is not, the rest is taken as it is written.
    pub fn resolved(&self, path: &[u8], follow: bool) -> Vec<u8> {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let mut parts = Parts::of(path);
        if path.first() != Some(&b'/') {
            parts.prepend(WORKING_DIRECTORY.as_bytes());
        }
        let mut followed = 0;
        while let Some(part) = parts.next() {
            if part == b".." {
                names.pop();
                continue;
            }
            names.push(part);
            let is_followed = !parts.is_empty() || follow || parts.must_be_directory();
            if let Some(target) = self.link_at(&names).filter(|_| is_followed && followed < LINKS) {
                followed += 1;
                names.pop();
                if target.first() == Some(&b'/') {
                    names.clear();
                }
                parts.prepend(&target);
            }
        }
        [b"/", &*names.join(&b'/')].concat()
    }

    /// The target of the link at a place, if there is one; no part above it is a link.
    fn link_at(&self, names: &[Vec<u8>]) -> Option<Rc<[u8]>> {
        let mut at = ROOT;
        for name in names {
            at = *self.names(at).ok()?.get(name)?;
        }
        match &self.entry(at).ok()?.node {
            Node::Link(target) => Some(target.clone()),
            _ => None,
        }
    }

    /// `realpath`: the path without links, `.` and `..`, of a file that is there.
    pub fn real_path(&self, path: &[u8]) -> Call<Vec<u8>> {
        let (folder, name) = self.place(path, true)?;
        let mut names = Vec::new();
        if let Some(name) = name {
            if !self.names(folder)?.contains_key(&name) {
                return Err(Errno::NoEntry);
            }
            names.push(name);
        }
        let mut at = folder;
        while at != ROOT {
            let above = self.entry(at)?.parent;
            let name =
                self.names(above)?.iter().find(|(_, inode)| **inode == at).map(|(name, _)| name.clone());
            names.push(name.ok_or(Errno::NoEntry)?);
            at = above;
        }
        names.reverse();
        Ok([b"/", &*names.join(&b'/')].concat())
    }

    /// `link`: another name for a file.
    pub fn add_name(&mut self, existing: &[u8], path: &[u8], now: i64) -> Call<()> {
        let inode = self.find(existing, false)?;
        if matches!(self.entry(inode)?.node, Node::Directory(_)) {
            return Err(Errno::NotPermitted);
        }
        let (folder, name) = self.place(path, false)?;
        let name = name.filter(|name| self.names(folder).is_ok_and(|it| !it.contains_key(name)));
        let name = name.ok_or(Errno::Exists)?;
        self.may(folder, 2)?;
        self.link(folder, &name, inode);
        self.touch(folder, now);
        let entry = self.entry_mut(inode)?;
        entry.links += 1;
        entry.changed = now;
        Ok(())
    }

    /// `readlink`.
    pub fn target(&self, path: &[u8]) -> Call<Rc<[u8]>> {
        match &self.entry(self.find(path, false)?)?.node {
            Node::Link(target) => Ok(target.clone()),
            _ => Err(Errno::Invalid),
        }
    }

    /// The names in a folder, sorted.
    pub fn list(&self, path: &[u8]) -> Call<Vec<Vec<u8>>> {
        let inode = self.find(path, true)?;
        let names = self.names(inode)?;
        self.may(inode, 4)?;
        Ok(names.keys().cloned().collect())
    }

    /// Removes a name: `rmdir` for a folder, `unlink` for all else. The file goes with its last name, unless
    /// it is open.
    pub fn remove(
        &mut self,
        path: &[u8],
        directory: bool,
        now: i64,
        is_open: impl Fn(Inode) -> bool,
    ) -> Call<()> {
        let (folder, name) = self.place(path, false)?;
        let name = name.ok_or(Errno::Invalid)?;
        let inode = *self.names(folder)?.get(&name).ok_or(Errno::NoEntry)?;
        match &self.entry(inode)?.node {
            Node::Directory(names) if directory && !names.is_empty() => return Err(Errno::NotEmpty),
            Node::Directory(_) if !directory => return Err(Errno::IsDirectory),
            Node::Directory(_) => {}
            _ if directory => return Err(Errno::NotDirectory),
            _ => {}
        }
        self.may_change(folder, inode)?;
        self.unlink(folder, &name);
        self.touch(folder, now);
        if directory {
            self.entry_mut(folder)?.links -= 1;
            self.entry_mut(inode)?.links = 0;
        } else {
            let entry = self.entry_mut(inode)?;
            entry.links -= 1;
            entry.changed = now;
        }
        if !is_open(inode) {
            self.release(inode);
        }
        Ok(())
    }

    /// Whether the user may remove or rename what is in a folder: in one with the sticky bit, only what is theirs.
    fn may_change(&self, folder: Inode, inode: Inode) -> Call<()> {
        self.may(folder, 2 | 1)?;
        let sticky = self.entry(folder)?.mode & 0o1000 != 0;
        if sticky && self.entry(inode)?.owner != USER { Err(Errno::NotPermitted) } else { Ok(()) }
    }

    /// Forgets a file that has no name and is not open.
    pub fn release(&mut self, inode: Inode) {
        if let Some(entry) = self.entries.get(&inode)
            && entry.links == 0
        {
            if let Node::File(content) = &entry.node {
                self.held -= content.held();
            }
            self.entries.remove(&inode);
        }
    }

    /// `rename`: what is at the new path is replaced if it is of the same kind, and empty.
    pub fn rename(&mut self, from: &[u8], to: &[u8], now: i64, is_open: impl Fn(Inode) -> bool) -> Call<()> {
        let (folder, name) = self.place(from, false)?;
        let name = name.ok_or(Errno::Invalid)?;
        let inode = *self.names(folder)?.get(&name).ok_or(Errno::NoEntry)?;
        let (to_folder, to_name) = self.place(to, false)?;
        let to_name = to_name.ok_or(Errno::NotEmpty)?;
        let is_directory = matches!(self.entry(inode)?.node, Node::Directory(_));
        self.may_change(folder, inode)?;
        self.may(to_folder, 2)?;
        let mut above = to_folder;
        while above != ROOT {
            if above == inode {
                return Err(Errno::Invalid);
            }
            above = self.entry(above)?.parent;
        }
        if let Some(replaced) = self.names(to_folder)?.get(&to_name).copied() {
            if replaced == inode {
                return Ok(());
            }
            let onto_directory = matches!(self.entry(replaced)?.node, Node::Directory(_));
            match (is_directory, onto_directory) {
                (true, false) => return Err(Errno::NotDirectory),
                (false, true) => return Err(Errno::IsDirectory),
                _ => self.remove(to, onto_directory, now, is_open)?,
            }
        }
        self.unlink(folder, &name);
        self.link(to_folder, &to_name, inode);
        self.touch(folder, now);
        self.touch(to_folder, now);
        if is_directory {
            self.entry_mut(folder)?.links -= 1;
            self.entry_mut(to_folder)?.links += 1;
            self.entry_mut(inode)?.parent = to_folder;
        }
        self.entry_mut(inode)?.changed = now;
        Ok(())
    }

    /// Changes what is known about a file of the user's.
    pub fn change(&mut self, inode: Inode, now: i64, change: impl FnOnce(&mut Entry)) -> Call<()> {
        let entry = self.entry_mut(inode)?;
        if entry.owner != USER {
            return Err(Errno::NotPermitted);
        }
        change(entry);
        entry.changed = now;
        Ok(())
    }

    /// Writes into a file; the file system may be full.
    pub fn write(&mut self, inode: Inode, at: u64, bytes: &Bytes, now: i64) -> Call<()> {
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
            if let Some(Entry { node: Node::File(content), .. }) = self.entries.get(inode) {
                found.extend(content.shadows().map(|(at, shadow)| (*inode, at, shadow)));
            }
        }
        found
    }

    /// Whether any byte in a file may have a shadow.
    pub fn may_have_shadows(&self) -> bool {
        !self.symbolic.is_empty()
    }

    /// Gives a byte of a file another value of its shadow.
    pub fn set_value(&mut self, inode: Inode, at: u64, byte: u8) {
        if let Some(Entry { node: Node::File(content), .. }) = self.entries.get_mut(&inode) {
            content.set_value(at, byte);
        }
    }

    /// Sets the length of a file.
    pub fn set_length(&mut self, inode: Inode, length: u64, now: i64) -> Call<()> {
        if length > LARGEST {
            return Err(Errno::TooLarge);
        }
        self.change_content(inode, now, Errno::Invalid, |content| {
            content.set_length(length);
            Ok(())
        })
    }

    /// Changes what a file holds; a device swallows it, of others it is refused.
    fn change_content(
        &mut self,
        inode: Inode,
        now: i64,
        refusal: Errno,
        change: impl FnOnce(&mut Content) -> Call<()>,
    ) -> Call<()> {
        let entry = self.entry_mut(inode)?;
        let content = match &mut entry.node {
            Node::File(content) => content,
            Node::Device(_) => return Ok(()),
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

    /// Puts something into the tree before a run, with the folders above it; what is there is replaced.
    pub fn install(&mut self, path: &str, node: Node, owner: u32, now: i64) -> Call<()> {
        let mut folder = ROOT;
        let mut parts = Parts::of(path.as_bytes());
        while let Some(part) = parts.next() {
            let known = self.names(folder)?.get(&part).copied();
            if parts.is_empty() {
                if let Node::File(content) = &node {
                    self.held += content.held();
                }
                let mode = if matches!(node, Node::Directory(_)) { 0o755 } else { 0o644 };
                if known.is_none() || !matches!(node, Node::Directory(_)) {
                    let made = self.add(node, mode, owner, folder, now);
                    self.link(folder, &part, made);
                }
                return Ok(());
            }
            folder = match known {
                Some(inode) => inode,
                None => {
                    let made = self.add(Node::Directory(Rc::default()), 0o755, owner, folder, now);
                    self.link(folder, &part, made);
                    made
                }
            };
        }
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

impl Entry {
    /// Its length in bytes.
    pub fn length(&self) -> u64 {
        match &self.node {
            Node::File(content) => content.length(),
            Node::Given(_, length) => *length,
            Node::Device(_) => 0,
            Node::Directory(_) => 4096,
            Node::Link(target) => target.len() as u64,
        }
    }

    /// Its mode with the bits that tell its kind (`st_mode`).
    pub fn full_mode(&self) -> u32 {
        let kind = match &self.node {
            Node::File(_) | Node::Given(..) => 0o100_000,
            Node::Device(_) => 0o020_000,
            Node::Directory(_) => 0o040_000,
            Node::Link(_) => 0o120_000,
        };
        kind | self.mode
    }
}
