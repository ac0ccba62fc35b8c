//! Help for errors of the notation that requires the header and the class files.

use crate::classes::Finder;
use crate::error::Error;
use crate::header::{Header, WORDS};
use crate::model::notation;
use cupping_classfile::Program;
use cupping_relation::nearest;
use std::collections::BTreeSet;

/// The error with help on lines of the header, sections, and fields whose names are keywords.
pub(crate) fn of_syntax(
    mut error: cupping_relation::Error,
    header: &Header,
    text: &str,
    program: &Program,
) -> Error {
    if error.message.starts_with("expected a paragraph") {
        let found = text.get(error.span.start..error.span.end).unwrap_or_default();
        let is_at_colon = text.get(error.span.end..).unwrap_or_default().trim_start().starts_with(':');
        error.label.clear();
        if WORDS.contains(&found) && is_at_colon {
            error.message = "a line of the header has no `:`".to_owned();
            error.help = Some(format!("write `{found} NAME`"));
        } else if let Some(near) = nearest(WORDS.into_iter(), found) {
            error.message = format!("there is no line `{found}`");
            error.help = Some(format!("did you mean `{near}`?"));
        } else {
            let words = WORDS.join(", ");
            let more = format!(
                "sections are `invariant {{ … }}`, `pre {{ … }}`, `post {{ … }}`; lines of the header begin with {words}"
            );
            error.help = Some(error.help.map_or(more.clone(), |it| format!("{it}; {more}")));
        }
    }
    if let Some(first) = renamed(header, text, program).unwrap_or_default().first() {
        error.help = Some(error.help.map_or(first.clone(), |it| format!("{it}; {first}")));
    }
    Error::Specification(error)
}

/// How the text should write fields whose names are keywords.
fn renamed(header: &Header, text: &str, program: &Program) -> Result<Vec<String>, Error> {
    let mut finder = Finder::new(program, header, text);
    let class = finder.class_named(&header.class)?;
    finder.start(&class)?;
    let found = finder.finish(&[])?;
    let fields = found.classes.values().flat_map(|it| &it.fields).map(|it| it.name.as_str());
    let words: BTreeSet<&str> = text.split(|it: char| !(it.is_alphanumeric() || it == '_')).collect();
    let renamed = fields.filter(|it| words.contains(it) && notation(it) != *it);
    Ok(renamed
        .map(|it| format!("write the field {it} as {}: {it} is a keyword of the notation", notation(it)))
        .collect())
}

/// The error with help on a name that is a method of the class.
pub(crate) fn of_name(error: Error, header: &Header, text: &str, program: &Program) -> Error {
    let Error::Specification(mut error) = error else { return error };
    let Some(name) = error.message.strip_prefix("unknown name ").map(str::to_owned) else {
        return Error::Specification(error);
    };
    let class = Finder::new(program, header, text).class_named(&header.class);
    if class.is_ok_and(|class| class.methods.iter().any(|it| *it.name == *name)) {
        let help = format!("{name} is a method; specifications use fields and cannot call Java methods");
        error.help = Some(help);
    }
    Error::Specification(error)
}
