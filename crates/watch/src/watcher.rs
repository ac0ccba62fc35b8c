//! Test mode (paper §4, §5, §9): listens to the calls of a program and holds each against the triples.
//!
//! When a watched method is entered, its branches are asked whether they apply: shapes and bounds of the arguments first,
//! which need no code, then the precondition on a fork. Those that hold or cannot be told yet stay with the call. While it
//! runs, each label that it passes takes away the branches that have never gone that way. When it ends, however it does,
//! postconditions are evaluated, on a fork again, and the call gets its outcomes.

use crate::bind::{Binding, Place};
use crate::branch::{Branch, Restriction};
use crate::check::{named, past, push_past};
use crate::host::{CaseClass, Truth, define};
use crate::old::Past;
use crate::outcome::{Example, Outcome, Report, SiteRow, Suggestion};
use crate::path::{ENTRY, RETURNED, THREW};
use crate::shape::shape_of;
use cupping_contract::{Compiled, CompiledTriple, Method, Specification};
use cupping_machine::coverage::CoverageMap;
use cupping_machine::{Addr, Call, Kind, Left, Machine, MethodId, Observer, Value, WatchScope};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How a program is watched.
#[derive(Clone, Debug)]
pub struct Options {
    /// How deep objects are shown.
    pub depth: usize,
    /// Calls and backward jumps of one condition at most.
    pub fuel: u64,
    /// Examples kept of each outcome at a call site.
    pub examples: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { depth: 3, fuel: 1_000_000, examples: 2 }
    }
}

/// Branches of a method that are told apart by their ways.
const MOST_BRANCHES: usize = 128;
/// Frames of a stack that are kept.
const MOST_FRAMES: usize = 12;
/// Untested ways that are kept of a method.
const MOST_WAYS: usize = 16;

/// What is known of a method that was entered.
enum Known {
    /// Nobody wants to know of it.
    Ignored,
    /// It has no triple.
    Untested,
    /// It has these branches.
    Tested(Rc<Tested>),
}

struct Tested {
    branches: Vec<usize>,
    /// Which branches, by place, have gone from a label to another.
    ways: FxHashMap<(u32, u32), u128>,
    /// Whether the tests take every way through the method.
    exhaustive: bool,
    kinds: Vec<Kind>,
    name: String,
    /// Branches that look for an object while the method runs.
    looks: bool,
}

/// How a branch stands to a call.
struct Standing {
    /// Its place among those of the method.
    place: usize,
    branch: usize,
    truth: Truth,
    /// Whether it holds by an assumed range only.
    assumed: bool,
    past: Vec<Past>,
    /// For each variable that is found by its trace: steps made, and the object, if it has been met.
    traces: Vec<Search>,
    /// Triples within its postcondition.
    note: String,
}

struct Search {
    variable: usize,
    /// Steps of the trace that have been made; `None` once another way was taken.
    at: Option<usize>,
    met: Option<Addr>,
}

/// A call that runs.
struct Running {
    call: Call,
    tested: Rc<Tested>,
    arguments: Vec<Value>,
    standing: Vec<Standing>,
    /// Branches that have gone the same way so far.
    mask: u128,
    last: u32,
    way: Vec<(u32, u32)>,
    site: (MethodId, u32),
    before: Vec<(String, String)>,
    pinned: Vec<Addr>,
}

/// A postcondition that waits for triples within it.
struct Pending {
    key: (usize, usize),
    receiver: Addr,
    open: Vec<(usize, usize)>,
    row: (MethodId, MethodId, u32),
    example: Example,
}

#[derive(Default)]
struct Row {
    counts: BTreeMap<Outcome, u64>,
    examples: Vec<(Outcome, Example)>,
}

struct State {
    options: Options,
    compiled: Rc<Compiled>,
    specifications: Rc<Vec<Specification>>,
    branches: Vec<Branch>,
    coverage: Rc<CoverageMap>,
    classes: Vec<Option<CaseClass>>,
    known: Vec<Option<Known>>,
    counts: FxHashMap<MethodId, u64>,
    running: Vec<Running>,
    rows: BTreeMap<(MethodId, MethodId, u32), Row>,
    untested_ways: BTreeMap<(MethodId, Vec<(u32, u32)>), u64>,
    pins: FxHashMap<Addr, u32>,
    /// Results of triples within others, by triple and receiver.
    results: FxHashMap<(usize, usize, Addr), bool>,
    nested: BTreeSet<(usize, usize)>,
    pending: Vec<Pending>,
    calls: u64,
}

/// Who listens in test mode.
#[derive(Clone)]
pub struct Watcher(Rc<RefCell<State>>);

