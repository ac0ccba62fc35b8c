//! Generic types as a test can know them: what a well-typed caller would pass. Type variables are replaced by
//! their bounds.

use cupping_classfile::{ClassSignature, GenericType, MethodSignature, TypeParameter};
use cupping_machine::{ClassId, Machine, MethodId};
use std::collections::BTreeMap;

/// The bindings of type variables.
pub type Bindings = BTreeMap<String, GenericType>;

/// The types of a method's parameters, if its class file has a signature that covers them. `of_class` binds
/// the type variables of its class.
pub fn parameter_types(machine: &Machine, method: MethodId, of_class: &Bindings) -> Option<Vec<GenericType>> {
    let signature = signature_of(machine, method)?;
    let mut bindings = of_class.clone();
    bind_bounds(&mut bindings, &signature.type_parameters);
    Some(signature.parameters.iter().map(|ty| resolve(ty, &bindings)).collect())
}

/// The parameter types of a static factory whose result must have this type: for an `Optional<Long>`,
/// `Optional.of` takes a `Long`.
pub fn parameter_types_for(
    machine: &Machine,
    factory: MethodId,
    wanted: &GenericType,
) -> Option<Vec<GenericType>> {
    let signature = signature_of(machine, factory)?;
    let mut bindings = Bindings::new();
    bind_bounds(&mut bindings, &signature.type_parameters);
    unify(&signature.result, wanted, &mut bindings);
    Some(signature.parameters.iter().map(|ty| resolve(ty, &bindings)).collect())
}

/// Binds the type variables of a type to the corresponding parts of another type of the same class.
fn unify(ty: &GenericType, with: &GenericType, bindings: &mut Bindings) {
    match (ty, with) {
        (GenericType::Variable(name), _) => {
            bindings.insert(name.clone(), with.clone());
        }
        (GenericType::Array(one), GenericType::Array(other)) => unify(one, other, bindings),
        (GenericType::Class { name, arguments }, GenericType::Class { name: other, arguments: others })
            if name == other && arguments.len() == others.len() =>
        {
            arguments.iter().zip(others).for_each(|(one, other)| unify(one, other, bindings));
        }
        _ => {}
    }
}

/// The result type of a method called on an object of this type.
pub fn result_type(machine: &mut Machine, receiver: &GenericType, method: MethodId) -> Option<GenericType> {
    let signature = signature_of(machine, method)?;
    let owner = machine.class(machine.method(method).class).name.clone();
    let view = as_supertype(machine, receiver, &owner, 0)?;
    let mut bindings = bindings_of(machine, &view);
    bind_bounds(&mut bindings, &signature.type_parameters);
    Some(resolve(&signature.result, &bindings))
}

/// The parameter types of a method called on an object of this type.
pub fn parameters_on(
    machine: &mut Machine,
    receiver: &GenericType,
    method: MethodId,
) -> Option<Vec<GenericType>> {
    let owner = machine.class(machine.method(method).class).name.clone();
    let view = as_supertype(machine, receiver, &owner, 0)?;
    let bindings = bindings_of(machine, &view);
    parameter_types(machine, method, &bindings)
}

/// The result type that a method declares, with bounds in place of type variables.
pub fn declared_result(machine: &Machine, method: MethodId) -> Option<GenericType> {
    let signature = signature_of(machine, method)?;
    let mut bindings = bounds_of(machine, machine.method(method).class);
    bind_bounds(&mut bindings, &signature.type_parameters);
    Some(resolve(&signature.result, &bindings))
}

/// The exceptions that a method declares.
pub fn declared_exceptions(machine: &mut Machine, method: MethodId) -> Vec<ClassId> {
    let loaded = machine.method(method);
    let file = machine.class(loaded.class).file.clone();
    let declared = file.as_ref().and_then(|file| file.methods.get(loaded.index));
    let names = declared.map(|it| it.exceptions.clone()).unwrap_or_default();
    names.iter().filter_map(|name| machine.load(name).ok()).collect()
}

