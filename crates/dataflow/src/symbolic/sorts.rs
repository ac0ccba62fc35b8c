//! Sorts of variables and of the slots that hold their values.

use cupping_machine::Kind;
use cupping_term::{Sort, TermId, Terms, VarIndex};

/// The suffix of the name of an array's length; no other variable's name has it.
pub(crate) const LENGTH: &str = ".length";

/// A condition, with the fact added that lengths of arrays in it are not negative.
pub(crate) fn with_lengths(terms: &mut Terms, condition: &[TermId]) -> Vec<TermId> {
    let mut lengths: Vec<VarIndex> = Vec::new();
    for conjunct in condition {
        let of = terms.variables(*conjunct).iter().copied();
        lengths.extend(of.filter(|v| terms.variable(*v).name.contains(LENGTH)));
    }
    lengths.sort_unstable();
    lengths.dedup();
    let mut all = condition.to_vec();
    let zero = terms.int(0);
    for length in lengths {
        let length = terms.variable(length).term;
        let fits = terms.sle(zero, length);
        if !all.contains(&fits) {
            all.push(fits);
        }
    }
    all
}

/// The sort in which a variable of a kind is kept.
pub fn sort_of(kind: Kind) -> Sort {
    match kind {
        Kind::Boolean => Sort::Bool,
        Kind::Byte => Sort::Bv8,
        Kind::Char | Kind::Short => Sort::Bv16,
        Kind::Long => Sort::Bv64,
        Kind::Float => Sort::F32,
        Kind::Double => Sort::F64,
        Kind::Int | Kind::Reference | Kind::Void => Sort::Bv32,
    }
}

/// A variable's value as a slot holds it.
pub fn widened(terms: &mut Terms, kind: Kind, value: TermId) -> TermId {
    match kind {
        Kind::Boolean => terms.bool_to_int(value),
        Kind::Byte | Kind::Short => terms.sext(Sort::Bv32, value),
        Kind::Char => terms.zext(Sort::Bv32, value),
        _ => value,
    }
}

/// A slot's value as a variable of a kind keeps it.
pub fn narrowed(terms: &mut Terms, kind: Kind, value: TermId) -> TermId {
    match kind {
        Kind::Boolean => terms.truncate(Sort::Bool, value),
        Kind::Byte => terms.truncate(Sort::Bv8, value),
        Kind::Char | Kind::Short => terms.truncate(Sort::Bv16, value),
        _ => value,
    }
}
