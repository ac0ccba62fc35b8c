//! `--update`: rewrites failing tests with the command and options of their first line.

use super::arguments::Arguments;
use super::inventory::GeneratedFile;
use crate::commands::{dataflow, generate, infer};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::shared::provenance;
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use cupping_classfile::{PATH_SEPARATOR, Program};
use cupping_report::files::{Author, FirstLine, Mark, remove_generated};
use cupping_report::framework::Framework;
use cupping_report::test_check::CheckReport;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The result of an update.
#[derive(Debug, Default)]
pub struct Update {
    /// Files that were written or removed, as a person types their paths.
    pub files: Vec<String>,
    /// The effect on the exit code.
    pub status: Status,
}

/// Rewrites the tests of each class with a failing test.
pub fn update(args: &Arguments, program: &Program, found: &[GeneratedFile], all: &CheckReport) -> Update {
    let failing: BTreeSet<&str> = all.open().map(|it| it.file.as_str()).collect();
    let mut update = Update::default();
    // One run writes all files of a class: its tests, and its failing inputs.
    let mut runs: BTreeMap<(&str, &str, &str), &GeneratedFile> = BTreeMap::new();
    for standing in found.iter().filter(|it| failing.contains(it.shown.as_str())) {
        let FirstLine { subject, command, options, .. } = &standing.first;
        if standing.edited {
            let why =
                "was edited since Cupping wrote it, and is kept; correct it, or delete it and run again";
            console::warning(&format!("{} {why}", standing.shown));
        } else if program.require(&subject.replace('.', "/")).is_err() {
            update.remove(standing);
        } else {
            runs.insert((subject, command, options), standing);
        }
    }
    for standing in runs.into_values() {
        if interrupted() {
            return update;
        }
        update.write(args, program, standing);
    }
    update.files.sort();
    update.files.dedup();
    update
}

impl Update {
    /// Removes the tests of a class that is gone.
    fn remove(&mut self, standing: &GeneratedFile) {
        match remove_generated(&standing.path, Mark::Slashes) {
            Ok(true) => {
                console::say(&format!(
                    "{} no longer exists; {} was removed\n",
                    standing.first.subject, standing.shown
                ));
                self.files.push(standing.shown.clone());
            }
            Ok(false) => {}
            Err(error) => {
                let status = console::bad_input(&format!(
                    "{}: cannot be removed ({error}); delete it by hand",
                    standing.shown
                ));
                self.status.add(status);
            }
        }
    }

    /// Runs the command of a file's first line once more.
    fn write(&mut self, args: &Arguments, program: &Program, standing: &GeneratedFile) {
        let FirstLine { command, subject, options, .. } = &standing.first;
        let mut recorded = split(&options.replace("\\\\", "\\"));
        let mut options = options.clone();
        if let Some(budget) = args.budget.budget {
            recorded = with_budget(recorded, budget);
            options = recorded.iter().map(|it| provenance::quoted(it)).collect::<Vec<_>>().join(" ");
        }
        let author = Author { command: command.clone(), options };
        let folder = standing.path.parent().unwrap_or(&standing.root);
        let before = texts(folder);
        console::say(&format!("{subject}: its tests were rewritten\n"));
        let words = words(args, program, standing, recorded);
        let ended = match command.as_str() {
            "generate" => parsed(&words, args.unconfined).map(|it| generate::run(it, author)),
            "dataflow" => parsed(&words, args.unconfined).map(|it| dataflow::run(it, author)),
            "infer" => parsed(&words, args.unconfined).map(|it| infer::run(it, author)),
            other => Err(format!("run `cupping {other}` again by hand")),
        };
        match ended {
            // The following check reports that nothing was written.
            Ok(code) if code == ExitCode::SUCCESS || code == ExitCode::from(Status::EMPTY.code()) => {}
            Ok(_) => self.status.add(Status::WRONG),
            Err(error) => self.status.add(console::bad_input(&format!("{}: {error}", standing.shown))),
        }
        let after = texts(folder);
        let changed = before.keys().chain(after.keys()).filter(|it| before.get(*it) != after.get(*it));
        let near = Path::new(&standing.shown).parent().unwrap_or(Path::new(""));
        self.files.extend(changed.map(|name| near.join(name).display().to_string()));
    }
}

/// The Java files of a folder by name.
fn texts(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let java = entries.filter(|it| it.path().extension().is_some_and(|it| it == "java"));
    java.filter_map(|it| Some((it.file_name().into_string().ok()?, fs::read(it.path()).ok()?))).collect()
}

