//! Selects the assertions of a test that concern a call.
//!
//! After a call that writes, these are all up to the next call that writes. After a call that only reads, it is
//! the next one, which concerns its result, or all of them if the result is kept in a variable.

use super::code::length_of;
use super::recorder::{Event, ObservedCall, Recording};
use cupping_classfile::Code;
use cupping_machine::CallEnd;

/// A condition: a part of the test's code after a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Condition {
    /// The instruction of the test before which it ends.
    pub(super) until: Option<u32>,
    /// Number of reads before its end.
    pub(super) reads: usize,
    /// The suite's predicate that it consists of, by its number.
    pub(super) predicate: Option<usize>,
    /// The assertions before the predicate, which are left out.
    pub(super) without: Vec<u32>,
    /// Whether it makes further calls that write.
    pub(super) is_long: bool,
}

/// The conditions that the assertions after a call form: first all of them together, then each of the suite's
/// predicates alone. If `goes_on`, the rest of the test follows, with its further calls that write: a fault may show
/// only after these.
pub(super) fn conditions(
    recording: &Recording,
    number: usize,
    observed: &ObservedCall,
    code: &Code,
    goes_on: bool,
) -> Vec<Condition> {
    let Some(events) = recording.frames.get(&observed.frame) else { return Vec::new() };
    let Some(at) = events.iter().position(|it| matches!(it, Event::Call(call) if *call == number)) else {
        return Vec::new();
    };
    let behind = observed.pc + length_of(code, observed.pc);
    // `istore` to `astore_3`: the result is kept in a local and may be asserted later, several times.
    let is_kept = code.bytecode.get(behind as usize).is_some_and(|it| matches!(it, 0x36..=0x4e));
    let mut whole: Option<Condition> = None;
    let mut predicates = Vec::new();
    let mut asserted = Vec::new();
    let mut end = None;
    for event in &events[at + 1..] {
        let pc = match event {
            Event::Asserted(pc, reads, predicate) => {
                let until = Some(pc + length_of(code, *pc));
                whole = Some(Condition {
                    until: until.filter(|_| !observed.has_written),
                    reads: *reads,
                    ..Condition::default()
                });
                if predicate.is_some() {
                    let without = asserted.clone();
                    let predicate = *predicate;
                    let rest = Condition::default();
                    predicates.push(Condition { until, reads: *reads, predicate, without, ..rest });
                }
                asserted.push(*pc);
                if !observed.has_written && !is_kept {
                    break;
                }
                continue;
            }
            Event::Call(other) => {
                let other = &recording.observed[*other];
                let ends = other.has_written || !matches!(other.how, Some(CallEnd::Returned(_)));
                if !(ends || !observed.has_written && whole.is_some()) {
                    continue;
                }
                other.pc
            }
            Event::Other(pc) => *pc,
        };
        end = Some(pc);
        break;
    }
    let rest = events[at + 1..].iter().rev().find_map(|event| match event {
        Event::Asserted(pc, reads, _) => Some(Condition {
            until: Some(pc + length_of(code, *pc)),
            reads: *reads,
            is_long: true,
            ..Condition::default()
        }),
        _ => None,
    });
    let known = whole.as_ref().map_or(0, |it| it.reads);
    let rest = rest.filter(|it| goes_on && observed.has_written && it.reads > known);
    let last = asserted.last().filter(|_| recording.is_unfinished).map(|pc| pc + length_of(code, *pc));
    let whole = whole.map(|it| Condition { until: it.until.or(end).or(last), ..it });
    whole.into_iter().chain(predicates).chain(rest).collect()
}
