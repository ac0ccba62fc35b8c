//! `cupping infer`: traces, the two loops, and what becomes of their results, one class after the other.

use crate::console::{self, bad_input};
use crate::dataflow::suite;
use crate::exit::Status;
use crate::infer_args::InferArgs;
use crate::interrupt::{self, interrupted};
use crate::jobs::End;
use crate::selection;
use crate::settle::Settler;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{ClassOutcome, Session, Statistics, SuiteCoverage};
use cupping_infer::{Explorer, Kept, Outcome, Recorded, Recorder, Subject, infer_class, listen, output};
use cupping_machine::coverage::CoverageMap;
use cupping_machine::{Collect, Limits};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Memory of the machine that explores, in words of 8 bytes. States are objects with few elements; a capacity near the end of
/// its type makes an array that says little and fills memory as often as it is copied.
const HEAP_WORDS: u32 = 3 << 19;

/// Runs the command.
pub fn infer(args: &InferArgs) -> Status {
    let jdk = match Jdk::locate(args.jdk.as_deref()) {
        Ok(jdk) => jdk,
        Err(error) => return bad_input(&error.to_string()),
    };
    interrupt::install();
    let (program, selection) = selection::choose(&args.selectors, args.classpath.as_deref(), jdk);
    let mut status = Status::DONE;
    for error in &selection.errors {
        status.add(bad_input(error));
    }
    // What certifies and writes tests, if they are asked for.
    let settler = args
        .out
        .as_deref()
        .map(|out| Settler::of_command("infer", &program, out, args.version(), &args.junit_jar));
    let mut settler = match settler.transpose() {
        Ok(settler) => settler,
        Err(error) => return bad_input(&error),
    };
    let mut session = match Session::sized(Arc::clone(&program), HEAP_WORDS) {
        Ok(session) => session,
        Err(error) => return bad_input(&error.to_string()),
    };
    for class in &selection.classes {
        if interrupted() {
            status.add(Status::INTERRUPTED);
            break;
        }
        let done = match &class.error {
            Some(error) => Err(error.clone()),
            None => one(args, &program, &mut session, &class.name, settler.as_mut()),
        };
        match done {
            Ok(of_class) => status.add(of_class),
            Err(error) => status.add(bad_input(&error)),
        }
    }
    status
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
        (None, None) => Recorded::default(),
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
        return Ok(told(class, &kept.check(&subject, &recorded, &explored)));
    }
    let outcome = infer_class(machine, &subject, &recorded, &options);
    if !args.quiet {
        console::say(&(args.notation.write)(&subject, &outcome));
        console::say(&"\n");
        if args.story {
            console::say(&output::story::write(&outcome));
        }
    }
    if let Some(folder) = &args.write {
        write(args, folder, class, &subject, &recorded, &outcome)?;
    }
    if let Some(folder) = &args.html {
        put(folder, class, "html", &output::html::write(&subject, &outcome))?;
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
    let settled = settler.settle(class, End::Done(Box::new(outcome)));
    settled.say_withheld();
    for error in settled.internal_errors.iter().chain(&settled.result.error) {
        console::error(error);
    }
    Ok(settled.status)
}

/// What the user's tests show.
fn of_suite(
    args: &InferArgs,
    path: &str,
    program: &Program,
    subject: &Rc<Subject>,
) -> Result<Recorded, String> {
    let jdk = program.jdk();
    let version = jdk.feature_version();
    let jars = suite::jars(&args.junit_jar);
    let mut all = ClassPath::open(path, version).map_err(|error| format!("--suite: {error}"))?;
    let tests = suite::tests(&all, &jars, &[])?;
    for entry in program.class_path().entries() {
        all.push(entry.path(), version).map_err(|error| error.to_string())?;
    }
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
fn kept(folder: &Path, class: &str) -> Result<Option<Kept>, String> {
    let file = folder.join(format!("{}.json", class.replace('/', ".")));
    if !file.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Kept::read(&text).map(Some).map_err(|error| format!("{}: {error}", file.display()))
}

/// Says what no longer holds.
fn told(class: &str, broken: &[cupping_infer::Broken]) -> Status {
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
    recorded: &Recorded,
    outcome: &Outcome,
) -> Result<(), String> {
    let executions: Vec<_> = recorded.executions.iter().chain(&outcome.explored.executions).collect();
    let new = Kept::new(subject, &outcome.specification, &executions);
    if let Some(old) = kept(folder, class)?
        && !args.quiet
    {
        for line in new.changes(&old) {
            console::say(&format!("{line}\n"));
        }
    }
    put(folder, class, "json", &new.write())?;
    for notation in output::ALL {
        let Some(files) = notation.files else {
            put(folder, class, notation.suffix, &(notation.write)(subject, outcome))?;
            continue;
        };
        for (name, text) in files(subject, outcome) {
            put(folder, class, &format!("{name}.{}", notation.suffix), &text)?;
        }
    }
    Ok(())
}

fn put(folder: &Path, class: &str, suffix: &str, text: &str) -> Result<(), String> {
    let file = folder.join(format!("{}.{suffix}", class.replace('/', ".")));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, text));
    written.map_err(|error| format!("{}: {error}; name a folder that can be written to", file.display()))
}
