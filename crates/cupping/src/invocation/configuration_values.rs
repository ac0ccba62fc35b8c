//! `cupping.toml`: its options become defaults of the commands that have them.

use crate::shared::class_rules::ClassOptions;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, ValueHint};
use cupping_project::{ClassRule, Configuration, ConfigurationEntry, ConfigurationError};
use cupping_relation::nearest;
use cupping_view::diagnostic::{Diagnostic, Severity};
use std::path::Path;

/// Options that `[[classes]]` may set, by command: those that a class is searched or mutated with. All others are about
/// the whole run.
const BY_CLASS: [(&str, &[&str]); 4] = [
    (
        "generate",
        &[
            "budget",
            "work",
            "include",
            "exclude",
            "access",
            "criterion",
            "all-paths",
            "preconditions",
            "max-length",
            "max-elements",
            "heap",
            "seed",
        ],
    ),
    (
        "infer",
        &[
            "budget",
            "axiomatic",
            "algebraic",
            "rounds",
            "calls",
            "states",
            "executions",
            "paths",
            "challenges",
            "seed",
            "min-confidence",
            "all",
        ],
    ),
    ("dataflow", &["budget", "work", "depth", "each", "seed"]),
    ("mutants", &["operators"]),
];

/// What `cupping.toml` sets.
#[derive(Clone, Debug, Default)]
pub struct ConfigurationValues {
    file: Option<Configuration>,
}

impl ConfigurationValues {
    /// Reads the file in or above a folder, and checks it against the table of commands.
    ///
    /// # Errors
    ///
    /// A text with the position: it is not TOML, or a key is not an option.
    pub fn find(folder: &Path, table: &Command) -> Result<ConfigurationValues, String> {
        let file = Configuration::find(folder).map_err(|error| shown(&error, None))?;
        let configured = ConfigurationValues { file };
        for entry in configured.entries() {
            configured.check(entry, table)?;
        }
        for rule in configured.rules() {
            configured.check_patterns(rule)?;
            for entry in &rule.entries {
                configured.check(entry, table)?;
                configured.check_of_class(entry)?;
            }
        }
        Ok(configured)
    }

    fn entries(&self) -> &[ConfigurationEntry] {
        self.file.as_ref().map_or(&[], |file| &file.entries)
    }

    fn rules(&self) -> &[ClassRule] {
        self.file.as_ref().map_or(&[], |file| &file.classes)
    }

    /// What the rules for classes set of a command. `is_typed` says whether an option was given on the command line.
    pub fn class_options(&self, command: &str, is_typed: impl Fn(&str) -> bool) -> Vec<ClassOptions> {
        let rules = self.rules().iter();
        rules
            .map(|rule| {
                let set: Vec<&ConfigurationEntry> = set_for(&rule.entries, command).collect();
                let is_budget = |key: &str| matches!(key, "budget" | "work");
                let shown: Vec<String> =
                    set.iter().map(|it| format!("{} = {}", it.key, it.values.join(", "))).collect();
                ClassOptions {
                    patterns: rule.patterns.clone(),
                    skip: rule.skip,
                    has_budget: set.iter().any(|it| is_budget(&it.key))
                        && !is_typed("budget")
                        && !is_typed("work"),
                    shown: shown.join("; "),
                }
            })
            .collect()
    }

    /// The table of the commands with the options of some rules as defaults.
    pub fn apply_rules(&self, table: Command, command: &str, rules: &[usize]) -> Command {
        let rules = rules.iter().filter_map(|at| self.rules().get(*at));
        let entries: Vec<&ConfigurationEntry> =
            rules.flat_map(|rule| set_for(&rule.entries, command)).collect();
        table.mut_subcommand(command, |table| {
            entries.iter().fold(table, |table, entry| {
                // A budget of time replaces one of work that holds for all, and the other way round.
                let other = match &*entry.key {
                    "budget" => option(&table, "work"),
                    "work" => option(&table, "budget"),
                    _ => None,
                };
                let table = match other.map(|it| it.get_id().clone()) {
                    Some(other) => table.mut_arg(other, |it| it.default_values(Vec::<String>::new())),
                    None => table,
                };
                self.put(table, entry)
            })
        })
    }

    /// The table with the options as defaults.
    pub fn apply(&self, table: Command) -> Command {
        self.entries().iter().fold(table, |table, entry| match &entry.command {
            Some(name) => table.mut_subcommand(name, |command| self.set(command, entry)),
            None => table.mut_subcommands(|command| self.set(command, entry)),
        })
    }

