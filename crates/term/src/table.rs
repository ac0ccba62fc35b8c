//! Constant tables: arrays that the program under test reads at symbolic indices.
//!
//! Tables of generated lexers have an entry for each of 65,536 characters and few different neighbours, so a table
//! consists of *runs* of equal entries.

use crate::sort::Sort;

/// Neighbouring entries of a table that are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// Index of the first; the run ends where the next one begins.
    pub first: u32,
    /// The entries' value, within the mask of the table's sort.
    pub value: u64,
}

/// A constant table. All entries beyond its length are 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    sort: Sort,
    length: u32,
    /// The first begins at 0, the last has no end.
    runs: Box<[Run]>,
}

impl Table {
    /// A table of these entries; excess bits are dropped.
    ///
    /// # Panics
    /// If there are 2^32 entries or more.
    pub fn new(sort: Sort, entries: impl IntoIterator<Item = u64>) -> Table {
        let mut runs: Vec<Run> = Vec::new();
        let mut length = 0_u32;
        let mut add = |first: u32, value: u64| {
            if runs.last().is_none_or(|run| run.value != value) {
                runs.push(Run { first, value });
            }
        };
        for entry in entries {
            add(length, entry & sort.mask());
            length = length.checked_add(1).expect("fewer than 2^32 entries");
        }
        add(length, 0);
        Table { sort, length, runs: runs.into() }
    }

    /// The sort of the entries.
    #[must_use]
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// The runs in the order of indices. They cover all indices, those beyond the length too.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The entries up to the length.
    pub fn entries(&self) -> impl Iterator<Item = u64> {
        (0..self.length).map(|at| self.entry(u64::from(at)))
    }

    /// The entry at an index: 0 beyond the length.
    #[must_use]
    pub fn entry(&self, at: u64) -> u64 {
        self.runs[self.run_of(at)].value
    }

    /// Position of the run that an index is in.
    pub(crate) fn run_of(&self, at: u64) -> usize {
        let last = self.runs.len() - 1;
        if self.runs[last].first as usize == last {
            // No two neighbours are equal.
            return usize::try_from(at).map_or(last, |at| at.min(last));
        }
        self.runs.partition_point(|run| u64::from(run.first) <= at) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_say_what_the_entries_are(
            parts in prop::collection::vec((0..6_u64, 1..5_usize), 0..8),
            at in 0..40_usize,
        ) {
            let entries: Vec<u64> = parts.iter().flat_map(|(value, n)| vec![*value | 0x100; *n]).collect();
            let table = Table::new(Sort::Bv8, entries.iter().copied());
            let expected: Vec<u64> = entries.iter().map(|e| e & 0xff).collect();
            prop_assert_eq!(table.entries().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(table.entry(at as u64), expected.get(at).copied().unwrap_or(0));
            prop_assert_eq!(table.entry(u64::MAX), 0);
            let neighbours = table.runs().windows(2);
            prop_assert!(neighbours.clone().all(|it| it[0].first < it[1].first && it[0].value != it[1].value));
        }
    }
}
