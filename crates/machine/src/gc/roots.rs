//! Roots: every place outside the heap that holds references.
//!
//! Whoever adds a field to the machine or its registers has to state here which references it holds: both are
//! destructured completely, so that forgetting a field does not compile. Slots of the stack do not say whether
//! they hold a reference; each word in use counts as one if an object begins there. All other places do say so.

use crate::heap::layout::{CLASS_MIRROR, CONSTANTS, state_word};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::cold::ColdRegisters;
use crate::state::{Frame, Registers};
use crate::threads::StopReason;

/// Passes every root to `visit`; some are not addresses at all.
pub(super) fn roots(machine: &Machine, visit: &mut dyn FnMut(u64)) {
    let Machine {
        registers,
        memory,
        stack,
        classes,
        // Functions of the class path, which name classes and methods but no objects.
        program: _,
        spaces: _,
        natives: _,
        dynamic: _,
        generated: _,
        plans: _,
        layouts: _,
        halts_when_full: _,
        spent_in_runs: _,
        accesses: _,
        restorations: _,
        // Not in use during garbage collection.
        compiler: _,
        // The sandbox; addresses of globals serve only for comparisons.
        environment: _,
        limits: _,
        is_preparing: _,
        // Terms and what belongs to them.
        terms: _,
        shadows: _,
        choices: _,
        // Listeners keep addresses alive by pinning them.
        listener: _,
    } = machine;
    for class in 0..classes.classes().len() as u32 {
        visit(memory.read(CLASS_MIRROR + class));
    }
    for constant in 0..classes.constants() {
        visit(memory.read(CONSTANTS + constant));
    }
    let Registers {
        frames,
        result,
        raised,
        thrown,
        thread,
        // Weak: entries of dead objects are removed with them (`forget_dead`).
        heap_shadows: _,
        definitions: _,
        // No references.
        decided: _,
        frame_count: _,
        next_hash: _,
        clock: _,
        fuel: _,
        fuel_beyond: _,
        fuel_given: _,
        turn_ends: _,
        schedule: _,
        collect_at: _,
        live_words: _,
        retried: _,
        coverage: _,
        pairs: _,
        requirements: _,
        invocation: _,
        flows: _,
        input_read: _,
        random_read: _,
        variation: _,
        thread_number: _,
        thread_is_system: _,
        entropy_reads: _,
        volatile_reads: _,
        cold,
    } = registers;
    let ColdRegisters {
        modules,
        stopped,
        pending_references,
        out_of_memory,
        pinned,
        dormant,
        init_failures,
        domains,
        zip_streams,
        // Weak.
        interned: _,
        capacities: _,
        permits: _,
        answers: _,
        monitors: _,
        reached: _,
        // No references.
        outside: _,
        output: _,
        disk: _,
        network: _,
    } = &**cold;
    visit_frames(frames, &stack.copy(0..machine.stack_top()), visit);
    for thread in stopped.iter() {
        visit(thread.thread as u64);
        visit_frames(&thread.frames, &thread.stack, visit);
        match thread.why {
            StopReason::Entering(object) | StopReason::Waiting { object, .. } => visit(object as u64),
            StopReason::Ready
            | StopReason::Idle
            | StopReason::Parked(_)
            | StopReason::Sleeping(_)
            | StopReason::Receiving { .. }
            | StopReason::Initializing(_)
            | StopReason::References => {}
        }
    }
    for addr in [*raised, *thrown, *thread, *pending_references, *out_of_memory] {
        visit(addr as u64);
    }
    visit(result.bits);
    for addr in modules.values().chain(pinned.keys()) {
        visit(*addr as u64);
    }
    for addr in dormant.iter() {
        visit(*addr as u64);
    }
    for cause in init_failures.values().chain(domains.values()) {
        visit(*cause as u64);
    }
    for address in zip_streams.keys() {
        visit(*address);
    }
}

/// Statics that have been allocated: address and class, in order of address.
pub(super) fn all_statics(machine: &Machine) -> Vec<(Addr, u32)> {
    let mut found: Vec<(Addr, u32)> = machine
        .classes()
        .iter()
        .map(|class| (machine.memory.read(state_word(class.id)) >> 8) as Addr)
        .zip(0..)
        .filter(|(statics, _)| *statics != 0)
        .collect();
    found.sort_unstable();
    found
}

/// The slots that frames use, and the monitors they hold.
fn visit_frames(frames: &[Frame], stack: &[u64], visit: &mut dyn FnMut(u64)) {
    for frame in frames {
        visit(frame.monitor as u64);
        for slot in &stack[frame.base as usize..(frame.sp as usize).min(stack.len())] {
            visit(*slot);
        }
    }
}