    fn set(&self, command: Command, entry: &ConfigurationEntry) -> Command {
        // The table of the command overrides the keys for all commands.
        let is_overridden = entry.command.is_none()
            && self
                .entries()
                .iter()
                .any(|it| it.key == entry.key && it.command.as_deref() == Some(command.get_name()));
        if is_overridden { command } else { self.put(command, entry) }
    }

    fn put(&self, command: Command, entry: &ConfigurationEntry) -> Command {
        let Some(id) = option(&command, &entry.key).map(|it| it.get_id().clone()) else { return command };
        command.mut_arg(id, |it| {
            let values: Vec<String> = entry.values.iter().map(|value| self.resolved(&it, value)).collect();
            it.required(false).default_values(values)
        })
    }

    /// A path is relative to the folder of the file; a URL is none.
    fn resolved(&self, argument: &Arg, value: &str) -> String {
        let folder = self.file.as_ref().and_then(|it| it.file.parent());
        match folder {
            Some(folder)
                if argument.get_value_hint() == ValueHint::AnyPath
                    && !value.is_empty()
                    && !value.contains("://") =>
            {
                folder.join(value).display().to_string()
            }
            _ => value.to_owned(),
        }
    }

    /// Identifiers of the options that are set for a command.
    pub fn ids(&self, command: &str) -> Vec<String> {
        let of = |entry: &&ConfigurationEntry| entry.command.as_deref().is_none_or(|it| it == command);
        self.entries().iter().filter(of).map(|entry| entry.key.replace('-', "_")).collect()
    }

    fn check(&self, entry: &ConfigurationEntry, table: &Command) -> Result<(), String> {
        let commands = || table.get_subcommands().filter(|it| it.get_name() != "help");
        let known = |command: &Command| -> Vec<String> {
            command.get_arguments().filter_map(|it| it.get_long()).map(str::to_owned).collect()
        };
        let Some(name) = &entry.command else {
            return match commands().any(|command| option(command, &entry.key).is_some()) {
                true => Ok(()),
                false => Err(self.unknown(
                    entry,
                    "no command has this option",
                    commands().flat_map(known).collect(),
                )),
            };
        };
        let Some(command) = commands().find(|it| it.get_name() == name) else {
            let names = commands().map(|it| it.get_name().to_owned()).collect();
            let file = self.file.as_ref().map(|it| it.text.as_str()).unwrap_or_default();
            // The position of the table's key is not kept, so search for its name in brackets.
            let start = file.find(&format!("[{name}]")).map_or(entry.span.start, |at| at + 1);
            let at =
                ConfigurationEntry { span: start..start + name.len(), key: name.clone(), ..entry.clone() };
            return Err(self.unknown(&at, "no command has this name", names));
        };
        match option(command, &entry.key) {
            Some(_) => Ok(()),
            None => Err(self.unknown(entry, &format!("`{name}` has no such option"), known(command))),
        }
    }

    /// Patterns are names of classes and packages, not files.
    fn check_patterns(&self, rule: &ClassRule) -> Result<(), String> {
        let is_name = |it: &String| !it.is_empty() && !it.contains(['/', '\\', ' ']) && !it.ends_with(".jar");
        let Some(wrong) = rule.patterns.iter().find(|it| !is_name(it)) else { return Ok(()) };
        let at = ConfigurationEntry {
            command: None,
            key: "pattern".into(),
            values: Vec::new(),
            span: rule.span.clone(),
        };
        let help = "write a class (org.example.Range), a package (org.example.* or org.example.**), or a part of \
                    names (org.example.**.*Dto)";
        Err(self.at(&at, &format!("'{wrong}' is not a pattern of classes"), "", Some(help)))
    }

    /// Only options of the search can differ from class to class.
    fn check_of_class(&self, entry: &ConfigurationEntry) -> Result<(), String> {
        let mut commands =
            BY_CLASS.iter().filter(|(name, _)| entry.command.as_deref().is_none_or(|it| it == *name));
        if commands.any(|(_, keys)| keys.contains(&&*entry.key)) {
            return Ok(());
        }
        let (label, help) = match &entry.command {
            Some(name) if !BY_CLASS.iter().any(|(it, _)| it == name) => (
                format!("`{name}` has no options for some classes"),
                "generate, infer, dataflow and mutants have".to_owned(),
            ),
            _ => (
                "holds for all classes of a run".to_owned(),
                format!("set '{}' above all tables, or in the table of a command", entry.key),
            ),
        };
        Err(self.at(entry, &format!("'{}' cannot be set for some classes", entry.key), &label, Some(&help)))
    }

