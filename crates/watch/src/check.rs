//! Unit-test reduction (paper §3): runs each testcase on its own fork and evaluates its conditions on forks
//! of that fork.

use crate::conditions::{CaseClass, Truth, describe, past, push_past};
use crate::old_value::OldValue;
use crate::profile::{CallProfile, ProfiledTest};
use crate::random::{Random, Space};
use crate::record::Recorder;
use crate::shape::shape_of;
use cupping_contract::{CompiledCase, CompiledSpecifications, CompiledTriple, Setup};
use cupping_machine::{CallEnd, Halt, Kind, Machine, Snapshot, Value, WatchScope};
use std::collections::BTreeMap;
use std::ops::Range;

/// Options for running testcases.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Number of runs of a testcase with random values.
    pub tries: usize,
    /// Seed of the random values.
    pub seed: u64,
    /// Limit on calls and backward jumps of one statement.
    pub fuel: u64,
    /// Depth to which objects are compared (paper §6.1.1).
    pub depth: usize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { tries: 100, seed: 0, fuel: 50_000_000, depth: 3 }
    }
}

/// The result of a triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TripleEnd {
    /// The triple holds.
    Passed,
    /// Its precondition does not hold of the testcase's values.
    PreFailed(String),
    /// The call threw an unexpected exception, or did not throw the expected one.
    Threw(String),
    /// The postcondition does not hold.
    PostFailed(String),
    /// The triple could not be evaluated, for this reason.
    Stopped(String),
}

/// The result of a triple, or of the statements before it, in one testcase: its first failure, if any try failed.
#[derive(Clone, Debug)]
pub struct TripleResult {
    /// Index of the testcase.
    pub case: usize,
    /// Index of the triple; `None` for the statements outside of triples.
    pub triple: Option<usize>,
    /// The result.
    pub end: TripleEnd,
    /// Values of the variables in the failing try, after shrinking.
    pub values: Vec<(String, String)>,
    /// Number of tries.
    pub tries: usize,
}

/// The results of running specifications.
#[derive(Debug, Default)]
pub struct SpecificationResults {
    /// One result per testcase and triple.
    pub results: Vec<TripleResult>,
    pub(crate) profiles: Vec<CallProfile>,
    pub(crate) spaces: BTreeMap<(usize, usize), Space>,
}

impl SpecificationResults {
    /// Whether all triples hold.
    pub fn passed(&self) -> bool {
        self.results.iter().all(|it| it.end == TripleEnd::Passed)
    }

    /// Appends the results of further testcases.
    pub fn append(&mut self, mut further: SpecificationResults) {
        self.results.append(&mut further.results);
        self.profiles.append(&mut further.profiles);
        self.spaces.append(&mut further.spaces);
    }
}

/// Runs all testcases; see [`check_cases`].
pub fn check(
    machine: &mut Machine,
    compiled: &CompiledSpecifications,
    options: &CheckOptions,
) -> SpecificationResults {
    check_cases(machine, compiled, 0..compiled.cases.len(), options)
}

/// Runs the testcases with these numbers. The machine must know the condition classes ([`crate::define`]) and record
/// data flow ([`cupping_machine::RunLimits::record_flows`]); it is restored afterwards. A testcase gives the same
/// results whichever others are run with it.
pub fn check_cases(
    machine: &mut Machine,
    compiled: &CompiledSpecifications,
    cases: Range<usize>,
    options: &CheckOptions,
) -> SpecificationResults {
    let recorder = Recorder::default();
    let mut scope = WatchScope { class_path: true, ..WatchScope::default() };
    for case in &compiled.cases {
        scope.classes.extend(case.triples.iter().map(|it| it.target.class.as_str().into()));
    }
    machine.watch(scope, Some(Box::new(recorder.clone())));
    let start = machine.snapshot();
    let mut checked = SpecificationResults::default();
    for (at, case) in compiled.cases.iter().enumerate().take(cases.end).skip(cases.start) {
        let is_random = case.steps.iter().any(|step| matches!(step, Setup::Random(..)));
        let tries = if is_random { options.tries.max(1) } else { 1 };
        let mut best: BTreeMap<Option<usize>, TripleResult> = BTreeMap::new();
        for number in 0..tries {
            let mut random = Random(options.seed ^ (at as u64) << 32 ^ number as u64);
            let mut run = CaseRun::new(machine, case, at, &recorder, options, &start);
            let drawn = run.whole(&mut Values::Random(&mut random));
            let (results, profiles, spaces) = (run.results, run.profiles, run.spaces);
            for (variable, space) in spaces {
                checked.spaces.insert((at, variable), space);
            }
            checked.profiles.extend(profiles);
            let mut is_over = false;
            for mut result in results {
                result.tries = number + 1;
                if result.end != TripleEnd::Passed && !drawn.is_empty() {
                    result = shrink(machine, case, at, &recorder, options, &start, &drawn, result);
                }
                is_over |= result.end != TripleEnd::Passed;
                let known = best.entry(result.triple).or_insert_with(|| result.clone());
                if known.end == TripleEnd::Passed {
                    *known = result;
                }
            }
            if is_over {
                break;
            }
        }
        checked.results.extend(best.into_values());
    }
    machine.watch(WatchScope::default(), None);
    machine.restore(&start);
    checked
}

