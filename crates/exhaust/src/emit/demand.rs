//! What the specification demands of an outcome, as far as it leaves no choice: found by looking for all states that it
//! allows after the input.

use super::builder::Builder;
use super::{Emitter, Left, Place, before, shape};
use crate::check::{Cause, Example, Group};
use crate::classes::Values;
use crate::concretize::concretize;
use crate::error::{Error, other};
use cupping_case::{
    Action, Assertion, Expectation, JavaType, Literal, MethodRef, Operand, Outcome, Probe, VarId,
};
use cupping_machine::{Addr, Kind, MethodId};
use cupping_relation::{Atom, Condition, Instance, Model, Problem, Scope, States, evaluate};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Allowed states that are looked at.
const MOST_MODELS: usize = 3_000;
/// The work that looking for them may be, in conflicts of the solver.
const MOST_CONFLICTS: u64 = 15_000;
/// Values among which a test may leave the choice.
const MOST_CHOICES: usize = 4;

/// Integers that results may be even if the scope has none of them.
const SMALL: RangeInclusive<i64> = -1..=8;

/// What a test claims.
#[derive(Clone, Debug)]
pub(super) enum Demand {
    /// The call returns.
    Returns,
    /// It throws an exception of this class.
    Throws(String),
    /// What it returns is this, or one of these.
    Result(Vec<Literal>),
    /// An observer shows this of the state.
    Observed(MethodRef, Literal),
    /// The state is one of these.
    State(Vec<String>),
    /// The state is not this one.
    NotState(String),
    /// The predicate holds.
    Predicate,
}

impl Demand {
    /// Whether it is about what the call returns.
    pub(super) fn reads_result(&self) -> bool {
        matches!(self, Demand::Result(_))
    }

    /// Whether it is about the state that the call leaves.
    pub(super) fn reads_state(&self) -> bool {
        matches!(self, Demand::State(_) | Demand::NotState(_))
    }
}

/// An outcome that the specification allows.
#[derive(Clone)]
struct Allowed {
    threw: Option<String>,
    result: Option<Literal>,
    shown: String,
    state: String,
    observed: Vec<Option<Literal>>,
}

