//! Texts that match the regular expressions of the code under test.
//!
//! From an arbitrary text, a search would follow the JDK's matcher step by step. Most patterns are constants,
//! so a matching text is constructed directly. `regex-syntax` parses the pattern; it reads the syntax that Java
//! shares with other languages. A pattern that it cannot read gives no text.

use cupping_machine::{ClassId, Machine};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Limit on the characters of a text.
const MAX_LENGTH: usize = 24;
/// Limit on the bytes of any text, and on the repetitions beyond the least number.
const MAX_ANY: usize = 60;
const MORE: usize = 3;
/// Limit on the length of a pattern.
const MAX_PATTERN: usize = 120;

/// Texts that match those string constants of a class that are patterns, in constant pool order.
pub fn matching_texts(machine: &Machine, class: ClassId, most: usize) -> Vec<Vec<u16>> {
    let mut found: Vec<Vec<u16>> = Vec::new();
    for pattern in patterns(machine, class) {
        if let Some(text) = pattern.matching() {
            let units: Vec<u16> = text.encode_utf16().collect();
            if !found.contains(&units) {
                found.push(units);
            }
        }
        if found.len() >= most {
            break;
        }
    }
    found
}

/// A text that matches a string constant, if it is a pattern.
pub fn matching_text(constant: &[u16]) -> Option<Vec<u16>> {
    let pattern = Pattern::of(&String::from_utf16(constant).ok()?)?;
    Some(pattern.matching()?.encode_utf16().collect())
}

/// The string constants of a class that are patterns, in constant pool order.
pub fn patterns(machine: &Machine, class: ClassId) -> Vec<Pattern> {
    let Some(file) = machine.class(class).file.clone() else { return Vec::new() };
    let texts = file.texts();
    texts.iter().filter_map(|units| Pattern::of(&String::from_utf16(units).ok()?)).collect()
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern(Hir);

impl Pattern {
    /// `None` for plain text, and for patterns that cannot be parsed.
    fn of(pattern: &str) -> Option<Pattern> {
        let is_pattern = pattern.contains(['\\', '[', '+', '*', '{']) && pattern.len() <= MAX_PATTERN;
        is_pattern.then(|| regex_syntax::Parser::new().parse(pattern).ok().map(Pattern)).flatten()
    }

    /// A short text that matches.
    fn matching(&self) -> Option<String> {
        let mut text = String::new();
        append(&self.0, &mut text)?;
        (!text.is_empty()).then_some(text)
    }

    /// Some text that matches: whoever calls chooses below a limit, again and again. `None` if it became too long.
    pub fn any(&self, choose: &mut dyn FnMut(usize) -> usize) -> Option<String> {
        let mut text = String::new();
        append_any(&self.0, &mut text, choose)?;
        Some(text)
    }
}

fn append_any(part: &Hir, text: &mut String, choose: &mut dyn FnMut(usize) -> usize) -> Option<()> {
    if text.len() > MAX_ANY {
        return None;
    }
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(any_of(class, choose)?),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX) - repetition.min;
            let more = choose(MORE.min(most as usize) + 1);
            for _ in 0..repetition.min as usize + more {
                append_any(&repetition.sub, text, choose)?;
            }
        }
        HirKind::Capture(capture) => append_any(&capture.sub, text, choose)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| append_any(part, text, choose))?,
        HirKind::Alternation(parts) => append_any(parts.get(choose(parts.len()))?, text, choose)?,
    }
    Some(())
}

fn append(part: &Hir, text: &mut String) -> Option<()> {
    if text.chars().count() > MAX_LENGTH {
        return None;
    }
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(one_of(class)?),
        // Include optional parts once: they exercise more code.
        HirKind::Repetition(repetition) => {
            let count = repetition.min.max(u32::from(repetition.max != Some(0))) as usize;
            for _ in 0..count.min(MAX_LENGTH + 1) {
                append(&repetition.sub, text)?;
            }
        }
        HirKind::Capture(capture) => append(&capture.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| append(part, text))?,
        HirKind::Alternation(parts) => append(parts.first()?, text)?,
    }
    Some(())
}

/// A character of a class: a digit or letter if there is one.
fn one_of(class: &Class) -> Option<char> {
    let ranges = ranges_of(class);
    let has = |it: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&it));
    ['5', 'a', 'A', '1', '-', ' '].into_iter().find(|it| has(*it)).or(ranges.first().map(|it| it.0))
}

/// A printable character of a class if there is one: of a range that was chosen, and there anywhere.
fn any_of(class: &Class, choose: &mut dyn FnMut(usize) -> usize) -> Option<char> {
    let printable = |(from, to): &(char, char)| {
        let (from, to) = (u32::from(*from).max(0x20), u32::from(*to).min(0x7e));
        (from <= to).then_some((from, to))
    };
    let ranges: Vec<(u32, u32)> = ranges_of(class).iter().filter_map(printable).collect();
    match ranges.get(choose(ranges.len())) {
        Some((from, to)) => char::from_u32(from + choose((to - from + 1) as usize) as u32),
        None => one_of(class),
    }
}

fn ranges_of(class: &Class) -> Vec<(char, char)> {
    match class {
        Class::Unicode(class) => class.ranges().iter().map(|it| (it.start(), it.end())).collect(),
        Class::Bytes(class) => class.ranges().iter().map(|it| (it.start().into(), it.end().into())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use std::collections::BTreeSet;

    #[test]
    fn a_pattern_gives_many_texts() {
        let pattern = Pattern::of(r"(low|high) [0-9]{1,3}x?").expect("it can be parsed");
        let mut at = 0_usize;
        let mut choose = |limit: usize| {
            at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if limit == 0 { 0 } else { (at >> 33) % limit }
        };
        let texts: BTreeSet<String> = (0..60).filter_map(|_| pattern.any(&mut choose)).collect();
        assert!(texts.len() > 30, "{texts:?}");
        assert!(texts.iter().all(|it| it.starts_with("low ") || it.starts_with("high ")));
        assert!(texts.iter().any(|it| it.ends_with('x')) && texts.iter().any(|it| it.len() == 5));
    }

    #[test]
    fn patterns_give_texts_that_match() {
        let cases = [
            (r"\d{5}", Some("55555")),
            (r"\d{4} ?[A-Z]{2}", Some("5555 AA")),
            (r"[A-Z]{2}-\d+", Some("AA-5")),
            (r"(foo|bar)*x", Some("foox")),
            (r"^\s*$", Some(" ")),
            ("no pattern", None),
            ("[", None),
            (r"(?<!a)b+", None),
        ];
        for (pattern, text) in cases {
            let found = Pattern::of(pattern).and_then(|it| it.matching());
            assert_eq!(found.as_deref(), text, "{pattern}");
        }
    }
}
