//! Classes dealt out to threads, each with a machine of its own.
//!
//! A class that panics costs itself: its machine is thrown away, and the thread boots another for the next class.

use crate::panics;
use crate::progress::{Board, Line};
use cupping_generate::{ClassOutcome, GenerateError, Options, Progress, Session};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

/// Stack of a thread in bytes: the JDK's natives call back into the interpreter. Only what is touched takes memory.
const STACK: usize = 64 << 20;

/// Of a budget that classes share, the part that is dealt out equally in the first round: small, since a class that goes
/// into another round begins anew.
const FIRST_PART: u32 = 4;

/// What generates: a [`Session`], or its stand-in in tests.
pub trait Generator {
    /// As [`Session::generate`].
    fn generate(
        &mut self,
        class: &str,
        options: &Options,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ClassOutcome, GenerateError>;
}

impl Generator for Session {
    fn generate(
        &mut self,
        class: &str,
        options: &Options,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ClassOutcome, GenerateError> {
        Session::generate(self, class, options, progress)
    }
}

/// How the work on a class ended.
#[derive(Debug)]
pub enum End {
    /// With an outcome, perhaps an early one.
    Done(Box<ClassOutcome>),
    /// Nothing could be generated.
    Failed(GenerateError),
    /// Cupping panicked: what it said, and where.
    Panicked(String),
    /// The run was interrupted before.
    NotBegun,
}

/// The work to be done.
pub struct Work<'a, B> {
    /// Internal names of the classes.
    pub classes: &'a [&'a str],
    /// Threads at most.
    pub jobs: NonZeroUsize,
    /// What the search is told; its budget is each class's, unless they share one.
    pub options: &'a Options,
    /// The budget of all classes together.
    pub total: Option<Duration>,
    /// Makes a generator, on the thread that uses it.
    pub boot: B,
    /// Whether the user wants the run to end.
    pub interrupted: fn() -> bool,
    /// Where progress is shown.
    pub board: &'a Board,
}

impl<G: Generator, B: Fn() -> Result<G, GenerateError> + Sync> Work<'_, B> {
    /// Does the work. `done` hears of each class, by its place in the list, on the calling thread, in the order in
    /// which they end.
    pub fn run(&self, mut done: impl FnMut(usize, End)) {
        let everyone: Vec<usize> = (0..self.classes.len()).collect();
        match self.total {
            None => self.round(&everyone, self.options.budget, done),
            Some(total) => self.share(total, everyone, &mut done),
        }
    }

    /// Deals a budget out by need: in rounds, each to the classes that have used up what they got in the one before, and as
    /// long as that is a good deal more. What a class gets depends on the work of all, not on time or the number of threads.
    fn share(&self, total: Duration, everyone: Vec<usize>, done: &mut impl FnMut(usize, End)) {
        let count = |open: &[usize]| u32::try_from(open.len()).unwrap_or(u32::MAX).max(1);
        let mut left = total;
        let mut budget = (total / count(&everyone) / FIRST_PART).max(Duration::from_millis(1));
        let mut open = everyone;
        let mut found: BTreeMap<usize, Box<ClassOutcome>> = BTreeMap::new();
        while !open.is_empty() {
            let mut next = Vec::new();
            self.round(&open, budget, |at, end| match (end, found.remove(&at)) {
                (End::Done(now), before) => {
                    left = left.saturating_sub(now.work);
                    let wants_more = now.wants_more;
                    let best = match before {
                        Some(before) if covered(&before) > covered(&now) => before,
                        _ => now,
                    };
                    if wants_more && !(self.interrupted)() {
                        found.insert(at, best);
                        next.push(at);
                    } else {
                        done(at, End::Done(best));
                    }
                }
                (End::NotBegun, Some(before)) => done(at, End::Done(before)),
                (end, _) => done(at, end),
            });
            next.sort_unstable();
            let part = left / count(&next);
            if part < budget * 3 / 2 {
                break;
            }
            (open, budget) = (next, part);
        }
        for (at, outcome) in found {
            done(at, End::Done(outcome));
        }
    }

    /// Generates for the classes of these places, with this budget for each.
    fn round(&self, places: &[usize], budget: Duration, mut done: impl FnMut(usize, End)) {
        // A small part of a shared budget is soon over on a busy machine; the whole is not.
        let clock = self.total.map(|total| total.max(budget * 2));
        let options = Options { budget, clock, ..self.options.clone() };
        let next = AtomicUsize::new(0);
        let threads = self.jobs.get().min(places.len());
        thread::scope(|scope| {
            let (send, ends) = channel();
            let mut reasons = Vec::new();
            for number in 0..threads {
                let (send, next) = (send.clone(), &next);
                let builder = thread::Builder::new().name(format!("classes-{number}")).stack_size(STACK);
                let options = &options;
                let spawned =
                    builder.spawn_scoped(scope, move || self.take_classes(places, options, next, &send));
                reasons.extend(spawned.err().map(|error| error.to_string()));
            }
            drop(send);
            if reasons.len() == threads {
                let reason = reasons.pop().unwrap_or_default();
                for class in places.iter().copied() {
                    let message = format!("no thread could be started: {reason}");
                    done(class, End::Failed(GenerateError::Class(message)));
                }
            }
            for (class, end) in ends {
                done(class, end);
            }
        });
    }

    fn take_classes(
        &self,
        places: &[usize],
        options: &Options,
        next: &AtomicUsize,
        ends: &Sender<(usize, End)>,
    ) {
        let line = self.board.line();
        let mut generator = None;
        loop {
            let Some(at) = places.get(next.fetch_add(1, Ordering::Relaxed)).copied() else { return };
            let class = self.classes[at];
            let end = if (self.interrupted)() {
                End::NotBegun
            } else {
                line.begin(class);
                self.one(class, options, &mut generator, &line)
            };
            if ends.send((at, end)).is_err() {
                return;
            }
        }
    }

    fn one(&self, class: &str, options: &Options, generator: &mut Option<G>, line: &Line) -> End {
        let mut progress = |progress| {
            line.update(progress);
            !(self.interrupted)()
        };
        let used = generator.take();
        let result = panics::catch(move || {
            let mut generator = match used {
                Some(generator) => generator,
                None => (self.boot)()?,
            };
            let outcome = generator.generate(class, options, &mut progress);
            Ok((generator, outcome))
        });
        match result {
            Err(panic) => End::Panicked(panic),
            Ok(Err(error)) => End::Failed(error),
            Ok(Ok((used, outcome))) => {
                *generator = Some(used);
                outcome.map_or_else(End::Failed, |outcome| End::Done(Box::new(outcome)))
            }
        }
    }
}

/// Lines and branches that an outcome covers.
fn covered(outcome: &ClassOutcome) -> u32 {
    outcome.suite.lines.covered + outcome.suite.branches.covered
}

#[cfg(test)]
mod tests;
