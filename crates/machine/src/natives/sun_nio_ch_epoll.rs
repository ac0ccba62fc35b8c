//! `sun.nio.ch.EPoll` and `EventFD`: selectors over the sockets in memory.

use super::support::{boolean, int};
use super::{Args, Native, NativeOutcome, row};
use crate::exit::Step;
use crate::machine::Machine;
use crate::natives::unsafe_memory;
use crate::threads::StopReason;
use cupping_case::Effect;

const EPOLL: &str = "sun/nio/ch/EPoll";
/// Bytes of a `struct epoll_event`: the events, followed by the descriptor.
const EVENT_BYTES: u64 = 12;
/// `EPOLL_CTL_DEL`.
const REMOVE: i32 = 2;
/// `IOStatus.INTERRUPTED`: who waited asks again.
const AGAIN: i32 = -3;

pub(super) const NATIVES: &[Native] = &[
    row(EPOLL, "create", "()I", |m, _| {
        m.note(Effect::Socket("selector opened".into()));
        int(m.registers.cold.network.open_poller())
    }),
    row(EPOLL, "ctl", "(IIII)I", |m, a| {
        let (poller, how, descriptor, events) = (a.int(m, 0), a.int(m, 1), a.int(m, 2), a.int(m, 3));
        let events = (how != REMOVE).then_some(events as u32);
        m.registers.cold.network.watch(poller, descriptor, events);
        int(0)
    }),
    row(EPOLL, "wait", "(IJII)I", wait),
    row("sun/nio/ch/EventFD", "eventfd0", "()I", |m, _| int(m.registers.cold.network.open_event())),
    row("sun/nio/ch/EventFD", "set0", "(I)I", |m, a| {
        let descriptor = a.int(m, 0);
        // Its own other end.
        let _ = m.registers.cold.network.send(descriptor, vec![1].into());
        int(0)
    }),
    row("sun/nio/ch/IOUtil", "drain", "(I)Z", |m, a| {
        let descriptor = a.int(m, 0);
        let had_some = m.registers.cold.network.available(descriptor).unwrap_or(0) > 0;
        let _ = m.registers.cold.network.receive(descriptor, usize::MAX);
        boolean(had_some)
    }),
];

/// Returns the ready events, or waits for some, at most for this many milliseconds.
fn wait(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (poller, to, most, millis) = (args.int(m, 0), args.long(m, 1) as u64, args.int(m, 3), args.int(m, 4));
    let ready = m.registers.cold.network.take_ready(poller, most.max(0) as usize);
    if ready.is_empty() && millis != 0 {
        let deadline = u64::try_from(millis).ok().map(|millis| m.now().saturating_add(millis * 1_000_000));
        m.stack.set(args.base, AGAIN as u32 as u64);
        return Ok(NativeOutcome::Block(StopReason::Receiving { descriptor: poller, deadline }));
    }
    unsafe_memory::check_outside(m, to, ready.len() as u64 * EVENT_BYTES)?;
    for (at, (descriptor, events)) in (to..).step_by(EVENT_BYTES as usize).zip(&ready) {
        m.memory.write_bytes(at, 4, u64::from(*events));
        m.memory.write_bytes(at + 4, 4, *descriptor as u32 as u64);
    }
    int(ready.len() as i32)
}
