//! The list of allowed circles: one a line, `CRATE: FILE FILE …  # REASON`.

use crate::graph::Circle;
use std::collections::BTreeSet;

/// Circles that are allowed, as crate and files.
pub(crate) struct Allowed(BTreeSet<(String, BTreeSet<String>)>);

impl Allowed {
    /// Reads the list. Empty lines and lines that begin with `#` say nothing.
    pub(crate) fn parse(text: &str) -> Result<Allowed, String> {
        let mut circles = BTreeSet::new();
        for line in text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('#')) {
            let Some((entry, _)) = line.split_once(" # ") else {
                return Err(format!("an entry ends with ` # ` and its reason: {line}"));
            };
            let Some((name, files)) = entry.split_once(':') else {
                return Err(format!("an entry begins with its crate and a colon: {line}"));
            };
            circles.insert((name.to_owned(), files.split_whitespace().map(str::to_owned).collect()));
        }
        Ok(Allowed(circles))
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
