//! The arguments.

use crate::dataflow_args::DataflowArgs;
use crate::emission::EmissionArgs;
use crate::exhaust_args::{EXHAUST_HELP, ExhaustArgs};
use crate::infer_args::{INFER_HELP, InferArgs};
use crate::mutants_args::{MUTANTS_HELP, MutantsArgs};
use crate::run_args::RunArgs;
use crate::spec_args::{SPEC_HELP, SpecArgs, WATCH_HELP, WatchArgs};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use cupping_case::Criterion;
use cupping_generate::{Criteria, Filter, HeapRepresentation, Options};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Generates the tests that Java code is missing.
///
/// Cupping runs compiled Java on a virtual machine of its own, finds inputs that take every branch, and writes
/// JUnit tests that compile and pass on your JDK.
#[derive(Debug, Parser)]
#[command(name = "cupping", version, disable_help_subcommand = false, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write certified JUnit tests for classes
    #[command(after_help = GENERATE_HELP)]
    Generate(GenerateArgs),
    /// Find the definition-use pairs of classes, and a sequence of calls for each
    #[command(after_help = DATAFLOW_HELP)]
    Dataflow(DataflowArgs),
    /// Find likely specifications of classes, and tests that break what other tests suggest
    #[command(after_help = INFER_HELP)]
    Infer(InferArgs),
    /// Run a Java program on the machine, out of reach of this computer
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// Put small faults into classes and count how many each suite of tests notices
    #[command(after_help = MUTANTS_HELP)]
    Mutants(MutantsArgs),
    /// Check or lay out specifications in TestJava
    #[command(after_help = SPEC_HELP)]
    Spec(SpecArgs),
    /// Run a Java program in test mode: every call is held against the triples of specifications
    #[command(after_help = WATCH_HELP)]
    Watch(Box<WatchArgs>),
    /// Run a method on every input within a scope, and check what it does
    #[command(after_help = EXHAUST_HELP)]
    Exhaust(Box<ExhaustArgs>),
    /// Ask the solver again what a saved query holds
    #[command(after_help = SOLVE_HELP)]
    Solve(SolveArgs),
    /// Show which JDK, JUnit jars and cache folder are used, and what is missing
    Doctor(DoctorArgs),
}

const GENERATE_HELP: &str = "\
Examples:
  cupping generate --classpath lib.jar org.example.Fraction   a class of a jar
  cupping generate -cp classes:lib.jar 'org.example.**'       a package and those in it
  cupping generate build/classes --budget 30s                 all classes of a folder
  cupping generate -cp classes app.Till --method add --junit 4
  cupping generate -cp classes app.Till --criterion branch,boundary,overflow
  cupping generate -cp classes app.Till --corpus .cupping     keeps what the last run found
  cupping generate java.util.BitSet                           a class of the JDK itself

Exit codes:
  0    all that was asked for is done, whether or not failing inputs were found
  3    nothing went wrong, and no test was found to write
  1    Cupping was wrong: a self-check failed, or a test did not hold on the JDK
       (it is not written)
  2    something could not be done: wrong options, a class that is missing or
       damaged, no JDK, no JUnit; the other classes are done all the same
  130  interrupted with Ctrl-C; what was certified until then is written

docs/generated-files.md says what becomes of files that are there.";

const DATAFLOW_HELP: &str = "\
Examples:
  cupping dataflow --classpath app.jar com.acme.CoinBox
  cupping dataflow -cp app.jar com.acme.CoinBox --conditions --tree 7
  cupping dataflow -cp app.jar com.acme.CoinBox --out tests --svg drawings
  cupping dataflow -cp app.jar com.acme.Tally --invariant 'count: sum == 2 * i'

Exit codes:
  0    all that was asked for is done, whether or not pairs are left open
  3    with --out: nothing went wrong, and no test was found to write
  1    Cupping was wrong: a self-check failed, or a test did not hold on the JDK
       (it is not written)
  2    something could not be done: wrong options, a class that is missing or
       damaged, no JDK, no JUnit; the other classes are done all the same
  130  interrupted with Ctrl-C";

const RUN_HELP: &str = "\
Examples:
  cupping run --classpath classes org.example.Main one two
  cupping run -cp classes:lib.jar -Dmode=fast -ea org.example.Main
  cupping run --jdk 25 --jar app.jar
  cupping run -cp classes --file data.csv=/data.csv Main /data.csv

What follows the main class is the program's. The program sees files that it made itself or that --file gave it,
a clock and randomness that are the same in each run, and no network.

