//! Implementations of interfaces as arguments.

use crate::implementation::Implementation;
use crate::runner::{CallFailure, literal_value};
use cupping_case::{JavaType, Literal, Operand};
use cupping_generate::{Stub, plain_stub};
use cupping_machine::{Addr, ClassId, Machine};

/// Implementations of an interface whose methods return different values, as far as there are any. They exist in
/// this state of the machine and in those that follow from it.
pub(super) fn implementations(
    machine: &mut Machine,
    interface: ClassId,
    package: &str,
) -> Vec<Implementation> {
    let Some(stub) = plain_stub(machine, interface, package) else { return Vec::new() };
    let types: Vec<JavaType> = stub.parameters().iter().map(|it| it.ty.clone()).collect();
    let mut all: Vec<Implementation> = Vec::new();
    for choice in 0..2 {
        let results: Vec<Literal> = types.iter().map(|it| result(it, choice)).collect();
        let operands: Vec<Operand> = results.iter().cloned().map(Operand::Literal).collect();
        let action = stub.write_down(machine, None, Vec::new(), &operands);
        if all.iter().any(|it| it.action().0 == action) {
            continue;
        }
        if let Ok(object) = make(machine, &stub, &results) {
            all.push(Implementation::new(object, action));
        }
    }
    all
}

fn make(machine: &mut Machine, stub: &Stub, results: &[Literal]) -> Result<Addr, CallFailure> {
    let results = results.iter().map(|it| literal_value(machine, it)).collect::<Result<Vec<_>, _>>()?;
    stub.make(machine, &results).map_err(|trap| CallFailure(machine.describe_trap(&trap)))
}

/// What a method of this type returns.
fn result(ty: &JavaType, choice: i32) -> Literal {
    let text = |it: &str| Literal::String(it.encode_utf16().collect());
    match ty {
        JavaType::Boolean => Literal::Boolean(choice == 0),
        JavaType::Byte => Literal::Byte(1 - choice as i8),
        JavaType::Short => Literal::Short(1 - choice as i16),
        JavaType::Char => Literal::Char(97 + choice as u16),
        JavaType::Int => Literal::Int(1 - choice * 2),
        JavaType::Long => Literal::Long(1 - i64::from(choice) * 2),
        JavaType::Float => Literal::Float(1.0 - choice as f32),
        JavaType::Double => Literal::Double(1.0 - f64::from(choice)),
        JavaType::Class(name) if choice == 0 => match &**name {
            "java/lang/String" | "java/lang/CharSequence" => text("a"),
            "java/lang/Object" | "java/lang/Integer" | "java/lang/Number" | "java/lang/Comparable" => {
                Literal::Boxed(Box::new(Literal::Int(1)))
            }
            "java/lang/Boolean" => Literal::Boxed(Box::new(Literal::Boolean(true))),
            _ => Literal::Null,
        },
        _ => Literal::Null,
    }
}
