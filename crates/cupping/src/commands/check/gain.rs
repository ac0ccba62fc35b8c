//! `--gain`: what the generated tests add to the project's own, measured on the machine.
//!
//! Both kinds of tests run in suites of their own. What either reaches or detects counts for all tests.

use super::arguments::Arguments;
use super::inventory::GeneratedFile;
use crate::process::console;
use crate::process::interrupt::interrupted;
use crate::shared::mutation::faults::Faults;
use crate::shared::mutation::judge::Judge;
use crate::shared::mutation::{JudgeOptions, KnownResults};
use crate::shared::suite::{Junit, Suite};
use cupping_classfile::{ClassFile, Program};
use cupping_coverage::CoverageMap;
use cupping_machine::{RunLimits, WorldOptions};
use cupping_mutate::Selection as OperatorSelection;
use cupping_report::mutants::MutantEnd;
use cupping_report::test_check::{Figures, Gain, Share};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximal number of mutants, spread over all classes: enough for a percentage, and a matter of seconds.
const MUTANTS: usize = 400;
/// Maximal number of calls and backward jumps of a test.
const STEPS: u64 = 5_000_000;

/// What the tests of one kind reach and detect.
struct Reached {
    /// Hits of probes.
    hits: Vec<u64>,
    /// Mutants detected.
    killed: BTreeSet<usize>,
}

/// The gain in the classes of these files, given by internal names.
///
/// # Errors
///
/// Tests are not compiled, or cannot be run on the machine; the text says what to do.
pub fn gain(
    args: &Arguments,
    program: &Program,
    found: &[GeneratedFile],
    classes: &BTreeSet<String>,
) -> Result<Gain, String> {
    if args.suite.suite.is_empty() {
        return Err("--gain runs compiled tests: name their folders with --suite".into());
    }
    let mut files: Vec<Arc<ClassFile>> =
        classes.iter().filter_map(|it| program.find(it).ok().flatten()).collect();
    let mut map = CoverageMap::new();
    files.retain(|file| map.track(file).is_ok());
    let operators = OperatorSelection::default();
    let mut faults = Faults::of(files.into_iter().map(|file| (file, &operators)))?;
    faults.sample(MUTANTS);
    let generated: BTreeSet<&str> = found.iter().map(|it| it.file.name.as_str()).collect();
    let junit = Junit::prepare(&args.junit, &args.suite.suite, program)?;
    let (mut own, mut new) = (nothing(), nothing());
    let mut has_generated = false;
    for name in &args.suite.suite {
        let all = Suite::open(name, &junit, program, &[])?.classes;
        let (of_generated, of_own): (Vec<String>, Vec<String>) =
            all.into_iter().partition(|it| generated.contains(it.as_str()));
        has_generated |= !of_generated.is_empty();
        for (classes, reached) in [(of_own, &mut own), (of_generated, &mut new)] {
            if !classes.is_empty() && !interrupted() {
                reached.add(run(name, &junit, program, &classes, &map, &faults)?);
            }
        }
    }
    if !has_generated {
        return Err("--gain: the generated tests are not compiled; build the project's tests first".into());
    }
    let before = figures(&map, &faults, &own);
    own.add(new);
    Ok(Gain { own: before, all: figures(&map, &faults, &own) })
}

fn nothing() -> Reached {
    Reached { hits: Vec::new(), killed: BTreeSet::new() }
}

impl Reached {
    fn add(&mut self, other: Reached) {
        cupping_coverage::merge(&mut self.hits, &other.hits);
        self.killed.extend(other.killed);
    }
}

/// Runs some classes of a suite: once as they are, and against the mutants.
fn run(
    name: &str,
    junit: &Junit,
    program: &Program,
    classes: &[String],
    map: &CoverageMap,
    faults: &Faults,
) -> Result<Reached, String> {
    let suite = Suite::open(name, junit, program, classes)?;
    let mut machine = suite.boot(RunLimits::default(), WorldOptions::default())?;
    machine.track(map);
    suite.run(&mut machine)?.iter().for_each(|note| console::remark(|| note.clone()));
    let hits = machine.registers().coverage.to_vec();
    let options = JudgeOptions { max_steps: STEPS, properties: Vec::new() };
    let judged = Judge::new(&options, &suite, faults)?
        .judge(&KnownResults::nothing(faults), 0..faults.places.len())?;
    judged.panics.iter().for_each(|panic| console::error(&format!("{panic}; please report it")));
    let killed = judged.ends.into_iter().filter(|(_, end, _)| *end == MutantEnd::Killed);
    Ok(Reached { hits, killed: killed.map(|(at, _, _)| at).collect() })
}

fn figures(map: &CoverageMap, faults: &Faults, reached: &Reached) -> Figures {
    let mut figures = Figures {
        mutants: Share { part: reached.killed.len() as u64, whole: faults.mutants.len() as u64 },
        ..Figures::default()
    };
    let covered = (0..map.classes().len()).filter_map(|class| map.coverage(class, &reached.hits));
    for counters in covered.map(|it| it.counters) {
        for (share, counter) in
            [(&mut figures.lines, counters.lines), (&mut figures.branches, counters.branches)]
        {
            share.part += u64::from(counter.covered);
            share.whole += u64::from(counter.total());
        }
    }
    figures
}
