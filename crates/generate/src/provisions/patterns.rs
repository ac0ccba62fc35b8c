//! Texts that match the regular expressions of the code under test.
//!
//! From an arbitrary text, a search would follow the JDK's matcher step by step. Most patterns are constants,
//! so a matching text is constructed directly. `regex-syntax` parses the pattern; it reads the syntax that Java
//! shares with other languages. A pattern that it cannot read gives no text.

use cupping_machine::{ClassId, Machine};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Limit on the characters of a text.
const MAX_LENGTH: usize = 24;
/// Limit on the length of a pattern.
const MAX_PATTERN: usize = 120;

/// Texts that match those string constants of a class that are patterns, in constant pool order.
pub fn matching_texts(machine: &Machine, class: ClassId, most: usize) -> Vec<Vec<u16>> {
    let Some(file) = machine.class(class).file.clone() else { return Vec::new() };
    let mut found: Vec<Vec<u16>> = Vec::new();
    for index in 1..file.constant_count() {
        let Ok(cupping_classfile::Constant::String(units)) = file.constant(index) else { continue };
        if let Some(text) = String::from_utf16(&units).ok().and_then(|pattern| matching(&pattern)) {
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

/// A short text that matches a pattern; `None` for plain text, and for patterns that cannot be parsed.
fn matching(pattern: &str) -> Option<String> {
    let is_pattern = pattern.contains(['\\', '[', '+', '*', '{']) && pattern.len() <= MAX_PATTERN;
    if !is_pattern {
        return None;
    }
    let parsed = regex_syntax::Parser::new().parse(pattern).ok()?;
    let mut text = String::new();
    append(&parsed, &mut text)?;
    (!text.is_empty()).then_some(text)
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
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.ranges().iter().map(|it| (it.start(), it.end())).collect(),
        Class::Bytes(class) => class.ranges().iter().map(|it| (it.start().into(), it.end().into())).collect(),
    };
    let has = |it: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&it));
    ['5', 'a', 'A', '1', '-', ' '].into_iter().find(|it| has(*it)).or(ranges.first().map(|it| it.0))
}

#[cfg(test)]
mod tests {
    use super::matching;

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
            assert_eq!(matching(pattern).as_deref(), text, "{pattern}");
        }
    }
}
