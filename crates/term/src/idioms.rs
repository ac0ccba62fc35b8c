//! Shapes of terms that result from the JDK's code, shown as the source expresses them: `text.isEmpty()`, not
//! `(text.length() << 1) == 0`.
//!
//! Whoever creates inputs names their variables as the source would: `text.length()`, `text.charAt(3)`,
//! `numbers.length`, `numbers[3]`. A shape is recognised by these names, so that nothing else is mistaken for one.

use crate::arena::{Term, TermId, Terms};
use crate::op::Op;
use crate::sort::Sort;

/// A recognised shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Idiom {
    /// A name or call.
    Text(String),
    /// A negation: `!text.isEmpty()`.
    Not(String),
    /// A length compared with a number.
    Compare(String, &'static str, i64),
    /// Two terms compared.
    Relation(TermId, &'static str, TermId),
    /// A term compared with a number.
    Bound(TermId, &'static str, i64),
    /// A number within, or outside of, the indices below another: `0 <= at && at < a.length`.
    Index { index: TermId, length: TermId, is_within: bool, is_inclusive: bool },
    /// An element at an index: the text before and after the index.
    At(String, TermId, &'static str),
}

/// Limit on the shifts around a length: code that alternates between bytes and characters shifts back and forth.
const MAX_SHIFTS: u32 = 6;
/// Limit on the parts of a term that are searched for inner words.
const MAX_PARTS: usize = 2_000;

type IdiomRecognition = fn(&Terms, TermId) -> Option<Idiom>;

/// All shapes, larger ones before their parts.
const SHAPES: [(&str, IdiomRecognition); 6] = [
    ("a string equal to a constant", equal_text),
    ("a length compared with a constant", compared_length),
    ("two doubled numbers compared", compared_doubles),
    ("an index within bounds", index_check),
    ("an element at an index", element),
    ("a length", length),
];

/// The displayed form of a term, if it has one of the shapes.
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

/// A length, and how many units of it the term counts as one: the byte array of a string has two bytes per
/// character.
fn length_of(terms: &Terms, term: TermId) -> Option<(&str, i64)> {
    length_within(terms, term, MAX_SHIFTS)
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

/// `text.length() == other.length()` where lengths of byte arrays are compared: both sides are doubled, or one side is
/// and the other is a constant.
fn compared_doubles(terms: &Terms, term: TermId) -> Option<Idiom> {
    let (op, [a, b, _]) = terms.parts(term)?;
    if op == Op::Not {
        let (_, [a, b, _]) = terms.parts(a).filter(|(op, _)| *op == Op::Eq)?;
        return match (half(terms, a), half(terms, b)) {
            (Some(a), Some(b)) => Some(Idiom::Relation(a, "!=", b)),
            (Some(of), None) => Some(Idiom::Bound(of, "!=", exact_half(terms, b)?)),
            (None, Some(of)) => Some(Idiom::Bound(of, "!=", exact_half(terms, a)?)),
            (None, None) => None,
        };
    }
    let symbol = match op {
        Op::Eq => "==",
        Op::Slt => "<",
        Op::Sle => "<=",
        _ => return None,
    };
    let constant = |it: TermId| Some(terms.sort(it).signed(terms.as_constant(it)?));
    match (half(terms, a), half(terms, b)) {
        (Some(a), Some(b)) => Some(Idiom::Relation(a, symbol, b)),
        (Some(of), None) => Some(match op {
            Op::Eq => Idiom::Bound(of, "==", exact_half(terms, b)?),
            // `2 * x < k` is `x < k / 2`, rounded up; with `<=` it is rounded down.
            Op::Slt => Idiom::Bound(of, "<", (constant(b)? + 1).div_euclid(2)),
            _ => Idiom::Bound(of, "<=", constant(b)?.div_euclid(2)),
        }),
        (None, Some(of)) => Some(match op {
            Op::Eq => Idiom::Bound(of, "==", exact_half(terms, a)?),
            Op::Slt => Idiom::Bound(of, ">", constant(a)?.div_euclid(2)),
            _ => Idiom::Bound(of, ">=", (constant(a)? + 1).div_euclid(2)),
        }),
        (None, None) => None,
    }
}

/// Half of an even constant.
fn exact_half(terms: &Terms, term: TermId) -> Option<i64> {
    let value = terms.sort(term).signed(terms.as_constant(term)?);
    (value % 2 == 0).then_some(value / 2)
}

/// The half of a term, if it is twice something. No bit may be lost, so that the halves compare like the doubles.
fn half(terms: &Terms, term: TermId) -> Option<TermId> {
    let (op, [value, by, _]) = terms.parts(term)?;
    let sort = terms.sort(value);
    let range = terms.range(value);
    let fits = sort.min_signed() / 2 <= range.smin && range.smax <= sort.max_signed() / 2;
    (op == Op::Shl && terms.as_constant(by) == Some(1) && fits).then_some(value)
}

/// An unsigned comparison with a non-negative number, by which code checks both bounds of an index at once.
fn index_check(terms: &Terms, term: TermId) -> Option<Idiom> {
    let (op, [a, b, _]) = terms.parts(term)?;
    let is_index = |it: TermId| terms.sort(it).bits() >= 32 && terms.sort(it).is_bv();
    let is_size = |it: TermId| terms.range(it).never_negative();
    let is_or_equal = match op {
        Op::Ult => false,
        Op::Ule => true,
        _ => return None,
    };
    match (is_index(a), is_size(b), is_size(a)) {
        (true, true, true) => Some(Idiom::Relation(a, if is_or_equal { "<=" } else { "<" }, b)),
        (true, true, false) => {
            Some(Idiom::Index { index: a, length: b, is_within: true, is_inclusive: is_or_equal })
        }
        // `length <=u index` holds for an index out of bounds.
        (true, false, true) => {
            Some(Idiom::Index { index: b, length: a, is_within: false, is_inclusive: is_or_equal })
        }
        _ => None,
    }
}

impl Terms {
    /// Whether a term has parts that occur only in the JDK's code and in no source: its tables, bytes of characters,
    /// lengths in bytes, unsigned comparisons.
    #[must_use]
    pub fn has_inner_words(&self, term: TermId) -> bool {
        let mut open = vec![term];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if seen.len() > MAX_PARTS {
                return true;
            }
            match recognise(self, at) {
                Some(Idiom::Text(_) | Idiom::Not(_) | Idiom::Compare(..)) => continue,
                Some(Idiom::Relation(a, _, b) | Idiom::Index { index: a, length: b, .. }) => {
                    open.extend([a, b]);
                    continue;
                }
                Some(Idiom::Bound(of, ..) | Idiom::At(_, of, _)) => {
                    open.push(of);
                    continue;
                }
                None => {}
            }
            let Term::Apply { op, sort, args } = *self.get(at) else {
                if matches!(self.get(at), Term::Lookup { .. }) {
                    return true;
                }
                continue;
            };
            let is_wide = self.sort(args[0]).bits() >= 32;
            let is_inner = match op {
                Op::Ult | Op::Ule => is_wide,
                Op::Truncate => sort == Sort::Bv8 && self.sort(args[0]) == Sort::Bv16,
                Op::Shl => half(self, at).is_some_and(|of| has_length(self, of)),
                _ => false,
            };
            if is_inner {
                return true;
            }
            open.extend(self.get(at).args());
        }
        false
    }
}

/// Whether a term is a length, or a length with something added.
fn has_length(terms: &Terms, term: TermId) -> bool {
    match *terms.get(term) {
        Term::Apply { op: Op::Add | Op::Sub, args, .. } => {
            has_length(terms, args[0]) || has_length(terms, args[1])
        }
        _ => length_of(terms, term).is_some(),
    }
}

/// An access to a string or array: the text before and after its index, and the index.
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
mod tests;
