use super::{MAX_ELEMENTS, with_other_elements, without_elements};
use crate::input::Input;
use crate::mutation::Vocabulary;
use crate::plan::{Plan, PlanStep};
use crate::testing;
use cupping_case::JavaType;
use cupping_machine::ClassId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A call with an array of two texts.
fn plan() -> Plan {
    let mut plan = Plan::default();
    let text = JavaType::class("java/lang/String");
    let elements =
        ["a", "b"].map(|it| plan.input(Input::Text(it.encode_utf16().collect()), text.clone(), it));
    let var = plan.variable(JavaType::class("java/lang/Object"), "array");
    plan.steps.push(PlanStep::NewArray { element: ClassId(0), elements: elements.to_vec(), var });
    plan.call(&Rc::new(testing::invokable("Box", "all", "([Ljava/lang/String;)V")), vec![var], "");
    plan
}

/// The texts of the array, in the order of its elements.
fn texts(plan: &Plan) -> Vec<String> {
    let text_of = |wanted: usize| {
        let mut inputs = plan.steps.iter().filter_map(|step| match step {
            PlanStep::Input { input: Input::Text(text), var } if *var == wanted => Some(text),
            _ => None,
        });
        String::from_utf16_lossy(inputs.next_back().expect("each element is an input before it"))
    };
    let arrays = plan.steps.iter().filter_map(|step| match step {
        PlanStep::NewArray { elements, .. } => Some(elements),
        _ => None,
    });
    arrays.flatten().map(|var| text_of(*var)).collect()
}

#[test]
fn arrays_get_longer_shorter_other_orders_and_repetitions() {
    let machine = testing::machine("public class Samples {}");
    let mut vocabulary = Vocabulary::of(&machine, &[], &[], 0);
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut plan = plan();
    for turn in 0..400_u32 {
        if let Some(changed) = with_other_elements(&mut vocabulary, &plan) {
            let all = texts(&changed);
            assert!((1..=MAX_ELEMENTS).contains(&all.len()), "{all:?}");
            assert!(
                matches!(changed.steps.last(), Some(PlanStep::Call { .. })),
                "the call stays the last step"
            );
            seen.insert(all);
            plan = if turn.is_multiple_of(5) { self::plan() } else { changed };
        }
    }
    let has = |all: &[&str]| seen.iter().any(|it| it == all);
    assert!(
        has(&["b", "a"]) && has(&["a", "a"]) && has(&["a"]) && seen.iter().any(|it| it.len() > 4),
        "{seen:?}"
    );
}

#[test]
fn a_call_without_arrays_is_left_alone() {
    let machine = testing::machine("public class Samples {}");
    let mut vocabulary = Vocabulary::of(&machine, &[], &[], 0);
    assert!(with_other_elements(&mut vocabulary, &Plan::default()).is_none());
}

#[test]
fn only_long_arrays_are_cut() {
    let mut plan = plan();
    assert!(without_elements(&plan, 2).is_empty());
    let PlanStep::NewArray { elements, .. } = &mut plan.steps[2] else { panic!("it is the array") };
    elements.push(1);
    let shorter: Vec<_> = without_elements(&plan, 2).iter().map(texts).collect();
    assert_eq!(shorter, [["a", "b"], ["a", "b"], ["b", "b"]]);
}
