//! The arguments of `cupping diff`.

use crate::shared::accepted_findings::AcceptArgs;
use crate::shared::budget::BudgetArgs;
use crate::shared::emission::EmissionArgs;
use crate::shared::jdk::JdkArgs;
use crate::shared::output::{ConsoleArgs, DocumentArgs};
use crate::shared::store::StoreArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Budget of a class, unless the user sets one: a change in few classes gets more time for each.
pub fn budget_of_each(classes: usize) -> Duration {
    let seconds = 40 / classes.max(1) as u64;
    Duration::from_secs(seconds.clamp(10, 20))
}

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping diff old.jar new.jar
  cupping diff old/classes new/classes org.example.Range --classpath lib.jar
  cupping diff --git main..HEAD --build 'mvn -q compile' --html page
  cupping diff old.jar new.jar --budget 0s
  cupping diff old.jar new.jar --markdown report.md --sarif report.sarif
  cupping diff old.jar new.jar --emit old --out tests
  cupping diff old.jar new.jar --accept accepted.json --reason 'rounds half up since 2.0'
  cupping diff --jdk-old 17 --jdk-new 25 application.jar
  cupping diff --jdk-old 17 --jdk-new 25 'java.util.*'

docs/diff.md describes what is compared, and what each verdict means.

Exit codes:
  0    no difference in behaviour was found, or all are accepted
  1    differences were found; or an internal error
  2    something requested could not be done
  130  interrupted";

/// For which version tests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EmittedVersion {
    /// Tests that pass on the old version and fail on the new one
    Old,
    /// Tests that pass on the new version and fail on the old one
    New,
}

/// Arguments of `cupping diff`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The old version: folders and jars, as java takes a class path
    #[arg(value_name = "OLD", required_unless_present_any = ["git", "jdk_old", "jdk_new"])]
    pub old: Option<String>,

    /// The classes as they are now
    #[arg(value_name = "NEW", required_unless_present_any = ["git", "jdk_old", "jdk_new"])]
    pub new: Option<String>,

    /// Classes to be searched for differences: org.example.Range, org.example.*, org.example.** [default: those from
    /// which changes are visible]
    #[arg(value_name = "CLASSES")]
    pub classes: Vec<String>,

    /// Instead of OLD and NEW, two commits of the surrounding repository: A..B, A...B (since B branched off), or A
    /// (up to HEAD). Both are checked out in a temporary folder and built there
    #[arg(long, value_name = "RANGE", help_heading = "Input")]
    pub git: Option<String>,

    /// The command that builds a checkout of --git [default: the project's build tool, else javac]
    #[arg(long, value_name = "COMMAND", requires = "git", help_heading = "Input")]
    pub build: Option<String>,

    /// Folders and jars in a checkout that the build creates [default: those that the build tool names; with
    /// --build, the usual folders of Maven and Gradle]
    #[arg(long, value_name = "PATH", requires = "git", help_heading = "Input")]
    pub built: Option<String>,

    /// Folders and jars that both versions need, as java takes them. Also -cp
    #[arg(long, visible_alias = "class-path", value_name = "PATH", help_heading = "Input")]
    pub classpath: Option<String>,

    /// Folders and jars that only the old version needs
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub classpath_old: Option<String>,

    /// Folders and jars that only the new version needs
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub classpath_new: Option<String>,

    /// Folders and jars with the sources of the old version, which --html shows [default: those found next to the
    /// classes]
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub source_path_old: Option<String>,

    /// Folders and jars with the sources of the new version
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub source_path_new: Option<String>,

    #[command(flatten)]
    pub jdk: JdkArgs,

    /// The JDK of the old version, if the versions run on different ones: its folder, or a version such as 17. NEW may
    /// then be left out, for the same classes on both; without OLD, CLASSES are those of the JDK [default: --jdk]
    #[arg(long, value_name = "DIR|VERSION", conflicts_with = "git", help_heading = "Input")]
    pub jdk_old: Option<PathBuf>,

    /// The JDK of the new version, if the versions run on different ones [default: --jdk]
    #[arg(long, value_name = "DIR|VERSION", conflicts_with = "git", help_heading = "Input")]
    pub jdk_new: Option<PathBuf>,

    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Moves the values that are tried first
    #[arg(long, value_name = "N", help_heading = "Search", default_value_t = 0)]
    pub seed: u64,

    /// Folder of specifications that `infer --write` recorded of the old version: differences that break one come first
    /// [default: specifications inferred from executions of the old version]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["jdk_old", "jdk_new"], help_heading = "Search")]
    pub specification: Option<PathBuf>,

    /// Infer no specification of the old version; differences are then ranked by their kind only
    #[arg(long, conflicts_with = "specification", help_heading = "Search")]
    pub no_inference: bool,

    /// Report what the machine found without confirming it on the JDK
    #[arg(long, help_heading = "Search")]
    pub no_confirm: bool,

    #[command(flatten)]
    pub store: StoreArgs,

    #[command(flatten)]
    pub accept: AcceptArgs,

    /// Write a test for each difference
    #[arg(long, value_enum, value_name = "VERSION", requires = "out", help_heading = "Output")]
    pub emit: Option<EmittedVersion>,

    /// Folder for the tests
    #[arg(short, long, value_name = "DIR", requires = "emit", help_heading = "Output")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub emission: EmissionArgs,

    #[command(flatten)]
    pub documents: DocumentArgs,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
