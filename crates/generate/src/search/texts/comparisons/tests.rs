use super::{occurrences, replaced};
use crate::input::Input;
use crate::plan::{Plan, PlanStep};
use cupping_case::JavaType;
use cupping_machine::Kind;

fn places(part: &str, text: &str) -> Vec<usize> {
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    occurrences(&units(part), &units(text)).collect()
}

#[test]
fn a_text_occurs_wherever_it_begins() {
    assert_eq!(places("ab", "abcab"), [0, 3]);
    assert_eq!(places("aa", "aaa"), [0, 1]);
    assert_eq!(places("abc", "abc"), [0]);
    assert!(places("abcd", "abc").is_empty());
    assert!(places("x", "abc").is_empty());
}

/// Otherwise each comparison with an empty text would change every place.
#[test]
fn the_empty_text_occurs_in_itself_only() {
    assert_eq!(places("", ""), [0]);
    assert!(places("", "abc").is_empty());
    assert!(places("abc", "").is_empty());
}

#[test]
fn only_the_named_step_gets_another_text() {
    let mut plan = Plan::default();
    plan.input(Input::Text(vec![1]), JavaType::class("java/lang/String"), "one");
    plan.input(Input::Elements(Kind::Char, vec![2]), JavaType::Char, "two");
    let other = replaced(&plan, 1, vec![3, 4]);
    let inputs: Vec<&Input> = other
        .steps
        .iter()
        .filter_map(|step| match step {
            PlanStep::Input { input, .. } => Some(input),
            _ => None,
        })
        .collect();
    assert_eq!(inputs, [&Input::Text(vec![1]), &Input::Elements(Kind::Char, vec![3, 4])]);
}
