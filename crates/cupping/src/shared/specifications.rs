//! Specifications in TestJava: found, read, compiled, and run as unit tests.

use crate::shared::parallel;
use cupping_classfile::Program;
use cupping_contract::{CompiledSpecifications, Compiler, Specification, SpecificationSource};
use cupping_coverage::CoverageMap;
use cupping_machine::{Machine, RunLimits};
use cupping_watch::{CheckOptions, SpecificationResults, TripleEnd, TripleResult};
use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The named specifications, folders with their contents, sorted.
pub fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    fn add(path: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
        let mut inner = fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        inner.sort_by_key(fs::DirEntry::file_name);
        for entry in inner {
            let path = entry.path();
            if path.is_dir() {
                add(&path, found)?;
            } else if path.extension().is_some_and(|it| it == "tj") {
                found.push(path);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    for path in named {
        if path.is_dir() {
            add(path, &mut found).map_err(|error| format!("{}: {error}", path.display()))?;
        } else {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        return Err("the named folders contain no specifications (*.tj)".into());
    }
    Ok(found)
}

pub fn text_of(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: it cannot be read ({error})", path.display()))
}

/// Reads specifications.
pub fn read(named: &[PathBuf]) -> Result<Vec<Specification>, String> {
    let mut specifications = Vec::new();
    let mut wrong = Vec::new();
    for path in files(named)? {
        let source = SpecificationSource::new(&path.display().to_string(), &text_of(&path)?);
        match cupping_contract::read(&source) {
            Ok(specification) => specifications.push(specification),
            Err(diagnostic) => wrong.push(diagnostic.to_string()),
        }
    }
    if wrong.is_empty() { Ok(specifications) } else { Err(wrong.join("\n")) }
}

/// Specifications, compiled and run as unit tests.
pub struct TestedSpecifications {
    pub specifications: Vec<Specification>,
    pub compiled: CompiledSpecifications,
    pub checked: SpecificationResults,
    pub coverage: CoverageMap,
}

/// Number of testcases that are worth a thread with its own machine.
const CASES_OF_THREAD: usize = 8;

/// Runs specifications as unit tests, on separate machines: one for each of at most this many threads.
pub fn test(
    named: &[PathBuf],
    program: Arc<Program>,
    options: &CheckOptions,
    jobs: NonZeroUsize,
) -> Result<TestedSpecifications, String> {
    let specifications = if named.is_empty() { Vec::new() } else { read(named)? };
    let compiled =
        Compiler { program: &program }.compile(&specifications).map_err(|error| error.to_string())?;
    let coverage = coverage(&program, &compiled);
    if compiled.cases.is_empty() {
        return Ok(TestedSpecifications {
            specifications,
            compiled,
            checked: SpecificationResults::default(),
            coverage,
        });
    }
    let cases = compiled.cases.len();
    let each = cases.div_ceil(jobs.get()).max(CASES_OF_THREAD);
    let parts: Vec<Range<usize>> = (0..cases).step_by(each).map(|at| at..cases.min(at + each)).collect();
    let results = parallel::in_order(jobs, &parts, |_, part| -> Result<SpecificationResults, String> {
        let limits = RunLimits { record_flows: true, ..RunLimits::default() };
        let mut machine = Machine::boot(program.clone(), limits).map_err(|error| error.to_string())?;
        machine.track(&coverage);
        cupping_watch::define(&mut machine, &compiled)?;
        Ok(cupping_watch::check_cases(&mut machine, &compiled, part.clone(), options))
    });
    let mut checked = SpecificationResults::default();
    for part in results {
        checked.append(part?);
    }
    Ok(TestedSpecifications { specifications, compiled, checked, coverage })
}

/// Labels for the classes that triples concern, and for those of the class path, which may override their methods.
fn coverage(program: &Program, compiled: &CompiledSpecifications) -> CoverageMap {
    let targets =
        compiled.cases.iter().flat_map(|case| case.triples.iter().map(|it| it.target.class.clone()));
    coverage_of(program, targets.collect())
}

/// The labels of all classes of a program's class path.
pub fn coverage_of_class_path(program: &Program) -> CoverageMap {
    coverage_of(program, BTreeSet::new())
}

/// The labels of these classes and of those of the class path.
fn coverage_of(program: &Program, mut names: BTreeSet<String>) -> CoverageMap {
    for entry in program.class_path().entries() {
        names.extend(entry.class_names().unwrap_or_default());
    }
    let mut map = CoverageMap::new();
    for name in names {
        if let Ok(Some(file)) = program.find(&name) {
            // Paths through a damaged class cannot be compared, so it is not tracked.
            let _ = map.track(&file);
        }
    }
    map
}

/// The result of each testcase.
pub fn results(tested: &TestedSpecifications) -> String {
    let mut text = String::new();
    let failed: Vec<&TripleResult> =
        tested.checked.results.iter().filter(|it| it.end != TripleEnd::Passed).collect();
    for result in &failed {
        let case = &tested.compiled.cases[result.case];
        let source = &tested.specifications[case.specification].source;
        let why = match &result.end {
            TripleEnd::Passed => continue,
            TripleEnd::PreFailed(why) | TripleEnd::PostFailed(why) => why.clone(),
            TripleEnd::Threw(why) => format!("it ended otherwise: {}", first(why)),
            TripleEnd::Stopped(why) => first(why).to_owned(),
        };
        match result.triple {
            Some(triple) => {
                let span = case.triples[triple].span;
                let (line, column) = source.place(span.start);
                let shown = source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
                text += &format!("{}:{line}:{column}: {}: {why}\n    {shown}\n", source.file, case.name);
            }
            None => text += &format!("{}: {}: {why}\n", source.file, case.name),
        }
        let values: Vec<String> =
            result.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if !values.is_empty() {
            let tries = if result.tries > 1 { format!(" (try {})", result.tries) } else { String::new() };
            text += &format!("    where {}{tries}\n", values.join(", "));
        }
    }
    let triples = tested.checked.results.iter().filter(|it| it.triple.is_some()).count();
    text +=
        &format!("{triples} triples in {} testcases, {} failed\n", tested.compiled.cases.len(), failed.len());
    text
}

fn first(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
