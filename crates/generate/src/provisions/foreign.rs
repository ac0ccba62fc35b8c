//! Objects that methods of other classes make: searched backwards from the type that is needed, through whoever makes
//! the receiver, to a static method or a constructor. So chains of calls come about (`plan().from(x).to(y)`), and
//! steps whose types are interfaces are what they are, not stubs.

use super::{MAX_DEPTH, Provider, Provision};
use crate::facts::Creations;
use crate::input::Input;
use crate::invokable::{Invokable, is_callable};
use cupping_case::JavaType;
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use std::rc::Rc;

/// Limit on the makers of one class, and on the receivers of one maker.
const MAX_MAKERS: usize = 3;
const MAX_RECEIVERS: usize = 2;
/// Limit on the classes of a package whose methods are looked through.
const MAX_CLASSES: usize = 400;
/// A chain may be longer than arguments are deep.
const MAX_CHAIN: u32 = MAX_DEPTH + 2;

/// Methods of the classes of a package that return objects of its own, by what they return.
pub(super) type Makers = Rc<Vec<(ClassId, Rc<Invokable>)>>;

impl Provider {
    /// Objects that methods of other classes of its package return.
    pub(super) fn foreign(&mut self, machine: &mut Machine, class: ClassId, depth: u32) -> Vec<Provision> {
        if depth > MAX_CHAIN || machine.class(class).from_jdk {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (result, maker) in self.makers_around(machine, class).iter() {
            if found.len() >= MAX_MAKERS {
                break;
            }
            // What turns one of them into another, or gives back the one that it was given, needs one first.
            let ty = JavaType::class(&machine.class(class).name);
            let needs_one = machine.is_subtype(maker.class, class) && maker.has_receiver();
            if machine.is_subtype(*result, class) && !needs_one && self.filter.allows_argument(machine, maker)
            {
                let calls = self.call_of(machine, maker, depth);
                found.extend(calls.into_iter().filter(|it| !takes(it, &ty)));
            }
        }
        found
    }

    /// Calls of a maker on different receivers.
    fn call_of(&mut self, machine: &mut Machine, maker: &Rc<Invokable>, depth: u32) -> Vec<Provision> {
        let mut arguments = Vec::new();
        for parameter in &maker.parameters {
            let class = machine.load_descriptor(&parameter.ty.descriptor());
            arguments.push(match (parameter.kind, class) {
                (Kind::Reference, Ok(class)) if depth < MAX_DEPTH => {
                    self.provisions(machine, class, parameter.generic.as_ref(), depth + 1)[0].clone()
                }
                (Kind::Reference, _) => Provision::Input(Input::Null),
                (kind, _) => Provision::Input(Input::Primitive(kind)),
            });
        }
        if !maker.has_receiver() {
            return vec![Provision::MakeOf(maker.clone(), arguments)];
        }
        let receivers = self.receivers(machine, maker.class, depth + 1);
        let on = |receiver| Provision::call(maker, receiver, &arguments);
        receivers.into_iter().take(MAX_RECEIVERS).map(on).collect()
    }

    /// Objects on which a maker can be called. A stub makes nothing.
    pub(crate) fn receivers(&mut self, machine: &mut Machine, class: ClassId, depth: u32) -> Vec<Provision> {
        let is_real = |it: &Provision| match it {
            Provision::Make(maker) => maker.stub.is_none(),
            Provision::MakeOf(..) | Provision::Constant(..) | Provision::Recipe(_) => true,
            _ => false,
        };
        let all =
            if depth <= MAX_DEPTH { self.provisions(machine, class, None, depth) } else { Rc::default() };
        let mut found: Vec<Provision> = all.iter().filter(|it| is_real(it)).cloned().collect();
        if found.is_empty() {
            let key = (class, depth);
            if !self.sought.insert(key) {
                return Vec::new();
            }
            found = self.foreign(machine, class, depth);
            self.sought.remove(&key);
        }
        found
    }

    /// The stubs of an interface.
    pub(crate) fn stubs_under_test(&mut self, machine: &mut Machine, class: ClassId) -> Vec<Provision> {
        let all = self.provisions(machine, class, None, 0);
        all.iter().filter(|it| matches!(it, Provision::Stub(..))).cloned().collect()
    }

    /// The methods of the classes around a class that return objects of the program; first those that create them, and
    /// simple ones, since what others return may be null at first.
    fn makers_around(&mut self, machine: &mut Machine, class: ClassId) -> Makers {
        let package = machine.class(class).package().to_owned();
        if let Some(known) = self.makers.get(&package) {
            return known.clone();
        }
        let names = machine.program().classes_of_package(&package, false).unwrap_or_default();
        let mut found = Vec::new();
        for name in names.iter().take(MAX_CLASSES) {
            let Ok(class) = machine.load(name) else { continue };
            for method in machine.class(class).methods.clone() {
                let descriptor = machine.method(method).descriptor.clone();
                let result = descriptor.rsplit(')').next().unwrap_or_default();
                if !result.starts_with('L') || result.starts_with("Ljava/") {
                    continue;
                }
                let Ok(result) = machine.load_descriptor(result) else { continue };
                if !machine.class(result).from_jdk && is_callable(machine, method, &self.package) {
                    found.extend(Invokable::new(machine, class, method).map(|it| (result, Rc::new(it))));
                }
            }
        }
        found.sort_by_cached_key(|(result, it)| {
            (!creates(machine, it.method, *result), it.has_receiver(), it.parameters.len())
        });
        let found: Makers = Rc::new(found);
        self.makers.insert(package, found.clone());
        found
    }
}

/// Whether the code of a method creates an object of a class.
fn creates(machine: &mut Machine, method: MethodId, class: ClassId) -> bool {
    let loaded = machine.method(method);
    let Some(file) = machine.class(loaded.class).file.clone() else { return false };
    let fact = file.methods.get(loaded.index).and_then(|it| file.fact::<Creations>(it).ok()?);
    let mut created = fact.into_iter().flat_map(|it| it.0);
    created.any(|name| machine.load(&name).is_ok_and(|made| machine.is_subtype(made, class)))
}

/// Whether an object of a type is passed on the way to a provision.
fn takes(provision: &Provision, ty: &JavaType) -> bool {
    let is_passed_to = |maker: &Invokable| maker.parameters.iter().any(|it| it.ty == *ty);
    match provision {
        Provision::Make(maker) => is_passed_to(maker),
        Provision::MakeOf(maker, parts) => is_passed_to(maker) || parts.iter().any(|it| takes(it, ty)),
        _ => false,
    }
}
