//! The provenance of a generated file for its first line: the command and the options that affect the file.

use clap::ArgMatches;
use clap::Command;
use cupping_report::files::Author;

/// Options that do not affect the content of a file: paths, output, and how the command runs.
const NEUTRAL: [&str; 40] = [
    "modules",
    "no_project",
    "at",
    "edits",
    "since",
    "selectors",
    "classpath",
    "jdk",
    "junit_jar",
    "licence_header",
    "licence_text",
    "source_path",
    "out",
    "json",
    "html",
    "svg",
    "dot",
    "write",
    "stats",
    "save_queries",
    "quiet",
    "verbose",
    "color",
    "jobs",
    "story",
    "notation",
    "conditions",
    "store",
    "threshold",
    "mutation_json",
    "old",
    "new",
    "classes",
    "classpath_old",
    "classpath_new",
    "no_confirm",
    "accept",
    "reason",
    "markdown",
    "sarif",
];

/// The author for these arguments: options that were given, or that `cupping.toml` sets, in the order in which the
/// command declares them.
pub fn of(cli: &Command, matches: &ArgMatches, configured: &[String]) -> Author {
    let Some((name, matches)) = matches.subcommand() else { return Author::default() };
    let Some(command) = cli.find_subcommand(name) else { return Author::default() };
    let mut words: Vec<String> = Vec::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let is_given = matches.try_contains_id(id).unwrap_or(false)
            && (matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine)
                || configured.iter().any(|it| it == id));
        if !is_given || NEUTRAL.contains(&id) {
            continue;
        }
        let dashed = match (argument.get_long(), argument.get_short()) {
            (Some(long), _) => Some(format!("--{long}")),
            (None, Some(short)) => Some(format!("-{short}")),
            (None, None) => None,
        };
        if !argument.get_action().takes_values() {
            words.extend(dashed);
            continue;
        }
        // An option with several values is given once for each, unless one occurrence takes them all.
        for values in matches.get_raw_occurrences(id).into_iter().flatten() {
            words.extend(dashed.clone());
            let values = values.map(|it| it.to_string_lossy().into_owned());
            match argument.get_value_delimiter() {
                Some(delimiter) => {
                    let values: Vec<String> = values.collect();
                    words.push(quoted(&values.join(&delimiter.to_string())));
                }
                None => words.extend(values.map(|it| quoted(&it))),
            }
        }
    }
    Author { command: name.to_owned(), options: words.join(" ") }
}

/// Options on the command line that no first line contains: paths, output, and how the command runs.
pub fn foreign(matches: &ArgMatches) -> impl Iterator<Item = &'static str> {
    NEUTRAL.into_iter().filter(|id| {
        matches.try_contains_id(id).unwrap_or(false)
            && matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine)
    })
}

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./,:=@%+".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, as_java_users_type};
    use clap::CommandFactory;

    #[test]
    fn what_changes_the_text_is_named() {
        for (typed, command, options) in [
            ("generate p.A", "generate", ""),
            (
                "generate p.A -cp x --out y --jobs 2 --seed 3 --include a* --include b --criterion line,path",
                "generate",
                "--include 'a*' --include b --criterion line,path --seed 3",
            ),
            ("generate p.A --all-paths --quiet", "generate", "--all-paths"),
            (
                "generate p.A --seed 3 --method f --suite t --budget 1s --junit 4 -v --color never",
                "generate",
                "--junit 4 --budget 1s --method f --suite t --seed 3",
            ),
            ("dataflow p.A --depth 3 --svg x", "dataflow", "--depth 3"),
            (
                "dataflow p.A --complete --suite s --out x --suite-test T --seed 2 --budget 1s",
                "dataflow",
                "--suite s --suite-test T --complete --budget 1s --seed 2",
            ),
            ("exhaust a.spec --html x --equivalent b c", "exhaust", "a.spec --equivalent b c"),
            ("infer p.A --budget 1s", "infer", "--budget 1s"),
        ] {
            let words = ["cupping"].into_iter().chain(typed.split(' ')).map(std::ffi::OsString::from);
            let mut cli = Cli::command();
            cli.build();
            let matches = cli.clone().get_matches_from(as_java_users_type(words));
            let author = of(&cli, &matches, &[]);
            assert_eq!((author.command.as_str(), author.options.as_str()), (command, options), "{typed}");
        }
    }
}
