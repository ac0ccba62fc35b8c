//! Entailment: formulas that follow from premises are redundant.
//!
//! Formulas about numbers and truth values are evaluated on all small assignments to their terms: numbers near zero
//! and near the constants that occur. Terms that premises tie to these take part, so that `old(n) < size(a)` follows
//! from `n < size(a)` and `old(n) == n - 1`. A formula that no assignment refutes counts as entailed. The search is
//! wrong if the smallest counterexample is larger; then a true formula is suppressed.

use crate::assignment::{Assignment, number};
use crate::formula::{Compare, Formula, Tie};
use crate::term::Term;
use crate::value::Value;

/// The largest number of terms in a conclusion.
const MOST_ATOMS: usize = 4;
/// Limit on the number of terms, including those that premises tie to them.
const MOST_TIED: usize = 6;
/// The largest number of values of a term, by the number of terms.
const MOST_VALUES: [usize; MOST_TIED + 1] = [14, 14, 14, 14, 10, 8, 7];

/// Premises, with their terms collected once for many questions.
#[derive(Debug, Default)]
pub struct Premises<'f> {
    all: Vec<(&'f Formula, Option<Vec<&'f Term>>)>,
}

impl<'f> Premises<'f> {
    /// Collects the terms of premises.
    pub fn new(given: impl IntoIterator<Item = &'f Formula>) -> Premises<'f> {
        let mut premises = Premises::default();
        given.into_iter().for_each(|it| premises.push(it));
        premises
    }

    /// Adds a premise.
    pub fn push(&mut self, formula: &'f Formula) {
        let mut atoms = Vec::new();
        let is_understood = collect(formula, &mut atoms);
        self.all.push((formula, is_understood.then_some(atoms)));
    }

    /// Whether a formula follows from the premises, except those with an index in `left_out`.
    pub fn entail(&self, formula: &Formula, left_out: &dyn Fn(usize) -> bool) -> bool {
        let given = || self.all.iter().enumerate().filter(|it| !left_out(it.0)).map(|it| it.1);
        if given().any(|it| it.0 == formula) {
            return true;
        }
        let mut atoms: Vec<&Term> = Vec::new();
        if !collect(formula, &mut atoms) || atoms.is_empty() || atoms.len() > MOST_ATOMS {
            return false;
        }
        let own = atoms.len();
        // Terms that premises tie to these; equalities are followed first.
        for tie in [Tie::Equality, Tie::Equivalence, Tie::Loose, Tie::Equality, Tie::Equivalence] {
            for (given, of) in given().filter_map(|it| Some((it.0, it.1.as_ref()?))) {
                let is_tied = given.kind().tie() >= tie && of.iter().any(|it| atoms.contains(it));
                let mut new = of.iter().filter(|it| !atoms.contains(it));
                if let (true, Some(first), None) = (is_tied, new.next(), new.next())
                    && atoms.len() < MOST_TIED
                {
                    atoms.push(first);
                }
            }
        }
        let about: Vec<(&Formula, &Vec<&Term>)> = given()
            .filter_map(|it| Some((it.0, it.1.as_ref()?)))
            .filter(|it| it.1.iter().all(|term| atoms.contains(term)))
            .collect();
        let most = MOST_VALUES[atoms.len()];
        let mut domain: Vec<i128> = vec![0, 1, -1, 2, 3, -2, -3];
        let add = |formula: &Formula, domain: &mut Vec<i128>| {
            let mut constants = Vec::new();
            numbers(formula, &mut constants);
            for value in constants {
                for near in [value, value - 1, value + 1] {
                    if !domain.contains(&near) && domain.len() < most.max(7) {
                        domain.push(near);
                    }
                }
            }
        };
        add(formula, &mut domain);
        about.iter().for_each(|it| add(it.0, &mut domain));
        let truths = [0, 1];
        let is_truth = |term: &Term| is_truth(formula, term) || about.iter().any(|it| is_truth(it.0, term));
        let domains: Vec<&[i128]> =
            atoms.iter().map(|it| if is_truth(it) { &truths[..] } else { &domain[..] }).collect();
        // Premises by their last term: each is evaluated as soon as all of its terms have values.
        let mut due: Vec<Vec<&Formula>> = vec![Vec::new(); atoms.len()];
        for (given, of) in about {
            let last = of.iter().filter_map(|it| atoms.iter().position(|own| own == it)).max();
            due[last.unwrap_or(0)].push(given);
        }
        !has_counterexample(
            formula,
            own,
            &Enumeration { atoms: &atoms, domains: &domains, due: &due },
            &mut Vec::new(),
        )
    }
}

/// Whether a formula follows from others.
#[cfg(test)]
fn is_implied(formula: &Formula, given: &[&Formula]) -> bool {
    Premises::new(given.iter().copied()).entail(formula, &|_| false)
}

struct Enumeration<'a> {
    atoms: &'a [&'a Term],
    domains: &'a [&'a [i128]],
    due: &'a [Vec<&'a Formula>],
}

