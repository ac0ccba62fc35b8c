//! Results under test: objects with code of the class under test that only its methods make.
//!
//! A method returns a lambda expression, an anonymous class or a private nested class: a comparator, an iterator, a
//! view of a collection. No test can create such an object, and its code only runs when something is called on it. So
//! calls on results follow the call that returned them, as long as code that they may run is uncovered.

mod known;

use super::{Caller, Job, Search};
use crate::driver::PlanDriver;
use crate::generics::{declared_result, erased, is_parameterised, parameters_on};
use crate::invokable::{Invokable, has_present_types, is_callable, is_nameable};
use crate::parameter::kind_of;
use crate::plan::{Plan, PlanStep, Var};
use crate::search::states::EndState;
use crate::slots::{Elements, visit};
use crate::subsumption::Admission;
use cupping_case::JavaType;
use cupping_explore::CompletedPath;
use cupping_machine::{Addr, ClassId, ClassKind, Kind, Machine, MethodId};
pub(super) use known::Results;
use std::rc::Rc;

/// Limit on the states of results that one method returns.
const MAX_STATES: u32 = 12;
/// Limit on the calls on one result.
const MAX_CALLS: usize = 4;
/// Limit on the methods that are called on a result.
const MAX_METHODS: usize = 24;
/// The cost of a call on a result, and of each earlier one.
const COST: [u32; 2] = [4, 5];
/// Methods of all objects that count if a result has its own.
const OF_OBJECTS: [(&str, &str); 3] =
    [("toString", "()Ljava/lang/String;"), ("equals", "(Ljava/lang/Object;)Z"), ("hashCode", "()I")];

