//! Names for tests: the method, what came before, the arguments, what comes out.
//!
//! A name starts from the parts that always help; a part is added only where names would be the same.

use super::expressions::{class_or_array, signature};
use super::slugs::{camel_case, capital, decapitalised, identifier_part, of_literal, of_type};
use super::type_names::ClassName;
use super::variables::invoked;
use cupping_case::{Action, Case, Expectation, ExpectedValue, Literal, Operand, Outcome, Probe, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Longest name that arguments are added to without need.
const COMFORTABLE: usize = 60;
/// Longest name that keeps parts which do not tell it from others.
const LONGEST: usize = 80;

/// One name per case, all different; those of an earlier run stay.
pub fn names(cases: &[&Case]) -> Vec<String> {
    let first = |case: &&Case| {
        case.name.as_deref().map_or_else(|| Parts::of(case).name(Detail::Arguments), str::to_owned)
    };
    let mut names: Vec<String> = cases.iter().map(first).collect();
    let mut details = vec![Detail::Arguments; cases.len()];
    for detail in [Detail::Types, Detail::AllArguments, Detail::Setup, Detail::Distinction] {
        let counts = count(&names);
        for (at, case) in cases.iter().enumerate().filter(|(_, case)| case.name.is_none()) {
            if counts[names[at].as_str()] > 1 {
                names[at] = Parts::of(case).name(detail);
                details[at] = detail;
            }
        }
    }
    let mut taken = count(&names);
    for (at, case) in cases.iter().enumerate().filter(|(_, case)| case.name.is_none()) {
        if names[at].len() > LONGEST
            && let Some(shorter) = Parts::of(case).shorter(details[at], &taken)
        {
            *taken.entry(shorter.clone()).or_insert(0) += 1;
            names[at] = shorter;
        }
    }
    // Who comes first keeps the name.
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|at| cases[*at].name.is_none());
    let numbered = number(order.iter().map(|at| std::mem::take(&mut names[*at])).collect());
    for (at, name) in order.into_iter().zip(numbered) {
        names[at] = name;
    }
    names
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    /// Arguments where they are short.
    Arguments,
    /// And the types of the parameters, for overloads.
    Types,
    /// And all arguments.
    AllArguments,
    /// And how the receiver was made.
    Setup,
    /// And the producer's word for it.
    Distinction,
}

struct Parts {
    method: String,
    types: String,
    after: String,
    arguments: Option<String>,
    long_arguments: String,
    setup: String,
    distinction: String,
    outcome: String,
}

impl Parts {
    fn of(case: &Case) -> Parts {
        let method = &case.under_test;
        let (parameters, _) = signature(method);
        let types: Vec<String> = parameters.iter().map(|ty| capital(&of_type(ty))).collect();
        let last_args =
            case.steps.last().and_then(|step| invoked(&step.action)).map_or(&[][..], |(_, args)| args);
        Parts {
            method: method_word(&method.name),
            types: if types.is_empty() { String::new() } else { format!("with{}", types.concat()) },
            after: after(case),
            arguments: arguments(case, last_args),
            long_arguments: long_arguments(case, last_args),
            setup: setup(case),
            distinction: camel_case(&case.distinction).chars().take(60).collect(),
            outcome: outcome(case),
        }
    }

    fn name(&self, detail: Detail) -> String {
        self.join(&self.optional(detail))
    }

    /// The parts that a name of this detail may do without: types, arguments, set-up and distinction.
    fn optional(&self, detail: Detail) -> [&str; 4] {
        let arguments = match &self.arguments {
            _ if detail >= Detail::AllArguments => &*self.long_arguments,
            Some(short)
                if self.method.len() + self.after.len() + self.outcome.len() + short.len() < COMFORTABLE =>
            {
                short.as_str()
            }
            _ => "",
        };
        let types = if detail >= Detail::Types { &*self.types } else { "" };
        let setup = if detail >= Detail::Setup { &*self.setup } else { "" };
        let distinction = if detail >= Detail::Distinction { &*self.distinction } else { "" };
        [types, arguments, setup, distinction]
    }

    fn join(&self, [types, arguments, setup, distinction]: &[&str; 4]) -> String {
        [&*self.method, types, arguments, setup, &*self.after, distinction, &*self.outcome]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("_")
    }

