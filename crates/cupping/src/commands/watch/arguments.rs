//! The arguments of `cupping watch`.

use crate::shared::budget::BudgetArgs;
use crate::shared::junit::JunitArgs;
use crate::shared::output::ReportArgs;
use crate::shared::program::arguments::ProgramArgs;
use crate::shared::suite::SuiteArgs;
use clap::{Arg, Args, ValueEnum};
use cupping_watch::WatchOutcome;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping watch --specs specs -cp app.jar com.acme.Main data.csv
  cupping watch --suite tests.jar -cp app.jar com.acme.Main data.csv
  cupping watch --specs guide.tj --fail-on failed-test --sarif watch.sarif -jar app.jar

The program runs as with `cupping run`; its output and its exit code are the same. The report goes to standard
error and to the named files. docs/watch.md describes it.

Exit codes: those of `cupping run`; and
  1    an outcome of --fail-on occurred, and the program itself exited with 0
  2    a specification is wrong, or the program could not be started";

const SUITE: &str =
    "Compiled JUnit tests of your own: a folder or jar; they are used as triples; may be repeated";
const HTML: &str = "Also write the whole report, with the objects drawn, as index.html into this folder; a name that ends in \
                    .html names the file itself";

const BUDGET: &str = "Time for evaluating conditions at all calls together: 500ms, 10s, 2m. It counts work; further \
                      calls are skipped and counted [default: what --overhead allows]";
const JOBS: &str = "Threads that run testcases and suites at the same time before the program starts; results do not \
                    depend on it [default: all cores]";

/// Help texts of shared arguments that are specific to this command.
fn specific(it: Arg) -> Arg {
    match it.get_id().as_str() {
        "suite" => it.help(SUITE),
        "html" => it.help(HTML),
        "budget" => it.help(BUDGET).help_heading("Test mode"),
        "jobs" => it.help(JOBS).help_heading("Test mode"),
        _ => it,
    }
}

/// Arguments of `cupping watch`.
#[derive(Debug, Args)]
#[command(mut_args(specific))]
pub struct Arguments {
    /// The program and how it is run.
    #[command(flatten)]
    pub program: ProgramArgs,

    /// Specifications, or folders of them (*.tj); may be repeated
    #[arg(long, value_name = "PATH", required_unless_present = "suite", help_heading = "Test mode")]
    pub specs: Vec<PathBuf>,

    #[command(flatten)]
    pub suite: SuiteArgs,

    #[command(flatten)]
    pub junit: JunitArgs,

    /// Classes with which the suites run, in place of those of the program: an earlier version with which they pass.
    /// What has changed since is then checked and blamed; what the path lacks is taken from the program
    #[arg(long, value_name = "PATH", requires = "suite", help_heading = "Test mode")]
    pub suite_class_path: Option<String>,

    /// Maximal number of calls and backward jumps of one test of a suite; tests that take more are left out and
    /// listed
    #[arg(long, value_name = "N", default_value_t = 5_000_000, help_heading = "Test mode")]
    pub suite_steps: u64,

    /// Exit with 1 if one of these outcomes occurs; may be repeated
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',', help_heading = "Test mode")]
    pub fail_on: Vec<OutcomeName>,

    /// Depth to which objects are compared and shown
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Test mode")]
    pub depth: usize,

    /// Number of tries of a testcase with random values before the program runs
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Test mode")]
    pub tries: usize,

    /// Classes that have changed: the report lists the triples that concern them; separated by commas
    #[arg(long, value_name = "CLASS", value_delimiter = ',', help_heading = "Test mode")]
    pub changed: Vec<String>,

    #[command(flatten)]
    pub report: ReportArgs,

    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Maximal cost of conditions after the first second, as a multiple of the program's own cost; calls beyond it
    /// are skipped and counted. 0 checks every call
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Test mode")]
    pub overhead: u32,
}

/// An outcome as an option names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutcomeName {
    /// A precondition held, and the postcondition failed
    FailedTest,
    /// No precondition held, although the tests take all paths through the method
    IncorrectCall,
    /// A precondition held, but control took a path other than its tests'
    PathAnomaly,
    /// No precondition held, and control took a path that no test takes
    UntestedPath,
    /// There is no triple for the method
    Untested,
}

impl OutcomeName {
    /// The outcome.
    pub fn outcome(self) -> WatchOutcome {
        match self {
            OutcomeName::FailedTest => WatchOutcome::FailedTest,
            OutcomeName::IncorrectCall => WatchOutcome::IncorrectCall,
            OutcomeName::PathAnomaly => WatchOutcome::PathAnomaly,
            OutcomeName::UntestedPath => WatchOutcome::UntestedPath,
            OutcomeName::Untested => WatchOutcome::Untested,
        }
    }
}
