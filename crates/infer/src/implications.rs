//! Implications: samples are split by truth values, `null`, enum constants and returned numbers; templates examine
//! each part.

use crate::atoms::atoms;
use crate::formula::{Compare, Comparison, Formula};
use crate::program_point::ProgramPoint;
use crate::proposals::{CONFIDENCE, propose};
use crate::sort::Sort;
use crate::table::{Column, Table};
use crate::templates::{Parts, STAGES, Template, all_by_chance, is_auxiliary};
use crate::term::Term;
use crate::value::Value;

/// The largest number of conditions that split the samples.
const MOST_SPLITS: usize = 10;
/// The largest number of implications under one condition.
const MOST_OF_ONE: usize = 5;

/// Equivalences of conditions, and implications.
pub fn implications(table: &Table<'_>) -> Vec<(Formula, &'static str)> {
    let when = table.point.phase();
    let truths = |formula: &Formula| -> Option<Vec<bool>> {
        table.rows.iter().map(|it| formula.holds(it, when)).collect()
    };
    let mixed = |all: &Vec<bool>| all.contains(&true) && all.contains(&false);
    let any = |_: &Column| true;
    let all: Vec<(Formula, Vec<bool>)> = atoms(table, &any)
        .into_iter()
        .filter_map(|it| truths(&it).filter(mixed).map(|truths| (it, truths)))
        .collect();
    let mut splits: Vec<&(Formula, Vec<bool>)> = all.iter().filter(|it| is_split(&it.0, table)).collect();
    splits.truncate(MOST_SPLITS);
    let mut found: Vec<(Formula, &'static str)> = Vec::new();
    let mut seen: Vec<&Vec<bool>> = Vec::new();
    // Rows in which the condition holds, by implication.
    let mut reach: Vec<(usize, Formula, Vec<bool>)> = Vec::new();
    for (split, truths) in splits {
        // Another condition splits the samples in the same way.
        if seen.contains(&truths) {
            continue;
        }
        seen.push(truths);
        let chance = 0.5f64.powi(i32::try_from(table.samples).unwrap_or(i32::MAX));
        let mut same: Vec<&Formula> = all
            .iter()
            .filter(|(other, rows)| {
                rows == truths && !shares_term(split, other) && !is_cell(other) && !is_mixed(split, other)
            })
            .map(|it| &it.0)
            .collect();
        same.sort_by_key(|it| (is_of_result(it), size(it)));
        // If there is no equivalent condition, use the negation of one that holds of the other rows.
        let opposite: Vec<Formula> = all
            .iter()
            .filter(|(other, rows)| {
                same.is_empty()
                    && matches!(other, Formula::Member(_))
                    && rows.iter().zip(truths).all(|(a, b)| a != b)
                    && !shares_term(split, other)
            })
            .map(|it| it.0.negation())
            .collect();
        same.extend(&opposite);
        if chance <= CONFIDENCE {
            for other in same.iter().take(1) {
                found.push((Formula::iff(split.clone(), (*other).clone()), "equivalence"));
            }
        }
        for side in [true, false] {
            let mut count = 0;
            let condition = if side { split.clone() } else { split.negation() };
            let Some(mut part) = table.part(split, side) else { continue };
            part.columns.retain(|it| !is_auxiliary(&it.term));
            for (formula, parts) in proposed_of_part(&part) {
                // Implications from a returned truth value to arguments are useful; those between fields are mostly
                // chance.
                let is_told = is_returned_truth(split) && is_of_parameter(&formula);
                if parts == Parts::ReturnedTruths && !is_told {
                    continue;
                }
                // If it failed here as often as where the condition does not hold, a failure would have been
                // observed.
                let elsewhere = table.rows.iter().zip(truths).filter(|it| *it.1 != side);
                let answers: Vec<bool> = elsewhere.filter_map(|it| formula.holds(it.0, when)).collect();
                let wrong = answers.iter().filter(|it| !**it).count() as f64 / answers.len().max(1) as f64;
                let own = part.rows.iter().filter(|it| formula.holds(it, when).is_some()).count();
                let is_new = all_by_chance(1.0 - wrong, own) <= CONFIDENCE;
                // Excludes `x == 3 ==> x == 3` and what the equivalence states.
                let is_other = !shares_term(split, &formula)
                    && !formula.kind().is_incidental()
                    && !same.iter().take(1).any(|it| has_all_terms(it, &formula));
                if is_new && is_other && count < MOST_OF_ONE {
                    count += 1;
                    let rows = truths.iter().map(|it| *it == side).collect();
                    reach.push((found.len(), formula.clone(), rows));
                    found.push((Formula::implies(condition.clone(), formula), "implication"));
                }
            }
        }
    }
    // An implication whose consequence is known under a weaker condition.
    let is_weaker = |at: usize| {
        let Some((_, formula, rows)) = reach.iter().find(|it| it.0 == at) else { return false };
        reach.iter().any(|(other, seen, more)| {
            let within = rows.iter().zip(more).all(|(a, b)| !a || *b);
            *other != at && seen == formula && within && (rows != more || *other < at)
        })
    };
    let kept: Vec<bool> = (0..found.len()).map(|at| !is_weaker(at)).collect();
    found.into_iter().zip(kept).filter(|it| it.1).map(|it| it.0).collect()
}

/// Proposals of templates for a part of the samples.
fn proposed_of_part(part: &Table<'_>) -> Vec<(Formula, Parts)> {
    let templates: Vec<&'static dyn Template> =
        STAGES.iter().copied().flatten().copied().filter(|it| it.parts() != Parts::None).collect();
    let parts_of =
        |name: &str| templates.iter().find(|it| it.name() == name).map_or(Parts::None, |it| it.parts());
    propose(&templates, part).into_iter().map(|(formula, name)| (formula, parts_of(name))).collect()
}

/// Whether a term is an argument, a result or a field of the receiver. Anything reached through a field is data.
fn is_near(term: &Term) -> bool {
    match term {
        Term::Parameter(..) | Term::Result => true,
        Term::Field(of, _) => **of == Term::This,
        Term::Old(of) => is_near(of),
        _ => false,
    }
}

/// Whether a condition states which truth value the method returns.
fn is_returned_truth(formula: &Formula) -> bool {
    formula
        .as_compare()
        .is_some_and(|it| it.left == Term::Result && matches!(it.right, Term::Constant(Value::Bool(_))))
}

fn is_of_parameter(formula: &Formula) -> bool {
    formula.any(|it| matches!(it, Term::Parameter(..)))
}

/// Whether a condition asks if a cell of an array is empty.
fn is_cell(formula: &Formula) -> bool {
    formula.as_compare().is_some_and(|it| {
        let cell = if let Term::Old(of) = &it.left { of } else { &it.left };
        it.right == Term::Constant(Value::Null) && matches!(cell, Term::At(..))
    })
}

/// Whether a condition splits samples.
fn is_split(formula: &Formula, table: &Table<'_>) -> bool {
    let Some(Compare { left: term, comparison, right: Term::Constant(value) }) = formula.as_compare() else {
        return false;
    };
    let column = table.columns.iter().find(|it| it.term == *term);
    // References split samples if they are arguments, results or fields, not if they happen to lie in an array.
    let is_plain = !term.any(&mut |it| matches!(it, Term::At(..)));
    *comparison == Comparison::Equal
        && match value {
            Value::Bool(_) | Value::Enum(..) => is_plain,
            Value::Null => {
                is_plain
                    && is_near(term)
                    && (table.point == ProgramPoint::Class || !is_unchanged(term, table))
            }
            // Numbers with a conventional meaning: nothing, or not found.
            Value::Int(-1 | 0) => *term == Term::Result && column.is_some_and(|it| it.sort == Sort::Number),
            _ => false,
        }
}

/// Whether a field has the same value before and after in all rows.
fn is_unchanged(term: &Term, table: &Table<'_>) -> bool {
    let of = |wanted: &Term| table.columns.iter().find(|it| it.term == *wanted);
    let old = Term::Old(Box::new(term.clone()));
    let is_field = matches!(term, Term::Field(..));
    // If its past was removed from the columns, it is known to be unchanged.
    match (of(term), of(&old)) {
        (Some(_), None) => is_field,
        (Some(new), Some(old)) => new.values == old.values,
        _ => false,
    }
}

fn is_of_result(formula: &Formula) -> bool {
    formula.any(|it| *it == Term::Result)
}

fn size(formula: &Formula) -> usize {
    let olds = formula.any(|it| matches!(it, Term::Old(_)));
    let equal = formula.as_equality().is_some();
    formula.size() * 2 + usize::from(olds) + usize::from(!equal)
}

/// Whether both formulas contain the same term, other than a constant.
fn shares_term(a: &Formula, b: &Formula) -> bool {
    let is_constant = |it: &&&Term| matches!(it, Term::Constant(_));
    a.terms().iter().filter(|it| !is_constant(it)).any(|term| b.any(|it| it == *term))
}

/// Whether all terms of a formula occur in a condition.
fn has_all_terms(condition: &Formula, formula: &Formula) -> bool {
    fn within(term: &Term, condition: &Formula) -> bool {
        match term {
            Term::Constant(_) => true,
            Term::Linear(terms, _) => terms.iter().all(|it| within(&it.1, condition)),
            other => condition.terms().contains(&other),
        }
    }
    formula.terms().iter().all(|it| within(it, condition))
}

/// Whether one formula is about the past, the other about the present, and neither about the result. Clauses about
/// what has changed already relate the two.
fn is_mixed(a: &Formula, b: &Formula) -> bool {
    let is_past = |it: &Formula| it.any(|it| matches!(it, Term::Old(_)));
    !is_of_result(a) && !is_of_result(b) && is_past(a) != is_past(b)
}
