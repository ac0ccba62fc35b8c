//! The proof that two versions are the same up to a number of calls: all paths of all sequences of that length.
//!
//! Each sequence runs as a product from the state before tests, with an input for every argument. The results and
//! states after its last call are compared. If the versions represent states differently, the results and what
//! was passed are compared instead. A sequence makes at most one object and ends with the first call that throws.
//! Calls that change no state in either version are not followed by others.

use super::super::Search;
use super::super::products::{Attempt, ProductLimits};
use super::end_differences::Ends;
use super::opponent::Opponent;
use crate::candidate::Candidate;
use crate::comparison::{SameBound, SequenceBound};
use crate::input::{Input, boxed_kind};
use crate::invokable::{Invokable, constants, kind_of};
use crate::parameter::Parameter;
use crate::plan::{Plan, PlanStep, Var};
use crate::versions::Extent;
use cupping_case::JavaType;
use cupping_machine::{Kind, MethodId};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the sides that are tried along a sequence.
const MAX_SIDES: usize = 3000;
/// Limit on the elements of texts and arrays, since the number of paths grows fast with them.
const MAX_ELEMENTS: u32 = 3;
/// Limit on the choices of references as arguments of a call.
const MAX_CHOICES: usize = 12;
/// Limit on the calls of a sequence.
const MAX_CALLS: u32 = 8;
/// Limit on the sequences that are extended.
const MAX_PREFIXES: usize = 500;

/// A choice of an argument.
#[derive(Clone)]
enum Argument {
    Input(Input),
    Constant((cupping_machine::ClassId, usize)),
}

/// A sequence with the object that further calls are made on.
#[derive(Clone)]
struct Prefix {
    plan: Plan,
    object: Option<Var>,
}

/// A call with all choices of its arguments.
struct Call {
    invokable: Rc<Invokable>,
    choices: Vec<Vec<Argument>>,
    /// Whether it may change a state in one of the versions.
    has_effect: bool,
}

/// The sequences of a class, and how far they have been compared.
pub(super) struct BoundedProof {
    /// Internal name of the class.
    class: Box<str>,
    calls: Vec<Call>,
    /// Methods that make an object of the class.
    makers: BTreeSet<MethodId>,
    /// Methods that sequences leave out, since their arguments cannot be enumerated.
    without: Vec<String>,
    /// The sequences to be extended: those of one call less than `next`.
    prefixes: Vec<Prefix>,
    /// The number of calls that is to be compared next.
    next: u32,
    /// The sequences of that length, and how many of them are done.
    sequences: Vec<Prefix>,
    done: usize,
    extent: Extent,
    /// Whether longer sequences cannot be compared.
    is_over: bool,
}

impl BoundedProof {
    /// The number of calls up to which all sequences are the same.
    pub(super) fn calls(&self) -> u32 {
        self.next - 1
    }

    /// Whether a candidate is one of the sequences that have been compared, with inputs within the bound.
    pub(super) fn covers(&self, candidate: &Candidate) -> bool {
        let fits = |length: u64| length <= u64::from(MAX_ELEMENTS);
        let is_within = |step: &PlanStep| match step {
            PlanStep::Input { input, var } => match input {
                Input::Text(units) => fits(units.len() as u64),
                Input::Elements(_, values) => fits(values.len() as u64),
                Input::Bytes(count) => fits(u64::from(*count)),
                Input::ClassLiteral(_) => false,
                _ => {
                    let length = candidate.driver.slots.get(*var).and_then(|it| it.symbols.length);
                    length.is_none_or(|it| fits(candidate.model.get(it)))
                }
            },
            PlanStep::StaticField { .. } => true,
            PlanStep::Call { invokable, .. } => {
                self.calls.iter().any(|it| it.invokable.method == invokable.method)
            }
            _ => false,
        };
        let plan = &candidate.plan;
        let objects = plan
            .steps
            .iter()
            .filter(|it| matches!(it, PlanStep::Call { invokable, .. } if self.makes(invokable)));
        plan.calls() as u64 <= u64::from(self.calls())
            && plan.steps.iter().all(is_within)
            && objects.count() <= 1
    }

    fn makes(&self, invokable: &Invokable) -> bool {
        invokable.is_constructor() || self.makers.contains(&invokable.method)
    }