Exit codes: those of the program, as with java (1 after an uncaught exception); and
  2    it could not be started: wrong options, no JDK, a class path that cannot be read
  124  it took more than --max-steps
  125  all its threads wait for each other
  126  it came to something that the machine does not support
  130  interrupted with Ctrl-C";

const SOLVE_HELP: &str = "\
A self-check that fails saves its query in OUT/cupping-internal-errors.

Exit codes:
  0  answered, or given up for lack of budget
  1  layers of the solver contradict each other
  2  the file is not there or holds no query";

/// Arguments of `cupping generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// Classes: org.example.Range, org.example.Map$Entry, org.example.* (a package), org.example.** (with
    /// subpackages), a folder of classes, or a jar
    #[arg(value_name = "CLASSES", required = true)]
    pub selectors: Vec<String>,

    /// Folders and jars that hold the classes and all they need, as java takes them
    ///
    /// Without it: the folders and jars among CLASSES, else the current folder. Also -cp.
    #[arg(long, visible_alias = "class-path", value_name = "PATH", help_heading = "Input")]
    pub classpath: Option<String>,

    /// The JDK whose library, javac and java are used [default: JAVA_HOME, then PATH]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub jdk: Option<PathBuf>,

    /// Folders and jars with the sources that --html shows [default: what is found beside the classes]
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub source_path: Option<String>,

    /// Where the tests are written, in folders by package
    #[arg(short, long, value_name = "DIR", default_value = "cupping-tests", help_heading = "Output")]
    pub out: PathBuf,

    #[command(flatten)]
    pub emission: EmissionArgs,

    /// Also write what was found as JSON (docs/json-schema.md)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Also write pages to look at: code with its coverage, tests, and constraint trees (docs/html.md)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Print what the search and the solver did: paths, sequences, queries by layer, time
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    /// Write the first queries that the solver gave up on into this folder, for `cupping solve`
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub save_queries: Option<PathBuf>,

    /// Print errors only
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// Time for each class: 500ms, 10s, 2m; where CLASSES has packages, folders or jars, for all classes together [default: 10s
    /// for each class]
    ///
    /// Together: each class gets an equal part at first; what those that are covered leave over goes to those that are not.
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Search")]
    pub budget: Option<Duration>,

    /// Only tests whose last call is this method: NAME or NAME(DESCRIPTOR), as add or add(I)V; may be repeated
    #[arg(long = "method", value_name = "NAME", help_heading = "Search")]
    pub methods: Vec<String>,

    /// Only these may be called before the method under test: NAME, CLASS.NAME, PACKAGE.CLASS or PACKAGE.CLASS.NAME, in
    /// which * is any text and `new` a constructor; may be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "Search")]
    pub include: Vec<String>,

    /// What every object under test begins with: a static method that makes it, CLASS.METHOD, or the set-up of a test
    /// class (its @BeforeEach or @Before methods, or the one named): CLASS or CLASS.METHOD; may be repeated
    #[arg(long, value_name = "METHOD", help_heading = "Search")]
    pub setup: Vec<String>,

    /// A folder or jar of existing tests, compiled: the strings that they pass and the factories that they call are used
    /// too; may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Search")]
    pub suite: Vec<String>,

    /// A folder that keeps the tests of each class from run to run: those of the run before that still hold keep their
    /// names, and what they cover is not searched for again
    #[arg(long, value_name = "DIR", help_heading = "Search")]
    pub corpus: Option<PathBuf>,

    /// None of these may be called before the method under test; may be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "Search")]
    pub exclude: Vec<String>,

    /// What tests may call; they live in the package of the class
    #[arg(long, value_enum, default_value_t = Access::Package, help_heading = "Search")]
    pub access: Access,

    /// Instead of tests: what a method depends on, the sequences of calls that may lead to it, and what became of
    /// them; the method is named as for --method
    #[arg(long, value_name = "METHOD", help_heading = "Output")]
    pub explain: Option<String>,

    /// What tests are to cover, any mix: line,branch,path,exception,boundary,overflow [default: lines and branches, and
    /// a few definition-use pairs]
    ///
    /// boundary: for each comparison, operands at both sides of its edge (x < y: x == y and x == y - 1). overflow:
    /// operands for which an operation on ints or longs overflows. exception: each type at each place. path: each path
    /// of each method, within the budget and the bounds on lengths.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST", help_heading = "Search")]
    pub criterion: Vec<Covering>,

    /// Keep a test for each path of each method beside what covers the rest
    #[arg(long, help_heading = "Search")]
    pub all_paths: bool,

    /// Calls in a test at most; more than 6 only where all that are shorter have been tried
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::new(16).unwrap_or(NonZeroUsize::MIN), help_heading = "Search")]
    pub max_length: NonZeroUsize,

    /// Characters of a string and elements of an array at most, where they are inputs
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=1024), help_heading = "Search")]
    pub max_elements: u32,

    /// How arrays are put to the solver
    #[arg(long, value_enum, default_value_t = Heap::Mixed, help_heading = "Search")]
    pub heap: Heap,

    /// Moves the values that exploration starts from; the same seed gives the same tests
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,

    /// Classes worked on at the same time; the tests do not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", help_heading = "Search")]
    pub jobs: Option<NonZeroUsize>,
}

