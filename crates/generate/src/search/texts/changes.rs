//! Changes of sentences: insert, delete and replace words, and copy parts of other texts.

use super::words::Words;
use crate::input::Input;
use crate::plan::{Plan, PlanStep, Var};
use cupping_machine::Kind;

/// Limit on the length of a text, and on the elements of an array of texts.
const MAX_TEXT: usize = 96;
const MAX_ELEMENTS: usize = 6;
/// The most changes that are made at once.
const MAX_CHANGES: usize = 4;

/// Whether an input is text, or holds text.
pub(super) fn is_text(input: &Input) -> bool {
    matches!(input, Input::Text(_) | Input::Elements(Kind::Char | Kind::Byte, _))
}

/// The text of an input.
pub(super) fn text_of(input: &Input) -> Option<Vec<u16>> {
    match input {
        Input::Text(units) => Some(units.clone()),
        Input::Elements(Kind::Char, values) => Some(values.iter().map(|it| *it as u16).collect()),
        Input::Elements(Kind::Byte, values) => {
            let bytes: Vec<u8> = values.iter().map(|it| *it as u8).collect();
            Some(match std::str::from_utf8(&bytes) {
                Ok(text) => text.encode_utf16().collect(),
                Err(_) => bytes.into_iter().map(u16::from).collect(),
            })
        }
        _ => None,
    }
}

/// The same input with another text.
pub(super) fn with_text(input: &Input, text: Vec<u16>) -> Input {
    match input {
        Input::Elements(Kind::Byte, _) => {
            let text = String::from_utf16_lossy(&text);
            Input::Elements(Kind::Byte, text.bytes().map(|byte| Kind::Byte.narrow(byte.into())).collect())
        }
        Input::Elements(kind, _) => Input::Elements(*kind, text.into_iter().map(u64::from).collect()),
        _ => Input::Text(text),
    }
}

/// A sentence with some random changes. `others` are texts of other sentences.
pub(in crate::search) fn changed(plan: &Plan, others: &[Vec<u16>], words: &mut Words) -> Plan {
    let mut plan = plan.clone();
    let changes = 1 + words.below(MAX_CHANGES).min(words.below(MAX_CHANGES));
    for _ in 0..changes {
        if words.one_in(6) && change_elements(&mut plan, words) {
            continue;
        }
        let is_changed = |step: &PlanStep| match step {
            PlanStep::Input { input, .. } => is_text(input) || is_number(input),
            _ => false,
        };
        let places: Vec<usize> =
            (plan.setup..plan.steps.len()).filter(|at| is_changed(&plan.steps[*at])).collect();
        // Earlier calls have succeeded with what they were given.
        let at = if words.one_in(3) { places.last() } else { words.pick(&places) };
        let Some(at) = at.copied() else { break };
        let own: Vec<Vec<u16>> = plan.steps.iter().filter_map(text_in).collect();
        let PlanStep::Input { input, .. } = &mut plan.steps[at] else { continue };
        *input = match (text_of(input), &*input) {
            (Some(text), _) => with_text(input, changed_text(text, &own, others, words)),
            (None, Input::Fixed(kind, bits)) => Input::Fixed(*kind, changed_number(*kind, *bits, words)),
            (None, Input::FixedBox(kind, bits)) => {
                Input::FixedBox(*kind, changed_number(*kind, *bits, words))
            }
            (None, other) => other.clone(),
        };
    }
    plan
}

fn is_number(input: &Input) -> bool {
    matches!(input, Input::Fixed(..) | Input::FixedBox(..))
}

/// The text that a step creates.
pub(super) fn text_in(step: &PlanStep) -> Option<Vec<u16>> {
    match step {
        PlanStep::Input { input, .. } => text_of(input).filter(|text| !text.is_empty()),
        _ => None,
    }
}

fn changed_number(kind: Kind, now: u64, words: &mut Words) -> u64 {
    match kind {
        Kind::Boolean => (now & 1) ^ 1,
        Kind::Float => u64::from((words.number() as f32).to_bits()),
        Kind::Double => (words.number() as f64).to_bits(),
        _ => kind.narrow(words.number() as u64),
    }
}

fn changed_text(text: Vec<u16>, own: &[Vec<u16>], others: &[Vec<u16>], words: &mut Words) -> Vec<u16> {
    let length = text.len();
    let at = place(length, words);
    let until = (at + 1 + words.below(4)).min(length);
    let mut changed = text;
    match words.below(20) {
        0..=4 => put_word(&mut changed, at..at, words),
        5 | 6 => put_word(&mut changed, length..length, words),
        7 | 8 => put_word(&mut changed, at..until, words),
        9 => put(&mut changed, at..until, &[]),
        10 => {
            let part = changed[at..until].to_vec();
            put(&mut changed, until..until, &part);
        }
        11 => {
            // A later call often asks for the argument of an earlier one, or for a part of it.
            let mut other = words.pick(own).cloned().unwrap_or_default();
            if words.one_in(2) {
                let from = words.below(other.len());
                let until = from + 1 + words.below(other.len() - from);
                other = other.get(from..until).map(<[u16]>::to_vec).unwrap_or_default();
            }
            let until = if words.one_in(2) { at } else { length };
            put(&mut changed, at..until, &other);
        }
        12 => {
            let other = words.pick(others).cloned().unwrap_or_default();
            let from = place(other.len(), words);
            let from = if words.one_in(2) { 0 } else { from };
            let until = if words.one_in(2) { at } else { length };
            put(&mut changed, at..until, &other[from..]);
        }
        13 => changed = words.pick(others).cloned().unwrap_or_default(),
        14 | 15 => {
            let other = words.pick(others).cloned().unwrap_or_default();
            append_rest(&mut changed, &other, words);
        }
        16 | 17 => change_number(&mut changed, words),
        _ => {
            // One sentence after the other, or line by line.
            let other = words.pick(others).cloned().unwrap_or_default();
            let separator = words.separator();
            let at = if words.one_in(4) { 0 } else { length };
            let joined = match at {
                0 => [&other[..], separator].concat(),
                _ => [separator, &other[..]].concat(),
            };
            put(&mut changed, at..at, &joined);
        }
    }
    changed.truncate(MAX_TEXT);
    changed
}

