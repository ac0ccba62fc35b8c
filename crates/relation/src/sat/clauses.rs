//! Clause storage in one array of words: a header of two words, then the literals.

use super::Lit;

/// The offset of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClauseRef(pub(super) u32);

impl ClauseRef {
    pub(super) const NONE: ClauseRef = ClauseRef(u32::MAX);
}

/// A clause to visit when a literal becomes false, unless `blocker` is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    pub(super) clause: ClauseRef,
    pub(super) blocker: Lit,
}

/// Words of the header: length and literal block distance (0 for an original clause).
const HEADER: usize = 2;

#[derive(Default)]
pub(super) struct Clauses {
    words: Vec<Lit>,
    pub(super) learnt: Vec<ClauseRef>,
}

impl Clauses {
    /// Adds a clause; a learnt one with its literal block distance.
    pub(super) fn add(&mut self, literals: &[Lit], learnt: Option<u32>) -> ClauseRef {
        let at = ClauseRef(self.words.len() as u32);
        self.words.push(Lit(literals.len() as u32));
        self.words.push(Lit(learnt.map_or(0, |levels| levels + 1)));
        self.words.extend_from_slice(literals);
        if learnt.is_some() {
            self.learnt.push(at);
        }
        at
    }

    pub(super) fn literals(&self, at: ClauseRef) -> &[Lit] {
        let start = at.0 as usize;
        let length = self.words[start].0 as usize;
        &self.words[start + HEADER..start + HEADER + length]
    }

    pub(super) fn literals_mut(&mut self, at: ClauseRef) -> &mut [Lit] {
        let start = at.0 as usize;
        let length = self.words[start].0 as usize;
        &mut self.words[start + HEADER..start + HEADER + length]
    }

    /// The literal block distance of a learnt clause.
    pub(super) fn worth(&self, at: ClauseRef) -> u32 {
        self.words[at.0 as usize + 1].0.saturating_sub(1)
    }

    /// Drops learnt clauses and returns the moves of the remaining ones: pairs of old and new offset,
    /// ascending.
    pub(super) fn drop_learnt(&mut self, dropped: impl Fn(ClauseRef) -> bool) -> Vec<(ClauseRef, ClauseRef)> {
        let mut moved = Vec::new();
        let mut words = Vec::with_capacity(self.words.len());
        let mut learnt = Vec::new();
        let mut at = 0;
        while at < self.words.len() {
            let size = HEADER + self.words[at].0 as usize;
            let old = ClauseRef(at as u32);
            let is_learnt = self.words[at + 1].0 > 0;
            if !is_learnt || !dropped(old) {
                let new = ClauseRef(words.len() as u32);
                words.extend_from_slice(&self.words[at..at + size]);
                moved.push((old, new));
                if is_learnt {
                    learnt.push(new);
                }
            }
            at += size;
        }
        self.words = words;
        self.learnt = learnt;
        moved
    }
}

/// The new offset of a clause.
pub(super) fn moved_to(moved: &[(ClauseRef, ClauseRef)], old: ClauseRef) -> Option<ClauseRef> {
    moved.binary_search_by_key(&old.0, |it| it.0.0).ok().map(|at| moved[at].1)
}
