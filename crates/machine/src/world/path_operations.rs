//! Operations on paths. Each is recorded: no use of the file system by a program goes unseen.
//!
//! Reads by the JDK and class loaders for their own purposes are excluded: files of the JDK, and files on the
//! class path, and some settings of the user. So are devices. The recorded path is that of the resolved file, after
//! links, whether it exists or not.

use super::descriptors::{Asker, Disk, Mode};
use super::errno::Errno;
use super::files::{EntryContent, FileEntry, FileResult, HOME, Inode, JDK};
use crate::state::Shadow;
use cupping_case::{Access, Effect};
use std::rc::Rc;

/// Files in the home folder that the JDK reads on its own when one of its classes is initialised. They do not concern
/// tests: settings for assistive technologies are read with the first `java.awt.Color`.
const SETTINGS: [&str; 1] = ["/.accessibility.properties"];

/// Whether a path is that of one of these files.
fn is_setting(path: &[u8]) -> bool {
    path.strip_prefix(HOME.as_bytes()).is_some_and(|rest| SETTINGS.iter().any(|it| it.as_bytes() == rest))
}

/// Folders of the system, in which it describes itself to all programs alike.
const OF_SYSTEM: [&str; 5] = ["/etc", "/usr", "/proc", "/sys", "/lib"];

/// Whether a path is in one of these folders.
fn is_of_system(path: &[u8]) -> bool {
    OF_SYSTEM.iter().any(|folder| is_inside(path, folder.as_bytes()))
}