impl Search<'_> {
    /// After an invocation has returned: schedules calls on its result, and further ones on the result that it was
    /// invoked on.
    pub(super) fn extend_results(&mut self, job: &Job, done: &CompletedPath<PlanDriver>) {
        let is_off = self.options.exhaustive || self.options.enough.is_some() || self.is_for_consumer;
        if is_off || self.is_set_up || job.in_world {
            return;
        }
        let on = match &job.caller {
            Some(Caller::Result(var)) => Some(*var),
            None if self.is_under_test(&job.invokable) && !job.invokable.is_constructor() => None,
            _ => return,
        };
        let result = done.driver.plan.steps.last().and_then(PlanStep::defines);
        for var in on.into_iter().chain(result) {
            self.extend_result_of(job, done, var);
        }
    }

    fn extend_result_of(&mut self, job: &Job, done: &CompletedPath<PlanDriver>, var: Var) {
        let Some(value) = done.driver.slots.get(var).and_then(|slot| slot.value) else { return };
        let plan = &done.driver.plan;
        let Some(maker) = maker_of(plan, var) else { return };
        let (maker, earlier) = (maker.clone(), calls_on(plan, var));
        let is_object = plan.variables[var].ty.is_reference() && value.as_ref() != 0;
        let states = self.results.states.get(&maker.method).copied().unwrap_or(0);
        if !is_object || earlier >= MAX_CALLS || states >= MAX_STATES {
            return;
        }
        // Objects of the class under test have states of their own.
        if self.is_under_test_class(value.as_ref()) {
            return;
        }
        let calls = self.calls_on_result(value.as_ref(), &maker);
        let open = if calls.is_empty() { Vec::new() } else { self.open_methods() };
        let object_class = self.machine.class_of(value.as_ref());
        let is_open = |search: &mut Self, method: MethodId, class: ClassId| {
            let effects = search.influence.effects(search.machine, class, method);
            open.iter().any(|method| effects.runs.contains(method))
        };
        // A lambda expression counts as called where it is made.
        let may_reach = is_open(self, maker.method, maker.class)
            || calls.iter().any(|it| {
                let found =
                    self.machine.find_method(object_class, &it.reference.name, &it.reference.descriptor);
                found.is_some_and(|method| is_open(self, method, object_class))
            });
        if !may_reach {
            return;
        }
        let mut roots = vec![(Kind::Reference, value)];
        let receiver = job.receiver.and_then(|receiver| done.driver.slots[receiver].value);
        roots.extend(receiver.into_iter().map(|value| (Kind::Reference, value)));
        roots.extend(self.static_roots());
        let path = (&done.path, &done.model);
        let seen = self.seen.admit(self.machine, self.solver, &roots, path, self.options.subsumption);
        if seen != Admission::New {
            return;
        }
        *self.results.states.entry(maker.method).or_default() += 1;
        let cost = self.cost_of_calls(plan, job.receiver) + COST[0] + COST[1] * earlier as u32;
        let at = self.states.len();
        self.states.push(EndState {
            snapshot: Rc::new(self.machine.snapshot()),
            driver: done.driver.clone(),
            path: done.path.clone(),
            model: done.model.clone(),
            // It is no state of an object under test.
            receiver: None,
            class: self.subject.class,
            calls: plan.calls(),
            cost,
        });
        for invokable in calls.iter() {
            self.push_on_result(at, var, invokable, job.receiver, cost);
        }
    }

    /// The calls that tests make on an object that a method returns.
    fn calls_on_result(&mut self, object: Addr, maker: &Invokable) -> Rc<Vec<Rc<Invokable>>> {
        let class = self.machine.class_of(object);
        if let Some(known) = self.results.calls.get(&(class, maker.method)) {
            return known.clone();
        }
        let mut found = Vec::new();
        let is_own = self.has_own_code(class);
        if (is_own || self.holds_own_code(object))
            && let Ok(ty) = self.machine.load_descriptor(&maker.result.descriptor())
            && self.machine.class(ty).kind == ClassKind::Instance
            && is_nameable(self.machine, ty, &self.subject.package)
        {
            found = self.methods_on(ty, class, is_own);
            let generic = declared_result(self.machine, maker.method).filter(is_parameterised);
            if let Some(generic) = generic {
                for invokable in &mut found {
                    narrow(self.machine, invokable, &generic);
                }
            }
        }
        let found: Rc<Vec<Rc<Invokable>>> = Rc::new(found.into_iter().map(Rc::new).collect());
        self.results.calls.insert((class, maker.method), found.clone());
        found
    }

    /// Methods of a declared type that run code under test on an object of this class. If the object's own code is
    /// the JDK's, and only what it holds is under test, its abstract methods.
    fn methods_on(&self, ty: ClassId, class: ClassId, is_own: bool) -> Vec<Invokable> {
        let package = &self.subject.package;
        let object =
            self.machine.class(ty).super_class.filter(|_| self.machine.class(ty).access.is_interface());
        let mut all: Vec<MethodId> = methods_of(self.machine, ty);
        if let Some(object) = object.filter(|_| is_own) {
            let declared = self.machine.class(object).methods.iter().copied();
            all.extend(declared.filter(|method| {
                let method = self.machine.method(*method);
                OF_OBJECTS.contains(&(&*method.name, &*method.descriptor))
            }));
        }
        let runs_own = |method: &MethodId| {
            let called = self.machine.method(*method);
            if !is_own {
                return called.is_abstract();
            }
            let found = self.machine.find_method(class, &called.name, &called.descriptor);
            found.is_some_and(|it| self.has_own_code(self.machine.method(it).class))
        };
        let usable = all.into_iter().filter(|method| {
            is_callable(self.machine, *method, package) && has_present_types(self.machine, *method)
        });
        let found = usable.filter(runs_own).filter_map(|method| Invokable::new(self.machine, ty, method));
        found.take(MAX_METHODS).collect()
    }

    /// Whether tests can only reach the code of a class through objects that others give them: lambda expressions of
    /// the code under test, and its nested classes that tests cannot name.
    fn has_own_code(&self, class: ClassId) -> bool {
        let known = self.machine.class(class);
        let is_tracked =
            |class: ClassId| self.map.classes().iter().any(|it| *it.name == *self.machine.class(class).name);
        match &known.file {
            Some(_) => class != self.subject.class && is_tracked(class),
            None => known.host.is_some_and(is_tracked) && !self.machine.is_subtype(class, self.subject.class),
        }
    }

    /// Whether an object holds one with code under test, as comparators and views of the JDK do.
    fn holds_own_code(&self, object: Addr) -> bool {
        let mut held = Vec::new();
        if matches!(self.machine.class(self.machine.class_of(object)).kind, ClassKind::Array { .. }) {
            return false;
        }
        visit(self.machine, object, Elements::Length, |part| {
            if part.kind == Kind::Reference && part.value.as_ref() != 0 {
                held.push(part.value);
            }
        });
        held.into_iter().any(|value| self.has_own_code(self.machine.class_of(value.as_ref())))
    }

    fn push_on_result(
        &mut self,
        at: usize,
        var: Var,
        invokable: &Rc<Invokable>,
        receiver: Option<Var>,
        cost: u32,
    ) {
        let all = self.provider.assignments_of(self.machine, &mut self.influence, invokable);
        let caller = Some(Caller::Result(var));
        let of = Job { state: Some(at), receiver, caller, ..Job::of(invokable.clone()) };
        self.push_assignments(of, Rc::new(all), cost);
    }
}

