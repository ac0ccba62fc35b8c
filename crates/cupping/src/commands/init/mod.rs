//! `cupping init`: a `cupping.toml` with every option as a comment.

pub mod arguments;

use crate::cli::Cli;
use crate::process::console;
use crate::shared::write;
use arguments::Arguments;
use clap::{Arg, ArgAction, CommandFactory};
use cupping_project::FILE_NAME;
use cupping_report::files::Author;
use std::process::ExitCode;

/// The start of the file.
const HEAD: &str = "\
# Options that Cupping uses in this project. Remove the `#` from those that you want to set.
# Options on the command line override this file, and this file overrides what Cupping finds out by itself.
#
# An option before the first table applies to every command that has it:
#junit = 5
";
/// Commands that have nothing to set.
const WITHOUT: [&str; 8] = ["help", "completions", "man", "doctor", "solve", "spec", "project", "init"];

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    let file = args.folder.clone().unwrap_or_default().join(FILE_NAME);
    let written = match file.exists() {
        true => Err(format!("{}: already exists; edit it, or delete it first", file.display())),
        false => write::file(&file, text().as_bytes(), "name a writable folder"),
    };
    match written {
        Ok(()) => {
            console::say(&format!("{}\n", file.display()));
            ExitCode::SUCCESS
        }
        Err(error) => ExitCode::from(console::bad_input(&error).code()),
    }
}

/// The file, from the table of commands.
fn text() -> String {
    let mut cli = Cli::command();
    cli.build();
    let mut text = HEAD.to_owned();
    for command in cli.get_subcommands().filter(|it| !WITHOUT.contains(&it.get_name())) {
        text.push_str(&format!(
            "\n# {}\n[{}]\n",
            command.get_about().map(ToString::to_string).unwrap_or_default(),
            command.get_name()
        ));
        for argument in command.get_arguments() {
            text.push_str(&option(argument).unwrap_or_default());
        }
    }
    text
}

/// The lines of an option: its meaning, and its key with an example.
fn option(argument: &Arg) -> Option<String> {
    let shown = Some(argument).filter(|it| !it.is_hide_set())?;
    let name = shown.get_long().filter(|name| !matches!(*name, "help" | "version" | "no-project"))?;
    let help = argument.get_help()?.to_string();
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect();
    let takes_values = argument.get_action().takes_values();
    let choice =
        if takes_values && !values.is_empty() { format!(" ({})", values.join(", ")) } else { String::new() };
    let default: Vec<String> =
        argument.get_default_values().iter().map(|it| it.to_string_lossy().into_owned()).collect();
    let placeholder =
        argument.get_value_names().and_then(|names| names.first()).map_or("VALUE", |name| name.as_str());
    let value = match (takes_values, default.first()) {
        (false, _) => "true".to_owned(),
        (true, Some(default)) if default.parse::<i64>().is_ok() => default.clone(),
        (true, Some(default)) => format!("\"{default}\""),
        (true, None) if matches!(argument.get_action(), ArgAction::Append) => format!("[\"{placeholder}\"]"),
        (true, None) => format!("\"{placeholder}\""),
    };
    Some(format!("# {help}{choice}\n#{name} = {value}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_project::Configuration;

    /// Without the comment sign, each line must be a valid option, as a user would enable it.
    #[test]
    fn every_line_is_an_option_once_its_comment_is_taken_away() {
        let plain: String = text()
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(rest) if !rest.starts_with(' ') && !rest.is_empty() => format!("{rest}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let read = Configuration::parse(FILE_NAME.into(), plain).unwrap();
        assert!(read.entries.len() > 60, "{}", read.entries.len());
        assert!(
            read.entries.iter().any(|it| it.command.as_deref() == Some("generate") && it.key == "budget")
        );
    }
}
