//! Objects that stand in for implementations of interfaces: lambda expressions, or anonymous classes where there is
//! more than one method.

use super::expressions::{Expression, Writer};
use cupping_case::{JavaType, StubMethod, StubResult, VarId, parse_method_descriptor};

/// The expression for a stub.
pub fn implement(
    writer: &Writer<'_>,
    interface: &str,
    methods: &[StubMethod],
    is_functional: bool,
    env: &dyn Fn(VarId) -> Expression,
) -> Expression {
    let text = match methods {
        [method] if is_functional => lambda(writer, method, env),
        _ => anonymous_class(writer, interface, methods, env),
    };
    Expression { text, ty: Some(JavaType::class(interface)), primary: false }
}

fn lambda(writer: &Writer<'_>, method: &StubMethod, env: &dyn Fn(VarId) -> Expression) -> String {
    let (parameters, _) = parse_method_descriptor(&method.descriptor).unwrap_or((Vec::new(), JavaType::Void));
    let names: Vec<String> = (0..parameters.len()).map(parameter_name).collect();
    let list = match names.as_slice() {
        [one] => one.clone(),
        more => format!("({})", more.join(", ")),
    };
    match result(writer, method, env) {
        Some(value) => format!("{list} -> {value}"),
        None => format!("{list} -> {{ }}"),
    }
}

fn anonymous_class(
    writer: &Writer<'_>,
    interface: &str,
    methods: &[StubMethod],
    env: &dyn Fn(VarId) -> Expression,
) -> String {
    let mut text = format!("new {}() {{\n", writer.names.class(interface));
    for method in methods {
        let Some((parameters, returned)) = parse_method_descriptor(&method.descriptor) else { continue };
        let list: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(at, ty)| format!("{} {}", writer.names.ty(ty), parameter_name(at)))
            .collect();
        let body = match result(writer, method, env) {
            Some(value) => format!("{{ return {value}; }}"),
            None => "{ }".into(),
        };
        let (returned, name, list) = (writer.names.ty(&returned), &method.name, list.join(", "));
        text += &format!("    @Override public {returned} {name}({list}) {body}\n");
    }
    text + "}"
}

/// What a method returns; `None` where it is void.
fn result(writer: &Writer<'_>, method: &StubMethod, env: &dyn Fn(VarId) -> Expression) -> Option<String> {
    match &method.result {
        StubResult::Nothing => None,
        StubResult::Parameter(at) => Some(parameter_name(*at)),
        StubResult::Value(operand) => {
            let (_, returned) = parse_method_descriptor(&method.descriptor)?;
            Some(writer.fit_assigned(operand, env, &returned))
        }
    }
}

/// A name that no variable of a test has, but one of a class named so: theirs are longer.
fn parameter_name(at: usize) -> String {
    ["x", "y", "z"].get(at).map_or_else(|| format!("p{at}"), |name| (*name).to_owned())
}
