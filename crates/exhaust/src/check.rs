//! The bounded-exhaustive check: runs the method on every input within the scope and judges each outcome.

use crate::abstraction::{Pair, read_back};
use crate::concretize::{concretize, lowest_first};
use crate::error::{Error, other};
use crate::picture::Picture;
use crate::specification::{Conjunct, Specification};
use crate::translation::Translations;
use crate::world::{RunEnd, World};
use cupping_case::Effects;
use cupping_relation::{Condition, Failure, Instance, SigId, States, evaluate, explain};
use serde::{Deserialize, Serialize};

/// The cause of a counterexample; the report groups counterexamples by cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// These conjuncts of the postcondition do not hold, by index.
    Fails(Vec<usize>),
    /// An exception of this class that the specification does not declare.
    Threw(String),
    /// The run did not end, or could not continue, for this reason.
    Stopped(String),
    /// The predicate holds for the input but not for the outcome, for this reason.
    Predicate(String),
}

/// A counterexample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Example {
    /// The number of the input, starting at 1.
    pub number: u64,
    /// The states.
    pub pair: Pair,
    /// How the call ended.
    pub outcome: String,
    /// The violated conjuncts, with the atoms that violate them.
    pub failures: Vec<Failure>,
    /// Effects of the call outside the heap.
    pub effects: Effects,
    weight: (usize, usize, u64),
}

/// The counterexamples of one cause.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    /// The cause.
    pub cause: Cause,
    /// Number of counterexamples.
    pub count: u64,
    /// The smallest ones, smallest first.
    pub examples: Vec<Example>,
}

/// The result of a check.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CheckResult {
    /// Number of inputs.
    pub inputs: u64,
    /// Number of inputs that passed.
    pub passed: u64,
    /// The groups, ordered by their smallest counterexample.
    pub groups: Vec<Group>,
    /// Whether every input within the scope was tried.
    pub is_complete: bool,
    /// Values and objects that the model cannot represent.
    pub unmodelled: Vec<String>,
}

/// Limits of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckLimits {
    /// Number of counterexamples kept per cause.
    pub examples: usize,
    /// Maximum number of inputs.
    pub limit: u64,
    /// Limit on the work, in nanoseconds of a reference machine ([`World::work`]).
    pub work: u64,
    /// Number of counterexamples after which the check ends.
    pub stop_after: u64,
}

impl Default for CheckLimits {
    fn default() -> CheckLimits {
        CheckLimits { examples: 3, limit: u64::MAX, work: u64::MAX, stop_after: u64::MAX }
    }
}

/// Runs and judges inputs one by one.
pub struct Checker<'a> {
    specification: &'a Specification,
    world: &'a mut World,
    classes: Vec<(SigId, String)>,
    promise: Condition,
    limits: CheckLimits,
    translations: Option<Translations>,
    /// The result so far.
    pub checked: CheckResult,
}

