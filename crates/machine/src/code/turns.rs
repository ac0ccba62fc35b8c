//! The places at which a turn may end under [`Schedule::Races`](crate::Schedule::Races): those marked by
//! [`Op::Turn`](super::Op::Turn).

use cupping_classfile::{Action, ClassFile, Constant, Instruction, Invocation, StackType};

/// A write; without it, a read.
pub(crate) const WRITES: u16 = 1;
/// The access is to a static field.
pub(crate) const STATIC: u16 = 2;
/// The access is made by code of the class library.
pub(crate) const LIBRARY: u16 = 8;
/// A new object is on top of the operand stack.
pub(crate) const MADE: u16 = 4;

/// The operands of the mark before an instruction: the kind of access, and the depth of the object or array
/// below the top of the operand stack.
pub(super) fn mark_before(
    instruction: &Instruction,
    file: &ClassFile,
    in_library: bool,
) -> Option<(u16, i32)> {
    let (how, depth) = access(instruction, file, in_library)?;
    Some((if in_library { how | LIBRARY } else { how }, depth))
}

fn access(instruction: &Instruction, file: &ClassFile, in_library: bool) -> Option<(u16, i32)> {
    let slots_of_field = || match instruction.constant(file) {
        Some(Constant::Field { descriptor, .. }) => {
            StackType::of_descriptor(&descriptor).map(StackType::slots)
        }
        _ => None,
    };
    Some(match instruction.action() {
        Action::GetStatic => (STATIC, 0),
        Action::PutStatic => (STATIC | WRITES, 0),
        Action::GetField => (0, 1),
        Action::PutField => (WRITES, i32::from(slots_of_field()?) + 1),
        Action::ArrayLoad(_) => (0, 2),
        Action::ArrayStore(element) => (WRITES, i32::from(element.stack_type().slots()) + 2),
        Action::Invoke(Invocation::Virtual | Invocation::Interface) => {
            return of_call(instruction, file, in_library);
        }
        _ => return None,
    })
}

/// Calls that access a variable. For access methods of the JDK, the object is the first argument, or else the
/// handle. For calls by the program, the object is the receiver. Objects of `java.lang` rarely change and are
/// excluded.
fn of_call(instruction: &Instruction, file: &ClassFile, in_library: bool) -> Option<(u16, i32)> {
    let Some(Constant::Method { class, name, descriptor, .. }) = instruction.constant(file) else {
        return None;
    };
    let (pops, _) = instruction.slots(file)?;
    if !matches!(&*class, "jdk/internal/misc/Unsafe" | "java/lang/invoke/VarHandle") {
        let is_access = !in_library && !class.starts_with("java/lang/") && !class.starts_with('[');
        return is_access.then_some((WRITES, i32::from(pops)));
    }
    let of_unsafe = &*class == "jdk/internal/misc/Unsafe";
    let writes =
        ["set", "put", "compareAnd", "weakCompareAnd", "getAnd"].iter().any(|it| name.starts_with(it));
    let reads = matches!(&*name, "get" | "getVolatile" | "getAcquire" | "getOpaque")
        || of_unsafe && name.starts_with("get");
    if !reads && !writes {
        return None;
    }
    let has_object = descriptor.starts_with("(L") || descriptor.starts_with("([");
    Some((if writes { WRITES } else { 0 }, i32::from(pops) - i32::from(has_object)))
}

/// Whether an instruction leaves a new object on the operand stack.
pub(super) fn makes_object(instruction: &Instruction) -> bool {
    matches!(instruction.action(), Action::New | Action::NewArray | Action::NewMultiArray)
}
