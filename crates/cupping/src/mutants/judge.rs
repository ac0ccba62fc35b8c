//! One suite on one machine, against all mutants.

use super::Faults;
use crate::interrupt::interrupted;
use crate::mutants_args::MutantsArgs;
use crate::panics;
use cupping_classfile::{ClassSelector, Program};
use cupping_coverage::CoverageMap;
use cupping_machine::{Limits, Machine, MethodId, Settings, Snapshot, Step, Trap, Value};
use cupping_report::mutants::End;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Steps that finding the tests may take.
const STEPS_TO_FIND: u64 = 2_000_000_000;
/// Steps that a test may take with a mutant beyond five times its own.
const MORE_STEPS: u64 = 1_000_000;

/// A machine on which a suite's tests have been found.
pub struct Judge<'a> {
    args: &'a MutantsArgs,
    program: Arc<Program>,
    suite: &'a Path,
    machine: Machine,
    run: MethodId,
    tests: usize,
    max_steps: u64,
    found: Snapshot,
}

/// What became of the mutants.
pub struct Judged {
    /// The end of each.
    pub ends: Vec<End>,
    /// Tests that pass without a mutant.
    pub passed: usize,
    /// Tests that do not, or that take too long.
    pub left_out: usize,
    /// Mutants on which the machine panicked, with what it said.
    pub panics: Vec<String>,
}

impl Judged {
    /// Of a suite that was not judged.
    pub fn none() -> Judged {
        Judged { ends: Vec::new(), passed: 0, left_out: 0, panics: Vec::new() }
    }
}

/// A test that passes.
struct Test {
    number: usize,
    steps: u64,
}

impl<'a> Judge<'a> {
    /// Boots a machine and finds the tests.
    pub fn new(args: &'a MutantsArgs, program: Arc<Program>, suite: &'a Path) -> Result<Judge<'a>, String> {
        let names = test_classes(suite, &program)?;
        let class_path: Vec<_> = program.class_path().entries().map(|it| it.path().to_owned()).collect();
        let class_path = std::env::join_paths(class_path).unwrap_or_default();
        let pair = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            (name.to_owned(), value.to_owned())
        };
        let settings = Settings {
            class_path: class_path.to_string_lossy().into_owned(),
            properties: args.properties.iter().map(pair).collect(),
            ..Settings::default()
        };
        let mut machine = Machine::boot_with(program.clone(), Limits::default(), settings)
            .map_err(|error| error.to_string())?;
        machine.console.set_sink(|_, _| ());
        machine.end_when(interrupted);
        machine.set_fuel(STEPS_TO_FIND);
        let (run, tests) = find(&mut machine, &names).map_err(|trap| {
            format!("{}: the tests cannot be found: {}", suite.display(), machine.describe_trap(&trap))
        })?;
        let found = machine.snapshot();
        Ok(Judge { args, program, suite, machine, run, tests, max_steps: args.max_steps, found })
    }

    /// Runs the tests without a fault, then those that reach it with each. A mutant on which the machine panics is not
    /// judged, and the next one gets a fresh machine.
    pub fn judge(mut self, faults: &Faults, interrupted: fn() -> bool) -> Result<Judged, String> {
        let mut map = CoverageMap::new();
        for file in &faults.files {
            map.track(file).map_err(|error| error.to_string())?;
        }
        self.machine.track(&map);
        let mut tests = Vec::new();
        // By mutant, the places of the tests that reach it.
        let mut reaching: Vec<Vec<usize>> = vec![Vec::new(); faults.mutants.len()];
        for number in 0..self.tests {
            if interrupted() {
                break;
            }
            let Some(steps) = self.passes(number, self.max_steps) else { continue };
            let hits = self.machine.registers.coverage.clone();
            for mutant in reached(&map, faults, &hits) {
                reaching[mutant].push(tests.len());
            }
            tests.push(Test { number, steps });
        }
        if tests.is_empty() && !interrupted() {
            return Err(format!("none of the {} tests found passes on the machine", self.tests));
        }
        // Probes are of no use any more, and cost time.
        self.machine.track(&CoverageMap::new());
        let mut judged = Judged {
            ends: Vec::with_capacity(faults.mutants.len()),
            passed: tests.len(),
            left_out: self.tests - tests.len(),
            panics: Vec::new(),
        };
        for (at, ((_, mutant), mut reaching)) in faults.mutants.iter().zip(reaching).enumerate() {
            if interrupted() {
                break;
            }
            reaching.sort_by_key(|at| (tests[*at].steps, *at));
            let end = match panics::catch(|| self.judge_one(faults, at, &reaching, &tests)) {
                Ok(end) => end,
                Err(panic) => {
                    let what = &mutant.replacement.what;
                    let line = mutant.line.map_or(String::new(), |line| format!(" in line {line}"));
                    let class = faults.files[faults.mutants[at].0].name.replace('/', ".");
                    judged.panics.push(format!("{class}{line}, {what}: internal error: panic: {panic}"));
                    self = Judge::new(self.args, self.program, self.suite)?;
                    End::NotJudged
                }
            };
            // What was interrupted is not known.
            judged.ends.push(if interrupted() { End::NotJudged } else { end });
        }
        Ok(judged)
    }

    fn judge_one(&mut self, faults: &Faults, at: usize, reaching: &[usize], tests: &[Test]) -> End {
        let (class, mutant) = &faults.mutants[at];
        let file = &faults.files[*class];
        let Ok(Some(code)) = mutant.code(file) else { return End::NotJudged };
        let Some(method) = self.method(&file.name, mutant.method).filter(|_| !reaching.is_empty()) else {
            return End::NotReached;
        };
        self.machine.replace_code(method, Some(code));
        let noticed = reaching.iter().find(|at| {
            let test = &tests[**at];
            self.passes(test.number, test.steps * 5 + MORE_STEPS).is_none()
        });
        let end = if noticed.is_some() { End::Killed } else { End::Survived };
        self.machine.replace_code(method, None);
        end
    }

    /// Runs a test on a fork of the state in which the tests were found: the steps that it took, if it passes.
    fn passes(&mut self, number: usize, steps: u64) -> Option<u64> {
        self.machine.restore(&self.found);
        self.machine.set_fuel(steps);
        let number = i32::try_from(number).ok()?;
        match self.machine.call(self.run, &[Value::int(number)]) {
            Ok(value) if value.bits as u32 == 0 => Some(steps.saturating_sub(self.machine.fuel())),
            _ => None,
        }
    }

    /// A method by its place in its class file.
    fn method(&mut self, class: &str, index: usize) -> Option<MethodId> {
        let class = self.machine.load(class).ok()?;
        let methods = self.machine.class(class).methods.clone();
        methods.into_iter().find(|it| self.machine.method(*it).index == index)
    }
}

