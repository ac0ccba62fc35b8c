//! Monitors: kept in the header of their object (see [`crate::heap::layout`]), so that a fork carries them.
//! Those of threads with large numbers, and those with large entry counts, are in a table of the registers.

use crate::classes::ClassId;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::threads::{StopReason, turns};

const COUNT_SHIFT: u32 = 16;
const OWNER_SHIFT: u32 = 24;
/// The owner value that refers to the table.
const ELSEWHERE: u8 = 0xFF;
const MONITOR: u64 = 0xFFFF << COUNT_SHIFT;

impl Machine {
    /// Whether the running thread holds the monitor of an object.
    pub(crate) fn holds_monitor(&self, object: Addr) -> bool {
        let (owner, count) = monitor(self, object);
        count > 0 && owner == self.registers.thread_number
    }

    /// Enters a monitor for the running thread, unless another one holds it; returns whether it did.
    pub(crate) fn try_enter(&mut self, object: Addr) -> bool {
        let number = self.registers.thread_number;
        if !may_enter(self, object, number) {
            return false;
        }
        let (_, count) = monitor(self, object);
        set_monitor(self, object, number, count + 1);
        true
    }

    /// Leaves a monitor once.
    ///
    /// # Errors
    /// `IllegalMonitorStateException` when the running thread does not hold it.
    pub(crate) fn leave_monitor(&mut self, object: Addr) -> Step<()> {
        if !self.holds_monitor(object) {
            return Err(not_owner());
        }
        let (owner, count) = monitor(self, object);
        set_monitor(self, object, owner, count - 1);
        if count == 1 && turns::favours_woken(self) && is_waited_for(self, object) {
            turns::end_turn(self);
        }
        Ok(())
    }

    /// Leaves a monitor however often it was entered; returns the entry count.
    pub(crate) fn release_monitor(&mut self, object: Addr) -> Step<u32> {
        if !self.holds_monitor(object) {
            return Err(not_owner());
        }
        let (_, count) = monitor(self, object);
        set_monitor(self, object, 0, 0);
        Ok(count)
    }

    /// `monitorenter`: completes, or blocks the running thread, which then runs it again.
    pub(crate) fn monitor_enter(&mut self, object: Addr) -> Step<()> {
        if self.is_due_before_monitor(object) {
            return self.block(StopReason::Ready);
        }
        if self.try_enter(object) {
            let frame = self.current_mut();
            frame.sp -= 1;
            frame.pc += 1;
            return Ok(());
        }
        self.block(StopReason::Entering(object))
    }

    /// The object whose monitor a synchronized method enters.
    pub(crate) fn monitor_of(&mut self, class: ClassId, is_static: bool, receiver: Addr) -> Step<Addr> {
        if is_static { self.mirror(class) } else { Ok(receiver) }
    }
}

/// The thread that holds the monitor of an object, and its entry count.
pub(super) fn monitor(machine: &Machine, object: Addr) -> (u32, u32) {
    let header = machine.memory.read(object);
    let (owner, count) = ((header >> OWNER_SHIFT) as u8, (header >> COUNT_SHIFT) as u8);
    if owner == ELSEWHERE {
        return machine.registers.cold.monitors.get(&object).copied().unwrap_or_default();
    }
    (owner.into(), count.into())
}

fn set_monitor(machine: &mut Machine, object: Addr, owner: u32, count: u32) {
    let header = machine.memory.read(object);
    if (header >> OWNER_SHIFT) as u8 == ELSEWHERE {
        machine.registers.cold.monitors.remove(&object);
    }
    let bits = match (u8::try_from(owner), u8::try_from(count)) {
        (_, Ok(0)) => 0,
        (Ok(owner), Ok(count)) if owner != ELSEWHERE => {
            (owner as u64) << OWNER_SHIFT | (count as u64) << COUNT_SHIFT
        }
        _ => {
            machine.registers.cold.monitors.insert(object, (owner, count));
            (ELSEWHERE as u64) << OWNER_SHIFT
        }
    };
    machine.memory.write(object, header & !MONITOR | bits);
}

/// Whether a thread could enter the monitor of an object.
pub(super) fn may_enter(machine: &Machine, object: Addr, thread_number: u32) -> bool {
    let (owner, count) = monitor(machine, object);
    count == 0 || owner == thread_number
}

/// Enters a monitor as often as it was left by [`Machine::release_monitor`].
pub(super) fn take_monitor(machine: &mut Machine, object: Addr, count: u32) {
    set_monitor(machine, object, machine.registers.thread_number, count);
}

/// Whether a thread waits until this monitor is free.
fn is_waited_for(machine: &Machine, object: Addr) -> bool {
    machine.registers.cold.stopped.iter().any(|it| match it.why {
        StopReason::Entering(on) | StopReason::Waiting { object: on, notified: true, .. } => on == object,
        _ => false,
    })
}

pub(crate) fn not_owner() -> Trap {
    Trap::Raise("java/lang/IllegalMonitorStateException", Some("current thread is not owner".into()))
}
