//! A test bench for exploration: explores all paths of one invocation with symbolic parameters, and checks
//! every path against two independent runs of its input, with and without shadows.
#![allow(dead_code, reason = "each test uses its part")]

mod classes;
mod input;
mod sample;

pub use input::{Argument, Datum};

use cupping_explore::{
    BreadthFirst, Counters, Driver, DriverRequest, Exploration, ExplorationLimits, InvocationEnd, NodeKind,
    Path, Searcher, SelfCheck, SideCounts, Tools, Trees, UncoveredFirst,
};
use cupping_machine::{
    Decision, DecisionKind, Exit, Halt, Kind, Machine, MethodId, OTHER_VALUES, Site, Snapshot, Step, Value,
    term_of,
};
use cupping_solve::{Solver, SolverLimits};
use cupping_term::{Evaluator, Model};
use input::Variables;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The sides taken, in order.
pub type Sides = Vec<(Site, u32)>;

/// What to explore, and how.
#[derive(Clone)]
pub struct Setup {
    /// Internal name of the class.
    pub class: &'static str,
    /// Name of the method, which must be unique.
    pub method: &'static str,
    /// Limit on the characters of strings and the elements of arrays.
    pub max: u32,
    /// Limits of the exploration.
    pub limits: ExplorationLimits,
    /// [`cupping_machine::ExplorationLimits::reasoning_elements`].
    pub reasoning_elements: u32,
    /// Whether to run paths in the order in which their sides were found.
    pub breadth_first: bool,
    /// Number of paths after which to stop.
    pub most_paths: usize,
}

impl Setup {
    /// All paths of a method.
    pub fn of(class: &'static str, method: &'static str) -> Setup {
        let reasoning_elements = cupping_machine::RunLimits::default().reasoning_elements;
        // No side is dropped, so a missing path must have another cause.
        let limits =
            ExplorationLimits { offers: u32::MAX, waiting: usize::MAX, ..ExplorationLimits::default() };
        Setup { class, method, max: 3, limits, reasoning_elements, breadth_first: false, most_paths: 5000 }
    }
}

/// The outcome of an invocation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Bits of a primitive; 0 for void.
    Bits(u64),
    /// A string's text, or the name of the class of any other object.
    Object(String),
    /// Name of the exception's class.
    Threw(String),
    /// The reason why it was stopped.
    Stopped(String),
}

impl Outcome {
    /// The result as an int.
    pub fn int(value: i32) -> Outcome {
        Outcome::Bits(value as u32 as u64)
    }

    /// An exception of a class of `java.lang`.
    pub fn threw(name: &str) -> Outcome {
        Outcome::Threw(format!("java/lang/{name}"))
    }
}

/// A path found by exploration.
pub struct Found {
    /// Sides taken.
    pub sides: Sides,
    /// Its length in decisions.
    pub decisions: usize,
    /// Its outcome.
    pub outcome: Outcome,
    /// The inputs.
    pub model: Model,
    /// The inputs, by parameter.
    pub data: Vec<Datum>,
}

/// The result of an exploration.
pub struct Explored {
    /// The paths in the order in which they ran.
    pub found: Vec<Found>,
    /// The constraint trees.
    pub trees: Trees,
    /// Counters.
    pub counters: Counters,
    /// The method under test.
    pub method: MethodId,
    /// Whether every side was tried.
    pub is_complete: bool,
    ready: Snapshot,
    start: Snapshot,
    arguments: Vec<Argument>,
    variables: Vec<Variables>,
    receiver: Option<Value>,
    result: Kind,
}

impl Explored {
    /// The outcomes of the paths, sorted.
    pub fn outcomes(&self) -> Vec<Outcome> {
        let mut outcomes: Vec<Outcome> = self.found.iter().map(|f| f.outcome.clone()).collect();
        outcomes.sort();
        outcomes
    }

    /// The paths as a set.
    pub fn paths(&self) -> BTreeSet<Sides> {
        self.found.iter().map(|f| f.sides.clone()).collect()
    }

