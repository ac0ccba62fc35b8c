//! The arguments of `cupping spec` and `cupping watch`.

use crate::run_args::RunArgs;
use clap::{Args, Subcommand, ValueEnum};
use cupping_watch::Outcome;
use std::path::PathBuf;

pub(crate) const SPEC_HELP: &str = "\
Examples:
  cupping spec check guide.tj --classpath app.jar
  cupping spec format guide.tj
  cupping spec format --check specs

docs/spec.md describes the language.

Exit codes:
  0  all triples hold; all files are laid out
  1  a triple does not hold; with format --check, a file is not laid out
  2  a specification is wrong, or something that is needed is missing";

pub(crate) const WATCH_HELP: &str = "\
Examples:
  cupping watch --specs specs -cp app.jar com.acme.Main data.csv
  cupping watch --suite tests.jar -cp app.jar com.acme.Main data.csv
  cupping watch --specs guide.tj --fail-on failed-test --sarif watch.sarif -jar app.jar

The program runs as with `cupping run`; its output and its exit code are the same. The report is on standard error, and
in the files that are named. docs/watch.md describes it.

Exit codes: those of `cupping run`; and
  1    an outcome of --fail-on came, and the program itself ended with 0
  2    a specification is wrong, or the program could not be started";

/// Arguments of `cupping spec`.
#[derive(Debug, Args)]
pub struct SpecArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: SpecCommand,
}

/// The commands of `cupping spec`.
#[derive(Debug, Subcommand)]
pub enum SpecCommand {
    /// Run the triples, each testcase by itself
    Check(SpecCheckArgs),
    /// Lay specifications out, in place
    Format(SpecFormatArgs),
}

/// Arguments of `cupping spec check`.
#[derive(Debug, Args)]
pub struct SpecCheckArgs {
    /// Specifications, or folders of them (*.tj)
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<PathBuf>,

    /// Folders and jars that hold the classes, as java takes them [default: the current folder]. Also -cp.
    #[arg(long, visible_alias = "class-path", value_name = "PATH")]
    pub classpath: Option<String>,

    /// The JDK whose library and javac are used: its folder, or a version such as 17 [default: JAVA_HOME, then PATH]
    #[arg(long, value_name = "DIR|VERSION")]
    pub jdk: Option<PathBuf>,

    /// How often a testcase with random values is tried
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub tries: usize,

    /// Moves random values
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Arguments of `cupping spec format`.
#[derive(Debug, Args)]
pub struct SpecFormatArgs {
    /// Specifications, or folders of them (*.tj)
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<PathBuf>,

    /// Change nothing; name the files that are not laid out
    #[arg(long)]
    pub check: bool,
}

/// Arguments of `cupping watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The program and how it is run.
    #[command(flatten)]
    pub run: RunArgs,

    /// Specifications, or folders of them (*.tj); may be repeated
    #[arg(long, value_name = "PATH", required_unless_present = "suite", help_heading = "Test mode")]
    pub specs: Vec<PathBuf>,

    /// Tests for JUnit 4 or 5, folders or jars of compiled classes, to be taken as triples; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Test mode")]
    pub suite: Vec<PathBuf>,

    /// JUnit and what else the suites need; may be repeated [default: JUnit's in /usr/share/java]
    #[arg(long, value_name = "JAR", help_heading = "Test mode")]
    pub junit_jar: Vec<PathBuf>,

    /// Calls and backward jumps that one test of a suite may take; tests that take more are left out, and named
    #[arg(long, value_name = "N", default_value_t = 5_000_000, help_heading = "Test mode")]
    pub suite_steps: u64,

    /// End with 1 if one of these outcomes comes; may be repeated
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',', help_heading = "Test mode")]
    pub fail_on: Vec<OutcomeName>,

    /// How deep objects are compared and shown
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Test mode")]
    pub depth: usize,

    /// How often a testcase with random values is tried before the program runs
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = "Test mode")]
    pub tries: usize,

    /// Classes that have been changed: the report lists the triples that concern them; several with commas
    #[arg(long, value_name = "CLASS", value_delimiter = ',', help_heading = "Test mode")]
    pub changed: Vec<String>,

    /// Also write the whole report as a page of HTML, with the objects drawn
    #[arg(long, value_name = "FILE", help_heading = "Test mode")]
    pub html: Option<PathBuf>,

    /// Also write the report as JSON
    #[arg(long, value_name = "FILE", help_heading = "Test mode")]
    pub json: Option<PathBuf>,

    /// Also write the report as SARIF 2.1.0
    #[arg(long, value_name = "FILE", help_heading = "Test mode")]
    pub sarif: Option<PathBuf>,

    /// How many times as much as the program itself conditions may cost, after the first second; calls beyond that are left
    /// out and counted. 0 looks at every call
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Test mode")]
    pub overhead: u32,

    /// Print no report
    #[arg(short, long, help_heading = "Test mode")]
    pub quiet: bool,
}

/// An outcome as an option names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutcomeName {
    /// A precondition held, and the postcondition failed
    FailedTest,
    /// No precondition held, although the tests take all ways through the method
    IncorrectCall,
    /// A precondition held, but control took another way than in its tests
    PathAnomaly,
    /// No precondition held, and control took a way that no test takes
    UntestedPath,
    /// There is no triple for the method
    Untested,
}

impl OutcomeName {
    /// The outcome.
    pub fn outcome(self) -> Outcome {
        match self {
            OutcomeName::FailedTest => Outcome::FailedTest,
            OutcomeName::IncorrectCall => Outcome::IncorrectCall,
            OutcomeName::PathAnomaly => Outcome::PathAnomaly,
            OutcomeName::UntestedPath => Outcome::UntestedPath,
            OutcomeName::Untested => Outcome::Untested,
        }
    }
}
