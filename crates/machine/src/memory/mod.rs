//! Forkable memory: one flat array of words with page-granular undo.
//!
//! Reading is a plain load. The first write to a page after a snapshot saves the page's old content in the
//! *working log*; a snapshot freezes that log as a *version* and starts a new one, so it costs the same
//! however large the heap is. Versions form a tree. Moving to another version rolls the working log back,
//! then exchanges the saved pages along the path through the lowest common ancestor: the cost is in
//! proportion to what was written between the two, never to the heap.
//!
//! Compared with copy-on-write pages behind `Arc`: reads need no indirection, which the
//! interpreter feels on every field access, and a live fork costs only its own dirty pages.

pub(crate) mod address;
pub(crate) mod free;
pub(crate) mod mark;
pub(crate) mod version;

use crate::memory::free::{FreeSpace, free_word};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use version::{PAGE_SHIFT, PAGE_WORDS, Page, VersionNode};

pub use address::Addr;
pub use version::Version;

/// Flat, forkable memory of 64-bit words.
pub struct Memory {
    words: Vec<u64>,
    /// The epoch in which each page was last saved; a page of the current epoch may be written freely.
    page_epoch: Vec<u32>,
    epoch: u32,
    /// The last epoch that has been given out.
    last_epoch: u32,
    /// Epochs of the pages in the log, while there is a `Mark` to go back to.
    old_epochs: Option<Vec<u32>>,
    top: Addr,
    free: FreeSpace,
    allocated: u64,
    limit: Addr,
    current: Rc<VersionNode>,
    log: Vec<(u32, Box<Page>)>,
    /// Pages to reuse, boxed as in the log, so that none is copied on its way.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Page>>,
}

/// Pages after the last word in use: whoever has checked the address of an object need not check those of its
/// fields.
const SPARE_PAGES: usize = 34;

impl Memory {
    /// The offset of the epoch in this struct.
    pub(crate) const EPOCH: usize = std::mem::offset_of!(Memory, epoch);

    /// The addresses of the words and of the epochs of pages, for compiled code, and the number of words. Valid
    /// until memory is used otherwise.
    pub(crate) fn raw_parts(&mut self) -> (*mut u64, usize, *mut u32) {
        debug_assert_eq!(self.words.len(), self.page_epoch.len() * PAGE_WORDS);
        (self.words.as_mut_ptr(), self.words.len(), self.page_epoch.as_mut_ptr())
    }

    /// Lets a page be written.
    pub(crate) fn prepare_page(&mut self, page: usize) {
        if self.page_epoch[page] != self.epoch {
            self.save_page(page);
        }
    }

