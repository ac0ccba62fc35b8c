//! Templates of likely specifications: one file each, one row in [`ALL`].
//!
//! A template looks at the columns of a table and proposes; whether what it proposes holds of every row is checked for all of
//! them in one place (`proposals`), so a template cannot be wrong, only blind. With a proposal comes the chance that it
//! would hold of samples that have nothing to do with it, under the assumptions that its file states.

mod append;
mod bits;
mod class;
mod constant;
mod distinct;
mod each;
mod equality;
mod extreme;
mod frame;
mod linear2;
mod linear3;
mod member;
mod modulus;
mod nonnull;
mod oneof;
mod order;
mod pairwise;
#[cfg(test)]
#[path = "tests/permutation.rs"]
mod permutation;
mod range;
mod sorted;
mod string;
mod subset;
#[cfg(test)]
mod tests;
mod unchanged;
mod unless;

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

/// Which parts of the samples a template is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// None: it needs many samples.
    None,
    /// Those where a method returns `true`, or `false`, and of these what is said of parameters.
    ReturnedTruths,
    /// All.
    All,
}

/// A template.
pub trait Template: Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What it looks for, and by which test it trusts what it finds.
    fn about(&self) -> &'static str;

    /// Whether it is asked about parts of the samples too: what it finds there becomes the consequence of an implication.
    fn parts(&self) -> Parts;

    /// Proposes.
    fn propose(&self, table: &Table<'_>, out: &mut Vec<Proposal>);
}

/// All templates, by stage. The equalities that a stage finds leave columns out of the table that the next stage sees. Within
/// a stage, templates that say more come first.
pub const STAGES: [&[&dyn Template]; 3] = [UNCHANGED, EQUALITIES, OTHERS];

/// What a call leaves as it was.
const UNCHANGED: &[&dyn Template] = &[&unchanged::Unchanged];

/// Which variables have one value, or equal others.
const EQUALITIES: &[&dyn Template] = &[&constant::Constant, &equality::Equality];

/// All other claims.
const OTHERS: &[&dyn Template] = &[
    &append::Append,
    &frame::Frame,
    &linear2::Linear2,
    &oneof::OneOf,
    &range::Range,
    &nonnull::NonNull,
    &order::Order,
    &unless::Unless,
    &class::Class,
    &linear3::Linear3,
    &modulus::Modulus,
    &bits::Bits,
    &sorted::Sorted,
    &distinct::Distinct,
    &member::Member,
    &subset::Subset,
    &extreme::Extreme,
    &each::Each,
    &pairwise::Pairwise,
    &string::Shapes,
    #[cfg(test)]
    &permutation::Permutation,
];

/// Whether a number is how long a text is: how long texts were that were tried says nothing of others.
fn is_length_of_text(table: &Table<'_>, term: &Term) -> bool {
    let term = if let Term::Old(of) = term { of } else { term };
    let Term::Length(of) = term else { return false };
    table.columns.iter().any(|it| it.sort == Sort::Text && it.term == **of)
}

/// Whether a term is there for what is always the same of it only: elements that are not in use, and what was where the call has
/// written.
pub fn is_aside(term: &Term) -> bool {
    match term {
        Term::Rest(..) => true,
        Term::At(seq, index, _) => matches!(**seq, Term::Old(_)) && matches!(**index, Term::Field(..)),
        _ => false,
    }
}

/// Whether a term is the element at an index that a caller passes: of a number that is none, that happens to be one, so only what
/// equals it is worth saying.
pub fn is_chosen(term: &Term) -> bool {
    match term {
        Term::At(_, index, _) => matches!(**index, Term::Parameter(..)),
        Term::Old(of) => is_chosen(of),
        _ => false,
    }
}

/// Whether numbers are few where nobody has passed or returned them: such are elements, or the least of them, by chance.
fn is_scarce(column: &Column) -> bool {
    let is_told = matches!(column.term, Term::Parameter(..) | Term::Result);
    column.sort == Sort::Number && !is_told && column.distinct < 3
}

/// Columns with numbers, of which there are several.
fn numbers<'t>(table: &'t Table<'_>) -> impl Iterator<Item = &'t Column> + Clone {
    let several = |it: &&Column| it.constant().is_none() && !is_aside(&it.term) && !is_chosen(&it.term);
    table.columns.iter().filter(|it| it.sort == Sort::Number).filter(several)
}

/// Columns of elements that are in use.
fn sequences<'t>(table: &'t Table<'_>) -> impl Iterator<Item = &'t Column> + Clone {
    all_sequences(table).filter(|it| !is_aside(&it.term))
}

/// Columns of elements, those beyond the ones in use too.
fn all_sequences<'t>(table: &'t Table<'_>) -> impl Iterator<Item = &'t Column> + Clone {
    table.columns.iter().filter(|it| matches!(it.sort, Sort::Elements(_)))
}

/// The chance that so many independent samples all do what each does with this probability.
pub fn all_by_chance(each: f64, samples: usize) -> f64 {
    each.powi(i32::try_from(samples).unwrap_or(i32::MAX))
}

/// How many rows have values in both columns, counting equal pairs once.
fn pairs(a: &Column, b: &Column) -> usize {
    let both = a.values.iter().zip(&b.values).filter(|(a, b)| a.is_there() && b.is_there());
    let mut texts: Vec<String> = both.map(|it| format!("{it:?}")).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.len()
}

/// Whether two columns speak of the same thing, one of it before and one of it after.
fn is_past_of(a: &Term, b: &Term) -> bool {
    matches!(a, Term::Old(of) if **of == *b) || matches!(b, Term::Old(of) if **of == *a)
}

/// Whether one of two columns is a part of the other, or both are parts of one: of such, little is said that is worth it.
fn is_part(a: &Term, b: &Term) -> bool {
    a.any(&mut |it| it == b) || b.any(&mut |it| it == a)
}
