//! What instructions do to the operand stack, in slots, for whatever the slots hold.

use crate::body::{Body, array_access};
use cupping_classfile::{Constant, FieldType, MethodDescriptor, Opcode, Operand};

/// How a value of a type is held in slots.
pub fn slots(ty: &FieldType) -> usize {
    usize::from(ty.slots())
}

/// The parameters of a descriptor in slots, without the receiver, and the result's.
pub fn call_slots(descriptor: &str) -> Option<(usize, usize)> {
    let parsed = MethodDescriptor::parse(descriptor)?;
    let arguments = parsed.parameters.iter().map(slots).sum();
    Some((arguments, parsed.result.as_ref().map_or(0, slots)))
}

/// Does what `dup`, `swap`, `pop` and their like do. `None` where it is no such instruction, or the stack is too low.
pub fn shuffle<T: Clone>(opcode: Opcode, stack: &mut Vec<T>) -> Option<()> {
    use Opcode::*;
    let (take, order): (usize, &[usize]) = match opcode {
        Pop => (1, &[]),
        Pop2 => (2, &[]),
        Dup => (1, &[0, 0]),
        DupX1 => (2, &[1, 0, 1]),
        DupX2 => (3, &[2, 0, 1, 2]),
        Dup2 => (2, &[0, 1, 0, 1]),
        Dup2X1 => (3, &[1, 2, 0, 1, 2]),
        Dup2X2 => (4, &[2, 3, 0, 1, 2, 3]),
        Swap => (2, &[1, 0]),
        _ => return None,
    };
    let at = stack.len().checked_sub(take)?;
    let taken = stack.split_off(at);
    stack.extend(order.iter().map(|n| taken[*n].clone()));
    Some(())
}

/// The slots that an instruction pops and pushes, for all but shuffles.
pub fn effect(body: &Body, at: usize) -> Option<(usize, usize)> {
    use Opcode::*;
    let instruction = &body.instructions[at];
    let code = instruction.opcode as u8;
    if let Some((is_store, slots)) = array_access(instruction.opcode) {
        return Some(if is_store { (2 + slots, 0) } else { (2, slots) });
    }
    let wide = |family: u8| usize::from(matches!(family, 1 | 3)) + 1;
    Some(match instruction.opcode {
        Nop | Iinc | Goto | GotoW | Ret | Wide | Return => (0, 0),
        Lconst0 | Lconst1 | Dconst0 | Dconst1 | Ldc2W => (0, 2),
        _ if (0x01..=0x14).contains(&code) => (0, 1),
        _ if (0x15..=0x19).contains(&code) => (0, wide(code - 0x15)),
        _ if (0x1a..=0x2d).contains(&code) => (0, wide((code - 0x1a) / 4)),
        _ if (0x36..=0x3a).contains(&code) => (wide(code - 0x36), 0),
        _ if (0x3b..=0x4e).contains(&code) => (wide((code - 0x3b) / 4), 0),
        Lshl | Lshr | Lushr => (3, 2),
        Ishl | Ishr | Iushr => (2, 1),
        // Sums to remainders by type, negations, and bitwise operations.
        _ if (0x60..=0x73).contains(&code) => (2 * wide((code - 0x60) % 4), wide((code - 0x60) % 4)),
        _ if (0x74..=0x77).contains(&code) => (wide(code - 0x74), wide(code - 0x74)),
        Iand | Ior | Ixor => (2, 1),
        Land | Lor | Lxor => (4, 2),
        I2l | I2d | F2l | F2d => (1, 2),
        L2i | L2f | D2i | D2f => (2, 1),
        L2d | D2l => (2, 2),
        I2f | F2i | I2b | I2c | I2s => (1, 1),
        Lcmp | Dcmpl | Dcmpg => (4, 1),
        Fcmpl | Fcmpg => (2, 1),
        Ifeq | Ifne | Iflt | Ifge | Ifgt | Ifle | Ifnull | Ifnonnull | Tableswitch | Lookupswitch
        | Monitorenter | Monitorexit | Athrow | Ireturn | Freturn | Areturn => (1, 0),
        Lreturn | Dreturn => (2, 0),
        IfIcmpeq | IfIcmpne | IfIcmplt | IfIcmpge | IfIcmpgt | IfIcmple | IfAcmpeq | IfAcmpne => (2, 0),
        Jsr | JsrW | New => (0, 1),
        Newarray | Anewarray | Arraylength | Checkcast | Instanceof => (1, 1),
        Multianewarray => match instruction.operand {
            Operand::MultiArray { dimensions, .. } => (usize::from(dimensions), 1),
            _ => return None,
        },
        Getstatic | Putstatic | Getfield | Putfield => {
            let Constant::Field { descriptor, .. } = body.constant(at)? else { return None };
            let value = slots(&FieldType::parse(&descriptor)?);
            match instruction.opcode {
                Getstatic => (0, value),
                Putstatic => (value, 0),
                Getfield => (1, value),
                _ => (1 + value, 0),
            }
        }
        Invokevirtual | Invokespecial | Invokestatic | Invokeinterface | Invokedynamic => {
            let (descriptor, receiver) = match body.constant(at)? {
                Constant::Method { descriptor, .. } => (descriptor, instruction.opcode != Invokestatic),
                Constant::InvokeDynamic { descriptor, .. } => (descriptor, false),
                _ => return None,
            };
            let (arguments, result) = call_slots(&descriptor)?;
            (arguments + usize::from(receiver), result)
        }
        _ => return None,
    })
}
