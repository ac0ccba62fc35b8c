//! Facts about shadows besides their terms: where they may be, and how many decisions an instruction has
//! passed.

use crate::memory::Addr;
use crate::state::Shadow;
use rustc_hash::FxHashMap;

/// Words of a page (of 32), as a shift.
const PAGE_SHIFT: u32 = 5;

/// Where shadows may be, and what belongs to them.
#[derive(Default)]
pub(crate) struct Shadows {
    /// Pages on which a shadow has ever been.
    pages: Vec<bool>,
    /// Whether there is such a page.
    any: bool,
    /// Number of decisions passed in this execution of the current instruction.
    decision: u32,
    /// Lengths of symbolic strings: maps the term of the byte length to that of the number of characters.
    lengths: FxHashMap<Shadow, Shadow>,
}

impl Shadows {
    /// Whether a shadow has ever been anywhere in memory.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// Whether the page of this word may hold shadows.
    #[inline(always)]
    pub(crate) fn may_be_at(&self, addr: Addr) -> bool {
        self.any && self.page((addr >> PAGE_SHIFT) as usize)
    }

    /// Whether a page that has one of these bytes may hold shadows.
    pub(crate) fn may_be_within(&self, first: u64, last: u64) -> bool {
        self.any && (first >> 8..=last >> 8).any(|page| self.page(page as usize))
    }

    #[inline(always)]
    fn page(&self, page: usize) -> bool {
        self.pages.get(page).copied().unwrap_or(false)
    }

    /// The pages on which shadows may be, as one non-zero byte each, and their number.
    pub(crate) fn raw_pages(&self) -> (*const u8, usize) {
        (self.pages.as_ptr().cast(), self.pages.len())
    }

    /// Records that the page of this byte may hold shadows.
    pub(crate) fn flag(&mut self, byte: u64) {
        let page = (byte >> 8) as usize;
        if self.pages.len() <= page {
            self.pages.resize(page + 1, false);
        }
        self.pages[page] = true;
        self.any = true;
    }

    /// An instruction begins, or runs again from its start.
    #[inline]
    pub(crate) fn begin_instruction(&mut self) {
        self.decision = 0;
    }

    /// Counts a decision of this execution of the instruction: its number, from 1.
    pub(crate) fn count_decision(&mut self) -> u32 {
        self.decision += 1;
        self.decision
    }

    /// How many have been counted, for [`Shadows::set_decisions`].
    pub(crate) fn decisions(&self) -> u32 {
        self.decision
    }

    /// Goes back to as many as there were.
    pub(crate) fn set_decisions(&mut self, decisions: u32) {
        self.decision = decisions;
    }

    /// The term of the number of characters of a string whose length in bytes has this term.
    pub(crate) fn length_of(&self, bytes: Shadow) -> Option<Shadow> {
        self.lengths.get(&bytes).copied()
    }

    /// Remembers both lengths of a string.
    pub(crate) fn set_length(&mut self, bytes: Shadow, characters: Shadow) {
        self.lengths.insert(bytes, characters);
    }
}
