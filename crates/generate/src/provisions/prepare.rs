//! Prepares objects before they are passed: sets fields and calls methods whose effects the receiving method
//! may use (define-use pairs, thesis §4.3.1).

use super::{Provider, Provision};
use crate::influence::{Effects, FieldReference, Influence};
use crate::input::Input;
use crate::invokable::{Invokable, Parameter, is_nameable, is_testable, kind_of};
use crate::plan::{Plan, PlanStep, Var};
use cupping_case::JavaType;
use cupping_classfile::{AccessFlags, ClassFile, annotation_types};
use cupping_machine::{ClassId, Kind, Machine};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A preparation of an object.
#[derive(Clone, Debug)]
pub enum Preparation {
    /// Sets a field, given by declaring class and index.
    Store(ClassId, usize),
    /// Calls a method, with the first provision of each argument.
    Call(Rc<Invokable>),
    /// Calls a method with these arguments.
    CallOf(Rc<Invokable>, Vec<Provision>),
}

/// The annotations, by simple name, of fields that containers set: those of Jakarta EE, Guice and Spring.
const INJECTED: [&str; 5] = ["Inject", "Autowired", "Resource", "EJB", "PersistenceContext"];
/// Limit on the fields set on one object.
const MAX_STORES: usize = 12;
/// Limit on the methods called on one object.
const MAX_CALLS: usize = 4;

impl Provider {
    /// Adds prepared objects to a parameter's provisions if a method with these effects may use what the
    /// preparation defines: with all fields set, with all methods called, and with one method called.
    pub(super) fn prepared(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        effects: &Effects,
        provisions: &mut Vec<Provision>,
    ) {
        let (mut found, mut last) = (Vec::new(), Vec::new());
        let mut known = BTreeSet::new();
        for provision in provisions.iter() {
            let (Provision::Make(maker) | Provision::MakeOf(maker, _)) = provision else { continue };
            let Some(class) = made_class(machine, maker).filter(|class| known.insert(*class)) else {
                continue;
            };
            if machine.class(class).from_jdk {
                continue;
            }
            let of = |preparations| Provision::Prepared(Box::new(provision.clone()), preparations);
            let settable = self.settable(machine, influence, class);
            let is_used = |(class, index): &&(ClassId, usize)| {
                effects.uses.contains(&FieldReference { class: *class, index: *index as u32 })
            };
            let stores: Vec<Preparation> = settable
                .iter()
                .filter(is_used)
                .map(|(class, index)| Preparation::Store(*class, *index))
                .take(MAX_STORES)
                .collect();
            if !stores.is_empty() {
                found.push(of(stores));
            }
            let calls = self.preparing_calls(machine, influence, effects, class);
            if !calls.is_empty() {
                found.push(of(calls.clone()));
            }
            if calls.len() > 1 {
                last.extend(calls.into_iter().map(|call| of(vec![call])));
            }
        }
        let at = provisions.len().min(1);
        provisions.splice(at..at, found);
        provisions.extend(last);
    }

    /// The methods of a class that may change what a method with these effects uses.
    fn preparing_calls(
        &self,
        machine: &mut Machine,
        influence: &mut Influence,
        effects: &Effects,
        class: ClassId,
    ) -> Vec<Preparation> {
        let mut found = Vec::new();
        for method in machine.class(class).methods.clone() {
            if !is_testable(machine, method, &self.package) {
                continue;
            }
            let Some(invokable) = Invokable::new(machine, class, method).filter(Invokable::has_receiver)
            else {
                continue;
            };
            let own = influence.effects(machine, class, method);
            let is_noticed =
                own.defines_of(machine, class) || !own.stores.is_empty() || !own.changes.is_empty();
            if is_noticed && own.influences(effects) && self.filter.allows_argument(machine, &invokable) {
                found.push(Preparation::Call(Rc::new(invokable)));
            }
        }
        found.truncate(MAX_CALLS);
        found
    }

    /// The instance fields, including inherited ones, that a test may set, by declaring class and index.
    pub fn settable(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        class: ClassId,
    ) -> Rc<Vec<(ClassId, usize)>> {
        if let Some(known) = self.settable.get(&class) {
            return known.clone();
        }
        let found = Rc::new(self.find_settable(machine, influence, class));
        self.settable.insert(class, found.clone());
        found
    }

    fn find_settable(
        &self,
        machine: &mut Machine,
        influence: &mut Influence,
        class: ClassId,
    ) -> Vec<(ClassId, usize)> {
        let mut found = Vec::new();
        let mut at = Some(class).filter(|c| !machine.class(*c).from_jdk);
        while let Some(id) = at {
            let above = machine.class(id).super_class.filter(|c| !machine.class(*c).from_jdk);
            found.extend(self.settable_of(machine, influence, id, false));
            at = above;
        }
        found
    }

    /// The static fields of a class that a test may set.
    pub fn settable_static(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        class: ClassId,
    ) -> Vec<(ClassId, usize)> {
        if let Some(known) = &self.settable_static {
            return known.clone();
        }
        let from_jdk = machine.class(class).from_jdk;
        let found = if from_jdk { Vec::new() } else { self.settable_of(machine, influence, class, true) };
        self.settable_static = Some(found.clone());
        found
    }

