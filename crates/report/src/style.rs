//! How emitted tests are laid out and which forms of Java they use: what teams settle in a style guide.

use crate::files::name_pattern::check_affixes;
use std::fmt;
use std::str::FromStr;

/// The place of the name in a pattern.
const NAME: &str = "{name}";
/// The same with a capital.
const CAPITAL_NAME: &str = "{Name}";

/// A style of test classes. The default is what Cupping writes without options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestStyle {
    /// What a level of indentation is.
    pub indent: Indent,
    /// Columns of a line, if longer lines are broken. A tab counts as four.
    pub width: Option<usize>,
    /// Whether static imports come after all others.
    pub static_imports_last: bool,
    /// How local variables are declared.
    pub locals: Locals,
    /// Whose assertions are called.
    pub assertions: AssertionLibrary,
    /// A comment at the top of each file, without a line end behind it.
    pub header: Option<String>,
    /// Names of tests.
    pub test_names: TestNamePattern,
}

/// A level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indent {
    /// So many spaces.
    Spaces(usize),
    /// A tab.
    Tab,
}

impl Default for Indent {
    fn default() -> Indent {
        Indent::Spaces(4)
    }
}

impl Indent {
    /// The text of some levels.
    pub fn levels(self, levels: usize) -> String {
        match self {
            Indent::Spaces(count) => " ".repeat(count * levels),
            Indent::Tab => "\t".repeat(levels),
        }
    }
}

/// How local variables are declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Locals {
    /// `final`.
    pub is_final: bool,
    /// `var` where the type stands to the right: for new objects and arrays, and casts. Needs Java 10.
    pub is_var: bool,
}

/// Whose assertions tests call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AssertionLibrary {
    /// Those of the test framework.
    #[default]
    Framework,
    /// AssertJ's, where it has one for the purpose.
    AssertJ,
}

/// A pattern for names of tests, such as `test{Name}`: `{name}` stands for the name, `{Name}` for the name with a
/// capital.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestNamePattern {
    before: String,
    after: String,
    is_capital: bool,
}

impl TestNamePattern {
    /// The name of a test. A name that has the form already stays.
    pub fn apply(&self, name: &str) -> String {
        let inner = name.strip_prefix(&*self.before).and_then(|it| it.strip_suffix(&*self.after));
        let has_form = |inner: &str| !self.is_capital || !inner.starts_with(char::is_lowercase);
        if inner.is_some_and(|inner| !inner.is_empty() && has_form(inner)) {
            return name.to_owned();
        }
        let mut letters = name.chars();
        let name = match letters.next() {
            Some(first) if self.is_capital => first.to_uppercase().chain(letters).collect(),
            _ => name.to_owned(),
        };
        format!("{}{name}{}", self.before, self.after)
    }
}

impl FromStr for TestNamePattern {
    type Err = String;

    fn from_str(text: &str) -> Result<TestNamePattern, String> {
        let wrong =
            |why: &str| Err(format!("'{text}': {why}; write it as {{name}}, test{{Name}} or {{name}}_works"));
        let (before, after, is_capital) = match (text.split_once(NAME), text.split_once(CAPITAL_NAME)) {
            (Some((before, after)), None) => (before, after, false),
            (None, Some((before, after))) => (before, after, true),
            (Some(_), Some(_)) => return wrong("the name appears twice"),
            (None, None) => return wrong("{name}, which stands for the name of the test, is missing"),
        };
        if let Err(why) = check_affixes(before, after) {
            return wrong(why);
        }
        Ok(TestNamePattern { before: before.into(), after: after.into(), is_capital })
    }
}

impl fmt::Display for TestNamePattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.is_capital { CAPITAL_NAME } else { NAME };
        write!(out, "{}{name}{}", self.before, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_the_form_once() {
        for (pattern, name, expected) in [
            ("{name}", "add_5_returns5", "add_5_returns5"),
            ("test{Name}", "add_5_returns5", "testAdd_5_returns5"),
            ("test{Name}", "testAdd", "testAdd"),
            ("test{Name}", "tester", "testTester"),
            ("test{Name}", "testament", "testTestament"),
            ("{name}_works", "add", "add_works"),
            ("{name}_works", "add_works", "add_works"),
            ("test{Name}", "überprüfen", "testÜberprüfen"),
        ] {
            let pattern: TestNamePattern = pattern.parse().unwrap();
            assert_eq!(pattern.apply(name), expected, "{pattern} {name}");
            assert_eq!(pattern.apply(expected), expected, "{pattern} {expected}");
        }
    }

    #[test]
    fn patterns_that_make_no_name_are_refused() {
        for (pattern, why) in [
            ("test", "{name}, which stands for the name of the test, is missing"),
            ("{name}{Name}", "the name appears twice"),
            ("{name}{name}", "a name is made of letters"),
            ("a-{name}", "a name is made of letters"),
            ("1{name}", "does not begin with a digit"),
        ] {
            let error = pattern.parse::<TestNamePattern>().unwrap_err();
            assert!(error.contains(why), "{pattern}: {error}");
        }
    }
}
