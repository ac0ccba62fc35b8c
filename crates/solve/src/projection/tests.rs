use super::project;
use cupping_term::{Evaluator, Model, Sort, TermId, Terms, VarIndex};
use proptest::prelude::*;

/// A constraint `a op b`: sides 0 to 3 are variables, greater ones constants.
type Sketch = (u8, u8, u8);

const VARIABLES: usize = 3;
/// The hidden variable is the last.
const HIDDEN: usize = VARIABLES - 1;
const CONSTANTS: [i8; 4] = [-128, -1, 5, 127];

fn build(terms: &mut Terms, variables: &[TermId], (op, a, b): Sketch) -> TermId {
    let mut side = |at: u8| match variables.get(at as usize) {
        Some(variable) => *variable,
        None => terms.constant(Sort::Bv8, CONSTANTS[at as usize - VARIABLES] as u8 as u64),
    };
    let (a, b) = (side(a), side(b));
    let plain = match op % 3 {
        0 => terms.slt(a, b),
        1 => terms.sle(a, b),
        _ => terms.eq(a, b),
    };
    if op < 3 { plain } else { terms.not(plain) }
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let side = 0..(VARIABLES + CONSTANTS.len()) as u8;
    (0..6u8, side.clone(), side)
}

/// Values around which comparisons with the constants and with each other change.
fn interesting() -> impl Strategy<Value = i8> {
    prop_oneof![
        any::<i8>(),
        prop::sample::select(CONSTANTS.to_vec()),
        prop::sample::select(vec![-127, 0, 4, 6, 126])
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// The oracle enumerates all 256 values of the hidden variable.
    #[test]
    fn projection_is_existential_quantification(
        sketches in prop::collection::vec(sketch(), 1..6),
        points in prop::collection::vec((interesting(), interesting()), 24),
    ) {
        let mut terms = Terms::new();
        let variables: Vec<TermId> =
            (0..VARIABLES).map(|at| terms.new_variable(format!("v{at}"), Sort::Bv8)).collect();
        let indices: Vec<VarIndex> =
            variables.iter().map(|v| terms.as_variable(*v).expect("it is one")).collect();
        let constraints: Vec<TermId> =
            sketches.iter().map(|s| build(&mut terms, &variables, *s)).collect();
        let hidden = indices[HIDDEN];
        let Some(left) = project(&mut terms, &constraints, &|v| v != hidden) else { return Ok(()) };
        prop_assert!(left.iter().all(|c| !terms.variables(*c).contains(&hidden)));
        let holds = |model: &Model, of: &[TermId]| {
            let mut evaluator = Evaluator::new();
            of.iter().all(|c| evaluator.eval(&terms, model, *c) == 1)
        };
        for (x, y) in points {
            let mut model = Model::new();
            model.set(indices[0], x as u8 as u64);
            model.set(indices[1], y as u8 as u64);
            let expected = (0..=255u64).any(|value| {
                let mut model = model.clone();
                model.set(hidden, value);
                holds(&model, &constraints)
            });
            prop_assert_eq!(holds(&model, &left), expected, "at {}, {}", x, y);
        }
    }
}

#[test]
fn a_value_between_two_others_leaves_room_for_itself() {
    let mut terms = Terms::new();
    let [a, h, b] = ["a", "h", "b"].map(|name| terms.new_variable(name, Sort::Bv32));
    let hidden = terms.as_variable(h).expect("it is one");
    let constraints = [terms.slt(a, h), terms.slt(h, b)];
    let left = project(&mut terms, &constraints, &|v| v != hidden).expect("bounds are understood");
    let one = terms.int(1);
    let next = terms.add(a, one);
    let expected = [terms.slt(a, b), terms.slt(next, b)];
    assert_eq!(left, expected);
}
