//! Changed code only: lines of source files, named by the user or changed since a revision.
//!
//! `similar` compares the lines, with the algorithm of Myers, as `git` does; it has no dependencies. `imara-diff` is
//! faster on texts much longer than sources. `git diff` itself has to change to the top folder, which the sandbox of
//! [`Repository`] forbids.

use crate::shared::repository::Repository;
use cupping_classfile::ClassFile;
use similar::{DiffTag, TextDiff};
use std::collections::{BTreeMap, BTreeSet};

/// Lines of source files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// Files, by paths with `/`, each with a range of lines, both ends included.
    ranges: Vec<(String, u32, u32)>,
}

impl ChangedLines {
    /// The lines of `--lines`: `FILE:FROM-TO`, `FILE:LINE` or `FILE`.
    ///
    /// # Errors
    /// A malformed range.
    pub fn parse(text: &str) -> Result<ChangedLines, String> {
        let wrong = || format!("'{text}' is not FILE:FROM-TO, FILE:LINE or FILE");
        let Some((file, lines)) = text.rsplit_once(':') else {
            return Ok(ChangedLines { ranges: vec![(normal(text), 1, u32::MAX)] });
        };
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (from, to) = (number(from)?, number(to)?);
        if file.is_empty() || from == 0 || to < from {
            return Err(wrong());
        }
        Ok(ChangedLines { ranges: vec![(normal(file), from, to)] })
    }

    /// The lines that were added or changed in these sources, given by [`path_of`], since a revision of the
    /// surrounding repository. Uncommitted changes count; untracked files do not.
    ///
    /// # Errors
    ///
    /// There is no `git`, no repository or no such revision.
    pub fn since(revision: &str, sources: &BTreeSet<String>) -> Result<ChangedLines, String> {
        let mut changed = ChangedLines::default();
        for file in two_versions(revision, sources, &["ls-files", "-z"])? {
            let old = file.old.unwrap_or_default();
            let (old, new) = (String::from_utf8_lossy(&old), String::from_utf8_lossy(&file.new));
            changed
                .ranges
                .extend(added(&old, &new).into_iter().map(|(from, to)| (file.path.clone(), from, to)));
        }
        Ok(changed)
    }

    /// Adds other lines.
    pub fn extend(&mut self, other: ChangedLines) {
        self.ranges.extend(other.ranges);
    }

    /// Whether it contains a line of the source of a class.
    pub fn has(&self, class: &ClassFile, line: Option<u16>) -> bool {
        let (Some(line), Some(source)) = (line, path_of(class)) else { return false };
        self.ranges
            .iter()
            .any(|(file, from, to)| (*from..=*to).contains(&u32::from(line)) && is_source(file, &source))
    }
}

/// Those of these files, given by the ends of their paths, that have changed since a revision of the surrounding
/// repository. New files count, tracked or not.
///
/// # Errors
///
/// There is no `git`, no repository or no such revision.
pub fn changed_files(revision: &str, ends: &BTreeSet<String>) -> Result<BTreeSet<String>, String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let mut changed = BTreeSet::new();
    for file in two_versions(revision, ends, &list)? {
        if file.old.as_ref() != Some(&file.new) {
            changed.extend(ends.iter().filter(|end| is_source(&file.path, end)).cloned());
        }
    }
    Ok(changed)
}

/// A file as it was in a revision, and as it is.
struct TwoVersions {
    path: String,
    old: Option<Vec<u8>>,
    new: Vec<u8>,
}

/// The files that git lists and whose paths end so.
fn two_versions(revision: &str, ends: &BTreeSet<String>, list: &[&str]) -> Result<Vec<TwoVersions>, String> {
    let wrong = |why: String| format!("--since {revision}: {why}");
    if revision.starts_with('-') {
        return Err(wrong("not a revision".into()));
    }
    let repository = Repository::around_here().map_err(wrong)?;
    let mut before: BTreeMap<String, String> = BTreeMap::new();
    for line in repository.lines(&["ls-tree", "-r", "-z", "--full-tree", revision]).map_err(wrong)? {
        // `100644 blob 9daeafb…\tsrc/shop/Till.java`
        let Some((about, path)) = line.split_once('\t') else { continue };
        before.insert(path.to_owned(), about.rsplit(' ').next().unwrap_or_default().to_owned());
    }
    let mut found = Vec::new();
    for path in repository.lines(list).map_err(wrong)? {
        if !ends.iter().any(|end| is_source(&path, end)) {
            continue;
        }
        let file = repository.top.join(&path);
        // A link in a repository may lead to an endless device.
        if !file.symlink_metadata().is_ok_and(|it| it.is_file()) {
            continue;
        }
        let Ok(new) = std::fs::read(file) else { continue };
        let old = match before.get(&path) {
            Some(blob) => Some(repository.git(&["cat-file", "blob", blob]).map_err(wrong)?),
            None => None,
        };
        found.push(TwoVersions { path, old, new });
    }
    Ok(found)
}

/// The path of a class's source below a source folder.
pub fn path_of(class: &ClassFile) -> Option<String> {
    let file = class.source_file.as_deref()?;
    let package = class.name.rsplit_once('/').map(|(package, _)| format!("{package}/"));
    Some(package.unwrap_or_default() + file)
}

/// Whether a file is the source with this path below a source folder.
fn is_source(file: &str, source: &str) -> bool {
    file.strip_suffix(source).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// The ranges of lines that a text adds to an older one, both ends included.
fn added(old: &str, new: &str) -> Vec<(u32, u32)> {
    let diff = TextDiff::from_lines(old, new);
    let ranges = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal).map(|op| op.new_range());
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    ranges.filter(|it| !it.is_empty()).map(|it| (number(it.start + 1), number(it.end))).collect()
}

fn normal(file: &str) -> String {
    let file = file.replace('\\', "/");
    file.strip_prefix("./").unwrap_or(&file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let parsed = |text: &str| ChangedLines::parse(text).unwrap().ranges.remove(0);
        assert_eq!(parsed("src/A.java:3-5"), ("src/A.java".into(), 3, 5));
        assert_eq!(parsed("./A.java:7"), ("A.java".into(), 7, 7));
        assert_eq!(parsed("A.java"), ("A.java".into(), 1, u32::MAX));
        for wrong in ["A.java:", "A.java:0", "A.java:5-3", ":3", "A.java:x"] {
            assert!(ChangedLines::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lines_that_an_older_text_lacks_are_added() {
        assert_eq!(added("a\nb\nc\n", "a\nx\ny\nc\n"), [(2, 3)]);
        assert_eq!(added("a\nb\nc\n", "a\nc\n"), []);
        assert_eq!(added("", "a\nb\n"), [(1, 2)]);
    }

    #[test]
    fn a_source_is_known_by_its_package() {
        assert!(is_source("src/main/java/shop/Till.java", "shop/Till.java"));
        assert!(is_source("Till.java", "Till.java"));
        assert!(!is_source("src/workshop/Till.java", "shop/Till.java"));
    }
}
