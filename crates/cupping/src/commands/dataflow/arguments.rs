//! The arguments of `cupping dataflow`.

use crate::frame::Share;
use crate::process::interrupt::interrupted;
use crate::shared::assertions::AssertionArgs;
use crate::shared::budget::{BudgetArgs, parse_time};
use crate::shared::emission::EmissionArgs;
use crate::shared::jdk::JdkArgs;
use crate::shared::output::ReportArgs;
use crate::shared::selection::ClassArgs;
use crate::shared::store::StoreArgs;
use crate::shared::suite::SuiteArgs;
use clap::{Arg, Args};
use cupping_dataflow::claims::{Claims, Invariant};
use cupping_dataflow::{DataflowOptions, deduce::DeductionLimits};
use cupping_generate::{GenerateOptions, NO_CLOCK};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping dataflow --classpath app.jar com.acme.CoinBox
  cupping dataflow -cp app.jar com.acme.CoinBox --conditions --tree 7
  cupping dataflow -cp app.jar com.acme.CoinBox --out tests --svg drawings
  cupping dataflow -cp app.jar com.acme.Tally --invariant 'count: sum == 2 * i'

Exit codes:
  0    everything requested is done, whether or not pairs remain inconclusive
  3    with --out: nothing went wrong, but no test was found to write
  1    a defect in Cupping: a self-check failed, or a test did not hold on the JDK
       (it is not written)
  2    something could not be done: wrong options, a missing or damaged class, no JDK,
       no JUnit; the other classes are processed anyway
  130  interrupted with Ctrl-C";

const BUDGET: &str = "Time for each class: paths, deduction, search and combination together; if CLASSES contains \
                      packages, folders or jars, for all classes together; 0s for no search [default: 10s for each class]";
const SUITE: &str = "Compiled JUnit tests of your own: a folder or jar, with their dependencies; the report shows which \
                     pairs they exercise. They run on the machine; may be repeated";
/// The time for each class, unless the user sets one.
pub const DEFAULT_BUDGET: Duration = Duration::from_secs(10);

/// Help texts of shared arguments that are specific to this command.
fn specific(it: Arg) -> Arg {
    match it.get_id().as_str() {
        "budget" => it.help(BUDGET),
        "suite" => it.help(SUITE),
        _ => it,
    }
}

/// Arguments of `cupping dataflow`.
#[derive(Debug, Args)]
#[command(mut_args(specific))]
pub struct Arguments {
    #[command(flatten)]
    pub classes: ClassArgs,

    #[command(flatten)]
    pub jdk: JdkArgs,

    #[command(flatten)]
    pub assertions: AssertionArgs,

    /// What holds whenever the head of a loop is reached: METHOD: CONDITION, or METHOD:LINE: CONDITION if a method
    /// has several loops, as 'count: sum == 2 * i'; it is not checked. May be repeated
    #[arg(long = "invariant", value_name = "INVARIANT", value_parser = parse_invariant, help_heading = "Input")]
    pub invariants: Vec<Invariant>,

    /// A specification in TestJava (docs/spec.md), or a folder of them: its triples are assumed for methods that are
    /// not followed, or not to their end; may be repeated
    #[arg(long = "contract", value_name = "FILE", help_heading = "Input")]
    pub contracts: Vec<PathBuf>,

    #[command(flatten)]
    pub suite: SuiteArgs,

    /// With --suite: only this test class; may be repeated [default: all with tests]
    #[arg(long = "suite-test", value_name = "CLASS", requires = "suite", help_heading = "Input")]
    pub suite_tests: Vec<String>,

    /// With --suite: --out only gets tests for pairs that the suite does not exercise
    #[arg(long, requires = "suite", help_heading = "Output")]
    pub complete: bool,

    /// Write certified JUnit tests that exercise the pairs, in folders by package
    #[arg(short, long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub emission: EmissionArgs,

    /// Write the class control-flow graphs for Graphviz into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub dot: Option<PathBuf>,

    /// Write the class control-flow graphs as drawings into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub svg: Option<PathBuf>,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Also print the paths of the methods: preconditions, values after them, variables defined
    #[arg(long, help_heading = "Output")]
    pub conditions: bool,

    /// Also print the deduction tree of these pairs, by number; may be repeated
    #[arg(long = "tree", value_name = "PAIR", help_heading = "Output")]
    pub trees: Vec<NonZeroUsize>,

    /// Maximal number of calls of a deduced sequence; 0 for no deduction
    #[arg(long, value_name = "N", default_value_t = 7, help_heading = "Search")]
    pub depth: usize,

    /// Deduce a sequence for each pair, even if another pair's sequence exercises it
    #[arg(long, help_heading = "Search")]
    pub each: bool,

    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Like --budget, but counts work only: no clock ends the search, and all machines find the same
    ///
    /// A busy or slow machine takes longer.
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with = "budget", help_heading = "Search")]
    pub work: Option<Duration>,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Varies the values that the forward search starts from; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
}

impl Arguments {
    /// The part that concerns the analysis.
    pub fn options(&self, claims: &Arc<Claims>, share: Share) -> DataflowOptions {
        let is_asked = !share.budget.is_zero();
        let budget = if is_asked { share.budget } else { DEFAULT_BUDGET };
        DataflowOptions {
            search: GenerateOptions {
                seed: self.seed,
                budget,
                clock: self.work.map(|_| NO_CLOCK).or(share.clock),
                pairs_are_goals: true,
                ..GenerateOptions::default()
            },
            budget,
            limits: DeductionLimits { depth: self.depth, ..DeductionLimits::default() },
            claims: Arc::clone(claims),
            each: self.each || !self.trees.is_empty(),
            forward: is_asked,
            chase: true,
            interrupted,
        }
    }
}

/// `METHOD: CONDITION` or `METHOD:LINE: CONDITION`.
fn parse_invariant(text: &str) -> Result<Invariant, String> {
    let form = || format!("'{text}': write it as METHOD: CONDITION or METHOD:LINE: CONDITION");
    let (method, rest) = text.split_once(':').ok_or_else(form)?;
    let (line, condition) = match rest.split_once(':') {
        Some((line, condition)) => (Some(line.trim().parse().map_err(|_| form())?), condition),
        None => (None, rest),
    };
    if method.trim().is_empty() || condition.trim().is_empty() {
        return Err(form());
    }
    Ok(Invariant { method: method.trim().to_owned(), line, text: condition.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invariants_are_read() {
        let read = parse_invariant("count: sum == 2 * i").expect("it is one");
        assert_eq!((read.method.as_str(), read.line, read.text.as_str()), ("count", None, "sum == 2 * i"));
        assert_eq!(parse_invariant("count:12: x > 0").expect("it is one").line, Some(12));
        for bad in ["", "count", "count:", ": x > 0", "count:x: y > 0"] {
            assert!(parse_invariant(bad).is_err(), "{bad}");
        }
    }
}
