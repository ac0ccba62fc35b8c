//! Classes dealt out to threads, each with a machine of its own.
//!
//! A class that panics costs itself: its machine is thrown away, and the thread boots another for the next class.

use crate::panics;
use crate::progress::{Board, Line};
use cupping_generate::{ClassOutcome, GenerateError, Options, Progress, Session};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Stack of a thread in bytes: the JDK's natives call back into the interpreter. Only what is touched takes memory.
const STACK: usize = 64 << 20;

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
    /// What the search is told.
    pub options: &'a Options,
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
        let next = AtomicUsize::new(0);
        let threads = self.jobs.get().min(self.classes.len());
        thread::scope(|scope| {
            let (send, ends) = channel();
            let mut reasons = Vec::new();
            for number in 0..threads {
                let (send, next) = (send.clone(), &next);
                let builder = thread::Builder::new().name(format!("classes-{number}")).stack_size(STACK);
                let spawned = builder.spawn_scoped(scope, move || self.take_classes(next, &send));
                reasons.extend(spawned.err().map(|error| error.to_string()));
            }
            drop(send);
            if reasons.len() == threads {
                let reason = reasons.pop().unwrap_or_default();
                for class in 0..self.classes.len() {
                    let message = format!("no thread could be started: {reason}");
                    done(class, End::Failed(GenerateError::Class(message)));
                }
            }
            for (class, end) in ends {
                done(class, end);
            }
        });
    }

    fn take_classes(&self, next: &AtomicUsize, ends: &Sender<(usize, End)>) {
        let line = self.board.line();
        let mut generator = None;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(class) = self.classes.get(at) else { return };
            let end = if (self.interrupted)() {
                End::NotBegun
            } else {
                line.begin(class);
                self.one(class, &mut generator, &line)
            };
            if ends.send((at, end)).is_err() {
                return;
            }
        }
    }

    fn one(&self, class: &str, generator: &mut Option<G>, line: &Line) -> End {
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
            let outcome = generator.generate(class, self.options, &mut progress);
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

#[cfg(test)]
mod tests;
