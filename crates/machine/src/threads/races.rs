//! Turns that end where threads meet: [`Schedule::Races`].
//!
//! A race needs a turn to end between two accesses, which is rare for turns of thousands of calls. Under this
//! schedule code is decoded with [`Op::Turn`](crate::code::Op::Turn) before each access to a field or an
//! element, and the turn may end there if several threads have reached the object. Calls on such an object by
//! the program, and its monitor, count as accesses that write. Turns rarely end at reads of objects that nobody
//! has written since they were shared, or within the class library: there are so many that the program's own
//! accesses would not stand out.
//!
//! The thread that lost its turn comes last: the others continue until they meet, wait or end. That delays a
//! thread for as long as a race takes.
//!
//! An object belongs to its maker until another thread reaches it. Objects created before there were other
//! threads belong to the first thread.
//!
//! [`Schedule::Races`]: crate::Schedule::Races

use crate::machine::{Machine, Schedule};
use crate::memory::Addr;
use crate::threads::{Reach, turns};

/// The seed chooses one of these rates: a turn ends at one in this many accesses that may race.
const RATES: [u64; 4] = [3, 2, 6, 24];
/// How much rarer turns end at reads of unwritten objects.
const OF_READS: u64 = 16;
/// How much rarer turns end within the class library.
const OF_LIBRARY: u64 = 16;
/// A thread that starts another one loses its turn once in this many cases.
const OF_STARTS: u64 = 4;
/// The thread that there is from the beginning.
const FIRST_THREAD: u32 = 1;

/// An access that may end a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// The object, or the state word of a class for its statics.
    pub(crate) object: Addr,
    /// Whether it may be changed.
    pub(crate) writes: bool,
    /// Whether code of the class library makes the access.
    pub(crate) in_library: bool,
}

impl Machine {
    /// Records an object that the running thread has created.
    #[inline(never)]
    pub(crate) fn note_made(&mut self, object: Addr) {
        if !self.registers.cold.stopped.is_empty() {
            let made = Reach { only: Some(self.registers.thread_number), is_written: false };
            self.registers.cold.reached.insert(object, made);
        }
    }

    /// Records an access; returns whether the turn of the running thread ends before it.
    #[inline(never)]
    pub(crate) fn meets_others(&mut self, meeting: Meeting) -> bool {
        if meeting.object == 0 || self.registers.cold.stopped.is_empty() {
            return false;
        }
        let known = self.registers.cold.reached.get(&meeting.object).copied();
        let mut reach = known.unwrap_or(Reach { only: Some(FIRST_THREAD), is_written: false });
        if reach.only == Some(self.registers.thread_number) {
            return false;
        }
        reach.only = None;
        reach.is_written |= meeting.writes;
        if known != Some(reach) {
            self.registers.cold.reached.insert(meeting.object, reach);
        }
        let seed = self.limits.schedule_seed.unwrap_or(0);
        let rate = RATES[(seed % RATES.len() as u64) as usize]
            * if reach.is_written { 1 } else { OF_READS }
            * if meeting.in_library { OF_LIBRARY } else { 1 };
        turns::draw(self, rate) == 0
    }

    /// Whether the turn ends before this monitor is entered; the instruction then runs again.
    pub(crate) fn is_due_before_monitor(&mut self, object: Addr) -> bool {
        self.limits.schedule == Schedule::Races && {
            let in_library = self.class(self.current_class()).from_jdk;
            self.meets_others(Meeting { object, writes: true, in_library })
        }
    }
}

/// Whether a newly started thread runs at once.
pub(super) fn runs_started_thread_first(machine: &mut Machine) -> bool {
    machine.limits.schedule == Schedule::Races && turns::draw(machine, OF_STARTS) == 0
}
