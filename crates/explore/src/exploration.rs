//! Path exploration: from one run to all paths, by forking at decisions.
//!
//! A run proceeds with concrete values. At every decision the explorer freezes the state and puts the other
//! sides on the frontier. When a side is due, the solver is asked for a model of its path condition. The
//! state is then resumed *at the decision* with the shadowed slots set to their values under the model. No
//! instruction before the decision is executed twice, and no path is run twice.

mod fork;
mod limits;
mod offers;

use crate::path::{Path, PathDecision, Signature};
use crate::search::{Candidate, Frontier, Rank, Searcher, SideCounts};
use crate::tree::{Cursor, NodeKind, TreeNode, Trees};
use cupping_machine::{Decision, DecisionKind, Exit, Halt, Machine, OTHER_VALUES, Site, Value};
use cupping_solve::{Answer, Effort, Query, Solver};
use cupping_term::{Evaluator, Model, TermId};
use fork::{ForkPoint, Side};
pub use limits::ExplorationLimits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The program to explore: a sequence of invocations on the machine.
pub trait Driver: Clone {
    /// Called when an invocation has ended. Either enters the next one on the machine or declares the path
    /// complete.
    fn advance(&mut self, machine: &mut Machine, ended: InvocationEnd) -> DriverRequest;

    /// Called when the concrete values have changed to those of `model`, to update values that the driver
    /// holds.
    fn adopt(&mut self, machine: &mut Machine, model: &Model);
}

/// How an invocation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvocationEnd {
    /// It returned this value.
    Returned(Value),
    /// It threw this exception.
    Threw(cupping_machine::Addr),
    /// It was stopped.
    Halted(Halt),
    /// The path exceeded [`ExplorationLimits::decisions`].
    TooManyDecisions,
}

/// A driver's request after an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverRequest {
    /// The next invocation has been entered.
    Run,
    /// The path is complete.
    Complete,
}

/// A completed path.
pub struct CompletedPath<D> {
    /// The driver in its final state.
    pub driver: D,
    /// The decisions.
    pub path: Path,
    /// Inputs that take the path.
    pub model: Model,
    /// The leaf of the last invocation in the tree of its method; `None` if it made no decision.
    pub leaf: Option<TreeNode>,
    /// Number of decisions before the exploration started.
    pub begun_after: usize,
}

/// Counters of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Completed paths.
    pub paths: u64,
    /// Sides found infeasible.
    pub infeasible: u64,
    /// Sides on which the solver gave up.
    pub time_outs: u64,
    /// Number of sides skipped, because the solver had given up on the same side too often or the frontier was full.
    pub skipped: u64,
    /// Queries to the solver chain.
    pub queries: u64,
    /// What the machine has spent on runs, in units of fuel.
    pub fuel: u64,
    /// Operations on terms.
    pub operations: u64,
}

impl Counters {
    /// Counts what a run took since the machine had spent this much, and made this many operations on terms.
    fn count(&mut self, machine: &Machine, (spent, operations): (u64, u64)) {
        self.fuel += machine.spent() - spent;
        self.operations += machine.terms().operations() - operations;
    }

    /// The fuel and the operations together, in units of fuel.
    pub fn spent(&self) -> u64 {
        self.fuel + self.operations / limits::OPERATIONS_OF_FUEL
    }
}

/// A failed self-check (thesis §5.9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfCheck {
    /// The expected and the actual behaviour.
    pub message: String,
    /// The query in text form.
    pub query: String,
}

/// Known paths from one starting state, shared by explorations with different initial values: no path is put
/// on the frontier twice, and no refuted path may run.
#[derive(Debug, Default)]
pub struct PathMemory {
    met: FxHashSet<Signature>,
    refuted: FxHashSet<Signature>,
}

/// A [`PathMemory`] shared by several explorations.
pub type SharedPathMemory = Rc<RefCell<PathMemory>>;

/// The rank of sides that are hard for the solver.
pub const HARD: u32 = 4;
/// Limit on the hard sides that wait.
const MAX_HARD: usize = 64;
/// Limit on the unanswered queries kept as text.
const KEPT_QUERIES: usize = 4;