impl Watcher {
    /// Lets a machine that has not run its program yet be watched.
    ///
    /// # Errors
    /// Classes of conditions that the machine does not take.
    pub fn install(
        machine: &mut Machine,
        compiled: Rc<Compiled>,
        specifications: Rc<Vec<Specification>>,
        branches: Vec<Branch>,
        coverage: Rc<CoverageMap>,
        options: Options,
    ) -> Result<Watcher, String> {
        define(machine, &compiled)?;
        machine.track(&coverage);
        let mut nested = BTreeSet::new();
        let mut scope = WatchScope { class_path: true, ..WatchScope::default() };
        for (at, case) in compiled.cases.iter().enumerate() {
            for triple in &case.triples {
                nested.extend(triple.pre_nested.iter().chain(&triple.post_nested).map(|inner| (at, *inner)));
                scope.classes.insert(triple.target.class.as_str().into());
            }
        }
        let state = State {
            options,
            classes: compiled.cases.iter().map(|_| None).collect(),
            compiled,
            specifications,
            branches,
            coverage,
            known: Vec::new(),
            counts: FxHashMap::default(),
            running: Vec::new(),
            rows: BTreeMap::new(),
            untested_ways: BTreeMap::new(),
            pins: FxHashMap::default(),
            results: FxHashMap::default(),
            nested,
            pending: Vec::new(),
            calls: 0,
        };
        let watcher = Watcher(Rc::new(RefCell::new(state)));
        machine.watch(scope, Some(Box::new(watcher.clone())));
        Ok(watcher)
    }

    /// What was found; the run is over.
    pub fn report(&self, machine: &Machine) -> Report {
        self.0.borrow_mut().report(machine)
    }
}

impl Observer for Watcher {
    fn entered(&mut self, machine: &mut Machine, call: Call) -> bool {
        self.0.borrow_mut().entered(machine, call)
    }

    fn left(&mut self, machine: &mut Machine, call: Call, how: Left) {
        self.0.borrow_mut().left(machine, call, how);
    }

    fn probed(&mut self, serial: u32, probe: u32) {
        let mut state = self.0.borrow_mut();
        if let Some(running) = state.running.iter_mut().rev().find(|it| it.call.serial == serial) {
            running.step(probe);
        }
        if state.running.iter().any(|it| it.tested.looks) {
            state.search(&Place::Label(probe), None);
        }
    }
}

impl Running {
    fn step(&mut self, label: u32) {
        let step = (self.last, label);
        self.last = label;
        self.mask &= self.tested.ways.get(&step).copied().unwrap_or(0);
        if self.mask == 0 && self.way.len() < 64 && !self.way.contains(&step) {
            self.way.push(step);
        }
    }
}

impl State {
    fn triple(&self, branch: usize) -> &CompiledTriple {
        let branch = &self.branches[branch];
        &self.compiled.cases[branch.case].triples[branch.triple]
    }

    fn known(&mut self, machine: &mut Machine, method: MethodId) -> &Known {
        let at = method.0 as usize;
        if self.known.len() <= at {
            self.known.resize_with(at + 1, || None);
        }
        if self.known[at].is_none() {
            let known = self.learn(machine, method);
            if let Known::Ignored = known {
                machine.set_watched(method, false);
            }
            self.known[at] = Some(known);
        }
        self.known[at].as_ref().unwrap_or(&Known::Ignored)
    }

    /// Which branches are about a method.
    fn learn(&self, machine: &mut Machine, method: MethodId) -> Known {
        let loaded = machine.method(method).clone();
        let mut branches = Vec::new();
        for at in 0..self.branches.len() {
            if branches.len() >= MOST_BRANCHES {
                break;
            }
            let target = &self.triple(at).target;
            if *target.name != *loaded.name || *target.descriptor != *loaded.descriptor {
                continue;
            }
            let Ok(class) = machine.load(&target.class) else { continue };
            let fits = match machine.find_method(class, &target.name, &target.descriptor) {
                Some(found) if found == method => true,
                _ => {
                    !loaded.is_static()
                        && &*loaded.name != "<init>"
                        && machine.is_subtype(loaded.class, class)
                }
            };
            if fits {
                branches.push(at);
            }
        }
        let class = machine.class(loaded.class);
        if branches.is_empty() {
            let is_made = loaded.access & 0x1000 != 0 || class.file.is_none() || class.from_jdk;
            return if is_made { Known::Ignored } else { Known::Untested };
        }
        let mut ways: FxHashMap<(u32, u32), u128> = FxHashMap::default();
        let mut labels = BTreeSet::new();
        for (place, branch) in branches.iter().enumerate() {
            for step in &self.branches[*branch].path.steps {
                *ways.entry(*step).or_default() |= 1 << place;
                labels.insert(step.1);
            }
        }
        let covered = self.coverage.class(&class.name).and_then(|(_, covered)| {
            covered.methods.iter().find(|it| it.name == loaded.name && it.descriptor == loaded.descriptor)
        });
        let exhaustive = covered.is_some_and(|it| {
            !it.probes.is_empty() && it.probes.iter().all(|probe| labels.contains(&probe.number))
        });
        let kinds = std::iter::once(Kind::Reference).filter(|_| !loaded.is_static());
        let kinds = kinds.chain(loaded.parameters.iter().copied()).collect();
        let name = format!("{}.{}", class.name.replace('/', "."), loaded.name);
        let looks = branches
            .iter()
            .any(|at| self.branches[*at].bindings.iter().any(|it| matches!(it, Binding::Trace(..))));
        Known::Tested(Rc::new(Tested { branches, ways, exhaustive, kinds, name, looks }))
    }

