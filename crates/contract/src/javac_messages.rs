//! Maps messages of `javac` to positions in the user's file.

use crate::diagnostic::Diagnostic;
use crate::java::{Case, Text};
use std::path::PathBuf;

/// The messages of `javac` in terms of the specification.
pub(crate) fn diagnostics(
    said: &str,
    texts: &[(PathBuf, Text, usize)],
    cases: &[(usize, Case<'_>)],
) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let lines: Vec<&str> = said.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some((place, message)) = line.split_once(": error: ") else { continue };
        let Some((file, number)) = place.rsplit_once(':') else { continue };
        let Some((_, text, case)) = texts.iter().find(|(path, _, _)| path.display().to_string() == file)
        else {
            continue;
        };
        let number: usize = number.parse().unwrap_or(1);
        let rest: Vec<&str> = lines[at + 1..]
            .iter()
            .take_while(|it| !it.contains(": error: ") && !it.ends_with(" error"))
            .copied()
            .collect();
        let caret = rest.iter().find(|it| it.trim() == "^").map_or(0, |it| it.find('^').unwrap_or(0));
        let start: usize = text.text.split_inclusive('\n').take(number - 1).map(str::len).sum();
        let details = rest.iter().map(|it| it.trim()).filter(|it| {
            it.starts_with("symbol:") || it.starts_with("required:") || it.starts_with("found:")
        });
        let details: Vec<String> =
            details.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let source = &cases[*case].1.specification.source;
        let span = text.origin(start + caret).unwrap_or(cases[*case].1.testcase.name);
        let message = std::iter::once(message.to_owned()).chain(details).collect::<Vec<_>>().join("; ");
        let diagnostic = Diagnostic::new(source, span, message);
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }
    found.sort_by_key(|it| (it.source.file.clone(), it.span));
    found
}
