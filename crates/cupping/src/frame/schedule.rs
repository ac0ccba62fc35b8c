//! Units of work distributed to threads, each unit with its own session.
//!
//! So the result for a unit does not depend on those before it on the same thread: a machine numbers classes in the
//! order in which they are loaded, and orders of all kinds follow the numbers. A session boots in some hundredths of a
//! second. A unit that panics only affects itself.
//!
//! If units share a budget, this schedule distributes it, in rounds or in equal parts, and a deadline applies to all
//! of them.

use crate::process::panics;
use crate::process::progress::{Board, Line};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Stack of a thread in bytes: the JDK's natives call back into the interpreter. Only used pages take memory.
const STACK: usize = 64 << 20;

/// The divisor of a shared budget for the first round, in which all units get equal parts. The part is small, since
/// a unit that gets another round starts over.
const FIRST_PART: u32 = 4;

/// The work for each unit.
pub trait Work: Sync {
    /// The state that is booted for a unit.
    type Session;
    /// The findings for a unit.
    type Findings: Send;

    /// Boots a session, on the thread that uses it.
    ///
    /// # Errors
    ///
    /// The reason why no work is possible.
    fn boot(&self) -> Result<Self::Session, Failure>;

    /// Does the work of a unit; a class is given by its internal name.
    ///
    /// # Errors
    ///
    /// The reason why nothing was found.
    fn work(
        &self,
        session: &mut Self::Session,
        unit: &str,
        share: Share,
        line: &Line,
    ) -> Result<Self::Findings, Failure>;

    /// The part of its share that a unit used, and whether more would help. Only called in rounds.
    fn need(&self, _: &Self::Findings) -> ShareUsage {
        ShareUsage::default()
    }

    /// The budget of a unit that takes no part in a shared one.
    fn own_budget(&self, _unit: &str) -> Option<Duration> {
        None
    }

    /// Whether a unit ends with the clock of its share. Then all units that share a budget have a deadline.
    fn is_timed(&self) -> bool {
        false
    }
}

/// Why nothing was found for a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The machine did not start. The user is not to blame, and it concerns all units.
    Boot(String),
    /// The user's input has an error.
    Input(String),
    /// The run was interrupted before the unit was done.
    Interrupted,
    /// The time of all units was over before this one's turn.
    Late,
}

/// The end of the work on a unit.
#[derive(Debug)]
pub enum UnitEnd<F> {
    /// Finished with a result, possibly a preliminary one.
    Done(F),
    /// Finished without a result.
    Failed(Failure),
    /// Panicked: message and location.
    Panicked(String),
}

/// The part of the budget that a unit gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Work, as time on a reference machine.
    pub budget: Duration,
    /// Wall-clock limit of the unit, if it is not derived from the budget.
    pub clock: Option<Duration>,
}

/// A unit's use of its share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareUsage {
    /// Work done.
    pub work: Duration,
    /// Whether the share ended while there was more to find.
    pub wants_more: bool,
    /// The amount found: of two results of a unit the one with the higher value is kept.
    pub value: u32,
}

/// How the budget is dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// This much for each unit.
    Each(Duration),
    /// This much for all units together, in equal parts.
    Equally(Duration),
    /// This much for all units together, in rounds: what some units leave goes to those that want more.
    InRounds(Duration),
}

/// The units and how they are worked on.
pub struct Schedule<'a> {
    /// The units.
    pub units: &'a [&'a str],
    /// Threads at most.
    pub jobs: NonZeroUsize,
    /// The budget.
    pub budget: Budget,
    /// Whether the user wants the run to end.
    pub interrupted: fn() -> bool,
    /// Where progress is shown.
    pub board: &'a Board,
}

/// Performs a round: does the work of units with this share; returns the end of each.
pub type Round<'a, F> = dyn FnMut(&[usize], Share, &mut dyn FnMut(usize, UnitEnd<F>)) + 'a;