    /// A shorter name that no other test has: the most telling one that is not too long, or else the shortest.
    fn shorter(&self, detail: Detail, taken: &BTreeMap<String, usize>) -> Option<String> {
        let all = self.optional(detail);
        let subsets = 0..1 << all.len();
        let name = |subset: usize| {
            let mut parts = all;
            parts
                .iter_mut()
                .enumerate()
                .filter(|(at, _)| subset >> at & 1 == 0)
                .for_each(|(_, part)| *part = "");
            self.join(&parts)
        };
        let free = subsets.map(name).filter(|name| !taken.contains_key(name));
        free.max_by_key(|name| match name.len() {
            fitting @ 0..=LONGEST => (true, fitting),
            long => (false, usize::MAX - long),
        })
    }
}

pub(super) fn method_word(name: &str) -> String {
    match name {
        "<init>" => "constructor".into(),
        name => match identifier_part(name) {
            word if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("method{word}")
            }
            word => word,
        },
    }
}

/// `afterAddQtrTwice`: calls made on the receiver before, or on the class.
fn after(case: &Case) -> String {
    let Some((last, before)) = case.steps.split_last() else { return String::new() };
    let receiver = match &last.action {
        Action::Invoke { receiver: Operand::Var(var), .. } => Some(*var),
        _ => None,
    };
    let mut calls: Vec<(String, usize)> = Vec::new();
    for step in before {
        let concerns = match &step.action {
            Action::Invoke { receiver: Operand::Var(var), .. } => {
                Some(*var) == receiver || receiver.is_none()
            }
            Action::InvokeStatic { method, .. } => {
                method.class == case.under_test.class && step.result != receiver
            }
            _ => false,
        };
        let Some((method, _)) = invoked(&step.action).filter(|_| concerns) else { continue };
        if case.has_folder() && matches!(&*method.class, "java/io/File" | "java/nio/file/Files") {
            continue;
        }
        let word = capital(&identifier_part(&method.name));
        match calls.last_mut() {
            Some((same, times)) if *same == word => *times += 1,
            _ => calls.push((word, 1)),
        }
    }
    let total: usize = calls.iter().map(|(_, times)| times).sum();
    if calls.is_empty() {
        return String::new();
    }
    if calls.len() > 3 {
        return format!("after{total}Calls");
    }
    let words: Vec<String> = calls
        .into_iter()
        .map(|(word, times)| match times {
            1 => word,
            2 => format!("{word}Twice"),
            times => format!("{word}{times}Times"),
        })
        .collect();
    format!("after{}", words.join("And"))
}

/// The arguments as words, if they are few and short.
fn arguments(case: &Case, args: &[Operand]) -> Option<String> {
    let words: Option<Vec<String>> = args.iter().map(|arg| operand_word(case, arg)).collect();
    let joined = join(words?);
    (args.len() <= 3 && joined.len() <= 30).then_some(joined)
}

fn long_arguments(case: &Case, args: &[Operand]) -> String {
    let words =
        args.iter().map(|arg| operand_word(case, arg).unwrap_or_else(|| type_word(case, arg))).collect();
    join(words).chars().take(80).collect()
}

fn join(words: Vec<String>) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        out += &if at == 0 { word.clone() } else { format!("And{}", capital(word)) };
    }
    out
}

fn operand_word(case: &Case, operand: &Operand) -> Option<String> {
    match operand {
        Operand::Literal(literal) => of_literal(literal),
        Operand::Var(var) => made_word(case, *var),
    }
}

/// What can be said of an operand in any case: its type.
fn type_word(case: &Case, operand: &Operand) -> String {
    match operand {
        Operand::Literal(Literal::String(_)) => "text".into(),
        Operand::Literal(_) => "value".into(),
        Operand::Var(var) => {
            let variable = case.variables.get(var.0 as usize);
            variable.map_or("value".into(), |variable| decapitalised(&of_type(&variable.ty)))
        }
    }
}

fn made_word(case: &Case, var: VarId) -> Option<String> {
    let step = case.steps.iter().find(|step| step.result == Some(var))?;
    match &step.action {
        Action::NewArray { elements, .. } if elements.is_empty() => Some("empty".into()),
        Action::NewArray { elements, .. } => {
            let words: Option<Vec<String>> = elements.iter().map(|it| operand_word(case, it)).collect();
            words.map(join).filter(|word| word.len() <= 20)
        }
        Action::Construct { constructor, args } => {
            let words: Option<Vec<String>> = args.iter().map(|it| operand_word(case, it)).collect();
            let class = identifier_part(ClassName::parse(&constructor.class).simple());
            let word = words.map(|words| format!("{}{}", decapitalised(&class), capital(&join(words))));
            word.filter(|word| word.len() <= 24)
        }
        _ => None,
    }
}

