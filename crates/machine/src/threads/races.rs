//! Turns that end where threads meet: [`Schedule::Races`].
//!
//! A race needs a turn to end between two accesses, which turns of thousands of calls rarely do. Under this schedule
//! code is decoded with [`Op::Turn`](crate::code::Op::Turn) before each access to a field or an element, and the turn
//! may end there, if the object has been reached by several threads. Reads end turns only of what one of them wrote
//! since, but for a few. The monitors that threads enter count as written.
//!
//! An object made while other threads exist is its maker's until another thread comes; all others are everybody's.
//!
//! [`Schedule::Races`]: crate::Schedule::Races

use crate::machine::Machine;
use crate::memory::Addr;
use crate::threads::schedule;

/// How often a turn ends at an access that may race: once in so many, by the seed.
const RATES: [u64; 4] = [4, 16, 2, 64];
/// How much rarer turns end at reads of what nobody has written.
const OF_READS: u64 = 16;

/// What is known of an object while there are several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The only thread that has reached it, by number.
    only: Option<u32>,
    /// Whether it has been written since several threads reached it.
    is_written: bool,
}

/// An object that several threads have reached.
const SHARED: Reach = Reach { only: None, is_written: false };

impl Machine {
    /// Takes note of an object that the running thread has made.
    #[inline(never)]
    pub(crate) fn note_made(&mut self, object: Addr) {
        if !self.registers.cold.stopped.is_empty() {
            let made = Reach { only: Some(self.registers.thread_number), is_written: false };
            self.registers.cold.reached.insert(object, made);
        }
    }

    /// Takes note of an access to an object, or to the statics of a class by its state word; whether the turn of the
    /// running thread ends before it.
    #[inline(never)]
    pub(crate) fn meets_others(&mut self, object: Addr, writes: bool) -> bool {
        if object == 0 || self.registers.cold.stopped.is_empty() {
            return false;
        }
        let known = self.registers.cold.reached.get(&object).copied();
        let mut reach = known.unwrap_or(SHARED);
        match reach.only {
            Some(thread) if thread == self.registers.thread_number => return false,
            _ => reach.only = None,
        }
        reach.is_written |= writes;
        if known != Some(reach) {
            self.registers.cold.reached.insert(object, reach);
        }
        let seed = self.limits.schedule_seed.unwrap_or(0);
        let rate = RATES[(seed % RATES.len() as u64) as usize];
        schedule::draw(self, if reach.is_written { rate } else { rate * OF_READS }) == 0
    }
}
