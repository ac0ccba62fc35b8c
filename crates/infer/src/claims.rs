//! What is said already in other words, where numbers do not tell: elements of what is the same, members of what is a part,
//! elements where nothing has been written.

use crate::entailment::Premises;
use crate::formula::{Comparison, Formula};
use crate::term::Term;
use crate::value::Value;

/// Whether a term is unchanged because all that it is made of is.
fn follows(term: &Term, known: &[&Formula]) -> bool {
    let is_unchanged = |it: &Term| {
        let old = Term::Old(Box::new(it.clone()));
        let own = Formula::Compare(it.clone(), Comparison::Equal, old);
        known.contains(&&own)
            || known.iter().any(
                |known| matches!(known, Formula::Compare(x, Comparison::Equal, Term::Constant(_)) if x == it),
            )
    };
    match term {
        Term::First(seq, index) | Term::At(seq, index, _) => {
            let index = match &**index {
                Term::Linear(terms, _) if terms.len() == 1 => &terms[0].1,
                other => other,
            };
            is_unchanged(seq) && is_unchanged(index)
        }
        // An array that is the same one has as many elements.
        Term::Length(of) => is_unchanged(of) && matches!(**of, Term::Field(..)),
        _ => false,
    }
}

/// Whether a formula that the small assignments do not understand is said in other words.
pub fn is_restated(formula: &Formula, known: &[&Formula]) -> bool {
    let has = |wanted: &Formula| known.contains(&wanted);
    let equal = |a: &Term, b: &Term| {
        has(&Formula::Compare(a.clone(), Comparison::Equal, b.clone()))
            || has(&Formula::Compare(b.clone(), Comparison::Equal, a.clone()))
    };
    let longer = |a: &Term| {
        known
            .iter()
            .any(|it| matches!(it, Formula::Compare(x, Comparison::Equal, Term::Append(..)) if x == a))
    };
    match formula {
        // A constant, or what equals something that is there, is not null.
        Formula::Compare(a, Comparison::Different, Term::Constant(Value::Null)) => known.iter().any(|it| {
            matches!(it, Formula::Compare(x, Comparison::Equal, Term::Constant(value)) if x == a && *value != Value::Null)
                || matches!(it, Formula::Class(x, _) if x == a)
                || matches!(it, Formula::OneOf(x, values) if x == a && !values.contains(&Value::Null))
        }),
        Formula::Compare(a, Comparison::Equal, Term::Old(b)) if **b == *a => follows(a, known),
        Formula::Compare(a, Comparison::Equal, b) if is_congruent(a, b, &equal) => true,
        // An element of those of which each is so.
        Formula::Compare(at @ Term::At(..), comparison, value) if is_one_of_each(at, *comparison, value, known) => true,
        Formula::Compare(value, comparison, at @ Term::At(..))
            if is_one_of_each(at, flipped(*comparison), value, known) =>
        {
            true
        }
        // One of two ways to say that there is one more.
        Formula::Compare(a, Comparison::Equal, Term::Append(part, _) | Term::Prepend(_, part))
            if known.iter().any(|it| {
                matches!(it, Formula::Compare(x, Comparison::Equal, Term::Append(y, _) | Term::Prepend(_, y))
                    if x == a && y == part)
            }) =>
        {
            true
        }
        Formula::Compare(a, Comparison::Equal, b) if a.size() > 2 || b.size() > 2 => {
            // Elements of what is the same are the same.
            let (Some(inner_a), Some(inner_b)) = (container(a), container(b)) else { return false };
            let is_past = |it: &Term| it.any(&mut |it| matches!(it, Term::Old(_)));
            // What is the same object then and now may hold something else now.
            is_past(a) == is_past(b)
                && a.size() - inner_a.size() == b.size() - inner_b.size()
                && equal(&inner_a, &inner_b)
        }
        Formula::Prefix(a, b) => longer(a) || longer(b) || is_within(a, b, known, true, 2),
        Formula::Member(a, b) => known.iter().any(|it| match it {
            Formula::Compare(x, Comparison::Equal, Term::At(seq, ..)) | Formula::Compare(Term::At(seq, ..), Comparison::Equal, x) => {
                x == a && (is_within(seq, b, known, false, 2) || is_first_of(b, seq))
            }
            Formula::Compare(x, Comparison::Equal, Term::Append(_, one) | Term::Prepend(one, _)) => {
                **one == *a && is_within(x, b, known, false, 2)
            }
            Formula::Member(x, y) => x == a && y != b && is_within(y, b, known, false, 2),
            _ => false,
        }) || matches!(a, Term::At(seq, count, offset) if is_within(seq, b, known, false, 2)
                || *offset == -1 && is_within(&Term::First(seq.clone(), count.clone()), b, known, false, 1)),
        Formula::Implies(condition, then) => {
            let mut more: Vec<&Formula> = known.to_vec();
            more.extend(known.iter().filter_map(|it| match it {
                Formula::Implies(other, then) if other == condition => Some(&**then),
                _ => None,
            }));
            let is_then = more.len() > known.len()
                && (Premises::new(more.iter().copied()).implies(then, &|_| false) || is_restated(then, &more));
            is_then || is_restated(then, known) || is_under_another(condition, then, known)
        }
        Formula::Subset(a, b) => is_within(a, b, known, false, 2),
        Formula::Distinct(a) => known.iter().any(|it| matches!(it, Formula::Sorted { seq, strict: true, .. } if seq == a)),
        Formula::Each(a, comparison, b) => known.iter().any(|it| {
            let Formula::Each(x, other, y) = it else { return false };
            let stronger = y == b && (other == comparison || *other == Comparison::Equal);
            (x == a || is_first_of(a, x) || is_rest_of(a, x)) && (stronger || is_weaker(*comparison, b, *other, y))
        }),
        // As far as both go they are the same.
        Formula::Pairwise(a, Comparison::AtMost | Comparison::AtLeast | Comparison::Equal, b)
            if is_within(a, b, known, true, 2) || is_within(b, a, known, true, 2) =>
        {
            true
        }
        Formula::Sorted { seq, .. } | Formula::Pairwise(seq, ..) => known.iter().any(|it| {
            matches!(it, Formula::Each(x, Comparison::Equal, Term::Constant(_)) if x == seq || is_first_of(seq, x))
        }),
        _ => false,
    }
}

