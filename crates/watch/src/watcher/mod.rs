//! Test mode (paper §4, §5, §9): observes the calls of a program and checks each against the triples.
//!
//! On entry to a watched method, the watcher selects the branches that apply: it first compares shapes and
//! bounds of the arguments, which runs no code, then evaluates preconditions on a fork. Branches that apply,
//! or that are still undecided, stay with the call. Each label that the call passes removes the branches
//! whose tests never went that way. At the end of the call, normal or not, the watcher evaluates the
//! postconditions on a fork and determines the outcomes.
//!
//! [`applicability`] selects the branches, [`judge`] determines outcomes, and [`summary`] makes the report.

mod applicability;
mod index;
mod judge;
mod nearest;
mod plans;
mod rows;
mod running;
mod summary;
mod targets;

use crate::binding::{Binding, TraceStep};
use crate::branch::Branch;
use crate::check::named;
use crate::conditions::{CaseClass, Truth, define};
use crate::old_value::OldValue;
use crate::outcome::{Example, Outcome, Report};
use crate::reader::Reader;
use cupping_contract::{Compiled, CompiledTriple, Specification};
use cupping_coverage::CoverageMap;
use cupping_machine::{Addr, Call, Kind, Left, Machine, MethodId, Observer, WatchScope};
use index::Index;
use plans::Plans;
use rows::{Rows, UntestedWays};
use running::Running;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use targets::Targets;

/// Options of test mode.
#[derive(Clone, Debug)]
pub struct Options {
    /// Depth to which objects are shown.
    pub depth: usize,
    /// Limit on the calls and backward jumps of one condition.
    pub fuel: u64,
    /// Number of examples kept for each outcome at a call site.
    pub examples: usize,
    /// Limit on the cost of conditions, as a multiple of the program's own cost; beyond it calls are skipped.
    /// `None` is no limit.
    pub overhead: Option<u32>,
    /// Names of changed classes: the report lists the triples that depend on them.
    pub changed: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { depth: 3, fuel: 1_000_000, examples: 2, overhead: None, changed: Vec::new() }
    }
}

/// Limit on the branches of a method that are distinguished by path: the bits of a set.
pub(crate) const MOST_BRANCHES: usize = 128;
/// The first calls of a method on which predicates are always checked, and the sampling interval for the
/// rest. A predicate may read any amount of state.
const FIRST_CALLS: u64 = 500;
const SAMPLE_INTERVAL: u64 = 64;
/// Number of results that tests must assert a predicate of before it is expected on other paths.
const MIN_RESULTS: usize = 3;
/// Costs in fuel: to observe a call, to consider a triple, to read a condition, to evaluate one on a fork,
/// and to draw objects.
const OF_A_CALL: u64 = 8;
const OF_A_BRANCH: u64 = 1;
const OF_A_READING: u64 = 3;
const OF_A_CONDITION: u64 = 24;
const OF_A_PICTURE: u64 = 200;
/// Cost of conditions up to which the overhead is not computed.
const ALLOWED: u64 = 40_000_000;
/// Limit on the stack frames kept.
const MOST_FRAMES: usize = 12;

/// What the watcher knows of a method.
enum Known {
    /// Not watched.
    Ignored,
    /// Without triples.
    Untested,
    /// With these branches.
    Tested(Rc<Tested>),
}

struct Tested {
    branches: Vec<usize>,
    /// The set of branches whose tests take a step between two labels.
    ways: FxHashMap<(u32, u32), u128>,
    /// Whether the tests take every path through the method.
    exhaustive: bool,
    kinds: Vec<Kind>,
    name: String,
    /// Finds candidates by the integer arguments.
    index: Index,
    /// Whether a branch looks for an object while the method runs.
    looks: bool,
    /// Whether the tests have predicates for it.
    has_predicates: bool,
    /// The branches whose predicates on the result hold on any path.
    general: u128,
    /// Whether the method occurs in nested triples or has some.
    is_waited_for: bool,
}

/// A branch that may apply to a call.
struct ActiveBranch {
    /// Its index among the branches of the method.
    place: usize,
    branch: usize,
    truth: Truth,
    /// Whether it applies only by an assumed range.
    assumed: bool,
    past: Vec<OldValue>,
    /// For each variable found by its trace: the progress, and the object once it has been met.
    traces: Vec<Search>,
    /// Why the old values are unknown.
    note: String,
    /// Whether the condition concerns a different state, so that its failure says nothing.
    excused: bool,
    /// The objects that stand for those of the test.
    matched: Vec<Addr>,
}