/// Deals a budget out to units, in as many rounds as it takes: those with a budget of their own get that, and come
/// first. `done` is called once for each unit.
pub fn deal<F>(
    budget: Budget,
    own: &[Option<Duration>],
    need: &dyn Fn(&F) -> ShareUsage,
    is_over: &dyn Fn() -> bool,
    round: &mut Round<'_, F>,
    done: &mut dyn FnMut(usize, UnitEnd<F>),
) {
    let each = |budget| Share { budget, clock: None };
    let mut by_budget: BTreeMap<Duration, Vec<usize>> = BTreeMap::new();
    let mut everyone = Vec::new();
    for (at, own) in own.iter().enumerate() {
        match own {
            Some(own) => by_budget.entry(*own).or_default().push(at),
            None => everyone.push(at),
        }
    }
    for (own, places) in by_budget {
        round(&places, each(own), done);
    }
    if everyone.is_empty() {
        return;
    }
    match budget {
        Budget::Each(budget) => round(&everyone, each(budget), done),
        Budget::Equally(total) => round(&everyone, each(total / count(&everyone)), done),
        Budget::InRounds(total) => share(total, everyone, need, is_over, round, done),
    }
}

/// Distributes a budget by need, in rounds. Each round goes to the units that used up their share in the previous
/// one, as long as the new share is considerably larger. Shares depend on the work of all units, not on time or the
/// number of threads.
fn share<F>(
    total: Duration,
    everyone: Vec<usize>,
    need: &dyn Fn(&F) -> ShareUsage,
    is_over: &dyn Fn() -> bool,
    round: &mut Round<'_, F>,
    done: &mut dyn FnMut(usize, UnitEnd<F>),
) {
    let mut left = total;
    let mut budget = rounded(total / count(&everyone) / FIRST_PART);
    let mut open = everyone;
    let mut found: BTreeMap<usize, F> = BTreeMap::new();
    while !open.is_empty() {
        let mut next = Vec::new();
        // A small share is soon over on a busy machine; the whole budget is not. A deadline leaves less.
        let share = Share { budget, clock: Some(total.max(budget * 2)) };
        round(&open, share, &mut |at, end| match (end, found.remove(&at)) {
            (UnitEnd::Done(now), before) => {
                let ShareUsage { work, wants_more, value } = need(&now);
                // Writing the tests may exceed the share, as it may exceed a budget for one class.
                left = left.saturating_sub(work.min(budget));
                let best = match before {
                    Some(before) if need(&before).value > value => before,
                    _ => now,
                };
                if wants_more && !is_over() {
                    found.insert(at, best);
                    next.push(at);
                } else {
                    done(at, UnitEnd::Done(best));
                }
            }
            (UnitEnd::Failed(Failure::Interrupted | Failure::Late), Some(before)) => {
                done(at, UnitEnd::Done(before))
            }
            (end, _) => done(at, end),
        });
        next.sort_unstable();
        let part = rounded(left / count(&next));
        if part < budget * 3 / 2 || is_over() {
            break;
        }
        (open, budget) = (next, part);
    }
    for (at, found) in found {
        done(at, UnitEnd::Done(found));
    }
}

/// A share rounded to four binary digits after the first, in milliseconds: shares stay the same if few of many units
/// have changed, so that stored results of the others remain valid.
fn rounded(share: Duration) -> Duration {
    let milliseconds = u64::try_from(share.as_millis()).unwrap_or(u64::MAX).max(1);
    let low = milliseconds.ilog2().saturating_sub(4);
    Duration::from_millis(milliseconds >> low << low)
}

