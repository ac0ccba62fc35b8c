//! Atomic conditions on the columns of a table. They are the building blocks of implications and of conditions of
//! exceptions.

use crate::formula::{Comparison, Formula, Member};
use crate::sort::Sort;
use crate::table::{Column, Table};
use crate::templates::{is_at_chosen_index, is_auxiliary};
use crate::term::Term;
use crate::value::Value;
use std::collections::BTreeSet;

/// The largest number of conditions.
const MOST: usize = 400;

fn compare(term: &Term, comparison: Comparison, value: Value) -> Formula {
    Formula::compare(term.clone(), comparison, Term::Constant(value))
}

/// Conditions that hold for some rows only: those of one column first, then those of two.
pub fn atoms(table: &Table<'_>, is_wanted: &dyn Fn(&Column) -> bool) -> Vec<Formula> {
    let wanted = |it: &&Column| {
        is_wanted(it) && !is_auxiliary(&it.term) && !(is_at_chosen_index(&it.term) && it.sort == Sort::Number)
    };
    let columns: Vec<&Column> = table.columns.iter().filter(wanted).collect();
    let mut found = Vec::new();
    for column in &columns {
        of_column(column, &mut found);
    }
    for seq in columns.iter().filter(|it| matches!(it.sort, Sort::Elements(_))) {
        for column in columns.iter().filter(|it| seq.may_contain(it)) {
            found.push(Member { element: column.term.clone(), elements: seq.term.clone() }.into());
        }
    }
    let ordered = columns.iter().filter(|it| matches!(it.sort, Sort::Number | Sort::Real));
    let ordered: Vec<&&Column> = ordered.filter(|it| it.distinct > 1 || it.is_always_present()).collect();
    for (at, a) in ordered.iter().enumerate() {
        for b in &ordered[at + 1..] {
            if a.sort != b.sort || a.distinct < 2 && b.distinct < 2 {
                continue;
            }
            for comparison in [Comparison::Less, Comparison::AtMost, Comparison::Equal] {
                found.push(Formula::compare(a.term.clone(), comparison, b.term.clone()));
            }
            for comparison in [Comparison::Less, Comparison::AtMost] {
                found.push(Formula::compare(b.term.clone(), comparison, a.term.clone()));
            }
        }
    }
    for (at, a) in ordered.iter().enumerate().filter(|it| it.1.sort == Sort::Number) {
        for b in ordered[at + 1..].iter().filter(|it| it.sort == Sort::Number) {
            for step in [1, -1] {
                let next = Term::Linear(vec![(1, b.term.clone())], step);
                found.push(Formula::compare(a.term.clone(), Comparison::Equal, next));
            }
        }
    }
    found.truncate(MOST);
    found
}

fn of_column(column: &Column, found: &mut Vec<Formula>) {
    let term = &column.term;
    match &column.sort {
        Sort::Truth if column.distinct == 2 => {
            found.push(compare(term, Comparison::Equal, Value::Bool(true)))
        }
        Sort::Number if column.distinct > 1 => {
            let mut values: Vec<i128> = column.numbers().into_iter().flatten().collect();
            values.sort_unstable();
            values.dedup();
            let is_char = matches!(column.values.iter().find(|it| it.is_present()), Some(Value::Char(_)));
            let usual = |it: &i128| [0, -1, 1].contains(it) || values.len() <= 4;
            for value in values.iter().filter(|it| usual(it)) {
                let value = if is_char { Value::Char(*value as u16) } else { Value::Int(*value as i64) };
                found.push(compare(term, Comparison::Equal, value));
            }
            if !is_char {
                for bound in [0, 1] {
                    found.push(compare(term, Comparison::Less, Value::Int(bound)));
                }
                for bound in [0, 1] {
                    found.push(compare(term, Comparison::Greater, Value::Int(bound)));
                }
            }
        }
        Sort::Real if column.distinct > 1 => {
            found.push(compare(term, Comparison::Equal, Value::Float(0.0)));
            found.push(compare(term, Comparison::Less, Value::Float(0.0)));
            found.push(compare(term, Comparison::AtMost, Value::Float(0.0)));
            found.push(Formula::compare(term.clone(), Comparison::Different, term.clone()));
        }
        Sort::Text | Sort::Reference => {
            if column.values.contains(&Value::Null) && column.distinct > 1 {
                found.push(compare(term, Comparison::Equal, Value::Null));
            }
            let mut constants: Vec<&Value> =
                column.values.iter().filter(|it| matches!(it, Value::Enum(..))).collect();
            constants.sort_by_key(|it| format!("{it:?}"));
            constants.dedup();
            if column.distinct > 1 && constants.len() <= 8 {
                for value in constants {
                    found.push(compare(term, Comparison::Equal, value.clone()));
                }
            }
        }
        Sort::Elements(element) if element.is_nullable() => {
            let null = Term::Constant(Value::Null);
            found.push(Member { element: null, elements: term.clone() }.into());
        }
        _ => {}
    }
}

/// Thresholds that separate the `inside` rows from the others, by columns that are smaller, or larger, in all of
/// them: a number of the code if one fits, else one between close values of both sides.
pub fn thresholds(table: &Table<'_>, inside: &[bool], of_code: &BTreeSet<i64>, found: &mut Vec<Formula>) {
    for column in table.columns.iter().filter(|it| it.sort == Sort::Number && it.is_always_present()) {
        let side = |wanted: bool| {
            let all = column.numbers().into_iter().flatten().zip(inside).filter(move |it| *it.1 == wanted);
            all.map(|it| it.0).collect::<Vec<i128>>()
        };
        let (within, others) = (side(true), side(false));
        let (Some(least), Some(most)) = (others.iter().min(), others.iter().max()) else { continue };
        let constant = |value: i128| i64::try_from(value).map(Value::Int);
        // If the nearest value inside is far away, the threshold could be anywhere between.
        let is_near = |bound: &i128, step: i128| bound.abs() <= 1 || within.contains(&(bound + step));
        // A guess: random calls and the solver look for values in between.
        let known = |it: &&i64| !(-1..=1).contains(*it);
        let above = within.iter().filter(|it| *it > most).min().zip(i64::try_from(*most).ok());
        let guess = above
            .and_then(|(next, most)| of_code.range(most..).find(known).filter(|it| i128::from(**it) < *next));
        if let Some(bound) = guess {
            found.push(compare(&column.term, Comparison::Greater, Value::Int(*bound)));
        }
        let below = within.iter().filter(|it| *it < least).max().zip(i64::try_from(*least).ok());
        let guess = below.and_then(|(next, least)| {
            of_code.range(..=least).rfind(known).filter(|it| i128::from(**it) > *next)
        });
        if let Some(bound) = guess {
            found.push(compare(&column.term, Comparison::Less, Value::Int(*bound)));
        }
        if is_near(least, -1)
            && within.iter().any(|it| it < least)
            && let Ok(bound) = constant(*least)
            && least.abs() < 1 << 20
        {
            found.push(compare(&column.term, Comparison::Less, bound));
        }
        if is_near(most, 1)
            && within.iter().any(|it| it > most)
            && let Ok(bound) = constant(*most)
            && most.abs() < 1 << 20
        {
            found.push(compare(&column.term, Comparison::Greater, bound));
        }
    }
}
