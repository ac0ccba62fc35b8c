//! The code of a class as rows: lines of its source or, if that is missing, its instructions; each with its
//! coverage.

use super::names::signature;
use cupping_case::{CodeInstruction, CoverageBits, Explanation, MethodCode, OutgoingEdge};
use cupping_view::code::{self, Mark};
use cupping_view::{escape, highlight};
use std::collections::{BTreeMap, BTreeSet};

/// A row of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingRow {
    /// Its number: the line in the source, or its position in the listing from 1.
    pub number: u32,
    /// The text in the gutter: the line, the offset of an instruction, or nothing.
    pub label: String,
    /// The text as HTML.
    pub html: String,
    /// Its coverage.
    pub state: CoverageState,
    /// Instructions, covered and all.
    pub instructions: (u32, u32),
    /// Branches, covered and all.
    pub branches: (u32, u32),
}

/// The coverage of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageState {
    /// Nothing to cover.
    Plain,
    /// All of it is covered.
    Full,
    /// Some of its branches or instructions are not.
    Partial,
    /// None of it is covered.
    Missed,
}

/// A run of rows; a long one without code, such as a comment, can be folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its rows.
    pub rows: Vec<ListingRow>,
    /// Whether it is shown folded.
    pub folded: bool,
}

/// The listing of a class.
#[derive(Debug, Default)]
pub struct Listing {
    /// All rows.
    pub sections: Vec<Section>,
    /// Whether the rows are source.
    pub is_source: bool,
    /// Row of an instruction's outgoing edge, by the edge's number; instructions without a separate edge have none.
    row_of_way: BTreeMap<u32, u32>,
    /// Source line of an edge, and the offset of its instruction in its method: the coverage of tests is reported by
    /// these.
    place_of_way: BTreeMap<u32, (Option<u32>, usize, u32)>,
    /// Row by source line, if a listing of instructions has the line.
    row_of_line: BTreeMap<u32, u32>,
    /// Edges that are branches: number, row and target.
    pub branches: Vec<Branch>,
}

/// A branch of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Number of the way.
    pub way: u32,
    /// Its row.
    pub row: u32,
    /// Its target: `line 12`, `offset 7`.
    pub target: String,
}

/// Number of rows without code from which on a run of them is folded.
const FOLD: usize = 12;

impl Listing {
    /// Lists a class. `source` is used unless it is shorter than the class file implies.
    pub fn new(
        class: &str,
        explanation: &Explanation,
        source: Option<&str>,
        is_covered: &dyn Fn(u32) -> bool,
    ) -> Listing {
        let lines: Option<Vec<&str>> = source.map(|text| text.lines().collect());
        let instructions = || explanation.methods.iter().flat_map(|method| &method.instructions);
        let last = instructions().filter_map(|it| it.line).max();
        let mut listing = match (lines, last) {
            (Some(lines), Some(last)) if last as usize <= lines.len() => {
                Listing::source(explanation, &lines, is_covered)
            }
            _ => Listing::bytecode(class, explanation, is_covered),
        };
        for (number, method) in explanation.methods.iter().enumerate() {
            for instruction in &method.instructions {
                let place = (instruction.line, number, instruction.offset);
                listing.place_of_way.extend(instruction.ways.iter().map(|way| (way.number, place)));
            }
        }
        listing
    }

    fn source(explanation: &Explanation, lines: &[&str], is_covered: &dyn Fn(u32) -> bool) -> Listing {
        let mut listing = Listing { is_source: true, ..Listing::default() };
        let mut rows: Vec<ListingRow> = highlight(lines.iter().copied())
            .into_iter()
            .zip(1..)
            .map(|(html, number)| ListingRow::new(number, number.to_string(), html))
            .collect();
        for method in &explanation.methods {
            for instruction in &method.instructions {
                let place = |line: u32| Some((line, (line as usize).checked_sub(1)?));
                let Some((line, at)) = instruction.line.and_then(place) else { continue };
                let Some(row) = rows.get_mut(at) else { continue };
                row.count(instruction.ways.iter().map(|way| is_covered(way.number)));
                listing.row_of_line.insert(line, line);
                listing.ways(method, instruction, line);
            }
        }
        listing.sections = fold(rows);
        listing
    }

    fn bytecode(class: &str, explanation: &Explanation, is_covered: &dyn Fn(u32) -> bool) -> Listing {
        let mut listing = Listing::default();
        let mut rows: Vec<ListingRow> = Vec::new();
        for method in &explanation.methods {
            let mut number = rows.len() as u32 + 1;
            let title = escape(&signature(class, &method.name, &method.descriptor));
            rows.push(ListingRow::new(number, String::new(), format!("<span class=\"k\">{title}</span>")));
            let mut line = None;
            for instruction in &method.instructions {
                if instruction.line != line {
                    line = instruction.line;
                    number += 1;
                    let text = line.map(|line| format!("  <span class=\"c\">line {line}</span>"));
                    if let Some(line) = line {
                        listing.row_of_line.entry(line).or_insert(number);
                    }
                    rows.push(ListingRow::new(number, String::new(), text.unwrap_or_default()));
                }
                number += 1;
                let mut row =
                    ListingRow::new(number, instruction.offset.to_string(), bytecode(&instruction.text));
                row.count(instruction.ways.iter().map(|way| is_covered(way.number)));
                rows.push(row);
                listing.ways(method, instruction, number);
            }
        }
        listing.sections = vec![Section { rows, folded: false }];
        listing
    }

