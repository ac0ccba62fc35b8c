//! `cupping mutants`: how many small faults each suite of tests detects.
//!
//! Each suite is judged in parts ([`parts`]), by [`crate::shared::mutation`].

pub mod arguments;
mod findings;
mod parts;
mod report;
mod store;

use crate::frame::store_context::local_folder;
use crate::frame::{Failure, UnitEnd};
use crate::process::console::{self, bad_input};
use crate::process::exit::Status;
use crate::process::interrupt::{self, interrupted};
use crate::shared::all_modules;
use crate::shared::budget::steps_of;
use crate::shared::changed_lines::{ChangedLines, path_of};
use crate::shared::findings::SourceFolders;
use crate::shared::mutation::faults::Faults;
use crate::shared::mutation::judge::JudgedMutants;
use crate::shared::mutation::{JudgeOptions, KnownResults};
use crate::shared::store::Stage;
use crate::shared::suite::{Junit, Suite};
use arguments::Arguments;
use cupping_classfile::{ClassFile, ClassSelector, Program};
use cupping_report::files::Author;
use cupping_report::mutants::{MutantEnd, MutantRow, Scores, SourceFile};
use cupping_view::Problem;
use parts::Judgement;
use report::Documents;
use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use store::Store;

/// Runs the command.
pub fn run(args: &Arguments, author: Author) -> ExitCode {
    ExitCode::from(mutants(args, &author).unwrap_or_else(|error| bad_input(&error)).code())
}

fn mutants(args: &Arguments, author: &Author) -> Result<Status, String> {
    args.report.findings.check()?;
    let (program, selectors, errors) = args.classes.open(args.jdk.locate()?);
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let changed = lines(args, &selectors, &program)?;
    let (sources, source_errors) = args.report.sources.open();
    if let Some(error) = source_errors.into_iter().next() {
        return Err(error);
    }
    let faults = faults(args, &selectors, &program, changed.as_ref())?;
    let junit = Junit::prepare(&args.junit, &args.suite.suite, &program)?;
    let open = |name: &String| Suite::open(name, &junit, &program, &[]);
    let suites: Vec<Suite> = args.suite.suite.iter().map(open).collect::<Result<_, _>>()?;
    let folder = args.store.store.as_deref().map(local_folder);
    let stores: Vec<Option<Store<'_>>> =
        suites.iter().map(|suite| Some(Store::new(folder.as_deref()?, args, suite))).collect();
    // Jobs do not depend on what is known about single mutants.
    let is_staged = !matches!(args.store.stage, Stage::All);
    let known = |store: &Option<Store<'_>>| match store {
        Some(store) if !is_staged => store.read(&faults),
        _ => KnownResults::nothing(&faults),
    };
    let known: Vec<KnownResults> = stores.iter().map(known).collect();
    let options = JudgeOptions { max_steps: args.max_steps, properties: args.properties.clone() };
    let Judgement { parts, end } = if is_staged {
        parts::in_jobs(args, author, &options, &faults, &suites, &program, &known)?
    } else {
        parts::on_threads(args, &options, &faults, &suites, &known)
    };
    let mut status = end.status;
    if end.is_over {
        return Ok(status);
    }
    let mut problems = Vec::new();
    let mut all: Vec<Vec<JudgedMutants>> = suites.iter().map(|_| Vec::new()).collect();
    for (of, end) in parts {
        let suite = &suites[of].name;
        let judged = match end {
            UnitEnd::Done(judged) => Some(judged),
            UnitEnd::Failed(Failure::Interrupted | Failure::Late) => None,
            UnitEnd::Failed(Failure::Boot(error) | Failure::Input(error)) => return Err(error),
            UnitEnd::Panicked(panic) => {
                problems.push(Problem::of(
                    suite,
                    format!("{suite}: internal error: panic: {panic}; please report it"),
                ));
                status.add(Status::WRONG);
                None
            }
        };
        for panic in judged.iter().flat_map(|it| &it.panics) {
            problems.push(Problem::of(suite, format!("{panic}; please report it")));
            status.add(Status::WRONG);
        }
        if all[of].is_empty() {
            judged.iter().flat_map(|it| &it.notes).for_each(|note| console::error(note));
        }
        all[of].extend(judged);
    }
    problems.iter().for_each(|problem| console::error(&problem.message));
    interrupt::closing();
    let together = all.iter().zip(known).map(|(parts, known)| together(known, parts));
    let known: Vec<KnownResults> = together.collect();
    for (store, known) in stores.iter().zip(&known) {
        store.as_ref().map_or(Ok(()), |store| store.write(&faults, known))?;
    }
    let by_suite: Vec<MergedResults> = known.into_iter().map(|known| merged(args, known)).collect();
    let scores = scores(args, &faults, &by_suite, &|class| sources.find(class, &program));
    if interrupted() {
        status.add(Status::INTERRUPTED);
    }
    let folders = SourceFolders::of(&args.report.sources, &program.class_path().paths());
    let (reported, of_findings) =
        args.report.findings.apply("mutants", findings::findings(&scores), &folders);
    status.add(of_findings);
    let remark = reported.remark();
    let documents = Documents { scores: scores.clone(), status: status.word(), problems, reported };
    all_modules::join(args.classes.module.as_deref(), documents, Documents::append).write(args)?;
    console::say(&scores.table());
    remark.iter().for_each(|remark| console::say(remark));
    if args.survivors {
        console::say(&scores.survivors());
    }
    if let Some(percent) = args.threshold {
        for (suite, score) in scores.below(percent) {
            console::error(&format!("{suite}: the score of {score:.1}% is below --threshold {percent}"));
            status.add(Status::WRONG);
        }
    }
    if interrupted() {
        console::error(&"interrupted; the remaining mutants count as not judged");
    }
    Ok(status)
}

