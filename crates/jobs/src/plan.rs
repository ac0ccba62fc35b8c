//! Plans: a line for each job, and their division into shards.

use crate::request::Key;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::BufRead;
use std::str::FromStr;
use std::time::Duration;

/// A job of a plan. Its line has everything that a worker needs besides the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The key: a digest of the program, the options, the class and the share. A worker that computes a different
    /// key has different files.
    pub job: Key,
    /// The class, with dots.
    pub class: String,
    /// The share of the budget in nanoseconds.
    pub budget_ns: u64,
    /// The time limit in nanoseconds, if the job has its own.
    pub clock_ns: Option<u64>,
    /// An estimate of the work in milliseconds: the time that it last took, or else derived from share and size.
    pub cost_ms: u64,
    /// The command line, without the name of the program.
    pub words: Vec<String>,
}

impl Job {
    /// The share of the budget.
    pub fn budget(&self) -> Duration {
        Duration::from_nanos(self.budget_ns)
    }

    /// The limit in time.
    pub fn clock(&self) -> Option<Duration> {
        self.clock_ns.map(Duration::from_nanos)
    }

    /// The job as a line, without a line break.
    ///
    /// # Errors
    ///
    /// None is known to occur: the values are texts and numbers only.
    pub fn line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

/// A plan that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The operating system refuses.
    #[error("the plan cannot be read ({0})")]
    Read(#[from] std::io::Error),
    /// A line is not a job.
    #[error("line {line} of the plan is not a job ({why}); `cupping plan` writes plans")]
    Line {
        /// The line, from 1.
        line: usize,
        /// The error.
        why: String,
    },
}

/// Reads the jobs of a plan; empty lines are skipped, and duplicate jobs are merged.
///
/// # Errors
///
/// [`PlanError`].
pub fn read_plan(plan: impl BufRead) -> Result<Vec<Job>, PlanError> {
    let mut seen = std::collections::HashSet::new();
    let is_new = |job: &Result<Job, PlanError>| job.as_ref().map_or(true, |it| seen.insert(it.job.clone()));
    PlanLines::new(plan).filter(is_new).collect()
}

/// The jobs of a plan, each as soon as its line is there; empty lines are skipped.
#[derive(Debug)]
pub struct PlanLines<R> {
    lines: std::io::Lines<R>,
    /// Lines read so far.
    read: usize,
}

impl<R: BufRead> PlanLines<R> {
    /// The jobs of this plan.
    pub fn new(plan: R) -> PlanLines<R> {
        PlanLines { lines: plan.lines(), read: 0 }
    }
}

impl<R: BufRead> Iterator for PlanLines<R> {
    type Item = Result<Job, PlanError>;

    fn next(&mut self) -> Option<Result<Job, PlanError>> {
        loop {
            let text = match self.lines.next()? {
                Ok(text) => text,
                Err(error) => return Some(Err(error.into())),
            };
            self.read += 1;
            if !text.trim().is_empty() {
                let wrong =
                    |error: serde_json::Error| PlanError::Line { line: self.read, why: error.to_string() };
                return Some(serde_json::from_str(&text).map_err(wrong));
            }
        }
    }
}

/// A part of a plan: the `number`th of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

impl Shard {
    /// The whole plan.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// The jobs of this part, in the order of the plan. The costliest job goes first, to the part with the least
    /// cost so far (Graham's LPT rule), so parts cost about the same, and the same plan is always divided in the
    /// same way.
    pub fn of(self, jobs: Vec<Job>) -> Vec<Job> {
        if self.count <= 1 {
            return jobs;
        }
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|at| (Reverse(jobs[*at].cost_ms), *at));
        let mut parts: BinaryHeap<Reverse<(u64, usize)>> =
            (1..=self.count).map(|it| Reverse((0, it))).collect();
        let mut is_ours = vec![false; jobs.len()];
        for at in order {
            let Some(Reverse((sum, part))) = parts.pop() else { break };
            is_ours[at] = part == self.number;
            parts.push(Reverse((sum.saturating_add(jobs[at].cost_ms.max(1)), part)));
        }
        jobs.into_iter().zip(is_ours).filter_map(|(job, ours)| ours.then_some(job)).collect()
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let wrong = || format!("'{text}' is not a shard such as 3/7 (the third of seven)");
        let (number, count) = text.split_once('/').ok_or_else(wrong)?;
        let number: usize = number.parse().map_err(|_| wrong())?;
        let count: usize = count.parse().map_err(|_| wrong())?;
        if number == 0 || number > count { Err(wrong()) } else { Ok(Shard { number, count }) }
    }
}
