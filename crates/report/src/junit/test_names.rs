//! Names of tests: the method, earlier calls, the arguments, the outcome.
//!
//! A name starts from the parts that always help; another part is added only if names would be equal.

use super::distinctions::distinctions;
use super::expressions::signature;
use super::outcomes::outcome;
use super::slugs::{camel_case, capital, decapitalised, identifier_part, of_literal, of_type};
use super::type_names::ClassName;
use super::variables::invoked;
use cupping_case::{Action, Case, Literal, Operand, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum length of a name up to which arguments are added without need.
const COMFORTABLE: usize = 60;
/// Maximum length of a name with parts that do not distinguish it from others.
const LONGEST: usize = 80;

/// One name per case, all different; names of an earlier run stay. `class` is the class under test.
pub fn names(cases: &[&Case], class: &str) -> Vec<String> {
    let parts = |case: &Case| Parts::of(case, class);
    let first = |case: &&Case| case.name.as_deref().map_or_else(|| parts(case).name(&[]), str::to_owned);
    let mut names: Vec<String> = cases.iter().map(first).collect();
    let mut details: Vec<Vec<Detail>> = vec![Vec::new(); cases.len()];
    for detail in [Detail::Types, Detail::AllArguments, Detail::Setup, Detail::Distinction] {
        for group in alike(&names) {
            let longer = |at: usize| match cases[at].name {
                Some(_) => names[at].clone(),
                None => parts(cases[at]).name(&[&details[at][..], &[detail]].concat()),
            };
            let longer: Vec<String> = group.iter().map(|at| longer(*at)).collect();
            // A part that distinguishes none of them is omitted.
            if longer.iter().collect::<BTreeSet<_>>().len() == 1 {
                continue;
            }
            for (at, name) in group.into_iter().zip(longer).filter(|(at, _)| cases[*at].name.is_none()) {
                names[at] = name;
                details[at].push(detail);
            }
        }
    }
    let extras = extras(cases, &names);
    for (at, extra) in &extras {
        names[*at] = (Parts { extra: extra.clone(), ..parts(cases[*at]) }).name(&details[*at]);
    }
    let mut taken = count(&names);
    for (at, case) in cases.iter().enumerate().filter(|(_, case)| case.name.is_none()) {
        let extra = extras.get(&at).cloned().unwrap_or_default();
        if names[at].len() > LONGEST
            && let Some(shorter) = (Parts { extra, ..parts(case) }).shorter(&details[at], &taken)
        {
            *taken.entry(shorter.clone()).or_insert(0) += 1;
            names[at] = shorter;
        }
    }
    // The first test keeps the name.
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|at| cases[*at].name.is_none());
    let numbered = number(order.iter().map(|at| std::mem::take(&mut names[*at])).collect());
    for (at, name) in order.into_iter().zip(numbered) {
        names[at] = name;
    }
    names
}

