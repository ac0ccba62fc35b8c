//! The neighbourhood of a class: the classes of the application that its objects are linked with, and the
//! operations on them.

use crate::anonymous_classes::anonymous_makers;
use crate::generics::erased;
use crate::influence::Influence;
use crate::invokable::{Invokable, Parameter, Subject, is_nameable, is_testable};
use crate::provisions::matching_texts;
use crate::sequences::Filter;
use cupping_case::JavaType;
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, ClassKind, Kind, Machine, MethodId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Limit on the classes, beside those that are only needed to make objects.
const MAX_CLASSES: usize = 32;
/// Limit on the classes that are only needed to make objects.
const MAX_PARTS: usize = 64;
/// Limit on the subclasses that serve as parts in place of an abstract class.
const MAX_SUBCLASSES: usize = 6;
/// Limit on the texts that a class gives.
const MAX_TEXTS: usize = 8;
/// Limit on the constructors of an abstract class that anonymous classes call.
const MAX_ANONYMOUS: usize = 2;
/// Limit on the operations of one class beside those under test.
const MAX_OPERATIONS: usize = 40;

/// An operation on objects of a neighbourhood.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) invokable: Rc<Invokable>,
    /// The class of the application whose objects it returns.
    pub(crate) makes: Option<ClassId>,
    /// Whether it may change its receiver or its arguments.
    pub(crate) changes: bool,
    /// How often it was tried, and how often it led to a new world.
    pub(crate) tries: u32,
    pub(crate) returns: u32,
}

/// The operations of a class under test and of the classes around it.
#[derive(Debug, Default)]
pub(crate) struct Neighbourhood {
    pub(crate) operations: Vec<Operation>,
    /// Number of operations under test, which come first.
    pub(crate) under_test: usize,
    /// Whether there are classes other than the one under test.
    pub(crate) has_others: bool,
    /// Texts that patterns of the classes match.
    pub(crate) texts: Vec<Vec<u16>>,
    /// The enums that are named.
    enums: BTreeSet<ClassId>,
    /// The least number of operations that create an object of a class from nothing.
    costs: BTreeMap<ClassId, u32>,
}

/// The cost of an object that cannot be made.
pub(crate) const NEVER: u32 = 1000;

impl Neighbourhood {
    /// Collects the classes that signatures name, starting with the class under test.
    pub(crate) fn new(
        machine: &mut Machine,
        influence: &mut Influence,
        subject: &Subject,
        filter: &Filter,
    ) -> Neighbourhood {
        let mut found = Neighbourhood::default();
        if machine.class(subject.class).from_jdk {
            return found;
        }
        let mut classes = vec![subject.class];
        let under_test: BTreeSet<_> = subject.under_test.iter().map(|it| it.method).collect();
        for invokable in &subject.under_test {
            found.add(machine, influence, invokable.clone(), &mut classes);
        }
        found.under_test = found.operations.len();
        for maker in subject.makers.iter().filter(|it| !under_test.contains(&it.method)) {
            found.add(machine, influence, maker.clone(), &mut classes);
        }
        found.add_classes(machine, influence, subject, filter, &mut classes, 0);
        // Factories are named by no one.
        let own = machine.class(subject.class).package().to_owned();
        for name in machine.program().classes_of_package(&own, false).unwrap_or_default().iter() {
            let Ok(class) = machine.load(name) else { continue };
            if makes_any(machine, class, &classes) && is_nameable(machine, class, &subject.package) {
                let at = classes.len();
                note(machine, class, &mut classes);
                found.add_classes(machine, influence, subject, filter, &mut classes, at);
            }
        }
        found.add_parts(machine, influence, subject, filter, &mut classes);
        for class in classes.iter().chain(&found.enums) {
            found.texts.extend(matching_texts(machine, *class, MAX_TEXTS));
        }
        classes.retain(|class| is_nameable(machine, *class, &subject.package));
        found.has_others = classes.len() > 1;
        found
    }

    /// Adds the operations of the classes from an index on, and the classes that they name.
    fn add_classes(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        subject: &Subject,
        filter: &Filter,
        classes: &mut Vec<ClassId>,
        mut at: usize,
    ) {
        while let Some(class) = classes.get(at).copied() {
            at += 1;
            let mut more = Vec::new();
            more.extend(machine.class(class).super_class);
            if machine.class(class).is_abstract() {
                more.extend(subtypes(machine, class));
            }
            for class in more {
                note(machine, class, classes);
            }
            if class != subject.class {
                for maker in
                    anonymous_makers(machine, class, &subject.package, None).into_iter().take(MAX_ANONYMOUS)
                {
                    self.add(machine, influence, maker, classes);
                }
            }
            for method in machine.class(class).methods.clone() {
                let Some(invokable) = self.fresh(machine, subject, class, method) else { continue };
                let of_class = self.operations.iter().filter(|it| it.invokable.class == class).count();
                if of_class < MAX_OPERATIONS && filter.allows(machine, &invokable) {
                    self.add(machine, influence, invokable, classes);
                }
            }
        }
    }