impl<'a> Checker<'a> {
    /// A checker on a machine that was booted for the specification.
    pub fn new(
        specification: &'a Specification,
        world: &'a mut World,
        limits: CheckLimits,
    ) -> Result<Checker<'a>, Error> {
        let all: Vec<Condition> = specification.promised.iter().map(|it| it.condition.clone()).collect();
        let promise = specification.after.model.conjunction(&all);
        for class in boxes(specification) {
            world.prepare_boxes(&class, specification.scope.integers)?;
        }
        let translations = Translations::find(specification, world)?;
        let classes = lowest_first(specification);
        let checked = CheckResult::default();
        Ok(Checker { specification, world, classes, promise, limits, translations, checked })
    }

    /// Checks all inputs. `progress` sees the result so far and returns whether to continue.
    pub fn all(&mut self, mut progress: impl FnMut(&CheckResult) -> bool) -> Result<(), Error> {
        let mut problem = self.specification.problem()?;
        while problem.advance() {
            let limits = &self.limits;
            let is_over = self.checked.inputs >= limits.limit
                || self.world.work >= limits.work
                || self.checked.failed() >= limits.stop_after;
            if is_over || !progress(&self.checked) {
                return Ok(());
            }
            self.one(&problem.instance())?;
        }
        self.checked.is_complete = true;
        Ok(())
    }

    /// Checks one input.
    pub fn one(&mut self, instance: &Instance) -> Result<(), Error> {
        self.checked.inputs += 1;
        self.world.rewind();
        let (pair, ended) = match &self.translations {
            Some(translations) => translations.run(self.world, self.specification, instance)?,
            None => {
                let made = concretize(self.world, self.specification, &self.classes, instance);
                let input = match made {
                    Ok(input) => input,
                    Err(trap) => return Err(other(self.world.machine.describe_trap(&trap))),
                };
                let ended = self.world.run(&input.arguments);
                (read_back(self.world, self.specification, instance, &input, &ended), ended)
            }
        };
        for note in &pair.unmodelled {
            if !self.checked.unmodelled.contains(note) {
                self.checked.unmodelled.push(note.clone());
            }
        }
        self.judge(pair, &ended)
    }

    fn judge(&mut self, pair: Pair, ended: &RunEnd) -> Result<(), Error> {
        let (cause, outcome) = outcome_of(self.world, ended);
        let model = &self.specification.after.model;
        let states = States { universe: &pair.universe, now: &pair.after, before: Some(&pair.before) };
        let (cause, failures) = match cause {
            Some(cause) => (cause, Vec::new()),
            None if evaluate(model, &states, &self.promise)? => {
                self.checked.passed += 1;
                return Ok(());
            }
            None => {
                let mut places = Vec::new();
                let mut failures = Vec::new();
                for (at, Conjunct { condition, .. }) in self.specification.promised.iter().enumerate() {
                    let found = explain(model, &states, condition)?;
                    if !found.is_empty() {
                        places.push(at);
                        failures.extend(found);
                    }
                }
                (Cause::Fails(places), failures)
            }
        };
        let effects = self.world.machine.effects();
        let example = Example::new(self.checked.inputs, pair, outcome, failures, effects);
        keep(&mut self.checked, self.limits.examples, cause, example);
        Ok(())
    }

    /// The work of all runs so far ([`World::work`]).
    pub(crate) fn work(&self) -> u64 {
        self.world.work
    }

    /// The result, smallest counterexample first.
    pub fn finish(mut self) -> CheckResult {
        self.checked.sort();
        self.checked
    }
}

impl CheckResult {
    /// Number of counterexamples.
    pub fn failed(&self) -> u64 {
        self.inputs - self.passed
    }

    /// Adds the result of another part of the search, whose inputs come after the present ones.
    pub fn append(&mut self, mut more: CheckResult, examples: usize) {
        let numbers = more.groups.iter_mut().flat_map(|it| &mut it.examples);
        numbers.for_each(|it| it.number += self.inputs);
        self.is_complete &= more.is_complete;
        self.join(more, examples);
        self.sort();
    }

    /// Adds the result of further inputs, and keeps the smallest examples of each cause.
    pub(crate) fn join(&mut self, more: CheckResult, examples: usize) {
        self.inputs += more.inputs;
        self.passed += more.passed;
        for group in more.groups {
            let Some(own) = self.groups.iter_mut().find(|it| it.cause == group.cause) else {
                self.groups.push(group);
                continue;
            };
            own.count += group.count;
            own.examples.extend(group.examples);
            own.examples.sort_by_key(|it| (it.weight, it.number));
            own.examples.truncate(examples);
        }
        for note in more.unmodelled {
            if !self.unmodelled.contains(&note) {
                self.unmodelled.push(note);
            }
        }
    }

    /// Sorts the groups by their smallest counterexample.
    pub(crate) fn sort(&mut self) {
        self.groups.sort_by_key(|it| it.examples.first().map(|it| (it.weight, it.number)));
    }
}

