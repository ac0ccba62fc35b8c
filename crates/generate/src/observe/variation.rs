//! Varied runs of a test: everything that differs between two runs on a JVM, or between two computers, takes
//! other values. This concerns clock, randomness, identity hash codes, rounding, language, zone, processors and
//! names. A value that is the same in all varied runs does not depend on these and may be asserted.
//!
//! Values are judged, not runs: a test that reads the clock keeps the assertions that do not depend on it.

use super::computer::change_computer;
use super::{Volatility, observe};
use crate::candidate::Candidate;
use crate::driver::run_concrete;
use crate::influence::Influence;
use crate::library_caches::caches_of;
use crate::realization::{FUEL, Realization, message_of};
use crate::statics::initialised;
use cupping_case::{Assertion, Case, Expectation, FileAspect, Literal, Outcome, Probe, VarId};
use cupping_explore::{InvocationEnd, spent};
use cupping_machine::{ClassId, Machine, Snapshot, Step};

/// Number of varied runs of a test that depends on values that differ from run to run: the clock advances in
/// two of them and stands still in two.
const VARIATIONS: usize = 4;
/// Number of varied runs if an assertion has few possible values, so that runs may agree by chance: two flips
/// of a coin agree in half of the cases.
const MANY: usize = 14;
/// An integer below this number, or a text of fewer characters, may be one of few possible values.
const FEW: u8 = 10;
/// From this number on, a varying `long` has many possible values and will not be 0.
const FAR: u64 = 1_000_000;
/// Number of varied runs of any other test, which may depend on the computer without a trace.
const COMPUTERS: usize = 1;
/// Work, as [`spent`] counts it, from which an initialiser is slow.
const SLOW: u64 = 1_000_000;
/// Work of the observers of a run from which only what is wanted is observed in further runs.
const DEAR: u64 = 100_000;
/// The number of the first variation.
const FIRST: u32 = 1;

/// States before a test in which the class under test is initialised, each on another computer, with other clocks and
/// random numbers.
pub struct Variations<'a> {
    booted: &'a Snapshot,
    class: ClassId,
    /// The classes that are initialised before all tests, whose first use would take long in each run.
    initialised: Vec<ClassId>,
    /// Those of them that depend on the clock or on chance, known with `computer`.
    varying: Vec<ClassId>,
    /// The state in which nothing has been varied but the computer, once it is known.
    computer: Option<Snapshot>,
    /// Whether the class takes long to initialise: then few states are made from scratch, and the clock and random
    /// numbers of the others differ from these only afterwards.
    is_slow: bool,
    /// The states made so far; `None` where the class cannot be initialised.
    bases: Vec<Option<Snapshot>>,
}

/// A case has another outcome on another computer or at another time.
pub struct UnstableCase;

/// The run whose assertions are to be confirmed.
pub struct Original<'a> {
    /// A run with the inputs of the case.
    pub candidate: &'a Candidate,
    /// The run.
    pub realized: &'a Realization,
    /// The variables of the case, by variable of the plan.
    pub ids: &'a [Option<VarId>],
    /// The package of the test.
    pub package: &'a str,
    /// Whether it has read a value that differs from run to run.
    pub is_volatile: bool,
    /// What the test is about, among its assertions. The others are not worth many runs.
    pub wanted: &'a [Probe],
}

