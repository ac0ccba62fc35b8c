//! The arguments of `cupping generate`.

use crate::shared::assertions::AssertionArgs;
use crate::shared::budget::{BudgetArgs, parse_time};
use crate::shared::emission::EmissionArgs;
use crate::shared::jdk::JdkArgs;
use crate::shared::output::ReportArgs;
use crate::shared::selection::ClassArgs;
use crate::shared::since::SinceArgs;
use crate::shared::source_range::SourceRange;
use crate::shared::store::StoreArgs;
use crate::shared::suite::SuiteArgs;
use clap::{Arg, Args, ValueEnum};
use cupping_case::Criterion;
use cupping_generate::{Criteria, Filter, GenerateOptions, HeapRepresentation, NO_CLOCK};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping generate --classpath lib.jar org.example.Fraction   a class of a jar
  cupping generate -cp classes:lib.jar 'org.example.**'       a package and those in it
  cupping generate build/classes --budget 30s                 all classes of a folder
  cupping generate -cp classes app.Till --method add --junit 4
  cupping generate --at src/main/java/app/Till.java:42        tests that run this line
  cupping generate -cp classes app.Till --criterion branch,boundary,overflow
  cupping generate -cp classes app.Till --corpus .cupping     keeps what the last run found
  cupping generate java.util.BitSet                           a class of the JDK itself

Exit codes:
  0    everything requested is done, whether or not failing inputs were found
  3    nothing went wrong, but no test was found to write
  1    a defect in Cupping: a self-check failed, or a test did not hold on the JDK
       (it is not written)
  2    something could not be done: wrong options, a missing or damaged class, no JDK,
       no JUnit; the other classes are processed anyway
  130  interrupted with Ctrl-C; the tests certified until then are written

docs/generated-files.md describes what happens to existing files.";

const BUDGET: &str = "Time for each class: 500ms, 10s, 2m; where CLASSES has packages, folders or jars, for all classes \
                      together [default: 10s for each class]";
const SUITE: &str = "JUnit tests of your own, compiled: the strings that they pass and the factories that they call are \
                     used too; may be repeated";

/// Help texts of shared arguments that are specific to this command.
fn specific(it: Arg) -> Arg {
    match it.get_id().as_str() {
        "budget" => it.value_parser(parse_time).help(BUDGET),
        "suite" => it.help(SUITE),
        _ => it,
    }
}

/// Arguments of `cupping generate`.
#[derive(Debug, Args)]
#[command(mut_args(specific))]
pub struct Arguments {
    #[command(flatten)]
    pub classes: ClassArgs,

    #[command(flatten)]
    pub jdk: JdkArgs,

    #[command(flatten)]
    pub assertions: AssertionArgs,

    /// The folder for the tests, which are in subfolders by package
    #[arg(short, long, value_name = "DIR", default_value = "cupping-tests", help_heading = "Output")]
    pub out: PathBuf,

    #[command(flatten)]
    pub emission: EmissionArgs,

    #[command(flatten)]
    pub report: ReportArgs,

    /// Write no tests: print the JSON report with the edit that would add them, for editors
    #[arg(long, conflicts_with_all = ["html", "corpus", "store", "explain"], help_heading = "Output")]
    pub edits: bool,

