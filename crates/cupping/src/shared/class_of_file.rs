//! The class in a `.java` or `.class` file, for users who name it by its file.

use cupping_classfile::{ClassFile, Origin};
use std::fs;
use std::path::Path;

/// The name of the class in a file, with dots, if the text names such a file and not a class: `p.Box.class` is a
/// class unless a file has that name.
pub fn class_of_file(text: &str) -> Option<String> {
    let path = Path::new(text);
    let extension = path.extension()?.to_str()?;
    if !path.is_file() {
        return None;
    }
    match extension {
        "class" => {
            let class = ClassFile::parse(fs::read(path).ok()?.into(), text, Origin::Made).ok()?;
            Some(class.name.replace('/', "."))
        }
        "java" => {
            let source = fs::read_to_string(path).ok()?;
            let simple = path.file_stem()?.to_str()?;
            Some(match package(&source) {
                Some(package) => format!("{package}.{simple}"),
                None => simple.to_owned(),
            })
        }
        _ => None,
    }
}

/// The package that a source declares. Only comments and annotations may precede it.
fn package(source: &str) -> Option<String> {
    let mut rest = source;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_whitespace() || it == '\u{feff}');
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n')?.1;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1;
        } else if rest.starts_with('@') {
            rest = &rest[rest.find("package")?..];
        } else {
            break;
        }
    }
    let name = rest.strip_prefix("package")?.split_once(';')?.0;
    let name: String = name.chars().filter(|it| !it.is_whitespace()).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::package;

    #[test]
    fn the_package_is_read_past_comments() {
        for (source, expected) in [
            ("package a.b;\nclass C {}", Some("a.b")),
            ("\u{feff}// package x;\n/* package y; */\n\npackage a . b ;", Some("a.b")),
            ("/** package y; */ @Deprecated\npackage a;", Some("a")),
            ("import java.util.List; class C { String s = \"package x;\"; }", None),
            ("", None),
            ("/* never closed", None),
        ] {
            assert_eq!(package(source).as_deref(), expected, "{source:?}");
        }
    }
}