impl<'a> Variations<'a> {
    /// Varied states that start from the state in which nothing is initialised. The machine is in the state before
    /// all tests; what is initialised there is so in the varied states too.
    pub fn new(machine: &Machine, booted: &'a Snapshot, class: ClassId) -> Variations<'a> {
        Variations {
            booted,
            class,
            initialised: initialised(machine),
            varying: Vec::new(),
            computer: None,
            is_slow: false,
            bases: Vec::new(),
        }
    }

    /// The state of this rank, from 0.
    fn base(&mut self, machine: &mut Machine, rank: usize) -> Option<Snapshot> {
        while self.bases.len() <= rank {
            let next = self.bases.len();
            let variation = FIRST + next as u32;
            let base = match self.is_slow && next >= VARIATIONS {
                true => self.bases[next % VARIATIONS].clone().map(|it| {
                    machine.restore(&it);
                    machine.vary(variation);
                }),
                false => self.initialise(machine, variation),
            };
            self.bases.push(base.map(|()| machine.snapshot()));
        }
        self.bases[rank].clone()
    }

    /// Initialises the class under test in this variation; `None` if it cannot be initialised.
    fn initialise(&mut self, machine: &mut Machine, variation: u32) -> Option<()> {
        let computer = self.computer(machine);
        machine.restore(&computer);
        machine.vary(variation);
        let begun = spent(machine);
        for class in self.varying.clone() {
            adopt(machine, true, |machine| machine.initialize_class_now(class));
        }
        machine.set_fuel(FUEL);
        let is_ready = machine.initialize_class_now(self.class).is_ok();
        self.is_slow |= spent(machine) - begun > SLOW;
        is_ready.then_some(())
    }

    /// The state of another computer, in which libraries are initialised as they are before all tests.
    fn computer(&mut self, machine: &mut Machine) -> Snapshot {
        if let Some(known) = &self.computer {
            return known.clone();
        }
        machine.restore(self.booted);
        machine.vary(FIRST);
        change_computer(machine);
        for class in std::mem::take(&mut self.initialised) {
            if !adopt(machine, false, |machine| machine.initialize_class_now(class)) {
                self.varying.push(class);
            }
            let (name, from_jdk) = (machine.class(class).name.clone(), machine.class(class).from_jdk);
            for cache in caches_of(&name).filter(|_| from_jdk) {
                adopt(machine, true, |machine| cache.fill(machine, class));
            }
        }
        self.computer.insert(machine.snapshot()).clone()
    }

    /// Keeps the assertions of a case that hold in all varied runs, weakened as far as necessary. A varied run
    /// that does not end shows nothing. The machine is at the end of the original run; its state afterwards is
    /// unspecified.
    ///
    /// # Errors
    ///
    /// [`UnstableCase`], if a varied run ends in another way.
    pub fn confirm(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        case: &mut Case,
        original: &Original<'_>,
    ) -> Result<(), UnstableCase> {
        let Original { candidate, realized, ids, package, is_volatile, wanted } = original;
        let end = End::of(machine, &realized.ended);
        let mut message = end.message.clone();
        let (mut shown, mut cost) = (0, 0);
        for rank in 0..if *is_volatile { MANY } else { COMPUTERS } {
            if rank > 0 && cost > DEAR {
                case.assertions.retain(|it| wanted.contains(&it.probe));
            } else if rank == VARIATIONS {
                case.assertions.retain(|it| wanted.contains(&it.probe) || !may_agree_by_chance(it));
            }
            if rank >= VARIATIONS && !case.assertions.iter().any(may_agree_by_chance) {
                break;
            }
            let Some(base) = self.base(machine, rank) else { continue };
            machine.restore(&base);
            let (plan, slots, fresh) = (&realized.plan, &candidate.driver.slots, realized.fresh);
            let run = run_concrete(machine, plan, slots, &candidate.model, fresh, FUEL);
            let Ok((driver, ended)) = run else { continue };
            if matches!(ended, InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions) {
                continue;
            }
            let varied_end = End::of(machine, &ended);
            if varied_end.class != end.class || driver.next != realized.driver.next {
                return Err(UnstableCase);
            }
            shown += 1;
            message = message.filter(|it| Some(it) == varied_end.message.as_ref());
            let varied = Realization { plan: plan.clone(), driver, ended, hits: Vec::new(), fresh, fuel: 0 };
            let confirmed = Volatility::Confirmed([&case.assertions, &[]]);
            let mut other = Case { assertions: Vec::new(), ..case.clone() };
            let begun = spent(machine);
            let observed = observe(machine, influence, &mut other, &varied, ids, package, confirmed);
            cost = spent(machine) - begun;
            other.assertions.extend(observed.unchanged);
            let common = case.assertions.drain(..).filter_map(|it| common_part(it, &other.assertions));
            let common: Vec<Assertion> = common.collect();
            case.assertions = common;
        }
        if shown == 0 && *is_volatile {
            retract(case);
        } else if let Outcome::Threw { message: asserted, .. } = &mut case.outcome {
            *asserted = message;
        }
        Ok(())
    }
}

/// Runs a step on the state of another computer; returns whether that state is kept. It is not if the step fails, or
/// depends on the clock or on chance, which vary from run to run, unless that does not matter: a cache may read the
/// clock while it is filled, but does not depend on it.
fn adopt(machine: &mut Machine, may_vary: bool, step: impl FnOnce(&mut Machine) -> Step<()>) -> bool {
    let before = machine.snapshot();
    let entropy = machine.registers().entropy_reads;
    machine.set_fuel(FUEL);
    let is_done = step(machine).is_ok();
    let is_kept = is_done && (may_vary || machine.registers().entropy_reads == entropy);
    if !is_kept {
        machine.restore(&before);
    }
    is_kept
}

/// The part of a run's end that must be the same in all varied runs.
struct End {
    /// The class of what was thrown.
    class: Option<String>,
    message: Option<Vec<u16>>,
}

impl End {
    /// The machine is at the end of the run.
    fn of(machine: &mut Machine, ended: &InvocationEnd) -> End {
        match ended {
            InvocationEnd::Threw(exception) => End {
                class: Some(machine.class_name_of(*exception).to_owned()),
                message: message_of(machine, *exception),
            },
            _ => End { class: None, message: None },
        }
    }
}

/// Whether the asserted value has so few possible values that runs may agree by chance.
fn may_agree_by_chance(assertion: &Assertion) -> bool {
    let few = |literal: &Literal| match literal {
        Literal::Null | Literal::Boolean(_) | Literal::Constant { .. } => true,
        Literal::Byte(number) => number.unsigned_abs() < FEW,
        Literal::Int(number) => number.unsigned_abs() < u32::from(FEW),
        Literal::Long(number) => number.unsigned_abs() < u64::from(FEW),
        Literal::String(units) => units.len() < usize::from(FEW),
        _ => false,
    };
    match &assertion.expectation {
        Expectation::Equals(Literal::Boxed(inner)) => few(inner),
        Expectation::Equals(literal) => few(literal),
        _ => false,
    }
}

/// Whether a number is not 0, or is known not to be.
fn is_not_zero(expectation: &Expectation) -> bool {
    match expectation {
        Expectation::Equals(Literal::Long(number)) => *number != 0,
        Expectation::Differs(literal) => *literal == Literal::Long(0),
        _ => false,
    }
}

/// Whether a number is too large to become 0 by chance: a point in time, or a random `long`.
fn is_far_from_zero(expectation: &Expectation) -> bool {
    matches!(expectation, Expectation::Equals(Literal::Long(number)) if number.unsigned_abs() >= FAR)
}

/// Drops all that a case asserts.
fn retract(case: &mut Case) {
    case.assertions.clear();
    if let Outcome::Threw { message, .. } = &mut case.outcome {
        *message = None;
    }
}

/// The assertion if it also holds in the other run, or the part of it that does.
fn common_part(assertion: Assertion, others: &[Assertion]) -> Option<Assertion> {
    if others.contains(&assertion) {
        return Some(assertion);
    }
    let other = others.iter().find(|it| it.probe == assertion.probe)?;
    let is_value = |it: &Expectation| match it {
        Expectation::Equals(literal) => matches!(literal, Literal::String(_) | Literal::Boxed(_)),
        Expectation::EqualsValue(_) | Expectation::ArrayEquals(_) | Expectation::NotNull => true,
        _ => false,
    };
    match &assertion.probe {
        Probe::File { path, aspect: FileAspect::Text | FileAspect::Bytes | FileAspect::Length } => {
            Some(Assertion {
                probe: Probe::File { path: path.clone(), aspect: FileAspect::Exists },
                expectation: Expectation::Equals(Literal::Boolean(true)),
            })
        }
        _ if is_not_zero(&assertion.expectation) && is_far_from_zero(&other.expectation) => {
            Some(Assertion { probe: assertion.probe, expectation: Expectation::Differs(Literal::Long(0)) })
        }
        Probe::Var(_) if is_value(&assertion.expectation) && is_value(&other.expectation) => {
            Some(Assertion { probe: assertion.probe, expectation: Expectation::NotNull })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_case::ExpectedValue;

    const TIME: i64 = 1_700_000_000_000;

    fn expected(expectation: Expectation) -> Assertion {
        Assertion { probe: Probe::Var(VarId(0)), expectation }
    }

    fn equals(literal: Literal) -> Assertion {
        expected(Expectation::Equals(literal))
    }

    fn text(text: &str) -> Literal {
        Literal::String(text.encode_utf16().collect())
    }

    fn boxed(number: i32) -> Literal {
        Literal::Boxed(Box::new(Literal::Int(number)))
    }

    fn file(aspect: FileAspect, literal: Literal) -> Assertion {
        let probe = Probe::File { path: "out.txt".into(), aspect };
        Assertion { probe, expectation: Expectation::Equals(literal) }
    }

    #[test]
    fn an_assertion_that_both_runs_make_stays() {
        let one = equals(Literal::Int(5));
        let printed = Assertion { probe: Probe::Printed, ..equals(text("5")) };
        assert_eq!(common_part(one.clone(), &[printed, one.clone()]), Some(one));
    }

    #[test]
    fn a_number_that_differs_or_is_not_observed_again_is_dropped() {
        assert_eq!(common_part(equals(Literal::Int(5)), &[equals(Literal::Int(4))]), None);
        assert_eq!(common_part(equals(Literal::Int(5)), &[]), None);
        let elsewhere = Assertion { probe: Probe::Var(VarId(1)), ..equals(text("b")) };
        assert_eq!(common_part(equals(text("a")), &[elsewhere]), None, "of another variable");
    }

    #[test]
    fn of_objects_that_differ_only_their_existence_is_asserted() {
        let not_null = Some(expected(Expectation::NotNull));
        assert_eq!(common_part(equals(text("a")), &[equals(text("b"))]), not_null);
        assert_eq!(common_part(equals(boxed(1)), &[equals(boxed(2))]), not_null);
        let list = |all: Vec<ExpectedValue>| expected(Expectation::EqualsValue(ExpectedValue::List(all)));
        let one = list(vec![ExpectedValue::Literal(Literal::Int(1))]);
        assert_eq!(common_part(one.clone(), &[list(Vec::new())]), not_null);
        assert_eq!(common_part(one, &[expected(Expectation::NotNull)]), not_null);
        assert_eq!(common_part(equals(text("a")), &[equals(Literal::Null)]), None);
        assert_eq!(common_part(equals(Literal::Null), &[equals(text("a"))]), None);
    }

    #[test]
    fn a_file_with_other_contents_still_exists() {
        let exists = file(FileAspect::Exists, Literal::Boolean(true));
        for (aspect, one, other) in [
            (FileAspect::Text, text("monday"), text("tuesday")),
            (FileAspect::Length, Literal::Long(6), Literal::Long(7)),
        ] {
            let found = common_part(file(aspect, one), &[file(aspect, other)]);
            assert_eq!(found.as_ref(), Some(&exists), "{aspect:?}");
        }
        let gone = file(FileAspect::Exists, Literal::Boolean(false));
        assert_eq!(common_part(exists, &[gone]), None);
    }

    #[test]
    fn a_point_in_time_is_not_zero() {
        let differs = expected(Expectation::Differs(Literal::Long(0)));
        let long = |number| equals(Literal::Long(number));
        assert_eq!(common_part(long(TIME), &[long(TIME + 5)]), Some(differs.clone()));
        assert_eq!(common_part(differs.clone(), &[long(i64::MIN)]), Some(differs), "in a third run");
        assert_eq!(common_part(long(0), &[long(TIME)]), None, "it was 0 once");
        assert_eq!(common_part(long(TIME), &[long(3)]), None, "it may become 0 by chance");
        assert_eq!(common_part(long(TIME), &[equals(Literal::Int(7))]), None);
    }

    #[test]
    fn few_possible_values_may_be_the_same_by_chance() {
        let constant = Literal::Constant { class: "p/Day".into(), field: "MONDAY".into() };
        for few in [
            Literal::Null,
            Literal::Boolean(false),
            constant,
            boxed(-9),
            Literal::Byte(9),
            Literal::Int(-9),
            Literal::Long(0),
            text("123456789"),
        ] {
            assert!(may_agree_by_chance(&equals(few.clone())), "{few:?}");
        }
        for many in [
            Literal::Byte(-128),
            Literal::Int(10),
            Literal::Int(i32::MIN),
            Literal::Long(-10),
            Literal::Double(0.5),
            boxed(10),
            text("1234567890"),
        ] {
            assert!(!may_agree_by_chance(&equals(many.clone())), "{many:?}");
        }
        assert!(!may_agree_by_chance(&expected(Expectation::NotNull)));
    }
}
