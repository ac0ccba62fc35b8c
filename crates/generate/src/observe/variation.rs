//! Runs of a test in which whatever differs between two runs on a JVM comes out differently: clock, randomness,
//! identity hash codes, rounding. What all of them show alike does not depend on these, and may be asserted.
//!
//! This judges values, not runs: a test that reads the clock keeps the assertions that the clock has no part in.

use super::{Volatility, observe};
use crate::candidate::Candidate;
use crate::driver::run_concrete;
use crate::influence::Influence;
use crate::realization::{FUEL, Realized, message_of};
use cupping_case::{Assertion, Case, Expectation, FileAspect, Literal, Outcome, Probe, VarId};
use cupping_explore::Ended;
use cupping_machine::{ClassId, Machine, Snapshot};

/// Varied runs of each test.
const VARIATIONS: u32 = 2;

/// States before a test in which the class under test is initialised, each with other clocks and random numbers.
pub struct Variations {
    bases: Vec<Snapshot>,
}

impl Variations {
    /// Goes to the state before everything and initialises the class there again, once for each variation.
    pub fn new(machine: &mut Machine, booted: &Snapshot, class: ClassId) -> Variations {
        let mut bases = Vec::new();
        for variation in 1..=VARIATIONS {
            machine.restore(booted);
            machine.vary(variation);
            if machine.initialize_class_now(class).is_ok() {
                bases.push(machine.snapshot());
            }
        }
        Variations { bases }
    }

    /// Keeps the assertions of a case that hold in all varied runs, as far as they hold there.
    #[expect(clippy::too_many_arguments, reason = "the parts of one observation, each used once")]
    pub fn confirm(
        &self,
        machine: &mut Machine,
        influence: &mut Influence,
        case: &mut Case,
        candidate: &Candidate,
        realized: &Realized,
        ids: &[Option<VarId>],
        package: &str,
    ) {
        let mut message = match &realized.ended {
            Ended::Threw(exception) => message_of(machine, *exception),
            _ => None,
        };
        if self.bases.len() < VARIATIONS as usize {
            retract(case);
            return;
        }
        for base in &self.bases {
            machine.restore(base);
            let (plan, slots, fresh) = (&realized.plan, &candidate.driver.slots, realized.fresh);
            let run = run_concrete(machine, plan, slots, &candidate.model, fresh, FUEL);
            let Some((driver, ended)) = run.ok().filter(|(_, ended)| is_same_end(ended, &realized.ended))
            else {
                retract(case);
                return;
            };
            if let Ended::Threw(exception) = ended {
                let varied = message_of(machine, exception);
                message = message.filter(|it| Some(it) == varied.as_ref());
            }
            let varied = Realized { plan: plan.clone(), driver, ended, hits: Vec::new(), fresh };
            let mut other = Case { assertions: Vec::new(), ..case.clone() };
            observe(machine, influence, &mut other, &varied, ids, package, Volatility::Compared);
            let common = case.assertions.drain(..).filter_map(|it| in_common(it, &other.assertions));
            let common: Vec<Assertion> = common.collect();
            case.assertions = common;
        }
        if let Outcome::Threw { message: asserted, .. } = &mut case.outcome {
            *asserted = message;
        }
    }
}

/// Drops all that a case asserts.
fn retract(case: &mut Case) {
    case.assertions.clear();
    if let Outcome::Threw { message, .. } = &mut case.outcome {
        *message = None;
    }
}

fn is_same_end(a: &Ended, b: &Ended) -> bool {
    matches!((a, b), (Ended::Returned(_), Ended::Returned(_)) | (Ended::Threw(_), Ended::Threw(_)))
}

/// The assertion if it holds in the other run too, or what of it does.
fn in_common(assertion: Assertion, others: &[Assertion]) -> Option<Assertion> {
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
        Probe::Var(_) if is_value(&assertion.expectation) && is_value(&other.expectation) => {
            Some(Assertion { probe: assertion.probe, expectation: Expectation::NotNull })
        }
        _ => None,
    }
}
