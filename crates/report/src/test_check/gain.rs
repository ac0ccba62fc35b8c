//! What generated tests add to a project's own.

use serde::Serialize;
use std::fmt::Write;

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The part.
    pub part: u64,
    /// The whole.
    pub whole: u64,
}

impl Share {
    fn add(&mut self, other: Share) {
        self.part += other.part;
        self.whole += other.whole;
    }
}

/// What a suite of tests reaches and notices in some classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// Lines that it runs.
    pub lines: Share,
    /// Branches that it takes.
    pub branches: Share,
    /// Mutants that it detects.
    pub mutants: Share,
}

/// The figures of a project's own tests, and of these together with the generated ones, in the classes that have
/// generated tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Gain {
    /// The project's own tests.
    pub own: Figures,
    /// All tests.
    pub all: Figures,
}

impl Gain {
    /// Adds the figures of other classes.
    pub fn add(&mut self, other: &Gain) {
        for (to, from) in [(&mut self.own, &other.own), (&mut self.all, &other.all)] {
            to.lines.add(from.lines);
            to.branches.add(from.branches);
            to.mutants.add(from.mutants);
        }
    }

    /// The figures with their names: own tests, and all.
    fn rows(&self) -> [(&'static str, Share, Share); 3] {
        [
            ("lines", self.own.lines, self.all.lines),
            ("branches", self.own.branches, self.all.branches),
            ("mutants detected", self.own.mutants, self.all.mutants),
        ]
    }

    /// As lines for a terminal.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (name, own, all) in self.rows() {
            let (before, after) = (percent(own), percent(all));
            let _ = writeln!(
                out,
                "{name:<17} own tests {before:>6}, with generated tests {after:>6} of {}",
                all.whole
            );
        }
        out
    }

    /// As a table for a pull request.
    pub fn markdown(&self) -> String {
        let mut out = String::from(
            "\n### What the generated tests add\n\n| | own tests | with generated tests |\n|---|---|---|\n",
        );
        for (name, own, all) in self.rows() {
            let cell = |share: Share| format!("{} ({} of {})", percent(share), share.part, share.whole);
            let _ = writeln!(out, "| {name} | {} | {} |", cell(own), cell(all));
        }
        out
    }
}

fn percent(share: Share) -> String {
    match share.whole {
        0 => "–".into(),
        whole => format!("{:.1} %", 100.0 * share.part as f64 / whole as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(lines: u64, mutants: u64) -> Figures {
        let share = |part, whole| Share { part, whole };
        Figures { lines: share(lines, 40), branches: share(0, 0), mutants: share(mutants, 8) }
    }

    #[test]
    fn figures_of_modules_are_added() {
        let mut gain = Gain { own: figures(10, 1), all: figures(30, 6) };
        gain.add(&Gain { own: figures(20, 2), all: figures(40, 7) });
        assert_eq!(
            gain.text(),
            "lines             own tests 37.5 %, with generated tests 87.5 % of 80\n\
             branches          own tests      –, with generated tests      – of 0\n\
             mutants detected  own tests 18.8 %, with generated tests 81.2 % of 16\n"
        );
        assert!(gain.markdown().contains("| lines | 37.5 % (30 of 80) | 87.5 % (70 of 80) |"));
    }
}