    fn class(&mut self, machine: &mut Machine, case: usize) -> bool {
        if self.classes[case].is_none() {
            self.classes[case] = CaseClass::of(machine, &self.compiled.cases[case]).ok();
        }
        self.classes[case].is_some()
    }

    fn entered(&mut self, machine: &mut Machine, call: Call) -> bool {
        if let Known::Ignored = self.known(machine, call.method) {
            return false;
        }
        if self.running.iter().any(|it| it.tested.looks) {
            let arguments = machine.arguments_of_call(call.method);
            let place = Place::Enter(named(machine, call.method));
            self.search(&place, Some(&arguments));
        }
        let tested = match self.known(machine, call.method) {
            Known::Tested(tested) => tested.clone(),
            Known::Ignored | Known::Untested => {
                *self.counts.entry(call.method).or_default() += 1;
                return false;
            }
        };
        self.calls += 1;
        let arguments = machine.arguments_of_call(call.method);
        let mut standing = Vec::new();
        for (place, branch) in tested.branches.iter().enumerate() {
            if let Some(found) = self.stand(machine, place, *branch, &arguments) {
                standing.push(found);
            }
        }
        let frames = &machine.registers.frames;
        let caller = frames.len().checked_sub(2).and_then(|at| frames.get(at));
        let site = caller.map_or((call.method, 0), |it| (it.code.method, it.pc));
        let mask =
            if tested.branches.len() == MOST_BRANCHES { u128::MAX } else { (1 << tested.branches.len()) - 1 };
        let mut pinned = Vec::new();
        for (kind, value) in tested.kinds.iter().zip(&arguments) {
            if *kind == Kind::Reference && value.bits != 0 {
                self.pin(machine, value.as_ref());
                pinned.push(value.as_ref());
            }
        }
        let before = if self.wants_example(machine, call.method, site) {
            self.show(machine, &tested, call.method, &arguments)
        } else {
            Vec::new()
        };
        self.running.push(Running {
            call,
            tested,
            arguments,
            standing,
            mask,
            last: ENTRY,
            way: Vec::new(),
            site,
            before,
            pinned,
        });
        true
    }

    fn pin(&mut self, machine: &mut Machine, object: Addr) {
        let count = self.pins.entry(object).or_default();
        *count += 1;
        if *count == 1 {
            machine.pin(object);
        }
    }

    fn unpin(&mut self, machine: &mut Machine, object: Addr) {
        if let Some(count) = self.pins.get_mut(&object) {
            *count -= 1;
            if *count == 0 {
                self.pins.remove(&object);
                machine.unpin(object);
            }
        }
    }

    /// Whether an example of this site may still be kept.
    fn wants_example(&self, _: &Machine, method: MethodId, site: (MethodId, u32)) -> bool {
        let row = self.rows.get(&(method, site.0, site.1));
        row.is_none_or(|row| {
            Outcome::ALL.iter().any(|it| {
                *it != Outcome::Success
                    && row.examples.iter().filter(|(kind, _)| kind == it).count() < self.options.examples
            })
        })
    }

    fn show(
        &self,
        machine: &Machine,
        tested: &Tested,
        method: MethodId,
        arguments: &[Value],
    ) -> Vec<(String, String)> {
        let is_static = machine.method(method).is_static();
        tested
            .kinds
            .iter()
            .zip(arguments)
            .enumerate()
            .map(|(at, (kind, value))| {
                let name = if at == 0 && !is_static {
                    "this".to_owned()
                } else {
                    format!("argument {}", at + is_static as usize)
                };
                (name, shape_of(machine, *kind, value.bits, self.options.depth, None).to_string())
            })
            .collect()
    }

