//! Effects on the operand stack.

/// A type as distinguished by the operand stack and local variables (JVMS §2.11.1, table 2.11.1-B): booleans, bytes,
/// chars and shorts are ints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StackType {
    /// `int`, and what is held as one.
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// A reference or `null`.
    Reference,
    /// The return address that `jsr` pushes. `astore` stores it like a reference.
    Address,
}

impl StackType {
    /// Slots that a value takes: 2 for `long` and `double` (category 2), else 1.
    pub const fn slots(self) -> u16 {
        if self.is_wide() { 2 } else { 1 }
    }

    /// Whether a value takes two slots.
    pub const fn is_wide(self) -> bool {
        matches!(self, StackType::Long | StackType::Double)
    }
}

/// One entry in the list of what an instruction pops or pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackItem {
    /// A value of [`StackType::Int`].
    Int,
    /// A value of [`StackType::Long`].
    Long,
    /// A value of [`StackType::Float`].
    Float,
    /// A value of [`StackType::Double`].
    Double,
    /// A value of [`StackType::Reference`].
    Reference,
    /// A value of [`StackType::Address`].
    Address,
    /// A value of the type of the constant that the instruction names.
    Constant,
    /// A value of the type of the field that the instruction names.
    Field,
    /// The parameters of the method that the instruction names, without the receiver.
    Arguments,
    /// The result of that method, if it has one.
    Result,
    /// An int for each dimension that `multianewarray` creates.
    Dimensions,
}

impl StackItem {
    /// The type of the value; `None` if the operand of the instruction decides.
    pub const fn stack_type(self) -> Option<StackType> {
        Some(match self {
            StackItem::Int => StackType::Int,
            StackItem::Long => StackType::Long,
            StackItem::Float => StackType::Float,
            StackItem::Double => StackType::Double,
            StackItem::Reference => StackType::Reference,
            StackItem::Address => StackType::Address,
            _ => return None,
        })
    }
}

/// The effect of an instruction on the operand stack: values popped and pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Values.
    Values {
        /// What it pops, the top last.
        pops: &'static [StackItem],
        /// What it pushes, the top last.
        pushes: &'static [StackItem],
    },
    /// Slots of any type that change places.
    Shuffle(Shuffle),
}

impl Effect {
    /// Slots popped and pushed; `None` if the operand of the instruction decides.
    pub const fn slots(&self) -> Option<(u16, u16)> {
        match self {
            Effect::Shuffle(shuffle) => Some((shuffle.take as u16, shuffle.order.len() as u16)),
            Effect::Values { pops, pushes } => match (sum(pops), sum(pushes)) {
                (Some(popped), Some(pushed)) => Some((popped, pushed)),
                _ => None,
            },
        }
    }
}

const fn sum(items: &[StackItem]) -> Option<u16> {
    let (mut total, mut at) = (0, 0);
    while at < items.len() {
        match items[at].stack_type() {
            Some(ty) => total += ty.slots(),
            None => return None,
        }
        at += 1;
    }
    Some(total)
}

/// The effect of `dup`, `swap`, `pop` and similar instructions, slot by slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shuffle {
    /// Slots taken from the top of the stack.
    pub take: u8,
    /// What is put in their place, the top last: numbers of the slots taken, the lowest being 0.
    pub order: &'static [u8],
}

impl Shuffle {
    /// Changes a stack whose top is its last element. `None`, and no change, if the stack is too low.
    pub fn apply<T: Clone>(&self, stack: &mut Vec<T>) -> Option<()> {
        let at = stack.len().checked_sub(usize::from(self.take))?;
        match self.order {
            [] => stack.truncate(at),
            [0, 0] => stack.push(stack[at].clone()),
            order => {
                let taken = stack.split_off(at);
                stack.extend(order.iter().map(|slot| taken[usize::from(*slot)].clone()));
            }
        }
        Some(())
    }
}
