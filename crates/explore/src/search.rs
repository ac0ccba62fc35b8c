//! Search order: which unexplored side is tried next.

use cupping_machine::Site;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How often each side of each site was taken and put on the frontier.
#[derive(Clone, Debug, Default)]
pub struct SideCounts {
    taken: FxHashMap<(Site, u32), u32>,
    offered: FxHashMap<(Site, u32), u32>,
    timed_out: FxHashMap<(Site, u32), u32>,
    put_off: FxHashMap<(Site, u32), u32>,
    failed: FxHashMap<(Site, u32), u32>,
    /// The requirements met, one bit each, by probe number.
    met: Vec<u64>,
    /// Attempts at requirements, by probe number.
    required: FxHashMap<u32, RequiredCounts>,
}

/// Attempts at one requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequiredCounts {
    /// Times put on the frontier.
    pub offered: u32,
    /// Times found infeasible.
    pub refuted: u32,
    /// Times that the solver gave up.
    pub timed_out: u32,
}

impl SideCounts {
    /// How often the side has been taken.
    pub fn taken(&self, site: Site, side: u32) -> u32 {
        self.taken.get(&(site, side)).copied().unwrap_or(0)
    }

    /// How often the side has been put on the frontier.
    pub fn offered(&self, site: Site, side: u32) -> u32 {
        self.offered.get(&(site, side)).copied().unwrap_or(0)
    }

    /// How often the solver gave up on the side.
    pub fn timed_out(&self, site: Site, side: u32) -> u32 {
        self.timed_out.get(&(site, side)).copied().unwrap_or(0)
    }

    /// How often the side was put off, as it is hard for the solver.
    pub fn put_off(&self, site: Site, side: u32) -> u32 {
        self.put_off.get(&(site, side)).copied().unwrap_or(0)
    }

    /// How often the side failed: it was infeasible, or the solver gave up.
    pub fn failed(&self, site: Site, side: u32) -> u32 {
        self.failed.get(&(site, side)).copied().unwrap_or(0)
    }

    /// Marks the requirements that these hits meet, so that they are no longer put on the frontier.
    pub fn meet(&mut self, hits: &[u64]) {
        cupping_coverage::merge(&mut self.met, hits);
    }

    /// Whether the requirement with this probe has been met.
    pub(crate) fn is_met(&self, probe: u32) -> bool {
        cupping_coverage::is_hit(&self.met, probe)
    }

    /// Attempts at the requirement with this probe.
    pub fn required(&self, probe: u32) -> RequiredCounts {
        self.required.get(&probe).copied().unwrap_or_default()
    }

    pub(crate) fn required_mut(&mut self, probe: u32) -> &mut RequiredCounts {
        self.required.entry(probe).or_default()
    }

    /// The sides that failed and were never taken, in no particular order.
    pub fn untaken(&self) -> impl Iterator<Item = (Site, u32)> + '_ {
        self.failed.keys().copied().filter(|(site, side)| self.taken(*site, *side) == 0)
    }

    pub(crate) fn fail(&mut self, site: Site, side: u32) {
        *self.failed.entry((site, side)).or_default() += 1;
    }

    pub(crate) fn time_out(&mut self, site: Site, side: u32) {
        *self.timed_out.entry((site, side)).or_default() += 1;
    }

    pub(crate) fn delay(&mut self, site: Site, side: u32) {
        *self.put_off.entry((site, side)).or_default() += 1;
    }

    pub(crate) fn take(&mut self, site: Site, side: u32) {
        *self.taken.entry((site, side)).or_default() += 1;
    }

    pub(crate) fn offer(&mut self, site: Site, side: u32) {
        *self.offered.entry((site, side)).or_default() += 1;
    }
}

/// The properties of a side that a search order may use.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its site.
    pub site: Site,
    /// The side.
    pub side: u32,
    /// Number of decisions before it.
    pub depth: u32,
    /// Whether the site is in the code under test.
    pub under_test: bool,
}

/// A search order: the candidate with the lowest rank is tried first, the older one in case of a tie.
pub trait Searcher {
    /// The current rank of a candidate.
    fn rank(&self, candidate: &Candidate, counts: &SideCounts) -> Rank;
}

/// A rank; lower comes first.
pub type Rank = (u32, u32, u32);

/// Prefers sides never taken, in code under test before library code; then sides rarely taken and with few
/// failures; then short paths. This alone bounds loops: another iteration takes a side already taken, so it
/// waits until nothing new is left.
#[derive(Clone, Copy, Debug, Default)]
pub struct UncoveredFirst;

impl Searcher for UncoveredFirst {
    fn rank(&self, candidate: &Candidate, counts: &SideCounts) -> Rank {
        let taken = counts.taken(candidate.site, candidate.side);
        let failed = counts.failed(candidate.site, candidate.side);
        let promising = taken == 0 && failed < PATIENCE;
        let class = match (promising, candidate.under_test) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        (class, taken + failed, candidate.depth)
    }
}

/// Number of failures after which a side never taken is no longer preferred.
const PATIENCE: u32 = 8;

/// Runs paths in the order in which their sides were found.
#[derive(Clone, Copy, Debug, Default)]
pub struct BreadthFirst;

impl Searcher for BreadthFirst {
    fn rank(&self, _candidate: &Candidate, _counts: &SideCounts) -> Rank {
        (0, 0, 0)
    }
}

/// The frontier: sides not yet tried. Ranks change as sides are taken, so a candidate is ranked again when it
/// is due.
pub(crate) struct Frontier<T> {
    heap: BinaryHeap<Reverse<(Rank, u64)>>,
    waiting: FxHashMap<u64, (Candidate, T)>,
    next: u64,
}

impl<T> Default for Frontier<T> {
    fn default() -> Frontier<T> {
        Frontier { heap: BinaryHeap::new(), waiting: FxHashMap::default(), next: 0 }
    }
}

impl<T> Frontier<T> {
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn push(
        &mut self,
        candidate: Candidate,
        item: T,
        searcher: &dyn Searcher,
        counts: &SideCounts,
    ) {
        let number = self.next;
        self.next += 1;
        self.heap.push(Reverse((searcher.rank(&candidate, counts), number)));
        self.waiting.insert(number, (candidate, item));
    }

    pub(crate) fn pop(&mut self, searcher: &dyn Searcher, counts: &SideCounts) -> Option<(Candidate, T)> {
        loop {
            let Reverse((rank, number)) = self.heap.pop()?;
            let Some((candidate, _)) = self.waiting.get(&number) else { continue };
            let now = searcher.rank(candidate, counts);
            if now > rank {
                self.heap.push(Reverse((now, number)));
                continue;
            }
            return self.waiting.remove(&number);
        }
    }

    /// The last computed rank of the next candidate.
    pub(crate) fn best(&self) -> Option<Rank> {
        self.heap.peek().map(|Reverse((rank, _))| *rank)
    }
}
