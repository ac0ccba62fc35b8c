//! Translates bytecode into [`TranslatedMethod`]s.

use super::stack_instruction::plain;
use super::translated_method::{Dispatch, JumpTest, Op, TranslatedMethod};
use cupping_classfile::{
    Action, Comparison, Constant, Instruction, Invocation, Literal, Operand, StackType, instructions,
};
use cupping_machine::{ClassId, InitState, Kind, Machine, MethodBody, MethodId};

/// The reading of a method whose class is initialised; `None` if the method may do more than read.
pub(super) fn reading(machine: &mut Machine, method: MethodId) -> Option<TranslatedMethod> {
    let loaded = machine.method(method).clone();
    // Native methods cannot be read; acquiring a monitor is a write.
    if !matches!(loaded.body, MethodBody::Bytecode | MethodBody::Code(_)) || loaded.is_synchronized() {
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
        let constant = || instruction.constant(&file);
        ops.push(op(machine, instruction, at, &place, &constant).unwrap_or(Op::Unknown));
    }
    let receiver = (!loaded.is_static()).then_some(Kind::Reference);
    Some(TranslatedMethod {
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
    constant: &dyn Fn() -> Option<Constant<'f>>,
) -> Option<Op> {
    let local = || instruction.local().map(u32::from);
    let is_wide = instruction.stack_type().is_some_and(StackType::is_wide);
    Some(match instruction.action() {
        Action::Constant => literal(instruction.literal()?),
        Action::LoadConstant => literal(constant()?.literal()?),
        Action::Load if is_wide => Op::LoadWide(local()?),
        Action::Load => Op::Load(local()?),
        Action::Store if is_wide => Op::StoreWide(local()?),
        Action::Store => Op::Store(local()?),
        Action::Increment => {
            let Operand::LocalIncrement { by, .. } = instruction.operand else { return None };
            Op::Increment(local()?, i32::from(by))
        }
        Action::Goto | Action::Branch(_) => {
            let Operand::Branch(target) = instruction.operand else { return None };
            let to = place(target)?;
            Op::Jump(test(instruction)?, to, to <= at)
        }
        Action::Switch => switch(instruction, place)?,
        Action::GetField => {
            let (class, at, kind) = field(machine, &constant()?)?;
            Op::Field(u32::from(machine.class(class).fields.get(at)?.offset), kind.slots() == 2)
        }
        Action::GetStatic => {
            let (class, at, kind) = field(machine, &constant()?)?;
            Op::Static(class, machine.class(class).fields.get(at)?.name.clone(), kind.slots() == 2)
        }
        Action::InstanceOf => Op::InstanceOf(class(machine, &constant()?)?),
        Action::CheckCast => Op::Cast(class(machine, &constant()?)?),
        Action::Invoke(Invocation::Dynamic) => return None,
        Action::Invoke(how) => call(machine, &constant()?, how)?,
        Action::Return => Op::Return(match instruction.stack_type() {
            Some(StackType::Int) => Kind::Int,
            Some(StackType::Long) => Kind::Long,
            Some(StackType::Float) => Kind::Float,
            Some(StackType::Double) => Kind::Double,
            Some(_) => Kind::Reference,
            None => Kind::Void,
        }),
        Action::ArrayLoad(_) => Op::Element,
        Action::ArrayLength => Op::Length,
        _ => Op::Plain(plain(instruction)?),
    })
}

fn literal(literal: Literal) -> Op {
    match literal {
        Literal::Null => Op::Constant(0),
        Literal::Int(value) => Op::Constant(u64::from(value as u32)),
        Literal::Float(value) => Op::Constant(u64::from(value.to_bits())),
        Literal::Long(value) => Op::Wide(value as u64),
        Literal::Double(value) => Op::Wide(value.to_bits()),
    }
}

/// When a jump is taken.
fn test(instruction: &Instruction) -> Option<JumpTest> {
    let Action::Branch(comparison) = instruction.action() else { return Some(JumpTest::Always) };
    let (operands, _) = instruction.opcode.effect().slots()?;
    let is_equal = comparison == Comparison::Equal;
    Some(match (instruction.stack_type()?, operands) {
        (StackType::Int, 1) => JumpTest::Int(comparison),
        (StackType::Int, _) => JumpTest::Ints(comparison),
        (_, 1) => JumpTest::Null(is_equal),
        _ => JumpTest::Same(is_equal),
    })
}

fn switch(instruction: &Instruction, place: &dyn Fn(u32) -> Option<usize>) -> Option<Op> {
    Some(match &instruction.operand {
        Operand::TableSwitch { default, low, targets } => {
            let targets = targets.iter().map(|it| place(*it)).collect::<Option<_>>()?;
            Op::Table(Box::new((*low, targets, place(*default)?)))
        }
        Operand::LookupSwitch { default, pairs } => {
            let pairs = pairs.iter().map(|(value, it)| Some((*value, place(*it)?)));
            Op::Lookup(Box::new((pairs.collect::<Option<_>>()?, place(*default)?)))
        }
        _ => return None,
    })
}

fn class(machine: &mut Machine, constant: &Constant<'_>) -> Option<ClassId> {
    let Constant::Class(name) = constant else { return None };
    machine.load(name).ok()
}

fn field(machine: &mut Machine, constant: &Constant<'_>) -> Option<(ClassId, usize, Kind)> {
    let Constant::Field { class, name, descriptor } = constant else { return None };
    let class = machine.load(class).ok()?;
    let (class, at) = machine.find_field(class, name, descriptor)?;
    let field = machine.class(class).fields.get(at)?;
    Some((class, at, field.kind))
}

fn call(machine: &mut Machine, constant: &Constant<'_>, how: Invocation) -> Option<Op> {
    let Constant::Method { class, name, descriptor, .. } = constant else { return None };
    let class = machine.load(class).ok()?;
    let method = machine.find_method(class, name, descriptor)?;
    let loaded = machine.method(method);
    let dispatch = match how {
        Invocation::Static => Dispatch::Static,
        // A constructor writes, and calls of superclass methods are resolved differently.
        Invocation::Special if !loaded.is_private() || &*loaded.name == "<init>" => return None,
        _ if loaded.is_private() => Dispatch::Direct,
        _ => Dispatch::Virtual,
    };
    (loaded.is_static() == (dispatch == Dispatch::Static)).then_some(Op::Call(
        method,
        u32::from(loaded.argument_slots),
        dispatch,
    ))
}
