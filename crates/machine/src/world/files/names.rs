//! Changes to the tree: operations that create, remove and rename files, folders and links.

use super::entry::{EntryContent, FileEntry, Inode, USER};
use super::{FileResult, Files, ROOT};
use crate::world::content::Content;
use crate::world::errno::Errno;
use crate::world::path::Parts;
use std::rc::Rc;

/// Files and folders that there may be.
const MOST_FILES: usize = 1 << 20;

impl Files {
    /// Makes something under a path where nothing is.
    fn make(
        &mut self,
        path: &[u8],
        node: EntryContent,
        mode: u32,
        follow: bool,
        now: i64,
    ) -> FileResult<Inode> {
        let (folder, name) = self.place(path, follow)?;
        let Some(name) = name else { return Err(Errno::Exists) };
        if self.names(folder)?.contains_key(&name) {
            return Err(Errno::Exists);
        }
        self.may(folder, 2)?;
        if self.entries.len() >= MOST_FILES {
            return Err(Errno::NoSpace);
        }
        let is_directory = matches!(node, EntryContent::Directory(_));
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
    pub fn make_directory(&mut self, path: &[u8], mode: u32, now: i64) -> FileResult<()> {
        self.make(path, EntryContent::Directory(Rc::default()), mode & 0o7777, false, now).map(|_| ())
    }

    /// `symlink`.
    pub fn make_link(&mut self, target: &[u8], path: &[u8], now: i64) -> FileResult<()> {
        self.make(path, EntryContent::Link(target.into()), 0o777, false, now).map(|_| ())
    }

    /// A new, empty file; [`Errno::Exists`] if the path exists. If it is a link whose target is missing, the
    /// target is created on request.
    pub fn make_file(&mut self, path: &[u8], mode: u32, follow: bool, now: i64) -> FileResult<Inode> {
        self.make(path, EntryContent::File(Content::default()), mode & 0o7777, follow, now)
    }

    /// `link`: another name for a file.
    pub fn add_name(&mut self, existing: &[u8], path: &[u8], now: i64) -> FileResult<()> {
        let inode = self.find(existing, false)?;
        if matches!(self.entry(inode)?.node, EntryContent::Directory(_)) {
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

    /// Removes a name: `rmdir` for a folder, `unlink` for everything else. The file is removed with its last
    /// name, unless it is open.
    pub fn remove(
        &mut self,
        path: &[u8],
        directory: bool,
        now: i64,
        is_open: impl Fn(Inode) -> bool,
    ) -> FileResult<()> {
        let (folder, name) = self.place(path, false)?;
        let name = name.ok_or(Errno::Invalid)?;
        let inode = *self.names(folder)?.get(&name).ok_or(Errno::NoEntry)?;
        match &self.entry(inode)?.node {
            EntryContent::Directory(names) if directory && !names.is_empty() => return Err(Errno::NotEmpty),
            EntryContent::Directory(_) if !directory => return Err(Errno::IsDirectory),
            EntryContent::Directory(_) => {}
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

    /// Whether the user may remove or rename an entry of a folder: with the sticky bit, only their own.
    fn may_change(&self, folder: Inode, inode: Inode) -> FileResult<()> {
        self.may(folder, 2 | 1)?;
        let sticky = self.entry(folder)?.mode & 0o1000 != 0;
        if sticky && self.entry(inode)?.owner != USER { Err(Errno::NotPermitted) } else { Ok(()) }
    }

    /// Forgets a file that has no name and is not open.
    pub fn release(&mut self, inode: Inode) {
        if let Some(entry) = self.entries.get(&inode)
            && entry.links == 0
        {
            if let EntryContent::File(content) = &entry.node {
                self.held -= content.held();
            }
            self.entries.remove(&inode);
        }
    }

    /// `rename`: an existing entry at the new path is replaced if it is of the same kind and, for a folder,
    /// empty.
    pub fn rename(
        &mut self,
        from: &[u8],
        to: &[u8],
        now: i64,
        is_open: impl Fn(Inode) -> bool,
    ) -> FileResult<()> {
        let (folder, name) = self.place(from, false)?;
        let name = name.ok_or(Errno::Invalid)?;
        let inode = *self.names(folder)?.get(&name).ok_or(Errno::NoEntry)?;
        let (to_folder, to_name) = self.place(to, false)?;
        let to_name = to_name.ok_or(Errno::NotEmpty)?;
        let is_directory = matches!(self.entry(inode)?.node, EntryContent::Directory(_));
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
            let onto_directory = matches!(self.entry(replaced)?.node, EntryContent::Directory(_));
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

    /// Changes attributes of a file that the user owns.
    pub fn change(&mut self, inode: Inode, now: i64, change: impl FnOnce(&mut FileEntry)) -> FileResult<()> {
        let entry = self.entry_mut(inode)?;
        if entry.owner != USER {
            return Err(Errno::NotPermitted);
        }
        change(entry);
        entry.changed = now;
        Ok(())
    }

    /// Puts an entry into the tree before a run, with its parent folders; an existing entry is replaced.
    pub fn install(&mut self, path: &str, node: EntryContent, owner: u32, now: i64) -> FileResult<()> {
        let mut folder = ROOT;
        let mut parts = Parts::of(path.as_bytes());
        while let Some(part) = parts.next() {
            let known = self.names(folder)?.get(&part).copied();
            if parts.is_empty() {
                if let EntryContent::File(content) = &node {
                    self.held += content.held();
                }
                let mode = if matches!(node, EntryContent::Directory(_)) { 0o755 } else { 0o644 };
                if known.is_none() || !matches!(node, EntryContent::Directory(_)) {
                    let made = self.add(node, mode, owner, folder, now);
                    self.link(folder, &part, made);
                }
                return Ok(());
            }
            folder = match known {
                Some(inode) => inode,
                None => {
                    let made = self.add(EntryContent::Directory(Rc::default()), 0o755, owner, folder, now);
                    self.link(folder, &part, made);
                    made
                }
            };
        }
        Ok(())
    }
}
