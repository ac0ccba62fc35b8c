//! `cupping generate`, from the arguments to the summary.

use crate::args::{Access, GenerateArgs};
use crate::console;
use crate::exit::Status;
use crate::explain::explain;
use crate::guidance;
use crate::interrupt::{self, interrupted};
use crate::jobs::Work;
use crate::names;
use crate::pages::Pages;
use crate::progress::Board;
use crate::selection::{self, Selection};
use crate::settle::{Settled, Settler, failed, nothing_written};
use crate::sources::Sources;
use crate::statistics::Totals;
use cupping_case::Criterion;
use cupping_classfile::{Jdk, Program};
use cupping_generate::{Options, Session};
use cupping_report::certify::Stage;
use cupping_report::files::{self, Author, TestFolder};
use cupping_report::result::ClassResult;
use cupping_report::{json, summary};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Runs the command; errors are printed as they are met, results at the end.
pub fn generate(args: &'static GenerateArgs, author: Author) -> Status {
    if let Some(method) = &args.explain {
        return explain(args, method);
    }
    let jdk = match Jdk::locate(args.jdk.as_deref()) {
        Ok(jdk) => jdk,
        Err(error) => return console::bad_input(&error.to_string()),
    };
    let (program, selection) = selection::choose(&args.selectors, args.classpath.as_deref(), jdk);
    let selection = Arc::new(selection);
    let wrong_names = names::check(args, &program, &selection);
    if !wrong_names.is_empty() {
        wrong_names.iter().for_each(|error| console::error(error));
        return Status::BAD_INPUT;
    }
    // What takes longest is started first: the JVM warms up while the machine boots.
    let certifier = match args.emission.certifier(&program) {
        Ok(certifier) => certifier,
        Err(error) => return console::bad_input(&error),
    };
    let mut status = Status::DONE;
    let (sources, source_errors) = Sources::open(args.source_path.as_deref());
    let pages_author = Author { command: author.command.clone(), options: String::new() };
    let pages = args.html.clone().map(|folder| Arc::new(Pages { folder, sources, author: pages_author }));
    let (guidance, guidance_errors) = guidance::read(args, &program);
    let (corpus, corpus_errors) = guidance::read_corpus(args, &selection);
    let options = Options { guidance: Arc::new(guidance), corpus: Arc::new(corpus), ..args.options() };
    let errors = selection.errors.iter().chain(&source_errors);
    for error in errors.chain(&guidance_errors).chain(&corpus_errors) {
        console::error(error);
        status.add(Status::BAD_INPUT);
    }
    let mut tests = TestFolder::new(&args.out, author, args.emission.name_pattern.clone());
    tests.reserve(selection.classes.iter().map(|class| class.name.as_str()));
    let settler = Settler {
        queries: args.save_queries.clone(),
        corpus: args.corpus.clone(),
        pages: pages.as_deref(),
        program: &program,
        certifier,
        tests,
        is_partial: !args.methods.is_empty(),
        version: args.emission.version(),
        command: reproduction(args, &program),
        totals: Totals::default(),
        files: 0,
    };
    let run = Arc::new(Mutex::new(Run::default()));
    // Where the work does not come back in time: what is done is reported all the same.
    let late = (Arc::clone(&run), Arc::clone(&selection), pages.clone());
    interrupt::last_words(move || {
        let (run, selection, pages) = late;
        let run = run.lock().unwrap_or_else(PoisonError::into_inner);
        report(args, &selection, &run.whole(&selection), &run.totals, pages.as_deref());
    });
    work(args, &options, &program, &selection, settler, &run);
    interrupt::closing();
    let run = run.lock().unwrap_or_else(PoisonError::into_inner);
    let settled = run.whole(&selection);
    for one in &settled {
        status.add(one.status);
    }
    status.add(report(args, &selection, &settled, &run.totals, pages.as_deref()));
    if status == Status::DONE && settled.iter().all(|it| it.result.classes.is_empty()) {
        status.add(nothing_written());
    }
    status
}

/// What has been done.
#[derive(Default)]
struct Run {
    /// By the place of the class in the selection.
    settled: BTreeMap<usize, Settled>,
    totals: Totals,
}

impl Run {
    /// All classes, in the order of the selection.
    fn whole(&self, selection: &Selection) -> Vec<Settled> {
        let classes = selection.classes.iter().enumerate();
        let missing = |name: &str| failed(name, "interrupted before it was done".into(), Status::INTERRUPTED);
        classes
            .map(|(at, class)| self.settled.get(&at).cloned().unwrap_or_else(|| missing(&class.name)))
            .collect()
    }
}