/// The bindings of a class's type parameters in a type of it: the arguments, or the bounds for a raw type and for `?`.
pub fn bindings_of(machine: &mut Machine, ty: &GenericType) -> Bindings {
    let mut bindings = Bindings::new();
    let GenericType::Class { name, arguments } = ty else { return bindings };
    let Ok(class) = machine.load(name) else { return bindings };
    let Some(signature) = class_signature(machine, class) else { return bindings };
    bind_bounds(&mut bindings, &signature.type_parameters);
    if signature.type_parameters.len() == arguments.len() {
        let named = signature.type_parameters.into_iter().map(|p| p.name).zip(arguments);
        // `?` is anything within the bound of the parameter.
        bindings.extend(
            named.filter(|(_, it)| **it != GenericType::Wildcard(None)).map(|(p, it)| (p, it.clone())),
        );
    }
    bindings
}

/// The default bindings of a class's type parameters: their bounds.
pub fn bounds_of(machine: &Machine, class: ClassId) -> Bindings {
    let mut bindings = Bindings::new();
    if let Some(signature) = class_signature(machine, class) {
        bind_bounds(&mut bindings, &signature.type_parameters);
    }
    bindings
}

/// The bindings of a superclass's or interface's type parameters in a class: in `class Name extends Setting<String>`,
/// the `T` of `Setting<T>` is `String`. The type parameters of the class itself stand for their bounds.
pub fn bindings_above(machine: &Machine, class: ClassId, above: ClassId) -> Bindings {
    bindings_on_the_way(machine, class, above, bounds_of(machine, class), 0)
        .unwrap_or_else(|| bounds_of(machine, above))
}

fn bindings_on_the_way(
    machine: &Machine,
    class: ClassId,
    above: ClassId,
    bindings: Bindings,
    depth: u32,
) -> Option<Bindings> {
    if class == above {
        return Some(bindings);
    }
    let signature = class_signature(machine, class);
    let types = signature.map(|it| it.supertypes).unwrap_or_default();
    let loaded = machine.class(class);
    let supertypes = loaded.super_class.iter().chain(loaded.interfaces.iter()).copied();
    supertypes.filter(|_| depth < MAX_DEPTH).find_map(|next| {
        let name = &*machine.class(next).name;
        let mut found = bounds_of(machine, next);
        let arguments = types.iter().find_map(|ty| match ty {
            GenericType::Class { name: it, arguments } if it == name => Some(arguments.as_slice()),
            _ => None,
        });
        if let (Some(arguments), Some(declared)) = (arguments, class_signature(machine, next))
            && arguments.len() == declared.type_parameters.len()
        {
            let named = declared.type_parameters.into_iter().map(|it| it.name).zip(arguments);
            found.extend(named.map(|(name, it)| (name, resolve(it, &bindings))));
        }
        bindings_on_the_way(machine, next, above, found, depth + 1)
    })
}

/// The type as one of its supertypes: `ArrayList<String>` as `Collection` is `Collection<String>`.
pub fn as_supertype(
    machine: &mut Machine,
    ty: &GenericType,
    wanted: &str,
    depth: u32,
) -> Option<GenericType> {
    let GenericType::Class { name, .. } = ty else { return None };
    if name == wanted {
        return Some(ty.clone());
    }
    if depth > MAX_DEPTH {
        return None;
    }
    let class = machine.load(name).ok()?;
    let bindings = bindings_of(machine, ty);
    let supertypes = class_signature(machine, class).map_or_else(
        || plain_supertypes(machine, class),
        |signature| signature.supertypes.iter().map(|ty| resolve(ty, &bindings)).collect(),
    );
    supertypes.iter().find_map(|above| as_supertype(machine, above, wanted, depth + 1))
}

/// Internal name or descriptor of the erasure, as [`Machine::load`] takes it; `None` for primitives.
pub fn erased(ty: &GenericType) -> Option<String> {
    match ty {
        GenericType::Class { name, .. } => Some(name.clone()),
        GenericType::Array(_) => Some(descriptor(ty)),
        GenericType::Variable(_) | GenericType::Wildcard(_) => Some(OBJECT.to_owned()),
        GenericType::Primitive(_) => None,
    }
}

/// Whether the type says more than its erasure.
pub fn is_parameterised(ty: &GenericType) -> bool {
    match ty {
        GenericType::Class { arguments, .. } => !arguments.is_empty(),
        GenericType::Array(element) => is_parameterised(element),
        _ => false,
    }
}

