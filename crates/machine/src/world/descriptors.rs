//! Open files.

use super::content::{Bytes, Content};
use super::effect_set::EffectSet;
use super::errno::Errno;
use super::files::{EntryContent, FileEntry, FileResult, Files, Inode};
use crate::state::PersistentMap;
use cupping_case::Access;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

/// The first descriptor after the standard streams.
const FIRST: i32 = 3;
/// Files that may be open at the same time.
const MOST: usize = 65_536;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Open for reading.
    pub read: bool,
    /// Open for writing.
    pub write: bool,
    /// Open for appending.
    pub append: bool,
    /// It is made if it is not there.
    pub create: bool,
    /// It must not be there.
    pub exclusive: bool,
    /// The content is discarded.
    pub truncate: bool,
    /// A link is not followed.
    pub no_follow: bool,
    /// It must be a directory.
    pub directory: bool,
}

/// An open file.
#[derive(Clone, Copy, Debug)]
pub struct OpenFile {
    /// The file.
    pub inode: Inode,
    /// The position of the next read or write.
    pub position: u64,
    /// How it was opened.
    pub mode: Mode,
}

/// The source of a file's bytes.
#[derive(Clone, Debug)]
pub enum ByteSource<'a> {
    /// They are in memory.
    Content(&'a Content),
    /// They are on the host, at this place.
    Given(Rc<Path>),
    /// The seed.
    Random,
    /// There are none.
    Nothing,
}

/// Names in a folder, and how many of them have been read.
type Listing = (Rc<[Vec<u8>]>, usize);

/// The file system with what is open in it.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The tree. Operations on paths go through the disk, which records them.
    pub(super) files: Files,
    open: PersistentMap<i32, OpenFile>,
    /// The paths of open files at the time when they were opened.
    pub(super) paths: PersistentMap<i32, Rc<[u8]>>,
    listings: PersistentMap<i64, Listing>,
    next_listing: i64,
    /// Folders of the class path that are in the tree.
    pub(super) entered: Rc<BTreeSet<usize>>,
    /// Effects of the program outside of the heap that are recorded when they happen.
    pub(super) effects: EffectSet,
    /// Entries of the class path; reads below them are not recorded.
    pub(super) class_path: Rc<[Vec<u8>]>,
    /// For whom the next operations are.
    pub(super) asker: Asker,
}

/// On whose behalf files are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asker {
    /// The program.
    Program,
    /// The initialiser of a class that is not under test.
    Library,
    /// The JDK, in search of entropy.
    Entropy,
}

impl Disk {
    /// A tree in which nothing is open.
    pub fn new(files: Files) -> Disk {
        Disk {
            files,
            open: PersistentMap::default(),
            listings: PersistentMap::default(),
            next_listing: 1,
            entered: Rc::default(),
            paths: PersistentMap::default(),
            effects: EffectSet::default(),
            class_path: Rc::default(),
            asker: Asker::Program,
        }
    }

    /// Opens a file; its descriptor.
    pub fn open(&mut self, path: &[u8], mode: Mode, permissions: u32, now: i64) -> FileResult<i32> {
        let follow = !mode.no_follow && !mode.exclusive;
        let found = self.files.find(path, follow);
        self.record_opening(path, follow, mode, found);
        let place = self.files.resolved(path, follow);
        let inode = match found {
            Ok(_) if mode.create && mode.exclusive => return Err(Errno::Exists),
            Ok(inode) => {
                match &self.files.entry(inode)?.node {
                    EntryContent::Directory(_) if mode.write => return Err(Errno::IsDirectory),
                    EntryContent::Directory(_) => {}
                    _ if mode.directory => return Err(Errno::NotDirectory),
                    EntryContent::Link(_) => return Err(Errno::Loop),
                    _ if path.ends_with(b"/") => return Err(Errno::NotDirectory),
                    _ => {}
                }
                self.files.may(inode, (mode.read as u32) << 2 | (mode.write as u32) << 1)?;
                if mode.truncate && mode.write {
                    self.files.set_length(inode, 0, now)?;
                }
                inode
            }
            Err(Errno::NoEntry) if mode.create => {
                if path.ends_with(b"/") {
                    return Err(Errno::IsDirectory);
                }
                self.files.make_file(path, permissions, !mode.exclusive, now)?
            }
            Err(errno) => return Err(errno),
        };
        if self.open.len() >= MOST {
            return Err(Errno::NoSpace);
        }
        let mut descriptor = FIRST;
        while self.open.contains_key(&descriptor) {
            descriptor += 1;
        }
        self.open.insert(descriptor, OpenFile { inode, position: 0, mode });
        self.paths.insert(descriptor, place.into());
        Ok(descriptor)
    }

