//! Free space that a collection found: *runs* of words between live objects.
//!
//! Allocation is linear within a run, from the lowest address up, as in the wilderness above the heap: objects
//! created together lie together, and finding room is one comparison. If the rest of a run is too short for the
//! next object, it stays unused until the next collection. Large objects would waste whole runs this way; they
//! take the first run of another list that is long enough, or fresh memory.
//!
//! This is state as much as the words themselves: a version of the memory includes its free space. Between two
//! collections, only positions in the lists change, and the lists are shared.

use crate::memory::Addr;
use std::rc::Rc;

/// Longest object, in words, that is allocated linearly.
pub(crate) const SMALL_WORDS: u32 = 256;
/// Shortest usable run in words; shorter ones wait for their neighbours to die.
pub(crate) const SHORTEST_RUN: u32 = 6;
/// Free runs of at least this number of words are kept for large objects.
const LONG_RUN: u32 = 4 * SMALL_WORDS;

/// The low half of a word at the start of free space within the heap; the length is in the high half. No class
/// has this id.
pub(crate) const FREE_MARK: u64 = 0xFFFF;

/// The word at the start of `len` free words.
pub(crate) const fn free_word(len: u32) -> u64 {
    FREE_MARK | (len as u64) << 32
}

/// A run of free words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FreeRun {
    pub(crate) start: Addr,
    pub(crate) len: u32,
}

/// Free space below the top of the heap.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeSpace {
    /// The place of the next small object.
    cursor: Addr,
    /// End of the run at the cursor.
    end: Addr,
    short: Rc<Vec<FreeRun>>,
    /// Next of the short runs.
    next: usize,
    long: Rc<Vec<FreeRun>>,
}

/// Where an allocation may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FreePlace {
    /// Its first word.
    pub(crate) start: Addr,
    /// Free space with a new start, which has to be marked.
    pub(crate) rest: Option<FreeRun>,
}

impl FreeSpace {
    /// The space in these runs, which are in order of address.
    pub(crate) fn new(runs: impl Iterator<Item = FreeRun>) -> FreeSpace {
        let (mut short, mut long) = (Vec::new(), Vec::new());
        for run in runs {
            if run.len >= LONG_RUN {
                long.push(run)
            } else if run.len >= SHORTEST_RUN {
                short.push(run)
            }
        }
        FreeSpace { cursor: 0, end: 0, short: Rc::new(short), next: 0, long: Rc::new(long) }
    }

    /// Room for `len` words.
    #[inline]
    pub(crate) fn take(&mut self, len: u32) -> Option<FreePlace> {
        if len <= self.end - self.cursor {
            let start = self.cursor;
            self.cursor += len;
            return Some(FreePlace { start, rest: None });
        }
        self.take_from_lists(len)
    }

    fn take_from_lists(&mut self, len: u32) -> Option<FreePlace> {
        if len > SMALL_WORDS {
            return self.take_long(len);
        }
        let rest = self.current();
        let mut found = None;
        while let Some(run) = self.short.get(self.next) {
            self.next += 1;
            if run.len >= len {
                found = Some(*run);
                break;
            }
        }
        let run = match found {
            Some(run) => run,
            None if self.long.is_empty() => {
                // Nothing is left: the rest remains usable for shorter objects.
                return None;
            }
            None => Rc::make_mut(&mut self.long).pop()?,
        };
        (self.cursor, self.end) = (run.start + len, run.start + run.len);
        Some(FreePlace { start: run.start, rest })
    }

    fn take_long(&mut self, len: u32) -> Option<FreePlace> {
        let at = self.long.iter().position(|run| run.len >= len)?;
        let long = Rc::make_mut(&mut self.long);
        let run = long[at];
        let rest = FreeRun { start: run.start + len, len: run.len - len };
        if rest.len >= SMALL_WORDS {
            long[at] = rest;
        } else {
            long.remove(at);
        }
        Some(FreePlace { start: run.start, rest: (rest.len > 0).then_some(rest) })
    }

    /// The unused part of the run in which small objects are allocated; nothing in memory marks it as free.
    pub(crate) fn current(&self) -> Option<FreeRun> {
        (self.cursor < self.end).then_some(FreeRun { start: self.cursor, len: self.end - self.cursor })
    }

    /// Whether there is room for `len` words.
    pub(crate) fn fits(&self, len: u32) -> bool {
        let fits = |run: &FreeRun| run.len >= len;
        if self.long.iter().any(fits) || len <= self.end - self.cursor {
            return true;
        }
        len <= SMALL_WORDS && self.short[self.next.min(self.short.len())..].iter().any(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Allocations lie within the free runs and never overlap; newly marked space is free.
        #[test]
        fn places_are_free_and_distinct(
            gaps in prop::collection::vec((1u32..50, 1u32..3000), 1..40),
            sizes in prop::collection::vec(prop_oneof![8 => 1u32..40, 1 => 200u32..2000], 1..200),
        ) {
            let mut top = 10;
            let mut free = vec![false; 10];
            let mut runs = Vec::new();
            for (gap, len) in gaps {
                free.resize(free.len() + gap as usize, false);
                runs.push(FreeRun { start: top + gap, len });
                free.resize(free.len() + len as usize, true);
                top += gap + len;
            }
            let mut space = FreeSpace::new(runs.into_iter());
            for len in sizes {
                let Some(place) = space.take(len) else { continue };
                for word in place.start..place.start + len {
                    prop_assert!(std::mem::take(&mut free[word as usize]), "word {} is taken", word);
                }
                for run in place.rest.into_iter().chain(space.current()) {
                    let words = run.start as usize..(run.start + run.len) as usize;
                    prop_assert!(free[words].iter().all(|free| *free));
                }
            }
        }

        /// `has_room` is true if and only if the allocation succeeds.
        #[test]
        fn a_free_block_that_fits_can_be_allocated(
            lens in prop::collection::vec(1u32..3000, 0..20),
            sizes in prop::collection::vec(1u32..3000, 1..60),
        ) {
            let mut at = 10;
            let runs: Vec<FreeRun> = lens
                .into_iter()
                .map(|len| {
                    at += len + 1;
                    FreeRun { start: at - len, len }
                })
                .collect();
            let mut space = FreeSpace::new(runs.into_iter());
            for len in sizes {
                prop_assert_eq!(space.fits(len), space.clone().take(len).is_some(), "{} words", len);
                space.take(len);
            }
        }
    }
}
