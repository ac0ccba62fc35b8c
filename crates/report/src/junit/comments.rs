//! The comment above a test: its purpose, and for a failing test the exception and the path that leads to it.

use super::type_names::ClassName;
use cupping_case::{Case, Outcome};

/// Limit on the constraints shown; of longer paths only the end is shown, which is nearest to the fault.
const MOST_NOTES: usize = 12;

/// The lines of a Javadoc comment about the purpose of a case, not indented.
pub fn purpose(case: &Case) -> Vec<String> {
    match case.purpose.as_slice() {
        [] => Vec::new(),
        [only] => vec![format!("/** {} */", escape(only))],
        several => {
            let several = several.iter().map(|line| format!(" * {}", escape(line)));
            std::iter::once("/**".into()).chain(several).chain([" */".into()]).collect()
        }
    }
}

/// The lines of a Javadoc comment for a failing case, not indented.
pub fn failure(case: &Case) -> Vec<String> {
    let mut lines = vec!["/**".to_string(), format!(" * {}", sentence(case))];
    if !case.purpose.is_empty() {
        lines.push(" *".into());
        lines.extend(case.purpose.iter().map(|line| format!(" * {}", escape(line))));
    }
    if let Some(cause) = &case.cause {
        lines.push(" *".into());
        lines.push(format!(" * <p>{}: {}.", capital(cause.blame.name()), escape(&cause.what)));
    }
    if !case.path.is_empty() {
        lines.push(" *".into());
        lines.push(" * <pre>".into());
        lines.extend(path(case).into_iter().map(|line| format!(" * {line}")));
        lines.push(" * </pre>".into());
    }
    lines.push(" */".into());
    lines
}

/// The comment on a test that asserts nothing.
pub fn blindness(case: &Case) -> Vec<String> {
    let is_blind = case.outcome == Outcome::Returned && case.assertions.is_empty();
    let said = "/** The call returns; there is nothing that a test could assert. */";
    is_blind.then(|| said.to_owned()).into_iter().collect()
}

fn sentence(case: &Case) -> String {
    let class = ClassName::parse(&case.under_test.class).nest.join(".");
    let subject = match &*case.under_test.name {
        "<init>" => format!("The constructor of {class}"),
        name => format!("{class}.{name}"),
    };
    match &case.outcome {
        Outcome::Returned if case.cause.is_some() => format!("{} breaks a contract.", escape(&subject)),
        Outcome::Returned => format!("{} returns where it should throw.", escape(&subject)),
        Outcome::Threw { class, message } => {
            let thrown = class.replace('/', ".");
            let said = message
                .as_ref()
                .filter(|message| message.len() <= 200)
                .map(|message| format!(" (\"{}\")", String::from_utf16_lossy(message)))
                .unwrap_or_default();
            escape(&format!("{subject} throws {thrown}{said}, which it does not declare."))
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn path(case: &Case) -> Vec<String> {
    let shown = &case.path[case.path.len().saturating_sub(MOST_NOTES)..];
    let places: Vec<String> = shown
        .iter()
        .map(|note| match note.line {
            Some(line) => format!("{}:{line}", note.place),
            None => note.place.clone(),
        })
        .collect();
    let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    if shown.len() < case.path.len() {
        lines.push(format!("({} earlier constraints)", case.path.len() - shown.len()));
    }
    for (note, place) in shown.iter().zip(places) {
        lines.push(escape(&format!("{place:width$}  {}", note.constraint)).trim_end().to_string());
    }
    lines
}

/// Text that neither ends the comment nor has a special meaning for javac, which reads unicode escapes in comments
/// too, or for javadoc.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("&#92;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' => out.push_str("&#64;"),
            ' '..='~' => out.push(c),
            _ if c.is_control() => out.push('?'),
            _ => out.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    out.replace("*/", "*&#47;")
}