    /// Number of nodes of this kind in the method's tree.
    pub fn nodes(&self, kind: NodeKind) -> usize {
        self.trees.get(self.method).map_or(0, |tree| tree.count(kind))
    }
}

/// A booted machine.
pub struct Lab {
    /// The machine.
    pub machine: Machine,
    booted: Snapshot,
}

impl Lab {
    /// Boots on the JDK with the papers' programs and the samples.
    pub fn new() -> Lab {
        let program = Arc::new(classes::program());
        let limits = cupping_machine::RunLimits {
            collect: cupping_machine::CollectionPolicy::Never,
            quantum: 0,
            ..cupping_machine::RunLimits::default()
        };
        let mut machine = Machine::boot(program, limits).expect("the JDK boots");
        let booted = machine.snapshot();
        Lab { machine, booted }
    }

    /// Explores, and checks every path against both runs of its input.
    pub fn explore(&mut self, setup: &Setup) -> Explored {
        let explored = self.explore_unchecked(setup);
        self.check(setup, &explored);
        explored
    }

    fn explore_unchecked(&mut self, setup: &Setup) -> Explored {
        let mut explored = self.prepare(setup);
        let mut solver = Solver::new(patient());
        let (mut trees, mut counts) = (Trees::default(), SideCounts::default());
        let searcher: &dyn Searcher = if setup.breadth_first { &BreadthFirst } else { &UncoveredFirst };
        let class = self.machine.method(explored.method).class;
        let mut tools = Tools {
            machine: &mut self.machine,
            solver: &mut solver,
            trees: &mut trees,
            counts: &mut counts,
            searcher,
            under_test: &|machine, method| machine.method(method).class == class,
        };
        let mut exploration: Exploration<Once> = Exploration::new(setup.limits.clone());
        let mut path = Path::default();
        for bound in explored.variables.iter().filter_map(|v| v.bound) {
            path = path.assume(bound);
        }
        let assumed = path.len();
        let driver = Once { result: explored.result, outcome: None };
        let mut done = Some(Some(exploration.start(&mut tools, driver, path, Model::new())));
        while let Some(step) = done {
            if let Some(completed) = step {
                let sides = sides_of(&completed.path, assumed);
                let data = explored.variables.iter().map(|v| v.datum(&completed.model)).collect();
                let outcome = completed.driver.outcome.expect("the invocation has ended");
                let decisions = completed.path.len();
                explored.found.push(Found { sides, decisions, outcome, model: completed.model, data });
            }
            if explored.found.len() >= setup.most_paths {
                break;
            }
            done = exploration.step(&mut tools);
        }
        explored.is_complete = exploration.waiting() == 0 && exploration.counters.time_outs == 0;
        explored.counters = exploration.counters;
        assert_eq!(exploration.self_checks, Vec::<SelfCheck>::new(), "{}", setup.method);
        let errors: Vec<String> = solver.take_internal_errors().iter().map(|e| e.what.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", setup.method);
        explored.trees = trees;
        explored
    }

    /// Enters the invocation with symbolic parameters.
    fn prepare(&mut self, setup: &Setup) -> Explored {
        self.machine.restore(&self.booted);
        self.machine.forget_terms();
        self.machine.set_reasoning_elements(setup.reasoning_elements);
        self.machine.set_fuel(setup.limits.fuel);
        self.try_prepare(setup).unwrap_or_else(|trap| panic!("{}", self.machine.describe_trap(&trap)))
    }

    fn try_prepare(&mut self, setup: &Setup) -> Step<Explored> {
        let machine = &mut self.machine;
        let class = machine.initialize_now(setup.class)?;
        let file = machine.class(class).file.clone().expect("the class has a file");
        let declared = file.methods.iter().find(|m| *m.name == *setup.method);
        let descriptor = declared.unwrap_or_else(|| panic!("no method {}", setup.method)).descriptor.clone();
        let method = machine.declared_method(class, setup.method, &descriptor).expect("the method is loaded");
        let receiver = if machine.method(method).is_static() {
            None
        } else {
            let object = Value::reference(machine.new_object(class)?);
            let constructor = machine.declared_method(class, "<init>", "()V").expect("a constructor");
            machine.call(constructor, &[object])?;
            Some(object)
        };
        let ready = machine.snapshot();
        let arguments = input::parameters(&descriptor, setup.max);
        let mut values: Vec<Value> = receiver.into_iter().collect();
        let mut variables = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let (value, made) = argument.make_symbolic(machine, at)?;
            values.push(value);
            variables.push(made);
        }
        machine.enter(method, &values)?;
        let (start, result) = (machine.snapshot(), machine.method(method).result);
        let (found, trees, counters) = (Vec::new(), Trees::default(), Counters::default());
        let is_complete = false;
        Ok(Explored {
            found,
            trees,
            counters,
            method,
            is_complete,
            ready,
            start,
            arguments,
            variables,
            receiver,
            result,
        })
    }

