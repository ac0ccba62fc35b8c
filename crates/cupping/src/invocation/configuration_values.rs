//! `cupping.toml`: its options become defaults of the commands that have them.

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, ValueHint};
use cupping_project::{Configuration, ConfigurationEntry, ConfigurationError};
use cupping_relation::nearest;
use cupping_view::diagnostic::{Diagnostic, Severity};
use std::path::Path;

/// The settings of `cupping.toml`.
#[derive(Debug, Default)]
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
        Ok(configured)
    }

    fn entries(&self) -> &[ConfigurationEntry] {
        self.file.as_ref().map_or(&[], |file| &file.entries)
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
        match option(&command, &entry.key).map(|it| it.get_id().clone()) {
            Some(id) if !is_overridden => command.mut_arg(id, |it| {
                let values: Vec<String> =
                    entry.values.iter().map(|value| self.resolved(&it, value)).collect();
                it.required(false).default_values(values)
            }),
            _ => command,
        }
    }

    /// A path is relative to the folder of the file.
    fn resolved(&self, argument: &Arg, value: &str) -> String {
        let folder = self.file.as_ref().and_then(|it| it.file.parent());
        match folder {
            Some(folder) if argument.get_value_hint() == ValueHint::AnyPath && !value.is_empty() => {
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
        let blamed = self.entries().iter().find(|entry| {
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