impl Schedule<'_> {
    /// Does the work. `done` is called once for each unit, by its index, on the calling thread, in the order in
    /// which they end.
    pub fn run<W: Work>(&self, work: &W, mut done: impl FnMut(usize, UnitEnd<W::Findings>)) {
        let need = |found: &W::Findings| work.need(found);
        let own: Vec<Option<Duration>> = self.units.iter().map(|unit| work.own_budget(unit)).collect();
        let deadline = self.deadline(work, own.iter().flatten().sum());
        let is_over = || (self.interrupted)() || deadline.is_some_and(|it| it <= Instant::now());
        let mut round =
            |places: &[usize], share: Share, done: &mut dyn FnMut(usize, UnitEnd<W::Findings>)| {
                self.round_until(deadline, work, places, share, done);
            };
        deal(self.budget, &own, &need, &is_over, &mut round, &mut done);
    }

    /// When the time of all units is over, if they share it; `own` is what some have for themselves.
    fn deadline<W: Work>(&self, work: &W, own: Duration) -> Option<Instant> {
        let own = own / u32::try_from(self.jobs.get()).unwrap_or(u32::MAX);
        match self.budget {
            // Without a budget there is no search; deduction without a budget is not cut off.
            Budget::Equally(total) | Budget::InRounds(total) if work.is_timed() && !total.is_zero() => {
                Instant::now().checked_add(slack(total.saturating_add(own)))
            }
            _ => None,
        }
    }

    /// Works on the units with these indices, each with this share.
    pub fn round<W: Work>(
        &self,
        work: &W,
        places: &[usize],
        share: Share,
        done: impl FnMut(usize, UnitEnd<W::Findings>),
    ) {
        self.round_until(None, work, places, share, done);
    }

    fn round_until<W: Work>(
        &self,
        deadline: Option<Instant>,
        work: &W,
        places: &[usize],
        share: Share,
        mut done: impl FnMut(usize, UnitEnd<W::Findings>),
    ) {
        let next = AtomicUsize::new(0);
        let threads = self.jobs.get().min(places.len());
        thread::scope(|scope| {
            let (send, ends) = channel();
            let mut reasons = Vec::new();
            for number in 0..threads {
                let (send, next) = (send.clone(), &next);
                let builder = thread::Builder::new().name(format!("units-{number}")).stack_size(STACK);
                let timed = TimedShare { share, deadline, threads };
                let spawned =
                    builder.spawn_scoped(scope, move || self.take_units(work, places, timed, next, &send));
                reasons.extend(spawned.err().map(|error| error.to_string()));
            }
            drop(send);
            if reasons.len() == threads {
                let reason = reasons.pop().unwrap_or_default();
                for unit in places.iter().copied() {
                    let message = format!("no thread could be started: {reason}");
                    done(unit, UnitEnd::Failed(Failure::Input(message)));
                }
            }
            for (unit, end) in ends {
                done(unit, end);
            }
        });
    }

    fn take_units<W: Work>(
        &self,
        work: &W,
        places: &[usize],
        timed: TimedShare,
        next: &AtomicUsize,
        ends: &Sender<(usize, UnitEnd<W::Findings>)>,
    ) {
        let line = self.board.line();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(at) = places.get(turn).copied() else { return };
            let end = if (self.interrupted)() {
                UnitEnd::Failed(Failure::Interrupted)
            } else if let Some(share) = timed.now(places.len() - turn) {
                line.begin(self.units[at]);
                one(work, self.units[at], share, &line)
            } else {
                UnitEnd::Failed(Failure::Late)
            };
            if ends.send((at, end)).is_err() {
                return;
            }
        }
    }
}

/// The clock of a share of the budget: a quarter more, for started work and for a busy machine.
pub fn slack(budget: Duration) -> Duration {
    budget.saturating_add(budget / 4)
}

/// A share for units that have a deadline together.
#[derive(Clone, Copy)]
struct TimedShare {
    share: Share,
    deadline: Option<Instant>,
    threads: usize,
}

impl TimedShare {
    /// The share of the next unit, with this many units left; `None` if the time is over.
    fn now(self, units: usize) -> Option<Share> {
        let Some(deadline) = self.deadline else { return Some(self.share) };
        let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        Some(self.within(left, units))
    }

    /// The share with this much time left: what each unit can have, or the clock of the budget if that is more.
    fn within(self, left: Duration, units: usize) -> Share {
        let fair = left.mul_f64((self.threads as f64 / units.max(1) as f64).min(1.0));
        let clock = fair.max(slack(self.share.budget)).min(left);
        Share { clock: Some(clock), ..self.share }
    }
}

fn one<W: Work>(work: &W, unit: &str, share: Share, line: &Line) -> UnitEnd<W::Findings> {
    match panics::catch(|| work.work(&mut work.boot()?, unit, share, line)) {
        Err(panic) => UnitEnd::Panicked(panic),
        Ok(Err(failure)) => UnitEnd::Failed(failure),
        Ok(Ok(found)) => UnitEnd::Done(found),
    }
}

/// The number of parts of a budget; at least one.
fn count(units: &[usize]) -> u32 {
    u32::try_from(units.len()).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests;
