//! `cupping infer`: traces, the two loops, and what becomes of their results, one class after the other.

use crate::classes::{PerClass, one_after_the_other};
use crate::console::{self, bad_input};
use crate::dataflow::suite;
use crate::exit::Status;
use crate::infer_args::InferArgs;
use crate::interrupt::interrupted;
use crate::jobs::End;
use crate::selection;
use crate::settle::Settler;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_coverage::CoverageMap;
use cupping_generate::{ClassOutcome, Session, Statistics, SuiteCoverage};
use cupping_infer::{
    Explorer, Outcome, RecordedSpecification, Recorder, Recording, Subject, infer_class, listen, output,
};
use cupping_machine::{Collect, Limits};
use cupping_report::files::{self, Author, Mark, TestFolder, put_generated};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Memory of the machine that explores, in words of 8 bytes. States are objects with few elements; a capacity near the end of
/// its type makes an array that says little and fills memory as often as it is copied.
const HEAP_WORDS: u32 = 3 << 19;

/// Runs the command.
pub fn infer(args: &InferArgs, author: &Author) -> Status {
    let jdk = match Jdk::locate(args.jdk.as_deref()) {
        Ok(jdk) => jdk,
        Err(error) => return bad_input(&error.to_string()),
    };
    let (program, selection) = selection::choose(&args.selectors, args.classpath.as_deref(), jdk);
    let mut status = Status::DONE;
    for error in &selection.errors {
        status.add(bad_input(error));
    }
    // What certifies and writes tests, if they are asked for.
    let settler = args.out.as_deref().map(|out| {
        let mut tests = TestFolder::new(out, author.clone(), args.emission.name_pattern.clone());
        tests.reserve(selection.classes.iter().map(|class| class.name.as_str()));
        Settler::of_command(author, &program, tests, &args.emission)
    });
    let settler = match settler.transpose() {
        Ok(settler) => settler,
        Err(error) => return bad_input(&error),
    };
    let command = format!("cupping infer {}", author.options);
    let mut work = Work { args, program: &program, settler, command };
    let session = match work.boot() {
        Ok(session) => session,
        Err(error) => return bad_input(&error),
    };
    status.add(one_after_the_other(&mut work, session, &selection.classes, interrupted));
    if let (Some(settler), None) = (&work.settler, &args.check) {
        status.add(settler.nothing_written(status));
    }
    status
}

/// What is done for each class.
struct Work<'a> {
    args: &'a InferArgs,
    program: &'a Arc<Program>,
    settler: Option<Settler<'a>>,
    command: String,
}

impl PerClass for Work<'_> {
    type Session = Session;

    fn boot(&mut self) -> Result<Session, String> {
        Session::sized(Arc::clone(self.program), HEAP_WORDS).map_err(|error| error.to_string())
    }

    fn work(&mut self, session: &mut Session, class: &str) -> Result<Status, String> {
        one(self.args, self.program, session, class, self.settler.as_mut())
    }

    fn command(&self) -> String {
        self.command.clone()
    }

    fn out(&self) -> Option<PathBuf> {
        self.args.out.clone()
    }
}

fn one(
    args: &InferArgs,
    program: &Arc<Program>,
    session: &mut Session,
    class: &str,
    settler: Option<&mut Settler<'_>>,
) -> Result<Status, String> {
    let started = Instant::now();
    let generation = cupping_generate::Options {
        seed: args.seed,
        budget: args.budget,
        ..cupping_generate::Options::default()
    };
    let generated = if args.suite.is_none() && !args.budget.is_zero() {
        let found = session.generate(class, &generation, &mut |_| !interrupted());
        Some(found.map_err(|error| error.to_string())?.suite)
    } else {
        None
    };
    if interrupted() {
        return Ok(Status::INTERRUPTED);
    }
    let mut bench = session.open(class, &[], &generation).map_err(|error| error.to_string())?;
    bench.reset();
    let subject = Rc::new(Subject::new(&mut bench));
    bench.reset();
    let machine = bench.machine();
    // Nothing is measured, and what is not costs nothing.
    machine.track(&CoverageMap::new());
    let recorded = match (&args.suite, &generated) {
        (Some(path), _) => of_suite(args, path, program, &subject)?,
        (None, Some(generated)) => {
            let cases: Vec<_> = generated.cases.iter().chain(&generated.failing).collect();
            listen(machine, &subject, &cases)
        }
        (None, None) => Recording::default(),
    };
    let options = args.options();
    if let Some(folder) = &args.check {
        let kept = kept(folder, class)?;
        let kept = kept.ok_or_else(|| {
            let dotted = class.replace('/', ".");
            format!(
                "{}: no specification of {dotted} is recorded there; record it with --write",
                folder.display()
            )
        })?;
        let mut explorer = Explorer::new(machine, &subject, &recorded, options.bounds);
        explorer.explore(&recorded);
        if options.bounds.paths > 0 {
            explorer.ask(&kept.specification);
        }
        let explored = explorer.finish();
        if interrupted() {
            return Ok(Status::INTERRUPTED);
        }
        return Ok(told(class, &kept.check(&subject, &recorded, &explored)));
    }
    let outcome = infer_class(machine, &subject, &recorded, &options);
    if interrupted() {
        // What holds of some of the executions may not hold of all: it is neither shown nor recorded.
        return Ok(Status::INTERRUPTED);
    }
    if !args.quiet {
        console::say(&(args.notation.write)(&subject, &outcome));
        console::say(&"\n");
        if args.story {
            console::say(&output::round_log::write(&outcome));
        }
    }
    if let Some(folder) = &args.write {
        write(args, folder, class, &subject, &recorded, &outcome)?;
    }
    if let Some(folder) = &args.html {
        put(folder, class, "html", Mark::Html, &output::html::write(&subject, &outcome))?;
    }
    let Some(settler) = settler else { return Ok(Status::DONE) };
    let outcome = ClassOutcome {
        suite: cupping_infer::suite(&subject, &outcome),
        coverage: SuiteCoverage::default(),
        explanation: None,
        sequences: None,
        internal_errors: Vec::new(),
        unanswered: Vec::new(),
        unreached: Vec::new(),
        statistics: Statistics::default(),
        work: started.elapsed(),
        wants_more: false,
        elapsed: started.elapsed(),
    };
    Ok(settler.settle(class, End::Done(Box::new(outcome))).tell(args.quiet))
}

