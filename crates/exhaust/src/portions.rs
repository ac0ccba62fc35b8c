//! Checks inputs in portions on several threads.
//!
//! One thread enumerates the inputs; all threads, this one included, run the method on portions of them, each on a
//! machine of its own. The results are joined in the order of the inputs, and limits are applied there, so the
//! report is the same for any number of threads.

use crate::check::{CheckLimits, CheckResult, Checker};
use crate::error::Error;
use crate::specification::Specification;
use crate::world::World;
use cupping_classfile::Program;
use cupping_relation::{Instance, Problem, Scope, Structure, Universe};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

/// Number of inputs in a portion.
const PORTION: u64 = 64;
/// Number of inputs that one thread checks before others start: their machines have to be booted.
const BEGINNING: u64 = 4 * PORTION;
/// Number of portions that wait for each thread.
const AHEAD: usize = 4;
/// Conflicts of the solver after which progress is reported.
const STEP: u64 = 2_000;
/// Work of one conflict of the solver and of one input found, in nanoseconds of a reference machine.
const WORK_OF_CONFLICT: u64 = 20_000;
const WORK_OF_INPUT: u64 = 10_000;

/// What a check has done so far.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The result.
    pub checked: CheckResult,
    /// The work of runs and of the enumeration, in nanoseconds of a reference machine.
    pub work: u64,
}

/// Consecutive inputs.
struct Portion {
    /// The number of inputs before them.
    before: u64,
    inputs: Vec<Structure>,
    /// The work of finding them.
    work: u64,
}

/// The result of a portion.
struct PortionResult {
    /// The counters are those of the portion alone.
    checked: CheckResult,
    /// The work of its runs ([`World::work`]).
    work: u64,
}

/// Continues a check with the inputs of a problem. `watch` receives the result so far and each input found, and
/// returns whether to continue.
///
/// # Errors
///
/// The machine of the check cannot be prepared, or an input cannot be written.
pub fn check(
    specification: &Specification,
    program: &Arc<Program>,
    world: &mut World,
    (limits, threads): (CheckLimits, u32),
    so_far: Progress,
    problem: &mut Problem,
    watch: &mut Watch,
) -> Result<Progress, Error> {
    let universe = problem.universe();
    let searched = so_far.work;
    let checker = Checker::new(specification, world, limits)?;
    let queue = Queue::default();
    let (sender, results) = channel();
    thread::scope(|scope| {
        let mut conductor = Conductor {
            checker,
            limits,
            universe: Rc::new((*universe).clone()),
            queue: &queue,
            results,
            kept: BTreeMap::new(),
            judged: BTreeMap::new(),
            joined: Progress { checked: CheckResult { is_complete: false, ..so_far.checked }, ..so_far },
            next: 0,
            conflicts: 0,
            searched,
        };
        let mut others: Option<Sender<_>> = Some(sender);
        let start = |sender: Sender<FinishedPortion>| {
            for _ in 1..threads {
                let (queue, sender, program) = (&queue, sender.clone(), program.clone());
                let (file, text) = (specification.file.clone(), specification.text.clone());
                let (within, atoms) = (specification.scope.clone(), (*universe).clone());
                scope.spawn(move || {
                    let source = SharedSpecification { file, text, scope: within };
                    // The other threads finish the work of a thread that cannot start.
                    let _ = queue.serve(source, &program, atoms, limits, &sender);
                });
            }
        };
        let ended = conductor.conduct(problem, threads, watch, &mut || {
            if let Some(sender) = others.take() {
                start(sender);
            }
        });
        queue.close();
        ended?;
        Ok(conductor.finish())
    })
}

/// The source of a thread's specification: formulas cannot be shared between threads.
struct SharedSpecification {
    file: String,
    text: String,
    scope: Scope,
}

/// Receives the result so far and each input found; returns whether to continue.
pub type Watch<'a> = dyn FnMut(&CheckResult, Option<&Instance>) -> bool + 'a;

/// The number of a portion and its result, or the panic of the thread that had it.
type FinishedPortion = (u64, thread::Result<Result<PortionResult, Error>>);

/// The portions that wait, by number.
#[derive(Default)]
struct PendingPortions {
    portions: VecDeque<(u64, Arc<Portion>)>,
    is_closed: bool,
}

