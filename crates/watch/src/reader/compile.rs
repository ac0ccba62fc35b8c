//! Translates bytecode into [`Reading`]s.

use super::{Dispatch, Op, Reading};
use cupping_classfile::{Constant, Instruction, Opcode, Operand, instructions};
use cupping_machine::{Body, ClassId, InitState, Kind, Machine, MethodId};

/// The reading of a method whose class is initialised; `None` if the method may do more than read.
pub(super) fn reading(machine: &mut Machine, method: MethodId) -> Option<Reading> {
    let loaded = machine.method(method).clone();
    // Native methods cannot be read; acquiring a monitor is a write.
    if !matches!(loaded.body, Body::Bytecode | Body::Code(_)) || loaded.is_synchronized() {
        return None;
    }
    let class = machine.class(loaded.class);
    let (name, file) = (class.name.clone(), class.file.clone()?);
    // Names resolve through the class path here. In a class of another loader they may mean something else.
    if machine.load(&name).ok()? != loaded.class || !is_ready(machine, method) {
        return None;
    }
    let code = file.code(file.methods.get(loaded.index)?).ok()??.clone();
    let all: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
    let place = |pc: u32| all.binary_search_by_key(&pc, |it| it.pc).ok();
    let mut ops = Vec::with_capacity(all.len());
    for (at, instruction) in all.iter().enumerate() {
        let constant = |index: u16| file.constant(index).ok();
        ops.push(op(machine, instruction, at, &place, &constant).unwrap_or(Op::Unknown));
    }
    let receiver = (!loaded.is_static()).then_some(Kind::Reference);
    Some(Reading {
        ops,
        locals: usize::from(code.max_locals),
        slots: usize::from(code.max_locals) + usize::from(code.max_stack),
        parameters: receiver.into_iter().chain(loaded.parameters.iter().copied()).collect(),
    })
}

/// Whether the method's class is initialised, and therefore verified.
pub(super) fn is_ready(machine: &Machine, method: MethodId) -> bool {
    machine.init_state(machine.method(method).class) == InitState::Initialized
}

