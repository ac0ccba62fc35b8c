//! The solver against truth tables.

use super::{Lit, SatVerdict, SearchResult, Solver};
use std::collections::BTreeSet;

/// A private generator, so that the clauses are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// Clauses of one to three literals: variables and whether they are negated.
fn clauses(random: &mut Random, variables: u32) -> Vec<Vec<(u32, bool)>> {
    let count = random.below(4 * variables) + 1;
    let clause = |random: &mut Random| {
        let length = random.below(3) + 1;
        (0..length).map(|_| (random.below(variables), random.below(2) == 1)).collect()
    };
    (0..count).map(|_| clause(random)).collect()
}

/// Assignments of the inputs, as bits, that some assignment of all variables extends to a model.
fn expected(clauses: &[Vec<(u32, bool)>], inputs: u32, variables: u32) -> BTreeSet<u32> {
    let holds = |all: u32| {
        clauses.iter().all(|clause| clause.iter().any(|(at, negated)| (all >> at & 1 == 1) != *negated))
    };
    (0..1_u32 << variables).filter(|all| holds(*all)).map(|all| all & ((1 << inputs) - 1)).collect()
}

/// All models that the solver enumerates, with this budget of conflicts for each call; `judge` may reject one.
fn enumerated(
    clauses: &[Vec<(u32, bool)>],
    (inputs, variables): (u32, u32),
    budget: u64,
    rejects: impl Fn(u32) -> bool,
) -> Vec<u32> {
    let mut solver = Solver::new(inputs);
    (inputs..variables).for_each(|_| {
        solver.new_variable();
    });
    for clause in clauses {
        solver.add_clause(&clause.iter().map(|(at, negated)| Lit::new(*at, *negated)).collect::<Vec<_>>());
    }
    let mut models = Vec::new();
    loop {
        let mut model = 0;
        let found = solver.next_model(budget, |solver| {
            model = (0..inputs).filter(|at| solver.value(Lit::new(*at, false)) > 0).map(|at| 1 << at).sum();
            if !rejects(model) {
                return SatVerdict::Accept;
            }
            SatVerdict::Reject((0..inputs).map(|at| Lit::new(at, model >> at & 1 == 1)).collect())
        });
        match found {
            SearchResult::Model => models.push(model),
            SearchResult::Budget => {}
            SearchResult::Exhausted => return models,
        }
    }
}

#[test]
fn each_model_is_found_once() {
    let mut random = Random(5);
    for _ in 0..400 {
        let variables = random.below(9) + 1;
        // All variables are inputs here: a variable that is not an input must follow from the inputs.
        let clauses = clauses(&mut random, variables);
        for budget in [u64::MAX, 1] {
            let models = enumerated(&clauses, (variables, variables), budget, |_| false);
            let distinct: BTreeSet<u32> = models.iter().copied().collect();
            assert_eq!(distinct.len(), models.len(), "twice: {clauses:?}");
            assert_eq!(distinct, expected(&clauses, variables, variables), "{clauses:?}");
        }
    }
}

#[test]
fn rejected_models_are_skipped() {
    let mut random = Random(6);
    for _ in 0..200 {
        let variables = random.below(7) + 1;
        let clauses = clauses(&mut random, variables);
        let rejects = |model: u32| model.count_ones() % 2 == 1;
        let models = enumerated(&clauses, (variables, variables), u64::MAX, rejects);
        let mut wanted = expected(&clauses, variables, variables);
        wanted.retain(|model| !rejects(*model));
        assert_eq!(models.len(), wanted.len(), "{clauses:?}");
        assert_eq!(models.into_iter().collect::<BTreeSet<u32>>(), wanted, "{clauses:?}");
    }
}

#[test]
fn contradictory_clauses_have_no_model() {
    let clauses = [vec![(0, false)], vec![(0, true)]];
    assert!(enumerated(&clauses, (2, 2), u64::MAX, |_| false).is_empty());
}
