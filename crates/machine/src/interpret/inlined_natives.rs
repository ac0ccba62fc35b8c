//! Natives that run without a call in the plain case: no shadow near, nothing to throw. All other cases are
//! left to the native itself.

use super::cursor::{Cursor, Flow};
use crate::code::CodeSlot;
use crate::heap::layout::element_byte;
use crate::memory::Addr;
use crate::state::Value;

impl<const SYMBOLIC: bool> Cursor<'_, SYMBOLIC> {
    /// The address of the character at this index of a `byte[]`, if it exists and cannot have a shadow.
    #[inline(always)]
    fn plain_character(&self, array: Addr, index: Value) -> Option<u64> {
        let at = index.bits as u32;
        if array == 0 || (SYMBOLIC && index.shadow != 0) || at >= self.machine.array_length(array) / 2 {
            return None;
        }
        let byte = element_byte(array, at, 2);
        let shadowed =
            self.machine.may_have_term(array + 1) || self.machine.may_have_shadow((byte >> 3) as Addr);
        (!shadowed).then_some(byte)
    }

    /// `StringUTF16.getChar` and `charAt`.
    #[inline(always)]
    pub(super) fn get_character(&mut self, place: &CodeSlot) -> Flow {
        let (array, index) = (self.slot(self.sp - 2) as Addr, self.value(self.sp - 1));
        let Some(byte) = self.plain_character(array, index) else { return self.invoke_static(place) };
        self.tick(1)?;
        let character = self.machine.memory.read_bytes(byte, 2);
        self.set_concrete(self.sp - 2, character);
        Ok(())
    }

    /// `StringUTF16.putChar`.
    #[inline(always)]
    pub(super) fn put_character(&mut self, place: &CodeSlot) -> Flow {
        let (array, index) = (self.slot(self.sp - 3) as Addr, self.value(self.sp - 2));
        let character = self.value(self.sp - 1);
        match self.plain_character(array, index) {
            Some(byte) if !SYMBOLIC || character.shadow == 0 => {
                self.tick(1)?;
                self.machine.memory.write_bytes(byte, 2, character.bits);
                Ok(())
            }
            _ => self.invoke_static(place),
        }
    }

    /// `StringUTF16.length`.
    #[inline(always)]
    pub(super) fn count_characters(&mut self, place: &CodeSlot) -> Flow {
        let array = self.slot(self.sp - 1) as Addr;
        if array == 0 || self.machine.may_have_term(array + 1) {
            return self.invoke_static(place);
        }
        self.tick(1)?;
        let count = self.machine.array_length(array) / 2;
        self.set_concrete(self.sp - 1, count as u64);
        Ok(())
    }
}