/// A queue of portions for all threads.
#[derive(Default)]
struct Queue {
    waiting: Mutex<PendingPortions>,
    changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, PendingPortions> {
        // A panic cannot leave the queue half changed.
        self.waiting.lock().unwrap_or_else(|it| it.into_inner())
    }

    fn push(&self, number: u64, portion: Arc<Portion>) {
        self.lock().portions.push_back((number, portion));
        self.changed.notify_one();
    }

    fn len(&self) -> usize {
        self.lock().portions.len()
    }

    fn pop(&self) -> Option<(u64, Arc<Portion>)> {
        self.lock().portions.pop_front()
    }

    fn close(&self) {
        let mut all = self.lock();
        all.portions.clear();
        all.is_closed = true;
        self.changed.notify_all();
    }

    /// The next portion; waits for one. `None` once the queue is closed.
    fn take(&self) -> Option<(u64, Arc<Portion>)> {
        let mut all = self.lock();
        loop {
            if all.is_closed {
                return None;
            }
            if let Some(first) = all.portions.pop_front() {
                return Some(first);
            }
            all = self.changed.wait(all).unwrap_or_else(|it| it.into_inner());
        }
    }

    /// Checks portions on a machine of its own until the queue is closed.
    fn serve(
        &self,
        source: SharedSpecification,
        program: &Arc<Program>,
        universe: Universe,
        limits: CheckLimits,
        results: &Sender<FinishedPortion>,
    ) -> Result<(), Error> {
        let universe = Rc::new(universe);
        let mut own = Specification::read(&source.file, &source.text, program, None)?;
        own.scope = source.scope;
        let mut world = World::boot(program.clone(), &own)?;
        let mut checker = Checker::new(&own, &mut world, limits)?;
        while let Some((number, portion)) = self.take() {
            // After a panic the checker is not used again: the conductor panics too.
            let done = catch_unwind(AssertUnwindSafe(|| judge(&mut checker, &universe, &portion)));
            // The conductor may have stopped waiting.
            let _ = results.send((number, done));
        }
        Ok(())
    }
}

/// Checks a portion.
fn judge(checker: &mut Checker, universe: &Rc<Universe>, portion: &Portion) -> Result<PortionResult, Error> {
    let before = checker.work();
    checker.checked = CheckResult { inputs: portion.before, ..CheckResult::default() };
    for structure in &portion.inputs {
        checker.one(&instance(universe, structure))?;
    }
    let mut checked = std::mem::take(&mut checker.checked);
    checked.inputs -= portion.before;
    Ok(PortionResult { checked, work: checker.work() - before })
}

fn instance(universe: &Rc<Universe>, structure: &Structure) -> Instance {
    Instance { universe: universe.clone(), structure: structure.clone() }
}

/// Why an enumeration ended.
enum StopReason {
    /// The portion is full.
    Full,
    /// There are no more inputs.
    Exhausted,
    /// The work is used up.
    OutOfBudget,
    /// The user wants no more.
    Interrupted,
}

/// The thread that enumerates, and joins the results in order.
struct Conductor<'a> {
    checker: Checker<'a>,
    limits: CheckLimits,
    universe: Rc<Universe>,
    queue: &'a Queue,
    results: Receiver<FinishedPortion>,
    /// Portions whose results are not joined.
    kept: BTreeMap<u64, Arc<Portion>>,
    /// Results that wait for earlier ones.
    judged: BTreeMap<u64, thread::Result<Result<PortionResult, Error>>>,
    joined: Progress,
    /// The portion whose result is joined next.
    next: u64,
    /// The solver's conflicts for the portions so far, and the work of finding their inputs.
    conflicts: u64,
    searched: u64,
}

