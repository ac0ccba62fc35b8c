//! A search restricted to some methods: sequences that lead to them come first, and each new path counts. It
//! can pause to let its results be examined, and resume.

use super::Search;
use super::aim::Aim;
use crate::outcome::Progress;
use cupping_explore::Signature;
use cupping_machine::MethodId;

impl Search<'_> {
    /// Restricts the search to these methods. Methods that do not count for coverage are ignored; if none is
    /// left, the search stays unrestricted.
    pub(crate) fn aim_for(&mut self, methods: impl Iterator<Item = MethodId>) {
        let place_of = |method: &MethodId| {
            let loaded = self.machine.method(*method);
            let (class, covered) = self.map.class(&self.machine.class(loaded.class).name)?;
            let counted = covered.methods.iter().find(|it| it.index == loaded.index)?;
            Some((class, counted.index))
        };
        let placed: Vec<_> = methods.filter_map(|it| Some((it, place_of(&it)?))).collect();
        if placed.is_empty() {
            return;
        }
        self.aim = Some(Aim::at(placed));
        self.count_covered();
    }

    /// Lets the search pause once it has done this much work, in microseconds of a reference machine.
    pub(crate) fn allow(&mut self, work: u64) {
        self.allowance = Some(work);
    }

    /// Goes on with a search that has paused, until it has done this much work.
    pub(crate) fn resume(&mut self, work: u64, progress: &mut dyn FnMut(Progress) -> bool) {
        self.allowance = Some(work);
        self.last_find = self.work;
        self.machine.restore(&self.base);
        self.run_jobs(progress);
    }

    /// Whether a run takes a new path through the methods that the search aims at.
    pub(super) fn is_new_way(&mut self, invoked: MethodId, control: Signature, hits: &[u64]) -> bool {
        self.aim.as_mut().is_some_and(|aim| aim.is_new_way(self.map, invoked, control, hits))
    }
}