    /// Runs one input from the start with shadows; returns the sides taken and the outcome. Checks every
    /// decision against the values of its constraints.
    pub fn run_shadowed(&mut self, explored: &Explored, model: &Model) -> (Sides, Outcome) {
        self.machine.restore(&explored.start);
        self.machine.adopt_model(model);
        self.machine.set_fuel(ExplorationLimits::default().fuel);
        let mut evaluator = Evaluator::new();
        let mut sides = Sides::new();
        loop {
            let exit = self.machine.run();
            let Exit::Decision(Decision { site, taken, others, side, .. }) = exit else {
                if let Exit::Returned(value) = exit
                    && let Some(term) = term_of(value.shadow)
                {
                    let bits = evaluator.eval(self.machine.terms(), model, term);
                    let shown = self.machine.terms().display(term, 200);
                    let (bits, value) =
                        (bits_of(explored.result, bits), bits_of(explored.result, value.bits));
                    assert_eq!(bits, value, "the result's term {shown}");
                }
                return (sides, outcome_of(&self.machine, explored.result, &exit));
            };
            let terms = self.machine.terms();
            assert_eq!(evaluator.eval(terms, model, taken), 1, "taken: {}", terms.display(taken, 200));
            for other in others {
                assert_eq!(
                    evaluator.eval(terms, model, other),
                    0,
                    "not taken: {}",
                    terms.display(other, 200)
                );
            }
            sides.push((site, side));
        }
    }

    /// Runs one input without shadows.
    pub fn run_concrete(&mut self, explored: &Explored, data: &[Datum]) -> Outcome {
        self.machine.restore(&explored.ready);
        self.machine.set_fuel(ExplorationLimits::default().fuel);
        let mut values: Vec<Value> = explored.receiver.into_iter().collect();
        for (argument, datum) in explored.arguments.iter().zip(data) {
            values.push(argument.make_concrete(&mut self.machine, datum).expect("an input can be made"));
        }
        self.machine.enter(explored.method, &values).expect("the method can be entered");
        let exit = self.machine.run();
        assert!(!matches!(exit, Exit::Decision(_)), "a run without shadows decides nothing: {exit:?}");
        outcome_of(&self.machine, explored.result, &exit)
    }

    /// The model of an input.
    pub fn model_of(explored: &Explored, data: &[Datum]) -> Model {
        let mut model = Model::new();
        for (variables, datum) in explored.variables.iter().zip(data) {
            variables.set(datum, &mut model);
        }
        model
    }

    /// Runs one input both ways and asserts that they agree.
    pub fn run_both(&mut self, explored: &Explored, data: &[Datum]) -> (Sides, Outcome) {
        let (sides, outcome) = self.run_shadowed(explored, &Lab::model_of(explored, data));
        let concrete = self.run_concrete(explored, data);
        assert_eq!(outcome, concrete, "with shadows and without, for {data:?}");
        (sides, outcome)
    }

