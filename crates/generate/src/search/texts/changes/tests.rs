use super::{
    MAX_ELEMENTS, MAX_TEXT, append_rest, append_word, change_number, changed, changed_number, text_of,
    with_text,
};
use crate::input::Input;
use crate::plan::{Plan, PlanStep};
use crate::random::Random;
use crate::search::texts::words::Words;
use cupping_case::JavaType;
use cupping_machine::{ClassId, Kind};

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn string(units: &[u16]) -> String {
    String::from_utf16(units).expect("whole characters")
}

fn seeded(seed: u64) -> Words {
    let mut words = Words::seeded(Random::new(seed));
    ["let", "=", "while"].into_iter().for_each(|it| words.add(units(it)));
    words
}

/// Two texts, one of them in a set-up, bytes, a number, and an array of texts.
fn sentence() -> Plan {
    let mut plan = Plan::default();
    plan.input(Input::Text(units("set-up")), JavaType::class("java/lang/String"), "given");
    plan.setup = plan.steps.len();
    plan.input(Input::Text(units("let a = 1")), JavaType::class("java/lang/String"), "text");
    plan.input(
        with_text(&Input::Elements(Kind::Byte, Vec::new()), units("caf\u{e9}")),
        JavaType::Byte,
        "bytes",
    );
    plan.input(Input::Fixed(Kind::Byte, 7), JavaType::Byte, "number");
    let word = plan.input(Input::Text(units("-v")), JavaType::class("java/lang/String"), "word");
    let var = plan.variable(JavaType::class("java/lang/Object"), "words");
    plan.steps.push(PlanStep::NewArray { element: ClassId(0), elements: vec![word], var });
    plan
}

#[test]
fn an_input_holds_the_text_that_was_put_into_it() {
    for text in ["", "plain", "caf\u{e9} \u{20ac}5", "\u{1f600}!"] {
        for input in [
            Input::Text(Vec::new()),
            Input::Elements(Kind::Char, Vec::new()),
            Input::Elements(Kind::Byte, Vec::new()),
        ] {
            let held = text_of(&with_text(&input, units(text)));
            assert_eq!(held.as_deref().map(string).as_deref(), Some(text), "{input:?}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_taken_one_by_one() {
    let bytes = [0x41, 0xff, 0x80].map(|it| Kind::Byte.narrow(it));
    assert_eq!(text_of(&Input::Elements(Kind::Byte, bytes.to_vec())), Some(vec![0x41, 0xff, 0x80]));
}

#[test]
fn changes_keep_a_sentence_sound_and_are_the_same_for_a_seed() {
    let others = [units("b = 2;"), units("caf\u{e9}")];
    let mut plan = sentence();
    let mut has_grown = false;
    for round in 0..3000_u64 {
        if round % 40 == 0 {
            plan = sentence();
        }
        let seed = (round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let next = changed(&plan, &others, &mut seeded(seed));
        assert_eq!(format!("{next:?}"), format!("{:?}", changed(&plan, &others, &mut seeded(seed))));
        plan = next;
        let given = match &plan.steps[0] {
            PlanStep::Input { input, .. } => text_of(input),
            _ => None,
        };
        assert_eq!(given, Some(units("set-up")));
        let mut defined = Vec::new();
        for step in &plan.steps {
            assert!(step.uses().iter().all(|var| defined.contains(var)), "round {round}: {plan:?}");
            defined.extend(step.defines());
            match step {
                PlanStep::Input { input: Input::Text(text), .. } => assert!(text.len() <= MAX_TEXT),
                PlanStep::Input { input: Input::Fixed(kind, bits), .. } => {
                    assert_eq!(kind.narrow(*bits), *bits);
                }
                PlanStep::NewArray { elements, .. } => {
                    assert!((1..=MAX_ELEMENTS).contains(&elements.len()));
                    has_grown |= elements.len() > 1;
                }
                _ => {}
            }
        }
    }
    assert!(has_grown, "no array of texts has grown");
}

#[test]
fn the_rest_of_another_text_begins_behind_the_words_that_both_have() {
    let joined = |one: &str, other: &str| {
        let mut text = units(one);
        append_rest(&mut text, &units(other), &mut seeded(1));
        string(&text)
    };
    assert_eq!(joined("let a = 1;", "let b = 2;"), "let a = 1; b = 2;");
    assert_eq!(joined("a.bar", "a.baz"), "a.bar.baz", "the whole word is taken");
    let apart = joined("one", "two");
    assert!(["onetwo", "one two", "one\ntwo"].contains(&&*apart), "{apart}");
}

#[test]
fn a_number_is_replaced_as_a_whole() {
    for seed in 1..200 {
        let mut text = units("x12y345");
        change_number(&mut text, &mut seeded(seed));
        let text = string(&text);
        let words: Vec<&str> =
            text.split(|it: char| it.is_ascii_digit()).filter(|it| !it.is_empty()).collect();
        assert_eq!(words, ["x", "y"], "{text}");
        assert!(text.contains("x12y") || text.ends_with("y345"), "{text}");
    }
}

#[test]
fn a_text_without_a_number_gets_a_word() {
    let mut text = units("plain");
    change_number(&mut text, &mut seeded(3));
    assert!(text.len() > 5 && text.starts_with(&units("plain")));
}

#[test]
fn numbers_fit_their_kind() {
    let mut words = seeded(9);
    assert_eq!(changed_number(Kind::Boolean, 1, &mut words), 0);
    for _ in 0..100 {
        for kind in [Kind::Byte, Kind::Short, Kind::Char] {
            let bits = changed_number(kind, 0, &mut words);
            assert_eq!(kind.narrow(bits), bits, "{kind:?}");
        }
        let value = f64::from_bits(changed_number(Kind::Double, 0, &mut words));
        assert!(value.fract() == 0.0 && value.abs() < 100.0, "{value}");
    }
}

#[test]
fn appended_words_are_apart_from_words() {
    let units = |text: &str| -> Vec<u16> { text.encode_utf16().collect() };
    let appended = |text: &str, word: &str| {
        append_word(units(text), &units(word)).map(|it| String::from_utf16_lossy(&it))
    };
    assert_eq!(appended("let", "x1").as_deref(), Some("let x1"));
    assert_eq!(appended("let x1", "=").as_deref(), Some("let x1="));
    assert_eq!(appended("", "if").as_deref(), Some("if"));
    assert_eq!(appended(&"a".repeat(MAX_TEXT), "b"), None);
}