    /// Asks a branch whether it applies; `None` if it does not.
    fn stand(
        &mut self,
        machine: &mut Machine,
        place: usize,
        branch: usize,
        arguments: &[Value],
    ) -> Option<Standing> {
        let assumed = self.fits(machine, branch, arguments)?;
        let case = self.branches[branch].case;
        if !self.class(machine, case) {
            return None;
        }
        let triple = self.triple(branch).clone();
        let traces = self.branches[branch].bindings.iter().enumerate();
        let traces: Vec<Search> = traces
            .filter(|(_, binding)| matches!(binding, Binding::Trace(..)))
            .map(|(variable, _)| Search { variable, at: Some(0), met: None })
            .collect();
        let mut found = Standing {
            place,
            branch,
            truth: Truth::Holds,
            assumed,
            past: Vec::new(),
            traces,
            note: String::new(),
        };
        let stored = self.stored(branch, arguments);
        found.truth = self.precondition(machine, &found, &triple, arguments, &stored);
        if found.truth == Truth::Fails {
            return None;
        }
        if !(triple.old.is_empty() && triple.modifies.is_empty()) {
            let fuel = self.options.fuel;
            for name in triple.old.iter().chain(triple.modifies.iter().map(|(name, _)| name)) {
                let bindings = &self.branches[branch].bindings;
                let Some(class) = &self.classes[case] else { continue };
                let kept = machine.aside(fuel, |machine| {
                    let variables: Vec<Value> = bindings
                        .iter()
                        .map(|it| it.value(machine, arguments, None).unwrap_or_default())
                        .collect();
                    past(machine, class, name, &variables)
                });
                match kept {
                    Ok(kept) => found.past.push(kept),
                    Err(why) => {
                        found.past.push(Past::default());
                        found.note = format!(
                            "what was before cannot be told: {}",
                            why.lines().next().unwrap_or_default()
                        );
                    }
                }
            }
        }
        Some(found)
    }

    /// Results of the triples within the precondition, as far as they are there.
    fn stored(&self, branch: usize, arguments: &[Value]) -> Vec<Value> {
        let triple = self.triple(branch);
        let case = self.branches[branch].case;
        let result = |inner: &usize| {
            let receiver = self.receiver_of(branch, *inner, arguments);
            let known = receiver.and_then(|it| self.results.get(&(case, *inner, it)));
            Value::boolean(known.copied().unwrap_or(false))
        };
        triple.pre_nested.iter().map(result).collect()
    }

    /// The receiver of a triple within a branch.
    fn receiver_of(&self, branch: usize, inner: usize, arguments: &[Value]) -> Option<Addr> {
        let compiled = &self.compiled.cases[self.branches[branch].case].triples[inner];
        match self.branches[branch].bindings.get(compiled.receiver?)? {
            Binding::Argument(at) => arguments.get(*at).map(|it| it.as_ref()),
            _ => None,
        }
    }

    /// Shapes, bounds and assumed ranges: `Some` with whether a range was needed.
    fn fits(&mut self, machine: &mut Machine, branch: usize, arguments: &[Value]) -> Option<bool> {
        let mut assumed = false;
        let case = self.branches[branch].case;
        for at in 0..self.branches[branch].restrictions.len() {
            let (position, restriction) = &self.branches[branch].restrictions[at];
            let value = *arguments.get(*position)?;
            match restriction {
                Restriction::Shape(shape) => {
                    if shape.fits(machine, value.bits) {
                        continue;
                    }
                    let ranges: Vec<_> =
                        self.branches[branch].assumed.iter().filter(|it| it.spot.0 == *position).collect();
                    let holds = !ranges.is_empty()
                        && ranges
                            .iter()
                            .all(|it| it.value(machine, arguments).is_some_and(|value| it.holds(value)))
                        && loosened(shape, &ranges).fits(machine, value.bits);
                    if !holds {
                        return None;
                    }
                    assumed = true;
                }
                Restriction::Within(variable, space) => {
                    if !space.contains(value) {
                        return None;
                    }
                    let (variable, space) = (*variable, space.clone());
                    if !self.class(machine, case) {
                        return None;
                    }
                    let class = self.classes[case].as_ref()?;
                    let bindings = &self.branches[branch].bindings;
                    let variables: Vec<Value> = bindings[..=variable]
                        .iter()
                        .map(|it| {
                            if let Binding::Argument(at) = it {
                                arguments.get(*at).copied().unwrap_or_default()
                            } else {
                                Value::default()
                            }
                        })
                        .collect();
                    if space.admits(machine, class, &variables) != Truth::Holds {
                        return None;
                    }
                }
            }
        }
        Some(assumed)
    }

    fn precondition(
        &self,
        machine: &mut Machine,
        standing: &Standing,
        triple: &CompiledTriple,
        arguments: &[Value],
        stored: &[Value],
    ) -> Truth {
        if triple.pre_is_true {
            return Truth::Holds;
        }
        let branch = &self.branches[standing.branch];
        let Some(class) = &self.classes[branch.case] else { return Truth::Fails };
        machine.aside(self.options.fuel, |machine| {
            let mut values = match variables(machine, branch, standing, arguments, &triple.pre_names) {
                Ok(values) => values,
                Err(name) => return Truth::Open(missing(&self.compiled, branch, name)),
            };
            values.extend(stored);
            let answer = class.ask(machine, &triple.pre, &values);
            Truth::of(machine, answer)
        })
    }

