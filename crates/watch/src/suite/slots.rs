//! Bindings that find the variables of a test in the program.

use super::assertions::Condition;
use super::known_objects::KnownObjects;
use super::triple_builder::Subject;
use crate::binding::{Binding, path_to};
use crate::dependence::DependenceCapture;
use crate::object_copy::{ObjectCopyBuilder, Owner};
use crate::shape::{Shape, shape_of};
use cupping_classfile::{Action, Code, Instruction, StackType, instructions};
use cupping_machine::{Addr, Kind, Machine, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// How to find the values of the test's slots in the program. The memory is that before the call.
pub(super) fn bindings(
    machine: &Machine,
    subject: &Subject<'_>,
    condition: &Condition,
    wider: &DependenceCapture,
) -> Vec<Binding> {
    let is_predicate = condition.predicate.is_some();
    let from = subject.observed.pc;
    // A predicate is a single statement, but the test may jump anywhere in the rest of its code.
    let loads = loads(&subject.source.code, |pc| {
        !is_predicate || pc > from && condition.until.is_none_or(|until| pc < until)
    });
    let Subject { recording, observed, is_object, .. } = subject;
    let references = subject.kinds.iter().zip(&observed.arguments).enumerate();
    let roots: Vec<(usize, Addr)> = references
        .filter(|(_, (kind, value))| **kind == Kind::Reference && value.bits != 0)
        .map(|(at, (_, value))| (at, Value::as_ref(*value)))
        .collect();
    // Static fields of the suite's own classes do not exist in the program.
    let mut known = None;
    let mut known = || {
        known
            .get_or_insert_with(|| {
                let all =
                    KnownObjects::new(machine, &roots, &wider.numbers, |it| recording.is_under_test(it));
                Rc::new(all)
            })
            .clone()
    };
    let top = u64::from(machine.memory().used());
    let mut bindings = Vec::with_capacity(observed.slots.len());
    // Two slots may hold the same object, as when a test sorts a list and reads it afterwards.
    let (mut copies, mut copied) = (ObjectCopyBuilder::default(), Vec::new());
    for (slot, word) in observed.slots.iter().enumerate() {
        let is_object = is_object[slot] && *word < top;
        let (as_reference, as_number) = match loads.get(&slot) {
            _ if slot >= observed.locals => (is_object, !is_object),
            Some(known) => *known,
            None => (false, false),
        };
        let object = *word as Addr;
        bindings.push(match (as_reference, as_number) {
            (false, false) => Binding::Constant(Shape::Null),
            (true, _) if is_object => {
                // A predicate is evaluated in other states, where nothing else identifies the object.
                let way = path_to(machine, &roots, object).filter(|it| is_predicate || it.1.is_empty());
                if let Some((root, way)) = way {
                    if way.is_empty() { Binding::Argument(root) } else { Binding::Field(root, way) }
                } else if let Shape::Text(units) = shape_of(machine, Kind::Reference, *word, 0, None) {
                    Binding::Constant(Shape::Text(units))
                } else {
                    let known = known();
                    match known.owner(machine, object) {
                        Owner::Argument(at) => Binding::Argument(at),
                        Owner::Matched(number) => Binding::Matched(number),
                        Owner::Static(class, field) => Binding::Static(class, field, Vec::new()),
                        Owner::Unknown => Binding::Unknown,
                        Owner::Test => {
                            let root = copies.add(machine, object, &|it| known.owner(machine, it));
                            copied.extend(root.map(|it| (slot, it)));
                            Binding::Unknown
                        }
                    }
                }
            }
            (true, false) => Binding::Constant(Shape::Null),
            _ => Binding::Constant(Shape::Bits(Kind::Long, *word)),
        });
    }
    let copies = Arc::new(copies.finish());
    for (slot, root) in copied {
        bindings[slot] = Binding::Copy(copies.clone(), root);
    }
    bindings
}

/// The locals that instructions at these positions load: whether as references, and whether otherwise.
fn loads(code: &Code, counts: impl Fn(u32) -> bool) -> BTreeMap<usize, (bool, bool)> {
    let mut loads: BTreeMap<usize, (bool, bool)> = BTreeMap::new();
    for instruction in instructions(&code.bytecode).flatten().filter(|it| counts(it.pc)) {
        if let Some((slot, is_reference)) = load(&instruction) {
            let known = loads.entry(slot).or_default();
            *known = (known.0 | is_reference, known.1 | !is_reference);
        }
    }
    loads
}

/// The local variable that an instruction loads, and whether it loads a reference.
fn load(instruction: &Instruction) -> Option<(usize, bool)> {
    // `iinc` also reads its local.
    matches!(instruction.action(), Action::Load | Action::Increment).then_some(())?;
    Some((usize::from(instruction.local()?), instruction.stack_type() == Some(StackType::Reference)))
}