/// Arguments of `cupping solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// A query as Cupping saves it
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print the counters of the solver's layers
    #[arg(long)]
    pub stats: bool,
}

/// Arguments of `cupping doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The JDK to look at: its folder, or a version such as 17 [default: JAVA_HOME, then PATH]
    #[arg(long, value_name = "DIR|VERSION")]
    pub jdk: Option<PathBuf>,

    /// A jar of JUnit, or a folder of them; may be repeated
    #[arg(long, value_name = "JAR")]
    pub junit_jar: Vec<PathBuf>,

    /// List the native methods that a module of the JDK declares, and whether the machine has or lacks them; all for
    /// all modules
    #[arg(long, value_name = "MODULE", num_args = 0..=1, default_missing_value = "java.base")]
    pub natives: Option<String>,
}

/// `--junit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Junit {
    /// JUnit 4.13
    #[value(name = "4")]
    Four,
    /// JUnit 5 (Jupiter)
    #[value(name = "5")]
    Five,
    /// TestNG
    #[value(name = "testng")]
    TestNg,
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
pub enum Access {
    /// Public members only
    Public,
    /// Protected ones too
    Protected,
    /// All that code in the same package can call: everything but private members
    Package,
    /// Private methods and constructors of the class too, by reflection
    Private,
}

/// `--criterion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Covering {
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
}

impl From<Covering> for Criterion {
    fn from(covering: Covering) -> Criterion {
        match covering {
            Covering::Line => Criterion::Line,
            Covering::Branch => Criterion::Branch,
            Covering::Path => Criterion::Path,
            Covering::Exception => Criterion::Exception,
            Covering::Boundary => Criterion::Boundary,
            Covering::Overflow => Criterion::Overflow,
        }
    }
}

impl GenerateArgs {
    /// The part that concerns the search.
    pub fn options(&self) -> Options {
        Options {
            seed: self.seed,
            budget: self.budget.unwrap_or(Options::default().budget),
            max_length: self.max_length.get(),
            methods: self.methods.clone(),
            criteria: Criteria::new(self.criterion.iter().map(|it| Criterion::from(*it)), self.all_paths),
            filter: Filter {
                include: self.include.clone(),
                exclude: self.exclude.clone(),
                access: match self.access {
                    Access::Public => cupping_generate::Access::Public,
                    Access::Protected => cupping_generate::Access::Protected,
                    Access::Package => cupping_generate::Access::Package,
                    Access::Private => cupping_generate::Access::Private,
                },
            },
            max_elements: self.max_elements,
            heap: match self.heap {
                Heap::Mixed => HeapRepresentation::Mixed,
                Heap::Simulation => HeapRepresentation::Simulation,
                Heap::Reasoning => HeapRepresentation::Reasoning,
            },
            explain: self.html.is_some(),
            ..Options::default()
        }
    }
}

/// Options that `java` writes with one dash, as Cupping writes them.
const AS_JAVA: [(&str, &str); 6] = [
    ("-cp", "--classpath"),
    ("-classpath", "--classpath"),
    ("-jar", "--jar"),
    ("-ea", "--enable-assertions"),
    ("-enableassertions", "--enable-assertions"),
    ("-version", "--version"),
];