    fn unknown(&self, entry: &ConfigurationEntry, label: &str, known: Vec<String>) -> String {
        let meant = nearest(known.iter().map(String::as_str), &entry.key);
        let help = match meant {
            Some(meant) => format!("did you mean '{meant}'?"),
            None => "`cupping help COMMAND` lists the options of a command".to_owned(),
        };
        self.at(entry, &format!("unknown key '{}'", entry.key), label, Some(&help))
    }

    fn at(&self, entry: &ConfigurationEntry, message: &str, label: &str, help: Option<&str>) -> String {
        let Some(file) = &self.file else { return message.to_owned() };
        let name = file.file.display().to_string();
        let diagnostic = Diagnostic {
            file: &name,
            text: &file.text,
            span: entry.span.clone(),
            severity: Severity::Error,
            message,
            label,
            help,
        };
        diagnostic.to_string()
    }

    /// Prints a usage error and ends the process. If a value of the file is to blame, the message says so.
    pub fn exit(&self, error: &clap::Error) -> ! {
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            _ => None,
        };
        let (argument, value) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue));
        let mut all = self.entries().iter().chain(self.rules().iter().flat_map(|rule| &rule.entries));
        let blamed = all.find(|entry| {
            let is_named =
                argument.as_ref().is_some_and(|it| it.split(' ').next() == Some(&format!("--{}", entry.key)));
            is_named && value.as_ref().is_some_and(|it| entry.values.contains(it))
        });
        if let Some(entry) = blamed {
            let whole = error.to_string();
            let reason = whole.lines().next().unwrap_or_default().trim_start_matches("error: ");
            crate::process::console::diagnostic(&self.at(entry, reason, "set here", None));
            std::process::exit(i32::from(crate::process::exit::Status::BAD_INPUT.code()));
        }
        error.exit()
    }
}

/// The entries that set options of a command; those in a table of the command come last.
fn set_for<'a>(
    entries: impl IntoIterator<Item = &'a ConfigurationEntry, IntoIter: Clone>,
    command: &'a str,
) -> impl Iterator<Item = &'a ConfigurationEntry> {
    let keys = BY_CLASS.iter().find(|(name, _)| *name == command).map_or(&[][..], |(_, keys)| keys);
    let entries = entries.into_iter();
    let of_all = entries.clone().filter(|it| it.command.is_none());
    let of_command = entries.filter(move |it| it.command.as_deref() == Some(command));
    of_all.chain(of_command).filter(move |it| keys.contains(&&*it.key))
}

/// The option of a command that a key names.
fn option<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|it| it.get_long() == Some(key) && key != "help" && key != "version")
}

fn shown(error: &ConfigurationError, help: Option<&str>) -> String {
    if error.text.is_empty() {
        return error.to_string();
    }
    let name = error.file.display().to_string();
    let diagnostic = Diagnostic {
        file: &name,
        text: &error.text,
        span: error.span.clone(),
        severity: Severity::Error,
        message: &error.message,
        label: "",
        help,
    };
    diagnostic.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    fn values(text: &str) -> ConfigurationValues {
        let file = Configuration::parse("cupping.toml".into(), text.into()).unwrap();
        ConfigurationValues { file: Some(file) }
    }

    /// The option of `generate` after the rules of these places.
    fn set(configured: &ConfigurationValues, rules: &[usize], option: &str) -> Option<String> {
        let table = configured.apply_rules(configured.apply(Cli::command()), "generate", rules);
        let matches = table.get_matches_from(["cupping", "generate", "x.Y"]);
        let raw = matches.subcommand().unwrap().1.get_raw(option)?.next()?.to_owned();
        raw.into_string().ok()
    }

    #[test]
    fn later_rules_win_and_a_budget_replaces_work() {
        let configured = values(
            "[generate]\nwork = \"1s\"\n[[classes]]\npattern = \"a.*\"\ngenerate.seed = 1\nbudget = \"9s\"\n\
             [[classes]]\npattern = \"a.b.*\"\nseed = 2\n",
        );
        assert_eq!(set(&configured, &[], "work").as_deref(), Some("1s"));
        assert_eq!(set(&configured, &[0], "work"), None);
        assert_eq!(set(&configured, &[0], "budget").as_deref(), Some("9s"));
        assert_eq!(set(&configured, &[0], "seed").as_deref(), Some("1"));
        assert_eq!(set(&configured, &[0, 1], "seed").as_deref(), Some("2"));
    }

    #[test]
    fn options_of_some_classes_are_options_of_their_command() {
        let table = Cli::command();
        for (name, keys) in BY_CLASS {
            let command = table.find_subcommand(name).unwrap();
            keys.iter().for_each(|key| assert!(option(command, key).is_some(), "{name} {key}"));
        }
    }
}
