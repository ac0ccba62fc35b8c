//! Views of an object: objects of nested classes that a method of its class returns, such as iterators, and lambdas.
//! Their methods change the object around them.

use crate::invokable::{Invokable, is_callable};
use cupping_machine::{ClassId, Machine};
use std::rc::Rc;

/// Limit on the types of views of a class.
const MOST_VIEWS: usize = 4;

/// A type of objects of nested classes, or of lambdas, that methods of the class return.
pub struct View {
    /// The type that the methods declare.
    pub class: ClassId,
    /// Its methods.
    pub steps: Vec<Rc<Invokable>>,
}

/// The views of a class.
pub(crate) fn views(
    machine: &mut Machine,
    subject: ClassId,
    methods: &[Rc<Invokable>],
    package: &str,
) -> Vec<View> {
    let nested = nested_classes(machine, subject);
    let file = machine.class(subject).file.clone();
    let has_lambdas = file.is_some_and(|file| !file.bootstrap_methods.is_empty());
    let mut found: Vec<View> = Vec::new();
    for method in methods.iter().filter(|it| it.has_receiver()) {
        let descriptor = machine.method(method.method).descriptor.clone();
        let Some((_, result)) = descriptor.split_once(')').filter(|(_, it)| it.starts_with('L')) else {
            continue;
        };
        let Ok(class) = machine.load_descriptor(result) else { continue };
        let is_view = class != subject
            && machine.class(class).super_class.is_some()
            && (nested.iter().any(|it| machine.is_subtype(*it, class))
                || has_lambdas && is_functional(machine, class));
        if !is_view || found.iter().any(|it| it.class == class) {
            continue;
        }
        let declared = machine.class(class).methods.clone();
        let is_step = |it: &cupping_machine::MethodId| {
            let loaded = machine.method(*it);
            !loaded.is_static() && !loaded.name.starts_with('<') && is_callable(machine, *it, package)
        };
        let steps = declared.into_iter().filter(is_step);
        let steps = steps.filter_map(|it| Invokable::new(machine, class, it).map(Rc::new)).collect();
        found.push(View { class, steps });
        if found.len() == MOST_VIEWS {
            break;
        }
    }
    found
}

/// Whether lambdas can have this type: an interface with one abstract method.
fn is_functional(machine: &Machine, class: ClassId) -> bool {
    let of = machine.class(class);
    let abstract_ones = of.methods.iter().filter(|it| machine.method(**it).access.is_abstract());
    of.access.is_interface() && abstract_ones.count() == 1
}

/// The classes that are nested in a class or in its superclasses.
fn nested_classes(machine: &mut Machine, subject: ClassId) -> Vec<ClassId> {
    let (mut found, mut next) = (Vec::new(), Some(subject));
    while let Some(class) = next {
        let of = machine.class(class);
        next = of.super_class;
        let own = format!("{}$", of.name);
        let Some(file) = of.file.clone() else { continue };
        let names = file.inner_classes.iter().map(|it| &it.inner).filter(|it| it.starts_with(&own));
        found.extend(names.filter_map(|name| machine.load(name).ok()));
    }
    found
}
