//! Divides a search among threads: every thread follows the same path down to a certain depth and enters only
//! the subtrees below it that no other thread has entered. That depth is chosen as deep as the shared part
//! stays small.
//!
//! All threads repeat the beginning of the search, from which they learn the sizes of subtrees and where
//! learning pays off; only the first thread counts it. Nothing learned in one subtree is used in another. The
//! result and the counters are therefore independent of scheduling.

use std::sync::{Arc, Mutex};

/// Number of candidates before a search is divided.
const BEGINNING: u64 = 4096;
/// Limit on the shared part: one in this many nodes, as estimated from the beginning.
const COMMON: u64 = 100;

/// One thread's share of a search, or a part of it that is searched by itself.
#[derive(Clone, Debug)]
pub struct Share {
    is_first: bool,
    subtrees: Subtrees,
}

/// The subtrees of a share.
#[derive(Clone, Debug)]
enum Subtrees {
    /// Those that no other thread has entered; all that some thread has entered, one bit each.
    Unclaimed(Arc<Mutex<Vec<u64>>>),
    /// Every `of`th, from `part` on.
    Every { part: usize, of: usize },
}

impl Share {
    /// The whole search, until others share it.
    pub fn whole() -> Share {
        Share { is_first: true, subtrees: Subtrees::Unclaimed(Arc::default()) }
    }

    /// One of `of` parts, numbered from 0; the first has what is common to all.
    pub fn part(part: usize, of: usize) -> Share {
        Share { is_first: part == 0, subtrees: Subtrees::Every { part, of: of.max(1) } }
    }

    /// Whether results count that belong to no subtree.
    pub fn is_first(&self) -> bool {
        self.is_first
    }

    /// Another share of the same search.
    pub fn other(&self) -> Share {
        Share { is_first: false, subtrees: self.subtrees.clone() }
    }

    /// Claims a subtree; false if another thread has it.
    fn begin(&self, number: usize) -> bool {
        let begun = match &self.subtrees {
            Subtrees::Every { part, of } => return number % of == *part,
            Subtrees::Unclaimed(begun) => begun,
        };
        // A panic cannot leave a bit half set.
        let mut begun = begun.lock().unwrap_or_else(|it| it.into_inner());
        let (at, bit) = (number / 64, 1 << (number % 64));
        let words = begun.len().max(at + 1);
        begun.resize(words, 0);
        let is_new = begun[at] & bit == 0;
        begun[at] |= bit;
        is_new
    }
}

/// The progress of a divided search.
pub(super) struct Division {
    share: Share,
    ended: u64,
    /// Number of nodes by depth.
    places: Vec<u64>,
    /// The depth at which subtrees are divided, once known.
    depth: Option<usize>,
    subtrees: usize,
    /// Whether this thread has claimed the current subtree.
    is_own: bool,
}

impl Division {
    pub(super) fn new(share: Share) -> Division {
        Division { share, ended: 0, places: Vec::new(), depth: None, subtrees: 0, is_own: false }
    }

    /// Notes the end of a candidate; true if the search is divided from now on.
    pub(super) fn ends(&mut self) -> bool {
        self.ended += 1;
        let begins = self.ended == BEGINNING;
        if begins {
            let all: u64 = self.places.iter().sum();
            let above = self.places.iter().scan(0, |above, it| {
                *above += it;
                Some(*above)
            });
            self.depth = Some(above.take_while(|it| *it <= all / COMMON).count().max(2));
        }
        begins
    }

    /// Notes a node at this depth while the search is undivided.
    pub(super) fn reaches(&mut self, depth: usize) {
        if self.depth.is_none() {
            self.places.resize(self.places.len().max(depth + 1), 0);
            self.places[depth] += 1;
        }
    }

    /// Whether the search is divided at this depth.
    pub(super) fn is_at(&self, depth: usize) -> bool {
        self.depth == Some(depth)
    }

    /// Whether the subtree that starts at this depth belongs to another thread.
    pub(super) fn belongs_to_another_thread(&mut self, depth: usize) -> bool {
        if !self.is_at(depth) {
            return false;
        }
        self.is_own = self.share.begin(self.subtrees);
        self.subtrees += 1;
        !self.is_own
    }

