//! `cupping.toml`: options that a project always uses.
//!
//! Keys are names of options without dashes. At the top they apply to every command that has the option, in a table
//! to the command of that name:
//!
//! ```toml
//! junit = 5
//!
//! [generate]
//! budget = "20s"
//! criterion = ["line", "boundary"]
//!
//! [[classes]]
//! pattern = "org.example.parser.**"
//! generate.budget = "60s"
//! ```
//!
//! A `[[classes]]` table holds for the classes that match its patterns, or leaves them out.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};
use toml_edit::{Document, Item, Table, TableLike, Value};

/// The key of the tables for some classes.
const CLASSES: &str = "classes";

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

/// A `[[classes]]` table: options of the classes that match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassRule {
    /// The patterns, as `CLASSES` are written.
    pub patterns: Vec<String>,
    /// Where they are, in bytes.
    pub span: Range<usize>,
    /// Whether runs over packages, folders, jars or projects leave these classes out.
    pub skip: bool,
    /// Its options, in order.
    pub entries: Vec<ConfigurationEntry>,
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
    /// Options of some classes, in order: later ones win.
    pub classes: Vec<ClassRule>,
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
        let root = document.as_table();
        let mut classes = Vec::new();
        if let Some(tables) = root.get(CLASSES).and_then(Item::as_array_of_tables) {
            for table in tables.iter() {
                classes.push(class_rule(table).map_err(|(span, message)| error(span, message))?);
            }
        } else if let Some((key, _)) = root.get_key_value(CLASSES) {
            return Err(error(
                key.span(),
                "options of some classes are in [[classes]], with two brackets".into(),
            ));
        }
        let entries = entries(root, &[CLASSES]).map_err(|(span, message)| error(span, message))?;
        Ok(Configuration { file, text, entries, classes })
    }
}

/// An error and its position.
type Mistake = (Option<Range<usize>>, String);

/// The options of a table and of the tables of commands in it, but for these keys.
fn entries(table: &Table, without: &[&str]) -> Result<Vec<ConfigurationEntry>, Mistake> {
    let span = |table: &dyn TableLike, name: &str| table.key(name).and_then(|key| key.span());
    let mut all = Vec::new();
    for (name, item) in table.iter().filter(|(name, _)| !without.contains(name)) {
        // `generate.budget = "1m"` and `[generate]` mean the same.
        let Some(inner) = item.as_table_like().filter(|_| !item.is_inline_table()) else {
            all.push(entry(None, name, item, span(table, name))?);
            continue;
        };
        for (key, value) in inner.iter() {
            all.push(entry(Some(name), key, value, span(inner, key))?);
        }
    }
    Ok(all)
}

/// A `[[classes]]` table.
fn class_rule(table: &Table) -> Result<ClassRule, Mistake> {
    let Some((key, pattern)) = table.get_key_value("pattern") else {
        let message = "[[classes]] needs the key `pattern`: which classes it is about, as \"org.example.**\"";
        return Err((table.span(), message.into()));
    };
    let of_pattern = entry(None, "pattern", pattern, key.span())?;
    let skip = match table.get_key_value("skip") {
        None => false,
        Some((key, value)) => {
            value.as_bool().ok_or_else(|| (key.span(), "'skip' is true or false".to_owned()))?
        }
    };
    let entries = entries(table, &["pattern", "skip"])?;
    Ok(ClassRule { patterns: of_pattern.values, span: of_pattern.span, skip, entries })
}

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
    fn classes_have_options_of_their_own() {
        let read = parse(
            "quiet = true\n[[classes]]\npattern = [\"a.*\", \"b.C\"]\nseed = 3\ngenerate.budget = \"1m\"\n\
             [classes.infer]\nrounds = 2\n[[classes]]\npattern = \"c.**\"\nskip = true\n",
        )
        .unwrap();
        assert_eq!(read.entries.len(), 1);
        let [first, second] = read.classes.as_slice() else { panic!("{:?}", read.classes) };
        assert_eq!((first.patterns.join(" "), first.skip), ("a.* b.C".to_owned(), false));
        let entries: Vec<(Option<&str>, &str)> =
            first.entries.iter().map(|it| (it.command.as_deref(), it.key.as_str())).collect();
        assert_eq!(entries, [(None, "seed"), (Some("generate"), "budget"), (Some("infer"), "rounds")]);
        assert_eq!((second.patterns.join(" "), second.skip), ("c.**".to_owned(), true));
        assert_eq!(&read.text[second.span.clone()], "pattern");
    }

    #[test]
    fn what_is_no_option_is_an_error_at_its_place() {
        for (text, at, message) in [
            ("a = 1\nb =\n", "", "string values must be quoted"),
            ("[generate]\nx = 1979-05-27\n", "x", "'x' is not an option value"),
            ("[generate.deep]\nx = 1\n", "deep", "'deep' is not an option value"),
            ("x = [[1]]\n", "x", "'x' is not an option value"),
            ("[[classes]]\nskip = true\n", "[[classes]]", "[[classes]] needs the key `pattern`"),
            ("[[classes]]\npattern = \"a.*\"\nskip = 1\n", "skip", "'skip' is true or false"),
            ("[classes]\npattern = \"a.*\"\n", "classes", "options of some classes are in [[classes]]"),
        ] {
            let error = parse(text).unwrap_err();
            if !at.is_empty() {
                assert_eq!(&error.text[error.span.clone()], at, "{text}");
                assert!(error.message.starts_with(message), "{}", error.message);
            }
        }
    }
}
