//! Shapes of terms that the JDK's code makes of what a source says, shown as the source says it: `text.isEmpty()`, not
//! `(text.length() << 1) == 0`.
//!
//! Whoever makes inputs names their variables as the source would write them: `text.length()`, `text.charAt(3)`,
//! `numbers.length`, `numbers[3]`. A shape is recognised by these names, so that nothing else is taken for one.

use crate::arena::{Term, TermId, Terms};
use crate::op::Op;
use crate::sort::Sort;

/// A recognised shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Idiom {
    /// A name or call.
    Text(String),
    /// What does not hold: `!text.isEmpty()`.
    Not(String),
    /// A length compared with a number.
    Compare(String, &'static str, i64),
    /// Two terms compared.
    Relation(TermId, &'static str, TermId),
    /// An element at an index: what stands before the index and behind it.
    At(String, TermId, &'static str),
}

type Recognise = fn(&Terms, TermId) -> Option<Idiom>;

/// All shapes, the larger before those that are parts of them.
const SHAPES: [(&str, Recognise); 5] = [
    ("a string equal to a constant", equal_text),
    ("a length compared with a constant", compared_length),
    ("two doubled numbers compared", compared_doubles),
    ("an element at an index", element),
    ("a length", length),
];

/// How a term is shown, if it has one of the shapes.
pub(crate) fn recognise(terms: &Terms, term: TermId) -> Option<Idiom> {
    SHAPES.iter().find_map(|(_, shape)| shape(terms, term))
}

/// The name of a variable, widened or not.
fn name(terms: &Terms, term: TermId) -> Option<&str> {
    match *terms.get(term) {
        Term::Variable { index, .. } => Some(&terms.variable(index).name),
        Term::Apply { op: Op::ZExt | Op::SExt, args, .. } => match *terms.get(args[0]) {
            Term::Variable { index, .. } => Some(&terms.variable(index).name),
            _ => None,
        },
        _ => None,
    }
}

/// A length, and how many units of it the term counts for one: the byte array of a string has two bytes a character.
fn length_of(terms: &Terms, term: TermId) -> Option<(&str, i64)> {
    length_within(terms, term, 2)
}

/// The same, for a length under at most this number of shifts.
fn length_within(terms: &Terms, term: TermId, shifts: u32) -> Option<(&str, i64)> {
    if let Some(name) = name(terms, term) {
        return (name.ends_with(".length()") || name.ends_with(".length")).then_some((name, 1));
    }
    let (op, [value, by, _]) = terms.parts(term)?;
    let by = terms.as_constant(by)?;
    let (name, units) = length_within(terms, value, shifts.checked_sub(1)?)?;
    match (op, by, units) {
        (Op::Shl, 1, 1) => Some((name, 2)),
        (Op::AShr | Op::LShr, 1, 2) => Some((name, 1)),
        (Op::Mul, 2, 1) => Some((name, 2)),
        _ => None,
    }
}

/// `text.length()`, whatever its representation.
fn length(terms: &Terms, term: TermId) -> Option<Idiom> {
    match length_of(terms, term)? {
        (name, 1) if terms.as_variable(term).is_none() => Some(Idiom::Text(name.to_owned())),
        _ => None,
    }
}

/// `text.isEmpty()`, `text.length() < 5`.
fn compared_length(terms: &Terms, term: TermId) -> Option<Idiom> {
    let (op, [a, b, _]) = terms.parts(term)?;
    if op == Op::Not {
        let (inner, [a, b, _]) = terms.parts(a).filter(|(op, _)| *op == Op::Eq)?;
        return equality(terms, inner, a, b, true);
    }
    if op == Op::Eq {
        return equality(terms, op, a, b, false);
    }
    let is_or_equal = match op {
        Op::Slt | Op::Ult => false,
        Op::Sle | Op::Ule => true,
        _ => return None,
    };
    let constant = |it: TermId| Some(terms.sort(it).signed(terms.as_constant(it)?));
    let below = |value: i64, units: i64| value.div_euclid(units);
    let above = |value: i64, units: i64| (value + units - 1).div_euclid(units);
    if let (Some((name, units)), Some(limit)) = (length_of(terms, a), constant(b)) {
        return Some(match is_or_equal {
            true => Idiom::Compare(name.to_owned(), "<=", below(limit, units)),
            false => Idiom::Compare(name.to_owned(), "<", above(limit, units)),
        });
    }
    let ((name, units), limit) = (length_of(terms, b)?, constant(a)?);
    Some(match is_or_equal {
        true => Idiom::Compare(name.to_owned(), ">=", above(limit, units)),
        false => Idiom::Compare(name.to_owned(), ">", below(limit, units)),
    })
}

fn equality(terms: &Terms, op: Op, a: TermId, b: TermId, negated: bool) -> Option<Idiom> {
    debug_assert_eq!(op, Op::Eq);
    let (length, constant) = if terms.as_constant(b).is_some() { (a, b) } else { (b, a) };
    let (name, units) = length_of(terms, length)?;
    let value = terms.sort(constant).signed(terms.as_constant(constant)?);
    if value % units != 0 {
        return None;
    }
    match (name.strip_suffix(".length()"), value, negated) {
        (Some(text), 0, false) => Some(Idiom::Text(format!("{text}.isEmpty()"))),
        (Some(text), 0, true) => Some(Idiom::Not(format!("{text}.isEmpty()"))),
        (_, _, false) => Some(Idiom::Compare(name.to_owned(), "==", value / units)),
        (_, _, true) => Some(Idiom::Compare(name.to_owned(), "!=", value / units)),
    }
}

/// `text.length() == other.length()` where lengths of byte arrays are compared: both sides are doubled.
fn compared_doubles(terms: &Terms, term: TermId) -> Option<Idiom> {
    let (op, [a, b, _]) = terms.parts(term)?;
    if op == Op::Not {
        let (_, [a, b, _]) = terms.parts(a).filter(|(op, _)| *op == Op::Eq)?;
        return Some(Idiom::Relation(half(terms, a)?, "!=", half(terms, b)?));
    }
    let symbol = match op {
        Op::Eq => "==",
        Op::Slt => "<",
        Op::Sle => "<=",
        _ => return None,
    };
    Some(Idiom::Relation(half(terms, a)?, symbol, half(terms, b)?))
}

/// What a term is twice of. No bit may be lost, so that the halves compare as the doubles do.
fn half(terms: &Terms, term: TermId) -> Option<TermId> {
    let (op, [value, by, _]) = terms.parts(term)?;
    let sort = terms.sort(value);
    let range = terms.range(value);
    let fits = sort.min_signed() / 2 <= range.smin && range.smax <= sort.max_signed() / 2;
    (op == Op::Shl && terms.as_constant(by) == Some(1) && fits).then_some(value)
}

/// A place in a string or array: what stands before its index and behind it, and the index.
fn place_of(name: &str) -> Option<(&str, &'static str, u64)> {
    let (before, rest, end) = match name.strip_suffix(')') {
        Some(inner) => {
            let at = inner.rfind(".charAt(")? + ".charAt(".len();
            (&inner[..at], &inner[at..], ")")
        }
        None => {
            let inner = name.strip_suffix(']')?;
            let at = inner.rfind('[')? + 1;
            (&inner[..at], &inner[at..], "]")
        }
    };
    Some((before, end, rest.parse().ok()?))
}

/// `text.charAt(at)`: the choice among all elements by their index.
fn element(terms: &Terms, term: TermId) -> Option<Idiom> {
    let mut at = term;
    let mut found: Option<(&str, &'static str, TermId)> = None;
    let mut count = 0;
    while let Some((Op::Ite, [condition, chosen, other])) = terms.parts(at) {
        let (index, number) = compared_index(terms, condition)?;
        let (before, end, place) = place_of(name(terms, chosen)?)?;
        let same = found.is_none_or(|(first, _, by)| first == before && by == index);
        if !same || place != number {
            return None;
        }
        found = Some((before, end, index));
        count += 1;
        at = other;
    }
    let (before, end, index) = found.filter(|_| count > 0)?;
    // The last one needs no condition.
    let is_last = terms.as_constant(at).is_some() || place_of(name(terms, at)?)?.0 == before;
    is_last.then(|| Idiom::At(before.to_owned(), index, end))
}

/// The index and the number that a condition compares.
fn compared_index(terms: &Terms, condition: TermId) -> Option<(TermId, u64)> {
    let (op, [a, b, _]) = terms.parts(condition)?;
    match (op, terms.as_constant(a), terms.as_constant(b)) {
        (Op::Eq, None, Some(number)) => Some((a, number)),
        (Op::Eq, Some(number), None) => Some((b, number)),
        _ => None,
    }
}

/// Parts of a conjunction that are looked at.
const MOST_PARTS: usize = 128;

/// `text.equals("abc")`: the length and all characters are constants.
fn equal_text(terms: &Terms, term: TermId) -> Option<Idiom> {
    let mut due = vec![term];
    let (mut text, mut length) = (None, None);
    let mut units: Vec<(u64, u16)> = Vec::new();
    let mut met = 0;
    while let Some(at) = due.pop() {
        // A conjunction may begin with `true`.
        if terms.sort(at) == Sort::Bool && terms.as_constant(at) == Some(1) {
            continue;
        }
        match terms.parts(at)? {
            (Op::And, [a, b, _]) if terms.sort(at) == Sort::Bool => due.extend([a, b]),
            (Op::Eq, [a, b, _]) => {
                let (variable, constant) = if terms.as_constant(b).is_some() { (a, b) } else { (b, a) };
                let value = terms.as_constant(constant)?;
                let subject = match length_of(terms, variable) {
                    Some((name, count)) => {
                        length = Some(value / u64::try_from(count).ok()?);
                        name.strip_suffix(".length()")?
                    }
                    None => {
                        let (before, _, index) = place_of(name(terms, variable)?)?;
                        units.push((index, u16::try_from(value).ok()?));
                        before.strip_suffix(".charAt(")?
                    }
                };
                if text.is_some_and(|known| known != subject) {
                    return None;
                }
                text = Some(subject);
            }
            _ => return None,
        }
        met += 1;
        if met > MOST_PARTS {
            return None;
        }
    }
    units.sort_unstable();
    let is_whole =
        length == Some(units.len() as u64) && units.iter().zip(0..).all(|((index, _), at)| *index == at);
    if !is_whole || units.is_empty() {
        return None;
    }
    let value: Vec<u16> = units.into_iter().map(|(_, unit)| unit).collect();
    Some(Idiom::Text(format!("{}.equals({:?})", text?, String::from_utf16_lossy(&value))))
}

#[cfg(test)]
mod tests {
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
        // Another order of elements is another value.
        let (zero, x) = (terms.int(0), characters[1]);
        let here = terms.eq(at, zero);
        let other = terms.ite(here, x, characters[0]);
        assert!(terms.display(other, 100).contains('?'));
    }
}