    /// The bound of the proof so far; `None` if nothing is proved.
    pub(super) fn bound(&self, elements: u32) -> Option<SameBound> {
        let (calls, elements) = (self.calls(), MAX_ELEMENTS.min(elements));
        let of_sequences = SequenceBound { calls, class: self.class.clone(), without: self.without.clone() };
        (calls > 0).then_some(SameBound { elements, sequences: Some(of_sequences) })
    }
}

impl Search<'_> {
    /// The proof about a class before its first step.
    pub(super) fn bounded_proof(&mut self, opponent: &Opponent<'_>) -> BoundedProof {
        self.machine.restore(&self.base);
        let subject = self.subject;
        let under_test: BTreeSet<_> = subject.under_test.iter().map(|it| it.method).collect();
        let makers = subject.makers.iter().filter(|it| !under_test.contains(&it.method));
        // A method that only the other version has may override what unchanged code calls.
        let added = opponent.changed.iter().zip(&opponent.changed_there).filter(|(old, _)| old.is_none());
        let mut added = added.filter_map(|(_, new)| *new).map(|it| self.machine.method(it));
        let overrides = added.any(|it| !it.is_private() && !it.is_static() && &*it.name != "<init>");
        let (mut calls, mut without) = (Vec::new(), Vec::new());
        for invokable in subject.under_test.iter().chain(makers) {
            match self.choices(invokable) {
                Some(choices) => {
                    let effects = self.influence.of_invokable(self.machine, invokable);
                    let mut runs = effects.runs.iter().chain([&invokable.method]);
                    let has_effect = invokable.is_constructor()
                        || overrides
                        || !effects.is_pure()
                        || effects.is_unknown
                        || runs.any(|it| opponent.is_changed(*it));
                    calls.push(Call { invokable: invokable.clone(), choices, has_effect });
                }
                None => without.push(shown(invokable)),
            }
        }
        without.sort();
        without.dedup();
        let mut proof = BoundedProof {
            class: Box::from(&*self.machine.class(subject.class).name),
            makers: subject.makers.iter().map(|it| it.method).collect(),
            calls,
            without,
            prefixes: self.first_prefixes(),
            next: 1,
            sequences: Vec::new(),
            done: 0,
            extent: Extent::State,
            is_over: false,
        };
        self.extend_sequences(&mut proof);
        proof
    }

    /// The sequences without a call: no object, or a constant of the class.
    fn first_prefixes(&self) -> Vec<Prefix> {
        let mut prefixes = vec![Prefix { plan: Plan::default(), object: None }];
        let class = JavaType::class(&self.machine.class(self.subject.class).name);
        for field in &self.subject.constants {
            let mut plan = Plan::default();
            let var = plan.variable(class.clone(), "object");
            plan.steps.push(PlanStep::StaticField { field: *field, var });
            prefixes.push(Prefix { plan, object: Some(var) });
        }
        prefixes
    }

    /// Compares further sequences, as long as there is work left. Returns inputs of sequences on which the
    /// versions differ.
    pub(super) fn prove(&mut self, opponent: &Opponent<'_>, proof: &mut BoundedProof) -> Vec<Attempt> {
        while !proof.is_over {
            while proof.done < proof.sequences.len() {
                if self.is_out_of_work(opponent) {
                    return Vec::new();
                }
                let plan = Rc::new(proof.sequences[proof.done].plan.clone());
                let attempt = Attempt { plan, slots: Rc::default(), model: Model::new() };
                let ends = self.ends_within(opponent, &attempt, ProductLimits::all(MAX_SIDES), proof.extent);
                let Ends { results, states, is_same, .. } = ends;
                // It was interrupted, and begins again when there is more work to do.
                if !is_same && results.is_empty() && states.is_empty() && self.is_out_of_work(opponent) {
                    return Vec::new();
                }
                if results.is_empty() && !states.is_empty() && proof.extent == Extent::State {
                    // States may be represented differently.
                    self.compare_what_callers_see(proof);
                    let hidden = states.into_iter().take(1);
                    return hidden.map(|model| Attempt { model, ..attempt.clone() }).collect();
                }
                if !is_same {
                    proof.is_over = true;
                    let differing = results.into_iter().chain(states);
                    return differing.map(|model| Attempt { model, ..attempt.clone() }).collect();
                }
                proof.done += 1;
            }
            proof.next += 1;
            self.extend_sequences(proof);
        }
        Vec::new()
    }

    /// Begins to compare what callers see, instead of states.
    fn compare_what_callers_see(&mut self, proof: &mut BoundedProof) {
        proof.extent = Extent::Visible;
        proof.prefixes = self.first_prefixes();
        proof.next = 1;
        self.extend_sequences(proof);
    }

    /// Makes the sequences of the next length.
    fn extend_sequences(&mut self, proof: &mut BoundedProof) {
        proof.done = 0;
        proof.sequences.clear();
        let mut longer: Vec<Prefix> = Vec::new();
        for prefix in &proof.prefixes {
            for call in &proof.calls {
                for arguments in &call.choices {
                    let Some(made) = with_inputs(proof, prefix, call, arguments) else { continue };
                    if call.has_effect {
                        longer.push(made.clone());
                    }
                    proof.sequences.push(made);
                }
            }
        }
        proof.is_over = proof.sequences.is_empty() || longer.len() > MAX_PREFIXES || proof.next > MAX_CALLS;
        proof.prefixes = longer;
    }

    /// The choices of arguments that stand for all values within the bounds; `None` if there are no such.
    fn choices(&mut self, invokable: &Invokable) -> Option<Vec<Vec<Argument>>> {
        let mut choices: Vec<Vec<Argument>> = vec![Vec::new()];
        for parameter in &invokable.parameters {
            let of_one = self.arguments_for(parameter)?;
            choices = choices
                .iter()
                .flat_map(|before| {
                    of_one.iter().map(|argument| {
                        let mut all = before.clone();
                        all.push(argument.clone());
                        all
                    })
                })
                .collect();
            if choices.len() > MAX_CHOICES {
                return None;
            }
        }
        Some(choices)
    }

    fn arguments_for(&mut self, parameter: &Parameter) -> Option<Vec<Argument>> {
        let max = MAX_ELEMENTS.min(self.options.max_elements);
        if parameter.is_outer {
            return None;
        }
        if parameter.kind != Kind::Reference {
            return Some(vec![Argument::Input(Input::Primitive(parameter.kind))]);
        }
        let input = match &parameter.ty {
            JavaType::Array(element) if !element.is_reference() => {
                Input::Array { element: kind_of(element), max }
            }
            JavaType::Class(name) if &**name == "java/lang/String" => Input::string(max),
            JavaType::Class(name) => match boxed_kind(name) {
                Some(kind) => Input::Boxed(kind),
                None => return self.constants_of(name),
            },
            _ => return None,
        };
        Some(vec![Argument::Input(input), Argument::Input(Input::Null)])
    }

    /// The constants of an enum, and `null`.
    fn constants_of(&mut self, class: &str) -> Option<Vec<Argument>> {
        let id = self.machine.load(class).ok()?;
        if !self.machine.class(id).access.is_enum() {
            return None;
        }
        let fields = constants(self.machine, id, &self.subject.package);
        let all = fields.into_iter().map(Argument::Constant);
        Some(all.chain([Argument::Input(Input::Null)]).collect())
    }
}

