//! How several threads share a search: each goes the same way down to a certain depth, and into the subtrees below it that no
//! other has been in before. That depth is as large as it can be without much that all do.
//!
//! The beginning of the search, from which it is learned how deep subtrees are and what is worth doing where in the code, is
//! the same for all and counted by the first. Nothing is taken from one subtree to another. So what is found, and how much is
//! tried in all, does not depend on which thread is where when.

use std::sync::{Arc, Mutex};

/// Candidates after which a search is divided.
const BEGINNING: u64 = 4096;
/// All go through one in so many places of the search at most, as far as the beginning tells.
const COMMON: u64 = 100;

/// A part of a search: what no other part has begun.
#[derive(Clone, Debug)]
pub struct Share {
    is_first: bool,
    /// The subtrees that some part has begun, one bit each.
    begun: Arc<Mutex<Vec<u64>>>,
}

impl Share {
    /// All of it, until others are made of it.
    pub fn whole() -> Share {
        Share { is_first: true, begun: Arc::default() }
    }

    /// Another part of the same search.
    pub fn other(&self) -> Share {
        Share { is_first: false, begun: self.begun.clone() }
    }

    /// Begins the subtree of this number; false if another part has.
    fn begin(&self, number: usize) -> bool {
        // Whoever panicked has not left half a bit.
        let mut begun = self.begun.lock().unwrap_or_else(|it| it.into_inner());
        let (at, bit) = (number / 64, 1 << (number % 64));
        let words = begun.len().max(at + 1);
        begun.resize(words, 0);
        let is_new = begun[at] & bit == 0;
        begun[at] |= bit;
        is_new
    }
}

/// Where a shared search is.
pub(super) struct Division {
    share: Share,
    ended: u64,
    /// Places of the search by their depth.
    places: Vec<u64>,
    /// The depth at which subtrees are shared out, once that is known.
    depth: Option<usize>,
    subtrees: usize,
    /// Whether the subtree at that depth has been given to this part.
    is_own: bool,
}

impl Division {
    pub(super) fn new(share: Share) -> Division {
        Division { share, ended: 0, places: Vec::new(), depth: None, subtrees: 0, is_own: false }
    }

    /// Another candidate has come to its end; true when the search is divided from now on.
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

    /// The search comes to a place at this depth, not divided so far.
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

    /// Whether what begins at this depth is not for this part.
    pub(super) fn is_others(&mut self, depth: usize) -> bool {
        if !self.is_at(depth) {
            return false;
        }
        self.is_own = self.share.begin(self.subtrees);
        self.subtrees += 1;
        !self.is_own
    }

    /// Whether all parts are here, so that what is learned above a subtree would not be the same for all.
    pub(super) fn is_common(&self, depth: usize) -> bool {
        self.depth.is_some_and(|it| depth < it)
    }

    /// Whether what is found at this depth is counted by this part.
    pub(super) fn counts(&self, depth: usize) -> bool {
        let is_below = self.depth.is_some_and(|it| depth > it) && self.subtrees > 0;
        if is_below { self.is_own } else { self.share.is_first }
    }
}