    /// A method that tests can call and that is no operation yet; not the constructor of an abstract class.
    fn fresh(
        &self,
        machine: &Machine,
        subject: &Subject,
        class: ClassId,
        method: MethodId,
    ) -> Option<Rc<Invokable>> {
        let is_known = self.operations.iter().any(|it| it.invokable.method == method);
        let is_maker = &*machine.method(method).name == "<init>";
        if is_known || (is_maker && machine.class(class).is_abstract()) {
            return None;
        }
        is_testable(machine, method, &subject.package)
            .then(|| Invokable::new(machine, class, method).map(Rc::new))
            .flatten()
    }

    /// Adds what makes the objects that operations need and that cannot be made yet: of such a class only
    /// constructors and factories. Without them, operations that come after the limit on classes could never run.
    fn add_parts(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        subject: &Subject,
        filter: &Filter,
        classes: &mut Vec<ClassId>,
    ) {
        let mut seen = BTreeSet::new();
        let most = classes.len() + MAX_PARTS;
        loop {
            self.find_costs(machine);
            let needed: BTreeSet<ClassId> =
                self.costs.iter().filter(|(_, cost)| **cost >= NEVER).map(|(class, _)| *class).collect();
            let fresh: Vec<ClassId> = needed.into_iter().filter(|class| seen.insert(*class)).collect();
            if fresh.is_empty() || classes.len() >= most {
                break;
            }
            for class in fresh {
                let mut parts = vec![class];
                if machine.class(class).is_abstract() {
                    parts.extend(subtypes(machine, class).into_iter().take(MAX_SUBCLASSES));
                    for maker in anonymous_makers(machine, class, &subject.package, None).into_iter().take(1)
                    {
                        self.add(machine, influence, maker, &mut Vec::new());
                    }
                }
                for part in parts.into_iter().filter(|it| !classes.contains(it)).collect::<Vec<_>>() {
                    self.add_makers(machine, influence, subject, filter, part);
                    classes.push(part);
                }
            }
        }
    }

    /// Adds the constructors and factories of a class.
    fn add_makers(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        subject: &Subject,
        filter: &Filter,
        class: ClassId,
    ) {
        for method in machine.class(class).methods.clone() {
            let Some(invokable) = self.fresh(machine, subject, class, method) else { continue };
            let result = own_class(machine, &invokable.result);
            let makes = invokable.is_constructor()
                || invokable.is_static && result.is_some_and(|it| machine.is_subtype(it, class));
            if makes && filter.allows(machine, &invokable) {
                self.add(machine, influence, invokable, &mut Vec::new());
            }
        }
    }

    fn add(
        &mut self,
        machine: &mut Machine,
        influence: &mut Influence,
        invokable: Rc<Invokable>,
        classes: &mut Vec<ClassId>,
    ) {
        let mut types: Vec<ClassId> = vec![invokable.class];
        for parameter in &invokable.parameters {
            named_in_parameter(machine, parameter, &mut types);
        }
        named_in(machine, &invokable.result, &mut types);
        for class in types {
            note(machine, class, classes);
            let known = machine.class(class);
            if known.access.is_enum() && !known.from_jdk {
                self.enums.insert(class);
            }
        }
        let result = machine.load_descriptor(&invokable.result.descriptor()).ok();
        let makes = result.filter(|class| is_own(machine, *class));
        let changes = if invokable.is_constructor() {
            false
        } else {
            let effects = influence.effects(machine, invokable.class, invokable.method);
            !effects.is_pure()
        };
        self.operations.push(Operation { invokable, makes, changes, tries: 0, returns: 0 });
    }

    /// Computes the costs of objects, until none decreases.
    fn find_costs(&mut self, machine: &mut Machine) {
        let mut needs = Vec::new();
        for operation in &self.operations {
            needs.push(needs_of(machine, &operation.invokable));
        }
        let known: BTreeSet<ClassId> =
            needs.iter().flatten().copied().chain(self.operations.iter().filter_map(|it| it.makes)).collect();
        self.costs = known.iter().map(|class| (*class, NEVER)).collect();
        loop {
            let mut is_cheaper = false;
            for (operation, needs) in self.operations.iter().zip(&needs) {
                let Some(made) = operation.makes else { continue };
                let cost = needs.iter().fold(1, |sum, class| (sum + self.cost(*class)).min(NEVER));
                for class in known.iter().filter(|class| machine.is_subtype(made, **class)) {
                    let before = self.costs.entry(*class).or_insert(NEVER);
                    is_cheaper |= cost < *before;
                    *before = cost.min(*before);
                }
            }
            if !is_cheaper {
                break;
            }
        }
    }