    /// Print statistics of the search and the solver: paths, sequences, queries by layer, time
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Write the first queries that the solver gave up on into this folder, for `cupping solve`
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub save_queries: Option<PathBuf>,

    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Like --budget, but counts work only: no clock ends the search, and all machines find the same, byte for byte
    ///
    /// A busy or slow machine takes longer.
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with = "budget", help_heading = "Search")]
    pub work: Option<Duration>,

    /// Only tests whose last call is this method: NAME or NAME(DESCRIPTOR), as add or add(I)V; may be repeated
    #[arg(long = "method", value_name = "NAME", help_heading = "Search")]
    pub methods: Vec<String>,

    #[command(flatten)]
    pub since: SinceArgs,

    /// Only tests that run one of these lines; without CLASSES, of the class of this file. Existing files stay
    #[arg(long, value_name = "FILE:LINE", value_parser = SourceRange::parse, conflicts_with_all = ["html", "corpus", "store"], help_heading = "Search")]
    pub at: Option<SourceRange>,

    /// Only these may be called before the method under test: NAME, CLASS.NAME, PACKAGE.CLASS or PACKAGE.CLASS.NAME,
    /// in which * is any text and `new` a constructor; may be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "Search")]
    pub include: Vec<String>,

    /// The set-up with which every object under test begins: a static method that creates it, CLASS.METHOD, or the
    /// set-up of a test class (its @BeforeEach or @Before methods, or the named one): CLASS or CLASS.METHOD; may be
    /// repeated
    #[arg(long, value_name = "METHOD", help_heading = "Search")]
    pub setup: Vec<String>,

    #[command(flatten)]
    pub suite: SuiteArgs,

    /// A folder that keeps the tests of each class from run to run: tests of the previous run that still hold keep
    /// their names, and what they cover is not searched for again
    #[arg(long, value_name = "DIR", help_heading = "Search")]
    pub corpus: Option<PathBuf>,

    #[command(flatten)]
    pub store: StoreArgs,

    /// None of these may be called before the method under test; may be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "Search")]
    pub exclude: Vec<String>,

    /// What tests may call; they live in the package of the class
    #[arg(long, value_enum, default_value_t = AccessName::Package, help_heading = "Search")]
    pub access: AccessName,

    /// Instead of tests, explain a method: what it depends on, the sequences of calls that may lead to it, and their
    /// fate; the method is named as for --method
    #[arg(long, value_name = "METHOD", help_heading = "Output")]
    pub explain: Option<String>,

    /// Coverage criteria of the tests, in any combination: line,branch,path,exception,boundary,overflow [default:
    /// lines and branches, and a few definition-use pairs]
    ///
    /// boundary: for each comparison, operands at both sides of its edge (x < y: x == y and x == y - 1). overflow:
    /// operands for which an operation on ints or longs overflows. exception: each type at each place. path: each
    /// path of each method, within the budget and the bounds on lengths.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", help_heading = "Search")]
    pub criterion: Vec<CriterionName>,

    /// Also keep a test for each path of each method
    #[arg(long, help_heading = "Search")]
    pub all_paths: bool,

    /// Also write the inputs that break a precondition which nothing declares: a null, an index, a size or a raw
    /// type that the test itself passes
    #[arg(long, help_heading = "Output")]
    pub preconditions: bool,

    /// Maximal number of calls in a test; more than 6 only after all shorter sequences have been tried
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::new(16).unwrap_or(NonZeroUsize::MIN), help_heading = "Search")]
    pub max_length: NonZeroUsize,

    /// Maximal number of characters of a string, or of elements of an array, that are inputs
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=1024), help_heading = "Search")]
    pub max_elements: u32,

    /// How arrays are represented for the solver
    #[arg(long, value_enum, default_value_t = Heap::Mixed, help_heading = "Search")]
    pub heap: Heap,

    /// Varies the values that exploration starts from; the same seed gives the same tests
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
}

/// `--heap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Heap {
    /// Small arrays are reasoned about as a whole, others by element
    Mixed,
    /// The index of each access is fixed on the path
    Simulation,
    /// All arrays of primitives are reasoned about as a whole
    Reasoning,
}

/// `--access`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AccessName {
    /// Public members only
    Public,
    /// Protected ones too
    Protected,
    /// Everything that code in the same package can call: all but private members
    Package,
    /// Also private methods and constructors of the class, by reflection
    Private,
}

/// `--criterion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CriterionName {
    /// Every line
    Line,
    /// Every way out of a branch
    Branch,
    /// Every path of a method
    Path,
    /// Every type of exception at every place
    Exception,
    /// Both sides at the edge of every comparison
    Boundary,
    /// Overflow of every operation on ints and longs
    Overflow,
    /// Every small fault is noticed by a test
    Mutation,
}

impl From<CriterionName> for Criterion {
    fn from(covering: CriterionName) -> Criterion {
        match covering {
            CriterionName::Line => Criterion::Line,
            CriterionName::Branch => Criterion::Branch,
            CriterionName::Path => Criterion::Path,
            CriterionName::Exception => Criterion::Exception,
            CriterionName::Boundary => Criterion::Boundary,
            CriterionName::Overflow => Criterion::Overflow,
            CriterionName::Mutation => Criterion::Mutation,
        }
    }
}

impl Arguments {
    /// The part that concerns the search.
    pub fn options(&self) -> GenerateOptions {
        GenerateOptions {
            seed: self.seed,
            budget: self.work.or(self.budget.budget).unwrap_or(GenerateOptions::default().budget),
            clock: self.work.map(|_| NO_CLOCK),
            max_length: self.max_length.get(),
            methods: self.methods.clone(),
            preconditions: self.preconditions,
            criteria: Criteria::new(self.criterion.iter().map(|it| Criterion::from(*it)), self.all_paths),
            filter: Filter {
                include: self.include.clone(),
                exclude: self.exclude.clone(),
                access: match self.access {
                    AccessName::Public => cupping_generate::AccessLevel::Public,
                    AccessName::Protected => cupping_generate::AccessLevel::Protected,
                    AccessName::Package => cupping_generate::AccessLevel::Package,
                    AccessName::Private => cupping_generate::AccessLevel::Private,
                },
            },
            max_elements: self.max_elements,
            heap: match self.heap {
                Heap::Mixed => HeapRepresentation::Mixed,
                Heap::Simulation => HeapRepresentation::Simulation,
                Heap::Reasoning => HeapRepresentation::Reasoning,
            },
            explain: self.report.html.is_some(),
            ..GenerateOptions::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use crate::commands::Command;
    use clap::Parser;

    #[test]
    fn defaults_are_those_of_the_search() {
        let cli = Cli::parse_from(["cupping", "generate", "x.Y"]);
        let Command::Generate(args) = cli.command else { panic!("generate is generate") };
        assert_eq!(format!("{:?}", args.options()), format!("{:?}", GenerateOptions::default()));
    }
}
