//! Queries on instructions: the local variable, the constant, and the effect on the operand stack.

use super::{Instruction, Operand};
use crate::class_file::ClassFile;
use crate::constant::Constant;
use crate::descriptor;
use crate::opcode::{Action, Effect, Literal, Shuffle, StackItem, StackType};

impl Instruction {
    /// What it does.
    pub fn action(&self) -> Action {
        self.opcode.action()
    }

    /// The type that it works on; see [`Opcode::stack_type`](crate::Opcode::stack_type).
    pub fn stack_type(&self) -> Option<StackType> {
        self.opcode.stack_type()
    }

    /// The local variable that it loads, stores, or increments, or where `ret` finds its address.
    pub fn local(&self) -> Option<u16> {
        match self.operand {
            Operand::Local(local) | Operand::LocalIncrement { local, .. } => Some(local),
            _ => self.opcode.implied_local(),
        }
    }

    /// The local variable that it pushes.
    pub fn loaded_local(&self) -> Option<u16> {
        self.local().filter(|_| self.action() == Action::Load)
    }

    /// The local variable that it writes and the number of slots that the value takes there. Of `iinc` that is 1 slot.
    pub fn stored_local(&self) -> Option<(u16, u16)> {
        match self.action() {
            Action::Store => Some((self.local()?, self.stack_type()?.slots())),
            Action::Increment => Some((self.local()?, 1)),
            _ => None,
        }
    }

    /// The value that it pushes if the instruction alone decides: `iconst_2`, `bipush 7`, `aconst_null`.
    pub fn literal(&self) -> Option<Literal> {
        match self.operand {
            Operand::Immediate(value) => Some(Literal::Int(i32::from(value))),
            _ => self.opcode.implied_literal(),
        }
    }

    /// The index of the constant that it names.
    pub fn constant_index(&self) -> Option<u16> {
        match self.operand {
            Operand::Constant(index)
            | Operand::InvokeInterface { constant: index, .. }
            | Operand::MultiArray { constant: index, .. } => Some(index),
            _ => None,
        }
    }

    /// The constant that it names; `None` also if that is malformed.
    pub fn constant<'c>(&self, class: &'c ClassFile) -> Option<Constant<'c>> {
        class.constant(self.constant_index()?).ok()
    }

    /// Its effect on stack slots, for `dup`, `swap`, `pop` and similar instructions.
    pub fn shuffle(&self) -> Option<&'static Shuffle> {
        match self.opcode.effect() {
            Effect::Shuffle(shuffle) => Some(shuffle),
            Effect::Values { .. } => None,
        }
    }

    /// The target of a switch for a value; `None` for other instructions.
    pub fn switch_target(&self, value: i32) -> Option<u32> {
        match &self.operand {
            Operand::TableSwitch { default, low, targets } => {
                let at = usize::try_from(i64::from(value) - i64::from(*low)).ok();
                Some(at.and_then(|at| targets.get(at)).copied().unwrap_or(*default))
            }
            Operand::LookupSwitch { default, pairs } => {
                let found = pairs.binary_search_by_key(&value, |pair| pair.0);
                Some(found.map_or(*default, |at| pairs[at].1))
            }
            _ => None,
        }
    }

    /// Slots that it pops and pushes; a [`Shuffle`] pops all that it takes. `None` if the constant that it names is
    /// of a wrong kind.
    pub fn slots(&self, class: &ClassFile) -> Option<(u16, u16)> {
        if let Some(known) = self.opcode.effect().slots() {
            return Some(known);
        }
        let Effect::Values { pops, pushes } = self.opcode.effect() else { return None };
        let constant = self.constant(class)?;
        let sum = |items: &[StackItem]| {
            items.iter().try_fold(0_u16, |sum, item| sum.checked_add(self.item_slots(*item, &constant)?))
        };
        Some((sum(pops)?, sum(pushes)?))
    }

    fn item_slots(&self, item: StackItem, constant: &Constant<'_>) -> Option<u16> {
        match item {
            StackItem::Arguments => descriptor::argument_slots(constant.method_descriptor()?),
            StackItem::Result => {
                let result = descriptor::result(constant.method_descriptor()?)?;
                if result == "V" { Some(0) } else { Some(StackType::of_descriptor(result)?.slots()) }
            }
            StackItem::Dimensions => self.dimensions(),
            StackItem::Constant => Some(constant.stack_type()?.slots()),
            StackItem::Field => Some(StackType::of_descriptor(constant.field_descriptor()?)?.slots()),
            _ => Some(item.stack_type()?.slots()),
        }
    }

    /// The types that it pops and pushes, the top last. `None` for a [`Shuffle`], and if the constant that it names
    /// is of a wrong kind.
    pub fn stack_types(&self, class: &ClassFile) -> Option<(Vec<StackType>, Vec<StackType>)> {
        let Effect::Values { pops, pushes } = self.opcode.effect() else { return None };
        let constant = self.constant(class);
        let all = |items: &[StackItem]| {
            let mut types = Vec::new();
            for item in items {
                self.add_item(*item, constant.as_ref(), &mut types)?;
            }
            Some(types)
        };
        Some((all(pops)?, all(pushes)?))
    }

    fn add_item(
        &self,
        item: StackItem,
        constant: Option<&Constant<'_>>,
        to: &mut Vec<StackType>,
    ) -> Option<()> {
        match item {
            StackItem::Arguments => {
                for parameter in descriptor::parameters(constant?.method_descriptor()?)? {
                    to.push(StackType::of_descriptor(parameter?)?);
                }
            }
            StackItem::Result => {
                let result = descriptor::result(constant?.method_descriptor()?)?;
                if result != "V" {
                    to.push(StackType::of_descriptor(result)?);
                }
            }
            StackItem::Dimensions => {
                to.extend((0..self.dimensions()?).map(|_| StackType::Int));
            }
            StackItem::Constant => to.push(constant?.stack_type()?),
            StackItem::Field => to.push(StackType::of_descriptor(constant?.field_descriptor()?)?),
            _ => to.push(item.stack_type()?),
        }
        Some(())
    }

    fn dimensions(&self) -> Option<u16> {
        match self.operand {
            Operand::MultiArray { dimensions, .. } => Some(u16::from(dimensions)),
            _ => None,
        }
    }
}