    fn ways(&mut self, method: &MethodCode, instruction: &CodeInstruction, row: u32) {
        for way in &instruction.ways {
            self.row_of_way.insert(way.number, row);
            if instruction.ways.len() > 1 {
                let target = self.target(method, way);
                self.branches.push(Branch { way: way.number, row, target });
            }
        }
    }

    /// The target of a branch, as far as known.
    fn target(&self, method: &MethodCode, way: &OutgoingEdge) -> String {
        let Some(target) = way.target else { return String::new() };
        let at = method.instructions.binary_search_by_key(&target, |it| it.offset);
        let line = at.ok().and_then(|at| method.instructions[at].line);
        match line.filter(|_| self.is_source) {
            Some(line) => format!("line {line}"),
            None => format!("offset {target}"),
        }
    }

    /// The rows of which a case covers anything.
    pub fn rows_of(&self, covered: &CoverageBits) -> Vec<u32> {
        let mut rows: Vec<u32> =
            self.row_of_way.iter().filter(|(way, _)| covered.contains(**way)).map(|(_, row)| *row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// How much of the class a case covers: lines of the source or, if the class file has none, instructions.
    pub fn reach(&self, covered: &CoverageBits) -> String {
        let places =
            || self.place_of_way.iter().filter(|(way, _)| covered.contains(**way)).map(|(_, place)| *place);
        let lines: BTreeSet<u32> = places().filter_map(|(line, _, _)| line).collect();
        if places().all(|(line, _, _)| line.is_some()) {
            return counted(lines.len(), "line");
        }
        let instructions: BTreeSet<(usize, u32)> =
            places().map(|(_, method, offset)| (method, offset)).collect();
        counted(instructions.len(), "instruction")
    }

    /// The row of a source line, or the one before the line's first instruction.
    pub fn row_of_line(&self, line: u32) -> Option<u32> {
        self.row_of_line.get(&line).copied()
    }
}

/// A number with a noun: `1 line`, `2 lines`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl ListingRow {
    fn new(number: u32, label: String, html: String) -> ListingRow {
        ListingRow {
            number,
            label,
            html,
            state: CoverageState::Plain,
            instructions: (0, 0),
            branches: (0, 0),
        }
    }

    /// Counts an instruction with these ways out.
    fn count(&mut self, ways: impl ExactSizeIterator<Item = bool>) {
        let all = ways.len() as u32;
        if all == 0 {
            return;
        }
        let covered = ways.filter(|covered| *covered).count() as u32;
        self.instructions = (self.instructions.0 + u32::from(covered > 0), self.instructions.1 + 1);
        if all > 1 {
            self.branches = (self.branches.0 + covered, self.branches.1 + all);
        }
        self.state = if self.instructions.0 == 0 {
            CoverageState::Missed
        } else if self.instructions.0 < self.instructions.1 || self.branches.0 < self.branches.1 {
            CoverageState::Partial
        } else {
            CoverageState::Full
        };
    }

    /// The row as the page shows it.
    pub fn shown(&self) -> code::CodeRow {
        let mark = match self.state {
            CoverageState::Plain => Mark::Plain,
            CoverageState::Full => Mark::Full,
            CoverageState::Partial => Mark::Part,
            CoverageState::Missed => Mark::Miss,
        };
        let row = code::CodeRow::new(self.number, self.label.as_str(), self.html.as_str());
        code::CodeRow { mark, words: self.words(), note: self.branch_count(), ..row }
    }

    /// Its coverage in words, for readers who do not see the colour.
    fn words(&self) -> String {
        let state = match self.state {
            CoverageState::Plain => return String::new(),
            CoverageState::Full => "covered",
            CoverageState::Partial => "partly covered",
            CoverageState::Missed => "not covered",
        };
        match self.branches {
            (_, 0) => state.into(),
            (covered, all) => format!("{state}, {covered} of {all} branches"),
        }
    }

    /// Branches, covered and all, where there are any.
    fn branch_count(&self) -> String {
        match self.branches {
            (_, 0) => String::new(),
            (covered, all) => format!("{covered}/{all}"),
        }
    }
}

/// An instruction with its mnemonic and its comment marked.
fn bytecode(text: &str) -> String {
    let (code, comment) = text.split_once(" // ").map_or((text, None), |(code, note)| (code, Some(note)));
    let (mnemonic, operands) = code.split_at(code.find(' ').unwrap_or(code.len()));
    let mut html = format!("    <span class=\"k\">{}</span>{}", escape(mnemonic), escape(operands));
    if let Some(comment) = comment {
        html.push_str(&format!("  <span class=\"c\">// {}</span>", escape(comment)));
    }
    html
}

/// Divides the rows at long runs without code; a few rows of context stay with the code.
fn fold(rows: Vec<ListingRow>) -> Vec<Section> {
    let is_comment = |row: &ListingRow| {
        let text = row.html.trim_start();
        row.state == CoverageState::Plain && (text.is_empty() || text.starts_with("<span class=\"c\">"))
    };
    let mut sections: Vec<Section> = Vec::new();
    for row in rows {
        let comment = is_comment(&row);
        match sections.last_mut() {
            Some(section) if section.folded == comment => section.rows.push(row),
            _ => sections.push(Section { rows: vec![row], folded: comment }),
        }
    }
    let mut joined: Vec<Section> = Vec::new();
    for mut section in sections {
        section.folded &= section.rows.len() >= FOLD;
        match joined.last_mut() {
            Some(last) if !last.folded && !section.folded => last.rows.append(&mut section.rows),
            _ => joined.push(section),
        }
    }
    joined
}