const OBJECT: &str = "java/lang/Object";
const MAX_DEPTH: u32 = 24;

/// The descriptor of the erasure; that of `Object` for type variables and wildcards.
pub fn descriptor(ty: &GenericType) -> String {
    match ty {
        GenericType::Primitive(letter) => letter.to_string(),
        GenericType::Array(element) => format!("[{}", descriptor(element)),
        GenericType::Class { name, .. } => format!("L{name};"),
        GenericType::Variable(_) | GenericType::Wildcard(_) => format!("L{OBJECT};"),
    }
}

fn object() -> GenericType {
    GenericType::Class { name: OBJECT.to_owned(), arguments: Vec::new() }
}

/// Binds type parameters to their first bound; within the bound itself they stand for `Object`.
fn bind_bounds(bindings: &mut Bindings, parameters: &[TypeParameter]) {
    let mut plain = bindings.clone();
    plain.extend(parameters.iter().map(|p| (p.name.clone(), object())));
    for parameter in parameters {
        let bound = parameter.bounds.first().map_or_else(object, |bound| resolve(bound, &plain));
        bindings.insert(parameter.name.clone(), bound);
    }
}

/// Substitutes type variables; wildcards become their bounds.
fn resolve(ty: &GenericType, bindings: &Bindings) -> GenericType {
    match ty {
        GenericType::Primitive(_) => ty.clone(),
        GenericType::Variable(name) => bindings.get(name).cloned().unwrap_or_else(object),
        GenericType::Wildcard(bound) => bound.as_ref().map_or_else(object, |bound| resolve(bound, bindings)),
        GenericType::Array(element) => GenericType::Array(Box::new(resolve(element, bindings))),
        GenericType::Class { name, arguments } => GenericType::Class {
            name: name.clone(),
            arguments: arguments.iter().map(|argument| resolve(argument, bindings)).collect(),
        },
    }
}

/// The internal names of classes that javac has to read to check the arguments of a call: those that have type
/// arguments themselves, such as `Cell` in `List<Cell<String>>`, but not the `Coin` of a `List<Coin>`.
pub fn classes_with_arguments(machine: &Machine, method: MethodId) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(signature) = generic_signature_of(machine, method) {
        let types = signature.parameters.iter().chain([&signature.result]);
        for ty in types {
            ty.visit_classes(&mut |name, has_arguments| found.extend(has_arguments.then(|| name.to_owned())));
        }
    }
    found
}

/// The internal names of the classes that bound the type parameters of a method.
pub fn classes_of_bounds(machine: &Machine, method: MethodId) -> Vec<String> {
    let signature = generic_signature_of(machine, method);
    let parameters = signature.into_iter().flat_map(|it| it.type_parameters);
    parameters.flat_map(|it| it.bounds).filter_map(|it| erased(&it)).collect()
}

/// The signature that the class file declares; `None` if its descriptor says all.
fn generic_signature_of(machine: &Machine, method: MethodId) -> Option<MethodSignature> {
    let loaded = machine.method(method);
    let declared = machine.class(loaded.class).file.as_ref()?.methods.get(loaded.index)?;
    MethodSignature::parse(declared.signature.as_deref()?)
}

pub fn signature_of(machine: &Machine, method: MethodId) -> Option<MethodSignature> {
    let loaded = machine.method(method);
    let declared = machine.class(loaded.class).file.as_ref()?.methods.get(loaded.index)?;
    MethodSignature::parse(declared.signature.as_deref().unwrap_or(&loaded.descriptor))
}

/// The generic signature of a class, if it has one.
pub fn class_signature(machine: &Machine, class: ClassId) -> Option<ClassSignature> {
    ClassSignature::parse(machine.class(class).file.as_ref()?.signature.as_deref()?)
}

fn plain_supertypes(machine: &Machine, class: ClassId) -> Vec<GenericType> {
    let class = machine.class(class);
    let above = class.super_class.iter().chain(class.interfaces.iter());
    let named = above.map(|id| machine.class(*id).name.to_string());
    named.map(|name| GenericType::Class { name, arguments: Vec::new() }).collect()
}

#[cfg(test)]
mod tests;
