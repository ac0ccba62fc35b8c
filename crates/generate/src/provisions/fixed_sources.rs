//! Deterministic sources of time and randomness, which return the same in every run.

use super::Provision;
use super::library::invokable;
use crate::input::Input;
use cupping_machine::{ClassId, Kind, Machine};

/// The seed of random numbers.
const SEED: u64 = 5;
/// The time of fixed clocks, in seconds since 1970: 2023-11-14 22:13:20 UTC, a Tuesday evening.
const MOMENT: u64 = 1_700_000_000;

/// The provision of a `Clock` or a `Random` whose answers are fixed.
pub(super) fn fixed(machine: &mut Machine, class: ClassId) -> Option<Provision> {
    let long = |value| Provision::Input(Input::Fixed(Kind::Long, value));
    match &*machine.class(class).name.clone() {
        "java/util/Random" => {
            let seeded = invokable(machine, class, "<init>", "(J)V")?;
            Some(Provision::MakeOf(seeded, vec![long(SEED)]))
        }
        "java/time/Clock" => {
            let instants = machine.load("java/time/Instant").ok()?;
            let instant = invokable(machine, instants, "ofEpochSecond", "(J)Ljava/time/Instant;")?;
            let offsets = machine.load("java/time/ZoneOffset").ok()?;
            let utc = machine.class(offsets).fields.iter().position(|it| &*it.name == "UTC")?;
            let descriptor = "(Ljava/time/Instant;Ljava/time/ZoneId;)Ljava/time/Clock;";
            let clock = invokable(machine, class, "fixed", descriptor)?;
            let moment = Provision::MakeOf(instant, vec![long(MOMENT)]);
            Some(Provision::MakeOf(clock, vec![moment, Provision::Constant(offsets, utc)]))
        }
        _ => None,
    }
}
