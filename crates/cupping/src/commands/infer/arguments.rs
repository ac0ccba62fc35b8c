//! The arguments of `cupping infer`.

use crate::process::interrupt::interrupted;
use crate::shared::assertions::AssertionArgs;
use crate::shared::budget::BudgetArgs;
use crate::shared::emission::EmissionArgs;
use crate::shared::jdk::JdkArgs;
use crate::shared::output::ReportArgs;
use crate::shared::selection::ClassArgs;
use crate::shared::since::SinceArgs;
use crate::shared::source_range::SourceRange;
use crate::shared::store::StoreArgs;
use crate::shared::suite::SuiteArgs;
use clap::{Arg, Args};
use cupping_infer::{ExplorerLimits, InferOptions, MIN_CONFIDENCE, output};
use std::path::PathBuf;
use std::time::Duration;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping infer --classpath app.jar com.acme.Stack
  cupping infer -cp app.jar com.acme.Stack --suite tests.jar --rounds 3
  cupping infer -cp app.jar com.acme.Stack --notation jml
  cupping infer -cp app.jar com.acme.Stack --out tests --write specs
  cupping infer -cp app.jar com.acme.Stack --check specs

Exit codes:
  0    everything requested is done
  3    with --out: nothing went wrong, but no test was found to write
  1    with --check: code no longer meets its recorded specification; or a defect in
       Cupping: a test did not hold on the JDK (it is not written)
  2    something could not be done: wrong options, a missing or damaged class, no
       recorded specification, no JDK; the other classes are processed anyway
  130  interrupted with Ctrl-C";

const BUDGET: &str = "Time for generating the first tests, where there is no --suite, for each class; where CLASSES has \
                      packages, folders or jars, for all classes together; 0s for none [default: 2s for each class]";
const SUITE: &str = "Compiled JUnit tests of your own: a folder or jar, with their dependencies; inference starts from \
                     their executions. Without it, inference starts from generated tests; may be repeated";
/// The time for each class, unless the user sets one.
pub const DEFAULT_BUDGET: Duration = Duration::from_secs(2);

/// Help texts of shared arguments that are specific to this command.
fn specific(it: Arg) -> Arg {
    match it.get_id().as_str() {
        "budget" => it.help(BUDGET),
        "suite" => it.help(SUITE),
        _ => it,
    }
}

/// Arguments of `cupping infer`.
#[derive(Debug, Args)]
#[command(mut_args(specific))]
pub struct Arguments {
    #[command(flatten)]
    pub classes: ClassArgs,

    #[command(flatten)]
    pub jdk: JdkArgs,

    #[command(flatten)]
    pub assertions: AssertionArgs,

    #[command(flatten)]
    pub suite: SuiteArgs,

    #[command(flatten)]
    pub since: SinceArgs,

    /// Show only what concerns the methods in these lines, and the invariants; without CLASSES, of the class of this
    /// file
    #[arg(long, value_name = "FILE:LINE", value_parser = SourceRange::parse, conflicts_with_all = ["write", "check", "out", "html", "store"], help_heading = "Search")]
    pub at: Option<SourceRange>,

    /// Infer preconditions, postconditions and invariants only
    #[arg(long, conflicts_with = "algebraic", help_heading = "Search")]
    pub axiomatic: bool,

    /// Infer axioms only
    #[arg(long, help_heading = "Search")]
    pub algebraic: bool,

    /// Rounds of inference and generation at most
    #[arg(long, value_name = "N", default_value_t = 12, help_heading = "Search")]
    pub rounds: usize,

    /// Maximal number of calls on an object before the call under test
    #[arg(long, value_name = "N", default_value_t = ExplorerLimits::default().calls, help_heading = "Search")]
    pub calls: usize,

    /// States from which all calls are made, at most
    #[arg(long, value_name = "N", default_value_t = ExplorerLimits::default().states, help_heading = "Search")]
    pub states: usize,

    /// Maximal number of calls under test for each class [default: 5000, or 200 for each method]
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub executions: Option<usize>,

    /// Maximal number of symbolic paths on which likely specifications are checked by the solver; 0 for none
    #[arg(long, value_name = "N", default_value_t = ExplorerLimits::default().paths, help_heading = "Search")]
    pub paths: usize,

    /// Number of random calls in each attempt to break likely formulas; 0 for none
    #[arg(long, value_name = "N", default_value_t = ExplorerLimits::default().challenges, help_heading = "Search")]
    pub challenges: usize,

    #[command(flatten)]
    pub budget: BudgetArgs,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Varies the values that generation starts from; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,

    /// The notation of the output: text, jml, assertions, contract (the language of cupping spec), testera
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = parse_notation, help_heading = "Output")]
    pub notation: &'static output::Notation,

    /// Write certified JUnit tests that violated what was inferred, and those that support axioms, in folders by
    /// package
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub emission: EmissionArgs,

    /// Record the specification in this folder, in all notations, and report the changes since the last time
    #[arg(long, value_name = "DIR", conflicts_with = "check", help_heading = "Output")]
    pub write: Option<PathBuf>,

    /// Check the classes against the specifications that --write recorded in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub check: Option<PathBuf>,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Also print the rounds: which tests were selected, and what they violated
    #[arg(long, help_heading = "Output")]
    pub story: bool,

    /// Print everything, not only what fits a screen: all lines and axioms, including those that leave a side open
    /// and those that postconditions also state
    #[arg(long, help_heading = "Output")]
    pub all: bool,

    /// Omit less certain clauses; a value from 0 to 1: the share of calls like those tried that at least uphold a
    /// clause, with 95 % certainty
    #[arg(long, value_name = "SHARE", default_value_t = MIN_CONFIDENCE, value_parser = parse_share, help_heading = "Output")]
    pub min_confidence: f64,
}

impl Arguments {
    /// The part that concerns inference.
    pub fn options(&self) -> InferOptions {
        let limits = ExplorerLimits {
            calls: self.calls,
            states: self.states,
            paths: self.paths,
            challenges: self.challenges,
            interrupted,
            ..ExplorerLimits::default()
        };
        let limits = match self.executions {
            Some(executions) => ExplorerLimits { executions, each: 0, ..limits },
            None => limits,
        };
        InferOptions {
            axiomatic: !self.algebraic,
            algebraic: !self.axiomatic,
            rounds: self.rounds,
            limits,
            is_whole: self.all,
            min_confidence: self.min_confidence,
        }
    }
}

fn parse_notation(text: &str) -> Result<&'static output::Notation, String> {
    let names: Vec<&str> = output::ALL.iter().map(|it| it.name).collect();
    let found = output::ALL.iter().find(|it| it.name == text);
    found.ok_or_else(|| format!("'{text}' is not one of {}", names.join(", ")))
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share: f64 =
        text.parse().map_err(|_| format!("'{text}' is not a number from 0 to 1, such as 0.99"))?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err(format!("'{text}' is not from 0 to 1")) }
}