/// The arguments with `-cp` and its like, which `java` takes, in the form of two dashes. What a program that is run
/// gets is left as it is.
pub fn as_java_users_type(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut typed = Vec::new();
    let mut all_are_values = false;
    let (mut command, mut is_value) = (None::<OsString>, false);
    for arg in args {
        let text = arg.to_str().unwrap_or_default().to_owned();
        let is_run = command.as_deref().is_some_and(|it| it == "run" || it == "watch");
        all_are_values |= arg == "--";
        if all_are_values || is_value {
            let is_jar = !all_are_values && typed.last().is_some_and(|it| it == "--jar");
            is_value = false;
            typed.push(arg);
            // The program's arguments follow the jar.
            if is_jar && is_run {
                all_are_values = true;
                typed.push("--".into());
            }
            continue;
        }
        if !text.starts_with('-') {
            match command {
                // The main class: what follows belongs to the program.
                Some(_) if is_run => {
                    all_are_values = true;
                    typed.push("--".into());
                }
                Some(_) => {}
                None if !typed.is_empty() => command = Some(arg.clone()),
                None => {}
            }
            typed.push(arg);
            continue;
        }
        let long = AS_JAVA.iter().find(|(short, _)| *short == text).map(|(_, long)| *long);
        let limit = ["heap", "stack"].into_iter().zip(["-Xmx", "-Xss"]);
        let limit = limit.filter_map(|(name, short)| Some((name, text.strip_prefix(short)?))).next();
        match (long, limit) {
            (Some(long), _) if is_run || long == "--classpath" => typed.push(long.into()),
            (_, Some((name, size))) if is_run => typed.push(format!("--{name}={size}").into()),
            _ => typed.push(arg),
        }
        is_value = is_run
            && typed.last().zip(command.as_deref()).is_some_and(|(it, command)| {
                takes_value(&command.to_string_lossy(), it.to_str().unwrap_or_default())
            });
    }
    typed
}

/// Whether this option of `run` or `watch` takes the next argument as its value.
fn takes_value(command: &str, option: &str) -> bool {
    let cli = Cli::command();
    let Some(run) = cli.find_subcommand(command) else { return false };
    run.get_arguments().filter(|it| !it.is_positional()).any(|it| {
        let names = it.get_long_and_visible_aliases().unwrap_or_default();
        let long = option.strip_prefix("--").is_some_and(|name| names.contains(&name));
        let short = it.get_short().is_some_and(|letter| option == format!("-{letter}"));
        (long || short) && it.get_action().takes_values()
    })
}

/// A time such as `500ms`, `1.5s`, `2m`; at most a day.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    const A_DAY: f64 = 86_400.0;
    let form = || format!("'{text}' is no time; write it as 500ms, 10s or 2m");
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(form()),
    };
    let time = number.parse::<f64>().map_err(|_| form())? * seconds;
    if time > A_DAY {
        return Err(format!("{text} is more than a day"));
    }
    if time <= 0.0 {
        return Err(format!("{text} leaves no time; 100ms are enough for small classes"));
    }
    Ok(Duration::from_secs_f64(time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use proptest::prelude::*;

    #[test]
    fn the_description_of_the_arguments_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn defaults_are_those_of_the_search() {
        let cli = Cli::parse_from(["cupping", "generate", "x.Y"]);
        let Command::Generate(args) = cli.command else { panic!("generate is generate") };
        assert_eq!(format!("{:?}", args.options()), format!("{:?}", Options::default()));
    }

    #[test]
    fn class_paths_may_be_typed_as_for_java() {
        let typed = ["cupping", "generate", "-cp", "a:b", "--", "-cp"].map(OsString::from);
        let read = as_java_users_type(typed.into_iter());
        assert_eq!(read, ["cupping", "generate", "--classpath", "a:b", "--", "-cp"].map(OsString::from));
    }

    #[test]
    fn what_a_program_gets_is_left_as_it_is() {
        let cases = [
            (
                "run -cp a -Dx=y -ea Main -cp -Dz",
                "run --classpath a -Dx=y --enable-assertions -- Main -cp -Dz",
            ),
            ("run -Xmx64m -jar a.jar -x Main", "run --heap=64m --jar a.jar -- -x Main"),
            ("run --seed 3 -- Main -ea", "run --seed 3 -- Main -ea"),
        ];
        for (typed, expected) in cases {
            let words = |text: &str| -> Vec<OsString> {
                ["cupping"].into_iter().chain(text.split(' ')).map(OsString::from).collect()
            };
            let read = as_java_users_type(words(typed).into_iter());
            assert_eq!(read, words(expected), "{typed}");
            let cli = Cli::parse_from(read);
            let Command::Run(args) = cli.command else { panic!("run is run") };
            assert!(!args.words.is_empty(), "{typed}");
        }
    }

    #[test]
    fn times_are_read() {
        let cases = [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("1.5s", Some(1500)),
            ("2m", Some(120_000)),
            ("1h", Some(3_600_000)),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("0s", None),
            ("1.2.3s", None),
            ("10 s", None),
            ("99999h", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_time(text).ok(), expected.map(Duration::from_millis), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_time_or_refused(text in "[0-9.a-z \u{e9}-]{0,8}") {
            if let Ok(time) = parse_time(&text) {
                prop_assert!(!time.is_zero() || text.contains("ms"));
            }
        }
    }
}