/// Searches for simpler values with the same failure.
#[allow(clippy::too_many_arguments)]
fn shrink(
    machine: &mut Machine,
    case: &CompiledCase,
    at: usize,
    recorder: &Recorder,
    options: &CheckOptions,
    start: &Snapshot,
    drawn: &[(usize, Value)],
    mut worst: TripleResult,
) -> TripleResult {
    /// Limit on the runs that shrinking makes.
    const MOST_RUNS: usize = 400;
    let mut present = drawn.to_vec();
    let mut runs = 0;
    'again: loop {
        for which in 0..present.len() {
            let mut run = CaseRun::new(machine, case, at, recorder, options, start);
            run.whole(&mut Values::Given(&present));
            let simpler = run
                .spaces
                .get(&present[which].0)
                .map(|space| space.simpler(present[which].1))
                .unwrap_or_default();
            for value in simpler {
                runs += 1;
                if runs > MOST_RUNS {
                    return worst;
                }
                let mut attempt = present.clone();
                attempt[which].1 = value;
                let mut run = CaseRun::new(machine, case, at, recorder, options, start);
                run.whole(&mut Values::Given(&attempt));
                let same = |it: &&TripleResult| {
                    it.triple == worst.triple
                        && std::mem::discriminant(&it.end) == std::mem::discriminant(&worst.end)
                };
                if let Some(found) = run.results.iter().find(same) {
                    worst = TripleResult { tries: worst.tries, ..found.clone() };
                    present = attempt;
                    continue 'again;
                }
            }
        }
        return worst;
    }
}

enum Values<'v> {
    Random(&'v mut Random),
    Given(&'v [(usize, Value)]),
}

struct CaseRun<'r> {
    machine: &'r mut Machine,
    case: &'r CompiledCase,
    at: usize,
    recorder: &'r Recorder,
    options: &'r CheckOptions,
    class: Option<CaseClass>,
    results: Vec<TripleResult>,
    profiles: Vec<CallProfile>,
    spaces: BTreeMap<usize, Space>,
}

