//! Memory: if the states of waiting sides take too much of it, the least promising explorations are dropped and
//! start again later.

use super::Search;
use cupping_explore::SharedPathMemory;
use std::cmp::Reverse;

/// Words that the states of a search may keep, about 100 MB.
const MAX_KEPT_WORDS: u64 = 12_000_000;

impl Search<'_> {
    /// Drops waiting sides, those of the costliest jobs first, until half of the memory is free again. When
    /// their turn comes, these explorations start again without their record of paths, so that the dropped
    /// sides are offered again. Continuations of a sentence cannot start again and are given up.
    pub(super) fn save_memory(&mut self) {
        if self.options.exhaustive || self.machine.retained_words() <= MAX_KEPT_WORDS {
            return;
        }
        let mut waiting: Vec<(u32, u64)> = self.queue.iter().map(|Reverse(it)| *it).collect();
        waiting.sort_unstable_by_key(|it| Reverse(*it));
        for (_, number) in waiting {
            let Some(job) = self.jobs.get_mut(&number) else { continue };
            if job.exploration.take().is_none() {
                continue;
            }
            if job.is_found {
                self.cut.insert(job.invokable.method);
                self.jobs.remove(&number);
            } else {
                job.memory = SharedPathMemory::default();
            }
            if self.machine.retained_words() <= MAX_KEPT_WORDS / 2 {
                break;
            }
        }
    }
}