impl ActiveBranch {
    /// A branch that applies.
    fn new(place: usize, branch: usize) -> ActiveBranch {
        ActiveBranch {
            place,
            branch,
            truth: Truth::Holds,
            assumed: false,
            past: Vec::new(),
            traces: Vec::new(),
            note: String::new(),
            excused: false,
            matched: Vec::new(),
        }
    }
}

struct Search {
    variable: usize,
    /// Number of matching steps so far; `None` after a step that differs.
    at: Option<usize>,
    met: Option<Addr>,
}

/// A postcondition that waits for nested triples.
struct Pending {
    key: (usize, usize),
    receiver: Addr,
    open: Vec<(usize, usize)>,
    row: usize,
    example: Example,
}

// Running calls are large and move between the lists with each call, so they are boxed.
#[allow(clippy::vec_box)]
struct State {
    options: Options,
    compiled: Rc<Compiled>,
    specifications: Rc<Vec<Specification>>,
    branches: Vec<Branch>,
    coverage: Rc<CoverageMap>,
    classes: Vec<Option<CaseClass>>,
    /// Whether any branch looks for an object while methods run.
    looks: bool,
    /// The program's fuel at the start, and the cost of conditions since.
    begun: u64,
    spent: Cell<u64>,
    /// Number of calls skipped because of the overhead.
    skipped: u64,
    /// Number of calls by method on which predicates might have been checked.
    predicate_calls: FxHashMap<MethodId, u64>,
    /// The read-only plans of each branch, made on first use.
    plans: Vec<Option<Rc<Plans>>>,
    reader: RefCell<Reader>,
    /// Reused buffer for the outcomes of a call.
    given: Vec<(Outcome, Option<usize>, judge::Note)>,
    /// Number of calls checked against each branch.
    used: Vec<u64>,
    known: Vec<Option<Known>>,
    counts: FxHashMap<MethodId, u64>,
    /// The running calls; the innermost of each thread is last.
    running: Vec<Box<Running>>,
    /// Reusable memory of calls that have ended.
    spare: Vec<Box<Running>>,
    rows: Rows,
    untested_ways: UntestedWays,
    pins: FxHashMap<Addr, u32>,
    /// Results of nested triples, by triple and receiver.
    results: FxHashMap<(usize, usize, Addr), bool>,
    nested: BTreeSet<(usize, usize)>,
    pending: Vec<Pending>,
    calls: u64,
}

/// The observer of test mode.
#[derive(Clone)]
pub struct Watcher(Rc<RefCell<State>>);

impl Watcher {
    /// Attaches the watcher to a machine that has not yet run its program.
    ///
    /// # Errors
    /// The machine rejects a condition class.
    pub fn install(
        machine: &mut Machine,
        compiled: Rc<Compiled>,
        specifications: Rc<Vec<Specification>>,
        branches: Vec<Branch>,
        coverage: Rc<CoverageMap>,
        options: Options,
    ) -> Result<Watcher, String> {
        define(machine, &compiled)?;
        let looks = branches.iter().any(|it| it.bindings.iter().any(|it| matches!(it, Binding::Trace(..))));
        // If no branch looks for objects, paths through methods without triples are irrelevant.
        let program = machine.program().clone();
        let triples = compiled.cases.iter().flat_map(|it| &it.triples);
        let targets = Targets::new(&program, triples.map(|it| &it.target));
        machine.track_where(&coverage, |class, method| looks || targets.includes(class, method));
        let mut nested = BTreeSet::new();
        let mut scope = WatchScope { class_path: true, only_own_probes: !looks, ..WatchScope::default() };
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
            looks,
            begun: machine.fuel(),
            spent: Cell::new(0),
            skipped: 0,
            predicate_calls: FxHashMap::default(),
            used: vec![0; branches.len()],
            plans: branches.iter().map(|_| None).collect(),
            reader: RefCell::default(),
            given: Vec::new(),
            branches,
            coverage,
            known: Vec::new(),
            counts: FxHashMap::default(),
            running: Vec::new(),
            spare: Vec::new(),
            rows: Rows::default(),
            untested_ways: UntestedWays::default(),
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

    /// The report, after the run.
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
        if state.looks && state.running.iter().any(|it| it.tested.looks) {
            state.search(&TraceStep::Label(probe), None);
        }
    }
}

