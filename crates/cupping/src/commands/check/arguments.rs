//! The arguments of `cupping check`.

use crate::shared::accepted_findings::AcceptArgs;
use crate::shared::budget::{BudgetArgs, parse_time};
use crate::shared::jdk::JdkArgs;
use crate::shared::junit::JunitArgs;
use crate::shared::output::{ConsoleArgs, DocumentArgs};
use crate::shared::selection::ClassArgs;
use crate::shared::since::SinceArgs;
use crate::shared::store::StoreArgs;
use crate::shared::suite::SuiteArgs;
use clap::{Arg, Args};
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping check                              in a project: all generated tests of all modules
  cupping check org.example.Range            those of one class
  cupping check --update                     rewrites those that no longer hold
  cupping check -cp classes --tests cupping-tests
  cupping check --markdown summary.md --junit-xml check.xml --sarif check.sarif
  cupping check --accept accepted.json --reason 'rounds half up since 2.0'

docs/check.md describes the findings, and the use in continuous integration.

Exit codes:
  0    every generated test holds, or is accepted as failing
  1    some tests no longer hold
  2    something requested could not be done
  3    there is no generated test
  130  interrupted";

const BUDGET: &str = "With --update: time for each class whose tests are rewritten, instead of the budget in their \
                      first line: 500ms, 10s, 2m";
const JOBS: &str = "JVMs that run tests at the same time, and threads that rewrite tests; results do not depend on it \
     [default: all cores]";

const SUITE: &str = "With --gain: compiled tests, yours and the generated ones; may be repeated [default: those of \
                     the surrounding project]";

/// Help texts of shared arguments that are specific to this command.
fn specific(it: Arg) -> Arg {
    match it.get_id().as_str() {
        "budget" => it.value_parser(parse_time).requires("update").help(BUDGET),
        "jobs" => it.help(JOBS),
        "suite" => it.help(SUITE),
        _ => it,
    }
}

/// Arguments of `cupping check`.
#[derive(Debug, Args)]
#[command(mut_args(specific))]
pub struct Arguments {
    #[command(flatten)]
    pub classes: ClassArgs,

    #[command(flatten)]
    pub jdk: JdkArgs,

    #[command(flatten)]
    pub junit: JunitArgs,

    /// Folders in which generated tests are looked for; may be repeated [default: the folders of test sources of the
    /// surrounding project, else cupping-tests]
    #[arg(long, value_name = "DIR", default_value = "cupping-tests", help_heading = "Input")]
    pub tests: Vec<PathBuf>,

    #[command(flatten)]
    pub since: SinceArgs,

    /// Let the JVM that runs the tests do to this computer what you may do
    #[arg(long, help_heading = "Input")]
    pub unconfined: bool,

    /// Rewrite the tests of each class with a failing test, using the options in their first line, and
    /// remove those of classes that are gone; files that were edited are kept
    #[arg(long, conflicts_with = "reason", help_heading = "Output")]
    pub update: bool,

    /// Also measure what the generated tests add to your own: lines, branches, and a sample of mutants. Both run on
    /// Cupping's machine
    #[arg(long, help_heading = "Output")]
    pub gain: bool,

    #[command(flatten)]
    pub suite: SuiteArgs,

    #[command(flatten)]
    pub budget: BudgetArgs,

    #[command(flatten)]
    pub store: StoreArgs,

    #[command(flatten)]
    pub accept: AcceptArgs,

    #[command(flatten)]
    pub documents: DocumentArgs,

    /// Also write the results as JUnit's XML
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub junit_xml: Option<PathBuf>,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
