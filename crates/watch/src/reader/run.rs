//! The evaluator of [`TranslatedMethod`]s: returns `None` at the first operation that is not a read.

use super::stack_instruction::{self, Operands};
use super::translated_method::{Dispatch, JumpTest, Op, TranslatedMethod};
use super::{ConditionReader, DEEPEST};
use cupping_machine::{Addr, InitState, Kind, Machine};

impl ConditionReader {
    /// Evaluates a method whose arguments are in the first slots.
    pub(super) fn run(&mut self, machine: &mut Machine, reading: &TranslatedMethod) -> Option<u64> {
        let mut slots = std::mem::take(&mut self.slots);
        let result = self.run_in(machine, reading, &mut slots, 0, 0);
        self.slots = slots;
        result
    }

    fn run_in(
        &mut self,
        machine: &mut Machine,
        reading: &TranslatedMethod,
        slots: &mut Box<[u64]>,
        base: usize,
        depth: usize,
    ) -> Option<u64> {
        if depth > DEEPEST {
            return None;
        }
        let end = base + reading.slots;
        let mut on = Operands { slots: slots.get_mut(base..end)?, at: reading.locals };
        let mut pc = 0;
        loop {
            let op = reading.ops.get(pc)?;
            pc += 1;
            match op {
                Op::Constant(bits) => on.push(*bits)?,
                Op::Wide(bits) => on.push_wide(*bits)?,
                Op::Load(local) => on.push(*on.slots.get(*local as usize)?)?,
                Op::LoadWide(local) => on.push_wide(*on.slots.get(*local as usize)?)?,
                Op::Store(local) => {
                    let value = on.pop()?;
                    *on.slots.get_mut(*local as usize)? = value;
                }
                Op::StoreWide(local) => {
                    let value = on.pop_wide()?;
                    *on.slots.get_mut(*local as usize)? = value;
                }
                Op::Increment(local, by) => {
                    let local = on.slots.get_mut(*local as usize)?;
                    *local = u64::from((*local as u32 as i32).wrapping_add(*by) as u32);
                }
                Op::Plain(plain) => stack_instruction::run(plain, &mut on)?,
                Op::Element => element(machine, &mut on)?,
                Op::Length => {
                    let array = on.pop()? as Addr;
                    if array == 0 {
                        return None;
                    }
                    on.push(u64::from(machine.array_length(array)))?;
                }
                Op::Jump(test, to, is_back) => {
                    if jumps(*test, &mut on)? {
                        if *is_back {
                            self.steps = self.steps.checked_sub(1)?;
                        }
                        pc = *to;
                    }
                }
                Op::Table(table) => {
                    let (low, targets, default) = &**table;
                    let at = i64::from(on.pop_int()?) - i64::from(*low);
                    let target = usize::try_from(at).ok().and_then(|at| targets.get(at));
                    let to = *target.unwrap_or(default);
                    self.steps = self.steps.checked_sub(u32::from(to < pc))?;
                    pc = to;
                }
                Op::Lookup(table) => {
                    let (pairs, default) = &**table;
                    let value = on.pop_int()?;
                    let found = pairs.iter().find(|(it, _)| *it == value);
                    let to = found.map_or(*default, |(_, to)| *to);
                    self.steps = self.steps.checked_sub(u32::from(to < pc))?;
                    pc = to;
                }
                Op::Field(offset, is_wide) => {
                    let object = on.pop()? as Addr;
                    if object == 0 {
                        return None;
                    }
                    let bits = machine.field(object, *offset);
                    if *is_wide { on.push_wide(bits)? } else { on.push(bits)? }
                }
                Op::Static(class, name, is_wide) => {
                    if machine.init_state(*class) != InitState::Initialized {
                        return None;
                    }
                    let bits = machine.static_field(*class, name)?;
                    if *is_wide { on.push_wide(bits)? } else { on.push(bits)? }
                }
                Op::InstanceOf(class) => {
                    let object = on.pop()? as Addr;
                    let holds = object != 0 && machine.is_subtype(machine.class_of(object), *class);
                    on.push(u64::from(holds))?;
                }
                Op::Cast(class) => {
                    let object = on.pop()?;
                    if object != 0 && !machine.is_subtype(machine.class_of(object as Addr), *class) {
                        return None;
                    }
                    on.push(object)?;
                }
                Op::Call(method, arguments, dispatch) => {
                    self.steps = self.steps.checked_sub(1)?;
                    let from = on.at.checked_sub(*arguments as usize)?;
                    let receiver = *on.slots.get(from).unwrap_or(&0) as Addr;
                    let method = match dispatch {
                        Dispatch::Static => {
                            let class = machine.method(*method).class;
                            if machine.init_state(class) != InitState::Initialized {
                                return None;
                            }
                            *method
                        }
                        _ if receiver == 0 => return None,
                        Dispatch::Direct => *method,
                        Dispatch::Virtual => machine.select(machine.class_of(receiver), *method),
                    };
                    let result = machine.method(method).result;
                    let called = self.reading(machine, method)?;
                    let value = self.run_in(machine, &called, slots, base + from, depth + 1)?;
                    on = Operands { slots: slots.get_mut(base..end)?, at: from };
                    match result.slots() {
                        0 => {}
                        1 => on.push(value)?,
                        _ => on.push_wide(value)?,
                    }
                }
                Op::Return(kind) => {
                    return match kind {
                        Kind::Void => Some(0),
                        Kind::Long | Kind::Double => on.pop_wide(),
                        _ => on.pop(),
                    };
                }
                Op::Unknown => return None,
            }
        }
    }
}

#[inline]
fn jumps(test: JumpTest, on: &mut Operands<'_>) -> Option<bool> {
    Some(match test {
        JumpTest::Always => true,
        JumpTest::Int(comparison) => comparison.holds(on.pop_int()?.cmp(&0)),
        JumpTest::Ints(comparison) => {
            let (b, a) = (on.pop_int()?, on.pop_int()?);
            comparison.holds(a.cmp(&b))
        }
        JumpTest::Null(is_equal) => (on.pop()? == 0) == is_equal,
        JumpTest::Same(is_equal) => (on.pop()? == on.pop()?) == is_equal,
    })
}

/// The element of an array; `None` where it would throw.
fn element(machine: &Machine, on: &mut Operands<'_>) -> Option<()> {
    let index = on.pop()? as u32;
    let array = on.pop()? as Addr;
    if array == 0 || index >= machine.array_length(array) {
        return None;
    }
    let kind = machine.element_kind(machine.class_of(array));
    let bits = machine.element(array, index, kind);
    match kind {
        Kind::Long | Kind::Double => on.push_wide(bits),
        Kind::Byte | Kind::Short => on.push(kind.narrow(bits)),
        Kind::Void => None,
        _ => on.push(bits),
    }
}