/// A description of how the call ended; and the cause, if the end alone makes it a counterexample.
pub(crate) fn outcome_of(world: &World, ended: &RunEnd) -> (Option<Cause>, String) {
    let machine = &world.machine;
    match ended {
        RunEnd::Stopped(why) => (Some(Cause::Stopped(why.clone())), why.clone()),
        RunEnd::Threw(thrown) => {
            let class = machine.class_name_of(*thrown).replace('/', ".");
            let message = machine.throwable_message(*thrown);
            let text = message.map_or(String::new(), |it| format!(": {}", String::from_utf16_lossy(&it)));
            let at = machine.stack_trace(*thrown).into_iter().next().map_or(String::new(), |row| {
                let line = machine.line_of(row.method, row.offset);
                let line = line.map_or(String::new(), |it| format!(", line {it}"));
                let method = machine.method(row.method);
                let of = machine.class(method.class).name.replace('/', ".");
                format!(" (in {of}.{}{line})", method.name)
            });
            let known = crate::abstraction::declared(world, *thrown).is_some();
            let cause = (!known).then(|| Cause::Threw(class.clone()));
            (cause, format!("it throws {class}{text}{at}"))
        }
        RunEnd::Returned(_) => (None, RETURNS.to_owned()),
    }
}

/// The description of a normal return.
const RETURNS: &str = "it returns";

/// Keeps a counterexample if it is among the smallest of its cause.
pub(crate) fn keep(checked: &mut CheckResult, most: usize, cause: Cause, mut example: Example) {
    example.number = checked.inputs;
    let groups = &mut checked.groups;
    let at = groups.iter().position(|it| it.cause == cause).unwrap_or_else(|| {
        groups.push(Group { cause, count: 0, examples: Vec::new() });
        groups.len() - 1
    });
    let group = &mut groups[at];
    group.count += 1;
    let key = |it: &Example| (it.weight, it.number);
    let place = group.examples.partition_point(|it| key(it) < key(&example));
    if place < most {
        group.examples.insert(place, example);
        group.examples.truncate(most);
    }
}

/// The box classes of values in inputs.
fn boxes(specification: &Specification) -> Vec<String> {
    use crate::classes::Values;
    let plan = &specification.plan;
    let fields = plan.classes.classes.values().flat_map(|it| &it.fields).flat_map(|it| &it.values);
    let elements = plan.classes.arrays.iter().flat_map(|it| &it.elements);
    let parameters = plan.parameters.iter().flat_map(|it| &it.values);
    let all = fields.chain(elements).chain(parameters);
    let mut found: Vec<String> = all
        .filter_map(|it| match it {
            Values::Integers(Some(class)) => Some(class.clone()),
            _ => None,
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The size of an input: objects, then tuples, then the sum of its integers.
fn weight(pair: &Pair) -> (usize, usize, u64) {
    use cupping_relation::Atom;
    let objects = pair
        .before
        .sigs
        .iter()
        .flatten()
        .filter(|atom| matches!(pair.universe.atoms[**atom as usize], Atom::Of(..)));
    let tuples = pair.before.fields.iter().map(Vec::len).sum();
    let integers =
        pair.before.fields.iter().flatten().flatten().map(|atom| match pair.universe.atoms[*atom as usize] {
            Atom::Int(value) => value.unsigned_abs(),
            _ => 0,
        });
    (objects.count(), tuples, integers.sum())
}

impl Example {
    pub(crate) fn new(
        number: u64,
        pair: Pair,
        outcome: String,
        failures: Vec<Failure>,
        effects: Effects,
    ) -> Example {
        Example { number, weight: weight(&pair), pair, outcome, failures, effects }
    }

    /// Whether the call returned.
    pub fn returned(&self) -> bool {
        self.outcome == RETURNS
    }

    /// Pictures of the states before and after.
    pub fn pictures(&self, specification: &Specification) -> (Picture, Picture) {
        let names: Vec<String> = specification.plan.parameters.iter().map(|it| it.name.clone()).collect();
        let modelled = &specification.after;
        let before = Picture::of(modelled, &self.pair.universe, &self.pair.before, &names);
        let mut after = Picture::of(modelled, &self.pair.universe, &self.pair.after, &names);
        if let Some(output) = &modelled.output {
            let value = |field: Option<cupping_relation::FieldId>| {
                let tuples = self.pair.after.fields.get(field?.0 as usize)?;
                tuples.first().map(|it| it[1])
            };
            if output.result.is_some() && self.returned() {
                let atom = value(output.result);
                let shown = atom.map_or("null".to_owned(), |it| self.pair.universe.show(it, &modelled.model));
                after.outcome("result", atom, shown);
            }
            if let Some(atom) = value(output.thrown) {
                after.outcome("thrown", None, self.pair.universe.show(atom, &modelled.model));
            }
        }
        (before, after)
    }
}