/// The runner's method, and how many tests it found.
pub(crate) fn find(machine: &mut Machine, names: &[String]) -> Step<(MethodId, usize)> {
    find_by(machine, names, "find")
}

/// The same by one of the runner's methods that find tests.
pub(crate) fn find_by(machine: &mut Machine, names: &[String], how: &str) -> Step<(MethodId, usize)> {
    let runner = machine.load("cupping/MutantRunner")?;
    machine.initialize_class_now(runner)?;
    let method = |machine: &Machine, name: &str, descriptor: &str| {
        machine
            .declared_method(runner, name, descriptor)
            .ok_or_else(|| Trap::unsupported("a changed MutantRunner"))
    };
    let find = method(machine, how, "(Ljava/lang/String;)I")?;
    let run = method(machine, "run", "(I)I")?;
    let text = machine.new_text(&names.join("\n"))?;
    let found = machine.call(find, &[Value::reference(text)])?;
    Ok((run, found.bits as u32 as usize))
}

/// The mutants that a run with these hits has reached.
fn reached(map: &CoverageMap, faults: &Faults, hits: &[u64]) -> Vec<usize> {
    let mut covered: BTreeMap<(usize, usize), Vec<u32>> = BTreeMap::new();
    for (at, class) in map.classes().iter().enumerate() {
        for method in &class.methods {
            let Some(ways) = method.covered_ways(hits) else { continue };
            let run = method.instructions().filter(|it| ways[it.ways.clone()].contains(&true));
            covered.insert((at, method.index), run.map(|it| it.offset).collect());
        }
    }
    let is_reached = |(class, mutant): &(usize, cupping_mutate::Mutant)| {
        covered.get(&(*class, mutant.method)).is_some_and(|it| it.binary_search(&mutant.pc).is_ok())
    };
    (0..faults.mutants.len()).filter(|at| is_reached(&faults.mutants[*at])).collect()
}

/// The classes of a suite that are named as tests are: `…Test`, `…Tests`, `…TestCase`, `Test…`; nested ones are found through
/// theirs, and abstract ones through those that extend them.
pub(crate) fn test_classes(suite: &Path, program: &Program) -> Result<Vec<String>, String> {
    let names = ClassSelector::Place(suite.to_owned()).resolve(program).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    for name in names {
        let simple = name.rsplit('/').next().unwrap_or_default();
        let ends = ["Test", "Tests", "TestCase"].iter().any(|end| simple.ends_with(end));
        if simple.contains('$') || !(ends || simple.starts_with("Test")) {
            continue;
        }
        let class = program.require(&name).map_err(|error| error.to_string())?;
        if !class.access.is_abstract() {
            found.push(name.replace('/', "."));
        }
    }
    if found.is_empty() {
        return Err(format!("{}: there is no class that is named as tests are (…Test)", suite.display()));
    }
    Ok(found)
}