fn op<'f>(
    machine: &mut Machine,
    instruction: &Instruction,
    at: usize,
    place: &dyn Fn(u32) -> Option<usize>,
    constant: &dyn Fn(u16) -> Option<Constant<'f>>,
) -> Option<Op> {
    use Opcode::*;
    let byte = instruction.opcode as u8;
    Some(match (&instruction.operand, instruction.opcode) {
        (_, AconstNull) => Op::Constant(0),
        (_, IconstM1 | Iconst0 | Iconst1 | Iconst2 | Iconst3 | Iconst4 | Iconst5) => {
            Op::Constant(u64::from((i32::from(byte) - 3) as u32))
        }
        (_, Lconst0 | Lconst1) => Op::Wide(u64::from(byte - 9)),
        (_, Fconst0 | Fconst1 | Fconst2) => Op::Constant(u64::from(f32::from(byte - 11).to_bits())),
        (_, Dconst0 | Dconst1) => Op::Wide(f64::from(byte - 14).to_bits()),
        (Operand::Immediate(value), _) => Op::Constant(u64::from(i32::from(*value) as u32)),
        (Operand::Constant(index), Ldc | LdcW | Ldc2W) => match constant(*index)? {
            Constant::Integer(value) => Op::Constant(u64::from(value as u32)),
            Constant::Float(value) => Op::Constant(u64::from(value.to_bits())),
            Constant::Long(value) => Op::Wide(value as u64),
            Constant::Double(value) => Op::Wide(value.to_bits()),
            _ => return None,
        },
        (Operand::Local(local), Iload | Fload | Aload) => Op::Load(u32::from(*local)),
        (Operand::Local(local), Lload | Dload) => Op::LoadWide(u32::from(*local)),
        (Operand::Local(local), Istore | Fstore | Astore) => Op::Store(u32::from(*local)),
        (Operand::Local(local), Lstore | Dstore) => Op::StoreWide(u32::from(*local)),
        (Operand::LocalIncrement { local, by }, _) => Op::Increment(u32::from(*local), i32::from(*by)),
        // `iload_0` to `aload_3` and `istore_0` to `astore_3`: four per type, in the order int, long, float,
        // double, reference.
        (_, _) if (0x1a..=0x2d).contains(&byte) => {
            let (local, is_wide) = short_form(byte - 0x1a);
            if is_wide { Op::LoadWide(local) } else { Op::Load(local) }
        }
        (_, _) if (0x3b..=0x4e).contains(&byte) => {
            let (local, is_wide) = short_form(byte - 0x3b);
            if is_wide { Op::StoreWide(local) } else { Op::Store(local) }
        }
        (Operand::Branch(target), opcode) if !matches!(opcode, Jsr | JsrW) => {
            let to = place(*target)?;
            Op::Jump(opcode, to, to <= at)
        }
        (Operand::TableSwitch { default, low, targets }, _) => {
            let targets = targets.iter().map(|it| place(*it)).collect::<Option<_>>()?;
            Op::Table(Box::new((*low, targets, place(*default)?)))
        }
        (Operand::LookupSwitch { default, pairs }, _) => {
            let pairs = pairs.iter().map(|(value, it)| Some((*value, place(*it)?)));
            Op::Lookup(Box::new((pairs.collect::<Option<_>>()?, place(*default)?)))
        }
        (Operand::Constant(index), Getfield) => {
            let (class, at, kind) = field(machine, &constant(*index)?)?;
            Op::Field(u32::from(machine.class(class).fields.get(at)?.offset), kind.slots() == 2)
        }
        (Operand::Constant(index), Getstatic) => {
            let (class, at, kind) = field(machine, &constant(*index)?)?;
            Op::Static(class, machine.class(class).fields.get(at)?.name.clone(), kind.slots() == 2)
        }
        (Operand::Constant(index), Instanceof | Checkcast) => {
            let Constant::Class(name) = constant(*index)? else { return None };
            let class = machine.load(&name).ok()?;
            if instruction.opcode == Instanceof { Op::InstanceOf(class) } else { Op::Cast(class) }
        }
        (Operand::Constant(index), Invokestatic | Invokespecial | Invokevirtual)
        | (Operand::InvokeInterface { constant: index, .. }, _) => {
            call(machine, &constant(*index)?, instruction.opcode)?
        }
        (_, Ireturn | Lreturn | Freturn | Dreturn | Areturn | Return) => {
            Op::Return(match instruction.opcode {
                Ireturn => Kind::Int,
                Lreturn => Kind::Long,
                Freturn => Kind::Float,
                Dreturn => Kind::Double,
                Areturn => Kind::Reference,
                _ => Kind::Void,
            })
        }
        (Operand::None, opcode) if super::plain::knows(opcode) => Op::Plain(opcode),
        (Operand::None, opcode) if (Iaload..=Saload).contains(&opcode) || opcode == Arraylength => {
            Op::Array(opcode)
        }
        _ => return None,
    })
}

/// The local of a short form, and whether it takes two slots.
fn short_form(number: u8) -> (u32, bool) {
    (u32::from(number % 4), matches!(number / 4, 1 | 3))
}

fn field(machine: &mut Machine, constant: &Constant<'_>) -> Option<(ClassId, usize, Kind)> {
    let Constant::Field { class, name, descriptor } = constant else { return None };
    let class = machine.load(class).ok()?;
    let (class, at) = machine.find_field(class, name, descriptor)?;
    let field = machine.class(class).fields.get(at)?;
    Some((class, at, field.kind))
}

fn call(machine: &mut Machine, constant: &Constant<'_>, opcode: Opcode) -> Option<Op> {
    let Constant::Method { class, name, descriptor, .. } = constant else { return None };
    let class = machine.load(class).ok()?;
    let method = machine.find_method(class, name, descriptor)?;
    let loaded = machine.method(method);
    let dispatch = match opcode {
        Opcode::Invokestatic => Dispatch::Static,
        // A constructor writes, and calls of superclass methods are resolved differently.
        Opcode::Invokespecial if !loaded.is_private() || &*loaded.name == "<init>" => return None,
        _ if loaded.is_private() => Dispatch::Direct,
        _ => Dispatch::Virtual,
    };
    (loaded.is_static() == (dispatch == Dispatch::Static)).then_some(Op::Call(
        method,
        u32::from(loaded.argument_slots),
        dispatch,
    ))
}