    /// Memory with `reserved` zeroed words (index 0 among them), at most `limit` words in all.
    pub fn new(reserved: Addr, limit: Addr) -> Memory {
        let pages = (reserved as usize).div_ceil(PAGE_WORDS) + 1 + SPARE_PAGES;
        let root = VersionNode {
            parent: None,
            depth: 0,
            top: 0,
            free: FreeSpace::default(),
            allocated: 0,
            first_fresh: 0,
            pages: RefCell::default(),
            fresh: RefCell::default(),
            applied: Cell::new(true),
            kept: Rc::default(),
        };
        Memory {
            words: vec![0; pages * PAGE_WORDS],
            page_epoch: vec![1; pages],
            epoch: 1,
            last_epoch: 1,
            old_epochs: None,
            top: reserved,
            free: FreeSpace::default(),
            allocated: 0,
            limit,
            current: Rc::new(root),
            log: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The word at `addr`.
    #[inline(always)]
    pub fn read(&self, addr: Addr) -> u64 {
        self.words[addr as usize]
    }

    /// Sets the word at `addr`.
    #[inline(always)]
    pub fn write(&mut self, addr: Addr, value: u64) {
        let page = (addr >> PAGE_SHIFT) as usize;
        if self.page_epoch[page] != self.epoch {
            self.save_page(page);
        }
        self.words[addr as usize] = value;
    }

    /// The bytes `byte..byte + size` (a power of two, aligned), zero-extended.
    #[inline(always)]
    pub fn read_bytes(&self, byte: u64, size: u32) -> u64 {
        let word = self.words[(byte >> 3) as usize];
        if size == 8 {
            return word;
        }
        (word >> ((byte & 7) * 8)) & ((1u64 << (size * 8)) - 1)
    }

    /// Sets the bytes `byte..byte + size` (a power of two, aligned) to the low bytes of `value`.
    #[inline(always)]
    pub fn write_bytes(&mut self, byte: u64, size: u32, value: u64) {
        let addr = (byte >> 3) as Addr;
        if size == 8 {
            return self.write(addr, value);
        }
        let shift = (byte & 7) * 8;
        let mask = ((1u64 << (size * 8)) - 1) << shift;
        let old = self.words[addr as usize];
        self.write(addr, (old & !mask) | ((value << shift) & mask));
    }

    /// A run of words, to read.
    pub fn slice(&self, addr: Addr, len: u32) -> &[u64] {
        &self.words[addr as usize..(addr + len) as usize]
    }

    /// Copies `len` words from `from` to `to`; the runs may overlap.
    pub fn copy_words(&mut self, from: Addr, to: Addr, len: u32) {
        if len == 0 {
            return;
        }
        for page in (to >> PAGE_SHIFT)..=((to + len - 1) >> PAGE_SHIFT) {
            if self.page_epoch[page as usize] != self.epoch {
                self.save_page(page as usize);
            }
        }
        self.words.copy_within(from as usize..(from + len) as usize, to as usize);
    }

    /// `len` zeroed words, or `None` if that would exceed the limit.
    pub fn allocate(&mut self, len: u32) -> Option<Addr> {
        let start = match self.free.take(len) {
            Some(place) => {
                if let Some(rest) = place.rest {
                    self.write(rest.start, free_word(rest.len));
                }
                self.zero(place.start, len);
                place.start
            }
            None => self.allocate_at_top(len)?,
        };
        self.allocated += len as u64;
        Some(start)
    }

    /// Sets words to zero.
    fn zero(&mut self, start: Addr, len: u32) {
        if len == 0 {
            return;
        }
        for page in (start >> PAGE_SHIFT)..=((start + len - 1) >> PAGE_SHIFT) {
            if self.page_epoch[page as usize] != self.epoch {
                self.save_page(page as usize);
            }
        }
        self.words[start as usize..(start + len) as usize].fill(0);
    }

    fn allocate_at_top(&mut self, len: u32) -> Option<Addr> {
        let start = self.top;
        let end = start.checked_add(len).filter(|end| *end <= self.limit)?;
        let last_page = ((end as usize) >> PAGE_SHIFT) + 1;
        if last_page + SPARE_PAGES > self.page_epoch.len() {
            self.grow(last_page + SPARE_PAGES);
        }
        // Pages above the frozen top belong to no version, so they need no saving.
        let first_new = (start as usize).div_ceil(PAGE_WORDS);
        if self.page_epoch[start as usize >> PAGE_SHIFT] != self.epoch
            && !(start as usize).is_multiple_of(PAGE_WORDS)
        {
            self.save_page(start as usize >> PAGE_SHIFT);
        }
        for page in first_new..last_page {
            self.page_epoch[page] = self.epoch;
        }
        self.words[start as usize..end as usize].fill(0);
        self.top = end;
        Some(start)
    }

    /// First word that has never been allocated.
    pub fn used(&self) -> Addr {
        self.top
    }

    /// Words allocated since the last collection.
    pub(crate) fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Free space below the top.
    pub(crate) fn free_space(&self) -> &FreeSpace {
        &self.free
    }

    /// Words that may be in use at most.
    pub(crate) fn limit(&self) -> Addr {
        self.limit
    }

    /// Sets how many words may be in use at most.
    pub(crate) fn set_limit(&mut self, limit: Addr) {
        self.limit = limit;
    }

    /// Whether `len` words could be allocated.
    pub(crate) fn has_room(&self, len: u32) -> bool {
        self.free.fits(len) || self.top.checked_add(len).is_some_and(|end| end <= self.limit)
    }

    /// First word that belongs to the present version alone. Changes below it cost a saved page, so they should
    /// be avoided.
    pub(crate) fn first_own_word(&self) -> Addr {
        (self.current.top as usize).next_multiple_of(PAGE_WORDS) as Addr
    }

    /// Gives up free space; the rest of the run in use is marked as free.
    pub(crate) fn retire_free_space(&mut self) {
        if let Some(run) = self.free.current() {
            self.write(run.start, free_word(run.len));
        }
        self.free = FreeSpace::default();
    }

    /// After a collection: sets the free space, and the first word above which nothing is alive.
    pub(crate) fn set_free(&mut self, free: FreeSpace, top: Addr) {
        debug_assert!(top <= self.top && (top == self.top || top >= self.first_own_word()));
        self.free = free;
        self.top = top;
        self.allocated = 0;
    }

    /// The words that versions keep besides the present content.
    pub(crate) fn retained_words(&self) -> &Rc<Cell<u64>> {
        &self.current.kept
    }

    /// Freezes the present content.
    pub fn snapshot(&mut self) -> Version {
        let node = VersionNode {
            parent: Some(self.current.clone()),
            depth: self.current.depth + 1,
            top: self.top,
            free: self.free.clone(),
            allocated: self.allocated,
            first_fresh: (self.current.top as usize).div_ceil(PAGE_WORDS) as u32,
            pages: RefCell::new(std::mem::take(&mut self.log)),
            fresh: RefCell::default(),
            applied: Cell::new(true),
            kept: self.current.kept.clone(),
        };
        node.count();
        self.current = Rc::new(node);
        self.next_epoch();
        Version(self.current.clone())
    }

    /// The words below the version's top that have changed since it; `None` if the version is not an ancestor
    /// of the present one.
    pub(crate) fn changes_since(&self, version: &Version) -> Option<Vec<Addr>> {
        // The oldest saved content of a page is that of the version.
        let mut old: BTreeMap<u32, Box<Page>> =
            self.log.iter().map(|(page, old)| (*page, old.clone())).collect();
        let mut node = self.current.clone();
        while !Rc::ptr_eq(&node, &version.0) {
            old.extend(node.pages.borrow().iter().map(|(page, content)| (*page, content.clone())));
            let parent = node.parent.clone()?;
            node = parent;
        }
        let mut changed = Vec::new();
        for (page, content) in old {
            let first = page * PAGE_WORDS as u32;
            let words = (first..).zip(content.iter());
            changed.extend(
                words.filter(|(at, old)| *at < version.0.top && self.read(*at) != **old).map(|it| it.0),
            );
        }
        Some(changed)
    }

    /// Every word that has changed since the last snapshot, with its old and new value; new words were zero.
    pub(crate) fn each_change(&self, mut visit: impl FnMut(Addr, u64, u64)) {
        let old_top = self.current.top;
        for (page, content) in &self.log {
            for (at, old) in (page * PAGE_WORDS as u32..old_top).zip(content.iter()) {
                let new = self.read(at);
                if new != *old {
                    visit(at, *old, new);
                }
            }
        }
        for at in old_top..self.top {
            match self.read(at) {
                0 => {}
                new => visit(at, 0, new),
            }
        }
    }

    /// Makes the content that of `version`; changes since the last snapshot are lost.
    pub fn restore(&mut self, version: &Version) {
        while let Some((page, old)) = self.log.pop() {
            self.page_mut(page).copy_from_slice(&*old);
            self.spare.push(old);
        }
        self.spare.truncate(64);
        if !Rc::ptr_eq(&self.current, &version.0) {
            self.travel(&version.0);
        }
        self.top = version.0.top;
        self.free = version.0.free.clone();
        self.allocated = version.0.allocated;
        self.next_epoch();
    }

    fn travel(&mut self, target: &Rc<VersionNode>) {
        let mut up = self.current.clone();
        let mut down = Vec::new();
        let mut other = target.clone();
        while !Rc::ptr_eq(&up, &other) {
            if up.depth >= other.depth {
                self.exchange(&up, false);
                let parent = up.parent.clone().expect("versions of one memory share their root");
                up = parent;
            } else {
                let parent = other.parent.clone().expect("versions of one memory share their root");
                down.push(std::mem::replace(&mut other, parent));
            }
        }
        for node in down.iter().rev() {
            self.exchange(node, true);
        }
        self.current = target.clone();
    }

    /// Swaps the node's saved pages with the memory, entering (`apply`) or leaving its version.
    fn exchange(&mut self, node: &VersionNode, apply: bool) {
        debug_assert_ne!(node.applied.get(), apply);
        node.applied.set(apply);
        let start = node.first_fresh as usize * PAGE_WORDS;
        let end = node.top as usize;
        if start < end {
            let mut fresh = node.fresh.borrow_mut();
            match &*fresh {
                Some(content) if apply => self.words[start..end].copy_from_slice(content),
                None if !apply => *fresh = Some(node.counted(self.words[start..end].into())),
                _ => {}
            }
        }
        for (page, content) in node.pages.borrow_mut().iter_mut() {
            // A page saved here is older than the fresh ones, so the two never overlap.
            let at = *page as usize * PAGE_WORDS;
            self.words[at..at + PAGE_WORDS].swap_with_slice(&mut content[..]);
        }
    }

    fn page_mut(&mut self, page: u32) -> &mut [u64] {
        let at = page as usize * PAGE_WORDS;
        &mut self.words[at..at + PAGE_WORDS]
    }

    #[cold]
    fn save_page(&mut self, page: usize) {
        let at = page * PAGE_WORDS;
        let mut copy = self.spare.pop().unwrap_or_else(|| Box::new([0; PAGE_WORDS]));
        copy.copy_from_slice(&self.words[at..at + PAGE_WORDS]);
        self.log.push((page as u32, copy));
        if let Some(epochs) = &mut self.old_epochs {
            epochs.push(self.page_epoch[page]);
        }
        self.page_epoch[page] = self.epoch;
    }

    #[cold]
    fn grow(&mut self, pages: usize) {
        // At most the limit, which a reserve may exceed.
        let most = self.limit as usize / PAGE_WORDS + 2;
        let pages = pages.max((self.page_epoch.len() * 3 / 2).min(most));
        self.words.resize(pages * PAGE_WORDS, 0);
        self.page_epoch.resize(pages, 0);
    }

    fn next_epoch(&mut self) {
        self.epoch = match self.last_epoch.checked_add(1) {
            Some(next) => next,
            None => {
                self.page_epoch.fill(0);
                1
            }
        };
        self.last_epoch = self.epoch;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Action {
        Write(u32, u64),
        Allocate(u32),
        Snapshot,
        Restore(usize),
        Aside(Vec<(u32, u64)>, u32),
    }

    fn action() -> impl Strategy<Value = Action> {
        prop_oneof![
            8 => (any::<u32>(), any::<u64>()).prop_map(|(a, v)| Action::Write(a, v)),
            3 => (1u32..200).prop_map(Action::Allocate),
            3 => Just(Action::Snapshot),
            3 => any::<usize>().prop_map(Action::Restore),
            3 => (prop::collection::vec(any::<(u32, u64)>(), 0..20), 0u32..100)
                .prop_map(|(writes, allocated)| Action::Aside(writes, allocated)),
        ]
    }

    proptest! {
        /// Any walk over the version tree agrees with plain copies of the whole memory.
        #[test]
        fn versions_agree_with_copies(actions in prop::collection::vec(action(), 1..200)) {
            let mut memory = Memory::new(40, 1 << 20);
            let mut model: Vec<u64> = vec![0; 40];
            let mut saved: Vec<(Version, Vec<u64>)> = Vec::new();
            for action in actions {
                match action {
                    Action::Write(at, value) => {
                        let at = 1 + at % (model.len() as u32 - 1);
                        memory.write(at, value);
                        model[at as usize] = value;
                    }
                    Action::Allocate(len) => {
                        let at = memory.allocate(len).unwrap();
                        prop_assert_eq!(at as usize, model.len());
                        model.resize(model.len() + len as usize, 0);
                    }
                    Action::Snapshot => saved.push((memory.snapshot(), model.clone())),
                    Action::Restore(which) if !saved.is_empty() => {
                        let which = which % saved.len();
                        memory.restore(&saved[which].0);
                        model.clone_from(&saved[which].1);
                        if which.is_multiple_of(3) {
                            saved.swap_remove(which);
                        }
                    }
                    Action::Restore(_) => {}
                    Action::Aside(writes, allocated) => {
                        let mark = memory.mark();
                        memory.allocate(1 + allocated).unwrap();
                        for (at, value) in writes {
                            memory.write(1 + at % (memory.used() - 1), value);
                        }
                        memory.go_back(mark);
                    }
                }
                prop_assert_eq!(memory.slice(0, model.len() as u32), &model[..]);
            }
        }
    }

    #[test]
    fn the_limit_is_a_limit() {
        let mut memory = Memory::new(40, 100);
        assert!(memory.allocate(61).is_none());
        assert!(memory.allocate(60).is_some());
        assert!(memory.allocate(1).is_none());
        assert!(memory.allocate(u32::MAX).is_none());
    }
}