impl Emitter<'_> {
    pub(super) fn demand(
        &mut self,
        group: &Group,
        example: &Example,
        left: &Left,
    ) -> Result<Result<Demand, String>, Error> {
        match &group.cause {
            Cause::Threw(_) | Cause::Stopped(_) => return Ok(Ok(Demand::Returns)),
            Cause::Predicate(_) => return Ok(Ok(Demand::Predicate)),
            Cause::Fails(_) => {}
        }
        let observers = self.observers();
        let instance = before(example);
        let actual = self.observe_actual(&instance, &observers)?;
        let (allowed, is_complete) = self.allowed(example, &observers)?;
        if is_complete {
            if let Some(demand) = self.of_outcome(&allowed, left) {
                return Ok(Ok(demand));
            }
            if let Some(demand) = observed(&allowed, &observers, &actual) {
                return Ok(Ok(demand));
            }
        }
        // Where the state is as it may be, what goes with it.
        let same = self.with_the_state(example, left)?;
        if let Some(demand) = self.of_outcome(&same, left) {
            return Ok(Ok(demand));
        }
        Ok(self.of_state(&allowed, is_complete, left))
    }

    /// The outcomes that are allowed with the state that was left: exceptions, and results that are no objects.
    fn with_the_state(&mut self, example: &Example, left: &Left) -> Result<Vec<Allowed>, Error> {
        let specification = self.specification;
        let modelled = &specification.after;
        let Some(output) = &modelled.output else { return Ok(Vec::new()) };
        let all: Vec<Condition> = specification.promised.iter().map(|it| it.condition.clone()).collect();
        let promise = modelled.model.conjunction(&all);
        let mut universe = example.pair.universe.clone();
        let (mut before, mut after) = (example.pair.before.clone(), example.pair.after.clone());
        for value in SMALL {
            universe.add(Atom::Int(value));
        }
        let integers: Vec<u32> = universe.integers().map(|it| it.1).collect();
        for structure in [&mut before, &mut after] {
            structure.sigs[Model::INT.0 as usize] = integers.clone();
            structure.sigs[Model::INT.0 as usize].sort_unstable();
        }
        let Some(&only) = after.sigs[output.sig.0 as usize].first() else { return Ok(Vec::new()) };
        // Nothing, an exception, or a result.
        let mut candidates: Vec<(Option<u32>, Option<String>, Option<u32>)> = vec![(None, None, None)];
        for (sig, class) in &output.exceptions {
            let atom = universe.find(&Atom::Only(*sig));
            candidates.extend(atom.map(|it| (Some(it), Some(class.clone()), None)));
        }
        if let Some((_, values)) = specification.plan.result.as_ref().filter(|_| output.result.is_some()) {
            for (at, atom) in universe.atoms.iter().enumerate() {
                let fits = values.iter().any(|it| {
                    matches!(
                        (it, atom),
                        (Values::Integers(_), Atom::Int(_))
                            | (Values::Booleans, Atom::Bool(_))
                            | (Values::Texts, Atom::Text(_))
                    )
                });
                if fits {
                    candidates.push((None, None, Some(at as u32)));
                }
            }
        }
        let mut allowed = Vec::new();
        for (thrown, threw, result) in candidates {
            for (field, atom) in [(output.thrown, thrown), (output.result, result)] {
                if let Some(field) = field {
                    after.fields[field.0 as usize] = atom.iter().map(|it| vec![only, *it]).collect();
                }
            }
            let states = States { universe: &universe, now: &after, before: Some(&before) };
            if !evaluate(&modelled.model, &states, &promise)? {
                continue;
            }
            let instance = Instance { universe: Rc::new(universe.clone()), structure: after.clone() };
            let (literal, bits) = self.result(&instance, result, &BTreeMap::new())?;
            let shown = self.result_text(bits);
            allowed.push(Allowed {
                threw,
                result: literal,
                shown,
                state: left.state.clone(),
                observed: Vec::new(),
            });
        }
        Ok(allowed)
    }

    /// What all that is allowed throws or returns, where that is not what happened.
    fn of_outcome(&self, allowed: &[Allowed], left: &Left) -> Option<Demand> {
        let first = allowed.first()?;
        if allowed.iter().any(|it| it.threw != first.threw) {
            return None;
        }
        match (&first.threw, &left.threw) {
            (Some(class), threw) if threw.as_ref() != Some(class) => Some(Demand::Throws(class.clone())),
            (Some(_), _) => None,
            (None, Some(_)) => Some(Demand::Returns),
            (None, None) => self.of_result(allowed, left),
        }
    }

    fn of_result(&self, allowed: &[Allowed], left: &Left) -> Option<Demand> {
        let mut results: Vec<Literal> = Vec::new();
        for it in allowed {
            if it.shown == left.result {
                return None;
            }
            let literal = it.result.clone()?;
            if !results.contains(&literal) {
                results.push(literal);
            }
        }
        (results.len() <= MOST_CHOICES).then_some(Demand::Result(results))
    }

    fn of_state(&self, allowed: &[Allowed], is_complete: bool, left: &Left) -> Result<Demand, String> {
        let closed = match self.subject_class() {
            None => return Err("there is no object whose state a test could look at".into()),
            Some(class) => self.sources.is_of_jdk(&class),
        };
        if closed && !is_complete {
            return Err(
                "too many outcomes are allowed to look at all, and its fields are closed to tests".into()
            );
        }
        if closed {
            return Err("what is wrong with it shows in no result, and its fields are closed to tests".into());
        }
        let mut states: Vec<String> = allowed.iter().map(|it| it.state.clone()).collect();
        states.sort();
        states.dedup();
        let is_among = states.contains(&left.state);
        if is_among {
            return Err("its state and its result are each allowed, but not together".into());
        }
        match is_complete && !states.is_empty() && states.len() <= MOST_CHOICES {
            true => Ok(Demand::State(states)),
            false => Ok(Demand::NotState(left.state.clone())),
        }
    }

    fn subject_class(&self) -> Option<String> {
        let plan = &self.specification.plan;
        let of = |descriptor: &str| {
            descriptor.trim_start_matches('[').trim_start_matches('L').trim_end_matches(';').to_owned()
        };
        match self.subject_place()? {
            Place::Result => plan.result.as_ref().map(|it| of(&it.0)),
            Place::Argument(at) => match &plan.receiver {
                Some(receiver) => Some(receiver.clone()),
                None => plan.parameters.get(at).map(|it| of(&it.descriptor)),
            },
        }
        .map(|class| match class.len() {
            // Arrays of primitives are open to all.
            1 => plan
                .receiver
                .clone()
                .unwrap_or_else(|| self.specification.header.class.text.replace('.', "/")),
            _ => class,
        })
    }

    /// Methods without parameters that show something of the receiver.
    fn observers(&mut self) -> Vec<(MethodRef, MethodId)> {
        let Some(receiver) = self.specification.plan.receiver.clone() else { return Vec::new() };
        if !matches!(self.subject_place(), Some(Place::Argument(0))) || !self.sources.is_nameable(&receiver) {
            return Vec::new();
        }
        let id = self.world.classes[&receiver];
        let target = self.specification.target.as_ref().map(|it| it.name.clone()).unwrap_or_default();
        let mut found: Vec<(MethodRef, MethodId)> = Vec::new();
        for file in self.sources.upwards(&receiver) {
            for method in file.methods.iter().filter(|it| self.sources.is_callable(&file, it)) {
                let result = method.descriptor.strip_prefix("()").unwrap_or("V");
                let shows = matches!(result, "I" | "J" | "S" | "B" | "C" | "Z" | "Ljava/lang/String;");
                let is_known = found.iter().any(|it| *it.0.name == *method.name);
                if !shows
                    || is_known
                    || method.access.is_static()
                    || *method.name == *target
                    || &*method.name == "hashCode"
                {
                    continue;
                }
                if let Some(at) = self.world.machine.find_method(id, &method.name, &method.descriptor) {
                    found.push((self.sources.reference(&receiver, method), at));
                }
            }
        }
        found.sort_by_key(|it| &*it.0.name != "toString");
        found
    }

    /// What the observers show after the run.
    fn observe_actual(
        &mut self,
        instance: &Instance,
        observers: &[(MethodRef, MethodId)],
    ) -> Result<Vec<Option<Literal>>, Error> {
        let input = self.write(instance)?;
        self.world.run(&input.arguments);
        let object = input.arguments.first().map_or(0, |it| it.as_ref());
        Ok(self.observe(object, observers))
    }

    fn observe(&mut self, object: Addr, observers: &[(MethodRef, MethodId)]) -> Vec<Option<Literal>> {
        if object == 0 || observers.is_empty() {
            return vec![None; observers.len()];
        }
        let here = self.world.machine.snapshot();
        let mut all = Vec::new();
        for (reference, method) in observers {
            self.world.machine.set_fuel(100_000);
            let made = self.world.machine.call(*method, &[cupping_machine::Value::reference(object)]);
            let result = reference.descriptor.rsplit(')').next().unwrap_or("V");
            all.push(made.ok().and_then(|it| self.shown(it.bits, result)));
            self.world.machine.restore(&here);
        }
        all
    }

    fn shown(&self, bits: u64, descriptor: &str) -> Option<Literal> {
        Some(match descriptor {
            "I" => Literal::Int(bits as u32 as i32),
            "J" => Literal::Long(bits as i64),
            "S" => Literal::Short(bits as i16),
            "B" => Literal::Byte(bits as i8),
            "C" => Literal::Char(bits as u16),
            "Z" => Literal::Boolean(bits & 1 != 0),
            "Ljava/lang/String;" if bits == 0 => Literal::Null,
            "Ljava/lang/String;" => {
                let text = self.world.machine.text(bits as Addr);
                // Identity hash codes are no observation.
                if text.contains('@') {
                    return None;
                }
                Literal::String(text.encode_utf16().collect())
            }
            _ => return None,
        })
    }

    /// All outcomes that the specification allows after an input, and whether these are all.
    fn allowed(
        &mut self,
        example: &Example,
        observers: &[(MethodRef, MethodId)],
    ) -> Result<(Vec<Allowed>, bool), Error> {
        let specification = self.specification;
        let modelled = &specification.after;
        let model = &modelled.model;
        let mut conditions: Vec<Condition> = modelled.always.clone();
        conditions.extend(specification.promised.iter().map(|it| it.condition.clone()));
        let mut scope: Scope = specification.scope.clone();
        let mut count: BTreeMap<_, usize> = BTreeMap::new();
        for atom in &example.pair.universe.atoms {
            match atom {
                Atom::Of(sig, _) => *count.entry(*sig).or_default() += 1,
                Atom::Int(value) => {
                    scope.integers.0 = scope.integers.0.min(*value);
                    scope.integers.1 = scope.integers.1.max(*value);
                }
                _ => {}
            }
        }
        scope.sizes.clear();
        for (sig, count) in count {
            scope.sizes.insert(sig, (0, count + 1));
        }
        for (name, sig) in &modelled.classes {
            let is_enum =
                specification.plan.classes.classes.get(name).is_some_and(|it| it.constants.is_some());
            if model.signature(*sig).parent.is_none() && !is_enum {
                scope.sizes.entry(*sig).or_insert((0, 1));
            }
        }
        for array in &modelled.arrays {
            scope.sizes.entry(array.sig).or_insert((0, 1));
        }
        let mut frozen = modelled.call.parameters.clone();
        frozen.extend(modelled.call.this);
        frozen.extend(modelled.arrays.iter().map(|it| it.length));
        let state = (&example.pair.universe, &example.pair.before);
        let garbage = specification.garbage();
        let Some(mut problem) = Problem::after(model, &scope, &conditions, garbage, state, &frozen)? else {
            return Ok((Vec::new(), false));
        };
        let mut allowed: Vec<Allowed> = Vec::new();
        let mut known: BTreeSet<(Option<String>, String, String)> = BTreeSet::new();
        let mut models = 0;
        loop {
            let left = MOST_CONFLICTS.saturating_sub(problem.effort().conflicts);
            match problem.advance_within(left) {
                Some(true) if models < MOST_MODELS && left > 0 => models += 1,
                Some(false) => return Ok((allowed, true)),
                _ => return Ok((allowed, false)),
            }
            let instance = problem.instance();
            self.world.rewind();
            let input = concretize(self.world, specification, &self.classes, &instance)
                .map_err(|trap| other(self.world.machine.describe_trap(&trap)))?;
            let output = modelled.output.as_ref();
            let thrown = output.and_then(|it| Self::value_of(&instance, it.thrown));
            let threw = thrown.and_then(|atom| match (instance.atom(atom), output) {
                (Atom::Only(sig), Some(output)) => {
                    output.exceptions.iter().find(|it| it.0 == *sig).map(|it| it.1.clone())
                }
                _ => None,
            });
            let result = output.and_then(|it| Self::value_of(&instance, it.result));
            let (literal, bits) = self.result(&instance, result, &input.places)?;
            let subject = self.subject(&input.arguments, bits);
            let state = shape::state(self.world, &self.sources.fields, subject);
            let shown = self.result_text(bits);
            if known.insert((threw.clone(), shown.clone(), state.clone())) {
                let observed = self.observe(subject, observers);
                allowed.push(Allowed { threw, result: literal, shown, state, observed });
            }
        }
    }

    /// A result as a literal, where it is one, and on the machine.
    fn result(
        &mut self,
        instance: &Instance,
        atom: Option<u32>,
        places: &BTreeMap<u32, Addr>,
    ) -> Result<(Option<Literal>, u64), Error> {
        let Some((descriptor, values)) = self.specification.plan.result.clone() else { return Ok((None, 0)) };
        if let Some(place) = atom.and_then(|it| places.get(&it)) {
            return Ok((None, u64::from(*place)));
        }
        let literal = self.literal(instance, atom, &descriptor, &values);
        let literal = literal.filter(|it| descriptor.len() > 1 || *it != Literal::Null);
        let Some(atom) = atom else { return Ok((literal, 0)) };
        let kind = Kind::of_descriptor(descriptor.as_bytes()[0]);
        let bits = self.world.bits(instance.atom(atom), kind, &values);
        let bits = bits.map_err(|trap| other(self.world.machine.describe_trap(&trap)))?;
        Ok((literal, bits))
    }

    /// A demand as outcome and assertions of a case.
    pub(super) fn claims(
        &self,
        demand: Demand,
        builder: &mut Builder,
        result: Option<VarId>,
        subject: Option<VarId>,
    ) -> (Outcome, Vec<Assertion>) {
        let claim = |probe: Probe, expectation: Expectation| vec![Assertion { probe, expectation }];
        let text = |it: String| Literal::String(it.encode_utf16().collect());
        let fields: Vec<Box<str>> = self.sources.fields.iter().map(|it| it.as_str().into()).collect();
        let assertions = match demand {
            Demand::Returns => Vec::new(),
            Demand::Throws(class) => {
                return (Outcome::Threw { class: class.into(), message: None }, Vec::new());
            }
            Demand::Result(mut values) => match (result, values.len()) {
                (Some(result), 1) => {
                    let value = values.pop().unwrap_or(Literal::Null);
                    claim(Probe::Var(result), Expectation::Equals(value))
                }
                (Some(result), _) => claim(Probe::Var(result), Expectation::OneOf(values)),
                (None, _) => Vec::new(),
            },
            Demand::Observed(method, value) => match subject {
                Some(receiver) => claim(Probe::Observer { receiver, method }, Expectation::Equals(value)),
                None => Vec::new(),
            },
            Demand::State(mut states) => match (subject, states.len()) {
                (Some(of), 1) => {
                    let state = text(states.pop().unwrap_or_default());
                    claim(Probe::State { of, fields }, Expectation::Equals(state))
                }
                (Some(of), _) => {
                    let states = states.into_iter().map(text).collect();
                    claim(Probe::State { of, fields }, Expectation::OneOf(states))
                }
                (None, _) => Vec::new(),
            },
            Demand::NotState(state) => match subject {
                Some(of) => claim(Probe::State { of, fields }, Expectation::Differs(text(state))),
                None => Vec::new(),
            },
            Demand::Predicate => self.predicate_holds(builder, subject),
        };
        (Outcome::Returned, assertions)
    }

    /// `assertTrue(tree.repOk())`
    fn predicate_holds(&self, builder: &mut Builder, subject: Option<VarId>) -> Vec<Assertion> {
        let (Some(name), Some(this), Some(receiver)) =
            (self.predicate, subject, self.specification.plan.receiver.as_deref())
        else {
            return Vec::new();
        };
        let own = self.sources.upwards(receiver).into_iter().find_map(|file| {
            let plain =
                file.method(name, "()Z").map(|it| (it.access, self.sources.reference(&file.name, it)));
            let one = format!("(L{receiver};)Z");
            plain.or_else(|| {
                file.method(name, &one).map(|it| (it.access, self.sources.reference(&file.name, it)))
            })
        });
        let Some((access, method)) = own else { return Vec::new() };
        let truth = Expectation::Equals(Literal::Boolean(true));
        let is_open = !access.is_private() && self.sources.is_nameable(&method.class);
        if is_open && !access.is_static() {
            return vec![Assertion { probe: Probe::Observer { receiver: this, method }, expectation: truth }];
        }
        // A call of its own: what is private or static is no observer.
        let holds = builder.variable(JavaType::Boolean);
        let action = match access.is_static() {
            true => Action::InvokeStatic { method, args: vec![Operand::Var(this)] },
            false => Action::Invoke { method, receiver: Operand::Var(this), args: Vec::new() },
        };
        builder.step(action, Some(holds));
        vec![Assertion { probe: Probe::Var(holds), expectation: truth }]
    }
}

/// What an observer shows of all that is allowed, and not of what was left. Nothing is observed of what throws.
fn observed(
    allowed: &[Allowed],
    observers: &[(MethodRef, MethodId)],
    actual: &[Option<Literal>],
) -> Option<Demand> {
    observers.iter().enumerate().find_map(|(at, (method, _))| {
        let first = allowed.first()?.observed[at].clone()?;
        let is_demanded =
            allowed.iter().all(|it| it.threw.is_none() && it.observed[at].as_ref() == Some(&first));
        (is_demanded && actual[at].as_ref() != Some(&first))
            .then(|| Demand::Observed(method.clone(), first.clone()))
    })
}