/// Whether a path is this folder or below it.
fn is_inside(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

impl Disk {
    /// Records what is done with a path.
    pub(super) fn record(&mut self, path: &[u8], follow: bool, access: Access) {
        // An empty path names nothing; but in newer JDKs it denotes the working folder.
        let place = self.files.resolved(path, follow);
        self.record_place(&place, access);
    }

    /// The same for a path that has been resolved.
    fn record_place(&mut self, place: &[u8], access: Access) {
        let node = self.files.find(place, false).and_then(|it| self.files.entry(it)).map(|it| &it.node);
        let is_quiet = match node {
            Ok(EntryContent::Device(_)) => true,
            Ok(EntryContent::Given(..)) if !access.changes() => true,
            _ if access.changes() => false,
            _ if is_setting(place) || self.asker == Asker::Entropy => true,
            _ if self.asker == Asker::Library && is_of_system(place) => true,
            _ => is_inside(place, JDK.as_bytes()) || self.class_path.iter().any(|it| is_inside(place, it)),
        };
        if !is_quiet {
            self.note(Effect::File { path: String::from_utf8_lossy(place).into(), access });
        }
    }

    /// Records an effect.
    pub(super) fn note(&mut self, effect: Effect) {
        if !self.effects.contains(&effect) {
            self.effects.insert(effect);
        }
    }

    /// Records that a file is opened, with what exists at its path and how it is opened.
    pub(super) fn record_opening(&mut self, path: &[u8], follow: bool, mode: Mode, found: FileResult<Inode>) {
        if mode.create && (mode.exclusive || found == Err(Errno::NoEntry)) {
            return self.record(path, follow, Access::Created);
        }
        if mode.read || !mode.write {
            self.record(path, follow, Access::Read);
        }
        if mode.write {
            self.record(path, follow, Access::Written);
        }
    }

    /// Records that something gets another name.
    pub(super) fn record_renaming(&mut self, from: &[u8], to: &[u8]) {
        let is_directory = self.files.find(from, false).and_then(|it| self.files.entry(it));
        let is_directory = is_directory.is_ok_and(|it| matches!(it.node, EntryContent::Directory(_)));
        self.record(from, false, Access::Renamed);
        let access = match self.files.find(to, false) {
            Ok(_) => Access::Written,
            Err(_) if is_directory => Access::DirectoryCreated,
            Err(_) => Access::Created,
        };
        self.record(to, false, access);
    }

    /// Whether something is at a path, for a class loader: that is not recorded.
    pub(crate) fn has(&self, path: &[u8]) -> bool {
        self.files.find(path, true).is_ok()
    }

    /// What is known about the file at a path.
    pub fn inspect(&mut self, path: &[u8], follow: bool) -> FileResult<(Inode, &FileEntry)> {
        self.record(path, follow, Access::Inspected);
        let inode = self.files.find(path, follow)?;
        Ok((inode, self.files.entry(inode)?))
    }

    /// Whether the user has this permission for the file at a path: 4 to read, 2 to write, 1 to run or pass
    /// through.
    pub fn may(&mut self, path: &[u8], what: u32) -> FileResult<()> {
        let (inode, _) = self.inspect(path, true)?;
        self.files.may(inode, what)
    }

    /// The names in a folder, sorted.
    pub fn names(&mut self, path: &[u8]) -> FileResult<Vec<Vec<u8>>> {
        self.record(path, true, Access::Listed);
        self.files.list(path)
    }

    /// Records that a path would be removed if it existed.
    pub fn record_deletion(&mut self, path: &[u8]) {
        self.record(path, false, Access::Deleted);
    }

    /// `readlink`.
    pub fn target(&mut self, path: &[u8]) -> FileResult<Rc<[u8]>> {
        self.record(path, false, Access::Inspected);
        self.files.target(path)
    }

    /// `realpath`.
    pub fn real_path(&mut self, path: &[u8]) -> FileResult<Vec<u8>> {
        self.record(path, true, Access::Inspected);
        self.files.real_path(path)
    }

    /// The real path as far as it exists; then the rest without `.`, `..` and empty parts.
    pub fn canonical_path(&mut self, path: &[u8]) -> Vec<u8> {
        self.record(path, true, Access::Inspected);
        let mut path = path.to_vec();
        let mut rest: Vec<Vec<u8>> = Vec::new();
        let mut real = loop {
            match self.files.real_path(&path) {
                Ok(real) => break real,
                Err(_) => {
                    while path.ends_with(b"/") {
                        path.pop();
                    }
                    let Some(at) = path.iter().rposition(|byte| *byte == b'/') else { break Vec::new() };
                    rest.push(path[at + 1..].to_vec());
                    path.truncate(at.max(1));
                    if path == b"/" {
                        break b"/".to_vec();
                    }
                }
            }
        };
        for part in rest.iter().rev().filter(|part| !part.is_empty() && *part != b".") {
            if part == b".." {
                let at = real.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                real.truncate(at.max(1));
                continue;
            }
            if !real.ends_with(b"/") {
                real.push(b'/');
            }
            real.extend_from_slice(part);
        }
        real
    }

    /// `mkdir`.
    pub fn make_directory(&mut self, path: &[u8], mode: u32, now: i64) -> FileResult<()> {
        self.record(path, false, Access::DirectoryCreated);
        self.files.make_directory(path, mode, now)
    }

    /// `symlink`.
    pub fn make_link(&mut self, target: &[u8], path: &[u8], now: i64) -> FileResult<()> {
        self.record(path, false, Access::Created);
        self.files.make_link(target, path, now)
    }

    /// `link`: another name for a file.
    pub fn add_name(&mut self, existing: &[u8], path: &[u8], now: i64) -> FileResult<()> {
        // Both names denote one file: what is written by the new one is in the old one.
        self.record(existing, false, Access::AttributesChanged);
        self.record(path, false, Access::Created);
        self.files.add_name(existing, path, now)
    }

    /// Changes what is known about the file at a path.
    pub fn change(
        &mut self,
        path: &[u8],
        follow: bool,
        now: i64,
        change: impl FnOnce(&mut FileEntry),
    ) -> FileResult<()> {
        self.record(path, follow, Access::AttributesChanged);
        let inode = self.files.find(path, follow)?;
        self.files.change(inode, now, change)
    }

    /// Changes the owner of the file at a path; only the present owner is allowed.
    pub fn change_owner(&mut self, path: &[u8], follow: bool, owner: i32) -> FileResult<()> {
        self.record(path, follow, Access::AttributesChanged);
        let known = self.files.find(path, follow).and_then(|inode| self.files.entry(inode))?.owner;
        if owner == -1 || owner as u32 == known { Ok(()) } else { Err(Errno::NotPermitted) }
    }

    /// Changes what is known about an open file.
    pub fn change_open(
        &mut self,
        descriptor: i32,
        now: i64,
        change: impl FnOnce(&mut FileEntry),
    ) -> FileResult<()> {
        if let Some(place) = self.paths.get(&descriptor).cloned() {
            self.record_place(&place, Access::AttributesChanged);
        }
        let inode = self.get(descriptor)?.inode;
        self.files.change(inode, now, change)
    }

    /// The shadows of bytes in files: file, position and shadow, in no order.
    pub fn shadows(&self) -> Vec<(Inode, u64, Shadow)> {
        self.files.shadows()
    }

    /// Whether any byte in a file may have a shadow.
    pub fn may_have_shadows(&self) -> bool {
        self.files.may_have_shadows()
    }

    /// Sets the value of a file's byte according to its shadow.
    pub fn set_value(&mut self, inode: Inode, at: u64, byte: u8) {
        self.files.set_value(inode, at, byte);
    }

    /// Bytes that are free.
    pub fn free(&self) -> u64 {
        self.files.free()
    }

    /// Bytes that there are in all.
    pub fn capacity(&self) -> u64 {
        self.files.capacity()
    }
}