/// The invocation that returned what a variable holds.
fn maker_of(plan: &Plan, var: Var) -> Option<&Rc<Invokable>> {
    plan.steps.iter().find_map(|step| match step {
        PlanStep::Call { invokable, result: Some(result), .. } if *result == var => Some(invokable),
        _ => None,
    })
}

/// How many calls on what a variable holds a plan makes.
fn calls_on(plan: &Plan, var: Var) -> usize {
    let is_on = |step: &&PlanStep| {
        matches!(step, PlanStep::Call { invokable, arguments, .. }
            if invokable.has_receiver() && arguments.first() == Some(&var))
    };
    plan.steps.iter().filter(is_on).count()
}

/// The instance methods of a type and of what it extends, without those of `Object`.
fn methods_of(machine: &Machine, ty: ClassId) -> Vec<MethodId> {
    let mut found: Vec<MethodId> = Vec::new();
    let (mut types, mut at) = (vec![ty], 0);
    while let Some(next) = types.get(at).copied() {
        at += 1;
        let class = machine.class(next);
        if &*class.name == "java/lang/Object" {
            continue;
        }
        for method in class.methods.iter().copied() {
            let called = machine.method(method);
            let is_known = found.iter().any(|it| {
                let known = machine.method(*it);
                known.name == called.name && known.descriptor == called.descriptor
            });
            let is_usual = !called.is_static() && &*called.name != "<init>" && !called.access.is_synthetic();
            if is_usual && !is_known {
                found.push(method);
            }
        }
        for above in class.super_class.into_iter().chain(class.interfaces.iter().copied()) {
            if !types.contains(&above) {
                types.push(above);
            }
        }
    }
    found
}

/// Gives the parameters of a call on an object of a generic type the types that it says.
fn narrow(machine: &mut Machine, invokable: &mut Invokable, of: &cupping_classfile::GenericType) {
    let Some(types) = parameters_on(machine, of, invokable.method) else { return };
    if types.len() != invokable.parameters.len() {
        return;
    }
    for (parameter, ty) in invokable.parameters.iter_mut().zip(types) {
        let name = erased(&ty).map(|it| if it.starts_with('[') { it } else { format!("L{it};") });
        if let Some(narrowed) =
            name.and_then(|it| JavaType::parse(&it)).filter(|_| parameter.ty.is_reference())
        {
            parameter.kind = kind_of(&narrowed);
            parameter.ty = narrowed;
            parameter.generic = Some(ty).filter(is_parameterised);
        }
    }
}
