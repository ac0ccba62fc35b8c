//! Generates candidate sequences backwards from the method under test (thesis Listing 4.2).

use super::flow;
use super::universe::Universe;

/// Why a sequence is pruned, along with all sequences that end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Data cannot flow from one of its elements to its end (§4.3.3).
    NoDataFlow,
    /// Another order of the same elements is equivalent and is tried instead (§4.3.4).
    PartialOrder,
}

/// A result of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorResult {
    /// A candidate.
    Candidate {
        /// Whether it is executable as it is: every receiver exists and data can flow. Otherwise it needs
        /// elements before it.
        is_executable: bool,
    },
    /// A sequence whose elements may influence each other, but which is pruned.
    Pruned(Reason),
}

/// The candidate sequences of one method by increasing length. Only one is in memory: each is derived from
/// its predecessor.
pub struct Candidates<'a> {
    universe: &'a Universe,
    max_length: usize,
    /// The current sequence backwards, starting with the method under test.
    backwards: Vec<usize>,
    /// The next element to try at each position after the first.
    next: Vec<usize>,
    /// The current length.
    length: usize,
    /// Whether there is a sequence of this length; if not, there is no longer one.
    found: bool,
}

impl<'a> Candidates<'a> {
    /// The candidates that end with the element `last`, up to a length.
    pub fn new(universe: &'a Universe, last: usize, max_length: usize) -> Candidates<'a> {
        Candidates { universe, max_length, backwards: vec![last], next: vec![0], length: 0, found: true }
    }

    /// The current sequence; the method under test is last.
    pub fn sequence(&self) -> impl Iterator<Item = usize> + '_ {
        self.backwards.iter().rev().copied()
    }

    /// Advances to the next sequence that is a candidate, or would be one without reductions.
    pub fn advance(&mut self) -> Option<GeneratorResult> {
        if self.length == 0 {
            self.length = 1;
            return (self.max_length > 0).then(|| self.candidate());
        }
        loop {
            if self.backwards.len() >= self.length {
                self.step_back();
            }
            while self.next.is_empty() {
                if !self.found || self.length >= self.max_length {
                    return None;
                }
                self.length += 1;
                self.found = false;
                self.backwards.truncate(1);
                self.next.push(0);
            }
            if let Some(met) = self.insert() {
                return Some(met);
            }
        }
    }

    /// Removes the first element again, unless it is the only one.
    fn step_back(&mut self) {
        self.next.truncate(self.backwards.len() - 1);
        if self.backwards.len() > 1 {
            self.backwards.pop();
        }
    }

    /// Inserts the next element at the front. Returns a result if the sequence now has the current length.
    fn insert(&mut self) -> Option<GeneratorResult> {
        let at = self.next.last_mut()?;
        let element = *at;
        if element >= self.universe.elements.len() {
            self.step_back();
            return None;
        }
        *at += 1;
        let verdict = judge(self.universe, &mut self.backwards, element)?;
        let is_long = self.backwards.len() + 1 == self.length;
        match verdict {
            Err(reason) if is_long => {
                self.backwards.push(element);
                self.next.push(0);
                Some(GeneratorResult::Pruned(reason))
            }
            Err(_) => None,
            Ok(()) => {
                self.backwards.push(element);
                self.next.push(0);
                is_long.then(|| {
                    self.found = true;
                    self.candidate()
                })
            }
        }
    }

    fn candidate(&self) -> GeneratorResult {
        GeneratorResult::Candidate { is_executable: flow::is_executable(self.universe, &self.backwards) }
    }
}

/// Whether an element may be inserted at the front of a sequence, given backwards, or why not. `None` if it
/// influences nothing there.
pub fn judge(universe: &Universe, backwards: &mut Vec<usize>, element: usize) -> Option<Result<(), Reason>> {
    let is_candidate = universe.elements[element].may_precede;
    if !is_candidate || !backwards.iter().any(|later| universe.influences(element, *later)) {
        return None;
    }
    let first = *backwards.last()?;
    if !universe.influences(element, first) && element > first {
        return Some(Err(Reason::PartialOrder));
    }
    backwards.push(element);
    let is_possible = flow::is_possible(universe, backwards, true);
    backwards.pop();
    Some(if is_possible { Ok(()) } else { Err(Reason::NoDataFlow) })
}
