//! `cupping dataflow`: definition-use pairs, conditions and sequences of classes.

pub mod arguments;
mod claims;
mod findings;
mod report;
mod row;
mod suite;

use crate::frame::emitted_tests::{Tests, emit};
use crate::frame::store_context::StoreContext;
use crate::frame::{Budget, ClassConclusion, CommandRun, Conclude, Failure, Share, Work, reproduction};
use crate::process::console::{self, bad_input};
use crate::process::exit::Status;
use crate::process::interrupt::interrupted;
use crate::process::progress::Line;
use crate::shared::class_rules::ArgumentsByClass;
use crate::shared::emit::Emitter;
use crate::shared::{names, write};
use arguments::{Arguments, DEFAULT_BUDGET};
use cupping_classfile::Program;
use cupping_dataflow::claims::Claims;
use cupping_dataflow::{Analysis, NamedSite, Pairing, analyse, open};
use cupping_generate::{Purpose, Session, Workbench, WrittenSuite};
use cupping_machine::Machine;
use cupping_report::files::{Author, Mark};
use report::{Summary, text};
use row::{Pair, Row};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Runs the command.
pub fn run(args: &'static Arguments, author: Author) -> ExitCode {
    let status = dataflow(args, &author).unwrap_or_else(|error| bad_input(&error));
    ExitCode::from(status.code())
}

fn dataflow(args: &'static Arguments, author: &Author) -> Result<Status, String> {
    let (program, selection) = args.classes.select(args.jdk.locate()?);
    let program = args.assertions.of(&program);
    selection.errors.iter().for_each(|error| console::error(error));
    let compiled = match claims::CommandClaims::of(args, &program, &selection) {
        Ok(compiled) => compiled,
        Err(error) => {
            let named: Vec<String> = args.invariants.iter().map(|it| it.method.clone()).collect();
            match names::unknown_methods("--invariant", &named, &program, &selection).first() {
                Some(unknown) => console::error(unknown),
                None => console::diagnostic(&error),
            }
            return Ok(Status::BAD_INPUT);
        }
    };
    for unused in &compiled.claims.unused {
        console::error(&format!("--contract: {unused}; it is not used"));
    }
    let program = compiled.program;
    let all = selection.classes.iter().map(|class| class.name.as_str());
    let mut keeping = keeping(args, author, &program)?;
    let places = Places::of(args, &mut keeping);
    let start = |out: &Path| match keeping {
        Some(_) => Emitter::start_late(&args.emission, author, out, &program, all),
        None => Emitter::start(&args.emission, author, out, &program, all),
    };
    let mut emitter = places.out.as_deref().map(start).transpose()?;
    let sound = selection.classes.iter().filter(|class| class.error.is_none());
    let sound: Vec<&str> = sound.map(|class| class.name.as_str()).collect();
    let recorded = match args.suite.suite.is_empty() {
        true => None,
        false => Some(suite::record(args, &program, &sound)?),
    };
    let is_wide = selection.is_wide;
    let run = CommandRun {
        command: "dataflow",
        selection: Arc::new(selection),
        report: &args.report,
        class_path: program.class_path().paths(),
        module: args.classes.module.clone(),
        answers_in_json: false,
        jobs: args.budget.jobs.threads(),
        budget: match args.work.or(args.budget.budget) {
            Some(total) if is_wide => Budget::Equally(total),
            each => Budget::Each(each.unwrap_or(DEFAULT_BUDGET)),
        },
        reproduction: reproduction(author, args.out.as_deref()),
        out: places.out.clone(),
        interrupted,
        keeping: keeping.map(Arc::new),
    };
    let by_class = args.classes.rules.arguments::<Arguments>(run.selection.names());
    let analyses = Analyses { args, by_class, places, claims: &compiled.claims, program: &program, recorded };
    Ok(run.conduct(
        &analyses,
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
    let rules = args.classes.rules.shown() + &args.emission.style.header()?.unwrap_or_default();
    let shown = format!("{} {} {:?}{rules}", author.options, args.conditions, args.trees);
    let inputs = [args.suite.paths(), args.contracts.clone()].concat();
    StoreContext::wanted(&args.store, "dataflow", &shown, &inputs, program)
}

/// The output paths of the command.
struct Places {
    out: Option<PathBuf>,
    dot: Option<PathBuf>,
    svg: Option<PathBuf>,
    html: Option<PathBuf>,
}

impl Places {
    fn of(args: &Arguments, keeping: &mut Option<StoreContext>) -> Places {
        let mut place = |name: &'static str, path: &Option<PathBuf>| {
            path.as_deref().map(|it| StoreContext::place(keeping, name, it))
        };
        Places {
            out: place("out", &args.out),
            dot: place("dot", &args.dot),
            svg: place("svg", &args.svg),
            html: place("html", &args.report.html),
        }
    }
}

/// The work for each class.
struct Analyses<'a> {
    args: &'a Arguments,
    /// The arguments of classes that have some of their own.
    by_class: ArgumentsByClass<Arguments>,
    places: Places,
    claims: &'a Arc<Claims>,
    program: &'a Arc<Program>,
    /// The pairs that the suites exercise.
    recorded: Option<Vec<(NamedSite, NamedSite)>>,
}

/// The findings for a class.
struct ClassFindings {
    text: String,
    errors: Vec<String>,
    pairs: Vec<Pair>,
    suite: Option<BTreeSet<usize>>,
    tests: Option<(Tests, LostPairs)>,
}

