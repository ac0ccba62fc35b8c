//! One suite on one machine, against a part of the mutants.
//!
//! Each test first runs once without a fault, which shows its steps and the instructions that it reaches. Then,
//! quickest first, the tests run again as long as there are mutants that they may detect; each of these is judged on
//! a fork ([`mod@super::forks`]).

use super::faults::Faults;
use super::forks::{Fork, ForkOutcome, STEPS_OF_FORK, has_passed};
use super::{JudgeOptions, KnownResults};
use crate::process::interrupt::interrupted;
use crate::process::panics;
use crate::process::progress::Counter;
use crate::shared::program::name_and_value;
use crate::shared::suite::{Suite, SuiteTests};
use cupping_machine::{Exit, Halt, Machine, RunLimits, Snapshot, Value, WorldOptions};
use cupping_report::mutants::MutantEnd;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Steps that a test may take with a mutant in addition to five times its own.
const MORE_STEPS: u64 = 1_000_000;
/// Words of memory that a test may use with a mutant in addition to its own (64 MiB): collecting a large heap that
/// only grows would dominate the time.
const MORE_MEMORY: u32 = 1 << 23;

/// A machine on which a suite's tests have been found.
pub struct Judge<'a> {
    options: &'a JudgeOptions,
    suite: &'a Suite,
    faults: &'a Faults,
    machine: Machine,
    found: SuiteTests,
    /// Classes that cannot be searched for tests.
    notes: Vec<String>,
    start: Snapshot,
    /// The places at which runs may pause, by class and method.
    planned: BTreeMap<(usize, usize), BTreeSet<u32>>,
}