/// An exploration in progress.
pub struct Exploration<D> {
    frontier: Frontier<Side<D>>,
    /// Sides on which the solver gave up after a first try. They wait until nothing else is left.
    hard: VecDeque<(Candidate, Side<D>)>,
    /// Its limits.
    pub limits: ExplorationLimits,
    /// Its counters.
    pub counters: Counters,
    /// Failed self-checks.
    pub self_checks: Vec<SelfCheck>,
    /// The first few queries on which the solver gave up, as text.
    pub unanswered: Vec<String>,
    memory: SharedPathMemory,
    begun_after: usize,
    /// How often each side has been put on the frontier.
    offered: FxHashMap<(Site, u32), u32>,
}

/// The resources of an exploration, lent to it for each step so that many explorations share them.
pub struct Tools<'a> {
    /// The machine.
    pub machine: &'a mut Machine,
    /// The solver chain.
    pub solver: &'a mut Solver,
    /// The constraint trees.
    pub trees: &'a mut Trees,
    /// Number of times each side was taken, over all explorations of the class.
    pub counts: &'a mut SideCounts,
    /// The search order.
    pub searcher: &'a dyn Searcher,
    /// Whether a method is under test.
    pub under_test: &'a dyn Fn(&Machine, cupping_machine::MethodId) -> bool,
}

impl<D: Driver> Default for Exploration<D> {
    fn default() -> Exploration<D> {
        Exploration::new(ExplorationLimits::default())
    }
}

impl<D: Driver> Exploration<D> {
    /// An exploration with an empty frontier.
    pub fn new(limits: ExplorationLimits) -> Exploration<D> {
        Exploration::sharing(limits, SharedPathMemory::default())
    }

    /// An exploration from the same starting state as others that share the memory.
    pub fn sharing(limits: ExplorationLimits, memory: SharedPathMemory) -> Exploration<D> {
        Exploration {
            frontier: Frontier::default(),
            hard: VecDeque::new(),
            limits,
            counters: Counters::default(),
            self_checks: Vec::new(),
            unanswered: Vec::new(),
            memory,
            begun_after: 0,
            offered: FxHashMap::default(),
        }
    }

    /// Size of the frontier.
    pub fn waiting(&self) -> usize {
        self.frontier.len() + self.hard.len()
    }

    /// The rank of the next side.
    pub fn best_rank(&self) -> Option<Rank> {
        self.frontier.best().or_else(|| (!self.hard.is_empty()).then_some((HARD, 0, 0)))
    }

    /// Runs the first path. An invocation has been entered on the machine under `model`, after `path`.
    pub fn start(&mut self, tools: &mut Tools<'_>, driver: D, path: Path, model: Model) -> CompletedPath<D> {
        self.begun_after = path.len();
        let begun = (tools.machine.spent(), tools.machine.terms().operations());
        let done = self.run(tools, driver, path, Cursor::default(), Rc::new(model), None);
        self.counters.count(tools.machine, begun);
        done
    }

    /// Tries the next side. Returns `None` if the frontier is empty, `Some(None)` if the side was infeasible
    /// or undecided.
    pub fn step(&mut self, tools: &mut Tools<'_>) -> Option<Option<CompletedPath<D>>> {
        let (candidate, side, effort) = match self.frontier.pop(tools.searcher, tools.counts) {
            Some((candidate, side)) => (candidate, side, Effort::Quick),
            None => {
                let (candidate, side) = self.hard.pop_front()?;
                (candidate, side, Effort::Full)
            }
        };
        let required = side.fork.decision.kind.is_required();
        if required && tools.counts.is_met(side.number) {
            return Some(None);
        }
        if tools.counts.timed_out(candidate.site, candidate.side) >= self.limits.give_ups {
            if let Some(node) = side.node {
                tools.trees.learn(node, NodeKind::TimeOut);
            }
            self.counters.skipped += 1;
            return Some(None);
        }
        let number = side.number;
        if effort == Effort::Quick
            && tools.counts.put_off(candidate.site, candidate.side) >= self.limits.give_ups
        {
            self.put_off(candidate, side);
            return Some(None);
        }
        let before = self.counters.time_outs;
        let Some(done) = self.try_side(tools, &side, effort) else {
            tools.counts.delay(candidate.site, candidate.side);
            self.put_off(candidate, side);
            return Some(None);
        };
        if self.counters.time_outs > before {
            tools.counts.time_out(candidate.site, candidate.side);
        }
        if done.is_none() {
            tools.counts.fail(candidate.site, candidate.side);
        }
        if required {
            let timed_out = self.counters.time_outs > before;
            let counts = tools.counts.required_mut(number);
            counts.timed_out += timed_out as u32;
            counts.refuted += (done.is_none() && !timed_out) as u32;
        }
        Some(done)
    }

