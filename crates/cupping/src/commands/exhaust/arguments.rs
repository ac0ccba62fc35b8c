//! The arguments of `cupping exhaust`.

use crate::shared::assertions::AssertionArgs;
use crate::shared::budget::{BudgetArgs, parse_time};
use crate::shared::class_path::ClassPathArgs;
use crate::shared::emission::EmissionArgs;
use crate::shared::jdk::JdkArgs;
use crate::shared::output::ReportArgs;
use crate::shared::store::StoreArgs;
use clap::{Arg, Args};
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping exhaust list.spec --classpath classes
  cupping exhaust list.spec --classpath classes --scope 'exactly 4 Node, 0..3 int' --html report
  cupping exhaust list.spec --classpath classes --count
  cupping exhaust list.spec --classpath classes --out tests
  cupping exhaust list.spec --classpath classes --show 20 --html pages
  cupping exhaust --repok com.acme.RBTree.repOk --method remove --scope 'Node=7,key=0..6' --classpath classes
  cupping exhaust list.spec --classpath classes --equivalent sorted 'all n: Node | LE(n.elem, n.next.elem)'

docs/exhaust.md describes specifications and reports.

Exit codes:
  0    all inputs within the scope passed; instances were counted or shown; the formulas are equivalent
  1    there are counterexamples; the formulas are not equivalent
  2    the specification is wrong or has no input, or a dependency is missing
  130  interrupted with Ctrl-C; the findings until then are reported";

const BUDGET: &str = "Time for finding inputs and running the method on them, counted as work; the inputs tried until \
                      it is spent are reported [default: no bound]";

/// Help texts of shared arguments that are specific to this command.
fn specific(it: Arg) -> Arg {
    match it.get_id().as_str() {
        "budget" => it.value_parser(parse_time).help(BUDGET),
        _ => it,
    }
}

/// Arguments of `cupping exhaust`.
#[derive(Debug, Args)]
#[command(mut_args(specific))]
pub struct Arguments {
    /// The specification: class, method, scope, invariant, precondition and postcondition
    #[arg(value_name = "SPEC", required_unless_present = "repok", conflicts_with = "repok")]
    pub specification: Option<PathBuf>,

    /// Instead of a specification, a Java predicate CLASS.METHOD without parameters that says whether an object is
    /// valid; all valid objects are inputs, and the predicate must hold again afterwards
    #[arg(
        long,
        help_heading = "Input",
        value_name = "METHOD",
        requires = "scope",
        conflicts_with = "equivalent"
    )]
    pub repok: Option<String>,

    /// With --repok: the method under test, as Java declares it: remove, or 'remove(int key)'
    #[arg(long, help_heading = "Input", value_name = "NAME", requires = "repok")]
    pub method: Option<String>,

    /// With --repok: another header line, such as 'exclude size' or 'type key: Integer'; may be repeated
    #[arg(long, help_heading = "Input", value_name = "LINE", requires = "repok")]
    pub header: Vec<String>,

    #[command(flatten)]
    pub class_path: ClassPathArgs,

    #[command(flatten)]
    pub jdk: JdkArgs,

    #[command(flatten)]
    pub assertions: AssertionArgs,

    /// The scope, instead of the one in the specification: 'exactly 3 Node, 0..2 int'; with --repok,
    /// 'Node=7,key=0..6'
    #[arg(long, help_heading = "Input", value_name = "SCOPE")]
    pub scope: Option<String>,

    /// Only count the inputs
    #[arg(long, help_heading = "Search", conflicts_with_all = ["show", "equivalent"])]
    pub count: bool,

    /// Only show this many inputs; drawn with --html
    #[arg(long, help_heading = "Search", value_name = "N", num_args = 0..=1, default_missing_value = "10", conflicts_with = "equivalent")]
    pub show: Option<usize>,

    /// Only look for an instance that distinguishes two formulas: names of sections, predicates or assertions, or
    /// formulas
    #[arg(long, help_heading = "Search", value_names = ["A", "B"], num_args = 2)]
    pub equivalent: Vec<String>,

    /// Inputs that are tried at most
    #[arg(long, help_heading = "Search", value_name = "N")]
    pub limit: Option<u64>,

    /// End after so many counterexamples
    #[arg(long, help_heading = "Search", value_name = "N", conflicts_with_all = ["count", "show", "equivalent"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub stop_after: Option<u64>,

    /// Continue with larger scopes, each with one more object of each class and one more integer, until the time of
    /// --budget is over (1m without it); a larger scope does not repeat the inputs of a smaller one
    #[arg(long, help_heading = "Search", conflicts_with_all = ["count", "show", "equivalent", "repok"])]
    pub grow: bool,

    /// Divide the search into this many parts, which are tried one after the other: the jobs of `cupping plan`; each
    /// has an equal share of --budget
    #[arg(long, help_heading = "Search", value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=4096),
        conflicts_with_all = ["show", "equivalent", "grow", "limit", "stop_after"])]
    pub parts: u32,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Number of counterexamples shown for each cause, smallest first
    #[arg(long, help_heading = "Output", value_name = "N", default_value_t = 3)]
    pub examples: usize,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Also write the counterexamples that are shown as JUnit tests into this folder: each asserts what the
    /// specification demands, and fails until the defect is fixed
    #[arg(long, help_heading = "Output", value_name = "DIR", conflicts_with_all = ["count", "show", "equivalent"])]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub emission: EmissionArgs,

    #[command(flatten)]
    pub budget: BudgetArgs,
}
