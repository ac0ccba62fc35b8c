//! `cupping generate`: certified tests for classes.

pub mod arguments;
mod conclude;
mod explain;
mod findings;
mod guidance;
mod pages;
mod report;
mod statistics;

use crate::frame::store_context::StoreContext;
use crate::frame::{Budget, CommandRun, Failure, Share, ShareUsage, Work};
use crate::process::console;
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::process::progress::Line;
use crate::shared::class_rules::ArgumentsByClass;
use crate::shared::emit::Emitter;
use crate::shared::missing_libraries::missing_libraries;
use crate::shared::names;
use crate::shared::selection::Selection;
use arguments::{AccessName, Arguments};
use conclude::Conclusion;
use cupping_case::Criterion;
use cupping_classfile::{PATH_SEPARATOR, Program};
use cupping_generate::{ClassOutcome, GenerateError, GenerateOptions, Session};
use cupping_report::files::Author;
use pages::Pages;
use report::Summary;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Runs the command.
pub fn run(args: &'static Arguments, author: Author) -> ExitCode {
    let status = match &args.explain {
        Some(method) => explain::explain(args, method),
        None => generate(args, author),
    };
    ExitCode::from(status.unwrap_or_else(|error| console::bad_input(&error)).code())
}

fn generate(args: &'static Arguments, author: Author) -> Result<Status, String> {
    let (program, mut selection) = args.classes.select(args.jdk.locate()?);
    let program = args.assertions.of(&program);
    if let Some(nothing) = args.since.narrow(&mut selection, &program)? {
        console::say(&nothing);
        return Ok(Status::DONE);
    }
    let at = args.at.as_ref().map(|place| place.narrow(&mut selection, &program));
    let selection = Arc::new(selection);
    if !console::is_quiet() {
        missing_libraries(&program, &selection).iter().for_each(|missing| console::warning(missing));
    }
    let unknown = unknown_names(args, &program, &selection);
    if !unknown.is_empty() {
        unknown.iter().for_each(|error| console::error(error));
        return Ok(Status::BAD_INPUT);
    }
    let mut keeping = keeping(args, &author, &program)?;
    let places = Places::of(args, &mut keeping);
    // Starts the slowest part first: the JVM warms up while the machine boots. With kept results it may not be
    // needed.
    let classes = selection.classes.iter().map(|class| class.name.as_str());
    let mut emitter = match keeping {
        Some(_) => Emitter::start_late(&args.emission, &author, &places.out, &program, classes)?,
        None => Emitter::start(&args.emission, &author, &places.out, &program, classes)?,
    };
    emitter.is_partial = !args.methods.is_empty() || at.is_some();
    if at.is_some() {
        emitter.keep_all_files();
    }
    let edits = args.edits.then(|| emitter.propose());
    let mut status = Status::DONE;
    let (sources, source_errors) = args.report.sources.open();
    let pages = places.html.map(|folder| Pages { folder, sources });
    let (guidance, guidance_errors) = guidance::read(args, &program);
    let (corpus, corpus_errors) = guidance::read_corpus(args, &selection);
    let mut options =
        GenerateOptions { guidance: Arc::new(guidance), corpus: Arc::new(corpus), ..args.options() };
    if let Some(found) = at.as_ref().filter(|it| it.is_callable && options.methods.is_empty()) {
        options.methods = found.methods.values().flatten().cloned().collect();
    }
    let errors = selection.errors.iter().chain(&source_errors);
    for error in errors.chain(&guidance_errors).chain(&corpus_errors) {
        status.add(console::bad_input(error));
    }
    let summary = Arc::new(Summary::new(args, &program, &selection, edits));
    let mut conclusion = Conclusion {
        program: &program,
        emitter,
        queries: places.queries,
        corpus: places.corpus,
        pages: pages.as_ref(),
        at: args.at.as_ref().zip(at.as_ref()),
        totals: Arc::clone(&summary.totals),
    };
    let budget = match args.work.or(args.budget.budget) {
        Some(total) if selection.is_wide => Budget::InRounds(total),
        _ => Budget::Each(options.budget),
    };
    let run = CommandRun {
        command: "generate",
        selection,
        report: &args.report,
        class_path: program.class_path().paths(),
        module: args.classes.module.clone(),
        answers_in_json: args.edits,
        jobs: args.budget.jobs.threads(),
        budget,
        reproduction: reproduction(args, &program),
        out: Some(places.out),
        interrupted,
        keeping: keeping.map(Arc::new),
    };
    let by_class = args.classes.rules.arguments::<Arguments>(run.selection.names());
    let search = Search { program: &program, options, by_class };
    status.add(run.conduct(&search, &mut conclusion, summary));
    Ok(status)
}

/// The context of the store, if results are kept: `--store`, or a stage of a larger run.
fn keeping(
    args: &Arguments,
    author: &Author,
    program: &Arc<Program>,
) -> Result<Option<StoreContext>, String> {
    let part = (args.at.is_some() || args.edits).then_some("a run with --at or --edits");
    if !args.store.keeps(part)? {
        return Ok(None);
    }
    let sources = args.report.sources.source_path.iter().filter(|_| args.report.html.is_some());
    let sources = sources.flat_map(|it| it.split(PATH_SEPARATOR)).map(PathBuf::from);
    let inputs: Vec<PathBuf> = args.suite.paths().into_iter().chain(sources).collect();
    let header = args.emission.style.header()?.unwrap_or_default();
    let shown = author.options.clone() + &args.classes.rules.shown() + &header;
    StoreContext::wanted(&args.store, "generate", &shown, &inputs, program)
}