    /// Closes a descriptor.
    pub fn close(&mut self, descriptor: i32) -> FileResult<()> {
        let closed = self.open.remove(&descriptor).ok_or(Errno::BadDescriptor)?;
        self.paths.remove(&descriptor);
        if !self.is_open(closed.inode) {
            self.files.release(closed.inode);
        }
        Ok(())
    }

    fn is_open(&self, inode: Inode) -> bool {
        self.open.values().any(|it| it.inode == inode)
    }

    /// An open file.
    pub fn get(&self, descriptor: i32) -> FileResult<OpenFile> {
        self.open.get(&descriptor).copied().ok_or(Errno::BadDescriptor)
    }

    /// What is known about an open file.
    pub fn entry(&self, descriptor: i32) -> FileResult<&FileEntry> {
        self.files.entry(self.get(descriptor)?.inode)
    }

    /// Goes to a position.
    pub fn seek(&mut self, descriptor: i32, position: u64) -> FileResult<()> {
        let open = self.open.get_mut(&descriptor).ok_or(Errno::BadDescriptor)?;
        open.position = position;
        Ok(())
    }

    /// The source of an open file's bytes.
    pub fn content(&self, descriptor: i32) -> FileResult<ByteSource<'_>> {
        let open = self.get(descriptor)?;
        if !open.mode.read {
            return Err(Errno::BadDescriptor);
        }
        match &self.files.entry(open.inode)?.node {
            EntryContent::File(content) => Ok(ByteSource::Content(content)),
            EntryContent::Given(place, _) => Ok(ByteSource::Given(place.clone())),
            EntryContent::Device(random) => {
                Ok(if *random { ByteSource::Random } else { ByteSource::Nothing })
            }
            EntryContent::Directory(_) => Err(Errno::IsDirectory),
            EntryContent::Link(_) => Err(Errno::Invalid),
        }
    }

    /// Writes at a position, or at that of the descriptor, which advances.
    pub fn write(&mut self, descriptor: i32, at: Option<u64>, bytes: &Bytes, now: i64) -> FileResult<()> {
        let open = self.get(descriptor)?;
        if !open.mode.write {
            return Err(Errno::BadDescriptor);
        }
        let place = match at {
            _ if open.mode.append => self.entry(descriptor)?.length(),
            Some(at) => at,
            None => open.position,
        };
        self.files.write(open.inode, place, bytes, now)?;
        if at.is_none() {
            self.seek(descriptor, place + bytes.plain.len() as u64)?;
        }
        Ok(())
    }

    /// Sets the length of an open file.
    pub fn set_length(&mut self, descriptor: i32, length: u64, now: i64) -> FileResult<()> {
        let open = self.get(descriptor)?;
        if !open.mode.write {
            return Err(Errno::Invalid);
        }
        self.files.set_length(open.inode, length, now)
    }

    /// `opendir`: the descriptor of the listing.
    pub fn list(&mut self, names: Vec<Vec<u8>>) -> i64 {
        let listing = self.next_listing;
        self.next_listing += 1;
        self.listings.insert(listing, (names.into(), 0));
        listing
    }

    /// `readdir`: the next name.
    pub fn next_name(&mut self, listing: i64) -> Option<Vec<u8>> {
        let (names, at) = self.listings.get_mut(&listing)?;
        let name = names.get(*at).cloned();
        *at += 1;
        name
    }

    /// `closedir`.
    pub fn end_listing(&mut self, listing: i64) {
        self.listings.remove(&listing);
    }

    /// `rmdir` or `unlink`.
    pub fn remove(&mut self, path: &[u8], directory: bool, now: i64) -> FileResult<()> {
        self.record(path, false, Access::Deleted);
        let Disk { files, open, .. } = self;
        files.remove(path, directory, now, |inode| open.values().any(|it| it.inode == inode))
    }

    /// `rename`.
    pub fn rename(&mut self, from: &[u8], to: &[u8], now: i64) -> FileResult<()> {
        self.record_renaming(from, to);
        let Disk { files, open, .. } = self;
        files.rename(from, to, now, |inode| open.values().any(|it| it.inode == inode))
    }
}
