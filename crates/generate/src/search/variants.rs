//! Variants: objects of one class whose states differ in what the code under test reads.
//!
//! A format, a set of options or a policy is passed to code that asks for each of its settings. One such object
//! shows one side of every question. So the objects that parameters ask for are varied: each call that leads to
//! another state of such an object is tried, and kept is what differs in a field that uncovered code reads, with a
//! value that no object had before. Variants with which something new was covered are varied again, so settings
//! come together that only matter together.

mod variant;

use super::{Job, Search};
use crate::driver::{Inputs, PlanDriver};
use crate::influence::FieldReference;
use crate::invokable::Invokable;
use crate::neighbourhood::own_class;
use crate::parameter::Parameter;
use crate::plan::Plan;
use crate::provisions::{Changer, Provision};
use crate::slots::{Elements, visit};
use cupping_explore::{InvocationEnd, Path};
use cupping_machine::{ClassId, Kind, MethodId, term_of};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;
pub(super) use variant::Variants;
use variant::{Image, VariedObject};

/// The parts of the budget after which rounds of variation begin.
const BEGIN: [(u64, u64); 3] = [(1, 12), (1, 3), (3, 5)];
/// Limit on the rounds, if nothing else is left to try.
const MAX_ROUNDS: u32 = 8;
/// The share of the budget that a round may take.
const SHARE: u64 = 12;
/// Limit on the objects of a class that are varied: in the first round, and in each further one.
const MAX_BASES: [usize; 2] = [2, 4];
/// Limit on the constants of a class that are variants.
const MAX_CONSTANTS: usize = 24;
/// Limit on the arguments with which a changer is called.
const MAX_ARGUMENTS: usize = 6;
/// Limit on the variants that a changer gives.
const MAX_OF_CHANGER: usize = 2;
/// Limit on the paths of a call until it returns.
const MAX_PATHS: usize = 6;
/// Limit on the variants of a class in a round.
const MAX_VARIANTS: usize = 24;
/// The cost of a call with a variant, that of each further variant, and that of each further way to an object under
/// test.
const COST: [u32; 3] = [6, 1, 12];
/// Limit on the states on which methods are called with variants.
const MAX_STATES: usize = 2;

