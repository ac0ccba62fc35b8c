//! Objects of reflection: methods, fields and constructors of well-known JDK classes.

use super::Provision;
use super::library::invokable;
use crate::input::Input;
use cupping_machine::{ClassId, Machine};

/// The provisions of a reflection class, with members of different kinds.
pub(super) fn reflected(machine: &mut Machine, class: ClassId) -> Vec<Provision> {
    match &*machine.class(class).name.clone() {
        "java/lang/reflect/Method" => {
            let members = [
                ("java/lang/String", "length", None),
                ("java/util/List", "get", Some("int")),
                ("java/lang/Object", "notify", None),
                ("java/util/List", "size", None),
            ];
            let of = "(Ljava/lang/String;[Ljava/lang/Class;)Ljava/lang/reflect/Method;";
            let method = |(class, name, parameter): (_, _, Option<&str>)| {
                found(machine, "getMethod", of, class, Some(name), Some(parameter.as_slice()))
            };
            members.into_iter().filter_map(method).collect()
        }
        "java/lang/reflect/Field" => {
            let of = "(Ljava/lang/String;)Ljava/lang/reflect/Field;";
            let members = [("java/lang/Integer", "MAX_VALUE"), ("java/lang/Boolean", "TRUE")];
            let field = |(class, name)| found(machine, "getField", of, class, Some(name), None);
            members.into_iter().filter_map(field).collect()
        }
        "java/lang/reflect/Constructor" => {
            let of = "([Ljava/lang/Class;)Ljava/lang/reflect/Constructor;";
            let parameters: [&[&str]; 2] = [&[], &["java/lang/String"]];
            let constructor = |parameters| {
                found(machine, "getConstructor", of, "java/lang/RuntimeException", None, Some(parameters))
            };
            parameters.into_iter().filter_map(constructor).collect()
        }
        "java/lang/reflect/Type"
        | "java/lang/reflect/AnnotatedElement"
        | "java/lang/reflect/GenericDeclaration" => {
            let classes = ["java/lang/String", "java/util/List", "int"];
            let literal = |name: &&str| Some(literal(machine.load(name).ok()?));
            classes.iter().filter_map(literal).collect()
        }
        _ => Vec::new(),
    }
}

fn literal(class: ClassId) -> Provision {
    Provision::Input(Input::ClassLiteral(class))
}

/// A member that a method of `Class` returns for a name and parameter types.
fn found(
    machine: &mut Machine,
    method: &str,
    descriptor: &str,
    class: &str,
    name: Option<&str>,
    parameters: Option<&[&str]>,
) -> Option<Provision> {
    let classes = machine.load("java/lang/Class").ok()?;
    let finder = invokable(machine, classes, method, descriptor)?;
    let mut parts = vec![literal(machine.load(class).ok()?)];
    parts.extend(name.map(|name| Provision::Input(Input::Text(name.encode_utf16().collect()))));
    if let Some(parameters) = parameters {
        let of = parameters.iter().map(|it| Some(literal(machine.load(it).ok()?))).collect::<Option<_>>()?;
        parts.push(Provision::Elements(classes, of));
    }
    Some(Provision::MakeOf(finder, parts))
}
