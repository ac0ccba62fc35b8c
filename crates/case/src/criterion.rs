//! What tests are to cover, and what of it they do.

/// A coverage criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Every source line.
    Line,
    /// Every way out of an instruction that has several.
    Branch,
    /// Every path of a method, within bounds.
    Path,
    /// Every type of exception at every place where it is thrown.
    Exception,
    /// Operands on both sides of the edge of every comparison.
    Boundary,
    /// Operands for which an operation on ints or longs overflows.
    Overflow,
}

/// How it stands with something that a criterion asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// A test meets it.
    Met,
    /// No test meets it, and it is not known whether one could.
    Unmet,
    /// On every path found that leads to it, the solver showed that no input meets it.
    Infeasible,
}

/// Something that a criterion asks for and that no test meets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenGoal {
    /// Where: `Class.method`.
    pub place: String,
    /// Its source line, if it has one.
    pub line: Option<u32>,
    /// What is asked for, readable: `index == size - 1`.
    pub text: String,
    /// Unmet or infeasible.
    pub standing: Standing,
    /// Why, as far as it is known.
    pub why: String,
}

/// What a suite does for one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionResult {
    /// The criterion.
    pub criterion: Criterion,
    /// How much of what it asks for tests meet.
    pub met: u32,
    /// How much of it is unmet.
    pub unmet: u32,
    /// How much of it is infeasible.
    pub infeasible: u32,
    /// What is not met, in the order of the code.
    pub open: Vec<OpenGoal>,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Criterion; 6] = [
        Criterion::Line,
        Criterion::Branch,
        Criterion::Path,
        Criterion::Exception,
        Criterion::Boundary,
        Criterion::Overflow,
    ];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Line => "line",
            Criterion::Branch => "branch",
            Criterion::Path => "path",
            Criterion::Exception => "exception",
            Criterion::Boundary => "boundary",
            Criterion::Overflow => "overflow",
        }
    }
}

impl Standing {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Met => "met",
            Standing::Unmet => "unmet",
            Standing::Infeasible => "infeasible",
        }
    }
}

impl CriterionResult {
    /// The result of a criterion of which so much is met, and this is open.
    pub fn new(criterion: Criterion, met: u32, open: Vec<OpenGoal>) -> CriterionResult {
        let count = |standing| open.iter().filter(|goal| goal.standing == standing).count() as u32;
        let (unmet, infeasible) = (count(Standing::Unmet), count(Standing::Infeasible));
        CriterionResult { criterion, met, unmet, infeasible, open }
    }
}
