//! The habits of a project's own tests: indentation, licence header, order of imports, AssertJ, `var`, `final`.
//!
//! What most of the files do is the habit. Files that Cupping wrote do not count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files whose habits are counted, and files that are read to find them.
const MOST_FILES: usize = 60;
const MOST_READ: usize = 600;
/// Folders and files that are listed.
const MOST_ENTRIES: usize = 20_000;

/// What tests usually look like; `None` where there is no habit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestHabits {
    /// A level of indentation: spaces, or a tab as `None`.
    pub indent: Option<Option<usize>>,
    /// The comment at the top of the files.
    pub header: Option<String>,
    /// Whether static imports come last.
    pub static_imports_last: Option<bool>,
    /// Whether they use AssertJ.
    pub assertj: bool,
    /// Whether local variables are mostly `var` where they could be.
    pub is_var: bool,
    /// Whether local variables are mostly `final`.
    pub is_final: bool,
}

/// What one file shows.
#[derive(Debug, Default)]
struct FileHabits {
    indent: Option<Option<usize>>,
    header: Option<String>,
    static_imports_last: Option<bool>,
    assertj: Option<bool>,
    vars: usize,
    finals: usize,
    /// Locals with a new object.
    locals: usize,
}

impl TestHabits {
    /// The habits of the tests in these folders of sources; `is_generated` says whether Cupping wrote a text.
    pub fn of(folders: &[PathBuf], is_generated: impl Fn(&str) -> bool) -> TestHabits {
        let mut files = Vec::new();
        let mut entries = 0;
        folders.iter().for_each(|folder| list(folder, &mut files, &mut entries));
        let texts = files.iter().take(MOST_READ).filter_map(|file| fs::read_to_string(file).ok());
        TestHabits::of_texts(texts.filter(|text| !is_generated(text)).take(MOST_FILES))
    }

    fn of_texts(texts: impl Iterator<Item = String>) -> TestHabits {
        let all: Vec<FileHabits> = texts.map(|text| of_text(&text)).collect();
        let sum = |of: fn(&FileHabits) -> usize| all.iter().map(of).sum::<usize>();
        let locals = sum(|it| it.locals);
        let header = usual(all.iter().map(|it| it.header.clone()));
        TestHabits {
            indent: usual(all.iter().filter(|it| it.indent.is_some()).map(|it| it.indent)).flatten(),
            header: header.flatten(),
            static_imports_last: usual(
                all.iter().filter(|it| it.static_imports_last.is_some()).map(|it| it.static_imports_last),
            )
            .flatten(),
            assertj: usual(all.iter().filter_map(|it| it.assertj)).unwrap_or_default(),
            is_var: locals > 0 && sum(|it| it.vars) * 2 > locals,
            is_final: locals > 0 && sum(|it| it.finals) * 2 > locals,
        }
    }
}

/// What more than half of the files do.
fn usual<T: Ord + Clone>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let total: usize = counts.values().sum();
    counts.into_iter().find(|(_, count)| count * 2 > total).map(|(value, _)| value)
}

/// Adds the Java files in and below a folder, in order.
fn list(folder: &Path, files: &mut Vec<PathBuf>, entries: &mut usize) {
    let Ok(read) = fs::read_dir(folder) else { return };
    let mut here: Vec<(PathBuf, fs::FileType)> =
        read.flatten().filter_map(|entry| Some((entry.path(), entry.file_type().ok()?))).collect();
    here.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, kind) in here {
        *entries += 1;
        if *entries > MOST_ENTRIES {
            return;
        }
        if kind.is_dir() {
            list(&path, files, entries);
        } else if kind.is_file() && path.extension().is_some_and(|it| it == "java") {
            files.push(path);
        }
    }
}