    /// The fields declared by a class that a test may set, either static or instance fields.
    fn settable_of(
        &self,
        machine: &mut Machine,
        influence: &mut Influence,
        id: ClassId,
        is_static: bool,
    ) -> Vec<(ClassId, usize)> {
        const SYNTHETIC_OR_FINAL: AccessFlags = AccessFlags::SYNTHETIC.or(AccessFlags::FINAL);
        let loaded = machine.class(id);
        let (name, fields, methods) = (loaded.name.clone(), loaded.fields.clone(), loaded.methods.clone());
        let same = loaded.package() == self.package;
        let file = loaded.file.clone();
        let mut defined = BTreeSet::new();
        for method in methods {
            if matches!(&*machine.method(method).name, "<init>" | "<clinit>") {
                continue;
            }
            defined.extend(influence.effects(machine, id, method).defines.iter().copied());
        }
        let mut found = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let is_visible = field.access.is_public() || same && !field.access.is_private();
            let is_left = !defined.contains(&FieldReference { class: id, index: index as u32 });
            let is_set = is_visible && self.filter.sets_field(&name, field, is_left)
                || is_left
                    && file.as_ref().is_some_and(|it| is_injected(it, &field.name))
                    && self.filter.lets_in(&name, &field.name);
            if is_set
                && field.is_static() == is_static
                && !field.access.has_any(SYNTHETIC_OR_FINAL)
                && is_nameable(machine, id, &self.package)
            {
                found.push((id, index));
            }
        }
        found
    }

    /// In how many ways fields can be set, apart from `null`.
    pub fn store_ways(&mut self, machine: &mut Machine, fields: &[(ClassId, usize)]) -> usize {
        let ways = fields.iter().map(|(class, index)| {
            let descriptor = machine.class(*class).fields[*index].descriptor.clone();
            match machine.load_descriptor(&descriptor) {
                // A number, a text that may be null: there is one way.
                Ok(class) => self.provisions(machine, class, None, 1).len().saturating_sub(1).max(1),
                Err(_) => 1,
            }
        });
        ways.max().unwrap_or(0)
    }

    /// Adds the steps of a preparation.
    pub(super) fn prepare(
        &mut self,
        machine: &mut Machine,
        plan: &mut Plan,
        object: Var,
        preparation: &Preparation,
        depth: u32,
    ) {
        match preparation {
            Preparation::Store(class, index) => {
                self.store(machine, plan, Some(object), (*class, *index), 0, depth);
            }
            Preparation::Call(invokable) => {
                let mut arguments = vec![object];
                arguments.extend(self.default_arguments(machine, plan, invokable, depth));
                plan.call(invokable, arguments, "result");
            }
            Preparation::CallOf(invokable, provisions) => {
                let mut arguments = vec![object];
                for (provision, parameter) in provisions.iter().zip(&invokable.parameters) {
                    arguments.push(self.provide(machine, plan, provision, parameter, None, depth));
                }
                plan.call(invokable, arguments, "result");
            }
        }
    }

    /// Adds the steps that set an instance or static field to an input, in this way if there are as many.
    pub fn store(
        &mut self,
        machine: &mut Machine,
        plan: &mut Plan,
        object: Option<Var>,
        field: (ClassId, usize),
        way: usize,
        depth: u32,
    ) {
        let declared = machine.class(field.0).fields[field.1].clone();
        let Some(ty) = JavaType::parse(&declared.descriptor) else { return };
        let kind = kind_of(&ty);
        let provision = match kind {
            Kind::Reference => match machine.load_descriptor(&declared.descriptor) {
                Ok(class) => {
                    let all = self.provisions(machine, class, None, depth + 1);
                    // The last one is null.
                    all[way.min(all.len().saturating_sub(2))].clone()
                }
                Err(_) => Provision::Input(Input::Null),
            },
            kind => Provision::Input(Input::Primitive(kind)),
        };
        let parameter =
            Parameter { kind, ty, name: declared.name.to_string(), is_outer: false, generic: None };
        let value = self.provide(machine, plan, &provision, &parameter, None, depth + 1);
        let name = declared.name.as_ref().into();
        let object = object.filter(|_| !declared.is_static());
        if object.is_none() && !declared.is_static() {
            return;
        }
        let operands = object.into_iter().chain([value]).collect();
        plan.steps.push(PlanStep::SetField { field, name, operands });
    }
}

/// Whether a container sets a field: its annotation says so.
fn is_injected(file: &ClassFile, field: &str) -> bool {
    let declared = file.fields.iter().find(|it| &*it.name == field);
    let types = declared.map(|it| annotation_types(file, &it.annotations)).unwrap_or_default();
    types.iter().any(|ty| INJECTED.iter().any(|name| ty.ends_with(&format!("/{name};"))))
}

/// The class of the objects that an invokable creates.
fn made_class(machine: &mut Machine, maker: &Invokable) -> Option<ClassId> {
    if maker.is_constructor() {
        Some(maker.class)
    } else {
        machine.load_descriptor(&maker.result.descriptor()).ok()
    }
}
