//! The arguments of `cupping mutants`.

use crate::shared::budget::{BudgetArgs, parse_time};
use crate::shared::changed_lines::ChangedLines;
use crate::shared::jdk::JdkArgs;
use crate::shared::junit::JunitArgs;
use crate::shared::output::ReportArgs;
use crate::shared::selection::ClassArgs;
use crate::shared::source_range::SourceRange;
use crate::shared::store::StoreArgs;
use crate::shared::suite::SuiteArgs;
use clap::{Arg, Args};
use cupping_mutate::Selection;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping mutants --classpath classes:lib.jar --suite test-classes 'org.example.**'
  cupping mutants -cp lib.jar --suite theirs --suite ours org.example.Fraction --sample 200

If JUnit's launcher is on the class path, that JUnit runs the tests; its engines must be there too
(junit-jupiter-engine, for JUnit 4 junit-vintage-engine and junit4) with their dependencies.

Exit codes:
  0    done, whatever the scores
  1    a score is below --threshold; or a defect in Cupping: it panicked on a mutant, which is not judged
  2    something could not be done: no test of a suite passes, no JDK, no such class
  130  interrupted with Ctrl-C; the mutants judged until then are reported";

const BUDGET: &str = "Time for the mutants of all classes, for each suite, counted as work; the remaining mutants \
                      are not judged [default: no bound]";
const STORE: &str = "Keep results in this folder, and do not judge mutants again whose results are known";
const SUITE: &str =
    "Compiled JUnit tests: a folder or jar; may be repeated, and each is judged by the same mutants";

/// Help texts of shared arguments that are specific to this command.
fn specific(it: Arg) -> Arg {
    match it.get_id().as_str() {
        "budget" => it.value_parser(parse_time).help(BUDGET),
        "suite" => it.help(SUITE).required(true),
        "store" => it.help(STORE).long_help(STORE),
        _ => it,
    }
}

fn parse_operators(text: &str) -> Result<Selection, String> {
    Selection::parse(text.split(','))
}

/// Arguments of `cupping mutants`.
#[derive(Debug, Args)]
#[command(mut_args(specific))]
pub struct Arguments {
    #[command(flatten)]
    pub classes: ClassArgs,

    #[command(flatten)]
    pub suite: SuiteArgs,

    #[command(flatten)]
    pub junit: JunitArgs,

    #[command(flatten)]
    pub jdk: JdkArgs,

    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Mutation operators, separated by commas: names as in the report with hyphens (changed-bound), PIT's names
    /// (MATH), or groups (defaults, pit-defaults, all)
    #[arg(long, help_heading = "Search", value_name = "LIST", value_parser = parse_operators, default_value = "defaults")]
    pub operators: Selection,

    /// Judge only mutants in these lines of source files: FILE:FROM-TO, FILE:LINE or FILE; may be repeated
    #[arg(long, help_heading = "Search", value_name = "FILE:FROM-TO", value_parser = ChangedLines::parse)]
    pub lines: Vec<ChangedLines>,

    /// Judge only mutants in these lines; without CLASSES, of the classes of this file
    #[arg(long, value_name = "FILE:LINE", value_parser = SourceRange::parse, help_heading = "Search")]
    pub at: Option<SourceRange>,

    /// Judge only mutants in lines that were added or changed since this revision of the surrounding git repository,
    /// including uncommitted changes; with --lines, in either
    #[arg(long, help_heading = "Search", value_name = "REF")]
    pub since: Option<String>,

    #[command(flatten)]
    pub store: StoreArgs,

    /// Judge only this many mutants, spread evenly over all
    #[arg(long, help_heading = "Search", value_name = "N")]
    pub sample: Option<NonZeroUsize>,

    /// Maximal number of steps (calls and backward jumps) of a test; longer tests are left out. With a mutant it may
    /// take five times its own number
    #[arg(long, help_heading = "Search", value_name = "N", default_value_t = 20_000_000)]
    pub max_steps: u64,

    /// A system property of the tests; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", help_heading = "Input")]
    pub properties: Vec<String>,

    /// List the mutants that no test of a suite noticed
    #[arg(long, help_heading = "Output")]
    pub survivors: bool,

    /// Exit with 1 if a suite's score is below this percentage
    #[arg(long, help_heading = "Output", value_name = "PERCENT", value_parser = parse_percent)]
    pub threshold: Option<f64>,

    /// Also write the mutants in the report schema of mutation-testing-elements
    #[arg(long, help_heading = "Output", value_name = "FILE")]
    pub mutation_json: Option<PathBuf>,

    #[command(flatten)]
    pub report: ReportArgs,
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').trim().parse::<f64>().ok();
    percent.filter(|it| (0.0..=100.0).contains(it)).ok_or_else(|| "a percentage is from 0 to 100".into())
}
