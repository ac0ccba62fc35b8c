//! Figures of a class as the oracle prints them.

use cupping_classfile::ClassFile;
use cupping_coverage::{ClassCoverage, Counter, Counters, CoverageMap};
use std::fmt::Write;

/// The figures of a class with these hits.
pub fn figures(file: &ClassFile, hits: &[u64]) -> String {
    let mut map = CoverageMap::new();
    let class = map.track(file).unwrap();
    render(&map.coverage(class, hits).unwrap())
}

/// The figures as text; nothing for a class without code that counts.
pub fn render(class: &ClassCoverage) -> String {
    let mut text = String::new();
    for method in &class.methods {
        let _ = writeln!(text, "method {}{}{}", method.name, method.descriptor, counters(&method.counters));
    }
    for (line, figures) in &class.lines {
        let _ = writeln!(text, "line {line}{}{}", counter(figures.instructions), counter(figures.branches));
    }
    if !class.methods.is_empty() {
        let _ = writeln!(text, "all{}", counters(&class.counters));
    }
    text
}

fn counters(counters: &Counters) -> String {
    let Counters { instructions, branches, lines, complexity, methods } = *counters;
    [instructions, branches, lines, complexity, methods].map(counter).concat()
}

fn counter(counter: Counter) -> String {
    format!(" {}/{}", counter.missed, counter.covered)
}

/// The first line in which the texts differ.
pub fn first_difference(class: &str, jacoco: &str, ours: &str) -> Option<String> {
    if jacoco == ours {
        return None;
    }
    let mut ours = ours.lines();
    for expected in jacoco.lines() {
        let found = ours.next().unwrap_or("nothing");
        if found != expected {
            return Some(format!("{class}: JaCoCo has `{expected}`, we have `{found}`"));
        }
    }
    Some(format!("{class}: we have more: `{}`", ours.next().unwrap_or("")))
}
