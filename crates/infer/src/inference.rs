//! From samples to likely specifications: what templates propose is verified, weighed, and thinned out.

use crate::claims::{is_framed, is_restated};
use crate::entailment::Premises;
use crate::exceptions::{ThrowsClause, throws};
use crate::formula::{Comparison, Formula};
use crate::implications::implications;
use crate::subject::Subject;
use crate::table::{Column, ProgramPoint, Table};
use crate::templates::{ALL, Proposal, Template, is_chosen};
use crate::term::Term;
use crate::trace::Execution;
use crate::value::Value;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// What would hold by chance more often than this is not believed.
pub const CONFIDENCE: f64 = 0.01;

/// A likely specification of a program point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clause {
    /// Where.
    pub point: ProgramPoint,
    /// What.
    pub formula: Formula,
    /// The template that found it.
    pub template: String,
    /// How many executions it held of.
    pub samples: usize,
}

/// All that is likely of a class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Specification {
    /// Preconditions, postconditions and invariants.
    pub clauses: Vec<Clause>,
    /// When methods throw what.
    pub throws: Vec<ThrowsClause>,
}

/// Infers a specification.
pub fn infer(subject: &Subject, executions: &[&Execution]) -> Specification {
    infer_relevant(subject, executions, &|_, _| true)
}

/// The same without formulas that are not meant: they do not suppress what follows from them, either.
pub fn infer_relevant(
    subject: &Subject,
    executions: &[&Execution],
    is_relevant: &dyn Fn(&ProgramPoint, &Formula) -> bool,
) -> Specification {
    let mut found = Specification::default();
    let of_table = |table: &Table<'_>, given: &[Formula]| of_table(table, given, is_relevant);
    let class = Table::new(subject, &ProgramPoint::Class, executions);
    found.clauses = of_table(&class, &[]);
    let invariants: Vec<Formula> = found.clauses.iter().map(|it| it.formula.clone()).collect();
    for method in 0..subject.methods.len() {
        let key = subject.key(method);
        let entry = Table::new(subject, &ProgramPoint::Entry(key.clone()), executions);
        let preconditions = of_table(&entry, &invariants);
        let exit = Table::new(subject, &ProgramPoint::Exit(key.clone()), executions);
        let mut given = invariants.clone();
        given.extend(invariants.iter().map(past));
        // What holds of arguments before holds of them after; what holds of the state before is its past.
        given.extend(preconditions.iter().map(|it| it.formula.clone()).filter(is_of_arguments));
        given.extend(preconditions.iter().map(|it| past(&it.formula)));
        let postconditions = of_table(&exit, &given);
        found.clauses.extend(preconditions);
        found.clauses.extend(postconditions);
        found.throws.extend(throws(subject, method, executions, &invariants));
    }
    found
}

/// Whether a formula speaks of arguments alone, and not of what they lead to.
fn is_of_arguments(formula: &Formula) -> bool {
    !formula.any(|it| matches!(it, Term::This | Term::Field(..) | Term::Observer(..) | Term::Elements(_)))
}

/// A formula about the state before a call, said at its exit.
fn past(formula: &Formula) -> Formula {
    let term = |it: &Term| match it {
        Term::Constant(_) | Term::Parameter(..) => it.clone(),
        Term::Linear(terms, constant) => {
            let old = |(factor, term): &(i64, Term)| (*factor, Term::Old(Box::new(term.clone())));
            Term::Linear(terms.iter().map(old).collect(), *constant)
        }
        other => Term::Old(Box::new(other.clone())),
    };
    match formula {
        Formula::Compare(a, comparison, b) => Formula::Compare(term(a), *comparison, term(b)),
        Formula::OneOf(a, values) => Formula::OneOf(term(a), values.clone()),
        Formula::Modulus(a, m, r) => Formula::Modulus(term(a), *m, *r),
        Formula::Member(a, b) => Formula::Member(term(a), term(b)),
        Formula::Each(a, comparison, b) => Formula::Each(term(a), *comparison, term(b)),
        Formula::Class(a, class) => Formula::Class(term(a), class.clone()),
        Formula::Distinct(a) => Formula::Distinct(term(a)),
        Formula::Subset(a, b) => Formula::Subset(term(a), term(b)),
        Formula::Implies(a, b) => Formula::Implies(Box::new(past(a)), Box::new(past(b))),
        Formula::Iff(a, b) => Formula::Iff(Box::new(past(a)), Box::new(past(b))),
        other => other.clone(),
    }
}

