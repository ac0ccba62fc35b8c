//! Turns: how long a thread runs before another one may.

use crate::machine::Machine;

/// Lengths of turns in varied runs: from a few calls, so that threads meet, to long ones, so that one is ahead.
const VARIED_TURNS: [u64; 4] = [20_000, 100, 4, 1_500];

/// Number of backward jumps and calls between checks for whether the run should end.
const ASKED_EACH: u64 = 1 << 20;

/// The usual length of a turn; 0 if only threads that wait end theirs.
pub(super) fn quantum(machine: &Machine) -> u64 {
    match machine.registers.variation {
        0 => u64::from(machine.limits.quantum),
        variation => VARIED_TURNS[variation as usize % VARIED_TURNS.len()],
    }
}

/// The seed of the schedule. Each variation of a run has its own schedule.
pub(super) fn schedule_seed(machine: &Machine) -> Option<u64> {
    let varied = u64::from(machine.registers.variation);
    machine.limits.schedule_seed.or((varied != 0).then_some(varied))
}

/// Whether a thread loses its turn to those that it wakes. Half of the varied runs delay what a thread still does then,
/// as another processor may.
pub(super) fn favours_woken(machine: &Machine) -> bool {
    machine.registers.variation % 2 == 1 && !machine.registers.cold.stopped.is_empty()
}

/// Begins a turn of the running thread. Without other threads, it has no end.
pub(super) fn start_turn(machine: &mut Machine) {
    let quantum = quantum(machine);
    let length = match schedule_seed(machine) {
        // From a quarter to nearly twice the quantum, and sometimes very short, since races are short.
        Some(_) => match draw(machine, 8) {
            0 => 1 + draw(machine, quantum / 64 + 1),
            _ => quantum / 4 + draw(machine, quantum * 3 / 2 + 1),
        },
        None => quantum,
    };
    let left = machine.fuel();
    machine.registers.turn_ends = left.saturating_sub(length.max(1));
    set_next_event(machine);
}

/// Lets the turn of the running thread end at its next backward jump or call.
pub(super) fn end_turn(machine: &mut Machine) {
    machine.registers.turn_ends = machine.fuel();
    set_next_event(machine);
}

/// Lets the loop come to a safepoint when the turn ends.
pub(super) fn set_next_event(machine: &mut Machine) {
    let left = machine.fuel();
    let alone = machine.registers.cold.stopped.is_empty() || quantum(machine) == 0;
    // A call that runs again after its safepoint takes 1 more: with less than 2 it would never run.
    let turn = if alone { left } else { left.saturating_sub(machine.registers.turn_ends).max(2) };
    let turn = if machine.environment.may_be_interrupted() { turn.min(ASKED_EACH) } else { turn };
    machine.registers.fuel = turn.min(left);
    machine.registers.fuel_beyond = left - machine.registers.fuel;
}

/// A number below `bound` from the generator of the schedule (SplitMix64).
pub(super) fn draw(machine: &mut Machine, bound: u64) -> u64 {
    machine.registers.schedule = machine.registers.schedule.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = machine.registers.schedule ^ schedule_seed(machine).unwrap_or(0).rotate_left(32);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ z >> 31) % bound.max(1)
}