    /// A hard side waits, as long as there is room.
    fn put_off(&mut self, candidate: Candidate, side: Side<D>) {
        if self.hard.len() < MAX_HARD {
            self.hard.push_back((candidate, side));
        } else {
            self.counters.skipped += 1;
        }
    }

    /// Solves for a side and runs it. Returns `None` if it is too hard for the effort, `Some(None)` if it cannot be
    /// taken or the solver gave up on it for good.
    fn try_side(
        &mut self,
        tools: &mut Tools<'_>,
        side: &Side<D>,
        effort: Effort,
    ) -> Option<Option<CompletedPath<D>>> {
        let mut assertions = side.fork.path.condition();
        assertions.push(side.constraint);
        let query = Query { assertions: &assertions, hint: Some(&side.fork.model) };
        self.counters.queries += 1;
        let answer = tools.solver.solve_with(tools.machine.terms_mut(), &query, effort);
        if effort == Effort::Quick && matches!(answer, Answer::Unknown(_)) {
            return None;
        }
        let kind = match &answer {
            Answer::Sat(_) => NodeKind::Computation,
            Answer::Unsat { .. } => NodeKind::Infeasible,
            Answer::Unknown(_) => NodeKind::TimeOut,
        };
        // As long as there is another value to fix, there may be yet another: the node stays unexplored.
        let is_settled =
            side.fork.decision.kind != DecisionKind::Concretization || kind != NodeKind::Computation;
        if let Some(node) = side.node.filter(|_| is_settled) {
            tools.trees.learn(node, kind);
        }
        let model = match answer {
            Answer::Sat(model) => model,
            Answer::Unsat { .. } => {
                self.counters.infeasible += 1;
                let decision = &side.fork.decision;
                if decision.kind != DecisionKind::Concretization {
                    let signature = side.fork.path.signature_with(decision.site, side.number);
                    self.memory.borrow_mut().refuted.insert(signature);
                }
                return Some(None);
            }
            Answer::Unknown(_) => {
                self.counters.time_outs += 1;
                if self.unanswered.len() < KEPT_QUERIES {
                    let query = Query { assertions: &assertions, hint: Some(&side.fork.model) };
                    self.unanswered.push(query.to_text(tools.machine.terms()));
                }
                return Some(None);
            }
        };
        let begun = (tools.machine.spent(), tools.machine.terms().operations());
        tools.machine.restore(&side.fork.snapshot);
        tools.machine.adopt_model(&model);
        let mut driver = side.fork.driver.clone();
        driver.adopt(tools.machine, &model);
        let expected = ExpectedDecision {
            forced: side.fork.forced,
            decision: &side.fork.decision,
            constraint: side.constraint,
            assertions: &assertions,
        };
        let (path, cursor) = (side.fork.path.clone(), side.fork.cursor.clone());
        // The machine reports the decision again, now with the other side taken.
        tools.machine.report_decision_again();
        let done = self.run(tools, driver, path, cursor, Rc::new(model), Some(expected));
        self.counters.count(tools.machine, begun);
        Some(Some(done))
    }

