//! Properties of all kinds of formulas, and one kind that was added as `CONTRIBUTING.md` describes.

use super::*;
use crate::json::ToJson;
use crate::testing::{arithmetic, executions, formulas, old, plain_numbers};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeSet;

fn names(formula: &Formula, found: &mut BTreeSet<&'static str>) {
    found.insert(formula.name());
    formula.kind().parts().into_iter().for_each(|it| names(it, found));
}

/// The generator of the tests must cover all kinds: otherwise the tests prove less than they seem to.
#[test]
fn random_formulas_are_of_all_kinds() {
    let mut found = BTreeSet::new();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..2_000 {
        let tree = formulas().new_tree(&mut runner).expect("a formula");
        names(&tree.current(), &mut found);
    }
    let all: BTreeSet<&str> = Formula::READERS.iter().map(|it| it.0).collect();
    let untried: Vec<_> = all.difference(&found).collect();
    assert!(untried.is_empty(), "{untried:?}");
    assert_eq!(all.len(), Formula::READERS.len(), "two kinds have one name");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_negation_holds_where_the_formula_does_not(formula in formulas(), execution in executions()) {
        let negation = formula.negation();
        for phase in [Phase::Before, Phase::After] {
            let holds = formula.holds(&execution, phase);
            prop_assert_eq!(negation.holds(&execution, phase), holds.map(|it| !it), "{} / {}", formula, negation);
        }
    }

    #[test]
    fn mapping_reaches_all_terms(formula in formulas()) {
        let seen = RefCell::new(Vec::new());
        let same = formula.map(&|term| {
            seen.borrow_mut().push(term.to_string());
            term.clone()
        });
        prop_assert_eq!(&same, &formula);
        let (mut seen, mut terms) =
            (seen.into_inner(), formula.terms().into_iter().map(ToString::to_string).collect::<Vec<_>>());
        seen.sort();
        terms.sort();
        prop_assert_eq!(seen, terms);
    }

    #[test]
    fn formulas_at_entry_hold_for_old_values_at_exit(formula in formulas(), execution in executions()) {
        let past = formula.map(&|term| old(term.clone()));
        prop_assert_eq!(past.holds(&execution, Phase::After), formula.holds(&execution, Phase::Before));
    }

    #[test]
    fn trivial_formulas_never_fail(formula in formulas(), execution in executions()) {
        if formula.kind().is_trivial() {
            prop_assert_ne!(formula.holds(&execution, Phase::After), Some(false), "{}", formula);
        }
    }

    #[test]
    fn containers_contain(formula in formulas(), execution in executions(), in_order in any::<bool>()) {
        for part in formula.terms() {
            let Some(whole) = formula.kind().container_of(part, in_order) else { continue };
            if formula.holds(&execution, Phase::After) != Some(true) {
                continue;
            }
            let claim: Formula = if in_order {
                Prefix { prefix: part.clone(), whole: whole.clone() }.into()
            } else {
                Subset { part: part.clone(), whole: whole.clone() }.into()
            };
            prop_assert_ne!(claim.holds(&execution, Phase::After), Some(false), "{} says {}", formula, claim);
        }
    }

    #[test]
    fn written_formulas_are_read_back(formula in formulas()) {
        let json = crate::json::object([("it", formula.json())]);
        let text = json.to_string();
        let json = serde_json::from_str(&text).expect("JSON");
        let read = Fields::of(&json, "").and_then(|it| it.formula("it"));
        prop_assert_eq!(read, Ok(formula));
    }

    /// The arithmetic of `entailment` agrees with executions.
    #[test]
    fn truth_agrees_with_holds(
        formula in arithmetic(|| plain_numbers().boxed()),
        executions in vec(executions(), 4),
    ) {
        for execution in &executions {
            let is_atom = |it: &&Term| !matches!(it, Term::Constant(_));
            let mut atoms: Vec<&Term> = formula.terms().into_iter().filter(is_atom).collect();
            atoms.dedup();
            let values: Vec<i128> = atoms
                .iter()
                .filter_map(|it| crate::assignment::number(&it.value(execution, Phase::After)))
                .collect();
            prop_assert_eq!(values.len(), atoms.len());
            let truth = formula.kind().truth(&crate::assignment::Assignment { atoms: &atoms, values: &values });
            prop_assert_eq!(truth, formula.holds(execution, Phase::After), "{}", formula);
        }
    }
}
