//! The command line: the global help, and the option forms that users of `java` type.

use crate::commands::Command;
use clap::{CommandFactory, Parser};
use std::ffi::OsString;

/// Generates the tests that Java code is missing.
///
/// Cupping runs compiled Java on a virtual machine of its own, finds inputs that take every branch, and writes
/// JUnit tests that compile and pass on your JDK.
#[derive(Debug, Parser)]
#[command(name = "cupping", version, disable_help_subcommand = false, max_term_width = 100)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that `java` writes with one dash, and Cupping's form of them.
const AS_JAVA: [(&str, &str); 6] = [
    ("-cp", "--classpath"),
    ("-classpath", "--classpath"),
    ("-jar", "--jar"),
    ("-ea", "--enable-assertions"),
    ("-enableassertions", "--enable-assertions"),
    ("-version", "--version"),
];

/// The arguments with `-cp` and similar options of `java` in the form with two dashes. Arguments of a program that
/// is run stay as they are.
pub fn as_java_users_type(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut typed = Vec::new();
    let mut all_are_values = false;
    let (mut command, mut is_value) = (None::<OsString>, false);
    for arg in args {
        let text = arg.to_str().unwrap_or_default().to_owned();
        let is_run = command.as_deref().is_some_and(|it| it == "run" || it == "watch");
        all_are_values |= arg == "--";
        if all_are_values || is_value {
            let is_jar = !all_are_values && typed.last().is_some_and(|it| it == "--jar");
            is_value = false;
            typed.push(arg);
            // The program's arguments follow the jar.
            if is_jar && is_run {
                all_are_values = true;
                typed.push("--".into());
            }
            continue;
        }
        if !text.starts_with('-') {
            match command {
                // The main class: the following arguments belong to the program.
                Some(_) if is_run => {
                    all_are_values = true;
                    typed.push("--".into());
                }
                Some(_) => {}
                None if !typed.is_empty() => command = Some(arg.clone()),
                None => {}
            }
            typed.push(arg);
            continue;
        }
        let long = AS_JAVA.iter().find(|(short, _)| *short == text).map(|(_, long)| *long);
        let limit = ["heap", "stack"].into_iter().zip(["-Xmx", "-Xss"]);
        let limit = limit.filter_map(|(name, short)| Some((name, text.strip_prefix(short)?))).next();
        match (long, limit) {
            (Some(long), _) if is_run || long == "--classpath" => typed.push(long.into()),
            (_, Some((name, size))) if is_run => typed.push(format!("--{name}={size}").into()),
            _ => typed.push(arg),
        }
        is_value = is_run
            && typed.last().zip(command.as_deref()).is_some_and(|(it, command)| {
                takes_value(&command.to_string_lossy(), it.to_str().unwrap_or_default())
            });
    }
    typed
}

/// Whether this option of `run` or `watch` takes the next argument as its value.
fn takes_value(command: &str, option: &str) -> bool {
    let cli = Cli::command();
    let Some(run) = cli.find_subcommand(command) else { return false };
    run.get_arguments().filter(|it| !it.is_positional()).any(|it| {
        let names = it.get_long_and_visible_aliases().unwrap_or_default();
        let long = option.strip_prefix("--").is_some_and(|name| names.contains(&name));
        let short = it.get_short().is_some_and(|letter| option == format!("-{letter}"));
        (long || short) && it.get_action().takes_values()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_the_arguments_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn class_paths_may_be_typed_as_for_java() {
        let typed = ["cupping", "generate", "-cp", "a:b", "--", "-cp"].map(OsString::from);
        let read = as_java_users_type(typed.into_iter());
        assert_eq!(read, ["cupping", "generate", "--classpath", "a:b", "--", "-cp"].map(OsString::from));
    }

    #[test]
    fn arguments_of_the_program_are_not_rewritten() {
        let cases = [
            (
                "run -cp a -Dx=y -ea Main -cp -Dz",
                "run --classpath a -Dx=y --enable-assertions -- Main -cp -Dz",
            ),
            ("run -Xmx64m -jar a.jar -x Main", "run --heap=64m --jar a.jar -- -x Main"),
            ("run --seed 3 -- Main -ea", "run --seed 3 -- Main -ea"),
        ];
        for (typed, expected) in cases {
            let words = |text: &str| -> Vec<OsString> {
                ["cupping"].into_iter().chain(text.split(' ')).map(OsString::from).collect()
            };
            let read = as_java_users_type(words(typed).into_iter());
            assert_eq!(read, words(expected), "{typed}");
            let cli = Cli::parse_from(read);
            let Command::Run(args) = cli.command else { panic!("run is run") };
            assert!(!args.program.words.is_empty(), "{typed}");
        }
    }

    /// Help is in the same order everywhere.
    #[test]
    fn every_option_has_a_heading() {
        let mut cli = Cli::command();
        cli.build();
        for command in cli.get_subcommands().filter(|it| it.get_name() != "help") {
            let options = command.get_arguments().filter(|it| !it.is_positional());
            for option in options.filter(|it| !matches!(it.get_id().as_str(), "help" | "version")) {
                assert!(option.get_help_heading().is_some(), "{} {option}", command.get_name());
            }
        }
    }
}
