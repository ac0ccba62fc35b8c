//! `cupping work`: jobs of a plan, done and kept.

pub mod arguments;

use crate::process::console;
use crate::shared::incoming_jobs::IncomingJobs;
use crate::shared::store::{Stage, WorkerJobs};
use arguments::Arguments;
use cupping_jobs::{Job, Shard, read_plan};
use cupping_report::files::Author;
use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// The command lines to run with their stages: one for all jobs that have the line in common.
///
/// # Errors
///
/// The plan cannot be read.
pub fn stages(args: &Arguments) -> Result<Vec<(Vec<String>, Stage)>, String> {
    if args.stream {
        let incoming = IncomingJobs::open().map_err(|error| error.to_string())?;
        let stage = |jobs: IncomingJobs| {
            (jobs.words(), Stage::Work { jobs: WorkerJobs::Incoming(jobs), threads: NonZeroUsize::new(1) })
        };
        return Ok(incoming.map(stage).into_iter().collect());
    }
    let jobs = args.shard.unwrap_or(Shard::WHOLE).of(plan(args)?);
    let mut groups: Vec<(Vec<String>, Vec<Job>)> = Vec::new();
    for job in jobs {
        match groups.iter_mut().find(|(words, _)| *words == job.words) {
            Some((_, jobs)) => jobs.push(job),
            None => groups.push((job.words.clone(), vec![job])),
        }
    }
    let stage = |(words, jobs)| (words, Stage::Work { jobs: WorkerJobs::Known(jobs), threads: args.jobs });
    Ok(groups.into_iter().map(stage).collect())
}

fn plan(args: &Arguments) -> Result<Vec<Job>, String> {
    let name = args.plan.display();
    if args.plan.as_os_str() == "-" {
        return read_plan(std::io::stdin().lock()).map_err(|error| error.to_string());
    }
    let file = File::open(&args.plan)
        .map_err(|error| format!("{name}: cannot be read ({error}); name a plan, or - for standard input"))?;
    read_plan(BufReader::new(file)).map_err(|error| format!("{name}: {error}"))
}

/// Runs the commands of a plan.
pub fn run(_: &'static Arguments, _: Author) -> ExitCode {
    console::say(&"0 jobs\n");
    ExitCode::SUCCESS
}