/// A sequence with one more call; `None` if that lacks an object, or would make a second one.
fn with_inputs(proof: &BoundedProof, prefix: &Prefix, call: &Call, choice: &[Argument]) -> Option<Prefix> {
    let Prefix { mut plan, mut object } = prefix.clone();
    let invokable = &call.invokable;
    let is_maker = proof.makes(invokable);
    if is_maker && object.is_some() {
        return None;
    }
    let mut arguments = Vec::new();
    if invokable.has_receiver() {
        arguments.push(object?);
    }
    for (parameter, argument) in invokable.parameters.iter().zip(choice) {
        arguments.push(match argument {
            Argument::Input(input) => plan.input(input.clone(), parameter.ty.clone(), &parameter.name),
            Argument::Constant(field) => {
                let var = plan.variable(parameter.ty.clone(), &parameter.name);
                plan.steps.push(PlanStep::StaticField { field: *field, var });
                var
            }
        });
    }
    let made = plan.call(invokable, arguments, "result");
    if is_maker {
        object = made;
    }
    Some(Prefix { plan, object })
}

/// `withdraw(long)`.
fn shown(invokable: &Invokable) -> String {
    let reference = &invokable.reference;
    let simple = reference.class.rsplit(['/', '$']).next().unwrap_or(&reference.class);
    let name = if invokable.is_constructor() { simple } else { &reference.name };
    let types: Vec<String> = invokable
        .parameters
        .iter()
        .map(|it| {
            let name = it.ty.to_string();
            name.rsplit(['.', '$']).next().unwrap_or(&name).to_owned()
        })
        .collect();
    format!("{name}({})", types.join(", "))
}
