//! Which way branches go after constants have been stored: what variables, locals and operands certainly
//! hold.
//!
//! Where a path goes through `paid = 0`, a test of `paid != 0` behind it has one side only. Nothing is known
//! at first but what the instructions on the way say, and where ways meet that say different things nothing
//! is.

use super::{ClassGraph, ProgramPoint};
use crate::body::{Body, local, stores_local};
use crate::flattened_class::FlatClass;
use crate::origin::Origin;
use crate::shuffle::{effect, shuffle};
use cupping_classfile::{Constant, Opcode, Operand};
use cupping_machine::Kind;

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    #[default]
    Anything,
    /// It is this number.
    Int(i32),
    /// It is `null`.
    Null,
    /// It is a reference to something.
    Object,
}

/// What is known before an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Of variables.
    pub fields: Vec<Known>,
    /// Of local variables.
    pub locals: Vec<Known>,
    /// Of operands, the top last.
    pub stack: Vec<Known>,
}

impl Values {
    /// What is known before an instruction that is reached with these variables from another method.
    pub fn at(graph: &ClassGraph, place: ProgramPoint, fields: Vec<Known>) -> Values {
        let (locals, stack) = graph.shape(place);
        Values { fields, locals: vec![Known::Anything; locals], stack: vec![Known::Anything; stack] }
    }

    /// Leaves what holds of both; whether that is less than before.
    pub fn join(&mut self, other: &Values) -> bool {
        if self.stack.len() != other.stack.len() || self.locals.len() != other.locals.len() {
            // Subroutines: nothing is known of the operands.
            let before = self.clone();
            self.locals.fill(Known::Anything);
            self.stack.fill(Known::Anything);
            return join(&mut self.fields, &other.fields) || *self != before;
        }
        let fields = join(&mut self.fields, &other.fields);
        let locals = join(&mut self.locals, &other.locals);
        join(&mut self.stack, &other.stack) || locals || fields
    }
}

/// Leaves in the first list what both say; whether that is less than before.
pub fn join(known: &mut [Known], other: &[Known]) -> bool {
    let mut changed = false;
    for (known, other) in known.iter_mut().zip(other) {
        if known != other && *known != Known::Anything {
            *known = Known::Anything;
            changed = true;
        }
    }
    changed
}

/// What holds behind an instruction that calls nothing of the class, and where it goes on. `None` where the
/// operands are not what they should be: subroutines of old compilers.
pub fn step(
    flat: &FlatClass,
    graph: &ClassGraph,
    (method, at): ProgramPoint,
    mut now: Values,
) -> Option<(Values, Vec<usize>)> {
    let body = &*flat.methods[method];
    let instruction = &body.instructions[at];
    let opcode = instruction.opcode;
    let all = || body.targets[at].clone();
    if shuffle(opcode, &mut now.stack).is_some() {
        return Some((now, all()));
    }
    if matches!(opcode, Opcode::Checkcast | Opcode::Nop) {
        return Some((now, all()));
    }
    if let Operand::LocalIncrement { local, by } = instruction.operand {
        let value = now.locals.get_mut(usize::from(local))?;
        *value = match *value {
            Known::Int(number) => Known::Int(number.wrapping_add(i32::from(by))),
            _ => Known::Anything,
        };
        return Some((now, all()));
    }
    let (pops, pushes) = effect(body, at)?;
    let taken = now.stack.split_off(now.stack.len().checked_sub(pops)?);
    if let (Some(number), true) = (local(instruction), stores_local(opcode)) {
        let first = usize::from(number);
        let value = if pops == 1 { taken[0] } else { Known::Anything };
        for slot in 0..pops {
            *now.locals.get_mut(first + slot)? = if slot == 0 { value } else { Known::Anything };
        }
        return Some((now, all()));
    }
    let targets = match way(body, at, &taken) {
        Some(target) => vec![target],
        None => all(),
    };
    let pushed = match opcode {
        Opcode::Getfield | Opcode::Getstatic => {
            let variable = graph.variable((method, at)).filter(|_| is_own(graph, (method, at), opcode));
            variable.map_or(Known::Anything, |variable| now.fields[variable])
        }
        Opcode::Putfield | Opcode::Putstatic => {
            if let Some(variable) = graph.variable((method, at)) {
                let value = narrow(flat.variables[variable].kind, taken.last().copied().unwrap_or_default());
                let old = now.fields[variable];
                // It may be the same object all the same.
                let certain = is_own(graph, (method, at), opcode) || old == value;
                let tracked = certain && !flat.defined_by_nested.contains(&variable);
                now.fields[variable] = if tracked { value } else { Known::Anything };
            }
            Known::Anything
        }
        _ => constant(body, at, &now),
    };
    for nth in 0..pushes {
        now.stack.push(if nth == 0 && pushes == 1 { pushed } else { Known::Anything });
    }
    Some((now, targets))
}