/// `of3And4`: what the receiver was made of.
fn setup(case: &Case) -> String {
    let Some(Action::Invoke { receiver: Operand::Var(var), .. }) = case.steps.last().map(|step| &step.action)
    else {
        return String::new();
    };
    let made =
        case.steps.iter().find(|step| step.result == Some(*var)).and_then(|step| invoked(&step.action));
    match made {
        Some((_, args)) if !args.is_empty() => format!("of{}", capital(&long_arguments(case, args))),
        _ => String::new(),
    }
}

fn outcome(case: &Case) -> String {
    if let Outcome::Threw { class, .. } = &case.outcome {
        return format!("throws{}", identifier_part(ClassName::parse(class).simple()));
    }
    let result = case.steps.last().and_then(|step| step.result);
    let on_result = case
        .assertions
        .iter()
        .find(|it| matches!(it.probe, Probe::Var(var) | Probe::Elements(var) if Some(var) == result));
    if let Some(assertion) = on_result
        && case.under_test.name.as_ref() != "<init>"
    {
        let value = match &assertion.expectation {
            Expectation::Equals(literal) => returned_word(literal),
            Expectation::NotNull | Expectation::OneOf(_) => "Object".into(),
            Expectation::Differs(literal) => format!("Not{}", returned_word(literal)),
            Expectation::DiffersFrom(_) => "AnotherValue".into(),
            Expectation::Same(other) if is_receiver(case, *other) => "Itself".into(),
            Expectation::Same(_) => "SameObject".into(),
            Expectation::EqualsValue(expected) => value_word(expected),
            Expectation::ArrayEquals(elements) if elements.is_empty() => "EmptyArray".into(),
            Expectation::ArrayEquals(_) => "Array".into(),
            Expectation::InstanceOf(class) => capital(&of_type(&class_or_array(class))),
            Expectation::InFolder(_) => "PathInFolder".into(),
        };
        return format!("returns{value}");
    }
    case.assertions.iter().find_map(observed).unwrap_or_else(|| "succeeds".into())
}

/// What kind of value it is, and of how many parts.
fn value_word(expected: &ExpectedValue) -> String {
    let sized = |kind: &str, size: usize| match size {
        0 => format!("Empty{kind}"),
        size => format!("{kind}Of{size}"),
    };
    match expected {
        ExpectedValue::Literal(literal) => returned_word(literal),
        ExpectedValue::Call { method, args } => match args.as_slice() {
            [ExpectedValue::Literal(literal)] => returned_word(literal),
            [] => "Empty".into(),
            _ => capital(&of_type(&class_or_array(&method.class))),
        },
        ExpectedValue::Array { elements, .. } if elements.is_empty() => "EmptyArray".into(),
        ExpectedValue::Array { .. } => "Array".into(),
        ExpectedValue::List(elements) => sized("List", elements.len()),
        ExpectedValue::Set(elements) => sized("Set", elements.len()),
        ExpectedValue::Map(entries) => sized("Map", entries.len()),
    }
}

fn returned_word(literal: &Literal) -> String {
    match (of_literal(literal), literal) {
        (Some(word), _) => capital(&word),
        (None, Literal::String(_)) => "Text".into(),
        (None, _) => "Value".into(),
    }
}

/// `hasSize1`, `isEmpty`, `isNotEmpty`: what an observer shows.
fn observed(assertion: &cupping_case::Assertion) -> Option<String> {
    let method = match &assertion.probe {
        Probe::Observer { method, .. } | Probe::StaticObserver(method) => method,
        Probe::Printed => return Some("prints".into()),
        Probe::Var(_) | Probe::Elements(_) | Probe::Cause | Probe::State { .. } => return None,
        Probe::File { aspect, .. } => return super::folder::word(*aspect, &assertion.expectation),
    };
    let name = identifier_part(&method.name);
    let value = match &assertion.expectation {
        Expectation::Equals(Literal::Boolean(yes)) if name.len() > 2 && name.starts_with("is") => {
            return Some(if *yes { name } else { format!("isNot{}", &name[2..]) });
        }
        Expectation::Equals(literal) => returned_word(literal),
        Expectation::EqualsValue(_)
        | Expectation::ArrayEquals(_)
        | Expectation::Differs(_)
        | Expectation::DiffersFrom(_)
        | Expectation::OneOf(_)
        | Expectation::NotNull
        | Expectation::Same(_)
        | Expectation::InstanceOf(_)
        | Expectation::InFolder(_) => String::new(),
    };
    // `getSize` and `toArray` are words before a capital; `total` is not.
    let without = |prefix: &str| {
        name.strip_prefix(prefix).filter(|rest| rest.chars().next().is_some_and(char::is_uppercase))
    };
    let property = without("get").or_else(|| without("to")).unwrap_or(&name);
    Some(format!("has{}{value}", capital(property)))
}

