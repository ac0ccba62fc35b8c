//! `--store`: the folder that keeps results of classes, and the stage of a larger run that this one is.

use crate::shared::incoming_jobs::IncomingJobs;
use clap::Args;
use cupping_jobs::Job;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Arguments of commands whose results can be kept.
#[derive(Clone, Debug, Default, Args)]
pub struct StoreArgs {
    /// Keep the result of each class in this folder; as long as nothing that it depends on has changed, the class is
    /// not processed again
    ///
    /// Several runs, also on several computers, may use one folder at the same time. A URL such as s3://bucket/name is
    /// a place in an object store (docs/scale.md).
    #[arg(long, value_name = "DIR", help_heading = "Search")]
    pub store: Option<PathBuf>,

    /// The stage that this run performs.
    #[arg(skip)]
    pub stage: Stage,
}

/// The jobs of a worker.
#[derive(Clone, Debug)]
pub enum WorkerJobs {
    /// All of them are known.
    Known(Vec<Job>),
    /// They arrive one by one.
    Incoming(IncomingJobs),
}

/// The stage of a command that a run performs.
#[derive(Clone, Debug, Default)]
pub enum Stage {
    /// Everything.
    #[default]
    All,
    /// It only says which jobs are to be done.
    Plan {
        /// The command line, for the workers.
        words: Vec<String>,
    },
    /// It does these jobs, and keeps their results.
    Work {
        /// The jobs.
        jobs: WorkerJobs,
        /// Threads, if not as the command line says.
        threads: Option<NonZeroUsize>,
    },
    /// It puts together what is kept.
    Merge,
}

impl StoreArgs {
    /// Whether results are kept, planned or merged.
    pub fn is_wanted(&self) -> bool {
        self.store.is_some() || !matches!(self.stage, Stage::All)
    }

    /// Whether results may be kept in a run that `part` restricts to parts of classes, if it is given: a store,
    /// which may be named in `cupping.toml`, contains the results of whole classes.
    ///
    /// # Errors
    ///
    /// Such a run cannot be planned.
    pub fn keeps(&self, part: Option<&str>) -> Result<bool, String> {
        match (part, &self.stage) {
            (None, _) => Ok(true),
            (Some(_), Stage::All) => Ok(false),
            (Some(part), _) => Err(format!("{part} cannot be planned")),
        }
    }
}

impl Stage {
    /// Whether classes are worked on at this stage.
    pub fn works(&self) -> bool {
        matches!(self, Stage::All | Stage::Work { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_classes_are_neither_kept_nor_planned() {
        let all = StoreArgs::default();
        assert_eq!((all.keeps(None), all.keeps(Some("--at"))), (Ok(true), Ok(false)));
        for stage in [Stage::Plan { words: Vec::new() }, Stage::Merge] {
            let planned = StoreArgs { stage, ..StoreArgs::default() };
            assert_eq!(planned.keeps(None), Ok(true));
            assert_eq!(planned.keeps(Some("--at")), Err("--at cannot be planned".into()));
        }
    }
}
