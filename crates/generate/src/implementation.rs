//! The types with which source implements inherited methods.

use crate::generics::{class_signature, parameters_on, result_type, signature_of};
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, Machine, MethodId};

/// The descriptor with which an anonymous class implements a method of a class or interface.
pub fn implementation(machine: &mut Machine, class: ClassId, method: MethodId) -> Option<Box<str>> {
    let erased = machine.method(method).descriptor.clone();
    if is_erased(machine, class, method) {
        return Some(Box::from(&*erased));
    }
    let name = machine.class(class).name.to_string();
    let own = GenericType::Class { name, arguments: Vec::new() };
    let signature = signature_of(machine, method)?;
    if !signature.type_parameters.is_empty() {
        return None;
    }
    let parameters = parameters_on(machine, &own, method)?;
    let result = result_type(machine, &own, method)?;
    let types: Option<Vec<String>> = parameters.iter().chain([&result]).map(bound_descriptor).collect();
    let (result, parameters) = types?.split_last().map(|(result, all)| (result.clone(), all.concat()))?;
    Some(format!("({parameters}){result}").into())
}

/// Whether a type is an interface with one abstract method. Annotations are not functional (JLS §9.8).
pub fn is_functional(machine: &Machine, class: ClassId) -> bool {
    let access = machine.class(class).access;
    access.is_interface() && !access.is_annotation() && machine.abstract_methods(class).len() == 1
}

/// The descriptor of a type without type variables.
fn bound_descriptor(ty: &GenericType) -> Option<String> {
    match ty {
        GenericType::Class { name, .. } => Some(format!("L{name};")),
        GenericType::Array(element) => Some(format!("[{}", bound_descriptor(element)?)),
        GenericType::Primitive(letter) => Some(letter.to_string()),
        GenericType::Variable(_) | GenericType::Wildcard(_) => None,
    }
}

/// Whether the erased type of an inherited method suffices to implement it. An anonymous class extends the raw
/// type, so all type variables are erased. Erasure is not enough if the class has no type parameters but binds
/// those of its supertype: then the method to implement has the bound types.
fn is_erased(machine: &Machine, class: ClassId, method: MethodId) -> bool {
    let declaring = machine.method(method).class;
    let is_generic = |class| class_signature(machine, class).is_some_and(|it| !it.type_parameters.is_empty());
    let file = machine.class(declaring).file.as_ref();
    let declared = file.and_then(|file| file.methods.get(machine.method(method).index));
    let has_signature = declared.is_some_and(|it| it.signature.is_some());
    declaring == class || is_generic(class) || !is_generic(declaring) || !has_signature
}