    /// Takes a step in the search for objects that the arguments do not reach.
    fn search(&mut self, place: &Place, arguments: Option<&[Value]>) {
        let branches = &self.branches;
        for running in self.running.iter_mut().filter(|it| it.tested.looks) {
            for standing in &mut running.standing {
                for search in &mut standing.traces {
                    let (Some(at), None) = (search.at, search.met) else { continue };
                    let Binding::Trace(steps, method, position) =
                        &branches[standing.branch].bindings[search.variable]
                    else {
                        continue;
                    };
                    if at == steps.len() {
                        let is_there = matches!(place, Place::Enter(entered) if entered == method);
                        search.met = arguments
                            .filter(|_| is_there)
                            .and_then(|it| it.get(*position))
                            .map(|it| it.as_ref());
                        search.at = search.met.map(|_| at);
                    } else {
                        search.at = (steps[at] == *place).then_some(at + 1);
                    }
                }
            }
        }
    }

    fn left(&mut self, machine: &mut Machine, call: Call, how: Left) {
        let Some(at) = self.running.iter().rposition(|it| it.call == call) else { return };
        let mut running = self.running.remove(at);
        running.step(if matches!(how, Left::Threw(_)) { THREW } else { RETURNED });
        let row = (call.method, running.site.0, running.site.1);
        let mut given: Vec<(Outcome, Option<usize>, String)> = Vec::new();
        let standing = std::mem::take(&mut running.standing);
        let mut conclusive = false;
        let mut path_of: Option<usize> = None;
        for it in &standing {
            let same_way = running.mask >> it.place & 1 != 0;
            let triple = self.triple(it.branch).clone();
            let mut truth = it.truth.clone();
            if matches!(truth, Truth::Open(_)) && it.traces.iter().any(|search| search.met.is_some()) {
                let stored = self.stored(it.branch, &running.arguments);
                truth = self.precondition(machine, it, &triple, &running.arguments, &stored);
            }
            if truth == Truth::Fails {
                continue;
            }
            let post = self.postcondition(machine, it, &triple, &running, how);
            let is_nested =
                self.nested.contains(&(self.branches[it.branch].case, self.branches[it.branch].triple));
            match (truth, it.assumed) {
                (Truth::Holds, false) => {
                    conclusive = true;
                    let (outcome, note) = match post {
                        Truth::Holds if same_way => (Outcome::Success, String::new()),
                        Truth::Holds => (Outcome::PathAnomaly, "the postcondition holds".into()),
                        Truth::Open(why) if same_way => (Outcome::PathSuccess, why),
                        Truth::Open(why) => (Outcome::PathAnomaly, why),
                        Truth::Fails => (Outcome::FailedTest, self.why_failed(machine, &triple, how)),
                    };
                    if is_nested && let Some(receiver) = running.arguments.first() {
                        let key = (self.branches[it.branch].case, self.branches[it.branch].triple);
                        let holds = !matches!(outcome, Outcome::FailedTest);
                        self.results.insert((key.0, key.1, receiver.as_ref()), holds);
                        self.resolve(key, receiver.as_ref(), holds);
                    }
                    let waits = !triple.post_nested.is_empty() && outcome != Outcome::FailedTest;
                    if waits && let Some(receiver) = running.arguments.first() {
                        let case = self.branches[it.branch].case;
                        let open = triple.post_nested.iter().map(|inner| (case, *inner)).collect();
                        let example = self.example(machine, &running, Some(it.branch), how, String::new());
                        let receiver = receiver.as_ref();
                        let key = (case, self.branches[it.branch].triple);
                        self.pending.push(Pending { key, receiver, open, row, example });
                        continue;
                    }
                    given.push((outcome, Some(it.branch), note));
                }
                (truth, assumed) => {
                    if same_way && path_of.is_none() {
                        path_of = Some(it.branch);
                        let why = match (truth, post) {
                            (_, Truth::Fails) if assumed => {
                                "by an assumed range; its postcondition does not hold here".into()
                            }
                            _ if assumed => "by an assumed range".to_owned(),
                            (Truth::Open(why), _) => why,
                            _ => String::new(),
                        };
                        given.push((Outcome::PathSuccess, Some(it.branch), why));
                    } else if assumed && !same_way {
                        self.refine(machine, it.branch, &running);
                    }
                }
            }
        }
        if !conclusive && path_of.is_none() {
            let same: Option<usize> =
                (0..running.tested.branches.len()).find(|it| running.mask >> it & 1 != 0);
            let has_open = !standing.is_empty();
            let (outcome, branch, note) = match same {
                _ if running.tested.exhaustive && !has_open => {
                    (Outcome::IncorrectCall, None, "no precondition holds".to_owned())
                }
                Some(place) => {
                    let branch = running.tested.branches[place];
                    self.widen(machine, branch, &running);
                    (
                        Outcome::PathSuccess,
                        Some(branch),
                        "no precondition holds, but control went as in this test".to_owned(),
                    )
                }
                None => (Outcome::UntestedPath, None, "no precondition holds".to_owned()),
            };
            if outcome == Outcome::UntestedPath {
                let key = (call.method, running.way.clone());
                let kept = self
                    .untested_ways
                    .range((call.method, Vec::new())..)
                    .take_while(|((it, _), _)| *it == call.method)
                    .count();
                if kept < MOST_WAYS || self.untested_ways.contains_key(&key) {
                    *self.untested_ways.entry(key).or_default() += 1;
                }
            }
            given.push((outcome, branch, note));
        }
        for (outcome, branch, note) in given {
            self.give(machine, row, &running, outcome, branch, how, note);
        }
        for object in std::mem::take(&mut running.pinned) {
            self.unpin(machine, object);
        }
    }

