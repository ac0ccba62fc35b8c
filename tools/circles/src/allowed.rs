//! The list of allowed circles: entries `CRATE: FILE FILE … # REASON`. An indented line goes on with the entry.

use crate::graph::Circle;
use std::collections::BTreeSet;

/// Circles that are allowed, as crate and files.
pub(crate) struct AllowList(BTreeSet<(String, BTreeSet<String>)>);

impl AllowList {
    /// Reads the list. Empty lines and lines that begin with `#` say nothing.
    pub(crate) fn parse(text: &str) -> Result<AllowList, String> {
        let mut circles = BTreeSet::new();
        let lines = text.lines().filter(|it| !it.trim().is_empty() && !it.starts_with('#'));
        let mut entries: Vec<String> = Vec::new();
        for line in lines {
            match entries.last_mut() {
                Some(entry) if line.starts_with(' ') => *entry += &format!(" {}", line.trim()),
                _ => entries.push(line.trim().to_owned()),
            }
        }
        for line in entries {
            let Some((entry, _)) = line.split_once(" # ") else {
                return Err(format!("an entry ends with ` # ` and its reason: {line}"));
            };
            let Some((name, files)) = entry.split_once(':') else {
                return Err(format!("an entry begins with its crate and a colon: {line}"));
            };
            circles.insert((name.to_owned(), files.split_whitespace().map(str::to_owned).collect()));
        }
        Ok(AllowList(circles))
    }

    /// Whether exactly these files may form a circle.
    pub(crate) fn has(&self, circle: &Circle) -> bool {
        self.0.contains(&(circle.package.clone(), circle.files.clone()))
    }

    /// Entries without a circle.
    pub(crate) fn missing<'a>(&'a self, found: &'a [Circle]) -> impl Iterator<Item = String> + 'a {
        let is_found = |name: &String, files: &BTreeSet<String>| {
            found.iter().any(|it| it.package == *name && it.files == *files)
        };
        self.0.iter().filter(move |(name, files)| !is_found(name, files)).map(|(name, files)| {
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            format!("{name}: {}", files.join(" "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_may_go_on_in_the_next_line() {
        let allowed = AllowList::parse("# a comment\nterm: a.rs\n    b.rs # because\n").expect("a list");
        let missing: Vec<String> = allowed.missing(&[]).collect();
        assert_eq!(missing, ["term: a.rs b.rs"]);
    }

    #[test]
    fn an_entry_needs_a_reason() {
        assert!(AllowList::parse("term: a.rs b.rs\n").is_err());
    }
}
