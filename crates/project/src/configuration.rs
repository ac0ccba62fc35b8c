//! `cupping.toml`: options that a project always uses.
//!
//! Keys are names of options without dashes. At the top they apply to every command that has the option, in a table
//! to the command of that name:
//!
//! ```toml junit = 5
//!
//! [generate] budget = "20s" criterion = ["line", "boundary"] ```

use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};
use toml_edit::{Document, Item, Value};

/// The name of the file.
pub const FILE_NAME: &str = "cupping.toml";

/// An option in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationEntry {
    /// The command of its table; none at the top.
    pub command: Option<String>,
    /// Its key.
    pub key: String,
    /// Its values: one, or those of a list.
    pub values: Vec<String>,
    /// The position of the key, in bytes.
    pub span: Range<usize>,
}

/// The options of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The file.
    pub file: PathBuf,
    /// Its text.
    pub text: String,
    /// Its options, in order.
    pub entries: Vec<ConfigurationEntry>,
}

/// An error in a file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationError {
    /// The file.
    pub file: PathBuf,
    /// Its text; empty if it cannot be read.
    pub text: String,
    /// The place, in bytes.
    pub span: Range<usize>,
    /// The error.
    pub message: String,
}

impl Display for ConfigurationError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.message)
    }
}

impl Configuration {
    /// Reads the file in a folder or the nearest folder above, up to the root of a git repository.
    ///
    /// # Errors
    ///
    /// It cannot be read, is not TOML, or contains something other than options.
    pub fn find(folder: &Path) -> Result<Option<Configuration>, ConfigurationError> {
        for at in folder.ancestors() {
            let file = at.join(FILE_NAME);
            match fs::read_to_string(&file) {
                Ok(text) => return Configuration::parse(file, text).map(Some),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    let message = format!("cannot be read ({error}); check its permissions");
                    return Err(ConfigurationError { file, text: String::new(), span: 0..0, message });
                }
            }
            if at.join(".git").exists() {
                break;
            }
        }
        Ok(None)
    }

    /// The options of a text.
    ///
    /// # Errors
    /// As [`find`](Configuration::find).
    pub fn parse(file: PathBuf, text: String) -> Result<Configuration, ConfigurationError> {
        let error = |span: Option<Range<usize>>, message: String| ConfigurationError {
            file: file.clone(),
            text: text.clone(),
            span: span.unwrap_or_default(),
            message,
        };
        let document = Document::parse(text.as_str())
            .map_err(|wrong| error(wrong.span(), wrong.message().to_owned()))?;
        let mut entries = Vec::new();
        for (name, item) in document.as_table().iter() {
            let span = document.as_table().key(name).and_then(|key| key.span());
            let Some(table) = item.as_table() else {
                entries.push(entry(None, name, item, span).map_err(|(span, message)| error(span, message))?);
                continue;
            };
            for (key, value) in table.iter() {
                let span = table.key(key).and_then(|key| key.span());
                entries.push(
                    entry(Some(name), key, value, span).map_err(|(span, message)| error(span, message))?,
                );
            }
        }
        Ok(Configuration { file, text, entries })
    }
}

/// An error and its position.
type Mistake = (Option<Range<usize>>, String);

fn entry(
    command: Option<&str>,
    key: &str,
    item: &Item,
    span: Option<Range<usize>>,
) -> Result<ConfigurationEntry, Mistake> {
    let refused = || {
        (
            span.clone(),
            format!(
                "'{key}' is not an option value: write a text, a number, true, false, or a list of these"
            ),
        )
    };
    let value = item.as_value().ok_or_else(refused)?;
    let values = match value {
        Value::Array(values) => values.iter().map(scalar).collect::<Option<Vec<String>>>(),
        other => scalar(other).map(|it| vec![it]),
    };
    Ok(ConfigurationEntry {
        command: command.map(str::to_owned),
        key: key.to_owned(),
        values: values.ok_or_else(refused)?,
        span: span.clone().unwrap_or_default(),
    })
}

/// A value as the command line has it.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Float(number) => Some(number.value().to_string()),
        Value::Boolean(flag) => Some(flag.value().to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::InlineTable(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Configuration, ConfigurationError> {
        Configuration::parse("cupping.toml".into(), text.into())
    }

    #[test]
    fn options_have_a_command_and_values() {
        let read = parse(
            "junit = 5\n[generate]\nbudget = \"20s\"\ncriterion = [\"line\", \"path\"]\nquiet = true\n",
        )
        .unwrap();
        let entries: Vec<(Option<&str>, &str, String)> = read
            .entries
            .iter()
            .map(|it| (it.command.as_deref(), it.key.as_str(), it.values.join(" ")))
            .collect();
        assert_eq!(
            entries,
            [
                (None, "junit", "5".to_owned()),
                (Some("generate"), "budget", "20s".to_owned()),
                (Some("generate"), "criterion", "line path".to_owned()),
                (Some("generate"), "quiet", "true".to_owned()),
            ]
        );
        assert_eq!(&read.text[read.entries[1].span.clone()], "budget");
    }

    #[test]
    fn what_is_no_option_is_an_error_at_its_place() {
        for (text, at, message) in [
            ("a = 1\nb =\n", "", "string values must be quoted"),
            ("[generate]\nx = 1979-05-27\n", "x", "'x' is not an option value"),
            ("[generate.deep]\nx = 1\n", "deep", "'deep' is not an option value"),
            ("x = [[1]]\n", "x", "'x' is not an option value"),
        ] {
            let error = parse(text).unwrap_err();
            if !at.is_empty() {
                assert_eq!(&error.text[error.span.clone()], at, "{text}");
                assert!(error.message.starts_with(message), "{}", error.message);
            }
        }
    }
}
