//! The scope of a Java predicate: `Node=7,key=0..6,size=3`.

use crate::error::{Error, other};
use std::collections::{BTreeMap, BTreeSet};

/// The numbers of objects, and the values of primitive fields.
#[derive(Clone, Debug)]
pub struct PredicateScope {
    ranges: BTreeMap<String, (i64, i64)>,
    /// Names that were given a single number.
    single: BTreeSet<String>,
}

/// Default number of objects of a class.
const OBJECTS: (i64, i64) = (0, 3);
/// Default range of integers.
const INTEGERS: (i64, i64) = (0, 2);

impl PredicateScope {
    /// Parses a scope: names of classes, fields (`key`, `Node.key`), parameters, or `int`, each with a number
    /// or range.
    pub fn read(text: &str) -> Result<PredicateScope, Error> {
        let mut ranges = BTreeMap::new();
        let mut single = BTreeSet::new();
        for item in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let wrong = || other(format!("--scope {item}: write it as NAME=N or NAME=A..B"));
            let (name, range) = item.split_once('=').ok_or_else(wrong)?;
            let number = |it: &str| it.trim().parse::<i64>().map_err(|_| wrong());
            let range = match range.split_once("..") {
                Some((least, most)) => {
                    single.remove(name.trim());
                    (number(least)?, number(most)?)
                }
                None => {
                    single.insert(name.trim().to_owned());
                    (number(range)?, number(range)?)
                }
            };
            if range.0 > range.1 || range.1 - range.0 > 100_000 {
                return Err(other(format!("--scope {item}: the range is empty or too large")));
            }
            ranges.insert(name.trim().to_owned(), range);
        }
        Ok(PredicateScope { ranges, single })
    }

    /// The names that have a bound.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.ranges.keys().map(String::as_str)
    }

    /// The least and greatest number of objects of a class, by its simple name: `Node=7` allows up to seven,
    /// `Node=7..7` exactly seven.
    pub fn objects(&self, class: &str) -> (usize, usize) {
        let (least, most) = match self.ranges.get(class) {
            Some((_, most)) if self.single.contains(class) => (0, *most),
            Some(range) => *range,
            None => OBJECTS,
        };
        (least.max(0) as usize, most.max(0) as usize)
    }

    /// The range of an integer field, a parameter, or an array length.
    pub fn integers(&self, class: &str, name: &str) -> (i64, i64) {
        let found = self.ranges.get(&format!("{class}.{name}")).or_else(|| self.ranges.get(name));
        found.or_else(|| self.ranges.get("int")).copied().unwrap_or(INTEGERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(text: &str) -> PredicateScope {
        PredicateScope::read(text).unwrap()
    }

    #[test]
    fn a_number_of_objects_is_the_most_and_a_range_is_exact() {
        assert_eq!(scope("Node=7").objects("Node"), (0, 7));
        assert_eq!(scope("Node=7..7").objects("Node"), (7, 7));
        assert_eq!(scope("Node=-3..2").objects("Node"), (0, 2));
        assert_eq!(scope("").objects("Node"), (0, 3));
        // The last one counts.
        assert_eq!(scope("Node=7,Node=2..4").objects("Node"), (2, 4));
        assert_eq!(scope("Node=2..4,Node=7").objects("Node"), (0, 7));
    }

    #[test]
    fn the_nearest_name_gives_the_range_of_an_integer() {
        let all = scope(" key = 0..6, Node.key=1..2 , int=-1..1,size=3");
        assert_eq!(all.integers("Node", "key"), (1, 2));
        assert_eq!(all.integers("Leaf", "key"), (0, 6));
        assert_eq!(all.integers("Leaf", "size"), (3, 3));
        assert_eq!(all.integers("Leaf", "other"), (-1, 1));
        assert_eq!(scope("key=5").integers("Leaf", "other"), (0, 2));
        assert_eq!(all.names().collect::<Vec<_>>(), ["Node.key", "int", "key", "size"]);
    }

    #[test]
    fn invalid_scopes_are_refused_with_the_wrong_item() {
        for (text, part) in [
            ("Node", "--scope Node: write it as NAME=N or NAME=A..B"),
            ("a=1,b=x", "--scope b=x: write it"),
            ("a=1..", "--scope a=1..: write it"),
            ("a=5..4", "--scope a=5..4: the range is empty"),
            ("a=0..100001", "too large"),
        ] {
            let error = PredicateScope::read(text).unwrap_err().render("", text);
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(PredicateScope::read("a=0..100000").is_ok());
    }
}
