//! Whether a test notices a version.

use crate::case_writer::Draft;
use crate::driver::run_concrete;
use crate::influence::Influence;
use crate::observe::{Volatility, observe};
use crate::realization::{Realized, message_of};
use crate::versions::Version;
use cupping_case::{Assertion, Case, Outcome};
use cupping_explore::Ended;
use cupping_machine::{Machine, Snapshot};

/// Fuel of a run on a version: beyond it the version does not end.
const FUEL: u64 = 3_000_000;

/// How a test notices a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// By its outcome or an assertion that it has.
    AsItIs,
    /// If one of these assertions is added, which are about what its last invocation does not change.
    With(Vec<usize>),
}

/// Runs a test on a version from the state before all tests.
pub(crate) fn notice(
    machine: &mut Machine,
    influence: &mut Influence,
    base: &Snapshot,
    draft: &Draft,
    version: &Version,
    package: &str,
) -> Option<Notice> {
    version.on(machine, |machine| differs(machine, influence, base, draft, package))
}

fn differs(
    machine: &mut Machine,
    influence: &mut Influence,
    base: &Snapshot,
    draft: &Draft,
    package: &str,
) -> Option<Notice> {
    machine.restore(base);
    let Realized { plan, fresh, .. } = &draft.realized;
    let candidate = &draft.candidate;
    let run = run_concrete(machine, plan, &candidate.driver.slots, &candidate.model, *fresh, FUEL);
    // A step that cannot be taken is a difference, since the original took it.
    let Ok((driver, ended)) = run else { return Some(Notice::AsItIs) };
    if driver.next + 1 < plan.steps.len() {
        return Some(Notice::AsItIs);
    }
    match (&ended, &draft.realized.ended, &draft.case.outcome) {
        (Ended::Returned(_), Ended::Returned(_), _) => {}
        (Ended::Threw(exception), Ended::Threw(_), Outcome::Threw { message, .. }) => {
            let thrown = candidate.thrown.as_ref();
            let is_same_class = thrown.is_none_or(|it| it.class == machine.class_name_of(*exception));
            let now = message_of(machine, *exception);
            if !is_same_class || (message.is_some() && *message != now) {
                return Some(Notice::AsItIs);
            }
        }
        _ => return Some(Notice::AsItIs),
    }
    let varied = Realized { plan: plan.clone(), driver, ended, hits: Vec::new(), fresh: *fresh };
    let mut other = Case { assertions: Vec::new(), ..draft.case.clone() };
    let observed =
        observe(machine, influence, &mut other, &varied, &draft.ids, package, Volatility::Compared);
    let is_same = |it: &Assertion| other.assertions.contains(it) || observed.unchanged.contains(it);
    if !draft.case.assertions.iter().all(is_same) {
        return Some(Notice::AsItIs);
    }
    let more: Vec<usize> = (0..draft.unchanged.len()).filter(|at| !is_same(&draft.unchanged[*at])).collect();
    (!more.is_empty()).then_some(Notice::With(more))
}