/// The fate of a part of the mutants.
#[derive(Clone, Serialize, Deserialize)]
pub struct JudgedMutants {
    /// The index of each judged mutant, its end, and the steps that it took.
    pub ends: Vec<(usize, MutantEnd, u64)>,
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
struct SuiteTest {
    number: usize,
    steps: u64,
    /// The words of memory up to which it goes.
    memory: u32,
    /// The places that it reaches.
    places: Vec<usize>,
}

/// Facts about a mutant.
#[derive(Clone)]
struct MutantVerdict {
    end: MutantEnd,
    /// Whether no test is to be run any more.
    is_final: bool,
    steps: u64,
}

impl<'a> Judge<'a> {
    /// Boots a machine and finds the tests.
    pub fn new(options: &'a JudgeOptions, suite: &'a Suite, faults: &'a Faults) -> Result<Judge<'a>, String> {
        let properties = options.properties.iter().map(|text| name_and_value(text)).collect();
        let mut machine =
            suite.boot(RunLimits::default(), WorldOptions { properties, ..WorldOptions::default() })?;
        let (found, notes) = suite.find(&mut machine)?;
        let start = machine.snapshot();
        Ok(Judge { options, suite, faults, machine, found, notes, start, planned: BTreeMap::new() })
    }

    /// Judges the unknown mutants of these instructions. A mutant on which the machine panics is not judged, and the
    /// next one gets a fresh machine.
    ///
    /// # Errors
    ///
    /// No test passes, or a machine cannot be booted.
    pub fn judge(
        mut self,
        known: &KnownResults,
        places: impl IntoIterator<Item = usize>,
    ) -> Result<JudgedMutants, String> {
        let faults = self.faults;
        let is_open = |mutant: &usize| known.ends[*mutant].is_none();
        let places = places.into_iter();
        let places: Vec<usize> = places.filter(|it| faults.places[*it].mutants.iter().any(is_open)).collect();
        let mut tests = self.tests(&places);
        if tests.is_empty() && !interrupted() {
            return Err(format!("none of the {} tests found passes on the machine", self.found.tests));
        }
        let mut judged = JudgedMutants {
            ends: Vec::new(),
            passed: tests.len(),
            left_out: self.found.tests - tests.len(),
            panics: Vec::new(),
            notes: std::mem::take(&mut self.notes),
        };
        let unknown = MutantVerdict { end: MutantEnd::NotReached, is_final: false, steps: 0 };
        let open = places.iter().flat_map(|place| &faults.places[*place].mutants).filter(|it| is_open(it));
        let mut verdicts: BTreeMap<usize, MutantVerdict> = open.map(|it| (*it, unknown.clone())).collect();
        tests.sort_by_key(|test| (test.steps, test.number));
        let counter = Counter::new();
        for (at, test) in tests.iter().enumerate() {
            counter.update(|| format!("{}: {at} of {} tests", self.suite.name, tests.len()));
            self = self.judge_by(test, &mut verdicts, &mut judged.panics)?;
            if interrupted() {
                // The remaining tests might have killed the mutant.
                verdicts.retain(|_, verdict| verdict.is_final);
                break;
            }
        }
        counter.clear();
        judged.ends = verdicts.into_iter().map(|(at, it)| (at, it.end, it.steps)).collect();
        Ok(judged)
    }

    /// The tests that pass without a fault, in the order in which they were found.
    fn tests(&mut self, places: &[usize]) -> Vec<SuiteTest> {
        self.plan(places.iter().copied());
        let mut tests = Vec::new();
        let mut long = 0;
        for number in 0..self.found.tests {
            if interrupted() {
                break;
            }
            places.iter().for_each(|place| self.machine.arm(*place as u32, true));
            let mut places = Vec::new();
            let passed = self.run(number, self.options.max_steps, |machine, place| {
                machine.arm(place as u32, false);
                places.push(place);
                true
            });
            if let Some((true, steps)) = passed {
                let memory = self.machine.memory().used();
                tests.push(SuiteTest { number, steps, memory, places });
            } else if self.machine.fuel() == 0 {
                long += 1;
            }
        }
        if long > 0 && !interrupted() {
            let (name, limit) = (&self.suite.name, self.options.max_steps);
            self.notes.push(format!(
                "{name}: {long} tests are left out, as each takes more than {limit} steps (--max-steps)"
            ));
        }
        tests
    }

    /// Runs a test from the state in which the tests were found. At each armed place `arrived` inspects the machine
    /// and returns whether the run continues. Returns whether the test passed, and its steps; `None` if the run did
    /// not continue.
    fn run(
        &mut self,
        number: usize,
        steps: u64,
        mut arrived: impl FnMut(&mut Machine, usize) -> bool,
    ) -> Option<(bool, u64)> {
        self.machine.restore(&self.start);
        self.machine.set_fuel(steps);
        let number = i32::try_from(number).ok()?;
        self.machine.enter(self.found.run, &[Value::int(number)]).ok()?;
        let ended = loop {
            match self.machine.run() {
                Exit::Halted(Halt::Arrived(place)) => {
                    if !arrived(&mut self.machine, place as usize) {
                        return None;
                    }
                }
                other => break other,
            }
        };
        Some((has_passed(&ended), steps.saturating_sub(self.machine.fuel())))
    }

    /// Lets runs pause at these places and no others.
    fn plan(&mut self, places: impl Iterator<Item = usize>) {
        let mut wanted: BTreeMap<(usize, usize), BTreeSet<u32>> = BTreeMap::new();
        for number in places {
            let place = &self.faults.places[number];
            wanted.entry((place.class, place.method)).or_default().insert(number as u32);
        }
        let none = BTreeSet::new();
        let methods: BTreeSet<(usize, usize)> = self.planned.keys().chain(wanted.keys()).copied().collect();
        for key in methods {
            let numbers = wanted.get(&key).unwrap_or(&none);
            if self.planned.get(&key).unwrap_or(&none) != numbers {
                let (class, method) = key;
                let at = |number: &u32| (self.faults.places[*number as usize].pc, *number);
                let places = numbers.iter().map(at).collect();
                self.machine.pause_at(&self.faults.files[class].name, method, places);
            }
        }
        self.planned = wanted;
    }

    /// Judges the mutants that a test reaches and no test has detected.
    fn judge_by(
        mut self,
        test: &SuiteTest,
        verdicts: &mut BTreeMap<usize, MutantVerdict>,
        panics: &mut Vec<String>,
    ) -> Result<Judge<'a>, String> {
        let reached = test.places.iter().flat_map(|place| &self.faults.places[*place].mutants);
        let mut pending: BTreeSet<usize> =
            reached.copied().filter(|it| verdicts.get(it).is_some_and(|verdict| !verdict.is_final)).collect();
        while !pending.is_empty() && !interrupted() {
            let mut current = None;
            self.machine.bound_memory(Some(test.memory.saturating_add(MORE_MEMORY)));
            let worked = panics::catch(|| self.fork_at_places(test, &mut pending, verdicts, &mut current));
            let Err(panic) = worked else { break };
            // If the original test does not end, its waiting mutants are not judged.
            let lost: Vec<usize> =
                current.map_or_else(|| pending.iter().copied().collect(), |mutant| vec![mutant]);
            panics.push(self.faults.describe(lost[0], &panic));
            for mutant in lost {
                pending.remove(&mutant);
                if let Some(verdict) = verdicts.get_mut(&mutant) {
                    (verdict.end, verdict.is_final) = (MutantEnd::NotJudged, true);
                }
            }
            self = Judge::new(self.options, self.suite, self.faults)?;
        }
        Ok(self)
    }