    /// The least number of operations that create an object of a class; a small number if only a provision
    /// does.
    pub(crate) fn cost(&self, class: ClassId) -> u32 {
        self.costs.get(&class).copied().unwrap_or(1)
    }

    /// The operations that return objects of a class, or of its subclasses.
    pub(crate) fn makers(&self, machine: &Machine, class: ClassId) -> Vec<usize> {
        let makes = |it: &Operation| it.makes.is_some_and(|made| machine.is_subtype(made, class));
        (0..self.operations.len()).filter(|at| makes(&self.operations[*at])).collect()
    }
}

/// The classes of which an operation needs objects: its own, those of its parameters, and those within them.
pub(crate) fn needs_of(machine: &mut Machine, invokable: &Invokable) -> Vec<ClassId> {
    let mut needs: Vec<ClassId> = invokable.has_receiver().then_some(invokable.class).into_iter().collect();
    for parameter in &invokable.parameters {
        needs.extend(own_class(machine, &parameter.ty));
        needs.extend(classes_within(machine, parameter));
    }
    needs
}

/// Whether objects of a class belong to the application: it is not a JDK class, and they are not constants.
pub(crate) fn is_own(machine: &Machine, class: ClassId) -> bool {
    let known = machine.class(class);
    !known.from_jdk && known.kind == ClassKind::Instance && !known.access.is_enum()
}

/// The class of a parameter's objects, if they belong to the application.
pub(crate) fn own_class(machine: &mut Machine, ty: &JavaType) -> Option<ClassId> {
    if crate::invokable::kind_of(ty) != Kind::Reference {
        return None;
    }
    machine.load_descriptor(&ty.descriptor()).ok().filter(|class| is_own(machine, *class))
}

/// The classes of the application whose objects a parameter's array or collection holds.
pub(crate) fn classes_within(machine: &mut Machine, parameter: &Parameter) -> Vec<ClassId> {
    let mut types = Vec::new();
    match &parameter.generic {
        Some(generic) => arguments_in(machine, generic, &mut types),
        None if matches!(parameter.ty, JavaType::Array(_)) => named_in(machine, &parameter.ty, &mut types),
        None => {}
    }
    types.retain(|class| is_own(machine, *class));
    types
}

/// Whether a class has a method that returns objects of one of these other classes.
fn makes_any(machine: &mut Machine, class: ClassId, classes: &[ClassId]) -> bool {
    if classes.contains(&class) || machine.class(class).access.is_interface() {
        return false;
    }
    machine.class(class).methods.clone().into_iter().any(|method| {
        let result = machine.method(method).descriptor.rsplit(')').next().unwrap_or_default().to_owned();
        let made = machine.load_descriptor(&result).ok();
        made.is_some_and(|it| classes.contains(&it) && it != class)
    })
}

fn note(machine: &Machine, class: ClassId, classes: &mut Vec<ClassId>) {
    if is_own(machine, class) && !classes.contains(&class) && classes.len() < MAX_CLASSES {
        classes.push(class);
    }
}

/// The classes that the type of a parameter names, with its type arguments.
pub(crate) fn named_in_parameter(machine: &mut Machine, parameter: &Parameter, found: &mut Vec<ClassId>) {
    named_in(machine, &parameter.ty, found);
    parameter.generic.iter().for_each(|it| arguments_in(machine, it, found));
}

fn named_in(machine: &mut Machine, ty: &JavaType, found: &mut Vec<ClassId>) {
    match ty {
        JavaType::Array(element) => named_in(machine, element, found),
        JavaType::Class(name) => found.extend(machine.load(name).ok()),
        _ => {}
    }
}

fn arguments_in(machine: &mut Machine, ty: &GenericType, found: &mut Vec<ClassId>) {
    match ty {
        GenericType::Class { arguments, .. } => {
            found.extend(erased(ty).and_then(|name| machine.load(&name).ok()));
            arguments.iter().for_each(|it| arguments_in(machine, it, found));
        }
        GenericType::Array(of) => arguments_in(machine, of, found),
        GenericType::Wildcard(Some(bound)) => arguments_in(machine, bound, found),
        GenericType::Primitive(_) | GenericType::Variable(_) | GenericType::Wildcard(None) => {}
    }
}

/// The concrete classes below a class, in its package and those below it.
fn subtypes(machine: &mut Machine, class: ClassId) -> Vec<ClassId> {
    let own = machine.class(class).package().to_owned();
    let names = machine.program().classes_of_package(&own, true).unwrap_or_default();
    let mut found = Vec::new();
    for name in names.iter() {
        let Ok(candidate) = machine.load(name) else { continue };
        if candidate != class
            && machine.is_subtype(candidate, class)
            && !machine.class(candidate).is_abstract()
        {
            found.push(candidate);
        }
    }
    found
}

#[cfg(test)]
mod tests;