    /// Counts an outcome, with an example while there are few.
    #[allow(clippy::too_many_arguments)]
    fn give(
        &mut self,
        machine: &mut Machine,
        row: (MethodId, MethodId, u32),
        running: &Running,
        outcome: Outcome,
        branch: Option<usize>,
        how: Left,
        note: String,
    ) {
        let present = self.rows.entry(row).or_default();
        *present.counts.entry(outcome).or_default() += 1;
        let kept = present.examples.iter().filter(|(kind, _)| *kind == outcome).count();
        if outcome != Outcome::Success && kept < self.options.examples {
            let example = self.example(machine, running, branch, how, note);
            if let Some(row) = self.rows.get_mut(&row) {
                row.examples.push((outcome, example));
            }
        }
    }

    fn example(
        &self,
        machine: &mut Machine,
        running: &Running,
        branch: Option<usize>,
        how: Left,
        note: String,
    ) -> Example {
        let mut stack = machine.running_stack();
        stack.insert(0, running.tested.name.clone());
        stack.truncate(MOST_FRAMES);
        let mut after = self.show(machine, &running.tested, running.call.method, &running.arguments);
        match how {
            Left::Returned(value) => {
                let kind = machine.method(running.call.method).result;
                if kind != Kind::Void {
                    let shown = shape_of(machine, kind, value.bits, self.options.depth, None).to_string();
                    after.push(("result".into(), shown));
                }
            }
            Left::Threw(thrown) => {
                let text = machine.describe_throwable(thrown);
                after.push(("thrown".into(), text.lines().next().unwrap_or_default().to_owned()));
            }
        }
        let (triple, text) = branch.map(|it| self.place(it)).unwrap_or_default();
        Example { stack, triple, text, before: running.before.clone(), after, note }
    }

    /// Where a triple is, and its text.
    fn place(&self, branch: usize) -> (String, String) {
        let case = &self.compiled.cases[self.branches[branch].case];
        let source = &self.specifications[case.specification].source;
        let span = case.triples[self.branches[branch].triple].span;
        let text = source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        (format!("{}:{} {}", source.file, source.place(span.start).0, case.name), text)
    }

    fn why_failed(&self, machine: &Machine, triple: &CompiledTriple, how: Left) -> String {
        match how {
            Left::Threw(thrown) => {
                let text = machine.describe_throwable(thrown);
                format!("it threw {}", text.lines().next().unwrap_or_default())
            }
            Left::Returned(_) if triple.throws.is_some() => "the expected exception was not thrown".into(),
            Left::Returned(_) => "the postcondition does not hold".into(),
        }
    }

    fn postcondition(
        &self,
        machine: &mut Machine,
        standing: &Standing,
        triple: &CompiledTriple,
        running: &Running,
        how: Left,
    ) -> Truth {
        let branch = &self.branches[standing.branch];
        let Some(class) = &self.classes[branch.case] else { return Truth::Open("no class".into()) };
        let kind = machine.method(running.call.method).result;
        machine.aside(self.options.fuel, |machine| {
            let mut extra = Vec::new();
            match (how, &triple.throws) {
                (Left::Threw(thrown), Some(expected)) => {
                    let answer = class.ask(machine, expected, &[Value::reference(thrown)]);
                    if Truth::of(machine, answer) != Truth::Holds {
                        return Truth::Fails;
                    }
                    extra.push(Value::reference(thrown));
                }
                (Left::Threw(_), None) | (Left::Returned(_), Some(_)) => return Truth::Fails,
                (Left::Returned(value), None) if triple.is_new => {
                    let _ = value;
                    extra.push(running.arguments.first().copied().unwrap_or_default());
                }
                (Left::Returned(_), None) if kind == Kind::Void => {}
                (Left::Returned(value), None) => extra.push(value),
            }
            let Some(post) = &triple.post else { return Truth::Holds };
            let mut values =
                match variables(machine, branch, standing, &running.arguments, &triple.post_names) {
                    Ok(values) => values,
                    Err(name) => return Truth::Open(missing(&self.compiled, branch, name)),
                };
            if !standing.note.is_empty() {
                return Truth::Open(standing.note.clone());
            }
            let all = values.clone();
            values.extend(extra);
            push_past(machine, class, triple, &all, &standing.past, &mut values);
            // What is to come is taken to come; it is waited for if all else holds.
            values.extend(triple.post_nested.iter().map(|_| Value::boolean(true)));
            let answer = class.ask(machine, post, &values);
            Truth::of(machine, answer)
        })
    }

