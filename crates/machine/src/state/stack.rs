//! The operand stack: slots that a loop can hold on to while the rest of the machine changes.

use crate::state::Shadow;
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

/// Slots of the stack; a power of two, so that masking an index needs no bounds check.
pub const STACK_SLOTS: usize = 1 << 18;

pub(crate) const STACK_MASK: usize = STACK_SLOTS - 1;

/// Slots kept free above every frame for the machine itself.
pub(crate) const STACK_RESERVE: usize = 256;

/// The operand stack: values, and their shadows in the frames that may have some.
pub(crate) struct OperandStack {
    values: Slots<u64>,
    shadows: Slots<Shadow>,
}

impl OperandStack {
    /// All slots zero.
    pub(crate) fn new() -> OperandStack {
        OperandStack { values: Slots::new(), shadows: Slots::new() }
    }

    /// Handles to the slots and to their shadows.
    #[inline]
    pub(crate) fn slots(&self) -> (Slots<u64>, Slots<Shadow>) {
        (self.values.clone(), self.shadows.clone())
    }

    /// The address of the first slot.
    pub(crate) fn raw_slots(&self) -> *mut u64 {
        // A `Cell` has the layout of what is in it.
        self.values.cells().as_ptr() as *mut u64
    }

    /// The slot at this index.
    #[inline(always)]
    pub(crate) fn get(&self, at: u32) -> u64 {
        self.values.get(at)
    }

    /// Sets the slot at this index.
    #[inline(always)]
    pub(crate) fn set(&self, at: u32, value: u64) {
        self.values.set(at, value);
    }

    /// The shadow of the slot at this index.
    #[inline(always)]
    pub(crate) fn shadow(&self, at: u32) -> Shadow {
        self.shadows.get(at)
    }

    /// Sets the shadow of the slot at this index.
    #[inline(always)]
    pub(crate) fn set_shadow(&self, at: u32, shadow: Shadow) {
        self.shadows.set(at, shadow);
    }

    /// A copy of some slots; the range must be within the stack.
    pub(crate) fn copy(&self, range: Range<usize>) -> Box<[u64]> {
        self.values.copy(range)
    }

    /// A copy of the shadows of some slots.
    pub(crate) fn copy_shadows(&self, range: Range<usize>) -> Box<[Shadow]> {
        self.shadows.copy(range)
    }

    /// Sets the slots from index 0 on.
    pub(crate) fn restore(&self, values: &[u64]) {
        self.values.restore(values);
    }

    /// Sets the shadows from index 0 on.
    pub(crate) fn restore_shadows(&self, shadows: &[Shadow]) {
        self.shadows.restore(shadows);
    }
}

/// The slots of the stack. A clone is another handle to the same slots: the instruction loop keeps one, so that
/// their address stays in a register. Indices wrap around, so none is out of bounds.
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
