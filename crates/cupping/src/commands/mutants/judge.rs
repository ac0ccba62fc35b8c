//! One suite on one machine, against all mutants.

use super::arguments::Arguments;
use super::faults::Faults;
use crate::process::interrupt::interrupted;
use crate::process::panics;
use crate::process::progress::Counter;
use crate::shared::program::name_and_value;
use crate::shared::suite::{Found, Suite};
use cupping_machine::{Exit, Halt, Limits, Machine, MethodId, Settings, Snapshot, Value};
use cupping_report::mutants::End;
use std::collections::BTreeMap;

/// Steps that a test costs beside its own: it is run on a fork of a state.
const STEPS_OF_TEST: u64 = 200;
/// Steps that a test may take with a mutant beyond five times its own.
const MORE_STEPS: u64 = 1_000_000;

/// A machine on which a suite's tests have been found.
pub struct Judge<'a> {
    args: &'a Arguments,
    suite: &'a Suite,
    machine: Machine,
    found: Found,
    /// Classes that cannot be searched for tests.
    pub notes: Vec<String>,
    start: Snapshot,
    /// Steps of the mutant that is judged.
    steps: u64,
}

/// What became of a part of the mutants.
pub struct Judged {
    /// The place of each that was judged, its end, and the steps that it took.
    pub ends: Vec<(usize, End, u64)>,
    /// Tests that pass without a mutant.
    pub passed: usize,
    /// Tests that do not, or that take too long.
    pub left_out: usize,
    /// Mutants on which the machine panicked, with the panic.
    pub panics: Vec<String>,
    /// Classes that cannot be searched for tests.
    pub notes: Vec<String>,
}

/// A test that passes.
struct Test {
    number: usize,
    steps: u64,
}

impl<'a> Judge<'a> {
    /// Boots a machine and finds the tests.
    pub fn new(args: &'a Arguments, suite: &'a Suite) -> Result<Judge<'a>, String> {
        let properties = args.properties.iter().map(|text| name_and_value(text)).collect();
        let mut machine = suite.boot(Limits::default(), Settings { properties, ..Settings::default() })?;
        let (found, notes) = suite.find(&mut machine)?;
        let start = machine.snapshot();
        Ok(Judge { args, suite, machine, found, notes, start, steps: 0 })
    }

    /// Runs the tests without a fault, then those that reach it with each mutant of a part: every `of`th,
    /// from `part` on. A mutant on which the machine panics is not judged, and the next one gets a fresh
    /// machine.
    pub fn judge(mut self, faults: &Faults, part: usize, of: usize) -> Result<Judged, String> {
        self.pause(faults);
        let mut tests = Vec::new();
        // By mutant, the places of the tests that reach it.
        let mut reaching: Vec<Vec<usize>> = vec![Vec::new(); faults.mutants.len()];
        for number in 0..self.found.tests {
            if interrupted() {
                break;
            }
            let Some((steps, places)) = self.reach(number, faults.places.len()) else { continue };
            for mutant in places.iter().flat_map(|place| &faults.places[*place].mutants) {
                reaching[*mutant].push(tests.len());
            }
            tests.push(Test { number, steps });
        }
        if tests.is_empty() && !interrupted() {
            return Err(format!("none of the {} tests found passes on the machine", self.found.tests));
        }
        let mut judged = Judged {
            ends: Vec::new(),
            passed: tests.len(),
            left_out: self.found.tests - tests.len(),
            panics: Vec::new(),
            notes: std::mem::take(&mut self.notes),
        };
        let counter = Counter::new();
        for at in (part..faults.mutants.len()).step_by(of) {
            if interrupted() {
                break;
            }
            reaching[at].sort_by_key(|test| (tests[*test].steps, *test));
            self.steps = 0;
            let end = match panics::catch(|| self.judge_one(faults, at, &reaching[at], &tests)) {
                Ok(end) => end,
                Err(panic) => {
                    let (class, mutant) = &faults.mutants[at];
                    let what = &mutant.replacement.what;
                    let line = mutant.line.map_or(String::new(), |line| format!(" in line {line}"));
                    let class = faults.files[*class].name.replace('/', ".");
                    let message = format!("{class}{line}, {what}: internal error: panic: {panic}");
                    judged.panics.push(message);
                    self = Judge::new(self.args, self.suite)?;
                    End::NotJudged
                }
            };
            if interrupted() {
                // The end of what was interrupted is not known.
                break;
            }
            judged.ends.push((at, end, self.steps));
            counter.update(|| format!("{}: {} mutants", self.suite.name, judged.ends.len()));
        }
        counter.clear();
        Ok(judged)
    }

    /// Lets runs pause at all mutated places.
    fn pause(&mut self, faults: &Faults) {
        let mut by_method: BTreeMap<(usize, usize), BTreeMap<u32, u32>> = BTreeMap::new();
        for (number, place) in (0..).zip(&faults.places) {
            by_method.entry((place.class, place.method)).or_default().insert(place.pc, number);
        }
        for ((class, method), places) in by_method {
            self.machine.pause_at(&faults.files[class].name, method, places);
        }
    }

    /// Runs a test without a fault: its steps and the places that it reaches, if it passes. A place is reached
    /// when its instruction begins, so also if that throws.
    fn reach(&mut self, number: usize, places: usize) -> Option<(u64, Vec<usize>)> {
        (0..places).for_each(|place| self.machine.arm(place as u32, true));
        let mut reached = Vec::new();
        let passed = self.passes_pausing(number, self.args.max_steps, |machine, place| {
            machine.arm(place, false);
            reached.push(place as usize);
        });
        (0..places).for_each(|place| self.machine.arm(place as u32, false));
        Some((passed?, reached))
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
        self.passes_pausing(number, steps, |machine, place| machine.arm(place, false))
    }

    /// The same, looking at the state of the machine at each armed place.
    fn passes_pausing(
        &mut self,
        number: usize,
        steps: u64,
        mut arrived: impl FnMut(&mut Machine, u32),
    ) -> Option<u64> {
        self.machine.restore(&self.start);
        self.machine.set_fuel(steps);
        let number = i32::try_from(number).ok()?;
        self.machine.enter(self.found.run, &[Value::int(number)]).ok()?;
        let ended = loop {
            match self.machine.run() {
                Exit::Halted(Halt::Arrived(place)) => arrived(&mut self.machine, place),
                other => break other,
            }
        };
        let taken = steps.saturating_sub(self.machine.fuel());
        self.steps += taken + STEPS_OF_TEST;
        match ended {
            Exit::Returned(value) if value.bits as u32 == 0 => Some(taken),
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