    /// Runs a test on the original, and forks it for each pending mutant that makes a difference.
    fn fork_at_places(
        &mut self,
        test: &SuiteTest,
        pending: &mut BTreeSet<usize>,
        verdicts: &mut BTreeMap<usize, MutantVerdict>,
        current: &mut Option<usize>,
    ) {
        let faults = self.faults;
        let fuel = test.steps.saturating_mul(5).saturating_add(MORE_STEPS);
        // A removed handler makes a difference before it is reached.
        let (whole, at_places): (Vec<usize>, Vec<usize>) =
            pending.iter().copied().partition(|it| faults.is_whole(*it));
        for mutant in whole {
            *current = Some(mutant);
            let outcome = self.judge_whole(test, mutant, fuel);
            record_outcome(verdicts, pending, mutant, &outcome);
        }
        *current = None;
        let mut forks: BTreeMap<usize, Fork<'_>> = BTreeMap::new();
        for mutant in at_places {
            let place = faults.place_of(mutant);
            forks.entry(place).or_insert_with(|| Fork::new(faults, place)).mutants.push(mutant);
        }
        self.plan(forks.keys().copied());
        forks.keys().for_each(|place| self.machine.arm(*place as u32, true));
        let mut late = Vec::new();
        self.run(test.number, fuel, |machine, place| {
            let Some(fork) = forks.get_mut(&place) else { return true };
            for (mutant, outcome) in fork.arrive(machine, current) {
                match outcome {
                    Some(outcome) => record_outcome(verdicts, pending, mutant, &outcome),
                    None => late.push(mutant),
                }
            }
            if fork.mutants.is_empty() {
                machine.arm(place as u32, false);
                forks.remove(&place);
            }
            !forks.is_empty() && !interrupted()
        });
        // A mutant without any effect leaves the test passing.
        if !interrupted() {
            let same: Vec<usize> = forks.into_values().flat_map(|fork| fork.mutants).collect();
            for mutant in same {
                record_outcome(verdicts, pending, mutant, &ForkOutcome { is_killed: Some(false), steps: 0 });
            }
        }
        for mutant in late {
            *current = Some(mutant);
            let outcome = self.judge_whole(test, mutant, fuel);
            record_outcome(verdicts, pending, mutant, &outcome);
        }
    }

    /// Runs a test from its beginning with a mutant in place.
    fn judge_whole(&mut self, test: &SuiteTest, mutant: usize, fuel: u64) -> ForkOutcome {
        let Some((method, code)) = self.faults.body(&mut self.machine, mutant) else {
            return ForkOutcome { is_killed: None, steps: 0 };
        };
        self.machine.replace_code(method, Some(code));
        self.machine.set_pausing(false);
        let ran = self.run(test.number, fuel, |_, _| true);
        self.machine.set_pausing(true);
        self.machine.replace_code(method, None);
        let (passed, steps) = ran.unwrap_or((false, 0));
        ForkOutcome { is_killed: Some(!passed), steps: steps + STEPS_OF_FORK }
    }
}

/// Records the outcome of a test for a mutant, and that the mutant is done with this test.
fn record_outcome(
    verdicts: &mut BTreeMap<usize, MutantVerdict>,
    pending: &mut BTreeSet<usize>,
    mutant: usize,
    outcome: &ForkOutcome,
) {
    pending.remove(&mutant);
    let Some(verdict) = verdicts.get_mut(&mutant) else { return };
    verdict.steps += outcome.steps;
    (verdict.end, verdict.is_final) = match outcome.is_killed {
        // An interrupted run has not failed.
        Some(true) if interrupted() => return,
        Some(true) => (MutantEnd::Killed, true),
        Some(false) => (MutantEnd::Survived, false),
        None => (MutantEnd::NotJudged, true),
    };
}
