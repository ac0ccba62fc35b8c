//! Locals and operand stack of one method.

use crate::opcode::StackType;

/// The instruction does not fit the frame: an operand or local variable is missing, or a constant is of the wrong kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameMismatch;

/// Locals and operand stack, slot by slot. A `long` or `double` is in the lower of its two slots; the upper
/// one is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<V> {
    /// Local variables; `None` also if nothing is known about the value.
    pub locals: Vec<Option<V>>,
    /// The operand stack, the top last.
    pub stack: Vec<Option<V>>,
}

impl<V> Default for Frame<V> {
    fn default() -> Frame<V> {
        Frame { locals: Vec::new(), stack: Vec::new() }
    }
}

impl<V> Frame<V> {
    /// Pushes a value of a type.
    pub fn push(&mut self, value: V, ty: StackType) {
        self.stack.push(Some(value));
        if ty.is_wide() {
            self.stack.push(None);
        }
    }

    /// Pops a value of a type.
    ///
    /// # Errors
    /// [`FrameMismatch`] if there is none.
    pub fn pop(&mut self, ty: StackType) -> Result<V, FrameMismatch> {
        if ty.is_wide() {
            self.stack.pop().ok_or(FrameMismatch)?;
        }
        self.stack.pop().flatten().ok_or(FrameMismatch)
    }

    /// Pops values of these types, the last of which is on top.
    ///
    /// # Errors
    ///
    /// [`FrameMismatch`] if the stack does not hold them.
    pub fn pop_all(&mut self, types: &[StackType]) -> Result<Vec<V>, FrameMismatch> {
        let mut values = Vec::with_capacity(types.len());
        for ty in types.iter().rev() {
            values.push(self.pop(*ty)?);
        }
        values.reverse();
        Ok(values)
    }

    /// The value of a local variable.
    pub fn local(&self, local: u16) -> Option<&V> {
        self.locals.get(usize::from(local))?.as_ref()
    }

    /// Stores a value into a local variable, and nothing into the further slots that it takes. Missing locals are
    /// added, unless there is nothing to store into them.
    pub fn set_local(&mut self, local: u16, value: Option<V>, slots: u16) {
        let first = usize::from(local);
        let end = first + usize::from(slots);
        if value.is_some() && self.locals.len() < end {
            self.locals.resize_with(end, || None);
        }
        let mut value = value;
        for slot in first..end.min(self.locals.len()) {
            self.locals[slot] = value.take();
        }
    }
}