/// Appends the part in which another text differs from this one: together they may reach what neither reaches
/// alone.
fn append_rest(text: &mut Vec<u16>, other: &[u16], words: &mut Words) {
    let shared = text.iter().zip(other).take_while(|(one, other)| one == other).count();
    // If both texts share only the start of a word, take the whole word.
    let start = other[..shared].iter().rposition(|unit| !is_letter(*unit)).map_or(0, |at| at + 1);
    let glue = match start.checked_sub(1) {
        Some(at) => vec![other[at]],
        None => words.separator().to_vec(),
    };
    let length = text.len();
    put(text, length..length, &[&glue[..], &other[start..]].concat());
}

/// Replaces a whole number by another one: its digits belong together, and the code may expect the next number.
fn change_number(text: &mut Vec<u16>, words: &mut Words) {
    let is_digit = |unit: &u16| (u16::from(b'0')..=u16::from(b'9')).contains(unit);
    let starts = |at: &usize| is_digit(&text[*at]) && (*at == 0 || !is_digit(&text[*at - 1]));
    let numbers: Vec<usize> = (0..text.len()).filter(starts).collect();
    let Some(from) = words.pick(&numbers).copied() else {
        let end = text.len();
        return put_word(text, end..end, words);
    };
    let length = text[from..].iter().take_while(|it| is_digit(it)).count();
    let number: Vec<u16> = words.number().unsigned_abs().to_string().encode_utf16().collect();
    put(text, from..from + length, &number);
}

fn is_letter(unit: u16) -> bool {
    char::from_u32(unit.into()).is_some_and(char::is_alphanumeric)
}

/// A position in a text: often its end, where sentences grow.
fn place(length: usize, words: &mut Words) -> usize {
    match words.below(6) {
        0 => length,
        1 => 0,
        _ => words.below(length + 1),
    }
}

/// Inserts a word into a text, usually with a separator on both sides.
fn put_word(text: &mut Vec<u16>, range: std::ops::Range<usize>, words: &mut Words) {
    let mut word = words.word();
    if words.one_in(6) {
        word.splice(0..0, words.separator().iter().copied());
    }
    let is_part = |unit: Option<&u16>| unit.is_some_and(|it| is_letter(*it));
    let is_apart = words.below(4) > 0;
    if is_apart && is_part(word.last()) && is_part(text.get(range.end)) {
        word.push(u16::from(b' '));
    }
    let before = range.start.checked_sub(1).and_then(|at| text.get(at));
    if is_apart && is_part(word.first()) && is_part(before) {
        word.insert(0, u16::from(b' '));
    }
    put(text, range, &word);
}

/// A text with a word at its end, apart from another word; nothing if it becomes too long.
pub(super) fn append_word(mut text: Vec<u16>, word: &[u16]) -> Option<Vec<u16>> {
    let is_part = |unit: Option<&u16>| unit.is_some_and(|it| is_letter(*it));
    if is_part(text.last()) && is_part(word.first()) {
        text.push(u16::from(b' '));
    }
    text.extend(word);
    (text.len() <= MAX_TEXT).then_some(text)
}

fn put(text: &mut Vec<u16>, range: std::ops::Range<usize>, part: &[u16]) {
    text.splice(range, part.iter().copied());
}

/// Adds an element to an array of texts, or removes one.
fn change_elements(plan: &mut Plan, words: &mut Words) -> bool {
    let input_of = |plan: &Plan, var: Var| {
        plan.steps.iter().position(|step| matches!(step, PlanStep::Input { var: it, .. } if *it == var))
    };
    let holds_text = |at: &usize| match &plan.steps[*at] {
        PlanStep::NewArray { elements, .. } => elements.first().is_some_and(|var| {
            input_of(plan, *var)
                .is_some_and(|at| text_in(&plan.steps[at]).is_some() || is_text_step(&plan.steps[at]))
        }),
        _ => false,
    };
    let arrays: Vec<usize> = (plan.setup..plan.steps.len()).filter(holds_text).collect();
    let Some(at) = words.pick(&arrays).copied() else { return false };
    let PlanStep::NewArray { elements, .. } = &plan.steps[at] else { return false };
    let (count, first) = (elements.len(), elements[0]);
    let place = words.below(count + 1);
    if words.one_in(2) && count > 1 {
        let PlanStep::NewArray { elements, .. } = &mut plan.steps[at] else { return false };
        elements.remove(place.min(count - 1));
        plan.drop_unused_inputs();
        return true;
    }
    if count >= MAX_ELEMENTS {
        return false;
    }
    let known = plan.variables[first].clone();
    plan.variables.push(known);
    let var = plan.variables.len() - 1;
    let PlanStep::NewArray { elements, .. } = &mut plan.steps[at] else { return false };
    elements.insert(place, var);
    plan.steps.insert(at, PlanStep::Input { input: Input::Text(words.word()), var });
    true
}

fn is_text_step(step: &PlanStep) -> bool {
    matches!(step, PlanStep::Input { input: Input::Text(_), .. })
}

#[cfg(test)]
mod tests;
