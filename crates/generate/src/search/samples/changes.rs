//! Changes of the calls of a sequence: another call on its object, other arguments of its last call, a call on any of
//! its objects before they are used, or other elements of an array.

use super::super::Search;
use super::elements::with_other_elements;
use crate::invokable::Invokable;
use crate::mutation::Vocabulary;
use crate::neighbourhood::own_class;
use crate::plan::{Plan, PlanStep, Var};
use crate::provisions::Provision;
use cupping_case::JavaType;
use cupping_machine::ClassId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Search<'_> {
    /// A plan with one change of its calls; `None` if the change is impossible.
    pub(super) fn with_change(&mut self, vocabulary: &mut Vocabulary, plan: &Plan) -> Option<Plan> {
        let has_array = plan.steps.iter().skip(plan.setup).any(|it| matches!(it, PlanStep::NewArray { .. }));
        let changed = match vocabulary.below(4) {
            _ if has_array && vocabulary.below(3) == 0 => with_other_elements(vocabulary, plan),
            0 => self.with_other_arguments(vocabulary, plan),
            1 => self.with_preparation(vocabulary, plan),
            _ => self.with_any_call(vocabulary, plan),
        };
        changed.filter(|it| !it.has_folder() && it.calls() <= self.options.max_length)
    }

    /// A plan with another call on its object.
    fn with_any_call(&mut self, vocabulary: &mut Vocabulary, plan: &Plan) -> Option<Plan> {
        let receiver = self.object_of(plan)?;
        let subject = self.subject;
        let class = self.machine.load_descriptor(&plan.variables[receiver].ty.descriptor()).ok()?;
        let machine = &*self.machine;
        let is_callable = |it: &&Rc<Invokable>| it.has_receiver() && machine.is_subtype(class, it.class);
        let callable: Vec<_> = subject.under_test.iter().filter(is_callable).collect();
        let invokable = (*callable.get(vocabulary.below(callable.len()))?).clone();
        let mut longer = plan.clone();
        self.call_in(vocabulary, &mut longer, &invokable, Some(receiver))?;
        link(&mut longer, plan.steps.len(), vocabulary);
        Some(longer)
    }

    /// A plan whose last call gets other arguments.
    fn with_other_arguments(&mut self, vocabulary: &mut Vocabulary, plan: &Plan) -> Option<Plan> {
        let mut changed = plan.clone();
        let last = changed.steps.pop().filter(|_| changed.steps.len() >= plan.setup)?;
        let PlanStep::Call { invokable, arguments, .. } = last else { return None };
        let receiver = arguments.first().copied().filter(|_| invokable.has_receiver());
        self.call_in(vocabulary, &mut changed, &invokable, receiver)?;
        changed.drop_unused_inputs();
        Some(changed)
    }

    /// A plan that calls a method of any of its objects before the last step that uses it. What is returned replaces
    /// the object if its type allows that and the method leaves the object as it is, and else sometimes.
    fn with_preparation(&mut self, vocabulary: &mut Vocabulary, plan: &Plan) -> Option<Plan> {
        let mut objects: Vec<(Var, ClassId)> = Vec::new();
        for var in plan.steps.iter().filter_map(PlanStep::defines) {
            let class = own_class(self.machine, &plan.variables[var].ty);
            objects.extend(class.map(|class| (var, class)));
        }
        let (var, class) = *objects.get(vocabulary.below(objects.len()))?;
        let at = plan.steps.iter().rposition(|step| step.is_effect() && step.uses().contains(&var))?;
        if at < plan.setup {
            return None;
        }
        let machine = &*self.machine;
        let operations = self.worlds.neighbourhood.operations.iter();
        let possible: Vec<_> = operations
            .filter(|it| it.invokable.has_receiver() && machine.is_subtype(class, it.invokable.class))
            .collect();
        let operation = possible.get(vocabulary.below(possible.len()))?;
        let (invokable, changes) = (operation.invokable.clone(), operation.changes);
        let mut prepared = plan.clone();
        let rest = prepared.steps.split_off(at);
        let result = self.call_in(vocabulary, &mut prepared, &invokable, Some(var))?;
        let made = own_class(self.machine, &invokable.result);
        let is_alike = made.is_some_and(|made| self.machine.is_subtype(made, class));
        let replaces = is_alike && (!changes || vocabulary.below(2) == 0);
        let name = |it: Var| Some(if it == var && replaces { result.unwrap_or(it) } else { it });
        for step in rest {
            prepared.steps.push(step.renamed(&name)?);
        }
        Some(prepared)
    }

    /// Adds a call; in half of the cases, each argument is chosen on its own. Returns the variable of the result.
    /// `None` if there are no arguments for it.
    fn call_in(
        &mut self,
        vocabulary: &mut Vocabulary,
        plan: &mut Plan,
        invokable: &Rc<Invokable>,
        receiver: Option<Var>,
    ) -> Option<Option<Var>> {
        let class = self.subject.class;
        let assignments =
            self.provider.assignments(self.machine, &mut self.influence, invokable, Some(class));
        if assignments.is_empty() {
            return None;
        }
        let mut arguments: Vec<Var> = receiver.into_iter().collect();
        // Each assignment but the first has one unusual argument.
        let is_mixed = vocabulary.below(2) == 0;
        let chosen = vocabulary.below(assignments.len());
        for (at, parameter) in invokable.parameters.iter().enumerate() {
            let from = if is_mixed { vocabulary.below(assignments.len()) } else { chosen };
            let provision: &Provision = assignments.get(from)?.get(at)?;
            let var = self.provider.provide(self.machine, plan, provision, parameter, receiver, 0);
            arguments.push(var);
        }
        Some(plan.call(invokable, arguments, "result"))
    }
}

/// In half of the cases, passes an argument of an earlier call to the last call too: a key that was put is
/// looked up.
fn link(plan: &mut Plan, known: usize, vocabulary: &mut Vocabulary) {
    let mut given: FxHashMap<&JavaType, Vec<Var>> = FxHashMap::default();
    for var in plan.steps[..known].iter().filter_map(input_of) {
        given.entry(&plan.variables[var].ty).or_default().push(var);
    }
    let mut others: FxHashMap<Var, Var> = FxHashMap::default();
    for var in plan.steps[known..].iter().filter_map(input_of) {
        let Some(alike) = given.get(&plan.variables[var].ty) else { continue };
        if vocabulary.below(2) != 0 {
            others.insert(var, alike[vocabulary.below(alike.len())]);
        }
    }
    let renamed = |var: Var| Some(others.get(&var).copied().unwrap_or(var));
    for step in &mut plan.steps[known..] {
        let is_use = input_of(step).is_none() && step.uses().iter().any(|var| others.contains_key(var));
        if let Some(linked) = is_use.then(|| step.renamed(&renamed)).flatten() {
            *step = linked;
        }
    }
    plan.drop_unused_inputs();
}

fn input_of(step: &PlanStep) -> Option<Var> {
    match step {
        PlanStep::Input { var, .. } => Some(*var),
        _ => None,
    }
}
