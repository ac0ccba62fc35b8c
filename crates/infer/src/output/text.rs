//! The notation for people: Daikon's, with the evidence for each line.

use crate::entailment::Premises;
use crate::formula::Formula;
use crate::program_point::ProgramPoint;
use crate::rounds::{Evidence, Outcome};
use crate::specification::Specification;
use crate::subject::Subject;
use crate::term::Term;
use cupping_case::JavaType;

/// Writes the specification of a class.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let explored = &outcome.explored;
    let bound = if explored.closed {
        "all states that the values tried lead to".to_owned()
    } else {
        format!("all sequences up to {} calls, and some longer ones", explored.complete)
    };
    let mut out = format!(
        "{}\nheld of {} executions by tests and {} more: {bound}\n",
        subject.name.replace('/', "."),
        outcome.recorded,
        explored.executions.len()
    );
    if outcome.axiomatic {
        out += &axiomatic(subject, outcome);
    }
    if let Some(axioms) = &outcome.axioms {
        out += "\naxioms\n";
        for axiom in axioms {
            out += &format!("  {}    [{}]\n", axiom.text(subject), axiom.evidence());
        }
        if axioms.is_empty() {
            out += "  none\n";
        }
    }
    out
}

fn axiomatic(subject: &Subject, outcome: &Outcome) -> String {
    let mut out = String::new();
    let specification = &outcome.specification;
    let of = |point: &ProgramPoint, implied: &[Formula]| {
        let premises = Premises::new(implied);
        let mut text = String::new();
        let mut unchanged = Vec::new();
        for (likely, evidence) in specification.clauses.iter().zip(&outcome.evidence) {
            match &likely.formula {
                _ if likely.point != *point => {}
                other if premises.entail(other, &|_| false) => {}
                other => match other.as_unchanged() {
                    Some(term) => unchanged.push(term.clone()),
                    None => text += &line(other, evidence),
                },
            }
        }
        // A call that changes nothing of its object says so once.
        if !unchanged.is_empty() && is_whole(subject, specification, &unchanged) {
            unchanged.retain(|it| !it.any(&mut |it| *it == Term::This));
            unchanged.insert(0, Term::This);
        }
        if !unchanged.is_empty() {
            let texts: Vec<String> = unchanged.iter().map(ToString::to_string).collect();
            text = format!("  unchanged: {}\n{text}", texts.join(", "));
        }
        text
    };
    let class = of(&ProgramPoint::Class, &[]);
    if !class.is_empty() {
        out += &format!("\ninvariants\n{class}");
    }
    for method in 0..subject.methods.len() {
        let key = subject.key(method);
        let mut text = String::new();
        // Exact throws clauses imply preconditions, which need not be said again.
        let refused: Vec<Formula> = specification
            .throws
            .iter()
            .filter(|it| it.method == key && it.exact)
            .flat_map(|it| it.condition.alternatives())
            .map(Formula::negation)
            .collect();
        let entry = of(&ProgramPoint::Entry(key.clone()), &refused);
        if !entry.is_empty() {
            text += &format!("  requires\n{}", indented(&entry));
        }
        let exit = of(&ProgramPoint::Exit(key.clone()), &[]);
        if !exit.is_empty() {
            text += &format!("  ensures\n{}", indented(&exit));
        }
        for throws in specification.throws.iter().filter(|it| it.method == key) {
            let when = if throws.exact { "exactly when" } else { "when" };
            let class = throws.class.replace('/', ".");
            text += &format!("  throws {class} {when} {}\n", throws.condition);
        }
        if !text.is_empty() {
            out += &format!("\n{}\n{text}", subject.signature(method));
        }
    }
    out
}

/// Whether all fields of the object, and the elements of its arrays, are unchanged.
fn is_whole(subject: &Subject, specification: &Specification, unchanged: &[Term]) -> bool {
    let Some(fields) = subject.layouts.get(&subject.name).filter(|it| !it.is_empty()) else { return false };
    let is_constant = |term: &Term| {
        specification.clauses.iter().any(|it| {
            it.point == ProgramPoint::Class
                && matches!(it.formula.as_equality(), Some((a, Term::Constant(_))) if a == term)
        })
    };
    fields.iter().all(|(name, ty)| {
        let field = Term::This.field(name);
        let is_array = matches!(ty, JavaType::Array(_));
        let is_kept = unchanged.contains(&field) || is_constant(&field);
        is_kept && (!is_array || unchanged.contains(&Term::Elements(Box::new(field))))
    })
}

fn line(formula: &Formula, evidence: &Evidence) -> String {
    format!("  {formula}    [{}]\n", evidence.text())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
