//! Anonymous subclasses: they create objects of an abstract class of which only the constructors are
//! accessible. Their implementations of abstract methods return inputs, as stubs do.

use crate::generics::is_parameterised;
use crate::implementation::implementation;
use crate::invokable::{Invokable, Subject, has_nameable_types, is_nameable};
use crate::parameter_call::ParameterCall;
use crate::provisions::CalledMethods;
use crate::stub::{Stub, in_turn};
use cupping_case::{JavaType, parse_method_descriptor};
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, Kind, Machine, MethodId, StubResult};
use std::rc::Rc;

/// Limit on the methods that an anonymous class implements: if all of them answer, and if only those that are called
/// do.
const MAX_METHODS: usize = 16;
const MAX_CALLED: usize = 200;

impl Subject {
    /// Adds the constructors of an abstract class under test, called by anonymous subclasses.
    pub fn add_anonymous_makers(&mut self, machine: &mut Machine) {
        let mut called = CalledMethods::of_class(machine, self.class);
        self.makers.extend(anonymous_makers(machine, self.class, &self.package, Some(&mut called)));
    }
}

impl Invokable {
    /// A constructor that an anonymous subclass calls. Its own parameters are followed by one parameter for the
    /// result of each abstract method.
    pub fn anonymous(machine: &mut Machine, stub: Rc<Stub>, constructor: MethodId) -> Option<Rc<Invokable>> {
        let class = stub.interface;
        let mut made = Invokable::new(machine, class, constructor)?;
        let own = raw(machine, class);
        let mut results = stub.parameters().to_vec();
        let generic = stub.generic_parameters(machine, &own);
        for (parameter, generic) in results.iter_mut().zip(generic) {
            parameter.generic = generic.filter(is_parameterised);
        }
        made.parameters.extend(results);
        made.stub = Some(stub);
        Some(Rc::new(made))
    }
}

fn raw(machine: &Machine, class: ClassId) -> GenericType {
    GenericType::Class { name: machine.class(class).name.to_string(), arguments: Vec::new() }
}

/// The constructors of an abstract class, called by anonymous subclasses in `package`; those with few parameters first.
/// After subclasses whose methods give one answer come those that call back, and those that answer differently from
/// call to call. Where there are many methods, those that are not `called` do nothing, and in place of a subclass that
/// calls back there is one that returns null.
pub(crate) fn anonymous_makers(
    machine: &mut Machine,
    class: ClassId,
    package: &str,
    mut called: Option<&mut CalledMethods>,
) -> Vec<Rc<Invokable>> {
    if !can_be_extended(machine, class, package) {
        return Vec::new();
    }
    let methods = machine.abstract_methods(class);
    let are_many = methods.len() > MAX_METHODS;
    if methods.len() > if called.is_some() { MAX_CALLED } else { MAX_METHODS }
        || !methods.iter().all(|it| can_be_implemented(machine, *it, package))
        || implementations(machine, class, &methods, package).is_none()
    {
        return Vec::new();
    }
    let results = methods.iter().map(|it| {
        let is_silent = are_many && called.as_mut().is_some_and(|all| !all.has(machine, *it));
        let is_void = machine.method(*it).descriptor.ends_with(")V");
        if is_silent || is_void { StubResult::Nothing } else { StubResult::Field }
    });
    let results: Vec<StubResult> = results.collect();
    let mut ways = vec![results.clone()];
    let own = raw(machine, class);
    let with_results = methods.iter().zip(&results);
    let further: Vec<StubResult> = if are_many {
        let is_reference = |it: &MethodId| machine.method(*it).result == Kind::Reference;
        let null = |(method, result): (&MethodId, &StubResult)| match result {
            StubResult::Field if is_reference(method) => StubResult::Nothing,
            other => *other,
        };
        with_results.map(null).collect()
    } else {
        let call = |(method, result): (&MethodId, &StubResult)| {
            ParameterCall::of(machine, &own, *method).map_or(*result, |it| it.result())
        };
        with_results.map(call).collect()
    };
    if further != results {
        ways.push(further);
    }
    if results.contains(&StubResult::Field) {
        ways.push(in_turn(&results));
    }
    let mut stubs = Vec::new();
    for results in ways {
        let Ok(stub) = Stub::new(machine, class, results) else { return Vec::new() };
        stubs.push(stub);
    }
    let mut found = Vec::new();
    for method in machine.class(class).methods.clone() {
        let loaded = machine.method(method);
        let is_constructor = &*loaded.name == "<init>" && !loaded.access.is_synthetic();
        if is_constructor
            && is_inherited(machine, method, package)
            && has_nameable_types(machine, method, package)
        {
            for (way, stub) in stubs.iter().enumerate() {
                found.extend(Invokable::anonymous(machine, stub.clone(), method).map(|it| (way, it)));
            }
        }
    }
    // The constructor of an inner class takes the outer object in a different position.
    found.retain(|(_, it)| !it.parameters.iter().any(|parameter| parameter.is_outer));
    found.sort_by_key(|(way, it)| (*way, it.parameters.len()));
    found.into_iter().map(|(_, it)| it).collect()
}

/// The descriptors with which an anonymous class in `package` implements abstract methods of a class or interface: the
/// erasures of their types there. `None` if source cannot say that.
pub fn implementations(
    machine: &mut Machine,
    class: ClassId,
    methods: &[MethodId],
    package: &str,
) -> Option<Vec<Box<str>>> {
    let mut found: Vec<Box<str>> = Vec::new();
    let mut heads = Vec::new();
    for method in methods {
        let descriptor = implementation(machine, class, *method)?;
        let (parameters, result) = parse_method_descriptor(&descriptor)?;
        let is_bound = *descriptor != *machine.method(*method).descriptor;
        let named = parameters.iter().chain([&result]).filter_map(JavaType::named_class);
        for name in named.filter(|_| is_bound) {
            let class = machine.load(name).ok()?;
            if !is_nameable(machine, class, package) {
                return None;
            }
        }
        // One method would implement both.
        let head = (machine.method(*method).name.clone(), parameters);
        if heads.contains(&head) {
            return None;
        }
        heads.push(head);
        found.push(descriptor);
    }
    Some(found)
}

fn can_be_extended(machine: &Machine, class: ClassId, package: &str) -> bool {
    let loaded = machine.class(class);
    let is_class = loaded.is_abstract() && !loaded.access.is_interface() && !loaded.access.is_enum();
    let is_sealed = loaded.file.as_ref().is_none_or(|file| !file.permitted_subclasses.is_empty());
    is_class && !is_sealed && is_nameable(machine, class, package)
}

fn can_be_implemented(machine: &mut Machine, method: MethodId, package: &str) -> bool {
    is_inherited(machine, method, package) && has_nameable_types(machine, method, package)
}

/// Whether a subclass in `package` inherits a method or, for a constructor, can call it.
fn is_inherited(machine: &Machine, method: MethodId, package: &str) -> bool {
    let loaded = machine.method(method);
    let is_same = machine.class(loaded.class).package() == package;
    loaded.access.is_public() || loaded.access.is_protected() || (is_same && !loaded.is_private())
}
