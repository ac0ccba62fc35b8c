//! Turns the words of a command line into runs of a command.
//!
//! Three sources determine an option, in this order: the command line, `cupping.toml` ([`configuration_values`]),
//! and the project around the current folder ([`modules`]). The last two become defaults in clap's table, so that
//! they are read, checked and explained like typed options. A command runs once for each module of a project, each
//! time with its class path.

mod configuration_values;
mod modules;
mod staged_command;

use crate::cli::{Cli, as_java_users_type};
use crate::process::console;
use crate::process::exit::Status;
use crate::shared::class_rules::ClassRules;
use crate::shared::source_range::SourceRange;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use configuration_values::ConfigurationValues;
use staged_command::StagedCommand;
use std::ffi::OsString;
use std::process::ExitCode;

/// One run of a command.
#[derive(Debug)]
pub struct Invocation {
    /// The arguments.
    pub cli: Cli,
    /// The same, as clap has them.
    pub matches: ArgMatches,
    /// The table that they were read by.
    pub command: Command,
    /// Options that `cupping.toml` sets, by their identifiers.
    pub configured: Vec<String>,
    /// The module, if the command runs once for each of several.
    pub module: Option<String>,
}

/// The runs that a command line requests. If this fails, the errors have been printed.
///
/// # Errors
///
/// The exit code: a usage error, a mistake in `cupping.toml`, a project that cannot be used.
pub fn read(words: impl Iterator<Item = OsString>) -> Result<Vec<Invocation>, ExitCode> {
    let mut words: Vec<OsString> = as_java_users_type(words).into_iter().collect();
    let table = Cli::command();
    // Values from other sources are missing here, and not required.
    let read = |words: &[OsString]| {
        relaxed(table.clone()).try_get_matches_from(words).unwrap_or_else(|error| error.exit())
    };
    let mut typed = read(&words);
    if let Some(selector) = class_of_place(&typed) {
        // Behind the name of the command.
        words.insert(2, selector.into());
        typed = read(&words);
    }
    let bad_input = |error: String| {
        console::diagnostic(&error);
        ExitCode::from(Status::BAD_INPUT.code())
    };
    if let Some(staged) = staged_command::of(&typed).map_err(bad_input)? {
        return staged.iter().map(|it| read_staged(it).map_err(bad_input)?).collect();
    }
    console::configure(crate::shared::output::console_options(&typed));
    let folder =
        std::env::current_dir().map_err(|error| bad_input(format!("no current folder ({error})")))?;
    let configured = ConfigurationValues::find(&folder, &table).map_err(bad_input)?;
    let table = configured.apply(table);
    let modules = modules::of(&typed, &configured, &folder).map_err(bad_input)?;
    let read = |table: Command, module: Option<String>| {
        let mut command = table.clone();
        command.build();
        let matches =
            command.clone().try_get_matches_from(&words).unwrap_or_else(|error| configured.exit(&error));
        let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| configured.exit(&error));
        let name = matches.subcommand_name().unwrap_or_default();
        if let Some(classes) = cli.command.classes_mut() {
            classes.module.clone_from(&module);
            classes.rules = class_rules(&configured, &table, &matches, &words);
        }
        Invocation { configured: configured.ids(name), cli, matches, command, module }
    };
    if modules.is_empty() {
        return Ok(vec![read(table, None)]);
    }
    let has_several = modules.len() > 1;
    let runs = modules.into_iter().map(|module| {
        let style = module.style();
        let mut run = read(
            module.defaults(table.clone(), &configured, &style),
            has_several.then(|| module.name.clone()),
        );
        // A later run has to write the same, so the first line of a file names the style.
        run.configured.extend(style.iter().map(|(id, _)| (*id).to_owned()));
        if let (Some(selectors), Some(classes)) = (module.selectors, run.cli.command.classes_mut()) {
            classes.selectors = selectors;
        }
        run
    });
    Ok(runs.collect())
}

/// The run of a command at a stage.
fn read_staged(staged: &StagedCommand) -> Result<Result<Invocation, ExitCode>, String> {
    let mut runs = match read(staged.words().into_iter()) {
        Ok(runs) => runs,
        Err(code) => return Ok(Err(code)),
    };
    let (Some(mut run), true) = (runs.pop(), runs.is_empty()) else {
        return Err("the project has several modules, and a plan covers one: name it with --module".into());
    };
    staged.enter(&mut run.cli.command)?;
    Ok(Ok(run))
}

/// What `cupping.toml` sets for some classes. A mistake in it ends the process. The table must not be built yet: its
/// options could no longer be changed.
fn class_rules(
    configured: &ConfigurationValues,
    table: &Command,
    typed: &ArgMatches,
    words: &[OsString],
) -> ClassRules {
    let Some((command, typed)) = typed.subcommand() else { return ClassRules::default() };
    let is_typed = |id: &str| {
        typed.try_contains_id(id).is_ok_and(|there| there)
            && typed.value_source(id) == Some(ValueSource::CommandLine)
    };
    let rules = configured.class_options(command, is_typed);
    let (file, table, command, words) =
        (configured.clone(), table.clone(), command.to_owned(), words.to_vec());
    let read = move |rules: &[usize]| {
        let table = file.apply_rules(table.clone(), &command, rules);
        let matches = table.try_get_matches_from(&words).unwrap_or_else(|error| file.exit(&error));
        matches.subcommand_matches(&command).cloned().unwrap_or_default()
    };
    // Values are checked before anything runs.
    (0..rules.len()).for_each(|rule| drop(read(&[rule])));
    ClassRules::new(rules, read)
}

/// The class that `--at` is about, unless classes are named.
fn class_of_place(typed: &ArgMatches) -> Option<String> {
    let (command, typed) = typed.subcommand()?;
    let place = typed.try_get_one::<SourceRange>("at").ok().flatten()?;
    let is_named = typed.try_get_many::<String>("selectors").ok().flatten().is_some();
    // Mutants are also judged in nested classes of the file.
    let selector = if command == "mutants" { place.package() } else { place.selector() };
    (!is_named).then_some(selector)
}

/// The table without options that have to be there.
fn relaxed(table: Command) -> Command {
    table.mut_subcommands(|command| {
        let has_suite = command.get_arguments().any(|it| it.get_id() == "suite");
        if has_suite { command.mut_arg("suite", |suite| suite.required(false)) } else { command }
    })
}

/// The exit code of several runs: that of the least complete one. A module without tests to write is not a failure
/// if another has some.
pub fn joined(codes: &[ExitCode]) -> ExitCode {
    let found = |code: u8| codes.contains(&ExitCode::from(code));
    let worst = [Status::INTERRUPTED, Status::BAD_INPUT, Status::WRONG].map(Status::code);
    match worst.into_iter().find(|code| found(*code)) {
        Some(code) => ExitCode::from(code),
        None if codes.contains(&ExitCode::SUCCESS) => ExitCode::SUCCESS,
        None => codes.first().copied().unwrap_or(ExitCode::SUCCESS),
    }
}
