//! Methods of other classes that make objects of the class under test, or change them.

use crate::influence::{FieldReference, Influence};
use crate::invokable::{Invokable, Subject, constants, is_callable, is_testable};
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the makers that other classes have for a class.
const MAX_FOREIGN: usize = 4;
/// Limit on the classes that are searched for such methods.
const MAX_CLASSES: usize = 400;
/// Limit on the methods of other classes to which an object under test is passed.
const MAX_MODIFIERS: usize = 6;

impl Subject {
    /// Keeps what tests in another package can call. If no makers remain, adds those of other classes.
    pub(crate) fn move_to(&mut self, machine: &mut Machine, package: &str) {
        if self.package != package {
            self.package = package.to_owned();
            self.under_test.retain(|it| is_testable(machine, it.method, package));
            self.makers.retain(|it| is_callable(machine, it.method, package));
            let fields = constants(machine, self.class, package);
            self.constants.retain(|it| fields.contains(it));
        }
        self.add_foreign_makers(machine);
    }

    /// If the class has no other makers, adds methods of other classes that return objects of it: from its own
    /// package, or else from the surrounding packages.
    pub(crate) fn add_foreign_makers(&mut self, machine: &mut Machine) {
        if !self.makers.is_empty() || !self.constants.is_empty() {
            return;
        }
        let own = machine.class(self.class).package().to_owned();
        self.add_makers_of(machine, &own, false);
        let around = own.rsplit_once('/').map(|(around, _)| around.to_owned());
        if let Some(around) = around
            .filter(|it| it.contains('/') && self.makers.is_empty() && !machine.class(self.class).from_jdk)
        {
            self.add_makers_of(machine, &around, true);
        }
    }

    fn add_makers_of(&mut self, machine: &mut Machine, package: &str, below: bool) {
        let names = machine.program().classes_of_package(package, below).unwrap_or_default();
        // Methods of interfaces, on what others make: only if there is nothing else.
        let mut promised = Vec::new();
        for name in names.iter().take(MAX_CLASSES) {
            let Ok(class) = machine.load(name) else { continue };
            if class == self.class || machine.is_subtype(class, self.class) {
                continue;
            }
            for method in machine.class(class).methods.clone() {
                let result =
                    machine.method(method).descriptor.rsplit(')').next().unwrap_or_default().to_owned();
                let makes_it = result.starts_with('L')
                    && machine.load_descriptor(&result).is_ok_and(|it| machine.is_subtype(it, self.class));
                if makes_it && is_callable(machine, method, &self.package) {
                    let is_abstract = machine.method(method).is_abstract();
                    let found = if is_abstract { &mut promised } else { &mut self.makers };
                    found.extend(Invokable::new(machine, class, method).map(Rc::new));
                }
                if self.makers.len() >= MAX_FOREIGN {
                    return;
                }
            }
        }
        if self.makers.is_empty() {
            promised.truncate(MAX_FOREIGN);
            self.makers = promised;
        }
    }
}

/// A method of another class that takes an object of the class under test and changes it.
pub(crate) struct ObjectModifier {
    pub(crate) invokable: Rc<Invokable>,
    /// The place of the parameter for the object.
    pub(crate) place: usize,
    /// Whether it defines a field that no method of the object itself defines.
    pub(crate) is_needed: bool,
}

/// Methods of other classes of its package that take an object of the class under test and change it.
pub(crate) fn modifiers(
    machine: &mut Machine,
    influence: &mut Influence,
    subject: &Subject,
) -> Vec<ObjectModifier> {
    let own = machine.class(subject.class).package().to_owned();
    if machine.class(subject.class).from_jdk {
        return Vec::new();
    }
    let mut defined = BTreeSet::new();
    for step in subject.under_test.iter().filter(|it| it.has_receiver()) {
        let effects = influence.effects(machine, subject.class, step.method);
        defined.extend(effects.defines.iter().copied());
    }
    let mut found = Vec::new();
    for name in machine.program().classes_of_package(&own, false).unwrap_or_default().iter() {
        let Ok(class) = machine.load(name) else { continue };
        if machine.is_subtype(class, subject.class) || machine.class(class).access.is_interface() {
            continue;
        }
        for method in machine.class(class).methods.clone() {
            if !is_testable(machine, method, &subject.package) {
                continue;
            }
            let invokable = Invokable::new(machine, class, method).filter(|it| !it.is_constructor());
            let Some(invokable) = invokable else { continue };
            let takes_it = invokable.parameters.iter().position(|it| {
                it.ty.descriptor().starts_with('L')
                    && machine.load_descriptor(&it.ty.descriptor()).is_ok_and(|class| {
                        !machine.class(class).from_jdk && machine.is_subtype(subject.class, class)
                    })
            });
            let Some(place) = takes_it else { continue };
            let effects = influence.effects(machine, class, method);
            if effects.defines_of(machine, subject.class) {
                let is_of_object = |field: &FieldReference| machine.is_subtype(subject.class, field.class);
                let is_needed = effects.defines.difference(&defined).any(is_of_object);
                found.push(ObjectModifier { invokable: Rc::new(invokable), place, is_needed });
            }
            if found.len() == MAX_MODIFIERS {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
