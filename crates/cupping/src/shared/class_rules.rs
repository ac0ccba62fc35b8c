//! Options of some classes, as `[[classes]]` of `cupping.toml` sets them.

use clap::{ArgMatches, FromArgMatches};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// A rule: what `cupping.toml` sets for the classes of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassOptions {
    /// Patterns of names.
    pub patterns: Vec<String>,
    /// Whether wide runs leave the classes out.
    pub skip: bool,
    /// Whether it sets the budget of a class.
    pub has_budget: bool,
    /// The options as text, by which stored results are told apart; empty if it sets none for the command.
    pub shown: String,
}

/// Reads the command line again, with the options of these rules as defaults.
type Reader = dyn Fn(&[usize]) -> ArgMatches + Send + Sync;

/// The rules of a run.
#[derive(Clone, Default)]
pub struct ClassRules {
    rules: Vec<ClassOptions>,
    reader: Option<Arc<Reader>>,
}

/// The arguments that hold for some classes.
#[derive(Debug)]
pub struct ClassArguments<A> {
    /// The arguments.
    pub arguments: A,
    /// Whether the classes have a budget of their own.
    pub has_budget: bool,
}

/// The arguments of the classes for which not those of the command line hold, by internal name.
pub type ArgumentsByClass<A> = BTreeMap<String, Arc<ClassArguments<A>>>;

impl Debug for ClassRules {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.rules.fmt(f)
    }
}

impl ClassRules {
    /// Rules, and what reads the arguments that follow from some of them.
    pub fn new(
        rules: Vec<ClassOptions>,
        reader: impl Fn(&[usize]) -> ArgMatches + Send + Sync + 'static,
    ) -> ClassRules {
        ClassRules { rules, reader: Some(Arc::new(reader)) }
    }

    /// Whether wide runs leave a class out, given by its internal name.
    pub fn skips(&self, class: &str) -> bool {
        self.rules.iter().any(|rule| rule.skip && rule.matches(class))
    }

    /// What the rules set, for the keys of stored results.
    pub fn shown(&self) -> String {
        let set = self.rules.iter().filter(|rule| !rule.shown.is_empty());
        set.map(|rule| format!(" [{}: {}]", rule.patterns.join(" "), rule.shown)).collect()
    }

    /// The arguments of those classes, given by internal names, that rules set options of.
    pub fn arguments<'c, A: FromArgMatches>(
        &self,
        classes: impl Iterator<Item = &'c str>,
    ) -> ArgumentsByClass<A> {
        let Some(reader) = &self.reader else { return BTreeMap::new() };
        let mut known: BTreeMap<Vec<usize>, Option<Arc<ClassArguments<A>>>> = BTreeMap::new();
        let mut by_class = BTreeMap::new();
        for class in classes {
            let all = self.rules.iter().enumerate();
            let ours: Vec<usize> = all
                .filter(|(_, rule)| !rule.shown.is_empty() && rule.matches(class))
                .map(|(at, _)| at)
                .collect();
            if ours.is_empty() {
                continue;
            }
            let read = |rules: &Vec<usize>| {
                let arguments = A::from_arg_matches(&reader(rules)).ok()?;
                let has_budget = rules.iter().any(|at| self.rules[*at].has_budget);
                Some(Arc::new(ClassArguments { arguments, has_budget }))
            };
            let found = known.entry(ours).or_insert_with_key(read);
            by_class.extend(found.clone().map(|it| (class.to_owned(), it)));
        }
        by_class
    }
}

impl ClassOptions {
    /// Whether it is about a class, given by its internal name, or about one around it.
    fn matches(&self, class: &str) -> bool {
        let dotted = class.replace('/', ".");
        let around = dotted.match_indices('$').map(|(at, _)| &dotted[..at]);
        let names: Vec<&str> = around.chain([dotted.as_str()]).collect();
        self.patterns.iter().any(|pattern| names.iter().any(|name| is_match(pattern, name)))
    }
}

/// Whether a pattern matches a name with dots: `*` stands for any characters but dots, `**` for any.
fn is_match(pattern: &str, name: &str) -> bool {
    let Some(star) = pattern.find('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(&pattern[..star]) else { return false };
    let (is_deep, behind) = match pattern[star..].strip_prefix("**") {
        Some(behind) => (true, behind),
        None => (false, &pattern[star + 1..]),
    };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    let mut within = ends.take_while(|at| is_deep || !rest[..*at].contains('.'));
    within.any(|at| is_match(behind, &rest[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_within_a_name_and_beyond() {
        for (pattern, name, matches) in [
            ("a.b.C", "a.b.C", true),
            ("a.b.C", "a.b.CD", false),
            ("a.b.*", "a.b.C", true),
            ("a.b.*", "a.b.c.D", false),
            ("a.b.**", "a.b.c.D", true),
            ("a.**.*Dto", "a.b.c.OrderDto", true),
            ("a.**.*Dto", "a.b.c.DtoMapper", false),
            ("**Mapper", "a.b.DtoMapper", true),
            ("*", "Plain", true),
            ("*", "a.Plain", false),
            ("a.ü*", "a.überprüfen", true),
        ] {
            assert_eq!(is_match(pattern, name), matches, "{pattern} {name}");
        }
    }

    #[test]
    fn a_rule_is_about_nested_classes_too() {
        let rule = ClassOptions { patterns: vec!["a.B".into()], ..ClassOptions::default() };
        assert!(rule.matches("a/B") && rule.matches("a/B$C") && rule.matches("a/B$C$D"));
        assert!(!rule.matches("a/BC") && !rule.matches("a/b/B"));
    }
}
