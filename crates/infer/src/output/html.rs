//! A page: specification, rounds, and the tree of states.

use crate::output::{round_log, text};
use crate::rounds::Outcome;
use crate::subject::Subject;
use crate::tree::svg;

/// The page of a class.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let name = escaped(&subject.name.replace('/', "."));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title>\n<style>body {{ \
         font-family: sans-serif; margin: 2em }} pre {{ background: #f6f6f6; padding: 1em; overflow: auto }}</style>\
         </head>\n<body><h1>{name}</h1>\n<h2>Likely specification</h2>\n<pre>{}</pre>\n<h2>Rounds</h2>\n<pre>{}</pre>\n\
         <h2>States</h2>\n<p>Nodes are states as <code>equals</code> tells them apart, edges the calls that first led \
         there.</p>\n{}\n</body></html>\n",
        escaped(&text::write(subject, outcome)),
        escaped(&round_log::write(outcome)),
        svg(&outcome.explored),
    )
}

/// Text within a page.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
