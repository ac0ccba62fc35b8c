//! `cupping mutants`: how many small faults each suite of tests notices.
//!
//! Every suite gets a machine of its own on a thread of its own. There its tests are found and each is run once, from the
//! same frozen state, which says what it covers. A mutant is then put into the loaded code and only the tests that reach it are
//! run, the quickest first, each on a fork of that state, until one fails ([`judge`]).

pub(crate) mod judge;
pub(crate) mod runner;

use crate::console;
use crate::exit::Status;
use crate::interrupt::{self, interrupted};
use crate::jdks;
use crate::mutants_args::MutantsArgs;
use crate::panics;
use crate::selection;
use cupping_classfile::{ClassFile, ClassPath, ClassSelector, Jdk, Program};
use cupping_coverage::CoverageMap;
use cupping_mutate::Mutant;
use cupping_report::files;
use cupping_report::mutants::{End, Row, Scores};
use judge::{Judge, Judged};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::thread;

/// Stack of a thread in bytes, as for generation.
const STACK: usize = 64 << 20;

/// The mutants of the classes that were asked for.
pub struct Faults {
    /// The classes.
    pub files: Vec<Arc<ClassFile>>,
    /// Where faults are put: the class, by its place, and the fault.
    pub mutants: Vec<(usize, Mutant)>,
}

/// Runs the command.
pub fn mutants(args: &MutantsArgs) -> Status {
    match run(args) {
        Ok(status) => status,
        Err(message) => {
            console::error(&message);
            Status::BAD_INPUT
        }
    }
}

fn run(args: &MutantsArgs) -> Result<Status, String> {
    let jdk = jdks::locate(args.jdk.as_deref())?;
    let program = open(&args.classpath, &[], &jdk)?;
    let faults = faults(args, &program)?;
    let runner = runner::Compiled::new(&jdk, &args.classpath)?;
    let judged: Vec<Result<Judged, Failure>> = thread::scope(|scope| {
        let started: Vec<_> = args
            .suites
            .iter()
            .map(|suite| {
                let (faults, runner, jdk) = (&faults, &runner, &jdk);
                let judge = move || {
                    let judged = panics::catch(|| {
                        let program = open(&args.classpath, &[suite, runner.folder()], jdk)?;
                        Judge::new(args, program, suite)?.judge(faults, interrupted)
                    });
                    judged
                        .map_err(|panic| Failure::Panic(suite.display().to_string(), panic))?
                        .map_err(Failure::Input)
                };
                let builder = thread::Builder::new().stack_size(STACK);
                builder
                    .spawn_scoped(scope, judge)
                    .map_err(|error| Failure::Input(format!("no thread could be started: {error}")))
            })
            .collect();
        let joined = started
            .into_iter()
            .map(|it| it?.join().unwrap_or_else(|_| Err(Failure::Input("a judge is gone".into()))));
        joined.collect()
    });
    let mut status = Status::DONE;
    let mut held = Vec::new();
    for one in judged {
        held.push(match one {
            Ok(judged) => judged,
            Err(Failure::Input(message)) => return Err(message),
            Err(Failure::Panic(suite, panic)) => {
                console::error(&format!("{suite}: internal error: panic: {panic}; please report it"));
                status.add(Status::WRONG);
                Judged::none()
            }
        });
    }
    let judged = held;
    for panic in judged.iter().flat_map(|it| &it.panics) {
        console::error(&format!("{panic}; please report it"));
        status.add(Status::WRONG);
    }
    interrupt::closing();
    let scores = scores(args, &faults, &judged);
    if let Some(file) = &args.json {
        files::put(file, scores.json().as_bytes()).map_err(|error| {
            format!("{}: cannot be written ({error}); name another file with --json", file.display())
        })?;
    }
    console::say(&scores.table());
    if args.survivors {
        console::say(&scores.survivors());
    }
    if interrupted() {
        console::error(&"interrupted; mutants that were not judged count as such");
        status.add(Status::INTERRUPTED);
    }
    Ok(status)
}

/// Why a suite was not judged.
enum Failure {
    /// Something is wrong with what was given.
    Input(String),
    /// The suite, and what Cupping said as it panicked.
    Panic(String, String),
}

/// The class path with these folders and jars before it, as a program.
fn open(class_path: &str, first: &[&Path], jdk: &Jdk) -> Result<Arc<Program>, String> {
    let mut all = ClassPath::default();
    for path in first {
        all.push(path, jdk.feature_version()).map_err(|error| error.to_string())?;
    }
    let rest = ClassPath::open(class_path, jdk.feature_version()).map_err(|error| error.to_string())?;
    all.append(&rest);
    Ok(Arc::new(Program::new(jdk.clone(), all)))
}

/// The mutants of the classes that the selectors choose, those of code that counts for coverage.
fn faults(args: &MutantsArgs, program: &Program) -> Result<Faults, String> {
    let mut seen = BTreeSet::new();
    let mut faults = Faults { files: Vec::new(), mutants: Vec::new() };
    for selector in selection::parse(&args.selectors) {
        for name in ClassSelector::resolve(&selector, program).map_err(|error| error.to_string())? {
            if seen.insert(name.clone()) {
                let file = program.require(&name).map_err(|error| error.to_string())?;
                faults.add(file)?;
            }
        }
    }
    if let Some(sample) = args.sample
        && faults.mutants.len() > sample.get()
    {
        let (all, wanted) = (faults.mutants.len(), sample.get());
        let mut spread = (0..wanted).map(|at| at * all / wanted).peekable();
        let mut at = 0;
        faults.mutants.retain(|_| {
            let is_chosen = spread.next_if_eq(&at).is_some();
            at += 1;
            is_chosen
        });
    }
    if faults.mutants.is_empty() {
        return Err("the classes have no code that faults can be put into".into());
    }
    Ok(faults)
}

impl Faults {
    fn add(&mut self, file: Arc<ClassFile>) -> Result<(), String> {
        let mut map = CoverageMap::new();
        if map.track(&file).is_err() {
            return Ok(());
        }
        let counted: BTreeSet<(usize, u32)> = map.classes()[0]
            .methods
            .iter()
            .flat_map(|method| method.instructions().map(move |it| (method.index, it.offset)))
            .collect();
        let all = cupping_mutate::mutants(&file).map_err(|error| error.to_string())?;
        let at = self.files.len();
        let counted = all.into_iter().filter(|it| counted.contains(&(it.method, it.pc)));
        self.mutants.extend(counted.map(|mutant| (at, mutant)));
        self.files.push(file);
        Ok(())
    }
}

fn scores(args: &MutantsArgs, faults: &Faults, judged: &[Judged]) -> Scores {
    let rows = faults.mutants.iter().enumerate().map(|(number, (class, mutant))| {
        let file = &faults.files[*class];
        Row {
            class: file.name.replace('/', "."),
            method: format!("{}{}", file.methods[mutant.method].name, file.methods[mutant.method].descriptor),
            line: mutant.line.map(u32::from),
            operator: mutant.operator,
            what: mutant.replacement.what.clone(),
            ends: judged.iter().map(|it| it.ends.get(number).copied().unwrap_or(End::NotJudged)).collect(),
        }
    });
    Scores {
        suites: args.suites.iter().map(|it| it.display().to_string()).collect(),
        tests: judged.iter().map(|it| (it.passed, it.left_out)).collect(),
        operators: cupping_mutate::operators::ALL.iter().map(|it| it.name).collect(),
        rows: rows.collect(),
    }
}
