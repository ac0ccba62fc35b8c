//! Divides the budget of a class among the layers of the analysis.
//!
//! Which layer decides pairs differs from class to class: deduction for counters and protocols, the chase for
//! linked structures, combination where there are many methods. So work is given out in turns. Two of three turns go to
//! the layer that decided most pairs with its latest work. Pairs come in bursts, so the turns between go to the layer
//! that had the least work.

/// A layer of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Deduction trees.
    Trees,
    /// The forward search over states.
    Chase,
    /// Combination of two halves.
    Combination,
    /// The search of `cupping generate`, which has one turn.
    Search,
}

/// The layers in the order of their first turns.
const LAYERS: [Layer; 4] = [Layer::Trees, Layer::Chase, Layer::Combination, Layer::Search];

/// The first turn of the chase, in percent: until it has made an object and called methods, it decides nothing, and
/// the other layers make their objects anew for each sequence.
const FIRST_CHASE: u64 = 25;

/// What a pair counts in a yield, so that halves of it count too.
const OF_PAIR: u64 = 1 << 10;

impl Layer {
    /// The part of the budget for one turn, in percent.
    pub fn percent(self) -> u64 {
        match self {
            Layer::Search => 20,
            _ => 4,
        }
    }
}

/// What a layer decided, and with how much work. Each turn halves what was before it.
#[derive(Clone, Copy, Debug, Default)]
struct Yield {
    turns: u64,
    /// Work of all turns.
    total: u64,
    decided: u64,
    work: u64,
    is_ended: bool,
}

/// Gives turns to layers.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    budget: u64,
    yields: [Yield; LAYERS.len()],
}

impl Schedule {
    /// The schedule for a budget, in microseconds.
    pub fn new(budget: u64) -> Schedule {
        Schedule { budget, yields: Default::default() }
    }

    /// The layer that has the next turn, and its work; `None` if all have ended.
    pub fn next(&self) -> Option<(Layer, u64)> {
        let waiting = LAYERS.iter().zip(&self.yields).filter(|(_, it)| !it.is_ended);
        let turns: u64 = self.yields.iter().map(|it| it.turns).sum();
        let is_fair = turns.is_multiple_of(3);
        // The first of equal ones.
        let (layer, _) = waiting.rev().max_by_key(|(layer, it)| {
            let is_first = it.turns == 0 && **layer != Layer::Search;
            let hoped = u128::from(it.decided + OF_PAIR) << 20;
            let of_yield = hoped / u128::from(it.work + self.turn(**layer)).max(1);
            let of_fairness = u128::from(u64::MAX - it.total.max(self.turn(**layer)));
            match (is_first, is_fair) {
                (true, _) => (true, 0),
                (false, true) => (false, of_fairness),
                (false, false) => (false, of_yield),
            }
        })?;
        Some(self.turn_of(*layer))
    }

    /// Whether a layer decides pairs at a quarter of the best rate, or has had less than three turns.
    pub fn is_worthwhile(&self, layer: Layer) -> bool {
        let rate = |it: &Yield| (u128::from(it.decided) << 20) / u128::from(it.work.max(1));
        let best = self.yields.iter().map(rate).max().unwrap_or(0);
        let of = LAYERS.iter().zip(&self.yields).find(|(it, _)| **it == layer);
        of.is_none_or(|(_, it)| it.turns < 3 || rate(it) * 4 >= best)
    }

    /// A turn of a layer.
    pub fn turn_of(&self, layer: Layer) -> (Layer, u64) {
        (layer, self.turn(layer))
    }

    /// The work of one turn of a layer.
    fn turn(&self, layer: Layer) -> u64 {
        let is_first = LAYERS.iter().zip(&self.yields).any(|(it, of)| *it == layer && of.turns == 0);
        let percent = if is_first && layer == Layer::Chase { FIRST_CHASE } else { layer.percent() };
        self.budget / 100 * percent
    }

    /// Records a turn: how many pairs it decided, with which work, and whether the layer has nothing left to do.
    pub fn record(&mut self, layer: Layer, decided: usize, work: u64, is_ended: bool) {
        let Some(at) = LAYERS.iter().position(|it| *it == layer) else { return };
        let it = &mut self.yields[at];
        it.turns += 1;
        it.total += work;
        it.decided = it.decided / 2 + decided as u64 * OF_PAIR;
        it.work = it.work / 2 + work;
        it.is_ended = is_ended;
    }

    /// Gives a layer turns again, because there is something new for it.
    pub fn resume(&mut self, layer: Layer) {
        if let Some(at) = LAYERS.iter().position(|it| *it == layer) {
            self.yields[at].is_ended = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layers of the first turns, if each decides `decided(layer)` pairs with all of its work.
    fn turns(count: usize, decided: impl Fn(Layer) -> usize) -> Vec<Layer> {
        let mut schedule = Schedule::new(1_000_000);
        let mut turns = Vec::new();
        for _ in 0..count {
            let Some((layer, work)) = schedule.next() else { break };
            schedule.record(layer, decided(layer), work, layer == Layer::Search);
            turns.push(layer);
        }
        turns
    }

    #[test]
    fn each_layer_has_a_turn_before_any_has_its_second() {
        let first = turns(3, |_| 0);
        assert_eq!(first, [Layer::Trees, Layer::Chase, Layer::Combination]);
    }

    #[test]
    fn layers_without_success_share_about_equally() {
        let all = turns(40, |_| 0);
        for layer in [Layer::Trees, Layer::Chase, Layer::Combination] {
            let count = all.iter().filter(|it| **it == layer).count();
            assert!((8..=18).contains(&count), "{layer:?} {count}");
        }
        assert_eq!(all.iter().filter(|it| **it == Layer::Search).count(), 1);
    }

    #[test]
    fn the_layer_that_decides_pairs_has_most_turns() {
        let all = turns(23, |layer| if layer == Layer::Chase { 9 } else { 0 });
        let share = all.iter().filter(|layer| **layer == Layer::Chase).count();
        assert!((11..=16).contains(&share), "{all:?}");
    }

    #[test]
    fn what_has_ended_gets_turns_only_if_something_is_new() {
        let mut schedule = Schedule::new(100);
        for layer in LAYERS {
            schedule.record(layer, 5, 1, true);
        }
        assert!(schedule.next().is_none());
        schedule.resume(Layer::Combination);
        assert_eq!(schedule.next(), Some((Layer::Combination, 4)));
    }
}
