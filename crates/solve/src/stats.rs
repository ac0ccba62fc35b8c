//! Counters of the chain, and the table that `--stats` prints.

use std::fmt;
use std::time::Duration;

use crate::chain::LayerStats;

/// Statistics of the chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All queries.
    pub total: LayerStats,
    /// Undecided queries.
    pub unknown: u64,
    /// Each layer, in the order of the chain.
    pub layers: Vec<(&'static str, LayerStats)>,
}

impl Stats {
    /// Adds the counters of another chain of the same layers.
    pub fn add(&mut self, other: &Stats) {
        merge(&mut self.total, &other.total);
        self.unknown += other.unknown;
        if self.layers.is_empty() {
            self.layers.clone_from(&other.layers);
            return;
        }
        for ((_, mine), (_, theirs)) in self.layers.iter_mut().zip(&other.layers) {
            merge(mine, theirs);
        }
    }
}

fn merge(mine: &mut LayerStats, theirs: &LayerStats) {
    mine.asked += theirs.asked;
    mine.sat += theirs.sat;
    mine.unsat += theirs.unsat;
    mine.inclusive += theirs.inclusive;
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12} {:>9} {:>9} {:>9} {:>9} {:>11}",
            "layer", "asked", "sat", "unsat", "passed", "time ms"
        )?;
        let mut row = |name: &str, stats: &LayerStats, passed: u64, time: Duration| {
            let ms = time.as_secs_f64() * 1e3;
            writeln!(
                f,
                "{name:<12} {:>9} {:>9} {:>9} {passed:>9} {ms:>11.1}",
                stats.asked, stats.sat, stats.unsat
            )
        };
        for (position, (name, stats)) in self.layers.iter().enumerate() {
            let behind = self.layers.get(position + 1).map_or(Duration::ZERO, |(_, next)| next.inclusive);
            let passed = stats.asked - stats.sat - stats.unsat;
            row(name, stats, passed, stats.inclusive.saturating_sub(behind))?;
        }
        row("all", &self.total, self.unknown, self.total.inclusive)
    }
}