    fn run(
        &mut self,
        tools: &mut Tools<'_>,
        mut driver: D,
        mut path: Path,
        mut cursor: Cursor,
        model: Rc<Model>,
        mut expected: Option<ExpectedDecision<'_>>,
    ) -> CompletedPath<D> {
        let mut forced = expected.as_ref().is_some_and(|it| it.forced);
        tools.machine.set_fuel(self.limits.fuel);
        loop {
            let exit = tools.machine.run();
            let ended = match exit {
                Exit::Decision(decision) if decision.kind.is_required() => {
                    match expected.take() {
                        Some(asked) => {
                            self.check(tools, &asked, &decision, &model);
                            let Decision { site, kind, side, .. } = decision;
                            forced = true;
                            path = path.with(PathDecision { site, kind, side, constraint: asked.constraint });
                            self.meet(&path);
                        }
                        None => {
                            let (path, cursor) = (&path, &cursor);
                            let here = ForkPoint {
                                driver: &driver,
                                path,
                                cursor,
                                model: &model,
                                decision: &decision,
                                forced,
                            };
                            self.offer_required(tools, &here);
                        }
                    }
                    continue;
                }
                Exit::Decision(decision) => {
                    let fixed = decision.kind == DecisionKind::Concretization;
                    let again = expected.take();
                    if let Some(expected) = &again {
                        self.check(tools, expected, &decision, &model);
                        if fixed {
                            // "Another value" holds together with the value now fixed.
                            let others = taken_of(expected.decision);
                            path = path.with(PathDecision {
                                constraint: expected.constraint,
                                side: OTHER_VALUES,
                                ..others
                            });
                        }
                    }
                    if again.is_none() || fixed {
                        let (path, cursor) = (&path, &cursor);
                        let here = ForkPoint {
                            driver: &driver,
                            path,
                            cursor,
                            model: &model,
                            decision: &decision,
                            forced,
                        };
                        self.offer_others(tools, &here);
                    }
                    let Decision { site, kind, taken, side, .. } = decision;
                    let frames = &tools.machine.registers().frames;
                    let others = decision.other_sides().zip(decision.others.iter().copied());
                    tools.trees.decide(&mut cursor, frames, site, (side, taken), others);
                    tools.counts.take(site, if fixed { OTHER_VALUES } else { side });
                    path = path.with(PathDecision { site, kind, side, constraint: taken });
                    if self.meet(&path) {
                        self.report_refuted(tools, &path, &model);
                    }
                    if path.len() < self.limits.decisions {
                        continue;
                    }
                    InvocationEnd::TooManyDecisions
                }
                Exit::Returned(value) => InvocationEnd::Returned(value),
                Exit::Threw(exception) => InvocationEnd::Threw(exception),
                Exit::Halted(halt) => InvocationEnd::Halted(halt),
            };
            let leaf = tools.trees.end(&mut cursor);
            if driver.advance(tools.machine, ended) == DriverRequest::Complete {
                self.counters.paths += 1;
                let (model, begun_after) = (Rc::unwrap_or_clone(model), self.begun_after);
                return CompletedPath { driver, path, model, leaf, begun_after };
            }
        }
    }

    /// Records that a path has reached this point; returns whether it had been refuted.
    fn meet(&mut self, path: &Path) -> bool {
        let mut memory = self.memory.borrow_mut();
        memory.met.insert(path.signature());
        memory.refuted.contains(&path.signature())
    }

    /// A path found infeasible must never run (thesis §5.9).
    fn report_refuted(&mut self, tools: &mut Tools<'_>, path: &Path, model: &Model) {
        let assertions = path.condition();
        let query = Query { assertions: &assertions, hint: Some(model) };
        self.self_checks.push(SelfCheck {
            message: format!(
                "a path found infeasible was run, in {}",
                path.decisions().last().map_or(String::new(), |t| tools.machine.method_name(t.site.method))
            ),
            query: query.to_text(tools.machine.terms()),
        });
    }

    /// The path that was solved must be the path that runs (thesis §5.9).
    fn check(
        &mut self,
        tools: &mut Tools<'_>,
        expected: &ExpectedDecision<'_>,
        decision: &Decision,
        model: &Model,
    ) {
        let mut evaluator = Evaluator::new();
        let same_place = expected.decision.site == decision.site;
        // A requirement is reported alike on both sides, because the run continues whether or not it holds.
        let other_side = decision.kind.is_required() || decision.taken != expected.decision.taken;
        let holds = evaluator.eval(tools.machine.terms(), model, expected.constraint) == 1
            && evaluator.eval(tools.machine.terms(), model, decision.taken) == 1;
        if same_place && other_side && holds {
            return;
        }
        let query = Query { assertions: expected.assertions, hint: Some(model) };
        self.self_checks.push(SelfCheck {
            message: format!(
                "the solved path is not the path that ran: at {} the side with `{}` was due, but {} took `{}`",
                tools.machine.method_name(expected.decision.site.method),
                tools.machine.terms().display(expected.constraint, 200),
                tools.machine.method_name(decision.site.method),
                tools.machine.terms().display(decision.taken, 200),
            ),
            query: query.to_text(tools.machine.terms()),
        });
    }
}

/// What a machine has spent so far, in units of fuel. Where many values depend on inputs, operations on terms take
/// longer than the instructions.
pub fn spent(machine: &Machine) -> u64 {
    machine.spent().saturating_add(machine.terms().operations() / limits::OPERATIONS_OF_FUEL)
}

fn taken_of(decision: &Decision) -> PathDecision {
    PathDecision { site: decision.site, kind: decision.kind, side: decision.side, constraint: decision.taken }
}

struct ExpectedDecision<'a> {
    forced: bool,
    decision: &'a Decision,
    constraint: TermId,
    assertions: &'a [TermId],
}
