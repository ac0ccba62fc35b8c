//! Records the answer of a build tool until a build file changes.

use crate::{Module, answer};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The first line of a record; a new format needs a new one.
const HEADER: &str = "cupping project 1";

/// The file that keeps what is known about the project in a folder.
pub(crate) fn path(cache: &Path, root: &Path) -> PathBuf {
    cache.join("projects").join(format!("{}.txt", hex(root.to_string_lossy().as_bytes())))
}

/// What is known about a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The modules.
    pub modules: Vec<Module>,
    /// The build files that they depend on.
    pub build_files: Vec<PathBuf>,
    /// When the build tool was asked for them.
    pub asked: SystemTime,
}

/// The record, if no build file has changed.
pub(crate) fn read(file: &Path) -> Option<Record> {
    let asked = fs::metadata(file).and_then(|it| it.modified()).ok()?;
    let text = fs::read_to_string(file).ok()?;
    let rest = text.strip_prefix(HEADER)?.strip_prefix('\n')?;
    let (files, answer) = rest.split_once("\n\n")?;
    let unchanged = files.lines().map(|line| {
        let (known, path) = line.split_once('\t')?;
        (digest(Path::new(path)).as_deref() == Some(known)).then(|| PathBuf::from(path))
    });
    let build_files = unchanged.collect::<Option<Vec<PathBuf>>>()?;
    Some(Record { modules: answer::modules(answer), build_files, asked })
}

/// Writes a record. If it cannot be written, that only costs time.
pub(crate) fn write(file: &Path, record: &Record) {
    let mut text = format!("{HEADER}\n");
    for path in &record.build_files {
        if let Some(digest) = digest(path) {
            text.push_str(&format!("{digest}\t{}\n", path.display()));
        }
    }
    text.push('\n');
    text.push_str(&answer::text(&record.modules));
    let folder = file.parent().map(fs::create_dir_all);
    if folder.is_some_and(|made| made.is_ok()) {
        // A new file is renamed, so that another process never reads a partial one.
        let part = file.with_extension(format!("{}.part", std::process::id()));
        let written = fs::write(&part, text).and_then(|()| {
            // The file's time is that of the question.
            fs::File::options().write(true).open(&part)?.set_modified(record.asked)?;
            fs::rename(&part, file)
        });
        if written.is_err() {
            let _ = fs::remove_file(&part);
        }
    }
}

fn digest(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|content| hex(&content))
}

/// The digest of some bytes, in hexadecimal digits.
pub(crate) fn hex(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_until_a_build_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let pom = folder.path().join("pom.xml");
        fs::write(&pom, "<project/>").unwrap();
        let file = path(folder.path(), folder.path());
        let modules = vec![Module { name: "a".into(), root: "/p".into(), ..Module::default() }];
        let asked = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        let record = Record { modules, build_files: vec![pom.clone()], asked };
        write(&file, &record);
        assert_eq!(read(&file), Some(record));
        fs::write(&pom, "<project> </project>").unwrap();
        assert_eq!(read(&file), None);
        fs::remove_file(&pom).unwrap();
        assert_eq!(read(&file), None);
    }

    #[test]
    fn a_damaged_record_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("record");
        for text in ["", HEADER, "something else\n\n\n"] {
            fs::write(&file, text).unwrap();
            assert_eq!(read(&file), None, "{text:?}");
        }
    }
}
