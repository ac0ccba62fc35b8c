//! A specification in sections: the invariants, then each method with its requires, ensures and throws clauses. Text
//! and page are written from it.

use crate::entailment::Premises;
use crate::formula::{Comparison, Formula};
use crate::outcome::InferenceOutcome;
use crate::program_point::ProgramPoint;
use crate::specification::Specification;
use crate::subject::Subject;
use crate::term::Term;
use crate::typing::is_elements;
use cupping_case::JavaType;

/// The class or a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The method; none for the invariants of the class.
    pub method: Option<String>,
    /// Its requirements, guarantees and exceptions, each only if not empty.
    pub clauses: Vec<Clause>,
}

/// A clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// `requires`, `ensures`, `throws`; empty for invariants.
    pub keyword: &'static str,
    /// The facts.
    pub lines: Vec<Line>,
}

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The formula in readable form.
    pub text: String,
    /// The evidence, if there is more than that the fact was observed.
    pub evidence: Option<String>,
    /// How useful a reader finds it; lower is better.
    pub rank: u8,
}

/// The sections of a specification; methods without facts are omitted.
pub fn sections(subject: &Subject, outcome: &InferenceOutcome) -> Vec<Section> {
    let mut all = Vec::new();
    let class = lines(subject, outcome, &ProgramPoint::Class, &[]);
    if !class.is_empty() {
        all.push(Section { method: None, clauses: vec![Clause { keyword: "", lines: class }] });
    }
    for method in 0..subject.methods.len() {
        let clauses = clauses(subject, outcome, method);
        if !clauses.is_empty() {
            all.push(Section { method: Some(subject.signature(method).to_string()), clauses });
        }
    }
    all
}

fn clauses(subject: &Subject, outcome: &InferenceOutcome, method: usize) -> Vec<Clause> {
    let key = subject.key(method);
    let specification = &outcome.specification;
    // The exceptions for other inputs state the requirement.
    let refused: Vec<Formula> = specification
        .throws
        .iter()
        .filter(|it| it.method == key && it.exact)
        .flat_map(|it| it.condition.alternatives())
        .map(Formula::negation)
        .collect();
    let known = specification.throws.iter().zip(&outcome.throws_evidence);
    let throws = known.filter(|it| it.0.method == key).map(|(throws, evidence)| {
        let when = if throws.exact { "exactly when" } else { "when" };
        let class = throws.class.replace('/', ".");
        let text = format!("{class} {when} {}", throws.condition);
        Line { text, evidence: Some(evidence.text()), rank: u8::from(!throws.exact) }
    });
    let clauses = [
        Clause {
            keyword: "requires",
            lines: lines(subject, outcome, &ProgramPoint::Entry(key.clone()), &refused),
        },
        Clause { keyword: "ensures", lines: lines(subject, outcome, &ProgramPoint::Exit(key.clone()), &[]) },
        Clause { keyword: "throws", lines: throws.collect() },
    ];
    clauses.into_iter().filter(|it| !it.lines.is_empty()).collect()
}

/// The likely formulas at a program point, without those implied by others.
fn lines(subject: &Subject, outcome: &InferenceOutcome, point: &ProgramPoint, said: &[Formula]) -> Vec<Line> {
    let specification = &outcome.specification;
    let told = Premises::new(said);
    let mut lines = Vec::new();
    let mut unchanged = Vec::new();
    for (likely, evidence) in specification.clauses.iter().zip(&outcome.evidence) {
        match &likely.formula {
            _ if likely.point != *point => {}
            other if told.entail(other, &|_| false) => {}
            other => match other.as_unchanged() {
                Some(term) => unchanged.push(term.clone()),
                None => lines.push(Line {
                    text: other.to_string(),
                    evidence: Some(evidence.text()),
                    rank: rank(other),
                }),
            },
        }
    }
    // A call that changes nothing of the object is described by one word.
    let is_kept = |key: &str| subject.find(key).is_none_or(|it| outcome.explored.is_kept_by(it));
    if !unchanged.is_empty()
        && is_whole(subject, specification, &unchanged)
        && matches!(point, ProgramPoint::Exit(key) if is_kept(key))
    {
        unchanged.retain(|it| !it.any(&mut |it| *it == Term::This));
        unchanged.insert(0, Term::This);
    }
    if !unchanged.is_empty() {
        let texts: Vec<String> = unchanged.iter().map(ToString::to_string).collect();
        let text = format!("unchanged: {}", texts.join(", "));
        lines.insert(0, Line { text, evidence: None, rank: 2 });
    }
    lines
}

/// How useful a formula is to a reader: first the result of a call, the values that it sets, and bounds of fields;
/// then relations between two values; then conditional facts, and facts about elements.
fn rank(formula: &Formula) -> u8 {
    let is_near = |it: &Term| {
        matches!(it, Term::Result | Term::Parameter(..))
            || matches!(it, Term::Field(of, _) | Term::Observer(of, _) if **of == Term::This)
    };
    if formula.any(is_elements) {
        return 4;
    }
    if let Formula::Iff(_) = formula {
        return 1;
    }
    let Some(it) = formula.as_compare() else { return 3 };
    match (it.comparison, is_near(&it.left) || is_near(&it.right)) {
        (Comparison::Equal, true) => 0,
        (_, true) => 1,
        (_, false) => 3,
    }
}

/// Whether all fields of the object, and the elements of its arrays, are among the unchanged ones.
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
        let has_elements = match ty {
            JavaType::Array(_) => true,
            JavaType::Class(class) => subject.collections.contains(class),
            _ => false,
        };
        let is_kept = unchanged.contains(&field) || is_constant(&field);
        is_kept && (!has_elements || unchanged.contains(&Term::Elements(Box::new(field))))
    })
}
