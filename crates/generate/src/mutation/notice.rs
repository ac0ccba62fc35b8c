//! Whether a test notices a version.

use crate::case_writer::Draft;
use crate::driver::{PlanDriver, run_concrete};
use crate::influence::Influence;
use crate::observe::{Spare, Volatility, observe, shown_by, spare};
use crate::realization::{Realization, message_of};
use crate::versions::{Bases, Comparison, Extent, Image, Version};
use cupping_case::{Assertion, Case, Outcome};
use cupping_explore::InvocationEnd;
use cupping_machine::{Machine, Snapshot};

/// Fuel of a call on a version, in addition to five times the fuel of the original's last call. A call that
/// exceeds it counts as endless.
const FUEL: u64 = 30_000;

/// How a test notices a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The outcome or an existing assertion notices it.
    AsItIs,
    /// If one of these assertions is added. They concern what the last invocation does not change.
    With(Vec<usize>),
    /// Not yet: the version ends in another state, which no assertion shows.
    Hidden,
}

/// Runs a test on a version.
pub(crate) fn notice(
    machine: &mut Machine,
    influence: &mut Influence,
    bases: &Bases,
    draft: &Draft,
    version: &Version,
    package: &str,
) -> Option<Notice> {
    let Some(base) = version.base(machine, bases) else { return Some(Notice::AsItIs) };
    machine.restore(&base);
    version.on(machine, |machine| differs(machine, influence, bases, draft, version, package))
}

fn differs(
    machine: &mut Machine,
    influence: &mut Influence,
    bases: &Bases,
    draft: &Draft,
    version: &Version,
    package: &str,
) -> Option<Notice> {
    let Realization { plan, fresh, .. } = &draft.realized;
    let candidate = &draft.candidate;
    let fuel = FUEL + 5 * draft.fuel;
    let run = run_concrete(machine, plan, &candidate.driver.slots, &candidate.model, *fresh, fuel);
    let taken = fuel.saturating_sub(machine.fuel());
    // The original took this step, so a failure to take it is a difference.
    let Ok((driver, ended)) = run else { return Some(Notice::AsItIs) };
    if driver.next + 1 < plan.steps.len() {
        return Some(Notice::AsItIs);
    }
    match (&ended, &draft.realized.ended, &draft.case.outcome) {
        (InvocationEnd::Returned(_), InvocationEnd::Returned(_), _) => {}
        (InvocationEnd::Threw(exception), InvocationEnd::Threw(_), Outcome::Threw { message, .. }) => {
            let thrown = candidate.thrown.as_ref();
            let is_same_class = thrown.is_none_or(|it| it.class == machine.class_name_of(*exception));
            let now = message_of(machine, *exception);
            if !is_same_class || (message.is_some() && *message != now) {
                return Some(Notice::AsItIs);
            }
        }
        _ => return Some(Notice::AsItIs),
    }
    // If nothing differs, only an observer that runs the changed method can show a difference.
    let is_observed = draft.observing.contains(&version.method);
    let asserted = draft.case.assertions.iter().chain(&draft.unchanged);
    // Images hold what stubs are told, but not what they are asked.
    let counts_questions = asserted.into_iter().any(|it| it.probe.counts_questions());
    let prints = draft.case.assertions.iter().any(|it| it.probe.is_printed());
    let compared = |machine: &mut Machine, driver: &PlanDriver, ended: &InvocationEnd| {
        let image = Image::of(machine, driver, ended, Extent::State, &bases.settled);
        Image::compare(machine, &candidate.model, draft.image.as_ref(), image.as_ref())
    };
    let is_compared = !is_observed
        && !prints
        && !counts_questions
        && version.initialises.is_none()
        && draft.image.is_some();
    let state = is_compared.then(|| compared(machine, &driver, &ended));
    if state == Some(Comparison::Same) {
        return None;
    }
    let varied =
        Realization { plan: plan.clone(), driver, ended, hits: Vec::new(), fresh: *fresh, fuel: taken };
    let mut other = Case { assertions: Vec::new(), ..draft.case.clone() };
    let confirmed = Volatility::Confirmed([&draft.case.assertions, &draft.unchanged]);
    let observed = observe(machine, influence, &mut other, &varied, &draft.ids, package, confirmed);
    let is_same = |it: &Assertion| other.assertions.contains(it) || observed.unchanged.contains(it);
    if !draft.case.assertions.iter().all(is_same) {
        return Some(Notice::AsItIs);
    }
    let more: Vec<usize> = (0..draft.unchanged.len()).filter(|at| !is_same(&draft.unchanged[*at])).collect();
    if !more.is_empty() {
        return Some(Notice::With(more));
    }
    // What an initialiser has left shows in static fields, of which there are no chains.
    if version.initialises.is_some() || draft.image.is_none() {
        return None;
    }
    let state = state.unwrap_or_else(|| compared(machine, &varied.driver, &varied.ended));
    (state == Comparison::Different).then_some(Notice::Hidden)
}

/// What a test could assert in addition, within this much work. The machine stays at the end of the test's run, which
/// is returned too.
pub(crate) fn further_observations(
    machine: &mut Machine,
    influence: &mut Influence,
    base: &Snapshot,
    draft: &Draft,
    package: &str,
    most: u64,
) -> Option<(Realization, Vec<Spare>)> {
    machine.restore(base);
    let run = run_again(machine, draft)?;
    let (case, others) = (&draft.case, &draft.unchanged);
    let found = spare(machine, influence, case, others, &run, &draft.ids, package, most);
    Some((run, found))
}

/// Which of these observations a version shows otherwise, by index.
pub(crate) fn shown_otherwise(
    machine: &mut Machine,
    influence: &mut Influence,
    bases: &Bases,
    draft: &Draft,
    version: &Version,
    package: &str,
    asked: &[Spare],
) -> Vec<usize> {
    let Some(base) = version.base(machine, bases) else { return Vec::new() };
    machine.restore(&base);
    let shown = version.on(machine, |machine| {
        let run = run_again(machine, draft)?;
        Some(shown_by(machine, influence, &draft.case, &run, &draft.ids, package, asked))
    });
    let Some(shown) = shown else { return Vec::new() };
    let differs = |at: &usize| shown[*at].as_ref() != Some(&asked[*at].assertion.expectation);
    (0..asked.len()).filter(differs).collect()
}

/// Runs a test from the state in which the machine is.
pub(crate) fn run_again(machine: &mut Machine, draft: &Draft) -> Option<Realization> {
    let Realization { plan, fresh, .. } = &draft.realized;
    let (slots, model) = (&draft.candidate.driver.slots, &draft.candidate.model);
    let run = run_concrete(machine, plan, slots, model, *fresh, FUEL + 5 * draft.fuel);
    let (driver, ended) = run.ok()?;
    Some(Realization { plan: plan.clone(), driver, ended, hits: Vec::new(), fresh: *fresh, fuel: draft.fuel })
}