impl Search<'_> {
    /// Whether objects are varied next.
    pub(super) fn has_turn_for_variants(&self) -> bool {
        let is_off = self.options.exhaustive || self.options.enough.is_some() || self.is_set_up;
        if is_off || self.is_for_consumer || self.is_complete() || self.variants.rounds == MAX_ROUNDS {
            return false;
        }
        let budget = self.options.budget.as_micros() as u64;
        let begin = BEGIN.get(self.variants.rounds as usize);
        self.is_tried() || begin.is_some_and(|(part, of)| self.work > budget / of * part)
    }

    /// Finds variants of the objects that parameters ask for, and calls what takes them.
    pub(super) fn vary_objects(&mut self) {
        let is_first = self.variants.rounds == 0;
        self.variants.rounds += 1;
        let end = self.work + self.options.budget.as_micros() as u64 / SHARE;
        let read = self.fields_read();
        let known = self.variants.all.len();
        for class in self.classes_to_vary() {
            let bases = if is_first { self.first_bases(class, &read, end) } else { self.next_bases(class) };
            for base in bases {
                self.vary(class, &base, &read, end);
            }
        }
        self.push_variants(known);
    }

    /// A parameter that asks for objects of a class.
    fn parameter_of(&self, class: ClassId) -> Parameter {
        Parameter::receiver(&self.machine.class(class).name)
    }

    /// The fields that methods under test with something uncovered read.
    fn fields_read(&mut self) -> BTreeSet<FieldReference> {
        let mut read = BTreeSet::new();
        for invokable in &self.subject.under_test {
            if self.is_relevant(invokable.method, 0) {
                let effects = self.influence.effects(self.machine, self.subject.class, invokable.method);
                read.extend(effects.uses.iter().copied());
            }
        }
        read
    }

    /// The classes of the application whose objects parameters ask for.
    fn classes_to_vary(&mut self) -> Vec<ClassId> {
        let mut found = Vec::new();
        let subject = self.subject;
        for invokable in subject.makers.iter().chain(&subject.under_test) {
            for parameter in &invokable.parameters {
                let class = own_class(self.machine, &parameter.ty);
                if let Some(class) = class.filter(|it| !found.contains(it) && *it != subject.class) {
                    found.push(class);
                }
            }
        }
        found
    }

    /// The first objects of a class. Constants with new values become variants.
    fn first_bases(
        &mut self,
        class: ClassId,
        read: &BTreeSet<FieldReference>,
        end: u64,
    ) -> Vec<Rc<VariedObject>> {
        let parameter = self.parameter_of(class);
        let all = self.provider.provisions_of(self.machine, &parameter);
        let is_object = |it: &&Provision| {
            matches!(
                it,
                Provision::Make(_) | Provision::MakeOf(..) | Provision::Constant(..) | Provision::Recipe(_)
            )
        };
        let mut bases = Vec::new();
        for base in all.iter().filter(is_object) {
            if self.work > end {
                return bases;
            }
            if let Some(object) = self.run_provision(base.clone(), Vec::new(), &parameter) {
                self.variants.seen.entry(class).or_default().extend(&object.image);
                if bases.len() < MAX_BASES[0] {
                    bases.push(Rc::new(object));
                }
            }
        }
        let package = self.subject.package.clone();
        let constants = crate::invokable::constants(self.machine, class, &package);
        for (of, field) in constants.into_iter().take(MAX_CONSTANTS) {
            if self.work > end {
                break;
            }
            let constant = Provision::Constant(of, field);
            if let Some(object) = self.run_provision(constant, Vec::new(), &parameter) {
                self.variants.admit(class, object, read);
            }
        }
        bases
    }

    /// The variants of a class that have not been varied and with which something new was covered; all others too, if
    /// nothing else is left to try.
    fn next_bases(&mut self, class: ClassId) -> Vec<Rc<VariedObject>> {
        let mut bases = Vec::new();
        let is_tried = self.is_tried();
        for has_gained in [true, false].into_iter().take(1 + usize::from(is_tried)) {
            for variant in &mut self.variants.all {
                let is_base =
                    variant.class == class && variant.has_gained == has_gained && !variant.is_varied;
                if is_base && bases.len() < MAX_BASES[1] {
                    variant.is_varied = true;
                    bases.push(variant.object.clone());
                }
            }
        }
        bases
    }

    /// Tries each changer of an object.
    fn vary(&mut self, class: ClassId, base: &VariedObject, read: &BTreeSet<FieldReference>, end: u64) {
        let first = self.variants.all.len();
        // What differs from this object counts, also if another object had such a value.
        let is_varied = !base.changers.is_empty();
        let seen = is_varied.then(|| self.variants.seen.insert(class, base.image.clone())).flatten();
        for changer in self.provider.changers(self.machine, &mut self.influence, base.class) {
            let is_full = self.variants.all.len() >= first + MAX_VARIANTS;
            if is_full || self.work > end || self.is_over() {
                break;
            }
            if !base.changers.contains(&changer.invokable.method) {
                self.try_changer(class, base, &changer, read);
            }
        }
        self.variants.seen.entry(class).or_default().extend(seen.into_iter().flatten());
    }

    /// Calls a changer with different arguments.
    fn try_changer(
        &mut self,
        class: ClassId,
        base: &VariedObject,
        changer: &Changer,
        read: &BTreeSet<FieldReference>,
    ) {
        let parameter = self.parameter_of(class);
        let invokable = changer.invokable.clone();
        let all = self.provider.assignments(self.machine, &mut self.influence, &invokable, None);
        let known = self.variants.all.len();
        for arguments in all.iter().take(MAX_ARGUMENTS) {
            if self.variants.all.len() >= known + MAX_OF_CHANGER || self.is_over() {
                break;
            }
            let changed = changer.apply(&base.provision, arguments);
            let changers = base.changers.iter().copied().chain([invokable.method]).collect();
            if let Some(object) = self.run_provision(changed, changers, &parameter) {
                self.variants.admit(class, object, read);
            }
        }
    }

    /// The object that a provision makes, if the calls return.
    fn run_provision(
        &mut self,
        provision: Provision,
        changers: Vec<MethodId>,
        parameter: &Parameter,
    ) -> Option<VariedObject> {
        self.machine.restore(&self.base);
        let mut plan = Plan::default();
        let var = self.provider.provide(self.machine, &mut plan, &provision, parameter, None, 0);
        let (driver, path) = match plan.under_test().cloned() {
            Some(invokable) => self.run_plan(plan, invokable)?,
            None => {
                let mut driver = PlanDriver::new(Rc::new(plan));
                self.enter_next(&mut driver, &Inputs::Symbolic, &mut Vec::new()).ok()?;
                (driver, Path::default())
            }
        };
        let object = driver.object(var)?;
        let mut image = Image::new();
        let mut slots = Vec::new();
        visit(self.machine, object, Elements::Length, |part| {
            if let Some((class, field)) = part.field {
                let fields = &self.machine.class(class).fields;
                let index = fields.iter().position(|it| std::ptr::eq(it, field)).unwrap_or_default();
                slots.push((FieldReference { class, index: index as u32 }, part.kind, part.value));
            }
        });
        for (field, kind, value) in slots {
            let shape = match (kind, term_of(value.shadow)) {
                (_, Some(_)) => u64::MAX,
                (Kind::Reference, None) => {
                    let found = crate::canonical::canonical(self.machine, &[value], &path);
                    found.map_or(u64::MAX, |it| it.shape)
                }
                (_, None) => value.bits,
            };
            image.insert((field, shape));
        }
        Some(VariedObject { provision, class: self.machine.class_of(object), image, changers })
    }

    /// Runs a plan until its last call returns.
    fn run_plan(&mut self, plan: Plan, invokable: Rc<Invokable>) -> Option<(PlanDriver, Path)> {
        let job = Job { in_world: true, ..Job::of(invokable) };
        let driver = PlanDriver::new(Rc::new(plan));
        let mut completed = Vec::new();
        let mut exploration =
            self.run_to_last(driver, Path::default(), Model::new(), &job, &mut completed)?;
        let mut counted = exploration.counters;
        let mut done = completed.pop()?;
        let mut left = MAX_PATHS;
        loop {
            self.account(counted, exploration.counters);
            counted = exploration.counters;
            if matches!(done.driver.ended, Some(InvocationEnd::Returned(_))) {
                return Some((done.driver, done.path));
            }
            left = left.checked_sub(1)?;
            let mut tools = tools!(self);
            match exploration.step(&mut tools) {
                Some(Some(next)) => done = next,
                Some(None) => {}
                None => left = 0,
            }
        }
    }

    /// Schedules what takes objects with the variants from an index on.
    fn push_variants(&mut self, known: usize) {
        let subject = self.subject;
        let objects: Vec<usize> = (0..self.states.len())
            .filter(|at| self.states[*at].receiver.is_some())
            .take(MAX_STATES)
            .collect();
        let makers =
            subject.makers.iter().filter(|it| subject.under_test.iter().all(|m| m.method != it.method));
        // How many methods and constructors have been given variants that need no object under test.
        let mut ways = 0;
        for invokable in subject.under_test.iter().chain(makers) {
            let mut takes_objects = false;
            let all = self.provider.assignments(self.machine, &mut self.influence, invokable, None);
            let Some(first) = all.first().map(|first| with_open_recipes(first, &all)) else { continue };
            for (at, parameter) in invokable.parameters.iter().enumerate() {
                let Some(class) = own_class(self.machine, &parameter.ty) else { continue };
                takes_objects = true;
                let variants: Vec<Provision> = self.variants.all[known..]
                    .iter()
                    .filter(|it| it.class == class)
                    .map(|it| it.object.provision.clone())
                    .collect();
                let cost = COST[0] + ways * COST[2];
                for (nth, variant) in (0..).zip(variants) {
                    let mut assignment = first.clone();
                    assignment[at] = variant;
                    self.push_variant(invokable, assignment, &objects, cost + nth * COST[1]);
                }
            }
            ways += u32::from(takes_objects && !invokable.has_receiver());
        }
    }

    fn push_variant(
        &mut self,
        invokable: &Rc<Invokable>,
        assignment: Vec<Provision>,
        objects: &[usize],
        cost: u32,
    ) {
        let job = Job { assignment, ..Job::of(invokable.clone()) };
        if !invokable.has_receiver() {
            return self.push(cost, job);
        }
        for state in objects {
            let receiver = self.states[*state].receiver;
            let job = Job { state: Some(*state), receiver, ..job.again() };
            self.push(self.cost_of(Some(*state)) + cost, job);
        }
    }
}

/// An assignment with open recipes in place of fixed ones, where other assignments have such.
fn with_open_recipes(first: &[Provision], all: &[Vec<Provision>]) -> Vec<Provision> {
    let open = |(at, provision): (usize, &Provision)| {
        let others = all.iter().map(|assignment| &assignment[at]);
        let mut open = others.filter(|it| matches!(it, Provision::Recipe(recipe) if recipe.is_open()));
        let is_recipe = matches!(provision, Provision::Recipe(_));
        open.next().filter(|_| is_recipe).unwrap_or(provision).clone()
    };
    first.iter().enumerate().map(open).collect()
}
