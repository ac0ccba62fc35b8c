//! Marks: points of a memory's history to return to before any snapshot, at the cost of what was written since.

use super::Memory;
use super::address::Addr;
use super::version::Page;
use crate::memory::free::FreeSpace;

/// A moment of a [`Memory`] to go back to.
pub(crate) struct Mark {
    epoch: u32,
    log: Vec<(u32, Box<Page>)>,
    old_epochs: Option<Vec<u32>>,
    top: Addr,
    free: FreeSpace,
    allocated: u64,
}

impl Memory {
    /// Sets a mark. It must be restored before any other mark, snapshot or restore. Unlike a version, it leaves
    /// nothing behind.
    pub(crate) fn mark(&mut self) -> Mark {
        if self.last_epoch == u32::MAX {
            // The pages saved in this epoch remain saved under its new number.
            let present = self.epoch;
            self.page_epoch.iter_mut().for_each(|epoch| *epoch = (*epoch == present) as u32);
            (self.epoch, self.last_epoch) = (1, 1);
        }
        let mark = Mark {
            epoch: self.epoch,
            log: std::mem::take(&mut self.log),
            old_epochs: self.old_epochs.replace(Vec::new()),
            top: self.top,
            free: self.free.clone(),
            allocated: self.allocated,
        };
        self.last_epoch += 1;
        self.epoch = self.last_epoch;
        mark
    }

    /// Undoes all that was written since the mark.
    pub(crate) fn go_back(&mut self, mark: Mark) {
        let epochs = self.old_epochs.take().unwrap_or_default();
        for ((page, old), epoch) in std::mem::take(&mut self.log).into_iter().zip(epochs).rev() {
            self.page_mut(page).copy_from_slice(&*old);
            self.page_epoch[page as usize] = epoch;
            self.spare.push(old);
        }
        self.spare.truncate(64);
        let Mark { epoch, log, old_epochs, top, free, allocated } = mark;
        self.epoch = epoch;
        self.log = log;
        self.old_epochs = old_epochs;
        self.top = top;
        self.free = free;
        self.allocated = allocated;
    }
}