impl State {
    pub(super) fn triple(&self, branch: usize) -> &CompiledTriple {
        triple_of(&self.compiled, &self.branches[branch])
    }

    pub(super) fn known(&mut self, machine: &mut Machine, method: MethodId) -> &Known {
        let at = method.0 as usize;
        if self.known.len() <= at {
            self.known.resize_with(at + 1, || None);
        }
        if self.known[at].is_none() {
            let known = self.learn(machine, method);
            match &known {
                Known::Ignored => machine.set_watched(method, false),
                // A trace may meet its object in any method.
                Known::Tested(it) if !it.is_waited_for && !self.looks => machine.tell_sparingly(method),
                _ => {}
            }
            self.known[at] = Some(known);
        }
        self.known[at].as_ref().unwrap_or(&Known::Ignored)
    }

    /// Finds the branches of a method.
    pub(super) fn learn(&self, machine: &mut Machine, method: MethodId) -> Known {
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
            let is_made = loaded.access.is_synthetic() || class.file.is_none() || class.from_jdk;
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
        // A JUnit test has values, but no precondition that says which values are allowed.
        let says_when = branches.iter().any(|at| self.branches[*at].origin.is_none());
        let exhaustive = says_when
            && covered.is_some_and(|it| {
                !it.probes.is_empty() && it.probes.iter().all(|probe| labels.contains(&probe.number))
            });
        let kinds = std::iter::once(Kind::Reference).filter(|_| !loaded.is_static());
        let kinds: Vec<Kind> = kinds.chain(loaded.parameters.iter().copied()).collect();
        let name = format!("{}.{}", class.name.replace('/', "."), loaded.name);
        let looks = branches
            .iter()
            .any(|at| self.branches[*at].bindings.iter().any(|it| matches!(it, Binding::Trace(..))));
        let is_waited_for = branches.iter().any(|at| {
            let key = (self.branches[*at].case, self.branches[*at].triple);
            self.nested.contains(&key) || !self.triple(*at).post_nested.is_empty()
        });
        let all: Vec<&Branch> = branches.iter().map(|at| &self.branches[*at]).collect();
        let index = Index::of(&all, &kinds);
        let has_predicates = all.iter().any(|it| it.property.is_some());
        let general = general(&all);
        Known::Tested(Rc::new(Tested {
            branches,
            ways,
            exhaustive,
            kinds,
            name,
            index,
            looks,
            has_predicates,
            general,
            is_waited_for,
        }))
    }

    pub(super) fn class(&mut self, machine: &mut Machine, case: usize) -> bool {
        if self.classes[case].is_none() {
            self.classes[case] = CaseClass::of(machine, &self.compiled.cases[case]).ok();
        }
        self.classes[case].is_some()
    }

    pub(super) fn entered(&mut self, machine: &mut Machine, call: Call) -> bool {
        let tested = match self.known(machine, call.method) {
            Known::Ignored => return false,
            Known::Untested => None,
            Known::Tested(tested) => Some(tested.clone()),
        };
        if self.looks && self.running.iter().any(|it| it.tested.looks) {
            let arguments = machine.arguments_of_call(call.method);
            let place = TraceStep::Enter(named(machine, call.method));
            self.search(&place, Some(&arguments));
        }
        let Some(tested) = tested else {
            *self.counts.entry(call.method).or_default() += 1;
            // If no branch looks for objects, only the number of calls matters.
            if !self.looks {
                machine.count_calls(call.method);
            }
            return false;
        };
        if self.is_too_much(machine, &tested) {
            self.skipped += 1;
            return false;
        }
        self.calls += 1;
        self.spend(OF_A_CALL);
        let spare = self.spare.pop();
        let mut running = spare.unwrap_or_else(|| Box::new(Running::new(call, tested.clone())));
        running.begin(call, tested.clone());
        running.thread = machine.registers().thread;
        machine.put_arguments_of_call(call.method, &mut running.arguments);
        let frames = &machine.registers().frames;
        let caller = frames.len().checked_sub(2).and_then(|at| frames.get(at));
        running.site = caller.map_or((call.method, 0), |it| (it.code.method, it.pc));
        running.row = self.rows.number((call.method, running.site.0, running.site.1));
        let mut candidates = running.mask & tested.index.candidates(&running.arguments);
        while candidates != 0 {
            let place = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            self.spend(OF_A_BRANCH);
            let branch = tested.branches[place];
            if let Some(found) = self.check_branch(machine, place, branch, &running.arguments) {
                self.used[branch] += 1;
                let needed: Vec<Addr> = self.branches[branch].objects_needed(&found.matched).collect();
                for object in needed {
                    self.pin(machine, object);
                    running.pinned.push(object);
                }
                running.active.push(found);
            }
        }
        let is_certain = running.active.iter().any(|it| it.truth == Truth::Holds && !it.assumed);
        if tested.has_predicates && !is_certain && self.samples_predicates(call.method) {
            running.predicates = self.predicates(machine, &tested, &running.arguments);
        }
        for (kind, value) in tested.kinds.iter().zip(&running.arguments) {
            if *kind == Kind::Reference && value.bits != 0 {
                self.pin(machine, value.as_ref());
                running.pinned.push(value.as_ref());
            }
        }
        // Integers need no pinning: they can be shown later.
        if !running.pinned.is_empty() && self.rows.get(running.row).keeps_before(self.options.examples) {
            self.spend(OF_A_PICTURE);
            running.before = Some(self.state_of(machine, &tested, call.method, &running.arguments));
        }
        if running.active.is_empty() {
            if self.rows.get(running.row).wants_examples(self.options.examples) {
                self.spend(OF_A_PICTURE);
                running.nearest = self.nearest(machine, &tested, &running.arguments);
            }
            running.is_other_value =
                tested.exhaustive && self.precondition_holds(machine, &tested, &running.arguments);
        }
        self.running.push(running);
        true
    }

