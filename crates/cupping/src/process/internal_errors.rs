//! Files about Cupping's own errors, with instructions to reproduce them.

use cupping_generate::InternalError;
use cupping_report::files;
use std::path::{Path, PathBuf};

/// The folder in the output folder. No Java package can have this name.
const FOLDER: &str = "cupping-internal-errors";
/// The prefix of each file.
const BEGIN: &str = "; cupping ";

/// A line about each error of a class. With an output folder each is written to a file there, with its reproduction.
pub fn record(out: Option<&Path>, class: &str, errors: &[InternalError]) -> Vec<String> {
    let Some(out) = out else {
        let class = class.replace('/', ".");
        let line = |InternalError { message, reproduction }: &InternalError| {
            format!("{class}: internal error: {message}; `{reproduction}` reproduces it; please report both")
        };
        return errors.iter().map(line).collect();
    };
    write(out, class, errors)
}

/// Writes the errors of a class to files, one each, replacing those of earlier runs; returns a line about each for
/// the summary.
pub fn write(out: &Path, class: &str, errors: &[InternalError]) -> Vec<String> {
    for number in 1.. {
        let file = file(out, &class.replace('/', "."), number);
        if !is_ours(&file) || std::fs::remove_file(file).is_err() {
            break;
        }
    }
    errors.iter().zip(1..).map(|(error, number)| write_one(out, class, number, error)).collect()
}

/// Whether a file begins as [`text`] does.
fn is_ours(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|text| text.starts_with(BEGIN.as_bytes()))
}

fn write_one(out: &Path, class: &str, number: usize, error: &InternalError) -> String {
    let class = class.replace('/', ".");
    let file = file(out, &class, number);
    let first_line = error.message.lines().next().unwrap_or_default();
    let line = format!("{class}: internal error: {first_line}");
    match write_text(&file, &text(&class, error)) {
        Ok(()) => format!("{line}; {} reproduces it; please report both", file.display()),
        Err(problem) => format!("{line}; {}: cannot be written ({problem})", file.display()),
    }
}

fn file(out: &Path, class: &str, number: usize) -> PathBuf {
    out.join(FOLDER).join(format!("{class}-{number}.txt"))
}

/// The message as comments of the query format (`cupping_term::text`), then the reproduction: if it is a query,
/// `cupping solve` reads the file directly.
fn text(class: &str, error: &InternalError) -> String {
    let mut text = format!("{BEGIN}{}, class {class}\n", env!("CARGO_PKG_VERSION"));
    for line in error.message.lines() {
        text += &format!("; {line}\n");
    }
    text + error.reproduction.trim_end() + "\n"
}

fn write_text(file: &Path, text: &str) -> std::io::Result<()> {
    if file.exists() && !is_ours(file) {
        return Err(std::io::Error::other("Cupping did not write the existing file"));
    }
    files::put(file, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_query_is_one_that_can_be_asked() {
        let error = InternalError {
            message: "expected a path\nfound another".into(),
            reproduction: "(var 0 Bool \"b\")\n(assert v0)\n".into(),
        };
        let text = text("x.Y", &error);
        assert!(text.contains("; found another\n(var"), "{text}");
        assert!(cupping_solve::TextQuery::from_text(&text).is_ok(), "{text}");
    }

    #[test]
    fn each_error_has_a_file_that_the_line_names() {
        let out = tempfile::tempdir().unwrap();
        let error = |message: &str| InternalError { message: message.into(), reproduction: "r".into() };
        let lines = write(out.path(), "x/Y$Z", &[error("a"), error("b")]);
        assert!(
            lines[1].contains("x.Y$Z: internal error: b;") && lines[1].contains("x.Y$Z-2.txt"),
            "{lines:?}"
        );
        let written = std::fs::read_to_string(out.path().join(FOLDER).join("x.Y$Z-1.txt")).unwrap();
        assert!(written.ends_with("; a\nr\n"), "{written}");
        assert!(write(out.path(), "x/Y$Z", &[error("c")])[0].contains("x.Y$Z-1.txt"));
        assert!(!out.path().join(FOLDER).join("x.Y$Z-2.txt").exists(), "of the run before");
    }

    #[test]
    fn files_that_are_not_error_reports_are_not_overwritten() {
        let out = tempfile::tempdir().unwrap();
        let theirs = out.path().join(FOLDER).join("x.Y-1.txt");
        std::fs::create_dir(out.path().join(FOLDER)).unwrap();
        std::fs::write(&theirs, "notes").unwrap();
        assert_eq!(write(out.path(), "x/Y", &[]), [""; 0]);
        let error = InternalError { message: "a".into(), reproduction: "r".into() };
        assert!(write(out.path(), "x/Y", &[error])[0].contains("did not write"));
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "notes");
    }
}