/// Generates, certifies and writes.
fn work(
    args: &GenerateArgs,
    options: &Options,
    program: &Arc<Program>,
    selection: &Selection,
    mut settler: Settler<'_>,
    run: &Mutex<Run>,
) {
    let put = |at: usize, settled: Settled, totals: &Totals| {
        let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
        run.settled.insert(at, settled);
        run.totals = totals.clone();
    };
    let mut places = Vec::new();
    let mut classes = Vec::new();
    for (at, class) in selection.classes.iter().enumerate() {
        match &class.error {
            Some(error) => put(at, failed(&class.name, error.clone(), Status::BAD_INPUT), &settler.totals),
            None => {
                places.push(at);
                classes.push(class.name.as_str());
            }
        }
    }
    let board = Board::new(classes.len(), args.quiet);
    let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let work = Work {
        classes: &classes,
        jobs: args.jobs.unwrap_or_else(cores),
        options,
        total: args.budget.filter(|_| selection.is_wide),
        boot: || Session::new(Arc::clone(program)),
        interrupted,
        board: &board,
    };
    work.run(|at, end| {
        let settled = settler.settle(classes[at], end);
        put(places[at], settled, &settler.totals);
        board.class_done();
    });
    board.clear();
}

/// Prints and writes what was found.
fn report(
    args: &GenerateArgs,
    selection: &Selection,
    settled: &[Settled],
    totals: &Totals,
    pages: Option<&Pages>,
) -> Status {
    let mut status = Status::DONE;
    let results: Vec<ClassResult> = settled.iter().map(|it| it.result.clone()).collect();
    if let Some(file) = &args.json
        && let Err(error) = files::put(file, json::report(&results, &totals.counters()).as_bytes())
    {
        console::error(&format!(
            "{}: cannot be written ({error}); name another file with --json",
            file.display()
        ));
        status.add(Status::BAD_INPUT);
    }
    if let Some(pages) = pages
        && let Err(error) = pages.finish(&results)
    {
        console::error(&error.to_string());
        status.add(Status::BAD_INPUT);
    }
    let (done, not_done): (Vec<_>, Vec<_>) = results.into_iter().partition(|it| it.error.is_none());
    if !args.quiet {
        print_summary(args, selection, &done, totals);
        for note in settled.iter().flat_map(|it| &it.notes) {
            console::say(&format!("note: {note}\n"));
        }
    }
    for one in settled.iter().filter(|it| it.result.error.is_some()) {
        if let (Some(error), true) = (&one.result.error, one.internal_errors.is_empty())
            && !one.status.interrupted
        {
            console::error(error);
        }
    }
    for line in settled.iter().flat_map(|it| &it.internal_errors) {
        console::error(line);
    }
    let divergences = || done.iter().flat_map(|it| &it.divergences);
    let dropped = divergences().filter(|it| it.stage != Stage::NotRun).count();
    if dropped > 0 {
        let tests = if dropped == 1 {
            "test did not hold on the JDK and was"
        } else {
            "tests did not hold on the JDK and were"
        };
        console::error(&format!("{dropped} {tests} not written"));
    }
    if interrupted() {
        let not_begun = settled.iter().filter(|it| it.status.interrupted).count();
        let total = done.len() + not_done.len();
        console::error(&format!("interrupted; {not_begun} of {total} classes were not done"));
        status.add(Status::INTERRUPTED);
    }
    status
}

fn print_summary(args: &GenerateArgs, selection: &Selection, done: &[ClassResult], totals: &Totals) {
    if !done.is_empty() {
        console::say(&summary::summary(done, console::colour()));
        let files: usize = done.iter().map(|it| it.classes.len()).sum();
        let plural = if files == 1 { "file" } else { "files" };
        console::say(&format!("\n{files} {plural} written to {}\n", args.out.display()));
        if let Some(folder) = &args.html {
            console::say(&format!("pages to look at: {}\n", folder.join("index.html").display()));
        }
    }
    let skipped: usize = selection.skipped.values().sum();
    if skipped > 0 {
        console::say(&format!("{skipped} classes skipped: {}\n", selection.skipped_kinds()));
    }
    if args.stats {
        console::say(&totals.text());
    }
}

/// The options that say what tests are to cover.
fn criteria(args: &GenerateArgs) -> String {
    let names: Vec<&str> = args.criterion.iter().map(|it| Criterion::from(*it).name()).collect();
    let criteria = if names.is_empty() { String::new() } else { format!(" --criterion {}", names.join(",")) };
    criteria + if args.all_paths { " --all-paths" } else { "" }
}

/// The command line that repeats the run, up to the class.
fn reproduction(args: &GenerateArgs, program: &Program) -> String {
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
        + &all("--suite", &args.suite)
        + &args.corpus.iter().map(|it| format!(" --corpus '{}'", it.display())).collect::<String>()
        + &criteria(args)
        + &match args.access {
            Access::Package => String::new(),
            other => format!(" --access {}", format!("{other:?}").to_lowercase()),
        };
    format!(
        "cupping generate --jdk '{}' --classpath '{}' --seed {} --budget {}ms --max-length {} --max-elements {} \
         --heap {heap}{methods}",
        program.jdk().home().display(),
        class_path.to_string_lossy(),
        args.seed,
        args.options().budget.as_millis(),
        args.max_length,
        args.max_elements,
    )
}
