//! The operand stack: slots that a loop can hold on to while the rest of the machine changes.

use crate::state::{STACK_MASK, STACK_SLOTS};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// The slots of the stack. A clone is another handle to the same slots: the instruction loop keeps one, so that their
/// address stays in a register. Indices wrap around, so none is out of bounds.
pub(crate) struct Slots<T>(Rc<[Cell<T>; STACK_SLOTS]>);

impl<T> Clone for Slots<T> {
    fn clone(&self) -> Slots<T> {
        Slots(self.0.clone())
    }
}

impl<T: Copy + Default> Slots<T> {
    /// All slots zero.
    pub(crate) fn new() -> Slots<T> {
        let slots: Rc<[Cell<T>]> = (0..STACK_SLOTS).map(|_| Cell::new(T::default())).collect();
        match slots.try_into() {
            Ok(slots) => Slots(slots),
            Err(_) => unreachable!("the vector has exactly STACK_SLOTS elements"),
        }
    }

    /// The slots themselves, for `get` and `set`.
    #[inline(always)]
    pub(crate) fn cells(&self) -> &[Cell<T>; STACK_SLOTS] {
        &self.0
    }

    /// The slot at this index.
    #[inline(always)]
    pub(crate) fn get(&self, at: u32) -> T {
        self.0[at as usize & STACK_MASK].get()
    }

    /// Sets the slot at this index.
    #[inline(always)]
    pub(crate) fn set(&self, at: u32, value: T) {
        self.0[at as usize & STACK_MASK].set(value);
    }

    /// A copy of some slots; the range must be within the stack.
    pub(crate) fn copy(&self, range: Range<usize>) -> Box<[T]> {
        self.0[range].iter().map(Cell::get).collect()
    }

    /// Sets the slots from index 0 on.
    pub(crate) fn restore(&self, from: &[T]) {
        for (slot, value) in self.0.iter().zip(from) {
            slot.set(*value);
        }
    }
}