/// Whether an assignment satisfies the premises and refutes the formula. The formula's own terms get their values
/// first.
fn has_counterexample(formula: &Formula, own: usize, of: &Enumeration<'_>, values: &mut Vec<i128>) -> bool {
    let at = values.len();
    if at == own && formula.kind().truth(&Assignment { atoms: &of.atoms[..at], values }) == Some(true) {
        return false;
    }
    if at == of.atoms.len() {
        return true;
    }
    for value in of.domains[at] {
        values.push(*value);
        let env = Assignment { atoms: &of.atoms[..=at], values };
        let is_given = of.due[at].iter().all(|it| it.kind().truth(&env) != Some(false));
        let found = is_given && has_counterexample(formula, own, of, values);
        values.pop();
        if found {
            return true;
        }
    }
    false
}

/// Whether a formula compares a term with a truth value.
fn is_truth(formula: &Formula, term: &Term) -> bool {
    if let Some(Compare { left, right: Term::Constant(Value::Bool(_)), .. }) = formula.as_compare() {
        return left == term;
    }
    formula.kind().parts().into_iter().any(|it| is_truth(it, term))
}

/// Collects the terms of a formula; returns whether its kind is understood.
fn collect<'f>(formula: &'f Formula, atoms: &mut Vec<&'f Term>) -> bool {
    formula.kind().is_arithmetic() && formula.terms().into_iter().all(|it| term(it, atoms))
}

fn term<'f>(of: &'f Term, atoms: &mut Vec<&'f Term>) -> bool {
    match of {
        Term::Constant(value) => number(value).is_some(),
        Term::Linear(terms, _) => terms.iter().all(|it| term(&it.1, atoms)),
        Term::Elements(_)
        | Term::First(..)
        | Term::Rest(..)
        | Term::Append(..)
        | Term::Prepend(..)
        | Term::Reverse(_) => false,
        other => {
            if !atoms.contains(&other) {
                atoms.push(other);
            }
            true
        }
    }
}

fn numbers(formula: &Formula, found: &mut Vec<i128>) {
    found.extend(formula.kind().constants().iter().filter_map(number));
    for term in formula.terms() {
        term.any(&mut |it| {
            match it {
                Term::Constant(value) => found.extend(number(value)),
                Term::Linear(_, constant) => found.push(i128::from(*constant)),
                _ => {}
            }
            false
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Comparison;
    use crate::term::Phase;
    use crate::testing::{arithmetic, executions, plain_numbers};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    fn compare(a: Term, comparison: Comparison, b: Term) -> Formula {
        Formula::compare(a, comparison, b)
    }

    fn int(value: i64) -> Term {
        Term::Constant(Value::Int(value))
    }

    #[test]
    fn entailed_formulas_are_recognised() {
        let (x, y) = (Term::This.field("x"), Term::This.field("y"));
        let more = compare(x.clone(), Comparison::Equal, Term::Linear(vec![(1, y.clone())], 1));
        let less = compare(y.clone(), Comparison::Less, x.clone());
        assert!(is_implied(&less, &[&more]));
        assert!(!is_implied(&more, &[&less]));
        let low = compare(x.clone(), Comparison::AtLeast, int(0));
        assert!(is_implied(&low, &[&compare(x.clone(), Comparison::Equal, int(200))]));
        assert!(!is_implied(&low, &[&compare(y, Comparison::AtLeast, int(0))]));
        assert!(is_implied(&compare(x.clone(), Comparison::Different, int(-7)), &[&low]));
        assert!(!is_implied(&compare(x.clone(), Comparison::Different, int(7)), &[&low]));
        // Transitivity through a third term.
        let (old, z) = (Term::Old(Box::new(x.clone())), Term::This.field("z"));
        let step = compare(x.clone(), Comparison::Equal, Term::Linear(vec![(1, old.clone())], 1));
        let below = compare(x.clone(), Comparison::AtMost, z.clone());
        let strictly = compare(old, Comparison::Less, z);
        assert!(is_implied(&strictly, &[&step, &below]));
        assert!(!is_implied(&strictly, &[&below]));
        assert!(!is_implied(&strictly, &[&step]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// An entailed formula holds wherever the premises do.
        #[test]
        fn entailment_is_sound(
            premises in vec(arithmetic(|| plain_numbers().boxed()), 1..4),
            conclusion in arithmetic(|| plain_numbers().boxed()),
            executions in vec(executions(), 40),
        ) {
            if Premises::new(&premises).entail(&conclusion, &|_| false) {
                for execution in &executions {
                    let holds = |it: &Formula| it.holds(execution, Phase::After);
                    if premises.iter().all(|it| holds(it) == Some(true)) {
                        prop_assert_ne!(holds(&conclusion), Some(false), "{:?} / {}", premises, conclusion);
                    }
                }
            }
        }
    }

    /// The property above is not vacuous: many random premises entail something.
    #[test]
    fn random_premises_entail_something() {
        let mut runner = TestRunner::deterministic();
        let formula = arithmetic(|| plain_numbers().boxed());
        let mut entailed = 0;
        for _ in 0..400 {
            let mut next = || formula.new_tree(&mut runner).expect("a formula").current();
            let (premise, conclusion) = (next(), next());
            entailed += usize::from(is_implied(&conclusion, &[&premise]));
        }
        assert!(entailed >= 10, "{entailed}");
    }
}
