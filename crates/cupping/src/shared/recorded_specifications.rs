//! Recorded specifications: `--write` and `--check`.

use crate::shared::write;
use cupping_infer::{
    InferenceOutcome, ReadError, RecordedSpecification, Recording, Subject, Violation, output,
};
use cupping_report::files::Mark;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of a recorded specification, and the result of reading it.
type Record = (PathBuf, Result<RecordedSpecification, ReadError>);

/// The recorded specification of a class, if there is one.
///
/// # Errors
/// It cannot be read, is damaged, or was written by another version.
pub fn read(folder: &Path, class: &str) -> Result<Option<RecordedSpecification>, String> {
    let Some((file, record)) = find(folder, class)? else { return Ok(None) };
    record.map(Some).map_err(|error| format!("{}: {error}", file.display()))
}

fn find(folder: &Path, class: &str) -> Result<Option<Record>, String> {
    let file = file_of(folder, class, "json");
    if !file.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Some((file, RecordedSpecification::read(&text))))
}

/// Whether a class still conforms to its record, as text.
pub fn verdict(class: &str, broken: &[Violation]) -> String {
    let class = class.replace('/', ".");
    if broken.is_empty() {
        return format!("{class}: it meets its recorded specification\n");
    }
    let line = |one: &Violation| {
        let test = one.test.as_ref().map_or("no sequence is known".to_owned(), ToString::to_string);
        format!("{class}: broken: {}\n    by: {test}\n", one.recorded)
    };
    broken.iter().map(line).collect()
}

/// Records a specification; the changes since the last time, as text.
///
/// # Errors
/// A recorded file cannot be read, or a file cannot be written.
pub fn write(
    folder: &Path,
    class: &str,
    subject: &Subject,
    recorded: &Recording,
    outcome: &InferenceOutcome,
) -> Result<String, String> {
    let executions: Vec<_> = recorded.executions.iter().chain(&outcome.explored.executions).collect();
    let new = RecordedSpecification::new(subject, &outcome.specification, &executions);
    let changes = match find(folder, class)? {
        Some((_, Ok(old))) => new.changes(&old).iter().map(|line| format!("{line}\n")).collect(),
        // The new file replaces one of another version. A damaged file may not be ours, so it stays.
        Some((file, Err(error @ ReadError::Version(_)))) => {
            format!("{}: replaced, without a list of changes: {error}\n", file.display())
        }
        Some((file, Err(error @ ReadError::Damaged(_)))) => {
            return Err(format!("{}: {error}", file.display()));
        }
        None => String::new(),
    };
    // A file of that name is a record, since it has just been read.
    let file = file_of(folder, class, "json");
    write::file(&file, new.write().as_bytes(), "name a writable folder")?;
    for notation in output::ALL {
        let Some(files) = notation.files else {
            put(folder, class, notation.suffix, &(notation.whole)(subject, outcome))?;
            continue;
        };
        for (name, text) in files(subject, outcome) {
            put(folder, class, &format!("{name}.{}", notation.suffix), &text)?;
        }
    }
    Ok(changes)
}

fn put(folder: &Path, class: &str, suffix: &str, text: &str) -> Result<(), String> {
    let file = file_of(folder, class, suffix);
    write::generated(&file, Mark::Slashes, "infer", &class.replace('/', "."), text)
}

fn file_of(folder: &Path, class: &str, suffix: &str) -> PathBuf {
    folder.join(format!("{}.{suffix}", class.replace('/', ".")))
}
