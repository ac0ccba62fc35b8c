//! Jobs that arrive one by one on standard input, while a worker runs.

use crate::process::console;
use cupping_jobs::{Job, Key, PlanError, PlanLines};
use serde::Serialize;
use std::io::{BufReader, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time between two looks at whether the user wants the run to end.
const PATIENCE: Duration = Duration::from_millis(100);

/// The jobs of standard input, which all have the command line of the first one.
#[derive(Clone, Debug)]
pub struct IncomingJobs(Arc<Mutex<Arrivals>>);

#[derive(Debug)]
struct Arrivals {
    first: Option<Job>,
    words: Vec<String>,
    lines: Receiver<Result<Job, PlanError>>,
}

/// What a worker says about a job, as a line of JSON.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    job: &'a Key,
    done: bool,
}

impl IncomingJobs {
    /// Waits for the first job; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The first line is not a job, or the operating system refuses a thread.
    pub fn open() -> Result<Option<IncomingJobs>, PlanError> {
        let (send, lines) = channel();
        // Waiting for input cannot be interrupted on this thread.
        std::thread::Builder::new().name("incoming-jobs".into()).spawn(move || {
            for job in PlanLines::new(BufReader::new(stdin())) {
                if send.send(job).is_err() {
                    return;
                }
            }
        })?;
        let Ok(first) = lines.recv() else { return Ok(None) };
        let first = first?;
        let words = first.words.clone();
        Ok(Some(IncomingJobs(Arc::new(Mutex::new(Arrivals { first: Some(first), words, lines })))))
    }

    /// The command line of all jobs.
    pub fn words(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).words.clone()
    }

    /// Waits for the next job; `None` at the end of the input, or once `is_over`.
    ///
    /// # Errors
    ///
    /// A line is not a job, or its command line is another.
    pub fn next(&self, is_over: fn() -> bool) -> Result<Option<Job>, String> {
        let mut arrivals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = match arrivals.first.take() {
            Some(first) => Some(first),
            None => loop {
                match arrivals.lines.recv_timeout(PATIENCE) {
                    Ok(job) => break Some(job.map_err(|error| error.to_string())?),
                    Err(RecvTimeoutError::Disconnected) => break None,
                    Err(RecvTimeoutError::Timeout) if is_over() => break None,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            },
        };
        match next {
            Some(job) if job.words != arrivals.words => {
                Err(format!("{}: its command line is not that of the first job", job.class))
            }
            next => Ok(next.filter(|_| !is_over())),
        }
    }

    /// Says whether a job's result is in the store now.
    pub fn answer(&self, job: &Job, done: bool) {
        if let Ok(line) = serde_json::to_string(&Answer { job: &job.job, done }) {
            console::answer(&format!("{line}\n"));
        }
    }
}