    /// Whether to skip this call because conditions have cost too much. Triples that others wait for are
    /// never skipped.
    fn is_too_much(&self, machine: &mut Machine, tested: &Tested) -> bool {
        let Some(overhead) = self.options.overhead.filter(|_| !tested.is_waited_for) else { return false };
        let beyond = self.spent.get().saturating_sub(ALLOWED);
        // The fuel that the program must reach before the next check; the machine sends no events until then.
        let until = self.begun.saturating_sub(beyond.div_ceil(u64::from(overhead.max(1))));
        machine.be_quiet_until(until);
        beyond > 0 && machine.fuel() > until
    }

    fn spend(&self, units: u64) {
        self.spent.set(self.spent.get() + units);
    }

    /// Runs work on a fork and adds its cost.
    fn aside<T>(&self, machine: &mut Machine, work: impl FnOnce(&mut Machine) -> T) -> T {
        let fuel = self.options.fuel;
        let (result, left) = machine.aside(fuel, |machine| {
            let result = work(machine);
            (result, machine.fuel())
        });
        self.spend(OF_A_CONDITION + fuel.saturating_sub(left));
        result
    }

    pub(super) fn pin(&mut self, machine: &mut Machine, object: Addr) {
        let count = self.pins.entry(object).or_default();
        *count += 1;
        if *count == 1 {
            machine.pin(object);
        }
    }

    pub(super) fn unpin(&mut self, machine: &mut Machine, object: Addr) {
        if let Some(count) = self.pins.get_mut(&object) {
            *count -= 1;
            if *count == 0 {
                self.pins.remove(&object);
                machine.unpin(object);
            }
        }
    }
}

/// The branches whose predicate on the result holds on any path: tests assert it of several results from
/// several paths, and no test asserts the opposite.
fn general(branches: &[&Branch]) -> u128 {
    let of_result = |it: &&&Branch| it.uses_result && it.property.is_some();
    let is_general = |branch: &Branch| {
        let Some((predicate, holds)) = &branch.property else { return false };
        let same = branches.iter().filter(of_result).filter(|it| {
            it.property.as_ref().is_some_and(|(other, also)| other == predicate && also == holds)
        });
        let is_denied = branches
            .iter()
            .any(|it| it.property.as_ref().is_some_and(|(other, also)| other == predicate && also != holds));
        let ways: BTreeSet<_> = same.clone().map(|it| &it.path.steps).collect();
        !is_denied && same.count() >= MIN_RESULTS && ways.len() > 1
    };
    let general = branches.iter().enumerate().filter(|(_, it)| it.uses_result && is_general(it));
    general.fold(0, |set, (place, _)| set | 1 << place)
}

/// The triple of a branch.
fn triple_of<'c>(compiled: &'c Compiled, branch: &Branch) -> &'c CompiledTriple {
    &compiled.cases[branch.case].triples[branch.triple]
}
