//! `plan`, `work` and `merge` run other commands, each at one of their stages.

use crate::cli::Cli;
use crate::commands::{Command, merge, plan, work};
use crate::shared::store::Stage;
use clap::{ArgMatches, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

/// A command line that runs instead of the typed one.
#[derive(Debug)]
pub struct StagedCommand {
    words: Vec<String>,
    stage: Stage,
    store: Option<PathBuf>,
}

/// The command to run instead of the typed one; `None` if the typed one runs itself.
///
/// # Errors
///
/// The plan cannot be read, or the planned command has no stages.
pub fn of(typed: &ArgMatches) -> Result<Option<Vec<StagedCommand>>, String> {
    if !matches!(typed.subcommand_name(), Some("plan" | "work" | "merge")) {
        return Ok(None);
    }
    let cli = Cli::from_arg_matches(typed).map_err(|error| error.to_string())?;
    let (stages, store) = match &cli.command {
        Command::Plan(args) => (vec![plan::stage(args)], None),
        Command::Merge(args) => (vec![merge::stage(args)], None),
        Command::Work(args) => (work::stages(args)?, args.store.clone()),
        _ => return Ok(None),
    };
    // If there are no jobs, the command reports it.
    let staged =
        stages.into_iter().map(|(words, stage)| StagedCommand { words, stage, store: store.clone() });
    Ok(Some(staged.collect()).filter(|it: &Vec<StagedCommand>| !it.is_empty()))
}

impl StagedCommand {
    /// The words of the command line, the program's name first.
    pub fn words(&self) -> Vec<OsString> {
        std::iter::once("cupping").chain(self.words.iter().map(String::as_str)).map(OsString::from).collect()
    }

    /// Sets the stage at which the command runs.
    ///
    /// # Errors
    ///
    /// It has no stages.
    pub fn enter(&self, command: &mut Command) -> Result<(), String> {
        let Some(store) = command.store_mut() else {
            let name = self.words.first().map_or("nothing", String::as_str);
            return Err(format!(
                "{name} cannot be planned; generate, infer, dataflow, exhaust, mutants, diff and check can"
            ));
        };
        store.stage = self.stage.clone();
        if self.store.is_some() {
            store.store.clone_from(&self.store);
        }
        Ok(())
    }
}