/// Whether an element is among those of which each is said to compare so.
fn is_one_of_each(at: &Term, comparison: Comparison, value: &Term, known: &[&Formula]) -> bool {
    let Term::At(seq, index, offset) = at else { return false };
    known.iter().any(|it| {
        let Formula::Each(x, other, y) = it else { return false };
        let is_in = *x == **seq || *offset == -1 && *x == Term::First(seq.clone(), index.clone());
        let is_so = y == value && *other == comparison;
        is_in && (is_so || is_weaker(comparison, value, *other, y))
    })
}

/// A comparison from the other side.
fn flipped(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::Greater => Comparison::Less,
        Comparison::AtLeast => Comparison::AtMost,
        other => other,
    }
}

/// Whether all that compares so with one constant compares so with another.
fn is_weaker(comparison: Comparison, value: &Term, known: Comparison, with: &Term) -> bool {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less};
    let (Term::Constant(value), Term::Constant(with)) = (value, with) else { return false };
    let order = with.order(value);
    match (known, comparison) {
        (Equal, _) => comparison.holds(with, value) == Some(true),
        (AtLeast, AtLeast) | (Greater, Greater | AtLeast) => order.is_some_and(|it| it.is_ge()),
        (AtMost, AtMost) | (Less, Less | AtMost) => order.is_some_and(|it| it.is_le()),
        _ => false,
    }
}

/// Whether the same is said under a condition that follows from this one.
fn is_under_another(condition: &Formula, then: &Formula, known: &[&Formula]) -> bool {
    let others = known.iter().filter_map(|it| match it {
        Formula::Implies(other, known)
            if **other != *condition && (**known == *then || is_restated(then, &[known])) =>
        {
            Some(&**other)
        }
        _ => None,
    });
    let others: Vec<&Formula> = others.collect();
    let given = || known.iter().copied().chain([condition]);
    !others.is_empty() && others.into_iter().any(|it| Premises::new(given()).implies(it, &|_| false))
}

