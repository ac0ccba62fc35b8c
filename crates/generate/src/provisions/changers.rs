//! Calls that lead from an object to one of the same class in another state: a setter changes it, a wither returns a
//! changed copy, and a builder makes one from parts.

use super::prepare::Preparation;
use super::{Provider, Provision};
use crate::influence::Influence;
use crate::invokable::{Invokable, is_testable};
use cupping_case::JavaType;
use cupping_machine::{ClassId, Machine, MethodId};
use std::rc::Rc;

/// Limit on the changers of a class.
const MAX_CHANGERS: usize = 64;

/// A call that leads from an object to one of the same class in another state.
#[derive(Clone, Debug)]
pub(crate) struct Changer {
    /// What is called with arguments.
    pub(crate) invokable: Rc<Invokable>,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    /// It changes its receiver.
    Mutation,
    /// It returns the changed object.
    Copy,
    /// It changes a builder, which an object gives or which is made anew, and from which the object is built.
    Builder { start: BuilderStart, end: Rc<Invokable> },
}

/// Where a builder comes from.
#[derive(Clone, Debug)]
enum BuilderStart {
    /// A method of the object.
    Object(Rc<Invokable>),
    /// A static method or a constructor without parameters.
    New(Rc<Invokable>),
}

impl Changer {
    /// An object in the state after a change.
    pub(crate) fn apply(&self, base: &Provision, arguments: &[Provision]) -> Provision {
        let Changer { invokable, way } = self;
        match way {
            Way::Mutation => {
                let call = Preparation::CallOf(invokable.clone(), arguments.to_vec());
                match base {
                    Provision::Prepared(made, before) => {
                        let all = before.iter().cloned().chain([call]).collect();
                        Provision::Prepared(made.clone(), all)
                    }
                    _ => Provision::Prepared(Box::new(base.clone()), vec![call]),
                }
            }
            Way::Copy => Provision::call(invokable, base.clone(), arguments),
            Way::Builder { start, end } => {
                let builder = match (start, base) {
                    // Goes on with the builder of an object that was built.
                    (BuilderStart::New(_), Provision::MakeOf(before, parts))
                        if before.method == end.method =>
                    {
                        parts[0].clone()
                    }
                    (BuilderStart::New(maker), _) => Provision::MakeOf(maker.clone(), Vec::new()),
                    (BuilderStart::Object(maker), _) => Provision::call(maker, base.clone(), &[]),
                };
                let is_fluent = invokable.result == JavaType::class(&end.reference.class);
                let set = if is_fluent {
                    Provision::call(invokable, builder, arguments)
                } else {
                    let set = Preparation::CallOf(invokable.clone(), arguments.to_vec());
                    Provision::Prepared(Box::new(builder), vec![set])
                };
                Provision::call(end, set, &[])
            }
        }
    }
}

impl Provider {
    /// The changers of objects of a class.
    pub(crate) fn changers(
        &self,
        machine: &mut Machine,
        influence: &mut Influence,
        class: ClassId,
    ) -> Vec<Changer> {
        let mut found = Vec::new();
        let mut builders = Vec::new();
        for invokable in self.methods_of(machine, class) {
            let result = own_result(machine, &invokable);
            let makes_it = result.is_some_and(|it| machine.is_subtype(it, class));
            if invokable.parameters.is_empty() && result.is_some() && !makes_it {
                builders.push(invokable.clone());
            }
            if !invokable.has_receiver() {
                continue;
            }
            if makes_it {
                found.push(Changer { invokable: invokable.clone(), way: Way::Copy });
            } else if influence.effects(machine, class, invokable.method).changes_of(machine, class) {
                found.push(Changer { invokable, way: Way::Mutation });
            }
        }
        builders.extend(self.nested_builders(machine, class));
        for builder in builders {
            found.extend(self.of_builder(machine, influence, class, &builder));
        }
        found.truncate(MAX_CHANGERS);
        found
    }

    /// The methods that tests can call on objects of a class, with inherited ones of the application, and its static
    /// methods.
    fn methods_of(&self, machine: &Machine, class: ClassId) -> Vec<Rc<Invokable>> {
        let mut found: Vec<Rc<Invokable>> = Vec::new();
        let mut at = Some(class).filter(|it| !machine.class(*it).from_jdk);
        while let Some(id) = at {
            for method in machine.class(id).methods.clone() {
                let is_overridden = found.iter().any(|it| overrides(machine, it.method, method));
                if is_overridden || !is_testable(machine, method, &self.package) {
                    continue;
                }
                let called = Invokable::new(machine, class, method).filter(|it| !it.is_constructor());
                found.extend(called.filter(|it| self.filter.allows_argument(machine, it)).map(Rc::new));
            }
            at = machine.class(id).super_class.filter(|it| !machine.class(*it).from_jdk);
        }
        found
    }

    /// The constructors without parameters of the classes nested in a class.
    fn nested_builders(&self, machine: &mut Machine, class: ClassId) -> Vec<Rc<Invokable>> {
        let own = machine.class(class).name.clone();
        let file = machine.class(class).file.clone();
        let inner = file.iter().flat_map(|it| &it.inner_classes);
        let names: Vec<String> =
            inner.filter(|it| it.outer.as_deref() == Some(&*own)).map(|it| it.inner.to_string()).collect();
        let mut found = Vec::new();
        for name in names {
            let Ok(nested) = machine.load(&name) else { continue };
            let all = crate::invokable::makers(machine, nested, &self.package);
            found.extend(all.into_iter().find(|it| it.is_constructor() && it.parameters.is_empty()));
        }
        found
    }

    /// The changers by the builder that a method returns.
    fn of_builder(
        &self,
        machine: &mut Machine,
        influence: &mut Influence,
        class: ClassId,
        maker: &Rc<Invokable>,
    ) -> Vec<Changer> {
        let Some(builder) = own_result(machine, maker) else { return Vec::new() };
        let methods = self.methods_of(machine, builder);
        let builds = |machine: &mut Machine, it: &Invokable| {
            let result = own_result(machine, it);
            it.has_receiver()
                && it.parameters.is_empty()
                && result.is_some_and(|it| machine.is_subtype(it, class))
        };
        let Some(end) = methods.iter().find(|it| builds(machine, it)).cloned() else { return Vec::new() };
        let is_of_object = maker.has_receiver();
        let start =
            if is_of_object { BuilderStart::Object(maker.clone()) } else { BuilderStart::New(maker.clone()) };
        let mut found = Vec::new();
        for invokable in methods.into_iter().filter(|it| it.has_receiver() && it.method != end.method) {
            if influence.effects(machine, builder, invokable.method).changes_of(machine, builder) {
                let way = Way::Builder { start: start.clone(), end: end.clone() };
                found.push(Changer { invokable, way });
            }
        }
        found
    }
}

/// The class of the application that an invokable returns.
fn own_result(machine: &mut Machine, invokable: &Invokable) -> Option<ClassId> {
    crate::neighbourhood::own_class(machine, &invokable.result)
}

fn overrides(machine: &Machine, below: MethodId, above: MethodId) -> bool {
    let (below, above) = (machine.method(below), machine.method(above));
    below.name == above.name && below.descriptor == above.descriptor
}