impl Conductor<'_> {
    fn conduct(
        &mut self,
        problem: &mut Problem,
        threads: u32,
        watch: &mut Watch,
        begun: &mut dyn FnMut(),
    ) -> Result<(), Error> {
        let (mut produced, mut is_exhausted, mut is_complete) = (0, false, false);
        let first = self.joined.checked.inputs;
        let mut enumerated = first;
        loop {
            self.judged.extend(self.results.try_iter());
            while let Some(done) = self.judged.remove(&self.next) {
                if !self.join(done.unwrap_or_else(|panic| resume_unwind(panic))?)? {
                    return Ok(());
                }
            }
            if !watch(&self.joined.checked, None) {
                return Ok(());
            }
            let is_shared = enumerated - first >= BEGINNING && threads > 1;
            if is_shared {
                begun();
            }
            let ahead = if is_shared { AHEAD * (threads as usize - 1) } else { 1 };
            if !is_exhausted && self.queue.len() < ahead {
                let most = PORTION.min(self.limits.limit.saturating_sub(enumerated));
                let (inputs, ended) = self.enumerate(problem, most, watch);
                let found = inputs.len() as u64;
                (is_exhausted, is_complete) = match ended {
                    StopReason::Interrupted => return Ok(()),
                    StopReason::Exhausted => (true, true),
                    StopReason::OutOfBudget => (true, false),
                    // When the limit is reached, there may be more inputs.
                    StopReason::Full => (most < PORTION, most < PORTION && !problem.advance()),
                };
                if found > 0 {
                    let work = self.work_of(problem, found);
                    self.searched += work;
                    self.conflicts = problem.effort().conflicts;
                    let portion = Arc::new(Portion { before: enumerated, inputs, work });
                    enumerated += found;
                    self.kept.insert(produced, portion.clone());
                    self.queue.push(produced, portion);
                    produced += 1;
                }
            } else if let Some((number, portion)) = self.queue.pop() {
                let done = judge(&mut self.checker, &self.universe, &portion);
                self.judged.insert(number, Ok(done));
            } else if self.next == produced {
                self.joined.checked.is_complete = is_complete;
                return Ok(());
            } else if let Ok((number, done)) = self.results.recv() {
                self.judged.insert(number, done);
            }
        }
    }

    /// The next inputs, and why there are no more.
    fn enumerate(&self, problem: &mut Problem, most: u64, watch: &mut Watch) -> (Vec<Structure>, StopReason) {
        let mut inputs = Vec::new();
        while (inputs.len() as u64) < most {
            match problem.advance_within(STEP) {
                Some(false) => return (inputs, StopReason::Exhausted),
                Some(true) => {
                    let found = problem.instance();
                    if !watch(&self.joined.checked, Some(&found)) {
                        return (inputs, StopReason::Interrupted);
                    }
                    inputs.push(found.structure);
                }
                None => {
                    let work = self.searched.saturating_add(self.work_of(problem, inputs.len() as u64));
                    if work >= self.limits.work {
                        return (inputs, StopReason::OutOfBudget);
                    }
                    if !watch(&self.joined.checked, None) {
                        return (inputs, StopReason::Interrupted);
                    }
                }
            }
        }
        (inputs, StopReason::Full)
    }

    /// The work since the last portion, in which this many inputs were found.
    fn work_of(&self, problem: &Problem, found: u64) -> u64 {
        (problem.effort().conflicts - self.conflicts) * WORK_OF_CONFLICT + found * WORK_OF_INPUT
    }

    /// Joins the result of the next portion; false if a limit is reached in it.
    fn join(&mut self, done: PortionResult) -> Result<bool, Error> {
        let Some(portion) = self.kept.remove(&self.next) else { return Ok(false) };
        self.next += 1;
        let failed = self.joined.checked.failed() + done.checked.failed();
        let work = self.joined.work.saturating_add(done.work).saturating_add(portion.work);
        if failed < self.limits.stop_after && work < self.limits.work {
            self.joined.work = work;
            self.joined.checked.join(done.checked, self.limits.examples);
            return Ok(true);
        }
        // The limit is reached within the portion: its inputs run again, one by one.
        self.joined.checked.is_complete = false;
        self.joined.work = self.joined.work.saturating_add(portion.work);
        for (at, structure) in portion.inputs.iter().enumerate() {
            let before = portion.before + at as u64;
            if self.joined.work >= self.limits.work {
                return Ok(false);
            }
            let one = Portion { before, inputs: vec![structure.clone()], work: 0 };
            let done = judge(&mut self.checker, &self.universe, &one)?;
            self.joined.work += done.work;
            self.joined.checked.join(done.checked, self.limits.examples);
            if self.joined.checked.failed() >= self.limits.stop_after {
                return Ok(false);
            }
        }
        Ok(false)
    }

    fn finish(mut self) -> Progress {
        self.joined.checked.sort();
        self.joined
    }
}
