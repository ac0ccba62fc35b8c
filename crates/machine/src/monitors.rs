//! Monitors: kept in the header of their object (see [`crate::layout`]), so that a fork carries them.

use crate::class::ClassId;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::threads::Why;

const COUNT_SHIFT: u32 = 16;
const OWNER_SHIFT: u32 = 24;
const MONITOR: u64 = 0xFFFF << COUNT_SHIFT;

impl Machine {
    /// How often a thread (by its number) holds the monitor of an object: owner and count.
    fn monitor(&self, object: Addr) -> (u8, u8) {
        let header = self.memory.read(object);
        ((header >> OWNER_SHIFT) as u8, (header >> COUNT_SHIFT) as u8)
    }

    fn set_monitor(&mut self, object: Addr, owner: u8, count: u8) {
        let header = self.memory.read(object) & !MONITOR;
        let owner = if count == 0 { 0 } else { owner };
        self.memory.write(object, header | (owner as u64) << OWNER_SHIFT | (count as u64) << COUNT_SHIFT);
    }

    /// Whether the running thread holds the monitor of an object.
    pub(crate) fn holds_monitor(&self, object: Addr) -> bool {
        let (owner, count) = self.monitor(object);
        count > 0 && owner == self.registers.thread_number
    }

    /// Whether a thread could enter the monitor of an object.
    pub(crate) fn may_enter(&self, object: Addr, thread_number: u8) -> bool {
        let (owner, count) = self.monitor(object);
        count == 0 || owner == thread_number
    }

    /// Enters a monitor for the running thread, if no other one holds it; whether it did.
    ///
    /// # Errors
    /// `IllegalMonitorStateException` beyond 255 nested entries.
    pub(crate) fn try_enter(&mut self, object: Addr) -> Step<bool> {
        let number = self.registers.thread_number;
        if !self.may_enter(object, number) {
            return Ok(false);
        }
        let (_, count) = self.monitor(object);
        // Deeper nesting than the header can count is not undone exactly: the monitor is kept.
        self.set_monitor(object, number, count.saturating_add(1));
        Ok(true)
    }

    /// Leaves a monitor once.
    ///
    /// # Errors
    /// `IllegalMonitorStateException` when the running thread does not hold it.
    pub(crate) fn leave_monitor(&mut self, object: Addr) -> Step<()> {
        if !self.holds_monitor(object) {
            return Err(not_owner());
        }
        let (owner, count) = self.monitor(object);
        self.set_monitor(object, owner, count - 1);
        Ok(())
    }

    /// Leaves a monitor however often it was entered; how often that was.
    pub(crate) fn release_monitor(&mut self, object: Addr) -> Step<u8> {
        if !self.holds_monitor(object) {
            return Err(not_owner());
        }
        let (_, count) = self.monitor(object);
        self.set_monitor(object, 0, 0);
        Ok(count)
    }

    /// Enters a monitor as often as it was left by [`Machine::release_monitor`].
    pub(crate) fn take_monitor(&mut self, object: Addr, count: u8) {
        self.set_monitor(object, self.registers.thread_number, count);
    }

    /// `monitorenter`: completes, or blocks the running thread, which then runs it again.
    pub(crate) fn monitor_enter(&mut self, object: Addr) -> Step<()> {
        if self.try_enter(object)? {
            let frame = self.current_mut();
            frame.sp -= 1;
            frame.pc += 1;
            return Ok(());
        }
        self.block(Why::Entering(object))
    }

    /// The object whose monitor a synchronized method enters.
    pub(crate) fn monitor_of(&mut self, class: ClassId, is_static: bool, receiver: Addr) -> Step<Addr> {
        if is_static { self.mirror(class) } else { Ok(receiver) }
    }
}

pub(crate) fn not_owner() -> Trap {
    Trap::Raise("java/lang/IllegalMonitorStateException", Some("current thread is not owner".into()))
}
