//! Selects lines that fit a screen: the most useful ones of each method first, methods without effects in one line.

use super::sections::{Clause, Section};

/// The number of lines of a screen.
pub const MOST_LINES: usize = 60;
/// The line of methods that change nothing.
pub const NOTHING: &str = "unchanged: this";

/// The sections that fit a screen.
#[derive(Debug, Default)]
pub struct Screen {
    /// The sections to show.
    pub sections: Vec<Section>,
    /// The methods for which only this is shown: they change nothing.
    pub idle: Vec<String>,
    /// The number of lines that are left out.
    pub left_out: usize,
}

/// Selects this many lines: the best line of each section before the second of any.
pub fn screen(sections: Vec<Section>, most: usize) -> Screen {
    let (idle, sections): (Vec<Section>, Vec<Section>) = sections.into_iter().partition(is_idle);
    let idle: Vec<String> = idle.into_iter().filter_map(|it| it.method).collect();
    // Rank within its section and importance, by section, clause and line.
    let mut all: Vec<(usize, u8, usize, usize, usize)> = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        let lines = section.clauses.iter().enumerate();
        let lines = lines.flat_map(|(clause, it)| (0..it.lines.len()).map(move |line| (clause, line)));
        let mut lines: Vec<(usize, usize)> = lines.collect();
        lines.sort_by_key(|(clause, line)| section.clauses[*clause].lines[*line].rank);
        for (place, (clause, line)) in lines.into_iter().enumerate() {
            // The invariants are as much as three methods.
            let turn = if section.method.is_none() { place / 3 } else { place };
            all.push((turn, section.clauses[clause].lines[line].rank, number, clause, line));
        }
    }
    all.sort_unstable();
    let mut shown: Vec<Section> =
        sections.iter().map(|it| Section { method: it.method.clone(), clauses: Vec::new() }).collect();
    let mut chosen: Vec<(usize, usize, usize)> = Vec::new();
    let mut used = usize::from(!idle.is_empty()) * 2;
    for (_, _, number, clause, line) in &all {
        let is_new = !chosen.iter().any(|it| it.0 == *number);
        let is_new_clause = !chosen.iter().any(|it| (it.0, it.1) == (*number, *clause));
        let is_headed = matches!(sections[*number].clauses[*clause].keyword, "requires" | "ensures");
        let cost = 1 + usize::from(is_new) * 2 + usize::from(is_new_clause && is_headed);
        if used + cost <= most {
            used += cost;
            chosen.push((*number, *clause, *line));
        }
    }
    let left_out = all.len() - chosen.len();
    for (number, section) in sections.into_iter().enumerate() {
        for (at, clause) in section.clauses.into_iter().enumerate() {
            let lines = clause.lines.into_iter().enumerate();
            let lines = lines.filter(|it| chosen.contains(&(number, at, it.0))).map(|it| it.1).collect();
            let clause = Clause { lines, ..clause };
            if !clause.lines.is_empty() {
                shown[number].clauses.push(clause);
            }
        }
    }
    shown.retain(|it| !it.clauses.is_empty());
    Screen { sections: shown, idle, left_out }
}

/// Whether the only line about a method is that it changes nothing.
fn is_idle(section: &Section) -> bool {
    let lines: Vec<&str> =
        section.clauses.iter().flat_map(|it| &it.lines).map(|it| it.text.as_str()).collect();
    section.method.is_some() && lines == [NOTHING]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::sections::Line;

    fn section(method: Option<&str>, lines: &[(&str, u8)]) -> Section {
        let line = |(text, rank): &(&str, u8)| Line { text: (*text).to_owned(), evidence: None, rank: *rank };
        let lines = lines.iter().map(line).collect();
        Section { method: method.map(str::to_owned), clauses: vec![Clause { keyword: "ensures", lines }] }
    }

    fn texts(screen: &Screen) -> Vec<&str> {
        let lines = screen.sections.iter().flat_map(|it| &it.clauses).flat_map(|it| &it.lines);
        lines.map(|it| it.text.as_str()).collect()
    }

    #[test]
    fn the_best_line_of_each_comes_before_the_second_of_any() {
        let all = vec![
            section(Some("a()"), &[("much", 3), ("best", 0), ("good", 1)]),
            section(Some("b()"), &[("little", 4)]),
            section(Some("c()"), &[(NOTHING, 2)]),
        ];
        // Two heads with a keyword take three lines each, and the method that changes nothing two.
        let few = screen(all.clone(), 10);
        assert_eq!((texts(&few), few.left_out), (vec!["best", "little"], 2));
        assert_eq!(few.idle, ["c()"]);
        let more = screen(all.clone(), 11);
        assert_eq!((texts(&more), more.left_out), (vec!["best", "good", "little"], 1));
        let whole = screen(all, 100);
        assert_eq!((texts(&whole), whole.left_out), (vec!["much", "best", "good", "little"], 0));
    }
}
