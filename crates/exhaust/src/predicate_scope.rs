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
                Some((least, most)) => (number(least)?, number(most)?),
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