/// The output paths of the command.
struct Places {
    out: PathBuf,
    html: Option<PathBuf>,
    queries: Option<PathBuf>,
    corpus: Option<PathBuf>,
}

impl Places {
    fn of(args: &Arguments, keeping: &mut Option<StoreContext>) -> Places {
        let mut place = |name: &'static str, path: &Path| StoreContext::place(keeping, name, path);
        let places = Places {
            out: place("out", &args.out),
            html: args.report.html.as_deref().map(|it| place("html", it)),
            queries: args.save_queries.as_deref().map(|it| place("save-queries", it)),
            corpus: args.corpus.as_deref().map(|it| place("corpus", it)),
        };
        if let (Some(keeping), Some(corpus)) = (keeping, &args.corpus) {
            keeping.reads_by_class(corpus);
        }
        places
    }
}

/// The search for tests.
struct Search<'a> {
    program: &'a Arc<Program>,
    options: GenerateOptions,
    /// The arguments of classes that have some of their own.
    by_class: ArgumentsByClass<Arguments>,
}

impl Search<'_> {
    /// The options for a class, without its share of a budget.
    fn options_of(&self, class: &str) -> GenerateOptions {
        let Some(own) = self.by_class.get(class) else { return self.options.clone() };
        let GenerateOptions { guidance, corpus, .. } = self.options.clone();
        GenerateOptions { guidance, corpus, ..own.arguments.options() }
    }
}

impl Work for Search<'_> {
    type Session = Session;
    type Findings = Box<ClassOutcome>;

    fn boot(&self) -> Result<Session, Failure> {
        Ok(Session::new(Arc::clone(self.program))?)
    }

    fn work(
        &self,
        session: &mut Session,
        class: &str,
        share: Share,
        line: &Line,
    ) -> Result<Box<ClassOutcome>, Failure> {
        let of_class = self.options_of(class);
        let clock = of_class.clock.or(share.clock);
        let options = GenerateOptions { budget: share.budget, clock, ..of_class };
        let mut progress = |progress| {
            line.update(progress);
            !interrupted()
        };
        Ok(Box::new(session.generate(class, &options, &mut progress)?))
    }

    fn need(&self, found: &Box<ClassOutcome>) -> ShareUsage {
        let value = found.suite.lines.covered + found.suite.branches.covered;
        ShareUsage { work: found.work, wants_more: found.wants_more, value }
    }

    fn own_budget(&self, class: &str) -> Option<Duration> {
        let own = self.by_class.get(class).filter(|own| own.has_budget)?;
        Some(own.arguments.options().budget)
    }

    fn is_timed(&self) -> bool {
        !self.options.counts_work_only()
    }
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        match error {
            GenerateError::Boot(error) => Failure::Boot(error.to_string()),
            GenerateError::Class(error) => Failure::Input(error),
        }
    }
}

/// Errors about unknown names in the options.
fn unknown_names(args: &Arguments, program: &Program, selection: &Selection) -> Vec<String> {
    let mut errors = names::unknown_methods("--method", &args.methods, program, selection);
    errors.extend(names::unknown_patterns("--include", &args.include, program, selection));
    errors.extend(names::unknown_patterns("--exclude", &args.exclude, program, selection));
    errors
}

/// The options that say what tests are to cover.
fn criteria(args: &Arguments) -> String {
    let names: Vec<&str> = args.criterion.iter().map(|it| Criterion::from(*it).name()).collect();
    let criteria = if names.is_empty() { String::new() } else { format!(" --criterion {}", names.join(",")) };
    criteria + if args.all_paths { " --all-paths" } else { "" }
}

/// The command line that repeats the run, up to the class.
fn reproduction(args: &Arguments, program: &Program) -> String {
    let entries = program.class_path().entries().map(|it| it.path().to_owned());
    let class_path = std::env::join_paths(entries).unwrap_or_default();
    let heap = format!("{:?}", args.heap).to_lowercase();
    let all = |option: &str, values: &[String]| -> String {
        values.iter().map(|value| format!(" {option} '{value}'")).collect()
    };
    let methods = all("--method", &args.methods)
        + &all("--include", &args.include)
        + &all("--exclude", &args.exclude)
        + &all("--setup", &args.setup)
        + &all("--suite", &args.suite.suite)
        + &args.corpus.iter().map(|it| format!(" --corpus '{}'", it.display())).collect::<String>()
        + &criteria(args)
        + &match args.access {
            AccessName::Package => String::new(),
            other => format!(" --access {}", format!("{other:?}").to_lowercase()),
        };
    format!(
        "cupping generate --jdk '{}' --classpath '{}' --seed {} --{} {}ms --max-length {} --max-elements {} \
         --heap {heap}{methods}",
        program.jdk().home().display(),
        class_path.to_string_lossy(),
        args.seed,
        if args.work.is_some() { "work" } else { "budget" },
        args.options().budget.as_millis(),
        args.max_length,
        args.max_elements,
    )
}
