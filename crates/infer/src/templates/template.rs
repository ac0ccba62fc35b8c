//! The trait of templates, and queries on columns that several templates use.

use crate::formula::Formula;
use crate::sort::Sort;
use crate::table::{Column, Table};
use crate::term::Term;

/// What a template proposes.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The formula.
    pub formula: Formula,
    /// How likely it is to hold by chance.
    pub chance: f64,
}

/// Which parts of the samples a template is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// None: it needs many samples.
    None,
    /// Those where a method returns `true`, or `false`; only for statements about parameters.
    ReturnedTruths,
    /// All.
    All,
}

/// A template.
pub trait Template: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it detects, and how it computes the chance.
    fn about(&self) -> &'static str;

    /// Whether it is also applied to parts of the samples: what it finds there becomes the consequence of an
    /// implication.
    fn parts(&self) -> Parts;

    /// Proposes.
    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>);
}

/// Whether a number is the length of a string. The tried lengths tell nothing about others.
pub fn is_length_of_text(table: &Table<'_>, term: &Term) -> bool {
    let term = if let Term::Old(of) = term { of } else { term };
    let Term::Length(of) = term else { return false };
    table.columns.iter().any(|it| it.sort == Sort::Text && it.term == **of)
}

/// Whether a column serves constants only: unused elements, and past elements that a call has overwritten.
pub fn is_auxiliary(term: &Term) -> bool {
    match term {
        Term::Rest(..) => true,
        Term::At(seq, index, _) => matches!(**seq, Term::Old(_)) && matches!(**index, Term::Field(..)),
        _ => false,
    }
}

/// Whether a term is the element at an index that the caller passes. Its presence is accidental, so only equalities
/// are worth stating.
pub fn is_at_chosen_index(term: &Term) -> bool {
    match term {
        Term::At(_, index, _) => matches!(**index, Term::Parameter(..)),
        Term::Old(of) => is_at_chosen_index(of),
        _ => false,
    }
}

/// Whether a number has few values and is neither an argument nor a result. Then it is an element, or a least one,
/// by accident.
pub fn is_scarce(column: &Column) -> bool {
    let is_named = matches!(column.term, Term::Parameter(..) | Term::Result);
    column.sort == Sort::Number && !is_named && column.distinct < 3
}

/// Columns of numbers with several values.
pub fn numbers<'t>(table: &'t Table<'_>) -> impl Iterator<Item = &'t Column> + Clone {
    let several =
        |it: &&Column| it.constant().is_none() && !is_auxiliary(&it.term) && !is_at_chosen_index(&it.term);
    table.columns.iter().filter(|it| it.sort == Sort::Number).filter(several)
}

/// Columns of sequences in use.
pub fn sequences<'t>(table: &'t Table<'_>) -> impl Iterator<Item = &'t Column> + Clone {
    all_sequences(table).filter(|it| !is_auxiliary(&it.term))
}

/// All columns of sequences.
pub fn all_sequences<'t>(table: &'t Table<'_>) -> impl Iterator<Item = &'t Column> + Clone {
    table.columns.iter().filter(|it| matches!(it.sort, Sort::Elements(_)))
}

/// The probability of `samples` independent events of probability `each`.
pub fn all_by_chance(each: f64, samples: usize) -> f64 {
    each.powi(i32::try_from(samples).unwrap_or(i32::MAX))
}

/// The number of distinct pairs of values in rows where both columns have values.
pub fn pairs(a: &Column, b: &Column) -> usize {
    let both = a.values.iter().zip(&b.values).filter(|(a, b)| a.is_present() && b.is_present());
    let mut texts: Vec<String> = both.map(|it| format!("{it:?}")).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.len()
}

/// Whether one term is the past of the other.
pub fn is_past_of(a: &Term, b: &Term) -> bool {
    matches!(a, Term::Old(of) if **of == *b) || matches!(b, Term::Old(of) if **of == *a)
}

/// Whether one term is a part of the other. Relations between them are rarely worth stating.
pub fn is_part(a: &Term, b: &Term) -> bool {
    a.any(&mut |it| it == b) || b.any(&mut |it| it == a)
}

/// The greatest common divisor, at least 1.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}
