//! From samples to likely specifications: proposals of templates, without those that follow from others.

use crate::bystanders::seen_by_others;
use crate::entailment::Premises;
use crate::exceptions::throws;
use crate::formula::{Comparison, Formula};
use crate::framing::is_framed;
use crate::implications::implications;
use crate::program_point::ProgramPoint;
use crate::proposals::{propose, without_equals};
use crate::specification::{Clause, Specification};
use crate::subject::Subject;
use crate::table::Table;
use crate::templates::STAGES;
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// Infers a specification from executions.
pub fn infer(subject: &Subject, executions: &[&Execution]) -> Specification {
    infer_relevant(subject, executions, &|_, _| true)
}

/// As [`infer`], without irrelevant formulas. These do not suppress their consequences, either.
pub fn infer_relevant(
    subject: &Subject,
    executions: &[&Execution],
    is_relevant: &dyn Fn(&ProgramPoint, &Formula) -> bool,
) -> Specification {
    let mut found = Specification::default();
    let others: Vec<Execution> = executions.iter().flat_map(|it| seen_by_others(subject, it)).collect();
    let holds_for_others =
        |it: &Formula| others.iter().all(|other| it.holds(other, Phase::After) != Some(false));
    let is_kept = |point: &ProgramPoint, it: &Formula| {
        is_relevant(point, it) && (*point != ProgramPoint::Class || holds_for_others(it))
    };
    let of_table = |table: &Table<'_>, given: &[Formula]| of_table(table, given, &is_kept);
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
        // Facts about arguments at entry also hold at exit; facts about the state at entry hold for its past at
        // exit.
        given.extend(preconditions.iter().map(|it| it.formula.clone()).filter(is_of_arguments));
        given.extend(preconditions.iter().map(|it| past(&it.formula)));
        let postconditions = of_table(&exit, &given);
        found.clauses.extend(preconditions);
        found.clauses.extend(postconditions);
        found.throws.extend(throws(subject, method, executions, &invariants));
    }
    found
}

/// Whether a formula is about arguments only, not about what they refer to.
fn is_of_arguments(formula: &Formula) -> bool {
    !formula.any(|it| matches!(it, Term::This | Term::Field(..) | Term::Observer(..) | Term::Elements(_)))
}

/// A formula about the state before a call, as a formula at its exit.
fn past(formula: &Formula) -> Formula {
    let term = |it: &Term| match it {
        Term::Constant(_) | Term::Parameter(..) => it.clone(),
        Term::Linear(terms, constant) => {
            let old = |(factor, term): &(i64, Term)| (*factor, Term::Old(Box::new(term.clone())));
            Term::Linear(terms.iter().map(old).collect(), *constant)
        }
        other => Term::Old(Box::new(other.clone())),
    };
    formula.map(&term)
}

/// The likely clauses of a table that do not follow from given formulas.
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
    for (at, templates) in STAGES.iter().enumerate() {
        let new = propose(templates, &reduced);
        if at + 1 < STAGES.len() {
            let equalities: Vec<&Formula> = new.iter().map(|it| &it.0).collect();
            reduced = without_equals(&reduced, &equalities);
        }
        found.extend(new);
    }
    found.extend(implications(&reduced));
    if let ProgramPoint::Exit(_) = table.point {
        let unchanged: Vec<Term> = found.iter().filter_map(|it| it.0.as_unchanged().cloned()).collect();
        found.retain(|it| speaks_of_exit(&it.0, &unchanged));
    }
    found.retain(|it| is_relevant(&table.point, &it.0));
    // Readers look for bounds of fields: they come first, and stay even if something else implies them.
    let is_first = |it: &Formula| table.point == ProgramPoint::Class && is_bound_of_field(it);
    found.sort_by_key(|it| !is_first(&it.0));
    // A size is never negative; neither this nor its consequences are worth a clause.
    let sizes = table.columns.iter().map(|it| &it.term).filter(|it| is_size(it));
    let natural =
        |it: &Term| Formula::compare(it.clone(), Comparison::AtLeast, Term::Constant(Value::Int(0)));
    let given: Vec<Formula> = given.iter().cloned().chain(sizes.map(natural)).collect();
    let given = &given[..];
    let mut accepted: Vec<(Formula, &'static str)> = Vec::new();
    let mut premises = Premises::new(given);
    let mut known: Vec<&Formula> = given.iter().collect();
    for (formula, template) in &found {
        if !premises.entail(formula, &|_| false)
            && !formula.kind().is_restated(&known)
            && !is_framed(formula, &known, &premises)
        {
            premises.push(formula);
            known.push(formula);
            accepted.push((formula.clone(), template));
        }
    }
    // A later formula may entail an earlier one.
    let all = Premises::new(accepted.iter().map(|it| &it.0).chain(given));
    let mut redundant = vec![false; accepted.len()];
    for at in 0..accepted.len() {
        let is_left_out = |other: usize| other == at || redundant.get(other) == Some(&true);
        let others = accepted.iter().enumerate().filter(|it| !is_left_out(it.0)).map(|it| &it.1.0);
        let others: Vec<&Formula> = others.chain(given).collect();
        let formula = &accepted[at].0;
        redundant[at] = !is_first(formula)
            && (all.entail(formula, &is_left_out)
                || formula.kind().is_restated(&others)
                || is_framed(formula, &others, &all));
    }
    let accepted: Vec<_> = accepted.into_iter().zip(redundant).filter(|it| !it.1).map(|it| it.0).collect();
    let samples = table.samples;
    let clause = |(formula, template): (Formula, &str)| Clause {
        point: table.point.clone(),
        formula,
        template: template.to_owned(),
        samples,
    };
    accepted.into_iter().map(clause).collect()
}

/// Whether a formula bounds a field of the object by a number.
fn is_bound_of_field(formula: &Formula) -> bool {
    let is_field = |it: &Term| matches!(it, Term::Field(of, _) if **of == Term::This);
    formula.kind().bound().is_some_and(|(term, _)| formula.as_compare().is_some() && is_field(term))
}

fn is_size(term: &Term) -> bool {
    match term {
        Term::Length(_) => true,
        Term::Old(of) => is_size(of),
        _ => false,
    }
}

/// Whether a formula concerns the result or what a call has changed. Other formulas belong to the entry.
fn speaks_of_exit(formula: &Formula, unchanged: &[Term]) -> bool {
    fn after(term: &Term, unchanged: &[Term]) -> bool {
        match term {
            Term::Old(_) | Term::Constant(_) | Term::Parameter(..) => false,
            Term::This | Term::Result => true,
            other if unchanged.contains(other) => false,
            // Only parts of existing values are examined.
            Term::Field(..) | Term::Observer(..) | Term::Length(_) | Term::Elements(_) => true,
            other => other.parts().into_iter().any(|it| after(it, unchanged)),
        }
    }
    let elements = |it: &Term| matches!(it, Term::Elements(of) if matches!(**of, Term::Parameter(..)));
    let is_plain = formula.as_unchanged().is_some();
    is_plain
        || formula
            .terms()
            .into_iter()
            .any(|it| after(it, unchanged) || elements(it) && !unchanged.contains(it))
}
