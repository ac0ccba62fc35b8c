//! Implications: samples are parted by truth values, `null`, constants of enums and what is returned.

use crate::atoms::atoms;
use crate::formula::{Comparison, Formula};
use crate::inference::{CONFIDENCE, propose};
use crate::table::{Column, ProgramPoint, Sort, Table};
use crate::templates::{ALL, Template, all_by_chance, is_aside, same_base};
use crate::term::Term;
use crate::value::Value;

/// Templates that say something of a part: the others are about many samples.
const OF_PARTS: [&str; 8] = [
    "unchanged",
    "constant",
    "equality",
    "append",
    "linear, two variables",
    "order",
    "member",
    "each element",
];
/// Conditions that samples are parted by, at most.
const MOST_SPLITS: usize = 10;
/// Implications of one condition at most.
const MOST_OF_ONE: usize = 5;

/// Conditions and what holds where they do.
pub fn implications(table: &Table<'_>) -> Vec<(Formula, &'static str)> {
    let when = table.point.when();
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
    let mut said: Vec<&Vec<bool>> = Vec::new();
    // By implication: the rows where its condition holds.
    let mut reach: Vec<(usize, Formula, Vec<bool>)> = Vec::new();
    for (split, truths) in splits {
        // The same rows in other words.
        if said.contains(&truths) {
            continue;
        }
        said.push(truths);
        let chance = 0.5f64.powi(i32::try_from(table.samples).unwrap_or(i32::MAX));
        let mut same: Vec<&Formula> = all
            .iter()
            .filter(|(other, rows)| {
                rows == truths && !shares_term(split, other) && !is_cell(other) && !is_mixed(split, other)
            })
            .map(|it| &it.0)
            .collect();
        same.sort_by_key(|it| (is_of_result(it), size(it)));
        // The other way round, where nothing says it straight.
        let opposite: Vec<Formula> = all
            .iter()
            .filter(|(other, rows)| {
                same.is_empty()
                    && matches!(other, Formula::Member(..))
                    && rows.iter().zip(truths).all(|(a, b)| a != b)
                    && !shares_term(split, other)
            })
            .map(|it| negated(&it.0))
            .collect();
        same.extend(&opposite);
        if chance <= CONFIDENCE {
            for other in same.iter().take(1) {
                found
                    .push((Formula::Iff(Box::new(split.clone()), Box::new((*other).clone())), "equivalence"));
            }
        }
        for side in [true, false] {
            let mut count = 0;
            let condition = if side { split.clone() } else { negated(split) };
            let Some(mut part) = table.part(split, side) else { continue };
            part.columns.retain(|it| !is_aside(&it.term));
            let templates: Vec<&'static dyn Template> =
                ALL.iter().copied().filter(|it| OF_PARTS.contains(&it.name())).collect();
            for (formula, template) in propose(&templates, &part) {
                // What a truth that is returned says of what was passed is worth saying; between fields it is mostly chance.
                if template == "order" && !(is_returned_truth(split) && is_of_parameter(&formula)) {
                    continue;
                }
                // Were it as often false here as where the condition does not hold, that would have been seen.
                let elsewhere = table.rows.iter().zip(truths).filter(|it| *it.1 != side);
                let told: Vec<bool> = elsewhere.filter_map(|it| formula.holds(it.0, when)).collect();
                let wrong = told.iter().filter(|it| !**it).count() as f64 / told.len().max(1) as f64;
                let own = part.rows.iter().filter(|it| formula.holds(it, when).is_some()).count();
                let is_new = all_by_chance(1.0 - wrong, own) <= CONFIDENCE;
                // `x == 3 && x == 3`, or what the equivalence says.
                let is_other = !shares_term(split, &formula)
                    && !is_noise(&formula)
                    && !same.iter().take(1).any(|it| speaks_of_no_more(it, &formula));
                if is_new && is_other && count < MOST_OF_ONE {
                    count += 1;
                    let rows = truths.iter().map(|it| *it == side).collect();
                    reach.push((found.len(), formula.clone(), rows));
                    found.push((
                        Formula::Implies(Box::new(condition.clone()), Box::new(formula)),
                        "implication",
                    ));
                }
            }
        }
    }
    // The same said of more rows says it of these.
    let is_weaker = |at: usize| {
        let Some((_, formula, rows)) = reach.iter().find(|it| it.0 == at) else { return false };
        reach.iter().any(|(other, said, more)| {
            let within = rows.iter().zip(more).all(|(a, b)| !a || *b);
            *other != at && said == formula && within && (rows != more || *other < at)
        })
    };
    let kept: Vec<bool> = (0..found.len()).map(|at| !is_weaker(at)).collect();
    found.into_iter().zip(kept).filter(|it| it.1).map(|it| it.0).collect()
}

/// Whether a term is passed, returned or a field: what is in what a field leads to is data.
fn is_near(term: &Term) -> bool {
    match term {
        Term::Parameter(..) | Term::Result => true,
        Term::Field(of, _) => **of == Term::This,
        Term::Old(of) => is_near(of),
        _ => false,
    }
}