/// Whether an access to a field is one to that of the object under test, or a static one.
fn is_own(graph: &ClassGraph, place: ProgramPoint, opcode: Opcode) -> bool {
    let depth = match opcode {
        Opcode::Getstatic | Opcode::Putstatic => return true,
        Opcode::Getfield => 1,
        _ => graph.pops(place),
    };
    graph.operand(place, depth) == Some(Origin::This)
}

/// What a load or a constant puts on the stack.
fn constant(body: &Body, at: usize, now: &Values) -> Known {
    let instruction = &body.instructions[at];
    let code = instruction.opcode as u8;
    match instruction.opcode {
        Opcode::AconstNull => Known::Null,
        _ if (0x02..=0x08).contains(&code) => Known::Int(i32::from(code) - 3),
        Opcode::Bipush | Opcode::Sipush => match instruction.operand {
            Operand::Immediate(value) => Known::Int(i32::from(value)),
            _ => Known::Anything,
        },
        Opcode::Ldc | Opcode::LdcW => match body.constant(at) {
            Some(Constant::Integer(value)) => Known::Int(value),
            Some(Constant::String(_) | Constant::Class(_)) => Known::Object,
            _ => Known::Anything,
        },
        Opcode::New | Opcode::Newarray | Opcode::Anewarray | Opcode::Multianewarray => Known::Object,
        _ => match local(instruction) {
            Some(number) => now.locals.get(usize::from(number)).copied().unwrap_or_default(),
            None => Known::Anything,
        },
    }
}

/// The only way on from a branch, if what it compares is known.
fn way(body: &Body, at: usize, taken: &[Known]) -> Option<usize> {
    use Opcode::*;
    let instruction = &body.instructions[at];
    let past = *body.targets[at].first()?;
    if let (Operand::TableSwitch { .. } | Operand::LookupSwitch { .. }, [Known::Int(value)]) =
        (&instruction.operand, taken)
    {
        let target = match &instruction.operand {
            Operand::TableSwitch { low, targets, .. } => {
                usize::try_from(i64::from(*value) - i64::from(*low)).ok().and_then(|nth| targets.get(nth))
            }
            Operand::LookupSwitch { pairs, .. } => pairs.iter().find(|(n, _)| n == value).map(|(_, t)| t),
            _ => None,
        };
        return target.map_or(Some(past), |target| body.at_offset(*target));
    }
    let is_taken = match (instruction.opcode, taken) {
        (Ifeq, [Known::Int(a)]) => *a == 0,
        (Ifne, [Known::Int(a)]) => *a != 0,
        (Iflt, [Known::Int(a)]) => *a < 0,
        (Ifge, [Known::Int(a)]) => *a >= 0,
        (Ifgt, [Known::Int(a)]) => *a > 0,
        (Ifle, [Known::Int(a)]) => *a <= 0,
        (IfIcmpeq, [Known::Int(a), Known::Int(b)]) => a == b,
        (IfIcmpne, [Known::Int(a), Known::Int(b)]) => a != b,
        (IfIcmplt, [Known::Int(a), Known::Int(b)]) => a < b,
        (IfIcmpge, [Known::Int(a), Known::Int(b)]) => a >= b,
        (IfIcmpgt, [Known::Int(a), Known::Int(b)]) => a > b,
        (IfIcmple, [Known::Int(a), Known::Int(b)]) => a <= b,
        (Ifnull, [Known::Null]) | (Ifnonnull, [Known::Object]) => true,
        (Ifnull, [Known::Object]) | (Ifnonnull, [Known::Null]) => false,
        _ => return None,
    };
    // A jump to the next instruction has one target only.
    let target = body.targets[at].get(1).copied().unwrap_or(past);
    Some(if is_taken { target } else { past })
}

/// A number as a variable of this kind keeps it.
fn narrow(kind: Kind, value: Known) -> Known {
    let Known::Int(number) = value else { return value };
    Known::Int(match kind {
        Kind::Boolean => number & 1,
        Kind::Byte => i32::from(number as i8),
        Kind::Short => i32::from(number as i16),
        Kind::Char => i32::from(number as u16),
        _ => number,
    })
}