/// What is likely of the samples of a table and does not follow from what is given.
fn of_table(
    table: &Table<'_>,
    given: &[Formula],
    is_relevant: &dyn Fn(&ProgramPoint, &Formula) -> bool,
) -> Vec<Clause> {
    if table.rows.is_empty() {
        return Vec::new();
    }
    let equal: Vec<&Formula> = given.iter().collect();
    let mut reduced = without_equals(table, &equal);
    let mut found: Vec<(Formula, &'static str)> = Vec::new();
    // What is unchanged, then what is equal, is left out before the next templates see the table.
    let (unchanged, others) = ALL.split_at(1);
    let (equal, rest) = others.split_at(2);
    for templates in [unchanged, equal, rest] {
        let new = propose(templates, &reduced);
        let equalities: Vec<&Formula> = new.iter().map(|it| &it.0).collect();
        if templates.len() < rest.len() {
            reduced = without_equals(&reduced, &equalities);
        }
        found.extend(new);
    }
    found.extend(implications(&reduced));
    if let ProgramPoint::Exit(_) = table.point {
        let unchanged: Vec<Term> = found.iter().filter_map(|it| left_as_is(&it.0).cloned()).collect();
        found.retain(|it| speaks_of_exit(&it.0, &unchanged));
    }
    found.retain(|it| is_relevant(&table.point, &it.0));
    // A size is never negative: nobody needs to be told, and nothing that follows from it is news.
    let sizes = table.columns.iter().map(|it| &it.term).filter(|it| is_size(it));
    let natural =
        |it: &Term| Formula::Compare(it.clone(), Comparison::AtLeast, Term::Constant(Value::Int(0)));
    let given: Vec<Formula> = given.iter().cloned().chain(sizes.map(natural)).collect();
    let given = &given[..];
    let mut kept: Vec<(Formula, &'static str)> = Vec::new();
    let mut said = Premises::new(given);
    let mut known: Vec<&Formula> = given.iter().collect();
    for (formula, template) in &found {
        if !said.implies(formula, &|_| false)
            && !is_restated(formula, &known)
            && !is_framed(formula, &known, &said)
        {
            said.push(formula);
            known.push(formula);
            kept.push((formula.clone(), template));
        }
    }
    // What came later may imply what came before.
    let all = Premises::new(kept.iter().map(|it| &it.0).chain(given));
    let mut gone = vec![false; kept.len()];
    for at in 0..kept.len() {
        let is_left_out = |other: usize| other == at || gone.get(other) == Some(&true);
        let others = kept.iter().enumerate().filter(|it| !is_left_out(it.0)).map(|it| &it.1.0);
        let others: Vec<&Formula> = others.chain(given).collect();
        let formula = &kept[at].0;
        gone[at] = all.implies(formula, &is_left_out)
            || is_restated(formula, &others)
            || is_framed(formula, &others, &all);
    }
    let kept: Vec<_> = kept.into_iter().zip(gone).filter(|it| !it.1).map(|it| it.0).collect();
    let samples = table.samples;
    let clause = |(formula, template): (Formula, &str)| Clause {
        point: table.point.clone(),
        formula,
        template: template.to_owned(),
        samples,
    };
    kept.into_iter().map(clause).collect()
}

fn is_size(term: &Term) -> bool {
    match term {
        Term::Length(_) => true,
        Term::Old(of) => is_size(of),
        _ => false,
    }
}

/// What a formula says the call leaves as it was.
fn left_as_is(formula: &Formula) -> Option<&Term> {
    match formula {
        Formula::Compare(a, Comparison::Equal, Term::Old(b)) if **b == *a => Some(a),
        _ => None,
    }
}

/// Whether a formula speaks of the result or of what a call has changed: the rest belongs to the entry.
fn speaks_of_exit(formula: &Formula, unchanged: &[Term]) -> bool {
    fn after(term: &Term, unchanged: &[Term]) -> bool {
        match term {
            Term::Old(_) | Term::Constant(_) | Term::Parameter(..) => false,
            Term::This | Term::Result => true,
            other if unchanged.contains(other) => false,
            // Only parts of what is there are looked at.
            Term::Field(..) | Term::Observer(..) | Term::Length(_) | Term::Elements(_) => true,
            other => other.parts().into_iter().any(|it| after(it, unchanged)),
        }
    }
    let elements = |it: &Term| matches!(it, Term::Elements(of) if matches!(**of, Term::Parameter(..)));
    let is_plain = left_as_is(formula).is_some();
    is_plain
        || formula
            .terms()
            .into_iter()
            .any(|it| after(it, unchanged) || elements(it) && !unchanged.contains(it))
}

/// What templates propose, verified and weighed, each once.
pub fn propose(templates: &[&'static dyn Template], table: &Table<'_>) -> Vec<(Formula, &'static str)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for template in templates {
        let mut proposals: Vec<Proposal> = Vec::new();
        template.propose(table, &mut proposals);
        for Proposal { formula, chance } in proposals {
            if chance <= CONFIDENCE
                && !is_of_chosen(&formula)
                && holds(&formula, table)
                && seen.insert(format!("{formula:?}"))
            {
                found.push((formula, template.name()));
            }
        }
    }
    found
}

/// Whether a formula says what the element is that a caller's number happens to be an index of.
fn is_of_chosen(formula: &Formula) -> bool {
    match formula {
        Formula::Compare(a, _, Term::Constant(Value::Int(_) | Value::Char(_))) | Formula::OneOf(a, _) => {
            is_chosen(a)
        }
        _ => false,
    }
}

/// Whether a formula holds of all rows, of one at least where everything is there.
pub fn holds(formula: &Formula, table: &Table<'_>) -> bool {
    let when = table.point.when();
    let mut any = false;
    for execution in &table.rows {
        match formula.holds(execution, when) {
            Some(true) => any = true,
            Some(false) => return false,
            None => {}
        }
    }
    any
}

/// The table without columns that always equal another one, or a constant that is no number.
pub fn without_equals<'e>(table: &Table<'e>, equalities: &[&Formula]) -> Table<'e> {
    let mut left_out: Vec<&Term> = Vec::new();
    let is_there =
        |term: &Term| table.columns.iter().find(|it| it.term == *term).is_some_and(Column::is_always_there);
    for formula in equalities {
        let Formula::Compare(a, Comparison::Equal, b) = formula else { continue };
        if matches!(b, Term::Constant(_)) || left_out.contains(&a) || left_out.contains(&b) {
            continue;
        }
        let is_past = |term: &Term| term.any(&mut |it| matches!(it, Term::Old(_)));
        let observed = |term: &Term| term.any(&mut |it| matches!(it, Term::Observer(..)));
        let rank = |term: &Term| (is_past(term), observed(term), term.size());
        // What is not always there is told by what is.
        let (there_a, there_b) = (is_there(a), is_there(b));
        let drops_a = if there_a == there_b { rank(a) > rank(b) } else { there_b };
        let dropped = if drops_a { a } else { b };
        if *dropped != Term::Result {
            left_out.push(dropped);
        }
    }
    let mut reduced = table.clone();
    // What is reached by way of one of them is reached by way of the other, too.
    let is_by_way = |term: &Term| term.parts().into_iter().any(|it| it.any(&mut |it| left_out.contains(&it)));
    reduced.columns.retain(|it| !left_out.contains(&&it.term) && !is_by_way(&it.term));
    reduced
}
