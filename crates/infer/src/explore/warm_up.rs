//! Initialisation of the JDK's classes before an exploration.
//!
//! What `LocalDate.now()` or `UUID.randomUUID()` initialises when it is called first takes more than a call may take.
//! Each call is made from a state of its own, so each would be the first. Initialisers of the program are not run: what
//! they do is part of what is observed.

use crate::pool::Pool;
use crate::runner::prepare;
use crate::sequence::Invocation;
use crate::subject::Subject;
use cupping_machine::{Addr, CallEnd, ClassId, InitState, Machine};

/// The fuel (calls and backward jumps) of a call, of an initialiser, and of all calls.
const FUEL: u64 = 3_000_000;
const FUEL_OF_ALL: u64 = 12_000_000;
/// The largest number of methods that are called.
const MOST_METHODS: usize = 24;
/// The largest number of classes that are initialised.
const MOST_CLASSES: usize = 400;

/// Initialises the classes of the JDK that the first calls of methods initialise.
pub(super) fn warm_up(machine: &mut Machine, subject: &Subject, pool: &mut Pool) {
    let before = machine.snapshot();
    let had = initialized(machine);
    machine.set_fuel(FUEL);
    // If it throws, so will the calls.
    drop(machine.initialize_class_now(subject.class));
    let (mut object, mut left): (Option<Addr>, u64) = (None, FUEL_OF_ALL);
    let (own, others): (Vec<usize>, Vec<usize>) =
        (0..subject.methods.len()).partition(|it| subject.methods[*it].has_receiver());
    for method in others.into_iter().chain(own).take(MOST_METHODS) {
        let invokable = subject.methods[method].clone();
        for arguments in pool.choices(machine, subject, method).into_iter().take(2) {
            let call = Invocation { invokable: invokable.clone(), arguments };
            let Ok(ready) = prepare(machine, &call, object) else { continue };
            let most = left.min(FUEL);
            machine.set_fuel(most);
            let ended = machine.ask(ready.method, &ready.values);
            left -= most.saturating_sub(machine.fuel());
            let Ok(CallEnd::Returned(value)) = ended else { continue };
            if invokable.is_constructor() {
                object = Some(ready.values[0].as_ref());
            } else if subject.makers.contains(&method) && value.as_ref() != 0 {
                object = Some(value.as_ref());
            }
        }
    }
    let found: Vec<ClassId> =
        initialized(machine).into_iter().filter(|it| !had.contains(it)).take(MOST_CLASSES).collect();
    machine.restore(&before);
    for class in found {
        machine.set_fuel(FUEL);
        // One that cannot be initialised alone is initialised by the calls.
        drop(machine.initialize_class_now(class));
    }
}

/// The classes of the JDK that are initialised.
fn initialized(machine: &Machine) -> Vec<ClassId> {
    let all = machine.classes().iter().enumerate().filter(|it| it.1.from_jdk);
    let ids = all.map(|it| ClassId(it.0 as u32));
    ids.filter(|it| machine.init_state(*it) == InitState::Initialized).collect()
}
