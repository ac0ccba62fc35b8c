//! Java assertions: for each method what to put at its beginning and before it returns. Values before the call are kept in
//! variables first.

use super::java::{HELPERS, Style, Writer, is_expressible};
use crate::formula::Formula;
use crate::rounds::Outcome;
use crate::subject::Subject;
use crate::table::Place;
use crate::term::Term;
use crate::typing::{is_elements, type_of};
use std::collections::BTreeMap;

const STYLE: Style = Style { this: "this", result: "result", old: "old", implies: None };

/// Writes them.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let mut out = format!("// Likely specification of {}\n", subject.name.replace('/', "."));
    let formulas = |place: &Place| -> Vec<&Formula> {
        let of = outcome.specification.likely.iter().filter(|it| it.place == *place);
        of.map(|it| &it.formula).filter(|it| is_expressible(subject, it)).collect()
    };
    let class = formulas(&Place::Class);
    let mut uses = false;
    if !class.is_empty() {
        let writer = Writer { subject, method: None, style: STYLE };
        out += "\nprivate boolean likelyInvariant() {\n";
        for formula in class {
            let text = writer.formula(formula);
            uses |= text.contains("likely");
            out += &format!("    assert {text};\n");
        }
        out += "    return true;\n}\n";
    }
    for method in 0..subject.methods.len() {
        let key = subject.key(method);
        let writer = Writer { subject, method: Some(method), style: STYLE };
        let (entry, exit) = (formulas(&Place::Entry(key.clone())), formulas(&Place::Exit(key)));
        if entry.is_empty() && exit.is_empty() {
            continue;
        }
        out += &format!("\n// {}\n", subject.signature(method));
        out += "// at its beginning\n";
        for formula in &entry {
            out += &format!("assert {};\n", writer.formula(formula));
        }
        let mut kept: BTreeMap<String, (String, String)> = BTreeMap::new();
        let mut after = String::new();
        for formula in &exit {
            let mut text = writer.formula(formula);
            for term in pasts(formula) {
                let shown = writer.term(&term);
                let ty = if is_elements(&term) {
                    "java.util.List<Object>".to_owned()
                } else {
                    type_of(subject, Some(method), &term).to_string().replace('$', ".")
                };
                let number = kept.len();
                let name = &kept.entry(shown.clone()).or_insert_with(|| (format!("old{number}"), ty)).0;
                text = text.replace(&format!("old({shown})"), name);
            }
            // What must be there for a value of the past to be one is asked of the past.
            if !text.contains("old(") {
                after += &format!("assert {text};\n");
            }
        }
        for (shown, (name, ty)) in &kept {
            out += &format!("{ty} {name} = {shown};\n");
        }
        out += &format!("// before it returns\n{after}");
        uses |= out.contains("likely");
    }
    if uses {
        out += &format!("\n// what the assertions use\n{HELPERS}");
    }
    out
}

/// The terms whose values before the call a formula speaks of.
fn pasts(formula: &Formula) -> Vec<Term> {
    let mut found = Vec::new();
    formula.any(|it| {
        if let Term::Old(of) = it
            && !found.contains(&**of)
        {
            found.push((**of).clone());
        }
        false
    });
    found
}
