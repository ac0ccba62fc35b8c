//! Enumerates the outcomes that a specification allows for an input: all of them, or those with the final
//! state that was observed.

use super::emitter::{Emitter, RunOutcome};
use super::state_text;
use crate::check::Example;
use crate::classes::Values;
use crate::concretize::concretize;
use crate::error::{Error, other};
use cupping_case::{Literal, MethodRef};
use cupping_machine::{Addr, Kind, MethodId};
use cupping_relation::{Atom, Condition, Instance, Model, Problem, Scope, States, evaluate};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Limit on the allowed states enumerated.
const MOST_MODELS: usize = 3_000;
/// Limit on the enumeration, in conflicts of the SAT solver.
const MOST_CONFLICTS: u64 = 15_000;

/// Integers considered as results even if the scope lacks them.
const SMALL: RangeInclusive<i64> = -1..=8;

pub(super) struct AllowedOutcomes {
    pub(super) threw: Option<String>,
    pub(super) result: Option<Literal>,
    pub(super) shown: String,
    pub(super) state: String,
    pub(super) observed: Vec<Option<Literal>>,
}

impl Emitter<'_> {
    /// The allowed outcomes with the observed final state: exceptions, and results that are not objects.
    pub(super) fn with_the_state(
        &mut self,
        example: &Example,
        left: &RunOutcome,
    ) -> Result<Vec<AllowedOutcomes>, Error> {
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
        // No result, an exception, or a result.
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
            allowed.push(AllowedOutcomes {
                threw,
                result: literal,
                shown,
                state: left.state.clone(),
                observed: Vec::new(),
            });
        }
        Ok(allowed)
    }

    /// All outcomes that the specification allows for an input, and whether the enumeration is complete.
    pub(super) fn allowed(
        &mut self,
        example: &Example,
        observers: &[(MethodRef, MethodId)],
    ) -> Result<(Vec<AllowedOutcomes>, bool), Error> {
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
        let mut allowed: Vec<AllowedOutcomes> = Vec::new();
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
            let state = state_text::state(self.world, &self.sources.fields, subject);
            let shown = self.result_text(bits);
            if known.insert((threw.clone(), shown.clone(), state.clone())) {
                let observed = self.observe(subject, observers);
                allowed.push(AllowedOutcomes { threw, result: literal, shown, state, observed });
            }
        }
    }

    /// A result as a literal, if it is one, and on the machine.
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
}