    /// A range was too wide: the value belongs to the branch whose way was taken.
    fn refine(&mut self, machine: &Machine, branch: usize, running: &Running) {
        let other = (0..running.tested.branches.len()).find(|it| running.mask >> it & 1 != 0);
        for assumed in &mut self.branches[branch].assumed {
            let Some(value) = assumed.value(machine, &running.arguments) else { continue };
            let (low, high) = assumed.tested;
            let step = if matches!(assumed.kind, Kind::Float | Kind::Double) { 0.0 } else { 1.0 };
            if value > high {
                assumed.high = Some(value - step);
                assumed.refined = true;
            } else if value < low {
                assumed.low = Some(value + step);
                assumed.refined = true;
            }
        }
        if let Some(place) = other {
            self.widen(machine, running.tested.branches[place], running);
        }
    }

    /// A way was taken outside of the range of its test: the range is wider.
    fn widen(&mut self, machine: &Machine, branch: usize, running: &Running) {
        for assumed in &mut self.branches[branch].assumed {
            let Some(value) = assumed.value(machine, &running.arguments) else { continue };
            if let Some(low) = assumed.low.filter(|low| value < *low) {
                assumed.low = Some(value.min(low));
                assumed.refined = true;
            }
            if let Some(high) = assumed.high.filter(|high| value > *high) {
                assumed.high = Some(value.max(high));
                assumed.refined = true;
            }
        }
    }

    /// A triple within others has come to something.
    fn resolve(&mut self, key: (usize, usize), receiver: Addr, holds: bool) {
        let mut done = Vec::new();
        for pending in &mut self.pending {
            if pending.receiver != receiver || !pending.open.contains(&key) || pending.key == key {
                continue;
            }
            if holds {
                pending.open.retain(|it| *it != key);
            }
            if !holds || pending.open.is_empty() {
                done.push((pending.row, pending.example.clone(), holds));
                pending.open.clear();
            }
        }
        self.pending.retain(|it| !it.open.is_empty());
        for (row, mut example, holds) in done {
            let outcome = if holds { Outcome::Success } else { Outcome::FailedTest };
            example.note = "a later call that it asks for did not hold".into();
            self.settle(row, outcome, example);
        }
    }

    fn settle(&mut self, row: (MethodId, MethodId, u32), outcome: Outcome, example: Example) {
        let most = self.options.examples;
        let row = self.rows.entry(row).or_default();
        *row.counts.entry(outcome).or_default() += 1;
        if outcome != Outcome::Success
            && row.examples.iter().filter(|(kind, _)| *kind == outcome).count() < most
        {
            row.examples.push((outcome, example));
        }
    }

