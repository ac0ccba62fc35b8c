//! Coverage criteria and their results.

/// A coverage criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Every source line.
    Line,
    /// Every outgoing edge of a branching instruction.
    Branch,
    /// Every path of a method, within limits.
    Path,
    /// Every exception type at every place that throws it.
    Exception,
    /// Operands on both sides of the boundary of every comparison.
    Boundary,
    /// Operands that overflow an `int` or `long` operation.
    Overflow,
    /// A small fault in every instruction: a test must detect it.
    Mutation,
}

/// The status of a goal of a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GoalStanding {
    /// A test covers it.
    Met,
    /// No test covers it, and it is unknown whether one could.
    Unmet,
    /// The solver refuted it on every path found that leads to it.
    Infeasible,
}

/// A goal that no test covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenGoal {
    /// Its place: `Class.method`.
    pub place: String,
    /// Its source line, if it has one.
    pub line: Option<u32>,
    /// The goal in readable form: `index == size - 1`.
    pub text: String,
    /// Unmet or infeasible.
    pub standing: GoalStanding,
    /// The reason, as far as it is known.
    pub why: String,
}

/// The result of a suite for one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionResult {
    /// The criterion.
    pub criterion: Criterion,
    /// Number of goals met.
    pub met: u32,
    /// Number of goals not met.
    pub unmet: u32,
    /// Number of infeasible goals.
    pub infeasible: u32,
    /// The goals that are not met, in the order of the code.
    pub open: Vec<OpenGoal>,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Criterion; 7] = [
        Criterion::Line,
        Criterion::Branch,
        Criterion::Path,
        Criterion::Exception,
        Criterion::Boundary,
        Criterion::Overflow,
        Criterion::Mutation,
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
            Criterion::Mutation => "mutation",
        }
    }
}

impl GoalStanding {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            GoalStanding::Met => "met",
            GoalStanding::Unmet => "unmet",
            GoalStanding::Infeasible => "infeasible",
        }
    }
}

impl CriterionResult {
    /// The result of a criterion with this number of goals met and these open.
    pub fn new(criterion: Criterion, met: u32, open: Vec<OpenGoal>) -> CriterionResult {
        let count = |standing| open.iter().filter(|goal| goal.standing == standing).count() as u32;
        let (unmet, infeasible) = (count(GoalStanding::Unmet), count(GoalStanding::Infeasible));
        CriterionResult { criterion, met, unmet, infeasible, open }
    }
}
