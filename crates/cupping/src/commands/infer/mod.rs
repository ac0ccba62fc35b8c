//! `cupping infer`: likely specifications of classes.

pub mod arguments;
mod findings;
mod report;
mod row;

use crate::frame::emitted_tests::{Tests, emit};
use crate::frame::store_context::StoreContext;
use crate::frame::{Budget, ClassConclusion, CommandRun, Conclude, Failure, Share, Work, reproduction};
use crate::process::console::{self, bad_input};
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::process::progress::Line;
use crate::shared::class_rules::ArgumentsByClass;
use crate::shared::emit::Emitter;
use crate::shared::observation::{HEAP_WORDS, Observed};
use crate::shared::recorded_specifications as records;
use crate::shared::source_range::MethodsAtPlace;
use crate::shared::store::Stage;
use crate::shared::suite::{Junit, Suite};
use crate::shared::write;
use arguments::{Arguments, DEFAULT_BUDGET};
use cupping_classfile::Program;
use cupping_generate::{GenerateOptions, Session, SuiteCoverage};
use cupping_infer::{InferenceOutcome, Recorder, Recording, Subject, infer_class, output};
use cupping_machine::{CollectionPolicy, Machine, RunLimits, WorldOptions};
use cupping_report::files::{Author, Mark};
use report::Summary;
use row::Row;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Runs the command.
pub fn run(args: &'static Arguments, author: Author) -> ExitCode {
    let status = infer(args, &author).unwrap_or_else(|error| bad_input(&error));
    ExitCode::from(status.code())
}

fn infer(args: &'static Arguments, author: &Author) -> Result<Status, String> {
    let (program, mut selection) = args.classes.select(args.jdk.locate()?);
    let program = args.assertions.of(&program);
    if let Some(nothing) = args.since.narrow(&mut selection, &program)? {
        console::say(&nothing);
        return Ok(Status::DONE);
    }
    let methods = args.at.as_ref().map(|place| place.narrow(&mut selection, &program));
    selection.errors.iter().for_each(|error| console::error(error));
    let mut keeping = keeping(args, author, &program)?;
    let out = args.out.as_deref().map(|it| StoreContext::place(&mut keeping, "out", it));
    let html = args.report.html.as_deref().map(|it| StoreContext::place(&mut keeping, "html", it));
    let all = selection.classes.iter().map(|class| class.name.as_str());
    let start = |out: &Path| match keeping {
        Some(_) => Emitter::start_late(&args.emission, author, out, &program, all),
        None => Emitter::start(&args.emission, author, out, &program, all),
    };
    let mut emitter = out.as_deref().map(start).transpose()?;
    let junit = match args.suite.suite.is_empty() {
        true => None,
        false => Some(Junit::prepare(&args.emission.jars, &args.suite.suite, &program)?),
    };
    let suites = junit.as_ref().map_or(Ok(Vec::new()), |junit| {
        let open = |name: &String| Suite::open(name, junit, &program, &[]);
        args.suite.suite.iter().map(open).collect::<Result<_, _>>()
    })?;
    let is_wide = selection.is_wide;
    let run = CommandRun {
        command: "infer",
        selection: Arc::new(selection),
        report: &args.report,
        class_path: program.class_path().paths(),
        module: args.classes.module.clone(),
        answers_in_json: false,
        jobs: args.budget.jobs.threads(),
        budget: match args.budget.budget {
            Some(total) if is_wide => Budget::Equally(total),
            each => Budget::Each(each.unwrap_or(DEFAULT_BUDGET)),
        },
        reproduction: reproduction(author, args.out.as_deref()),
        out,
        interrupted,
        keeping: keeping.map(Arc::new),
    };
    let by_class = args.classes.rules.arguments::<Arguments>(run.selection.names());
    let inference = Inference { args, by_class, program: &program, suites, html, methods };
    Ok(run.conduct(
        &inference,
        &mut Conclusion { emitter: emitter.as_mut() },
        Arc::new(Summary { args, program: Arc::clone(&program) }),
    ))
}