/// The words of the command line, after the command.
fn words(
    args: &Arguments,
    program: &Program,
    standing: &GeneratedFile,
    recorded: Vec<String>,
) -> Vec<String> {
    let entries: Vec<String> =
        program.class_path().entries().map(|it| it.path().display().to_string()).collect();
    let mut words = vec![
        standing.first.subject.clone(),
        "--classpath".into(),
        entries.join(&PATH_SEPARATOR.to_string()),
        "--jdk".into(),
        program.jdk().home().display().to_string(),
        "--out".into(),
        standing.root.display().to_string(),
    ];
    for jar in &args.junit.junit_jar {
        words.extend(["--junit-jar".into(), jar.display().to_string()]);
    }
    if !recorded.iter().any(|it| it == "--junit") {
        // The project said it when the file was written.
        let framework = match standing.file.framework {
            Framework::Junit4 => "4",
            Framework::Junit5 => "5",
            Framework::TestNg => "testng",
        };
        words.extend(["--junit".into(), framework.into()]);
    }
    if args.unconfined && !recorded.iter().any(|it| it == "--unconfined") {
        words.push("--unconfined".into());
    }
    if let Some(jobs) = args.budget.jobs.jobs {
        words.extend(["--jobs".into(), jobs.to_string()]);
    }
    words.extend(recorded);
    words
}

/// The options of a first line with this budget instead of theirs, which `--work` may also set.
fn with_budget(recorded: Vec<String>, budget: Duration) -> Vec<String> {
    let mut name = "--budget";
    let mut words = Vec::new();
    let mut recorded = recorded.into_iter();
    while let Some(word) = recorded.next() {
        match word.split_once('=').map_or((word.as_str(), false), |(option, _)| (option, true)) {
            ("--work", has_value) => {
                name = "--work";
                if !has_value {
                    recorded.next();
                }
            }
            ("--budget", false) => drop(recorded.next()),
            ("--budget", true) => {}
            _ => words.push(word),
        }
    }
    words.extend([name.to_owned(), format!("{}ms", budget.as_millis().max(1))]);
    words
}

/// The arguments of a command by themselves.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct RecordedArguments<A: Args> {
    #[command(flatten)]
    arguments: A,
}

/// Neutral options that [`words`] adds itself.
const OURS: [&str; 6] = ["selectors", "classpath", "jdk", "out", "junit_jar", "jobs"];

/// The arguments of a command, which live as long as the process. Anybody may have written the first line of a file,
/// so options that name a path or disable confinement are refused.
fn parsed<A: Args>(words: &[String], may_be_unconfined: bool) -> Result<&'static A, String> {
    let refused = |why: &str| format!("the options in its first line cannot be used ({why})");
    let first_line = |error: clap::Error| error.to_string().lines().next().unwrap_or_default().to_owned();
    let matches = RecordedArguments::<A>::command()
        .try_get_matches_from(words)
        .map_err(|error| refused(&first_line(error)))?;
    if let Some(option) = provenance::foreign(&matches).find(|it| !OURS.contains(it)) {
        let option = option.replace('_', "-");
        return Err(refused(&format!("--{option} is not an option that Cupping writes into first lines")));
    }
    let is_unconfined = matches.try_get_one::<bool>("unconfined").ok().flatten().copied().unwrap_or(false);
    if is_unconfined && !may_be_unconfined {
        return Err(refused("it asks for --unconfined; if you trust the file, give check --unconfined"));
    }
    let read =
        RecordedArguments::<A>::from_arg_matches(&matches).map_err(|error| refused(&first_line(error)))?;
    Ok(Box::leak(Box::new(read.arguments)))
}

/// Splits the words of a first line: separated by spaces, in single quotes where needed.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for character in text.chars() {
        match character {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::{parsed, split, with_budget};
    use crate::commands::generate::arguments::Arguments;
    use std::time::Duration;

    #[test]
    fn a_first_line_names_no_places_and_takes_no_confinement_away() {
        let read = |line: &str, may_be_unconfined| {
            let typed = format!("p.A --classpath c --jdk j --out o {line}");
            parsed::<Arguments>(&split(&typed), may_be_unconfined).map(|_| ())
        };
        assert_eq!(read("--seed 3 --junit 4", false), Ok(()));
        for line in ["--html /etc", "--json=/etc/x", "--store /x", "--source-path /", "--unconfined"] {
            let error = read(line, false).unwrap_err();
            let option = line.split([' ', '=']).next().unwrap();
            assert!(error.contains(option), "{line}: {error}");
        }
        assert_eq!(read("--unconfined", true), Ok(()));
        assert!(read("--html /etc", true).is_err());
    }

    #[test]
    fn a_budget_takes_the_place_of_the_recorded_one() {
        let budget = Duration::from_millis(2500);
        for (line, expected) in [
            ("", "--budget 2500ms"),
            ("--seed 3", "--seed 3 --budget 2500ms"),
            ("--budget 1s --seed 3", "--seed 3 --budget 2500ms"),
            ("--work 1s --each", "--each --work 2500ms"),
            ("--budget=4s --each", "--each --budget 2500ms"),
        ] {
            assert_eq!(with_budget(split(line), budget).join(" "), expected, "{line}");
        }
    }

    #[test]
    fn options_are_taken_apart() {
        assert_eq!(
            split("--include 'a b*' --seed 3 --x ''"),
            ["--include", "a b*", "--seed", "3", "--x", ""]
        );
        assert_eq!(split(""), [""; 0]);
    }
}
