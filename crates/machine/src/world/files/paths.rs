//! Paths: from a path to what is there, and back.

use super::entry::{EntryContent, Inode};
use super::{FileResult, Files, ROOT, WORKING_DIRECTORY};
use crate::world::errno::Errno;
use crate::world::path::{LINKS, Parts, is_too_long};
use std::rc::Rc;

impl Files {
    /// The file at a path; a link at its end is followed on request.
    pub fn find(&self, path: &[u8], follow: bool) -> FileResult<Inode> {
        let (folder, name) = self.place(path, follow)?;
        match name {
            None => Ok(folder),
            Some(name) => self.names(folder)?.get(&name).copied().ok_or(Errno::NoEntry),
        }
    }

    /// The folder and name that a path leads to, which need not exist; no name for the folder itself.
    pub(super) fn place(&self, path: &[u8], follow: bool) -> FileResult<(Inode, Option<Vec<u8>>)> {
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
                EntryContent::Link(target) if !is_last || follow || parts.must_be_directory() => {
                    followed += 1;
                    if followed > LINKS {
                        return Err(Errno::Loop);
                    }
                    if target.first() == Some(&b'/') {
                        at = ROOT;
                    }
                    parts.prepend(target);
                }
                EntryContent::Directory(_) if is_last => return Ok((at, Some(part))),
                EntryContent::Directory(_) => at = inode,
                _ if is_last && !parts.must_be_directory() => return Ok((at, Some(part))),
                _ => return Err(Errno::NotDirectory),
            }
        }
    }

    /// The path that an operation on this one concerns: absolute, without `.`, `..` and links, except for the
    /// last part if it is not followed. It need not exist; from the first missing part on, the rest is taken
    /// literally.
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

    /// The target of the link at this path, if there is one; no parent part is a link.
    fn link_at(&self, names: &[Vec<u8>]) -> Option<Rc<[u8]>> {
        let mut at = ROOT;
        for name in names {
            at = *self.names(at).ok()?.get(name)?;
        }
        match &self.entry(at).ok()?.node {
            EntryContent::Link(target) => Some(target.clone()),
            _ => None,
        }
    }

    /// `realpath`: the path of an existing file without links, `.` and `..`.
    pub fn real_path(&self, path: &[u8]) -> FileResult<Vec<u8>> {
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

    /// `readlink`.
    pub fn target(&self, path: &[u8]) -> FileResult<Rc<[u8]>> {
        match &self.entry(self.find(path, false)?)?.node {
            EntryContent::Link(target) => Ok(target.clone()),
            _ => Err(Errno::Invalid),
        }
    }

    /// The names in a folder, sorted.
    pub fn list(&self, path: &[u8]) -> FileResult<Vec<Vec<u8>>> {
        let inode = self.find(path, true)?;
        let names = self.names(inode)?;
        self.may(inode, 4)?;
        Ok(names.keys().cloned().collect())
    }
}
