//! What the calls of a chase cost. One that costs a large part of a turn, such as one that starts a server or reads a
//! catalogue, would take the work from hundreds of others if it were made on each state with each choice of references.

use rustc_hash::FxHashMap;

/// The part of a turn that a dear call costs at least.
const OF_TURN: u64 = 40;
/// The part of all work for calls that were put off: a quarter.
const OF_WORK: u64 = 4;

/// The work of one call.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    runs: u64,
    work: u64,
}

impl Cost {
    fn mean(self) -> u64 {
        self.work / self.runs.max(1)
    }
}

/// The work of calls, by their index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    /// Along all paths.
    of: FxHashMap<usize, Cost>,
    /// Along one path.
    of_single: FxHashMap<usize, Cost>,
    /// The most that a call which makes an object takes.
    of_makers: u64,
    all: u64,
    /// The work of calls that had been put off.
    put_off: u64,
}

impl Costs {
    /// Adds the work of a call.
    pub fn add(&mut self, call: usize, work: u64, is_maker: bool) {
        let of = self.of.entry(call).or_default();
        of.runs += 1;
        of.work += work;
        self.all += work;
        if is_maker {
            self.of_makers = self.of_makers.max(of.mean());
        }
    }

    /// Adds the work of a call along one path.
    pub fn add_single(&mut self, call: usize, work: u64) {
        let of = self.of_single.entry(call).or_default();
        of.runs += 1;
        of.work += work;
        self.all += work;
    }

    /// Whether a call is expected to take a large part of a turn even along one path.
    pub fn is_single_dear(&self, call: usize, turn: u64) -> bool {
        self.of_single.get(&call).is_some_and(|cost| cost.mean() > turn / OF_TURN)
    }

    /// Notes that the latest work was of a call that had been put off.
    pub fn add_put_off(&mut self, work: u64) {
        self.put_off += work;
    }

    /// Whether a call is expected to take a large part of a turn. Of a call that was never made, this is expected
    /// only if it makes an object: that initialises the same classes as other ways to make one.
    pub fn is_dear(&self, call: usize, turn: u64, is_maker: bool) -> bool {
        let of_unknown = if is_maker { self.of_makers } else { 0 };
        self.of.get(&call).map_or(of_unknown, |cost| cost.mean()) > turn / OF_TURN
    }

    /// Whether some work is left for calls that were put off.
    pub fn has_left_for_dear(&self) -> bool {
        self.put_off * OF_WORK <= self.all
    }

    /// The order of calls that were put off.
    pub fn rank(&self, call: usize) -> u64 {
        self.of.get(&call).map_or(self.of_makers, |cost| cost.mean() * (cost.runs + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_a_large_part_of_a_turn_is_dear() {
        let mut costs = Costs::default();
        costs.add(0, 300, false);
        costs.add(0, 100, false);
        costs.add(1, 20, false);
        assert!(costs.is_dear(0, 1_000, false) && !costs.is_dear(1, 1_000, false));
        assert!(!costs.is_dear(2, 1_000, false), "nothing is known about it");
        assert!(costs.rank(1) < costs.rank(0));
    }

    #[test]
    fn one_path_and_all_paths_have_costs_of_their_own() {
        let mut costs = Costs::default();
        costs.add(0, 300, false);
        costs.add_single(0, 10);
        assert!(costs.is_dear(0, 1_000, false) && !costs.is_single_dear(0, 1_000));
        costs.add_single(1, 300);
        assert!(costs.is_single_dear(1, 1_000) && !costs.is_dear(1, 1_000, false));
    }

    #[test]
    fn ways_to_make_objects_are_expected_to_cost_the_same() {
        let mut costs = Costs::default();
        costs.add(0, 500, true);
        assert!(costs.is_dear(1, 1_000, true) && !costs.is_dear(1, 1_000, false));
    }

    #[test]
    fn calls_that_were_put_off_get_a_quarter() {
        let mut costs = Costs::default();
        assert!(costs.has_left_for_dear());
        costs.add(0, 500, false);
        costs.add_put_off(500);
        assert!(!costs.has_left_for_dear());
        costs.add(1, 1_500, false);
        assert!(costs.has_left_for_dear());
    }
}