/// Whether elements are said to be what they were by what says where others have been written: those before that place.
pub fn is_framed(formula: &Formula, known: &[&Formula], said: &Premises<'_>) -> bool {
    let (a, b) = match formula {
        Formula::Compare(a, Comparison::Equal, b) | Formula::Prefix(a, b) => (inward(a), inward(b)),
        _ => return false,
    };
    known.iter().any(|it| {
        let Formula::Frame(after, before, index) = it else { return false };
        let before = inward(before);
        if let (Term::At(x, i, m), Term::At(y, j, n)) = (&a, &b) {
            let is_both = **x == *after && **y == before || **x == before && **y == *after;
            let place = Term::Linear(vec![(1, (**i).clone())], *m);
            let apart = Formula::Compare(place, Comparison::Different, index.clone());
            return is_both && i == j && m == n && said.implies(&apart, &|_| false);
        }
        let counts = match (&a, &b) {
            (Term::First(x, m), Term::First(y, n))
                if **x == *after && **y == before || **x == before && **y == *after =>
            {
                vec![m, n]
            }
            (Term::First(x, m), y) if **x == *after && *y == before || **x == before && *y == *after => {
                vec![m]
            }
            _ => return false,
        };
        let plain = |a: &Term, comparison, b: &Term| Formula::Compare(a.clone(), comparison, b.clone());
        let is_short = |count: &Term| said.implies(&plain(count, Comparison::AtMost, index), &|_| false);
        let is_fit = match (formula, &counts[..]) {
            (Formula::Compare(..), [m, n]) => said.implies(&plain(m, Comparison::Equal, n), &|_| false),
            (Formula::Compare(..), _) => false,
            (_, [m, n]) => said.implies(&plain(m, Comparison::AtMost, n), &|_| false),
            _ => true,
        };
        is_fit && counts.first().is_some_and(|it| is_short(it))
    })
}

/// Whether two values are made of equal ones in the same way.
fn is_congruent(a: &Term, b: &Term, equal: &dyn Fn(&Term, &Term) -> bool) -> bool {
    let (a, b) = (inward(a), inward(b));
    let same = |a: &Term, b: &Term| a == b || equal(a, b);
    match (&a, &b) {
        (Term::First(a, i), Term::First(b, j)) => same(a, b) && same(i, j),
        (Term::At(a, i, m), Term::At(b, j, n)) => m == n && same(a, b) && same(i, j),
        _ => false,
    }
}

/// A value of the past of which parts are: `old(a[..n])` is `old(a)[..old(n)]`.
fn inward(term: &Term) -> Term {
    let old = |it: &Term| Box::new(Term::Old(Box::new(it.clone())));
    match term {
        Term::Old(of) => match &**of {
            Term::First(seq, count) => Term::First(old(seq), Box::new(inward(&old(count)))),
            Term::At(seq, index, offset) => Term::At(old(seq), Box::new(inward(&old(index))), *offset),
            Term::Linear(terms, constant) => {
                let terms = terms.iter().map(|(factor, it)| (*factor, Term::Old(Box::new(it.clone()))));
                Term::Linear(terms.collect(), *constant)
            }
            _ => term.clone(),
        },
        other => other.clone(),
    }
}

/// What a term reads elements, a length or a field from; of a past one, the past.
fn container(term: &Term) -> Option<Term> {
    match term {
        Term::Old(of) => container(of).map(|it| Term::Old(Box::new(it))),
        Term::Elements(of) | Term::Length(of) | Term::Field(of, _) | Term::Observer(of, _) => {
            Some((**of).clone())
        }
        Term::First(seq, _) | Term::At(seq, ..) => container(seq),
        _ => None,
    }
}

/// Whether it is said that elements are all elements of others, or that these begin with them.
fn is_within(a: &Term, b: &Term, known: &[&Formula], is_prefix: bool, steps: usize) -> bool {
    if a == b || is_first_of(a, b) {
        return true;
    }
    if steps == 0 {
        return false;
    }
    known.iter().any(|it| {
        let next = match it {
            Formula::Compare(x, Comparison::Equal, Term::Append(y, _)) if **y == *a => x,
            Formula::Compare(x, Comparison::Equal, Term::Prepend(_, y)) if **y == *a && !is_prefix => x,
            Formula::Compare(x, Comparison::Equal, Term::Reverse(y)) if !is_prefix => match () {
                () if x == a => &**y,
                () if **y == *a => x,
                () => return false,
            },
            Formula::Compare(x, Comparison::Equal, y) if x == a => y,
            Formula::Compare(x, Comparison::Equal, y) if y == a => x,
            Formula::Prefix(x, y) if x == a => y,
            Formula::Subset(x, y) if x == a && !is_prefix => y,
            _ => return false,
        };
        is_within(next, b, known, is_prefix, steps - 1)
    })
}

fn is_rest_of(a: &Term, b: &Term) -> bool {
    matches!(a, Term::Rest(seq, _) if **seq == *b)
}

fn is_first_of(a: &Term, b: &Term) -> bool {
    matches!(inward(a), Term::First(seq, _) if *seq == inward(b))
}