/// The context of the store, if results are kept.
fn keeping(
    args: &Arguments,
    author: &Author,
    program: &Arc<Program>,
) -> Result<Option<StoreContext>, String> {
    if !args.store.keeps(args.at.as_ref().map(|_| "a run with --at"))? {
        return Ok(None);
    }
    let is_recorded = args.write.is_some() || args.check.is_some();
    if is_recorded && (args.store.store.is_some() || !matches!(args.store.stage, Stage::All)) {
        return Err("--write and --check use earlier records; they cannot be combined with --store".into());
    }
    let rules = args.classes.rules.shown() + &args.emission.style.header()?.unwrap_or_default();
    let shown = format!("{} {} {}{rules}", author.options, args.notation.name, args.story);
    let suites: Vec<PathBuf> = args.suite.paths();
    StoreContext::wanted(&args.store, "infer", &shown, &suites, program)
}

/// The work for each class.
struct Inference<'a> {
    args: &'a Arguments,
    /// The arguments of classes that have some of their own.
    by_class: ArgumentsByClass<Arguments>,
    program: &'a Arc<Program>,
    suites: Vec<Suite>,
    /// Folder for pages, if requested.
    html: Option<PathBuf>,
    /// The methods that are shown, if not all are.
    methods: Option<MethodsAtPlace>,
}

/// The findings for a class.
struct ClassFindings {
    text: String,
    /// The output that is printed even with `--quiet`: the answer of `--check`.
    answer: String,
    notes: Vec<String>,
    status: Status,
    row: Row,
    tests: Option<Tests>,
}

impl Work for Inference<'_> {
    type Session = Session;
    type Findings = ClassFindings;

    fn boot(&self) -> Result<Session, Failure> {
        Ok(Session::sized(Arc::clone(self.program), HEAP_WORDS)?)
    }

    fn work(
        &self,
        session: &mut Session,
        class: &str,
        share: Share,
        _: &Line,
    ) -> Result<ClassFindings, Failure> {
        let args = self.args_of(class);
        let generation = GenerateOptions {
            seed: args.seed,
            budget: share.budget,
            clock: share.clock,
            ..GenerateOptions::default()
        };
        let generated = if self.suites.is_empty() && !share.budget.is_zero() {
            Some(session.generate(class, &generation, &mut |_| !interrupted())?.suite)
        } else {
            None
        };
        if interrupted() {
            return Err(Failure::Interrupted);
        }
        let mut observed = Observed::open(session, class, &generation)?;
        let (recorded, notes) = match &generated {
            Some(generated) => {
                let cases: Vec<_> = generated.cases.iter().chain(&generated.failing).collect();
                (observed.listen(&cases), Vec::new())
            }
            None => self.of_suites(&observed.subject).map_err(Failure::Input)?,
        };
        let Observed { mut bench, subject } = observed;
        let machine = bench.machine();
        let found = match &args.check {
            Some(folder) => self.check(folder, class, machine, &subject, &recorded)?,
            None => self.infer(class, machine, &subject, &recorded)?,
        };
        Ok(ClassFindings { notes, ..found })
    }

    fn own_budget(&self, class: &str) -> Option<Duration> {
        let own = self.by_class.get(class).filter(|own| own.has_budget)?;
        own.arguments.budget.budget
    }
}

