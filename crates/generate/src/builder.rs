//! Builders: nested classes with a method that makes objects of the class around them.

use crate::invokable::{Invokable, Subject, is_testable, makers};
use cupping_machine::{ClassId, Machine};
use std::rc::Rc;

/// Limit on the builders of a class.
const MAX_BUILDERS: usize = 3;

/// A nested class whose objects make objects under test.
pub struct Builder {
    /// The class.
    pub class: ClassId,
    /// Its constructors and static factories.
    pub makers: Vec<Rc<Invokable>>,
    /// Its methods, those that make an object under test among them.
    pub steps: Vec<Rc<Invokable>>,
}

/// The builders of a class.
pub(crate) fn builders(machine: &mut Machine, subject: &Subject) -> Vec<Builder> {
    let Some(file) = machine.class(subject.class).file.clone() else { return Vec::new() };
    let own = machine.class(subject.class).name.clone();
    let result = format!(")L{own};");
    let mut found = Vec::new();
    for nested in file.inner_classes.iter().filter(|it| it.inner.starts_with(&format!("{own}$"))) {
        let Ok(class) = machine.load(&nested.inner) else { continue };
        if machine.is_subtype(class, subject.class) || machine.class(class).is_abstract() {
            continue;
        }
        let mut steps = Vec::new();
        for method in machine.class(class).methods.clone() {
            let is_step = !machine.method(method).is_static() && &*machine.method(method).name != "<init>";
            if is_step && is_testable(machine, method, &subject.package) {
                steps.extend(Invokable::new(machine, class, method).map(Rc::new));
            }
        }
        let makes_it = |it: &Rc<Invokable>| machine.method(it.method).descriptor.ends_with(&result);
        if steps.iter().any(makes_it) {
            found.push(Builder { class, makers: makers(machine, class, &subject.package), steps });
        }
        if found.len() == MAX_BUILDERS {
            break;
        }
    }
    found
}
