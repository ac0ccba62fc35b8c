//! The figures of a coverage report.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;

/// How many of something are covered, and how many are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Not covered.
    pub missed: u32,
    /// Covered.
    pub covered: u32,
}

/// Coverage of a source line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCoverage {
    /// Its bytecode instructions. The line is covered if any of them is.
    pub instructions: Counter,
    /// Ways out of its instructions that have several.
    pub branches: Counter,
}

/// The counters of a method, a class or a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bytecode instructions.
    pub instructions: Counter,
    /// Ways out of instructions that have several.
    pub branches: Counter,
    /// Source lines.
    pub lines: Counter,
    /// Number of paths needed to cover all branches (cyclomatic complexity).
    pub complexity: Counter,
    /// Methods.
    pub methods: Counter,
}

/// Coverage of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodCoverage {
    /// Its place in the class file.
    pub index: usize,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// Its first line, if the class has a line table.
    pub first_line: Option<u32>,
    /// Its counters.
    pub counters: Counters,
}

/// Coverage of a class without the classes nested in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCoverage {
    /// Internal name.
    pub name: Arc<str>,
    /// Name of the source file, without folders.
    pub source_file: Option<Arc<str>>,
    /// Its lines that have code.
    pub lines: BTreeMap<u32, LineCoverage>,
    /// Its methods with code that counts, in the order of the class file.
    pub methods: Vec<MethodCoverage>,
    /// Its counters.
    pub counters: Counters,
}

impl Counter {
    /// Covered or not.
    pub fn total(self) -> u32 {
        self.missed + self.covered
    }

    /// The covered part, from 0 to 1; 1 if there is nothing to cover.
    pub fn ratio(self) -> f64 {
        match self.total() {
            0 => 1.0,
            total => f64::from(self.covered) / f64::from(total),
        }
    }

    pub(super) fn add(&mut self, covered: bool) {
        match covered {
            true => self.covered += 1,
            false => self.missed += 1,
        }
    }
}

impl LineCoverage {
    /// Whether any of its instructions is covered.
    pub fn is_covered(&self) -> bool {
        self.instructions.covered > 0
    }
}

impl Counters {
    /// Counts an instruction with `branches` outgoing edges, or none if there is only one.
    pub(super) fn add_instruction(&mut self, covered: bool, branches: Counter) {
        self.instructions.add(covered);
        self.branches += branches;
        if branches.total() > 1 {
            let covered = branches.covered.saturating_sub(1);
            self.complexity += Counter { missed: branches.total() - covered - 1, covered };
        }
    }

    /// Counts the method itself, after its instructions.
    pub(super) fn add_method(&mut self) {
        let covered = self.instructions.covered > 0;
        self.methods.add(covered);
        self.complexity.add(covered);
    }

    /// Counts lines.
    pub(super) fn set_lines(&mut self, lines: &BTreeMap<u32, LineCoverage>) {
        self.lines = Counter::default();
        for line in lines.values() {
            self.lines.add(line.is_covered());
        }
    }
}

impl AddAssign for Counter {
    fn add_assign(&mut self, other: Counter) {
        self.missed += other.missed;
        self.covered += other.covered;
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        let Counters { instructions, branches, lines, complexity, methods } = other;
        self.instructions += instructions;
        self.branches += branches;
        self.lines += lines;
        self.complexity += complexity;
        self.methods += methods;
    }
}
