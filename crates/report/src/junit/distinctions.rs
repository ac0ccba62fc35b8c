//! Distinguishes tests that would have the same name: by the value of an argument, the creation of an object,
//! earlier calls, or the assertions.

use super::outcomes::observed;
use super::slugs::{camel_case, capital, identifier_part, of_char, of_literal, of_type};
use super::type_names::ClassName;
use super::variables::invoked;
use cupping_case::{Action, Case, Expectation, ExpectedValue, Literal, Operand, Outcome, Probe};
use std::collections::{BTreeMap, BTreeSet};

/// Longest word.
const LONGEST: usize = 24;
/// Limit on the nesting of described objects.
const DEPTH: u32 = 5;
/// Number of characters of a text that are compared one by one.
const SPELT: usize = 3;

/// A place at which cases may differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CasePart {
    /// An argument, or a part of one, by its path.
    Argument(Vec<usize>),
    /// The same of the receiver.
    Receiver(Vec<usize>),
    Step(usize),
    Assertion(usize),
    Message,
}

/// For each of these cases the words that distinguish it from the others, as far as possible.
pub(super) fn distinctions(cases: &[&Case]) -> Vec<String> {
    let words: Vec<BTreeMap<CasePart, String>> = cases.iter().map(|case| words(case)).collect();
    let places: BTreeSet<&CasePart> = words.iter().flat_map(BTreeMap::keys).collect();
    let mut chosen: Vec<String> = vec![String::new(); cases.len()];
    loop {
        let known = kinds(&chosen);
        // The first place at which most differ.
        let mut best: Option<(usize, Vec<String>)> = None;
        for place in &places {
            let told = words.iter().map(|it| it.get(*place).map_or("", String::as_str));
            let longer: Vec<String> =
                chosen.iter().zip(told).map(|(so_far, word)| joined(so_far, word)).collect();
            let count = kinds(&longer);
            if count > best.as_ref().map_or(known, |(count, _)| *count) {
                best = Some((count, longer));
            }
        }
        match best {
            Some((_, longer)) => chosen = longer,
            None => return chosen,
        }
    }
}

fn kinds(words: &[String]) -> usize {
    words.iter().collect::<BTreeSet<_>>().len()
}

fn joined(so_far: &str, word: &str) -> String {
    match (so_far, word) {
        (some, "") => some.to_owned(),
        ("", word) => word.to_owned(),
        (some, word) => format!("{some}And{}", capital(word)),
    }
}

fn words(case: &Case) -> BTreeMap<CasePart, String> {
    let mut words = BTreeMap::new();
    if let Outcome::Threw { message: Some(message), .. } = &case.outcome {
        words.insert(CasePart::Message, text(message));
    }
    for (at, assertion) in case.assertions.iter().enumerate() {
        let word = match &assertion.probe {
            Probe::Var(_) | Probe::Elements(_) | Probe::Cause => expectation(&assertion.expectation),
            Probe::Printed | Probe::PrintedToKept => {
                format!("prints{}", capital(&expectation(&assertion.expectation)))
            }
            _ => {
                let word = observed(assertion).unwrap_or_default();
                match &assertion.expectation {
                    Expectation::Equals(it) if of_literal(it).is_some() => word,
                    other => format!("{word}{}", capital(&expectation(other))),
                }
            }
        };
        words.insert(CasePart::Assertion(at), word);
    }
    let Some((last, before)) = case.steps.split_last() else { return words };
    let receiver = match &last.action {
        Action::Invoke { receiver: Operand::Var(var), .. } => Some(*var),
        _ => None,
    };
    let mut parts = Parts { case, found: Vec::new() };
    if let Some((_, args)) = invoked(&last.action) {
        args.iter().enumerate().for_each(|(at, arg)| parts.add(arg, vec![at], DEPTH));
    }
    words.extend(parts.found.drain(..).map(|(way, word)| (CasePart::Argument(way), word)));
    if let Some(receiver) = receiver {
        parts.add(&Operand::Var(receiver), Vec::new(), DEPTH);
    }
    let of =
        parts.found.into_iter().map(|(way, word)| (CasePart::Receiver(way), format!("of{}", capital(&word))));
    words.extend(of);
    for (at, step) in before.iter().enumerate() {
        let is_on_receiver = matches!(&step.action, Action::Invoke { receiver: Operand::Var(var), .. }
            if Some(*var) == receiver);
        if let Some((method, args)) = invoked(&step.action)
            && (is_on_receiver || step.result.is_none())
        {
            let given =
                args.iter().map(|it| value_word(case, it)).fold(String::new(), |all, it| joined(&all, &it));
            let word = format!("{}{}", identifier_part(&method.name), capital(&given));
            words.insert(CasePart::Step(at), format!("after{}", capital(&short(&word))));
        }
        if let Action::SetField { field, value, .. } = &step.action {
            let word = format!(
                "with{}{}",
                capital(&identifier_part(&field.name)),
                capital(&value_word(case, value))
            );
            words.insert(CasePart::Step(at), short(&word));
        }
    }
    words
}

/// A literal as a word; nothing for an object.
fn simple(operand: &Operand) -> String {
    match operand {
        Operand::Literal(it) => literal(it),
        Operand::Var(_) => String::new(),
    }
}

