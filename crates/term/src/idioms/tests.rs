use super::*;

struct Inputs {
    terms: Terms,
    length: TermId,
    characters: Vec<TermId>,
    size: TermId,
    at: TermId,
}

fn inputs() -> Inputs {
    let mut terms = Terms::without_rewriting();
    let mut widened = |name: &str, sort| {
        let variable = terms.new_variable(name, sort);
        terms.zext(Sort::Bv32, variable)
    };
    let length = widened("text.length()", Sort::Bv8);
    let characters = (0..3).map(|at| widened(&format!("text.charAt({at})"), Sort::Bv16)).collect();
    let size = widened("sizes.length", Sort::Bv8);
    let at = terms.new_variable("at", Sort::Bv32);
    Inputs { terms, length, characters, size, at }
}

#[test]
fn lengths_are_those_of_the_source() {
    let Inputs { mut terms, length, size, .. } = inputs();
    let one = terms.int(1);
    let bytes = terms.shl(length, one);
    let back = terms.ashr(bytes, one);
    let numbers: Vec<TermId> = [0, 5, 6, 7].iter().map(|it| terms.int(*it)).collect();
    let [zero, five, six, seven] = numbers[..] else { panic!() };
    let empty = terms.eq(bytes, zero);
    let shown = [
        (terms.eq(bytes, zero), "text.isEmpty()"),
        (terms.not(empty), "!text.isEmpty()"),
        (terms.eq(back, zero), "text.isEmpty()"),
        (terms.eq(length, six), "text.length() == 6"),
        (terms.eq(bytes, six), "text.length() == 3"),
        (terms.ne(bytes, six), "text.length() != 3"),
        (terms.slt(bytes, seven), "text.length() < 4"),
        (terms.sle(bytes, seven), "text.length() <= 3"),
        (terms.slt(five, bytes), "text.length() > 2"),
        (terms.sle(five, bytes), "text.length() >= 3"),
        (terms.eq(size, zero), "sizes.length == 0"),
        (terms.slt(zero, size), "sizes.length > 0"),
        (terms.add(back, one), "text.length() + 1"),
        (terms.add(size, length), "sizes.length + text.length()"),
        // No length of bytes is odd.
        (terms.eq(bytes, five), "text.length() << 1 == 5"),
    ];
    for (term, expected) in shown {
        assert_eq!(terms.display(term, 100), expected);
    }
}

#[test]
fn doubles_are_compared_by_their_halves_unless_bits_are_lost() {
    let Inputs { mut terms, length, size, at, .. } = inputs();
    let one = terms.int(1);
    let [length, size, at] = [length, size, at].map(|it| terms.shl(it, one));
    let shown = [
        (terms.eq(length, size), "text.length() == sizes.length"),
        (terms.ne(length, size), "text.length() != sizes.length"),
        (terms.slt(length, size), "text.length() < sizes.length"),
        (terms.sle(length, size), "text.length() <= sizes.length"),
        // The top bit of an index may be lost.
        (terms.eq(length, at), "text.length() << 1 == at << 1"),
    ];
    for (term, expected) in shown {
        assert_eq!(terms.display(term, 100), expected);
    }
}

#[test]
fn doubles_are_compared_with_half_of_a_constant() {
    let Inputs { mut terms, length, .. } = inputs();
    let [one, six, seven] = [1, 6, 7].map(|it| terms.int(it));
    let longer = terms.add(length, one);
    let bytes = terms.shl(longer, one);
    let is_six = terms.eq(bytes, six);
    let shown = [
        (is_six, "text.length() + 1 == 3"),
        (terms.not(is_six), "text.length() + 1 != 3"),
        (terms.slt(bytes, seven), "text.length() + 1 < 4"),
        (terms.sle(bytes, seven), "text.length() + 1 <= 3"),
        (terms.slt(seven, bytes), "text.length() + 1 > 3"),
        (terms.sle(seven, bytes), "text.length() + 1 >= 4"),
        (terms.eq(bytes, seven), "text.length() + 1 << 1 == 7"),
    ];
    for (term, expected) in shown {
        assert_eq!(terms.display(term, 100), expected);
    }
}

