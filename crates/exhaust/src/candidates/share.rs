//! How several threads share a search: each goes the same way down to a certain depth, and into every so manieth subtree
//! below it.
//!
//! The beginning of the search, from which it is learned how deep subtrees are and what is worth doing where in the code, is
//! the same for all and counted by the first. So which thread does what, and what is found, does not depend on when they run.

/// Candidates after which a search is divided.
const BEGINNING: u64 = 4096;

/// The part of a search that is done.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Which of the parts.
    pub index: u32,
    /// How many there are.
    pub of: u32,
}

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share { index: 0, of: 1 };
}

/// Where a shared search is.
pub(super) struct Division {
    share: Share,
    ended: u64,
    /// The depth at which subtrees are shared out, once that is known.
    depth: Option<usize>,
    subtrees: u32,
    /// Whether the subtree at that depth has been given to this part.
    is_own: bool,
}

impl Division {
    pub(super) fn new(share: Share) -> Division {
        Division { share, ended: 0, depth: None, subtrees: 0, is_own: false }
    }

    /// Another candidate has come to its end at this depth; true when the search is divided from now on.
    pub(super) fn ends(&mut self, depth: usize) -> bool {
        self.ended += 1;
        let begins = self.ended == BEGINNING;
        if begins {
            self.depth = Some((depth * 2 / 5).max(2));
        }
        begins
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
        let number = self.subtrees;
        self.subtrees = number.wrapping_add(1);
        self.is_own = number % self.share.of == self.share.index;
        !self.is_own
    }

    /// Whether all parts are here, so that what is learned above a subtree would not be the same for all.
    pub(super) fn is_common(&self, depth: usize) -> bool {
        self.depth.is_some_and(|it| depth < it)
    }

    /// Whether what is found at this depth is counted by this part.
    pub(super) fn counts(&self, depth: usize) -> bool {
        let is_below = self.depth.is_some_and(|it| depth > it) && self.subtrees > 0;
        if is_below { self.is_own } else { self.share.index == 0 }
    }
}
