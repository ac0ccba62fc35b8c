//! Formulas that known formulas already imply in ways that arithmetic cannot decide: elements of equal objects,
//! members of a part.

use crate::formula::{Comparison, Formula};
use crate::term::Term;

/// Whether a comparison with `value` follows from a known comparison with another constant.
pub fn is_weaker(comparison: Comparison, value: &Term, known: Comparison, with: &Term) -> bool {
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

/// Whether two terms take the same part of equal sequences.
pub fn is_congruent(a: &Term, b: &Term, equal: &dyn Fn(&Term, &Term) -> bool) -> bool {
    let (a, b) = (inward(a), inward(b));
    let same = |a: &Term, b: &Term| a == b || equal(a, b);
    match (&a, &b) {
        (Term::First(a, i), Term::First(b, j)) => same(a, b) && same(i, j),
        (Term::At(a, i, m), Term::At(b, j, n)) => m == n && same(a, b) && same(i, j),
        _ => false,
    }
}

/// A past term in terms of its parts: `old(a[..n])` is `old(a)[..old(n)]`.
pub fn inward(term: &Term) -> Term {
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

/// The term from which elements, a length or a field are read; of a past term, its past.
pub fn read_from(term: &Term) -> Option<Term> {
    match term {
        Term::Old(of) => read_from(of).map(|it| Term::Old(Box::new(it))),
        Term::Elements(of) | Term::Length(of) | Term::Field(of, _) | Term::Observer(of, _) => {
            Some((**of).clone())
        }
        Term::First(seq, _) | Term::At(seq, ..) => read_from(seq),
        _ => None,
    }
}

/// Whether known formulas imply that `whole` contains all elements of `part`; if `in_order`, that it begins with
/// them.
pub fn is_within(part: &Term, whole: &Term, known: &[&Formula], in_order: bool) -> bool {
    is_within_steps(part, whole, known, in_order, 2)
}

/// As [`is_within`], through at most `steps` known formulas.
pub fn is_within_steps(part: &Term, whole: &Term, known: &[&Formula], in_order: bool, steps: usize) -> bool {
    if part == whole || is_first_of(part, whole) {
        return true;
    }
    steps > 0
        && known.iter().any(|it| {
            let next = it.kind().container_of(part, in_order);
            next.is_some_and(|next| is_within_steps(next, whole, known, in_order, steps - 1))
        })
}

/// Whether all elements of a sequence are known to equal one constant.
pub fn is_uniform(elements: &Term, known: &[&Formula]) -> bool {
    known.iter().any(|it| {
        let Formula::ElementComparison(each) = it else { return false };
        each.comparison == Comparison::Equal
            && matches!(each.value, Term::Constant(_))
            && (each.elements == *elements || is_first_of(elements, &each.elements))
    })
}

/// Whether a sequence is the rest of another.
pub fn is_rest_of(a: &Term, b: &Term) -> bool {
    matches!(a, Term::Rest(seq, _) if **seq == *b)
}

/// Whether a sequence consists of the first elements of another.
pub fn is_first_of(a: &Term, b: &Term) -> bool {
    matches!(inward(a), Term::First(seq, _) if *seq == inward(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entailment::Premises;
    use crate::formula::Compare;
    use crate::framing::is_framed;
    use crate::term::Phase;
    use crate::testing::{about_sequences, elements, executions, formulas, int, numbers, old, x};
    use crate::trace::Execution;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    fn known() -> impl Strategy<Value = Vec<Formula>> {
        let one = prop_oneof![3 => about_sequences(), 1 => formulas(), 2 => equalities()];
        vec(one, 1..4)
    }

    fn equalities() -> impl Strategy<Value = Formula> {
        prop_oneof![
            (numbers(), numbers()).prop_map(|(a, b)| Formula::equal(a, b)),
            Just(Formula::equal(x(), old(x()))),
            Just(Formula::equal(elements("a"), old(elements("a")))),
            Just(Formula::equal(elements("a"), elements("b"))),
        ]
    }

    fn asked() -> impl Strategy<Value = Formula> {
        prop_oneof![2 => about_sequences(), 1 => equalities()]
    }

    /// Whether a restatement is a logical consequence. Others are dropped because they add nothing useful for a
    /// reader, given that they hold: for instance, that one sequence begins with another that is known to be longer.
    fn is_consequence(formula: &Formula) -> bool {
        if let Formula::Member(member) = formula {
            return !matches!(member.elements, Term::First(..));
        }
        if let Formula::ElementComparison(each) = formula {
            return matches!(each.comparison, Comparison::Equal | Comparison::AtMost | Comparison::AtLeast);
        }
        let is_equality = |it: &Compare| !matches!(it.right, Term::Append(..) | Term::Prepend(..));
        matches!(formula, Formula::Subset(_) | Formula::Distinct(_))
            || formula.as_compare().is_some_and(is_equality)
    }

    fn all_hold(known: &[Formula], execution: &Execution) -> bool {
        known.iter().all(|it| it.holds(execution, Phase::After) == Some(true))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_500))]

        /// A restatement of known formulas holds wherever they hold.
        #[test]
        fn restated_formulas_hold(known in known(), formula in asked(), executions in vec(executions(), 30)) {
            let all: Vec<&Formula> = known.iter().collect();
            let premises = Premises::new(&known);
            let is_restated = is_consequence(&formula) && formula.kind().is_restated(&all);
            if is_restated || is_framed(&formula, &all, &premises) {
                for execution in executions.iter().filter(|it| all_hold(&known, it)) {
                    prop_assert_ne!(formula.holds(execution, Phase::After), Some(false), "{:?} / {}", all, formula);
                }
            }
        }

        /// A comparison with a constant implies that with a weaker one.
        #[test]
        fn weaker_comparisons_hold(
            comparison in prop::sample::select(Comparison::ALL.to_vec()),
            other in prop::sample::select(Comparison::ALL.to_vec()),
            (value, with, number) in (-3i64..4, -3i64..4, -4i64..5),
        ) {
            if is_weaker(comparison, &int(value), other, &int(with)) && other.admits(number.cmp(&with)) {
                prop_assert!(comparison.admits(number.cmp(&value)));
            }
        }
    }

    #[test]
    fn random_formulas_are_restated_sometimes() {
        let (mut runner, mut count) = (TestRunner::deterministic(), 0);
        for _ in 0..1_500 {
            let known = known().new_tree(&mut runner).expect("formulas").current();
            let formula = asked().new_tree(&mut runner).expect("a formula").current();
            count += usize::from(formula.kind().is_restated(&known.iter().collect::<Vec<_>>()));
        }
        assert!(count >= 10, "{count}");
    }

    #[test]
    fn past_slices_are_slices_of_the_past() {
        let first = Term::First(Box::new(elements("a")), Box::new(x()));
        let inner = Term::First(Box::new(old(elements("a"))), Box::new(old(x())));
        assert_eq!(inward(&old(first)), inner);
        assert_eq!(inward(&elements("a")), elements("a"));
    }
}