impl<'r> CaseRun<'r> {
    fn new(
        machine: &'r mut Machine,
        case: &'r CompiledCase,
        at: usize,
        recorder: &'r Recorder,
        options: &'r CheckOptions,
        start: &Snapshot,
    ) -> CaseRun<'r> {
        machine.restore(start);
        *recorder.0.borrow_mut() = Default::default();
        CaseRun {
            machine,
            case,
            at,
            recorder,
            options,
            class: None,
            results: Vec::new(),
            profiles: Vec::new(),
            spaces: BTreeMap::new(),
        }
    }

    fn result(&mut self, triple: Option<usize>, end: TripleEnd) {
        let values = match end {
            TripleEnd::Passed => Vec::new(),
            _ => self.shown(triple),
        };
        self.results.push(TripleResult { case: self.at, triple, end, values, tries: 1 });
    }

    /// The variables and their values, for display.
    fn shown(&self, triple: Option<usize>) -> Vec<(String, String)> {
        let seen = triple.map_or(0, |it| self.case.triples[it].seen);
        (0..seen)
            .map(|at| {
                let (value, kind) = (self.variable(at), self.kind(at));
                let shape = shape_of(self.machine, kind, value.bits, self.options.depth, None);
                (self.case.variables[at].0.clone(), shape.to_string())
            })
            .collect()
    }

    fn variable(&self, at: usize) -> Value {
        self.class
            .as_ref()
            .map_or(Value::default(), |it| it.variable(self.machine, &self.case.variables[at].0))
    }

    fn kind(&self, at: usize) -> Kind {
        let Some(class) = &self.class else { return Kind::Reference };
        let fields = &self.machine.class(class.class).fields;
        fields.iter().find(|it| *it.name == *self.case.variables[at].0).map_or(Kind::Reference, |it| it.kind)
    }

    fn ask(&mut self, name: &str, arguments: &[Value]) -> Result<CallEnd, Halt> {
        self.machine.set_fuel(self.options.fuel);
        match &self.class {
            Some(class) => class.ask(self.machine, name, arguments),
            None => Err(Halt::Unsupported("the condition was not compiled".into())),
        }
    }

    /// Runs the testcase and returns the random values that it drew.
    fn whole(&mut self, values: &mut Values<'_>) -> Vec<(usize, Value)> {
        let mut drawn = Vec::new();
        match CaseClass::of(self.machine, self.case) {
            Ok(class) => self.class = Some(class),
            Err(why) => {
                self.result(None, TripleEnd::Stopped(why));
                return drawn;
            }
        }
        for step in &self.case.steps {
            let failed = match step {
                Setup::Run(name, _) => match self.ask(name, &[]) {
                    Ok(CallEnd::Returned(_)) => None,
                    Ok(CallEnd::Threw(thrown)) => Some(self.machine.describe_throwable(thrown)),
                    Err(halt) => Some(describe(&halt)),
                },
                Setup::Random(variable, bounds) => self.draw(*variable, bounds, values, &mut drawn).err(),
                Setup::Triple(number) => {
                    if self.triple(*number) {
                        continue;
                    }
                    return drawn;
                }
            };
            if let Some(why) = failed {
                self.result(None, TripleEnd::Stopped(why));
                return drawn;
            }
        }
        drawn
    }

    fn draw(
        &mut self,
        variable: usize,
        bounds: &[cupping_contract::BoundMethods],
        values: &mut Values<'_>,
        drawn: &mut Vec<(usize, Value)>,
    ) -> Result<(), String> {
        let kind = self.kind(variable);
        let name = self.case.variables[variable].0.clone();
        let before: Vec<Value> = (0..variable).map(|at| self.variable(at)).collect();
        let Some(class) = &self.class else { return Ok(()) };
        self.machine.set_fuel(self.options.fuel);
        let space = Space::of(self.machine, class, kind, bounds)?;
        if kind == Kind::Reference && space.among.is_none() {
            return Err(format!(
                "{name} is an object: give its value with = e, or its choices with in {{ a, b }}"
            ));
        }
        let value = match values {
            Values::Random(random) => space.draw(self.machine, class, &before, random),
            Values::Given(given) => {
                let value = given.iter().find(|(at, _)| *at == variable).map(|(_, value)| *value);
                let all: Vec<Value> = before.iter().copied().chain(value).collect();
                value.filter(|_| space.admits(self.machine, class, &all) == Truth::Holds)
            }
        };
        let class = class.class;
        self.spaces.insert(variable, space);
        let Some(value) = value else {
            return Err(format!("found no value for {name}: its bounds allow no value, or too few"));
        };
        drawn.push((variable, value));
        match self.machine.set_static_field(class, &name, value.bits) {
            Ok(()) => Ok(()),
            Err(trap) => Err(self.machine.describe_trap(&trap)),
        }
    }

    /// Checks a triple against its call; returns whether it passed.
    fn triple(&mut self, number: usize) -> bool {
        let case = self.case;
        let triple = &case.triples[number];
        let end = self.reduce(number, triple);
        let passed = end == TripleEnd::Passed;
        self.result(Some(number), end);
        passed
    }

    fn reduce(&mut self, number: usize, triple: &CompiledTriple) -> TripleEnd {
        let nested: Vec<Value> =
            triple.pre_nested.iter().map(|inner| Value::boolean(self.triple(*inner))).collect();
        let variables: Vec<Value> = (0..triple.seen).map(|at| self.variable(at)).collect();
        let arguments: Vec<Value> = variables.iter().copied().chain(nested).collect();
        match self.condition(&triple.pre, &arguments) {
            Truth::Holds => {}
            Truth::Fails => return TripleEnd::PreFailed("the precondition does not hold".into()),
            Truth::Open(why) => return TripleEnd::PreFailed(why),
        }
        let mut past = Vec::new();
        for name in triple.old.iter().chain(triple.modifies.iter().map(|(name, _)| name)) {
            match self.past(name, &variables) {
                Ok(it) => past.push(it),
                Err(why) => return TripleEnd::Stopped(format!("an old value cannot be read: {why}")),
            }
        }
        let run = self.class.as_ref().and_then(|it| it.method(&triple.run));
        {
            let mut recording = self.recorder.0.borrow_mut();
            recording.armed =
                run.map(|run| (run, triple.target.name.clone(), triple.target.descriptor.clone()));
            recording.wanted = (0..triple.seen).map(|at| (at, variables[at].as_ref())).collect();
            recording.seen = None;
        }
        let ended = self.ask(&triple.run, &[]);
        let seen = {
            let mut recording = self.recorder.0.borrow_mut();
            recording.armed = None;
            recording.seen.take()
        };
        let how = match ended {
            Ok(how) => how,
            Err(halt) => return TripleEnd::Stopped(describe(&halt)),
        };
        let mut arguments = variables.clone();
        match (how, &triple.throws) {
            (CallEnd::Threw(thrown), Some(expected)) => {
                self.machine.pin(thrown);
                if self.condition(expected, &[Value::reference(thrown)]) != Truth::Holds {
                    return TripleEnd::Threw(self.machine.describe_throwable(thrown));
                }
                arguments.push(Value::reference(thrown));
            }
            (CallEnd::Threw(thrown), None) => {
                return TripleEnd::Threw(self.machine.describe_throwable(thrown));
            }
            (CallEnd::Returned(_), Some(_)) => {
                return TripleEnd::Threw("the expected exception was not thrown".into());
            }
            (CallEnd::Returned(value), None) => {
                let method = self.class.as_ref().and_then(|it| it.method(&triple.run));
                let kind = method.map_or(Kind::Void, |it| self.machine.method(it).result);
                if kind == Kind::Reference {
                    self.machine.pin(value.as_ref());
                }
                if kind != Kind::Void {
                    arguments.push(value);
                }
            }
        }
        let nested: Vec<Value> =
            triple.post_nested.iter().map(|inner| Value::boolean(self.triple(*inner))).collect();
        if let Some(post) = &triple.post {
            match self.post(triple, post, &variables, arguments, &past, &nested) {
                Truth::Holds => {}
                Truth::Fails => return TripleEnd::PostFailed("the postcondition does not hold".into()),
                Truth::Open(why) => return TripleEnd::PostFailed(why),
            }
        }
        if let Some(seen) = seen {
            let (case, at, class, depth) = (self.case, self.at, self.class.as_ref(), self.options.depth);
            let test = ProfiledTest { case, at, class, depth };
            let profile = CallProfile::of(self.machine, &test, number, triple, &variables, seen);
            self.profiles.push(profile);
        }
        TripleEnd::Passed
    }

    /// Evaluates a condition on a fork.
    fn condition(&mut self, name: &str, arguments: &[Value]) -> Truth {
        let Some(class) = &self.class else { return Truth::Fails };
        self.machine.aside(self.options.fuel, |machine| {
            let answer = class.ask(machine, name, arguments);
            Truth::of(machine, answer)
        })
    }

    fn past(&mut self, name: &str, variables: &[Value]) -> Result<OldValue, String> {
        let Some(class) = &self.class else { return Err("no class".into()) };
        self.machine.aside(self.options.fuel, |machine| past(machine, class, name, variables))
    }

    fn post(
        &mut self,
        triple: &CompiledTriple,
        post: &str,
        variables: &[Value],
        mut arguments: Vec<Value>,
        past: &[OldValue],
        nested: &[Value],
    ) -> Truth {
        let Some(class) = &self.class else { return Truth::Fails };
        self.machine.aside(self.options.fuel, |machine| {
            push_past(machine, class, triple, variables, past, &mut arguments);
            arguments.extend(nested);
            let answer = class.ask(machine, post, &arguments);
            Truth::of(machine, answer)
        })
    }
}