    fn report(&mut self, machine: &Machine) -> Report {
        for pending in std::mem::take(&mut self.pending) {
            let mut example = pending.example;
            let missing: Vec<String> = pending
                .open
                .iter()
                .map(|(case, triple)| self.compiled.cases[*case].triples[*triple].target.name.clone())
                .collect();
            example.note =
                format!("{} was not called afterwards, or not as the triple asks", missing.join(", "));
            self.settle(pending.row, Outcome::FailedTest, example);
        }
        let name = |method: MethodId| {
            let named = named(machine, method);
            format!("{}.{}", named.class.replace('/', "."), named.name)
        };
        let mut report = Report { calls: self.calls, ..Report::default() };
        for ((method, caller, pc), row) in &self.rows {
            for (outcome, count) in &row.counts {
                *report.counts.entry(*outcome).or_default() += count;
            }
            let site = site(machine, *caller, *pc);
            report.sites.push(SiteRow {
                method: name(*method),
                site,
                counts: row.counts.clone(),
                examples: row.examples.clone(),
            });
        }
        let rank = |row: &SiteRow| row.counts.keys().max().copied().unwrap_or(Outcome::Success);
        report.sites.sort_by(|a, b| {
            rank(b).cmp(&rank(a)).then_with(|| (&a.method, &a.site).cmp(&(&b.method, &b.site)))
        });
        report.untested = self.counts.iter().map(|(method, count)| (name(*method), *count)).collect();
        report.untested.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let untested: u64 = report.untested.iter().map(|(_, count)| count).sum();
        if untested > 0 {
            report.counts.insert(Outcome::Untested, untested);
        }
        for ((method, way), count) in &self.untested_ways {
            report.untested_paths.push((name(*method), self.lines(machine, *method, way), *count));
        }
        report.untested_paths.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.cmp(b)));
        for (at, branch) in self.branches.iter().enumerate() {
            let place = self.place(at).0;
            let triple = self.triple(at);
            for assumed in &branch.assumed {
                let variable = branch.bindings.iter().position(|it| *it == Binding::Argument(assumed.spot.0));
                let variable =
                    variable.map_or("?", |it| self.compiled.cases[branch.case].variables[it].0.as_str());
                let fields: String = assumed.spot.1.iter().map(|it| format!(".{it}")).collect();
                let argument = if variable == "?" {
                    {
                        let is_static = branch.kinds.len() == triple.arguments.len();
                        format!("argument {} of {}", assumed.spot.0 + is_static as usize, triple.target.name)
                    }
                } else {
                    variable.to_owned()
                };
                let ty = primitive(assumed.kind);
                let requirement = if fields.is_empty() && variable != "?" {
                    format!("requirement {ty} {argument} {};", assumed.bounds())
                } else {
                    format!("{argument}{fields} {}", assumed.bounds())
                };
                report.suggestions.push(Suggestion {
                    triple: place.clone(),
                    requirement,
                    refined: assumed.refined,
                });
            }
        }
        report
    }

    /// The lines of a way that no test takes.
    fn lines(&self, machine: &Machine, method: MethodId, way: &[(u32, u32)]) -> String {
        let loaded = machine.method(method);
        let covered = self.coverage.class(&machine.class(loaded.class).name).map(|(_, it)| it);
        let covered = covered.and_then(|it| {
            it.methods.iter().find(|it| it.name == loaded.name && it.descriptor == loaded.descriptor)
        });
        let line = |label: u32| {
            let probe = covered?.probes.iter().find(|it| it.number == label)?;
            machine.line_of(method, probe.offset)
        };
        let ends = way.iter().map(|(_, to)| match *to {
            RETURNED => "return".to_owned(),
            THREW => "throw".to_owned(),
            label => line(label).map_or("?".to_owned(), |it| it.to_string()),
        });
        ends.collect::<Vec<_>>().join(" → ")
    }
}

fn primitive(kind: Kind) -> &'static str {
    match kind {
        Kind::Byte => "byte",
        Kind::Char => "char",
        Kind::Short => "short",
        Kind::Long => "long",
        Kind::Float => "float",
        Kind::Double => "double",
        _ => "int",
    }
}

/// A shape in which the numbers with assumed ranges do not matter.
fn loosened(shape: &crate::Shape, ranges: &[&crate::generalize::Assumed]) -> crate::Shape {
    fn at(shape: &mut crate::Shape, way: &[std::sync::Arc<str>]) {
        match (shape, way) {
            (shape, []) => *shape = crate::Shape::Any,
            (crate::Shape::Object(_, fields), [first, rest @ ..]) => {
                if let Some((_, inner)) = fields.iter_mut().find(|(name, _)| name == first) {
                    at(inner, rest);
                }
            }
            _ => {}
        }
    }
    let mut loose = shape.clone();
    ranges.iter().for_each(|it| at(&mut loose, &it.spot.1));
    loose
}

/// The values of the variables; the place of one that is needed and not there otherwise.
fn variables(
    machine: &mut Machine,
    branch: &Branch,
    standing: &Standing,
    arguments: &[Value],
    needed: &[usize],
) -> Result<Vec<Value>, usize> {
    let mut values = Vec::with_capacity(branch.bindings.len());
    for (at, binding) in branch.bindings.iter().enumerate() {
        let met = standing.traces.iter().find(|it| it.variable == at).and_then(|it| it.met);
        match binding.value(machine, arguments, met) {
            Some(value) => values.push(value),
            None if needed.contains(&at) => return Err(at),
            None => values.push(Value::default()),
        }
    }
    Ok(values)
}

fn missing(compiled: &Compiled, branch: &Branch, variable: usize) -> String {
    format!("{} could not be found in this run", compiled.cases[branch.case].variables[variable].0)
}

/// `Class.method(File.java:12)`.
fn site(machine: &Machine, caller: MethodId, pc: u32) -> String {
    let Method { class, name, .. } = named(machine, caller);
    let offset = match &machine.method(caller).body {
        cupping_machine::Body::Code(code) => code.offsets.get(pc as usize).copied(),
        _ => None,
    };
    let line = offset
        .and_then(|offset| machine.line_of(caller, offset))
        .map_or(String::new(), |line| format!(":{line}"));
    let loaded = machine.class(machine.method(caller).class);
    let file = loaded.file.as_ref().and_then(|it| it.source_file.clone()).unwrap_or_else(|| "Unknown".into());
    format!("{}.{name}({file}{line})", class.replace('/', "."))
}
