//! Limits of an exploration, and what counts against them.

/// Number of operations on terms that take as long as one unit of fuel.
pub(super) const OPERATIONS_OF_FUEL: u64 = 8;

/// Limits of an exploration; none of them is a time.
#[derive(Clone, Debug)]
pub struct ExplorationLimits {
    /// Decisions per path.
    pub decisions: usize,
    /// Backward jumps and invocations per path.
    pub fuel: u64,
    /// Number of times that a side already taken is put on the frontier of this exploration again.
    pub offers: u32,
    /// The same limit over all explorations that share their counts. Loops of libraries are shared by all.
    pub shared_offers: u32,
    /// Number of times that the solver may give up on a side before it is no longer asked.
    pub give_ups: u32,
    /// Size of the frontier beyond which only sides never taken are added.
    pub waiting: usize,
    /// The same limit for the words that all snapshots of the machine keep.
    pub retained_words: u64,
    /// Whether paths often decide the same again, as two versions of a program do: then the other sides, which
    /// exclude what the path demands, are not tried.
    pub repeats_decisions: bool,
}

impl Default for ExplorationLimits {
    fn default() -> ExplorationLimits {
        ExplorationLimits {
            decisions: 1500,
            fuel: 2_000_000,
            offers: 48,
            shared_offers: 48,
            give_ups: 3,
            waiting: 4000,
            retained_words: 16_000_000,
            repeats_decisions: false,
        }
    }
}
