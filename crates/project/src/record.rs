//! Records the answer of a build tool until a build file changes.

use crate::{Module, answer};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// The first line of a record; a new format needs a new one.
const HEADER: &str = "cupping project 1";

/// The file that keeps what is known about the project in a folder.
pub(crate) fn path(cache: &Path, root: &Path) -> PathBuf {
    cache.join("projects").join(format!("{}.txt", hex(root.to_string_lossy().as_bytes())))
}

/// The recorded modules, if no build file has changed.
pub(crate) fn read(file: &Path) -> Option<Vec<Module>> {
    let text = fs::read_to_string(file).ok()?;
    let rest = text.strip_prefix(HEADER)?.strip_prefix('\n')?;
    let (files, answer) = rest.split_once("\n\n")?;
    let is_same = files.lines().all(|line| {
        line.split_once('\t').is_some_and(|(known, path)| digest(Path::new(path)).as_deref() == Some(known))
    });
    is_same.then(|| answer::modules(answer))
}

/// Records modules, with the build files that they depend on. A record that cannot be written only costs time.
pub(crate) fn write(file: &Path, build_files: &[PathBuf], modules: &[Module]) {
    let mut text = format!("{HEADER}\n");
    for path in build_files {
        if let Some(digest) = digest(path) {
            text.push_str(&format!("{digest}\t{}\n", path.display()));
        }
    }
    text.push('\n');
    text.push_str(&answer::text(modules));
    let folder = file.parent().map(fs::create_dir_all);
    if folder.is_some_and(|made| made.is_ok()) {
        // A new file is renamed, so that another process never reads a partial one.
        let part = file.with_extension(format!("{}.part", std::process::id()));
        if fs::write(&part, text).is_ok() && fs::rename(&part, file).is_err() {
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
        write(&file, std::slice::from_ref(&pom), &modules);
        assert_eq!(read(&file), Some(modules));
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
