//! Renders the results as text.

use crate::accesses::VariableAccess;
use crate::analysis::{Analysis, PairVerdict, Reason, SequenceSource};
use crate::simplification::{Conjunct, simplified};
use crate::symbolic::{FIRST_CONSTANT, Path, PathEnd};
use cupping_machine::Machine;
use cupping_term::{Term, TermId};
use std::fmt::Write as _;

/// Limit on the length of a condition.
const WIDTH: usize = 100;

impl Analysis {
    /// An access as `method:line`. If a line has several of its kind, or the compiler copied the line, they are
    /// numbered.
    pub fn place(&self, machine: &Machine, access: usize) -> String {
        let access = &self.accesses.all[access];
        let name = self.flat.method_name(machine, access.method);
        let line_of = |other: &VariableAccess| self.flat.methods[other.method].line(other.at);
        match line_of(access) {
            Some(line) => {
                let is_alike = |other: &&VariableAccess| {
                    (other.method, other.variable, other.is_definition)
                        == (access.method, access.variable, access.is_definition)
                        && line_of(other) == Some(line)
                };
                let alike = || self.accesses.all.iter().filter(is_alike);
                match alike().count() {
                    1 => format!("{name}:{line}"),
                    _ => format!("{name}:{line} ({})", alike().filter(|it| it.at <= access.at).count()),
                }
            }
            None => format!("{name}@{}", self.flat.methods[access.method].instructions[access.at].pc),
        }
    }

    /// Number of pairs of each kind, as [`PairVerdict::KINDS`] lists them.
    pub fn figures(&self) -> [usize; 4] {
        let mut figures = [0; 4];
        for verdict in &self.verdicts {
            figures[verdict.kind()] += 1;
        }
        figures
    }

    /// The table of pairs and verdicts.
    pub fn table(&self, machine: &Machine) -> String {
        let mut rows = Vec::new();
        for (number, pair) in self.pairs.iter().enumerate() {
            rows.push([
                format!("{}", number + 1),
                self.flat.variables[pair.variable].name.to_string(),
                self.place(machine, pair.definition),
                self.place(machine, pair.usage),
                verdict_text(&self.verdicts[number]),
            ]);
        }
        let heading = ["#", "variable", "definition", "use", "verdict"].map(str::to_owned);
        rows.insert(0, heading);
        let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2), width(3)];
        let mut out = String::new();
        for row in &rows {
            let [number, variable, definition, usage, verdict] = row;
            let _ = writeln!(
                out,
                "{number:>0$}  {variable:<1$}  {definition:<2$}  {usage:<3$}  {verdict}",
                widths[0], widths[1], widths[2], widths[3]
            );
        }
        let [covered, after, infeasible, inconclusive] = self.figures();
        let after = if after > 0 { format!("{after} covered after an exception, ") } else { String::new() };
        let _ = writeln!(
            out,
            "{} pairs: {covered} covered, {after}{infeasible} infeasible, {inconclusive} inconclusive",
            self.pairs.len()
        );
        out
    }

    /// The paths of all methods, as in Table 2 of the paper.
    pub fn conditions(&self, machine: &Machine) -> String {
        let mut out = String::new();
        for summary in self.summaries.iter().filter(|summary| !summary.is_deferred) {
            let Some(method) = self.flat.method(summary.method) else { continue };
            let _ = writeln!(out, "{}", self.flat.method_name(machine, method));
            for path in &summary.paths {
                out += &self.path(path);
            }
            for open in &summary.open {
                let _ = writeln!(out, "  open: {open}");
            }
        }
        out
    }

    pub(crate) fn path(&self, path: &Path) -> String {
        let condition = self.conjunction(&path.condition);
        let mut after: Vec<String> = Vec::new();
        for (variable, value) in &path.after {
            let name = &self.terms.variable(*variable).name;
            after.push(format!("{name}' = {}", self.shown(*value)));
        }
        match path.end {
            PathEnd::Returned(Some(value)) => {
                after.push(format!("return' = {}", self.shown(value)));
            }
            PathEnd::Returned(None) => {}
            PathEnd::Threw => after.push("throws".to_owned()),
            PathEnd::Open => after.push("open".to_owned()),
        }
        let mut defined = Vec::new();
        for id in path.events.iter().flat_map(|e| e.accesses.iter()) {
            let access = &self.accesses.all[*id];
            let name = self.flat.variables[access.variable].name.to_string();
            if access.is_definition && !defined.contains(&name) {
                defined.push(name);
            }
        }
        let unknown = if path.is_exact { "" } else { "  (partly unknown)" };
        format!("  ({condition}) => {}  def={{{}}}{unknown}\n", after.join("; "), defined.join(", "))
    }

    /// A term as Java would write it.
    fn shown(&self, term: TermId) -> String {
        let mut text = self.terms.display(term, WIDTH);
        for (number, name) in (FIRST_CONSTANT..).zip(&self.constants) {
            text = text.replace(&number.to_string(), name);
        }
        text
    }

    /// A conjunction as Java would write it.
    pub fn conjunction(&self, condition: &[TermId]) -> String {
        let shown = simplified(&self.terms, condition).into_iter().map(|conjunct| match conjunct {
            Conjunct::Term(term) => self.shown(term),
            Conjunct::Relation(of, symbol, constant) => {
                format!("{} {symbol} {}", self.shown(of), self.shown(constant))
            }
        });
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() { "true".to_owned() } else { shown.join(" && ") }
    }

    /// Whether a term is a variable's symbol.
    pub fn is_symbol(&self, term: TermId) -> bool {
        matches!(self.terms.get(term), Term::Variable { index, .. } if self.variables.contains(*index))
    }
}

/// The text of a verdict.
pub(crate) fn verdict_text(verdict: &PairVerdict) -> String {
    match verdict {
        PairVerdict::Covered { calls, by } => {
            let by = match by {
                SequenceSource::Deduction => "covered",
                SequenceSource::Sequence => "covered, too",
                SequenceSource::Search => "covered, by search",
                SequenceSource::Combined => "covered, by combination",
                SequenceSource::AfterException => "covered after an exception",
                SequenceSource::Suite => return "covered, by the suite".to_owned(),
            };
            format!("{by}: {}", calls.join(", "))
        }
        PairVerdict::Infeasible(Reason::NoClearPath) => "infeasible: no definition-clear path".to_owned(),
        PairVerdict::Infeasible(Reason::OnlyAfterException) => {
            "infeasible: only after a call that throws".to_owned()
        }
        PairVerdict::Infeasible(Reason::Contradiction) => "infeasible: contradiction".to_owned(),
        PairVerdict::Inconclusive(why) => format!("inconclusive: {why}"),
    }
}