impl Work for Analyses<'_> {
    type Session = Session;
    type Findings = ClassFindings;

    fn boot(&self) -> Result<Session, Failure> {
        Ok(Session::new(Arc::clone(self.program))?)
    }

    fn work(
        &self,
        session: &mut Session,
        class: &str,
        share: Share,
        _: &Line,
    ) -> Result<ClassFindings, Failure> {
        let args = self.by_class.get(class).map_or(self.args, |own| &own.arguments);
        let options = args.options(self.claims, share);
        let mut bench = open(session, class, &options)?;
        let mut analysis = analyse(&mut bench, &options, &mut |_| !interrupted());
        let exercised = self.recorded.as_ref().map(|recorded| analysis.exercised.pairs_by_name(recorded));
        exercised.iter().for_each(|exercised| analysis.exercised_by_suite(exercised));
        draw(&self.places, &args.trees, class, &analysis, bench.machine()).map_err(Failure::Input)?;
        let text = text(args, class, &analysis, bench.machine(), exercised.as_ref());
        let refuted = analysis.refuted.iter().map(|(pair, calls)| {
            format!(
                "{}: pair {} was reported infeasible, but these calls exercise it: {}; please report this",
                class.replace('/', "."),
                pair + 1,
                calls.join(", ")
            )
        });
        let errors = refuted.collect();
        if let (Some(exercised), true) = (&exercised, args.complete) {
            analysis.tests.retain(|(_, pairs)| pairs.iter().any(|pair| !exercised.contains(pair)));
        }
        let pairs = analysis.rows(bench.machine()).into_iter().map(Pair::from).collect();
        let tests = args.out.is_some().then(|| tests(&analysis, bench));
        Ok(ClassFindings { text, errors, pairs, suite: exercised, tests })
    }

    fn own_budget(&self, class: &str) -> Option<Duration> {
        let own = self.by_class.get(class).filter(|own| own.has_budget)?;
        own.arguments.work.or(own.arguments.budget.budget)
    }
}

/// Pairs without a test, with the reason.
type LostPairs = Vec<(Vec<usize>, String)>;

/// The tests of a class, and the pairs whose sequences cannot be written.
fn tests(analysis: &Analysis, mut bench: Workbench<'_>) -> (Tests, LostPairs) {
    let purpose = |pairs: &[usize], machine: &Machine| {
        let numbers: Vec<String> = pairs.iter().map(|pair| (pair + 1).to_string()).collect();
        let text = pairs.iter().map(|pair| {
            let Pairing { variable, definition, usage } = analysis.pairing(machine, *pair);
            format!("Exercises pair {}: {variable}, from {definition} to {usage}.", pair + 1)
        });
        Purpose { distinction: format!("pair {}", numbers.join(" ")), text: text.collect() }
    };
    let machine = bench.machine();
    let tests: Vec<_> = analysis
        .tests
        .iter()
        .map(|(candidate, pairs)| (candidate.clone(), purpose(pairs, machine)))
        .collect();
    let WrittenSuite { suite, coverage, errors, lost } = bench.write(&tests);
    let lost = lost.into_iter().map(|(test, why)| (analysis.tests[test].1.clone(), why)).collect();
    (Tests { suite, coverage, errors }, lost)
}

/// Emits the tests of a class.
struct Conclusion<'a, 'p> {
    emitter: Option<&'a mut Emitter<'p>>,
}

impl Conclude<ClassFindings> for Conclusion<'_, '_> {
    type Row = Row;

    fn conclude(&mut self, _: &str, found: ClassFindings) -> ClassConclusion<Row> {
        let ClassFindings { text, errors, pairs, suite, tests } = found;
        let status = if errors.is_empty() { Status::DONE } else { Status::WRONG };
        let row = Row { pairs, suite, tests: None, error: None };
        let mut concluded = ClassConclusion { text, errors, status, ..ClassConclusion::new(row) };
        if let (Some(emitter), Some((tests, lost))) = (self.emitter.as_deref_mut(), tests) {
            for (pairs, why) in lost {
                let numbers: Vec<String> = pairs.iter().map(|pair| (pair + 1).to_string()).collect();
                concluded.text += &format!("note: no test of pair {}: {why}\n", numbers.join(", "));
            }
            let emitted = emit(emitter, tests, &mut concluded);
            concluded.row.tests = Some(emitted);
        }
        concluded
    }
}

/// Writes drawings and pages.
fn draw(
    places: &Places,
    trees: &[NonZeroUsize],
    class: &str,
    analysis: &Analysis,
    machine: &Machine,
) -> Result<(), String> {
    use cupping_dataflow::graph::{dot, svg};
    let Analysis { flat, graph, accesses, .. } = analysis;
    let put = |folder: &Path, suffix: &str, mark: Mark, text: &str| {
        let class = class.replace('/', ".");
        write::generated(&folder.join(format!("{class}.{suffix}")), mark, "dataflow", &class, text)
    };
    if let Some(folder) = &places.dot {
        put(folder, "dot", Mark::Slashes, &dot(machine, flat, graph, accesses))?;
    }
    if let Some(folder) = &places.svg {
        put(folder, "svg", Mark::Html, &svg(machine, flat, graph, accesses))?;
        for pair in trees {
            if let Some(drawing) = analysis.tree_drawing(machine, pair.get() - 1) {
                put(folder, &format!("pair-{pair}.svg"), Mark::Html, &drawing.file())?;
            }
        }
    }
    if let Some(folder) = &places.html {
        let page = analysis.page(machine);
        put(folder, "html", Mark::Html, &page)?;
    }
    Ok(())
}