/// The displayed form holds for the same values as the term.
#[test]
fn checks_of_an_index_have_both_ends() {
    let Inputs { mut terms, size, at, .. } = inputs();
    let nine = terms.int(9);
    let shown = [
        (terms.ult(at, size), "0 <= at && at < sizes.length"),
        (terms.ule(at, nine), "0 <= at && at <= 9"),
        (terms.ule(size, at), "at < 0 || at >= sizes.length"),
        (terms.ult(nine, at), "at < 0 || at > 9"),
        (terms.ult(size, nine), "sizes.length < 9"),
    ];
    for (term, expected) in shown {
        assert_eq!(terms.display(term, 100), expected);
        assert!(!terms.has_inner_words(term), "{expected}");
    }
    let other = terms.new_variable("other", Sort::Bv32);
    let unsigned = terms.ult(at, other);
    assert_eq!(terms.display(unsigned, 100), "at <u other");
    assert!(terms.has_inner_words(unsigned));
}

#[test]
fn words_of_the_jdk_are_told_from_those_of_a_source() {
    let Inputs { mut terms, length, characters, size, at } = inputs();
    let [one, two] = [1, 2].map(|it| terms.int(it));
    let longer = terms.add(length, one);
    let bytes = terms.shl(longer, one);
    let unit = terms.new_variable("unit", Sort::Bv16);
    let byte = terms.truncate(Sort::Bv8, unit);
    let byte = terms.sext(Sort::Bv32, byte);
    let shifted = terms.shl(at, one);
    let difference = terms.sub(characters[0], characters[1]);
    let cases = [
        (terms.eq(longer, two), false),
        (terms.slt(difference, size), false),
        (terms.eq(shifted, two), false),
        (terms.slt(bytes, size), true),
        (terms.eq(byte, two), true),
    ];
    for (term, expected) in cases {
        assert_eq!(terms.has_inner_words(term), expected, "{}", terms.display(term, 100));
    }
}

#[test]
fn elements_and_equal_texts_are_recognised() {
    let Inputs { mut terms, length, characters, at, .. } = inputs();
    let mut chosen = characters[2];
    for index in [1, 0] {
        let number = terms.int(index);
        let here = terms.eq(at, number);
        chosen = terms.ite(here, characters[index as usize], chosen);
    }
    assert_eq!(terms.display(chosen, 100), "text.charAt(at)");
    let [two, a, b] = [2, 97, 98].map(|it| terms.int(it));
    let parts = [terms.eq(length, two), terms.eq(characters[0], a), terms.eq(characters[1], b)];
    let whole = terms.all(&parts);
    assert_eq!(terms.display(whole, 100), "text.equals(\"ab\")");
    let part = terms.all(&parts[1..]);
    assert!(terms.display(part, 100).contains("text.charAt(0) == "), "{}", terms.display(part, 100));
    // A different order of elements is a different value.
    let (zero, x) = (terms.int(0), characters[1]);
    let here = terms.eq(at, zero);
    let other = terms.ite(here, x, characters[0]);
    assert!(terms.display(other, 100).contains('?'));
}

#[test]
fn chars_are_compared_with_chars() {
    let mut terms = Terms::without_rewriting();
    let unit = terms.new_variable("text.charAt(0)", Sort::Bv16);
    let constants = [0x41, 0xe9, 0x7fff, 0x8000, 0xdbff].map(|bits| terms.constant(Sort::Bv16, bits));
    let shown = constants.map(|it| {
        let below = terms.ule(unit, it);
        let above = terms.ult(it, unit);
        (terms.display(below, 100), terms.display(above, 100))
    });
    let expected = ["'A'", "233", "32767", "'\\u8000'", "'\\udbff'"];
    for ((below, above), expected) in shown.iter().zip(expected) {
        assert_eq!(*below, format!("text.charAt(0) <= {expected}"));
        assert_eq!(*above, format!("text.charAt(0) > {expected}"));
    }
    // A signed comparison is one of shorts.
    let minus_two = terms.constant(Sort::Bv16, 0xfffe);
    let short = terms.sle(unit, minus_two);
    assert_eq!(terms.display(short, 100), "text.charAt(0) <= -2");
}