fn is_receiver(case: &Case, var: VarId) -> bool {
    matches!(case.steps.last().map(|step| &step.action),
        Some(Action::Invoke { receiver: Operand::Var(receiver), .. }) if *receiver == var)
}

fn count(names: &[String]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name.clone()).or_insert(0) += 1;
    }
    counts
}

/// The last resort: a number to all but the first of the same name.
pub(super) fn number(names: Vec<String>) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let all: BTreeSet<String> = names.iter().cloned().collect();
    let mut out = Vec::new();
    for name in names {
        let mut unique = name.clone();
        let mut number = 2;
        while taken.contains(&unique) || (unique != name && all.contains(&unique)) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        taken.insert(unique.clone());
        out.push(unique);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::slugs::is_identifier;
    use super::*;
    use cupping_case::{Assertion, JavaType, MethodRef, Step, Variable};
    use proptest::prelude::*;

    fn case(name: &str, argument: Literal, result: Literal, distinction: &str) -> Case {
        let method = MethodRef {
            class: "a/A".into(),
            name: name.into(),
            descriptor: "(Ljava/lang/String;)I".into(),
            varargs: false,
            throws: vec![],
            parameter_names: vec![],
        };
        Case {
            under_test: method.clone(),
            variables: vec![Variable { ty: JavaType::Int }],
            steps: vec![Step {
                action: Action::InvokeStatic { method, args: vec![Operand::Literal(argument)] },
                result: Some(VarId(0)),
            }],
            outcome: Outcome::Returned,
            assertions: vec![Assertion {
                probe: Probe::Var(VarId(0)),
                expectation: Expectation::Equals(result),
            }],
            distinction: distinction.into(),
            path: vec![],
            name: None,
            restores: Vec::new(),
            cause: None,
            effects: Default::default(),
            purpose: Vec::new(),
            caught: Vec::new(),
        }
    }

    #[test]
    fn distinctions_come_before_numbers() {
        let text = |text: &str| Literal::String(text.encode_utf16().collect());
        let cases = [
            case("find", text("a b"), Literal::Int(1), "limit < 0"),
            case("find", text("c d"), Literal::Int(1), "limit == 0"),
            case("find", text("e f"), Literal::Int(1), "limit == 0"),
        ];
        assert_eq!(
            names(&cases.iter().collect::<Vec<_>>()),
            [
                "find_withString_text_limitBelowZero_returns1",
                "find_withString_text_limitIsZero_returns1",
                "find_withString_text_limitIsZero_returns1_2",
            ]
        );
    }

    fn literal() -> impl Strategy<Value = Literal> {
        prop_oneof![
            any::<i32>().prop_map(Literal::Int),
            any::<f64>().prop_map(Literal::Double),
            any::<u16>().prop_map(Literal::Char),
            prop::collection::vec(any::<u16>(), 0..5).prop_map(Literal::String),
            "[\\PC]{0,6}".prop_map(|field| Literal::Constant { class: "a/B".into(), field: field.into() }),
        ]
    }

    proptest! {
        #[test]
        fn names_are_different_identifiers(
            parts in prop::collection::vec(("[\\PC]{0,8}|m|n", literal(), literal(), "[\\PC]{0,20}"), 0..12),
        ) {
            let cases: Vec<Case> = parts.iter().map(|(name, arg, result, why)| case(name, arg.clone(), result.clone(), why)).collect();
            let names = names(&cases.iter().collect::<Vec<_>>());
            prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), cases.len());
            for name in names {
                prop_assert!(is_identifier(&name), "{}", name);
            }
        }
    }
}