/// Whether a condition is that the method returns `true`.
fn is_returned_truth(formula: &Formula) -> bool {
    matches!(formula, Formula::Compare(Term::Result, _, Term::Constant(Value::Bool(_))))
}

fn is_of_parameter(formula: &Formula) -> bool {
    formula.any(|it| matches!(it, Term::Parameter(..)))
}

/// What says little of a part: how elements begin, and bounds of each.
fn is_noise(formula: &Formula) -> bool {
    let is_bound =
        |it: &Comparison, with: &Term| *it != Comparison::Equal || !matches!(with, Term::Constant(_));
    match formula {
        Formula::Prefix(..) => true,
        Formula::Each(_, comparison, with) => is_bound(comparison, with),
        // That a part of an array is all of it, or where two indices meet, is said by numbers.
        Formula::Compare(a, Comparison::Equal, b) => same_base(a, b),
        _ => false,
    }
}

/// Whether a condition asks if a place of an array is empty.
fn is_cell(formula: &Formula) -> bool {
    matches!(formula, Formula::Compare(Term::At(..), _, Term::Constant(Value::Null)))
        || matches!(formula, Formula::Compare(Term::Old(it), _, Term::Constant(Value::Null)) if matches!(**it, Term::At(..)))
}

/// Whether a condition is one that samples are parted by.
fn is_split(formula: &Formula, table: &Table<'_>) -> bool {
    let Formula::Compare(term, comparison, Term::Constant(value)) = formula else { return false };
    let column = table.columns.iter().find(|it| it.term == *term);
    // Of references, what is passed, returned, or a field: not what happens to be in an array.
    let is_plain = !term.any(&mut |it| matches!(it, Term::At(..)));
    *comparison == Comparison::Equal
        && match value {
            Value::Bool(_) | Value::Enum(..) => is_plain,
            Value::Null => {
                is_plain
                    && is_near(term)
                    && (table.point == ProgramPoint::Class || !is_unchanged(term, table))
            }
            // What programs say by a number: nothing, or not found.
            Value::Int(-1 | 0) => *term == Term::Result && column.is_some_and(|it| it.sort == Sort::Number),
            _ => false,
        }
}

/// Whether a field is the same before and after in all rows.
fn is_unchanged(term: &Term, table: &Table<'_>) -> bool {
    let of = |wanted: &Term| table.columns.iter().find(|it| it.term == *wanted);
    let old = Term::Old(Box::new(term.clone()));
    let is_field = matches!(term, Term::Field(..));
    // Without its past among the columns it is known not to have changed.
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
    let equal = matches!(formula, Formula::Compare(_, Comparison::Equal, _));
    formula.terms().iter().map(|it| it.size()).sum::<usize>() * 2 + usize::from(olds) + usize::from(!equal)
}

/// Whether both speak of one term other than a constant.
fn shares_term(a: &Formula, b: &Formula) -> bool {
    let is_constant = |it: &&&Term| matches!(it, Term::Constant(_));
    a.terms().iter().filter(|it| !is_constant(it)).any(|term| b.any(|it| it == *term))
}

/// Whether all that a formula speaks of is in a condition.
fn speaks_of_no_more(condition: &Formula, formula: &Formula) -> bool {
    fn within(term: &Term, condition: &Formula) -> bool {
        match term {
            Term::Constant(_) => true,
            Term::Linear(terms, _) => terms.iter().all(|it| within(&it.1, condition)),
            other => condition.terms().contains(&other),
        }
    }
    formula.terms().iter().all(|it| within(it, condition))
}

/// Whether one speaks of the past and the other of what is now, and neither of the result: what the state was and what it is are
/// told by what has changed.
fn is_mixed(a: &Formula, b: &Formula) -> bool {
    let is_past = |it: &Formula| it.any(|it| matches!(it, Term::Old(_)));
    !is_of_result(a) && !is_of_result(b) && is_past(a) != is_past(b)
}

/// The opposite of a simple condition.
pub fn negated(formula: &Formula) -> Formula {
    match formula {
        Formula::Compare(term, Comparison::Equal, Term::Constant(Value::Bool(value))) => {
            Formula::Compare(term.clone(), Comparison::Equal, Term::Constant(Value::Bool(!value)))
        }
        Formula::Compare(a, comparison, b) => {
            let opposite = match comparison {
                Comparison::Equal => Comparison::Different,
                Comparison::Different => Comparison::Equal,
                Comparison::Less => Comparison::AtLeast,
                Comparison::AtMost => Comparison::Greater,
                Comparison::Greater => Comparison::AtMost,
                Comparison::AtLeast => Comparison::Less,
            };
            Formula::Compare(a.clone(), opposite, b.clone())
        }
        Formula::Not(of) => (**of).clone(),
        other => Formula::Not(Box::new(other.clone())),
    }
}
