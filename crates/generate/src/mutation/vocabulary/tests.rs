use super::constants::NearConstants;
use super::{LENGTHS, MAX_TEXT, NATURAL, Vocabulary, in_other_case};
use crate::input::{Input, Symbols};
use crate::random::Random;
use cupping_machine::Kind;
use cupping_term::Model;
use std::collections::BTreeSet;

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// The vocabulary of code without constants.
fn plain(seed: u64) -> Vocabulary {
    let random = Random::new(seed);
    let near = NearConstants::default();
    let (texts, tables, numbers) = (vec![], vec![], vec![]);
    Vocabulary { texts, near, tables, numbers, characters: vec![], patterns: vec![], random }
}

fn another(vocabulary: &mut Vocabulary, input: &Input) -> Input {
    vocabulary.another(input, &Symbols::default(), &Model::new())
}

#[test]
fn letters_change_their_case_and_other_characters_stay() {
    assert_eq!(in_other_case(&units("aZ @[`{1\u{e9}\u{20ac}")), units("Az @[`{1\u{e9}\u{20ac}"));
}

#[test]
fn an_input_keeps_its_form() {
    let mut vocabulary = plain(3);
    for _ in 0..200 {
        assert_eq!(another(&mut vocabulary, &Input::Null), Input::Null);
        assert_eq!(another(&mut vocabulary, &Input::Fixed(Kind::Boolean, 1)), Input::Fixed(Kind::Boolean, 0));
        let boxed = another(&mut vocabulary, &Input::FixedBox(Kind::Int, 1));
        assert!(matches!(boxed, Input::FixedBox(Kind::Int, _)), "{boxed:?}");
        let text = another(&mut vocabulary, &Input::Text(units("a")));
        assert!(matches!(&text, Input::Text(it) if !it.is_empty()), "{text:?}");
    }
}

#[test]
fn texts_have_a_limit_however_long_they_were() {
    let mut vocabulary = Vocabulary { texts: vec![vec![0x61; 50]], ..plain(5) };
    let now = vec![0x62; MAX_TEXT];
    assert!((0..1000).all(|_| vocabulary.text(&now).len() <= MAX_TEXT));
}

#[test]
fn texts_are_composed_of_the_words_of_the_code() {
    let mut vocabulary = Vocabulary { texts: vec![units("<!"), units("-->")], ..plain(9) };
    let composed: Vec<String> = (0..200).map(|_| String::from_utf16_lossy(&vocabulary.composed())).collect();
    assert!(composed.iter().any(|it| it.contains("<!") && it.contains("-->")), "{composed:?}");
    assert!(composed.iter().any(|it| it.contains("<!<!")), "also without characters between them");
}

#[test]
fn elements_fit_their_kind_and_bytes_cover_all_values() {
    let mut vocabulary = plain(7);
    let mut bytes = BTreeSet::new();
    for _ in 0..1000 {
        for kind in [Kind::Boolean, Kind::Byte, Kind::Char, Kind::Short] {
            let elements = vocabulary.elements(kind, &[1]);
            assert!(elements.iter().all(|it| kind.narrow(*it) == *it), "{kind:?} {elements:?}");
            if kind == Kind::Byte {
                bytes.extend(elements);
            }
        }
    }
    assert!(bytes.len() > 200, "only {} different bytes", bytes.len());
}

#[test]
fn arrays_are_mostly_short_and_sometimes_long() {
    let mut vocabulary = plain(9);
    let lengths: Vec<usize> = (0..1000).map(|_| vocabulary.elements(Kind::Int, &[]).len()).collect();
    assert!(lengths.iter().all(|it| (1..=LENGTHS[1]).contains(it)));
    let long = lengths.iter().filter(|it| **it > LENGTHS[0]).count();
    assert!((100..500).contains(&long), "{long}");
}

