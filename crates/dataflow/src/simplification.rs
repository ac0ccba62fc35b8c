//! Simplifies conjunctions for display: bounds that another one implies are omitted, and bounds of the same term are
//! merged.
//!
//! Only the display is simplified. Deduction works with the original conditions.

use cupping_term::{Op, Sort, Term, TermId, Terms};

/// A conjunct as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Conjunct {
    /// The unchanged conjunct.
    Term(TermId),
    /// A relation between a term and a constant of its sort, which replaces several conjuncts.
    Relation(TermId, &'static str, TermId),
}

/// A set of numbers: those from `low` to `high`, or all but one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    Between(i64, i64),
    AllBut(i64),
}

impl Numbers {
    fn includes(self, other: Numbers) -> bool {
        match (self, other) {
            (Numbers::Between(low, high), Numbers::Between(from, to)) => low <= from && to <= high,
            (Numbers::AllBut(number), Numbers::Between(from, to)) => number < from || to < number,
            (Numbers::AllBut(one), Numbers::AllBut(other)) => one == other,
            (Numbers::Between(..), Numbers::AllBut(_)) => false,
        }
    }
}

/// A conjunct that compares a term with a constant.
struct Bound {
    of: TermId,
    numbers: Numbers,
    /// The constant.
    constant: TermId,
}

/// The conjuncts of a condition, without those that others imply.
pub(crate) fn simplified(terms: &Terms, condition: &[TermId]) -> Vec<Conjunct> {
    let bounds: Vec<Option<Bound>> = condition.iter().map(|it| bound(terms, *it)).collect();
    let is_implied = |at: usize| {
        let Some(own) = &bounds[at] else { return condition[..at].contains(&condition[at]) };
        bounds.iter().enumerate().any(|(other, by)| match by {
            Some(by) if by.of == own.of && other != at => {
                own.numbers.includes(by.numbers) && (other < at || !by.numbers.includes(own.numbers))
            }
            _ => false,
        })
    };
    let kept: Vec<usize> = (0..condition.len()).filter(|at| !is_implied(*at)).collect();
    let mut joined: Vec<usize> = Vec::new();
    let mut shown = Vec::new();
    for (nth, at) in kept.iter().enumerate() {
        if joined.contains(at) {
            continue;
        }
        let partner = bounds[*at].as_ref().and_then(|own| {
            kept[nth + 1..].iter().find_map(|other| {
                let relation = join(terms, own, bounds[*other].as_ref()?)?;
                Some((*other, relation))
            })
        });
        match partner {
            Some((other, relation)) => {
                joined.push(other);
                shown.push(relation);
            }
            None => shown.push(Conjunct::Term(condition[*at])),
        }
    }
    shown
}

/// One relation equivalent to two bounds: `x >= 3 && x != 3` is `x > 3`, `x >= 3 && x <= 3` is `x == 3`.
fn join(terms: &Terms, a: &Bound, b: &Bound) -> Option<Conjunct> {
    let sort = terms.sort(a.of);
    if a.of != b.of {
        return None;
    }
    let (least, most) = (sort.min_signed(), sort.max_signed());
    match (a.numbers, b.numbers) {
        (Numbers::Between(low, high), Numbers::Between(from, to)) if low.max(from) == high.min(to) => {
            let constant = if sort.signed(terms.as_constant(a.constant)?) == low.max(from) { a } else { b };
            let is_it = sort.signed(terms.as_constant(constant.constant)?) == low.max(from);
            is_it.then_some(Conjunct::Relation(a.of, "==", constant.constant))
        }
        (Numbers::Between(low, high), Numbers::AllBut(number)) if low == number && high == most => {
            Some(Conjunct::Relation(a.of, ">", b.constant))
        }
        (Numbers::Between(low, high), Numbers::AllBut(number)) if high == number && low == least => {
            Some(Conjunct::Relation(a.of, "<", b.constant))
        }
        (Numbers::AllBut(_), Numbers::Between(..)) => join(terms, b, a),
        _ => None,
    }
}

fn bound(terms: &Terms, conjunct: TermId) -> Option<Bound> {
    let Term::Apply { op, args: [a, b, _], .. } = *terms.get(conjunct) else { return None };
    if op == Op::Not {
        let bound = bound(terms, a)?;
        let numbers = negated(terms.sort(bound.of), bound.numbers)?;
        return Some(Bound { numbers, ..bound });
    }
    let (of, constant, is_swapped) = match (terms.as_constant(a), terms.as_constant(b)) {
        (None, Some(_)) => (a, b, false),
        (Some(_), None) => (b, a, true),
        _ => return None,
    };
    let sort = terms.sort(of);
    if !matches!(sort, Sort::Bv8 | Sort::Bv16 | Sort::Bv32 | Sort::Bv64) {
        return None;
    }
    let value = sort.signed(terms.as_constant(constant)?);
    let (least, most) = (sort.min_signed(), sort.max_signed());
    let numbers = match (op, is_swapped) {
        (Op::Eq, _) => Numbers::Between(value, value),
        (Op::Slt, false) => Numbers::Between(least, value.checked_sub(1)?),
        (Op::Slt, true) => Numbers::Between(value.checked_add(1)?, most),
        (Op::Sle, false) => Numbers::Between(least, value),
        (Op::Sle, true) => Numbers::Between(value, most),
        _ => return None,
    };
    Some(Bound { of, numbers, constant })
}

/// The numbers of a sort that are not among these, if they form one set.
fn negated(sort: Sort, numbers: Numbers) -> Option<Numbers> {
    let (least, most) = (sort.min_signed(), sort.max_signed());
    Some(match numbers {
        Numbers::AllBut(number) => Numbers::Between(number, number),
        Numbers::Between(low, high) if low == high => Numbers::AllBut(low),
        Numbers::Between(low, high) if low == least => Numbers::Between(high.checked_add(1)?, most),
        Numbers::Between(low, high) if high == most => Numbers::Between(least, low.checked_sub(1)?),
        Numbers::Between(..) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_that_others_imply_are_left_out() {
        let mut terms = Terms::new();
        let (c, d) = (terms.new_variable("c", Sort::Bv32), terms.new_variable("d", Sort::Bv32));
        let [zero, three, ten] = [0, 3, 10].map(|number| terms.int(number));
        let (positive, many) = (terms.sle(zero, c), terms.sle(ten, c));
        let (few, other) = (terms.slt(c, ten), terms.ne(c, three));
        let (three_or_more, at_most) = (terms.sle(three, c), terms.sle(c, three));
        let of_d = terms.sle(zero, d);
        let shown = |condition: &[TermId]| simplified(&terms, condition);
        assert_eq!(shown(&[positive, many]), [Conjunct::Term(many)]);
        assert_eq!(shown(&[many, positive, many]), [Conjunct::Term(many)]);
        assert_eq!(shown(&[positive, few]), [Conjunct::Term(positive), Conjunct::Term(few)]);
        assert_eq!(shown(&[many, other]), [Conjunct::Term(many)]);
        assert_eq!(shown(&[of_d, many]), [Conjunct::Term(of_d), Conjunct::Term(many)]);
        assert_eq!(shown(&[three_or_more, other]), [Conjunct::Relation(c, ">", three)]);
        assert_eq!(shown(&[at_most, of_d, three_or_more]).first(), Some(&Conjunct::Relation(c, "==", three)));
    }
}