fn of_text(text: &str) -> FileHabits {
    let mut habits = FileHabits { header: header(text), ..FileHabits::default() };
    let lines: Vec<&str> = text.lines().collect();
    let is_import = |line: &&str| line.starts_with("import ");
    let statics = |line: &&str| line.starts_with("import static ");
    let imports: Vec<&str> = lines.iter().copied().filter(is_import).collect();
    if let (Some(first), Some(last)) = (imports.first(), imports.last())
        && statics(first) != statics(last)
    {
        habits.static_imports_last = Some(statics(last));
    }
    let body = lines.iter().skip_while(|it| !it.contains('{')).skip(1);
    habits.indent = body.clone().find_map(|line| {
        let text = line.trim_start_matches([' ', '\t']);
        let space = &line[..line.len() - text.len()];
        match space {
            _ if text.is_empty() || text.starts_with('*') => None,
            "" => None,
            tabs if tabs.starts_with('\t') => Some(None),
            spaces => Some(Some(spaces.len())),
        }
    });
    // Only tests assert something; the others say nothing about assertions.
    if imports.iter().any(|it| it.contains("junit") || it.contains("testng") || it.contains("assertj")) {
        habits.assertj = Some(imports.iter().any(|it| it.contains("org.assertj.")));
    }
    for line in body {
        let words: Vec<&str> = line.split_whitespace().take(5).collect();
        let (is_final, words) = match words.split_first() {
            Some((&"final", rest)) => (true, rest),
            _ => (false, &words[..]),
        };
        // `Shop shop = new Shop();`, and the same with `var`.
        if let [ty, _, "=", "new", ..] = words {
            habits.locals += 1;
            habits.vars += usize::from(*ty == "var");
            habits.finals += usize::from(is_final);
        }
    }
    habits
}

/// The comment before the package, or before the first import.
fn header(text: &str) -> Option<String> {
    let is_start = |line: &&str| line.starts_with("package ") || line.starts_with("import ");
    let before: Vec<&str> = text.lines().take_while(|line| !is_start(line)).collect();
    let comment = before.join("\n").trim().to_owned();
    let is_block = comment.starts_with("/*") && comment.find("*/").map(|at| at + 2) == Some(comment.len());
    let is_lines = !comment.is_empty() && comment.lines().all(|line| line.starts_with("//"));
    (is_block || is_lines).then_some(comment)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOGLE: &str = "/* Copyright 2026 The Owners */\npackage a;\n\nimport static org.assertj.core.api.Assertions.*;\n\n\
                          import org.junit.jupiter.api.Test;\n\nclass ATest {\n  @Test\n  void a() {\n    \
                          final var shop = new Shop();\n    assertThat(shop.open()).isTrue();\n  }\n}\n";
    const PLAIN: &str = "package a;\n\nimport org.junit.Test;\nimport java.util.*;\n\nimport static \
                         org.junit.Assert.*;\n\npublic class BTest {\n\t@Test\n\tpublic void b() {\n\t\tShop shop = new \
                         Shop();\n\t\tassertTrue(shop.open());\n\t}\n}\n";

    fn habits(texts: &[&str]) -> TestHabits {
        TestHabits::of_texts(texts.iter().map(|it| (*it).to_owned()))
    }

    #[test]
    fn each_habit_is_seen() {
        let google = habits(&[GOOGLE, GOOGLE]);
        assert_eq!(google.indent, Some(Some(2)));
        assert_eq!(google.header.as_deref(), Some("/* Copyright 2026 The Owners */"));
        assert_eq!(google.static_imports_last, Some(false));
        assert!(google.assertj && google.is_var && google.is_final);
        let plain = habits(&[PLAIN]);
        assert_eq!(
            plain,
            TestHabits { indent: Some(None), static_imports_last: Some(true), ..TestHabits::default() }
        );
    }

    #[test]
    fn what_half_of_the_files_do_is_no_habit() {
        let both = habits(&[GOOGLE, PLAIN]);
        assert_eq!(both, TestHabits::default());
        assert_eq!(habits(&[GOOGLE, GOOGLE, PLAIN]).indent, Some(Some(2)));
        assert_eq!(habits(&[]), TestHabits::default());
    }

    #[test]
    fn a_header_may_speak_of_packages() {
        let licence = "/*\n * This package is free.\n */";
        let text = GOOGLE.replace("/* Copyright 2026 The Owners */", licence);
        assert_eq!(habits(&[&text]).header.as_deref(), Some(licence));
        let two = GOOGLE.replace("*/", "*/ /* and more */");
        assert_eq!(habits(&[&two]).header, None);
    }

    #[test]
    fn a_header_that_differs_from_file_to_file_is_none() {
        let other = GOOGLE.replace("2026", "2025");
        assert_eq!(habits(&[GOOGLE, &other]).header, None);
    }
}