#[test]
fn numbers_around_the_constants_of_the_code_are_tried() {
    let mut vocabulary = Vocabulary { numbers: vec![123_456, i64::MAX], ..plain(11) };
    let met: BTreeSet<i64> = (0..2000).map(|_| vocabulary.number()).collect();
    for wanted in [123_455, 123_456, 123_457, i64::MAX - 1, i64::MAX, i64::MIN, 0, -1] {
        assert!(met.contains(&wanted), "{wanted}");
    }
    let mut vocabulary = plain(11);
    assert!((0..2000).all(|_| vocabulary.number().unsigned_abs() <= 1 << 30), "of code without constants");
}

#[test]
fn constants_near_the_goal_are_tried_most() {
    let near = NearConstants {
        texts: vec![units("IER")],
        numbers: vec![29],
        reals: vec![710.5],
        characters: vec![0x47],
    };
    let mut vocabulary = Vocabulary { near, texts: vec![units("other"); 40], ..plain(19) };
    let count = |how_often: &mut dyn FnMut() -> bool| (0..1000).filter(|_| how_often()).count();
    assert!(count(&mut || vocabulary.number() == 29) > 80);
    assert!(count(&mut || vocabulary.real() == 710.5) > 80);
    assert!(count(&mut || vocabulary.character(0) == 0x47) > 200);
    assert!(count(&mut || vocabulary.known() == units("IER")) > 400);
    let mut vocabulary = plain(19);
    assert!(count(&mut || vocabulary.number() == 29) < 30, "of other code");
}

#[test]
fn half_of_the_characters_are_constants_of_the_code() {
    let mut vocabulary = Vocabulary { characters: vec![0x40], ..plain(13) };
    let count = |vocabulary: &mut Vocabulary, style| {
        (0..1000).filter(|_| vocabulary.character(style) == 0x40).count()
    };
    assert!((430..570).contains(&count(&mut vocabulary, 0)));
    assert_eq!(count(&mut plain(13), 0), 0, "other code gets letters");
    let mut other = plain(13);
    let digits: BTreeSet<u16> = (0..500).map(|_| other.character(2)).collect();
    assert!(digits.into_iter().eq(0x30..0x3a), "digits are all digits and nothing else");
}

#[test]
fn whole_texts_are_tables_first_and_then_alphabets() {
    let vocabulary = Vocabulary { tables: vec![units("+-*/")], ..plain(1) };
    let all = vocabulary.whole_texts();
    assert_eq!(all[0], units("+-*/"));
    assert!(all[1..].contains(&units("abcdefghijklmnopqrstuvwxyz")));
    assert!(all[1..].contains(&units("0123456789")));
    assert!(!all.contains(&units("Hello, World!")));
}

#[test]
fn natural_texts_and_tables_stay_as_they_are() {
    let vocabulary = Vocabulary { tables: vec![units("+-*/")], ..plain(1) };
    assert!(vocabulary.is_natural(&units("+-*/")));
    assert!(NATURAL.iter().all(|it| vocabulary.is_natural(&units(it))));
    assert!(!vocabulary.is_natural(&units("+-*")));
    assert!(!vocabulary.is_natural(&units("Hello, World")));
    assert!(!plain(1).is_natural(&units("+-*/")), "no table of this code");
}

#[test]
fn a_table_is_given_as_a_whole_or_in_part() {
    let table: Vec<u16> = (0x100..0x164).collect();
    let mut vocabulary = Vocabulary { tables: vec![table.clone()], ..plain(15) };
    let parts: Vec<Vec<u16>> = (0..300).map(|_| vocabulary.of_table()).collect();
    assert!(parts.iter().all(|part| !part.is_empty() && table.windows(part.len()).any(|it| it == part)));
    let whole = parts.iter().filter(|part| **part == table).count();
    assert!((100..200).contains(&whole), "{whole}");
}

#[test]
fn the_same_seed_gives_the_same_values() {
    let values = |seed| {
        let mut vocabulary = plain(seed);
        (0..50).map(|_| another(&mut vocabulary, &Input::Text(units("now")))).collect::<Vec<Input>>()
    };
    assert_eq!(values(17), values(17));
    assert_ne!(values(17), values(18));
}