    /// Runs random inputs, each of which must take a path that exploration has found.
    pub fn sample(&mut self, explored: &Explored, inputs: u32) {
        let paths = explored.paths();
        let mut runner = TestRunner::deterministic();
        for _ in 0..inputs {
            let data: Vec<Datum> = (explored.arguments.iter())
                .map(|a| sample::datum(a).new_tree(&mut runner).expect("no input is rejected").current())
                .collect();
            let (sides, _) = self.run_both(explored, &data);
            assert!(paths.contains(&sides), "exploration lacks the path of {data:?}");
        }
    }

    /// Runs a given input in the same way and returns its outcome.
    pub fn run_known(&mut self, explored: &Explored, data: &[Datum]) -> Outcome {
        let (sides, outcome) = self.run_both(explored, data);
        assert!(explored.paths().contains(&sides), "exploration lacks the path of {data:?}");
        outcome
    }

    /// No path is found twice, the solved path is the path that runs, and outcomes are reproducible.
    fn check(&mut self, setup: &Setup, explored: &Explored) {
        assert_eq!(explored.paths().len(), explored.found.len(), "{}: a path was run twice", setup.method);
        for found in &explored.found {
            let stopped = matches!(found.outcome, Outcome::Stopped(_));
            let (sides, outcome) = self.run_both(explored, &found.data);
            let sides = if stopped { &sides[..found.sides.len()] } else { &sides[..] };
            assert_eq!(sides, found.sides, "{}: {:?} takes another path", setup.method, found.data);
            assert!(stopped || outcome == found.outcome, "{}: {:?}", setup.method, found.data);
        }
    }
}

/// A solver with large budgets, so that only exploration is tested.
fn patient() -> SolverLimits {
    SolverLimits {
        search_steps_hard: 3_000_000,
        z3_resources: 6_000_000,
        z3_time: Duration::from_secs(600),
        ..SolverLimits::default()
    }
}

/// A driver for one invocation.
#[derive(Clone)]
struct Once {
    result: Kind,
    outcome: Option<Outcome>,
}

impl Driver for Once {
    fn advance(&mut self, machine: &mut Machine, ended: InvocationEnd) -> DriverRequest {
        let exit = match ended {
            InvocationEnd::Returned(value) => Exit::Returned(value),
            InvocationEnd::Threw(exception) => Exit::Threw(exception),
            InvocationEnd::Halted(halt) => Exit::Halted(halt),
            InvocationEnd::TooManyDecisions => Exit::Halted(Halt::Unsupported("too many decisions".into())),
        };
        self.outcome = Some(outcome_of(machine, self.result, &exit));
        DriverRequest::Complete
    }

    fn adopt(&mut self, _machine: &mut Machine, _model: &Model) {}
}

fn outcome_of(machine: &Machine, result: Kind, exit: &Exit) -> Outcome {
    match exit {
        Exit::Returned(value) if result == Kind::Reference => {
            let object = value.as_ref();
            Outcome::Object(match object {
                0 => "null".into(),
                _ if machine.class_name_of(object) == "java/lang/String" => machine.text(object),
                _ => machine.class_name_of(object).to_owned(),
            })
        }
        Exit::Returned(_) if result == Kind::Void => Outcome::Bits(0),
        Exit::Returned(value) => Outcome::Bits(bits_of(result, value.bits)),
        Exit::Threw(exception) => Outcome::Threw(machine.class_name_of(*exception).to_owned()),
        Exit::Halted(halt) => Outcome::Stopped(format!("{halt:?}")),
        Exit::Decision(decision) => panic!("not an end: {decision:?}"),
    }
}

/// Normalises bits that Java cannot distinguish: there is one NaN.
fn bits_of(kind: Kind, bits: u64) -> u64 {
    match kind {
        Kind::Float if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits() as u64,
        Kind::Double if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        _ => bits,
    }
}

/// The sides of a path, without "another value" sides, which the value itself follows.
fn sides_of(path: &Path, assumed: usize) -> Sides {
    let decisions = path.decisions().into_iter().skip(assumed);
    decisions
        .filter(|t| !(t.kind == DecisionKind::Concretization && t.side == OTHER_VALUES))
        .map(|t| (t.site, t.side))
        .collect()
}