/// What the user's tests show.
fn of_suite(
    args: &InferArgs,
    path: &str,
    program: &Program,
    subject: &Rc<Subject>,
) -> Result<Recording, String> {
    let jdk = program.jdk();
    let version = jdk.feature_version();
    let jars = suite::jars(&args.emission.junit_jar);
    let mut all = ClassPath::open(path, version).map_err(|error| format!("--suite: {error}"))?;
    let tests = suite::tests(&all, &jars, &[])?;
    all.append(program.class_path());
    for jar in &jars {
        all.push(jar, version).map_err(|error| error.to_string())?;
    }
    // The recorder knows objects by their addresses.
    let limits = Limits { collect: Collect::Never, ..Limits::default() };
    let mut machine = suite::boot(jdk, all, limits)?;
    let recorder = Recorder::install(&mut machine, subject);
    suite::run(&mut machine, &tests)?;
    Ok(recorder.take())
}

/// The specification that is recorded of a class, if one is.
fn kept(folder: &Path, class: &str) -> Result<Option<RecordedSpecification>, String> {
    let file = folder.join(format!("{}.json", class.replace('/', ".")));
    if !file.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    RecordedSpecification::read(&text).map(Some).map_err(|error| format!("{}: {error}", file.display()))
}

/// Says what no longer holds.
fn told(class: &str, broken: &[cupping_infer::Violation]) -> Status {
    let class = class.replace('/', ".");
    if broken.is_empty() {
        console::say(&format!("{class}: it does what is recorded\n"));
        return Status::DONE;
    }
    for one in broken {
        let test = one.test.as_ref().map_or("no sequence is known".to_owned(), ToString::to_string);
        console::say(&format!("{class}: broken: {}\n    by: {test}\n", one.recorded));
    }
    Status::WRONG
}

/// Records a specification and says what has changed since the last time.
fn write(
    args: &InferArgs,
    folder: &Path,
    class: &str,
    subject: &Subject,
    recorded: &Recording,
    outcome: &Outcome,
) -> Result<(), String> {
    let executions: Vec<_> = recorded.executions.iter().chain(&outcome.explored.executions).collect();
    let new = RecordedSpecification::new(subject, &outcome.specification, &executions);
    if let Some(old) = kept(folder, class)?
        && !args.quiet
    {
        for line in new.changes(&old) {
            console::say(&format!("{line}\n"));
        }
    }
    // What is there is a record: it has just been read.
    let file = file_of(folder, class, "json");
    files::put(&file, new.write().as_bytes()).map_err(|error| not_written(&file, &error))?;
    for notation in output::ALL {
        let Some(files) = notation.files else {
            put(folder, class, notation.suffix, Mark::Slashes, &(notation.write)(subject, outcome))?;
            continue;
        };
        for (name, text) in files(subject, outcome) {
            put(folder, class, &format!("{name}.{}", notation.suffix), Mark::Slashes, &text)?;
        }
    }
    Ok(())
}

fn put(folder: &Path, class: &str, suffix: &str, mark: Mark, text: &str) -> Result<(), String> {
    let file = file_of(folder, class, suffix);
    let author = Author { command: "infer".into(), options: String::new() };
    let written = put_generated(&file, mark, &author, &class.replace('/', "."), text);
    written.map_err(|error| not_written(&file, &error))
}

fn file_of(folder: &Path, class: &str, suffix: &str) -> PathBuf {
    folder.join(format!("{}.{suffix}", class.replace('/', ".")))
}

fn not_written(file: &Path, error: &std::io::Error) -> String {
    format!("{}: cannot be written ({error}); name a folder that can be written to", file.display())
}