/// A literal as a word, or an array of them; `None` for another object.
fn value_word(case: &Case, operand: &Operand) -> String {
    let mut parts = Parts { case, found: Vec::new() };
    parts.add(operand, Vec::new(), 1);
    match parts.found.as_slice() {
        [(_, word)] => word.clone(),
        _ => String::new(),
    }
}

/// The parts of objects.
struct Parts<'a> {
    case: &'a Case,
    /// The way to each part, and its word.
    found: Vec<(Vec<usize>, String)>,
}

impl Parts<'_> {
    fn add(&mut self, operand: &Operand, way: Vec<usize>, depth: u32) {
        let var = match operand {
            Operand::Literal(it) => return self.found.push((way, literal(it))),
            Operand::Var(var) => *var,
        };
        let case = self.case;
        let step = case.steps.iter().find(|step| step.result == Some(var)).filter(|_| depth > 0);
        let ty = || case.variables.get(var.0 as usize).map_or(String::new(), |it| of_type(&it.ty));
        let (word, parts): (String, Vec<&Operand>) = match step.map(|it| &it.action) {
            Some(Action::NewArray { elements, .. })
                if elements.iter().all(|it| matches!(it, Operand::Literal(_))) =>
            {
                let word = elements.iter().map(simple).fold(String::new(), |all, it| joined(&all, &it));
                (
                    if elements.is_empty() { format!("empty{}", capital(&ty())) } else { short(&word) },
                    Vec::new(),
                )
            }
            Some(Action::NewArray { elements, .. }) => {
                (format!("{}{}", ty(), elements.len()), elements.iter().collect())
            }
            Some(Action::Construct { constructor, args }) => {
                (identifier_part(ClassName::parse(&constructor.class).simple()), args.iter().collect())
            }
            Some(Action::Invoke { method, receiver, args }) => {
                (identifier_part(&method.name), std::iter::once(receiver).chain(args).collect())
            }
            Some(Action::InvokeStatic { method, args }) => {
                (identifier_part(&method.name), args.iter().collect())
            }
            Some(Action::Implement { interface, methods, .. }) => {
                let answers = methods.iter().flat_map(|method| method.result.values());
                (identifier_part(ClassName::parse(interface).simple()), answers.collect())
            }
            _ => (ty(), Vec::new()),
        };
        self.found.push((way.clone(), short(&word)));
        for (at, part) in parts.into_iter().enumerate() {
            self.add(part, way.iter().copied().chain([at]).collect(), depth - 1);
        }
    }
}

fn literal(literal: &Literal) -> String {
    match literal {
        Literal::String(units) => text(units),
        other => of_literal(other).map_or_else(String::new, |word| short(&word)),
    }
}

/// A text as a word: its letters and digits, all characters of a short text with other signs, or its length.
fn text(units: &[u16]) -> String {
    if let Some(plain) = of_literal(&Literal::String(units.to_vec())) {
        return short(&plain);
    }
    let is_lost = |it: &u16| !u8::try_from(*it).is_ok_and(|it| it == b' ' || it.is_ascii_alphanumeric());
    if units.len() <= SPELT && units.iter().any(is_lost) {
        let signs = units.iter().filter_map(|it| of_char(*it));
        return short(&signs.fold(String::new(), |all, it| joined(&all, &it)));
    }
    match camel_case(&String::from_utf16_lossy(units)) {
        word if word.is_empty() => format!("textOf{}", units.len()),
        word => short(&word),
    }
}

fn expectation(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Equals(it) => literal(it),
        Expectation::EqualsValue(value) => expected(value),
        Expectation::ArrayEquals(elements) => {
            short(&elements.iter().map(literal).fold(String::new(), |all, it| joined(&all, &it)))
        }
        Expectation::InstanceOf(class) => identifier_part(ClassName::parse(class).simple()),
        _ => String::new(),
    }
}

fn expected(value: &ExpectedValue) -> String {
    let all =
        |them: &[ExpectedValue]| them.iter().map(expected).fold(String::new(), |all, it| joined(&all, &it));
    short(&match value {
        ExpectedValue::Literal(it) => literal(it),
        ExpectedValue::Call { args, .. } => all(args),
        ExpectedValue::Array { elements, .. }
        | ExpectedValue::List(elements)
        | ExpectedValue::Set(elements) => all(elements),
        ExpectedValue::Map(entries) => {
            let words = entries.iter().map(|(key, value)| joined(&expected(key), &expected(value)));
            words.fold(String::new(), |all, it| joined(&all, &it))
        }
    })
}

/// As many whole words as fit.
fn short(words: &str) -> String {
    let fitting: String = words.chars().take(LONGEST).collect();
    if fitting.len() == words.len() {
        return fitting;
    }
    let ends_a_word = words[fitting.len()..].starts_with(char::is_uppercase);
    let last = if ends_a_word { Some(fitting.len()) } else { fitting.rfind(char::is_uppercase) };
    let whole = last.map_or("", |at| &fitting[..at]);
    let whole = whole.strip_suffix("And").unwrap_or(whole);
    if whole.is_empty() { fitting } else { whole.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_whole_words() {
        for (words, expected) in [
            ("braceAndQuote", "braceAndQuote"),
            ("bracketAndCloseBracketAndColon", "bracketAndCloseBracket"),
            ("bracketAndBracketAndColonAndDot", "bracketAndBracket"),
            ("bracketAndSpaceAndDotAndColon", "bracketAndSpaceAndDot"),
            ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx"),
        ] {
            assert_eq!(short(words), expected);
        }
    }
}