/// The indices of names that occur several times.
fn alike(names: &[String]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        groups.entry(name).or_default().push(at);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Distinguishing parts of tests that still have equal names, by the index of the case.
fn extras(cases: &[&Case], names: &[String]) -> BTreeMap<usize, String> {
    let mut extras = BTreeMap::new();
    for group in alike(names) {
        let alike: Vec<&Case> = group.iter().map(|at| cases[*at]).collect();
        let told = group.iter().copied().zip(distinctions(&alike));
        extras.extend(told.filter(|(at, _)| cases[*at].name.is_none()));
    }
    extras
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// The types of the parameters, for overloads.
    Types,
    /// All arguments, not only short ones.
    AllArguments,
    /// The creation of the receiver.
    Setup,
    /// The producer's word for it.
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
    /// The part that distinguishes it from tests of the same name.
    extra: String,
    outcome: String,
}

impl Parts {
    fn of(case: &Case, class: &str) -> Parts {
        let method = &case.under_test;
        let (parameters, _) = signature(method);
        let types: Vec<String> = parameters.iter().map(|ty| capital(&of_type(ty))).collect();
        let last_args =
            case.steps.last().and_then(|step| invoked(&step.action)).map_or(&[][..], |(_, args)| args);
        Parts {
            method: format!("{}{}", maker(case, class), method_word(&method.name)),
            types: if types.is_empty() { String::new() } else { format!("with{}", types.concat()) },
            after: after(case),
            arguments: arguments(case, last_args),
            long_arguments: long_arguments(case, last_args),
            setup: setup(case),
            distinction: camel_case(&case.distinction).chars().take(60).collect(),
            extra: String::new(),
            outcome: outcome(case),
        }
    }

    fn name(&self, details: &[Detail]) -> String {
        self.join(&self.optional(details))
    }

    /// The parts that a name with these details can omit: types, arguments, set-up, distinction and extra.
    fn optional(&self, details: &[Detail]) -> [&str; 5] {
        let arguments = match &self.arguments {
            _ if details.contains(&Detail::AllArguments) => &*self.long_arguments,
            Some(short)
                if self.method.len() + self.after.len() + self.outcome.len() + short.len() < COMFORTABLE =>
            {
                short.as_str()
            }
            _ => "",
        };
        let types = if details.contains(&Detail::Types) { &*self.types } else { "" };
        let setup = if details.contains(&Detail::Setup) { &*self.setup } else { "" };
        let distinction = if details.contains(&Detail::Distinction) { &*self.distinction } else { "" };
        [types, arguments, setup, distinction, &*self.extra]
    }

    fn join(&self, [types, arguments, setup, distinction, extra]: &[&str; 5]) -> String {
        // `afterBuy10000` says `afterBuy` too.
        let after = if extra.starts_with(&*self.after) { "" } else { &*self.after };
        [&*self.method, types, arguments, setup, after, distinction, extra, &*self.outcome]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("_")
    }

    /// A shorter unique name: the most informative one that is not too long, or else the shortest.
    fn shorter(&self, details: &[Detail], taken: &BTreeMap<String, usize>) -> Option<String> {
        let all = self.optional(details);
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

/// `iterator_` in the name of a test of `next`: the method of the class under test that returned the object.
fn maker(case: &Case, class: &str) -> String {
    let Some(Action::Invoke { receiver: Operand::Var(var), method, .. }) =
        case.steps.last().map(|step| &step.action)
    else {
        return String::new();
    };
    let maker = case.steps.iter().find(|step| step.result == Some(*var)).map(|step| &step.action);
    match maker {
        Some(Action::Invoke { method: maker, .. } | Action::InvokeStatic { method: maker, .. })
            if *method.class != *class && *maker.class == *class =>
        {
            format!("{}_", method_word(&maker.name))
        }
        _ => String::new(),
    }
}

pub(super) fn method_word(name: &str) -> String {
    match name {
        "<init>" => "constructor".into(),
        name => match identifier_part(name) {
            word if word.is_empty() || word.starts_with(char::is_numeric) => {
                format!("method{word}")
            }
            word => word,
        },
    }
}

/// `afterAddQtrTwice`: earlier calls on the receiver, or on the class.
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

/// What a name can always say about an operand: its type.
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

fn count(names: &[String]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name.clone()).or_insert(0) += 1;
    }
    counts
}

/// The last resort: numbers all but the first of each name.
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
    use cupping_case::{Assertion, Expectation, JavaType, MethodRef, Outcome, Probe, Step, Variable};
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
            empties: Vec::new(),
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
            names(&cases.iter().collect::<Vec<_>>(), "a/Test"),
            ["find_limitBelowZero_returns1", "find_limitIsZero_cD_returns1", "find_limitIsZero_eF_returns1",]
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
            let names = names(&cases.iter().collect::<Vec<_>>(), "a/Test");
            prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), cases.len());
            for name in names {
                prop_assert!(is_identifier(&name), "{}", name);
            }
        }
    }
}
