//! Dependences of a test's call and of the conditions after it.

use super::recorder::{ObservedCall, Recording};
use super::triple_builder::{Subject, TripleBuilder};
use crate::dependence::{CaptureSource, DependenceCapture, Reads, UnchangedMemory, capture, value_at};
use cupping_machine::{Addr, ELEMENT, Kind, Machine, Value};
use rustc_hash::FxHashSet;

impl TripleBuilder {
    /// What was read of the present state.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn captured(
        &mut self,
        machine: &Machine,
        recording: &Recording,
        observed: &ObservedCall,
        kinds: &[Kind],
        is_new: bool,
        reads: &Reads,
        overwritten: &FxHashSet<(Addr, u32)>,
        initial: &UnchangedMemory,
    ) -> DependenceCapture {
        let arguments: Vec<(usize, Kind, Value)> = kinds
            .iter()
            .zip(&observed.arguments)
            .enumerate()
            .filter(|(at, _)| !(is_new && *at == 0))
            .map(|(at, (kind, value))| (at, *kind, *value))
            .collect();
        let has_receiver = !machine.method(observed.call.method).is_static();
        capture(
            machine,
            &mut self.static_names,
            &CaptureSource {
                arguments: &arguments,
                has_receiver,
                reads,
                overwritten,
                initial,
                has_state: &|class| recording.is_of_suite_or_program(class),
            },
        )
    }

    /// What the call and a later condition read of the state before the call, without what the call overwrote. The
    /// memory is that before the call, before and after.
    pub(super) fn wider(
        &mut self,
        machine: &mut Machine,
        subject: &Subject<'_>,
        until: usize,
        initial: &UnchangedMemory,
    ) -> Option<DependenceCapture> {
        let Subject { recording, observed, .. } = subject;
        let own = recording.reads_of(observed.reads.0, observed.reads.1)?;
        let all = recording.reads_of(observed.reads.0, until)?;
        let later: Vec<(Addr, u32)> = all
            .locations(machine, observed.top)
            .into_iter()
            .filter(|(object, key)| match key & ELEMENT {
                0 => !own.has_field(*object, *key),
                _ => !own.has_element(*object, key & !ELEMENT),
            })
            .collect();
        let values = |machine: &Machine| -> Vec<_> {
            later.iter().map(|(object, key)| value_at(machine, *object, *key)).collect()
        };
        let before = values(machine);
        machine.restore_memory(observed.after.as_ref()?);
        let after = values(machine);
        machine.restore_memory(&observed.before);
        let changed =
            later.iter().zip(before.iter().zip(&after)).filter(|(_, (before, after))| before != after);
        let overwritten = changed.map(|(location, _)| *location).collect();
        Some(self.captured(
            machine,
            recording,
            observed,
            &subject.kinds,
            subject.is_new,
            &all,
            &overwritten,
            initial,
        ))
    }
}
