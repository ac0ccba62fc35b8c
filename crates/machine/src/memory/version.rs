//! Versions: frozen states of a memory, in a tree.

use super::address::Addr;
use crate::memory::free::FreeSpace;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Words in a page.
pub(super) const PAGE_WORDS: usize = 32;

pub(super) const PAGE_SHIFT: u32 = 5;

pub(super) type Page = [u64; PAGE_WORDS];

/// A frozen state of a `Memory`; dropping the last handle frees what only it needs.
#[derive(Clone)]
pub struct Version(pub(super) Rc<VersionNode>);

pub(super) struct VersionNode {
    pub(super) parent: Option<Rc<VersionNode>>,
    pub(super) depth: u32,
    /// First unallocated word in this version.
    pub(super) top: Addr,
    /// Free space below the top.
    pub(super) free: FreeSpace,
    /// Words allocated since the last collection.
    pub(super) allocated: u64,
    /// First page that did not exist in the parent.
    pub(super) first_fresh: u32,
    /// Pages that differ from the parent: the parent's content while this version is applied to the memory,
    /// this version's content while it is not.
    pub(super) pages: RefCell<Vec<(u32, Box<Page>)>>,
    /// Content of the fresh pages, kept once this version has been left.
    pub(super) fresh: RefCell<Option<Box<[u64]>>>,
    pub(super) applied: Cell<bool>,
    /// Words that all versions of the memory keep.
    pub(super) kept: Rc<Cell<u64>>,
}

impl VersionNode {
    /// Counts what this version keeps from its start.
    pub(super) fn count(&self) {
        self.kept.set(self.kept.get() + self.words());
    }

    /// Counts what it keeps from now on as well.
    pub(super) fn counted(&self, content: Box<[u64]>) -> Box<[u64]> {
        self.kept.set(self.kept.get() + content.len() as u64);
        content
    }

    /// Words that this version keeps for itself.
    fn words(&self) -> u64 {
        let fresh = self.fresh.borrow().as_ref().map_or(0, |it| it.len());
        (self.pages.borrow().len() * PAGE_WORDS + fresh) as u64
    }
}

impl Drop for VersionNode {
    /// Long chains of versions are freed in a loop, since recursion could exhaust the stack.
    fn drop(&mut self) {
        self.kept.set(self.kept.get().saturating_sub(self.words()));
        let mut next = self.parent.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut owned) => next = owned.parent.take(),
                Err(_) => break,
            }
        }
    }
}