    /// Whether all threads visit this depth, so that learning there would differ between them.
    pub(super) fn is_common(&self, depth: usize) -> bool {
        self.depth.is_some_and(|it| depth < it)
    }

    /// Whether this thread counts results at this depth.
    pub(super) fn counts(&self, depth: usize) -> bool {
        let is_below = self.depth.is_some_and(|it| depth > it) && self.subtrees > 0;
        if is_below { self.is_own } else { self.share.is_first }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A division after its beginning: `places` nodes at each depth from 0 on.
    fn begun(share: Share, places: &[u64]) -> Division {
        let mut division = Division::new(share);
        for (depth, count) in places.iter().enumerate() {
            (0..*count).for_each(|_| division.reaches(depth));
        }
        for ended in 1..=BEGINNING {
            assert_eq!(division.ends(), ended == BEGINNING);
        }
        division
    }

    #[test]
    fn the_shared_part_is_at_most_a_hundredth() {
        // Of 1000 nodes, 1 + 9 are at most ten, and 1 + 9 + 90 are more: depth 2.
        assert!(begun(Share::whole(), &[1, 9, 90, 900]).is_at(2));
        // 1 + 2 + 4 of 1007: another depth fits.
        assert!(begun(Share::whole(), &[1, 2, 4, 1000]).is_at(3));
        // The least depth is 2, however broad the search is.
        assert!(begun(Share::whole(), &[500, 500]).is_at(2));
        let division = Division::new(Share::whole());
        assert!((0..9).all(|depth| !division.is_at(depth) && !division.is_common(depth)));
    }

    #[test]
    fn each_subtree_belongs_to_the_thread_that_comes_first() {
        let whole = Share::whole();
        let mut one = begun(whole.clone(), &[1, 9, 90, 900]);
        let mut other = begun(whole.other(), &[1, 9, 90, 900]);
        let mut mine = Vec::new();
        // 130 subtrees: more than two words of bits. The other thread runs ahead by three.
        for subtree in 0..130 {
            if subtree < 3 {
                assert!(!other.belongs_to_another_thread(2));
            }
            mine.push(!one.belongs_to_another_thread(2));
        }
        assert_eq!(mine.iter().filter(|it| **it).count(), 127);
        assert_eq!(mine[..4], [false, false, false, true]);
        // The first thread has claimed these subtrees meanwhile.
        assert!((3..130).all(|_| other.belongs_to_another_thread(2)));
        assert!(!other.belongs_to_another_thread(2), "the next subtree is nobody's yet");
        // At other depths nothing is divided.
        assert!(!one.belongs_to_another_thread(1) && !one.belongs_to_another_thread(3));
    }

    #[test]
    fn parts_have_each_subtree_once() {
        let mut parts: Vec<Division> = (0..3).map(|it| begun(Share::part(it, 3), &[1, 9, 90, 900])).collect();
        assert_eq!(parts.iter().map(|it| it.counts(1)).collect::<Vec<_>>(), [true, false, false]);
        for subtree in 0..9 {
            let own: Vec<usize> = (0..3).filter(|it| !parts[*it].belongs_to_another_thread(2)).collect();
            assert_eq!(own, [subtree % 3]);
            assert_eq!((0..3).filter(|it| parts[*it].counts(3)).collect::<Vec<_>>(), own);
        }
    }

    #[test]
    fn results_count_once() {
        let whole = Share::whole();
        let mut one = begun(whole.clone(), &[1, 9, 90, 900]);
        let mut other = begun(whole.other(), &[1, 9, 90, 900]);
        // The shared part is counted by the first thread alone, a subtree by the thread that has it.
        assert!(one.counts(2) && !other.counts(2));
        assert!(one.is_common(1) && other.is_common(1) && !one.is_common(2));
        assert!(!other.belongs_to_another_thread(2) && one.belongs_to_another_thread(2));
        assert!(other.counts(3) && !one.counts(3));
        assert!(one.counts(2) && !other.counts(2));
    }
}
