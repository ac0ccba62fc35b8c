//! The arguments of `cupping mutants`.

use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What is printed below the options.
pub const MUTANTS_HELP: &str = "\
Examples:
  cupping mutants --classpath classes:lib.jar:JUNIT --suite test-classes 'org.example.**'
  cupping mutants -cp lib.jar:JUNIT --suite theirs --suite ours org.example.Fraction --sample 200

JUNIT stands for the jars of JUnit's launcher and of the engines of the tests (junit-platform-launcher,
junit-jupiter-engine, for JUnit 4 junit-vintage-engine and junit4) with what they need.

Exit codes:
  0    done, whatever the scores
  1    Cupping was wrong: it panicked on a mutant, which is not judged
  2    something could not be done: a suite without a test that passes, no JDK, no such class
  130  interrupted with Ctrl-C; the mutants judged until then are reported";

/// Arguments of `cupping mutants`.
#[derive(Debug, Args)]
pub struct MutantsArgs {
    /// The classes that faults are put into, as for `cupping generate`
    #[arg(value_name = "CLASSES", required = true)]
    pub selectors: Vec<String>,

    /// Folders and jars that hold the classes, JUnit, and all that the tests need. Also -cp
    #[arg(long, visible_alias = "class-path", value_name = "PATH")]
    pub classpath: String,

    /// A folder or jar of compiled tests; may be repeated, and each is judged by the same mutants
    #[arg(long = "suite", value_name = "PATH", required = true)]
    pub suites: Vec<PathBuf>,

    /// The JDK whose library is used [default: JAVA_HOME, then PATH]
    #[arg(long, value_name = "DIR")]
    pub jdk: Option<PathBuf>,

    /// Judge only this many mutants, spread evenly over all
    #[arg(long, value_name = "N")]
    pub sample: Option<NonZeroUsize>,

    /// Steps (calls and backward jumps) that a test may take of itself; a longer one is left out. With a mutant it may take
    /// five times its own
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    pub max_steps: u64,

    /// A system property of the tests; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub properties: Vec<String>,

    /// List the mutants that no test of a suite noticed
    #[arg(long)]
    pub survivors: bool,

    /// Also write every mutant and its end as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
