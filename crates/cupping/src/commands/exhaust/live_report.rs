//! Output on standard error while inputs are checked: their number and rate, what the specification leaves open, and
//! the first counterexample of each cause.

use crate::process::console;
use crate::process::interrupt;
use crate::process::progress::Counter;
use cupping_exhaust::freedom::Freedom;
use cupping_exhaust::{Cause, CheckResult, Specification, cause, example};
use cupping_relation::{Error as Doubt, Instance};
use std::time::{Duration, Instant};

/// A run that takes longer shows counterexamples before it ends.
const SHORT: Duration = Duration::from_secs(1);
/// Without a terminal, a line is printed after this time, and then whenever the time has doubled.
const FIRST_LINE: Duration = Duration::from_secs(5);

/// Progress of a check or count.
pub struct LiveReport<'a> {
    specification: &'a Specification,
    freedom: Freedom<'a>,
    counter: Counter,
    start: Instant,
    line_after: Duration,
    found: u64,
    shown: Vec<Cause>,
}

impl<'a> LiveReport<'a> {
    /// A report of a run that starts now.
    pub fn new(specification: &'a Specification) -> LiveReport<'a> {
        LiveReport {
            specification,
            freedom: Freedom::new(specification),
            counter: Counter::new(),
            start: Instant::now(),
            line_after: FIRST_LINE,
            found: 0,
            shown: Vec::new(),
        }
    }

    /// Another input has been found.
    pub fn input(&mut self, found: &Instance) {
        self.found += 1;
        // A condition that cannot be evaluated is reported by the check itself.
        if let Ok(true) = self.freedom.look(found) {
            self.counter.above(|| warn(self.specification, &self.freedom.doubts()));
        }
    }

    /// The progress so far.
    pub fn update(&mut self, so_far: &CheckResult) {
        let text = || format!("{} inputs, {} counterexamples", so_far.inputs, so_far.failed());
        if so_far.inputs.is_power_of_two() || so_far.inputs.is_multiple_of(1000) {
            interrupt::so_far(format!("at least {} so far", text()));
        }
        let specification = self.specification;
        let new = so_far.groups.iter().filter(|it| !self.shown.contains(&it.cause));
        let new: Vec<_> = if self.start.elapsed() < SHORT { Vec::new() } else { new.collect() };
        for group in new {
            self.shown.push(group.cause.clone());
            if let Some(first) = group.examples.first() {
                let cause = cause(specification, &group.cause);
                let first = example(specification, group, first);
                let text = format!("after {} inputs: {cause}\n{first}", so_far.inputs);
                self.counter.above(|| console::interim_result(&text));
            }
        }
        self.progress(text);
    }

    /// The number of inputs counted so far.
    pub fn counted(&mut self, inputs: u64) {
        self.found = inputs;
        self.progress(|| format!("{inputs} inputs"));
    }

    fn progress(&mut self, done: impl Fn() -> String) {
        let elapsed = self.start.elapsed();
        let text = || {
            let rate = self.found as f64 / elapsed.as_secs_f64().max(0.1);
            let free = self.freedom.free();
            let free = if free.is_empty() { String::new() } else { format!("; free: {}", free.join(", ")) };
            format!("{} ({rate:.0} a second{free})", done())
        };
        if elapsed >= self.line_after {
            self.line_after *= 2;
            if !self.counter.is_drawn() {
                console::interim_result(&format!("cupping: {} so far\n", text()));
            }
        }
        self.counter.update(text);
    }

    /// Removes the progress line, and returns the doubts that the inputs raised.
    pub fn finish(self) -> Vec<Doubt> {
        self.counter.clear();
        self.freedom.doubts()
    }
}

/// Prints warnings about the specification, unless the user wants errors only.
pub fn warn(specification: &Specification, warnings: &[Doubt]) {
    for warning in warnings.iter().filter(|_| !console::is_quiet()) {
        console::diagnostic(&warning.warning(&specification.file, &specification.text).to_string());
    }
}