impl Inference<'_> {
    /// The arguments that hold for a class.
    fn args_of(&self, class: &str) -> &Arguments {
        self.by_class.get(class).map_or(self.args, |own| &own.arguments)
    }

    /// What the user's tests show.
    fn of_suites(&self, subject: &Rc<Subject>) -> Result<(Recording, Vec<String>), String> {
        let mut all = Recording::default();
        let mut notes = Vec::new();
        for suite in &self.suites {
            // The recorder knows objects by their addresses.
            let limits = RunLimits { collect: CollectionPolicy::Never, ..RunLimits::default() };
            let mut machine = suite.boot(limits, WorldOptions::default())?;
            let recorder = Recorder::install(&mut machine, subject);
            notes.extend(suite.run(&mut machine)?);
            all.append(recorder.take());
        }
        Ok((all, notes))
    }

    /// Compares a class with its recorded specification.
    fn check(
        &self,
        folder: &Path,
        class: &str,
        machine: &mut Machine,
        subject: &Rc<Subject>,
        recorded: &Recording,
    ) -> Result<ClassFindings, Failure> {
        let kept = records::read(folder, class).map_err(Failure::Input)?.ok_or_else(|| {
            let dotted = class.replace('/', ".");
            Failure::Input(format!(
                "{}: contains no recorded specification of {dotted}; record it with --write",
                folder.display()
            ))
        })?;
        let explored = kept.explored(machine, subject, recorded, self.args_of(class).options().limits);
        if interrupted() {
            return Err(Failure::Interrupted);
        }
        let broken = kept.check(subject, recorded, &explored);
        Ok(ClassFindings {
            text: String::new(),
            answer: records::verdict(class, &broken),
            notes: Vec::new(),
            // Broken claims count as findings, which may be accepted.
            status: Status::DONE,
            row: Row { broken: broken.iter().map(|it| it.recorded.to_string()).collect(), ..Row::default() },
            tests: None,
        })
    }

    fn infer(
        &self,
        class: &str,
        machine: &mut Machine,
        subject: &Rc<Subject>,
        recorded: &Recording,
    ) -> Result<ClassFindings, Failure> {
        let args = self.args_of(class);
        let mut outcome = infer_class(machine, subject, recorded, &args.options());
        if interrupted() {
            // Claims from an incomplete exploration may be wrong, so they are neither shown nor recorded.
            return Err(Failure::Interrupted);
        }
        if let Some(found) = &self.methods {
            let methods = found.methods.get(&*subject.name);
            outcome.retain(subject, |method| methods.is_some_and(|it| it.contains(method)));
        }
        let mut text = (args.notation.write)(subject, &outcome) + "\n";
        if args.story {
            text += &output::round_log::write(&outcome);
        }
        if let Some(folder) = &args.write {
            text += &records::write(folder, class, subject, recorded, &outcome).map_err(Failure::Input)?;
        }
        if let Some(folder) = &self.html {
            page(folder, class, subject, &outcome).map_err(Failure::Input)?;
        }
        let tests = args.out.is_some().then(|| Tests {
            suite: cupping_infer::suite(subject, &outcome),
            coverage: SuiteCoverage::default(),
            errors: Vec::new(),
        });
        let row = Row::of(subject, &outcome);
        Ok(ClassFindings { text, answer: String::new(), notes: Vec::new(), status: Status::DONE, row, tests })
    }
}

fn page(folder: &Path, class: &str, subject: &Subject, outcome: &InferenceOutcome) -> Result<(), String> {
    let class = class.replace('/', ".");
    let file = folder.join(format!("{class}.html"));
    write::generated(&file, Mark::Html, "infer", &class, &output::html::write(subject, outcome))
}

/// Emits the tests of a class.
struct Conclusion<'a, 'p> {
    emitter: Option<&'a mut Emitter<'p>>,
}

impl Conclude<ClassFindings> for Conclusion<'_, '_> {
    type Row = Row;

    fn conclude(&mut self, _: &str, found: ClassFindings) -> ClassConclusion<Row> {
        let ClassFindings { text, answer, notes, status, row, tests } = found;
        let mut concluded = ClassConclusion { text, answer, notes, status, ..ClassConclusion::new(row) };
        if let (Some(emitter), Some(tests)) = (self.emitter.as_deref_mut(), tests) {
            let emitted = emit(emitter, tests, &mut concluded);
            concluded.row.tests = Some(emitted);
        }
        concluded
    }
}
