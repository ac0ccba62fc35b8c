use super::{LENGTHS, MAX_WORDS, Words, is_message};
use crate::random::Random;
use crate::testing::machine;

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

fn strings(words: &[Vec<u16>]) -> Vec<String> {
    words.iter().map(|it| String::from_utf16_lossy(it)).collect()
}

#[test]
fn a_sentence_is_taken_apart_into_words_and_signs() {
    let mut words = Words::default();
    words.prove(&units("let x1=x1\u{e9};"));
    assert_eq!(strings(&words.proven), ["let", " ", "x1", "=", "x1\u{e9}", ";"]);
}

#[test]
fn compared_texts_are_kept_once_if_they_are_short() {
    let mut words = Words::default();
    for text in ["", "if", "if", &"a".repeat(LENGTHS[0]), &"a".repeat(LENGTHS[0] + 1)] {
        words.add(units(text));
    }
    assert_eq!(strings(&words.compared), ["if".to_owned(), "a".repeat(LENGTHS[0])]);
    (0..2 * MAX_WORDS).for_each(|at| words.add(units(&at.to_string())));
    assert_eq!(words.compared.len(), MAX_WORDS);
}

#[test]
fn named_texts_are_shorter_and_not_compared() {
    let mut words = Words::default();
    words.add(units("key"));
    for text in ["key", "value", "a message to the user"] {
        words.name(units(text));
    }
    assert_eq!(strings(&words.named), ["value"]);
}

#[test]
fn numbers_are_near_constants_or_small() {
    let mut words = Words::seeded(Random::new(3));
    words.numbers = vec![1000, i64::MAX];
    let mut met = std::collections::BTreeSet::new();
    for _ in 0..2000 {
        met.insert(words.number());
    }
    let large: Vec<i64> = met.iter().copied().filter(|it| !(-4..16).contains(it)).collect();
    assert_eq!(large, [i64::MIN, 999, 1000, 1001, i64::MAX - 1, i64::MAX]);
}

#[test]
fn words_of_each_kind_are_used_and_none_is_empty() {
    let mut words = Words::seeded(Random::new(11));
    words.add(units("compared"));
    words.name(units("named"));
    words.prove(&units("proven"));
    words.characters.push(0x40);
    let made: Vec<String> = (0..500).map(|_| String::from_utf16_lossy(&words.word())).collect();
    assert!(made.iter().all(|it| !it.is_empty()));
    let share = |word: &str| made.iter().filter(|it| *it == word).count();
    for (word, least) in [("compared", 120), ("named", 5), ("proven", 40), ("@", 60)] {
        assert!(share(word) >= least, "{word}: {}", share(word));
    }
}

const SAMPLES: &str = r#"
    public class Samples {
        static final String[] NAMES = { "table" };
        static boolean isLet(String word) { return word.equals("let"); }
        static void refuse() { throw new IllegalStateException("no way"); }
        static int sign(String text) {
            if (text.charAt(0) == '%') return 1234;
            switch (text.charAt(1)) { case '<': return 1; case '~': return 2; default: return 3; }
        }
        static String own(String text) { return own("passed on"); }
    }
"#;

#[test]
fn words_are_those_that_the_code_compares_with() {
    let mut machine = machine(SAMPLES);
    let class = machine.load("Samples").expect("it is loaded");
    let methods = machine.class(class).methods.clone();
    let words = Words::of(&machine, &methods, 0);
    let compared = strings(&words.compared);
    for word in ["let", "passed on"] {
        assert!(compared.iter().any(|it| it == word), "{word} in {compared:?}");
    }
    assert!(!compared.iter().any(|it| it == "no way"), "a message: {compared:?}");
    assert!(strings(&words.named).iter().any(|it| it == "no way"), "{:?}", words.named);
    for unit in ['%', '<', '~'] {
        assert!(words.characters.contains(&(unit as u16)), "{unit} in {:?}", words.characters);
    }
    assert!(words.numbers.contains(&1234), "{:?}", words.numbers);
}

#[test]
fn sentences_go_on_with_compared_words_and_signs_once_each() {
    let mut words = Words::default();
    ["let", "b"].iter().for_each(|it| words.add(units(it)));
    words.name(units("named"));
    words.characters.extend([0x3b, 0x13]);
    let all = strings(&words.for_extensions());
    assert_eq!(all.iter().filter(|it| *it == "b").count(), 1);
    assert!(all.contains(&"let".to_owned()) && all.contains(&";".to_owned()));
    assert!(!all.contains(&"named".to_owned()) && !all.contains(&"\u{13}".to_owned()));
}

#[test]
fn messages_have_more_than_two_words() {
    for (text, expected) in [("order by", false), ("a  b", false), ("a name is expected", true)] {
        assert_eq!(is_message(&units(text)), expected, "{text}");
    }
}