/// The lines that are asked for, if any are.
fn lines(
    args: &Arguments,
    selectors: &[ClassSelector],
    program: &Program,
) -> Result<Option<ChangedLines>, String> {
    if args.lines.is_empty() && args.since.is_none() && args.at.is_none() {
        return Ok(None);
    }
    let mut changed = ChangedLines::default();
    let at = args.at.iter().map(|place| &place.lines);
    args.lines.iter().chain(at).for_each(|lines| changed.extend(lines.clone()));
    if let Some(revision) = &args.since {
        let mut sources = BTreeSet::new();
        for selector in selectors {
            for name in selector.resolve(program).map_err(|error| error.to_string())? {
                let class = program.require(&name).map_err(|error| error.to_string())?;
                sources.extend(path_of(&class));
            }
        }
        changed.extend(ChangedLines::since(revision, &sources)?);
    }
    Ok(Some(changed))
}

/// The mutants of the selected classes; only those of changed lines, if these are given.
fn faults(
    args: &Arguments,
    selectors: &[ClassSelector],
    program: &Program,
    changed: Option<&ChangedLines>,
) -> Result<Faults, String> {
    let (mut seen, mut names) = (BTreeSet::new(), Vec::new());
    for selector in selectors {
        let is_wide = !matches!(selector, ClassSelector::Class(_));
        let found = selector.resolve(program).map_err(|error| error.to_string())?;
        let left = found.into_iter().filter(|name| !is_wide || !args.classes.rules.skips(name));
        names.extend(left.filter(|name| seen.insert(name.clone())));
    }
    let by_class = args.classes.rules.arguments::<Arguments>(names.iter().map(String::as_str));
    let class = |name: &String| {
        let operators = by_class.get(name).map_or(&args.operators, |own| &own.arguments.operators);
        program.require(name).map(|file| (file, operators)).map_err(|error| error.to_string())
    };
    let classes = names.iter().map(class).collect::<Result<Vec<_>, _>>()?;
    let mut faults = Faults::of(classes)?;
    if let Some(changed) = changed {
        faults.retain(changed);
    }
    if let Some(sample) = args.sample {
        faults.sample(sample.get());
    }
    if faults.mutants.is_empty() && changed.is_none() {
        return Err("the classes have no code that can be mutated".into());
    }
    Ok(faults)
}

/// The results of a suite's parts for all mutants.
struct MergedResults {
    ends: Vec<MutantEnd>,
    passed: usize,
    left_out: usize,
}

/// Combines the parts with the results known before.
fn together(mut known: KnownResults, parts: &[JudgedMutants]) -> KnownResults {
    for (at, end, steps) in parts.iter().flat_map(|it| &it.ends) {
        known.ends[*at] = Some((*end, *steps));
    }
    let first = parts.first();
    known.tests = first.map(|it| (it.passed, it.left_out)).or(known.tests);
    known
}

/// The results that count. With a budget, mutants count until the ones before them have used it up, whatever the
/// number of threads.
fn merged(args: &Arguments, known: KnownResults) -> MergedResults {
    let most = args.budget.budget.map_or(u64::MAX, steps_of);
    let mut used = 0u64;
    let counted = known.ends.into_iter().map(|known| {
        let (end, steps) = known.unwrap_or((MutantEnd::NotJudged, 0));
        let is_in_budget = used < most;
        used = used.saturating_add(steps);
        if is_in_budget { end } else { MutantEnd::NotJudged }
    });
    let (passed, left_out) = known.tests.unwrap_or_default();
    MergedResults { ends: counted.collect(), passed, left_out }
}

fn scores(
    args: &Arguments,
    faults: &Faults,
    judged: &[MergedResults],
    text: &dyn Fn(&ClassFile) -> Option<String>,
) -> Scores {
    let path = |class: &ClassFile| path_of(class).unwrap_or_else(|| format!("{}.java", class.name));
    let is_shown = args.report.html.is_some() || args.mutation_json.is_some();
    let mut sources: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (class, _) in &faults.mutants {
        let class = &faults.files[*class];
        sources.entry(path(class)).or_insert_with(|| text(class).filter(|_| is_shown));
    }
    let places: BTreeMap<String, usize> = sources.keys().cloned().zip(0..).collect();
    let rows = faults.mutants.iter().enumerate().map(|(number, (class, mutant))| {
        let file = &faults.files[*class];
        MutantRow {
            class: file.name.replace('/', "."),
            method: format!("{}{}", file.methods[mutant.method].name, file.methods[mutant.method].descriptor),
            line: mutant.line.map(u32::from),
            operator: mutant.operator,
            pit: mutant.replacement.pit,
            what: mutant.replacement.what.clone(),
            source: places.get(&path(file)).copied().unwrap_or_default(),
            ends: judged
                .iter()
                .map(|it| it.ends.get(number).copied().unwrap_or(MutantEnd::NotJudged))
                .collect(),
        }
    });
    Scores {
        suites: args.suite.suite.clone(),
        tests: judged.iter().map(|it| (it.passed, it.left_out)).collect(),
        operators: args.operators.operators().map(|it| it.name).collect(),
        sources: sources.into_iter().map(|(path, text)| SourceFile { path, text }).collect(),
        rows: rows.collect(),
    }
}
