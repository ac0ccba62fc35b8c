//! Name patterns of test classes.

use std::fmt;
use std::str::FromStr;

const CLASS: &str = "{class}";

/// A template for names of test classes, such as `{class}Test`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    before: String,
    after: String,
}

impl Default for NamePattern {
    fn default() -> NamePattern {
        NamePattern { before: String::new(), after: "Test".into() }
    }
}

impl NamePattern {
    /// The name of the tests of a class, by its simple name and the kind of the tests (`Failing`, or nothing for
    /// regular ones). Each further attempt gives another name: `CTest`, `CCuppingTest`, `CCupping2Test`.
    pub fn name(&self, class: &str, kind: &str, attempt: usize) -> String {
        let ours = match attempt {
            0 => String::new(),
            1 => "Cupping".into(),
            more => format!("Cupping{more}"),
        };
        format!("{}{class}{ours}{kind}{}", self.before, self.after)
    }
}

impl FromStr for NamePattern {
    type Err = String;

    fn from_str(text: &str) -> Result<NamePattern, String> {
        let wrong = |why: &str| Err(format!("'{text}': {why}; write it as {{class}}Test or Test{{class}}"));
        let Some((before, after)) = text.split_once(CLASS) else {
            return wrong("{class}, which stands for the name of the class, is missing");
        };
        if before.is_empty() && after.is_empty() {
            return wrong("the test would have the name of the class");
        }
        if after.contains(CLASS) {
            return wrong("{class} appears twice");
        }
        if let Err(why) = check_affixes(before, after) {
            return wrong(why);
        }
        Ok(NamePattern { before: before.into(), after: after.into() })
    }
}

/// Whether what stands before and behind a name makes it no Java name; the text says why.
pub(crate) fn check_affixes(before: &str, after: &str) -> Result<(), &'static str> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    if !before.chars().chain(after.chars()).all(is_part) {
        return Err("a name is made of letters, digits and _");
    }
    if before.starts_with(char::is_numeric) {
        return Err("a Java name does not begin with a digit");
    }
    Ok(())
}

impl fmt::Display for NamePattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{CLASS}{}", self.before, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_pattern() {
        let all = |pattern: &str| -> Vec<String> {
            let pattern: NamePattern = pattern.parse().unwrap();
            let names = [("", 0), ("", 1), ("", 2), ("Failing", 0), ("Failing", 1)];
            names.iter().map(|(kind, attempt)| pattern.name("Till", kind, *attempt)).collect()
        };
        let usual =
            ["TillTest", "TillCuppingTest", "TillCupping2Test", "TillFailingTest", "TillCuppingFailingTest"];
        assert_eq!(all("{class}Test"), usual);
        assert_eq!(all("{class}Test"), all(&NamePattern::default().to_string()));
        assert_eq!(all("Test{class}")[3..], ["TestTillFailing", "TestTillCuppingFailing"]);
        assert_eq!(all("Gen_{class}_IT")[0], "Gen_Till_IT");
    }

    #[test]
    fn patterns_that_give_no_name_are_refused() {
        for (pattern, part) in [
            ("Test", "is missing"),
            ("{class}", "have the name of the class"),
            ("{class}{class}", "twice"),
            ("{class}/../x", "letters, digits"),
            ("{class}.java", "letters, digits"),
            ("1{class}", "begin with a digit"),
            ("{Class}Test", "is missing"),
            ("", "is missing"),
        ] {
            let error = pattern.parse::<NamePattern>().unwrap_err();
            assert!(error.contains(part), "{pattern}: {error}");
        }
    }
}
