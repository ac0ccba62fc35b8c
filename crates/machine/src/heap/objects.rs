//! Objects, arrays, strings and `Class` objects in memory.

use crate::classes::{ClassId, ClassKind, Kind};
use crate::exit::{Step, Trap};
use crate::heap::layout::{ARRAY_HEADER, element_byte, mirror_word};
use crate::machine::Machine;
use crate::memory::Addr;
use std::rc::Rc;

impl Machine {
    /// A new object with all fields zero. Does not initialise the class.
    ///
    /// # Errors
    ///
    /// `OutOfMemoryError` beyond the heap limit.
    pub fn new_object(&mut self, class: ClassId) -> Step<Addr> {
        let size = self.class(class).size as u32;
        let addr = self.memory.allocate(size).ok_or(Trap::NoMemory(size as u64))?;
        self.memory.write(addr, class.0 as u64);
        self.note_allocation();
        Ok(addr)
    }

    /// A new array of this array class with all elements zero.
    ///
    /// # Errors
    /// `OutOfMemoryError` beyond the heap limit.
    pub fn new_array(&mut self, class: ClassId, length: u32) -> Step<Addr> {
        if length > LONGEST_ARRAY {
            let message = "Requested array size exceeds VM limit";
            return Err(Trap::Raise("java/lang/OutOfMemoryError", Some(message.into())));
        }
        let bytes = length as u64 * self.element_kind(class).array_bytes() as u64;
        let words = bytes.div_ceil(8) + ARRAY_HEADER as u64;
        let addr = u32::try_from(words).ok().and_then(|w| self.memory.allocate(w));
        let addr = addr.ok_or(Trap::NoMemory(words))?;
        self.memory.write(addr, class.0 as u64);
        self.memory.write(addr + 1, length as u64);
        self.note_allocation();
        Ok(addr)
    }

    /// The kind of the elements of an array class.
    pub fn element_kind(&self, class: ClassId) -> Kind {
        match self.class(class).kind {
            ClassKind::Array { kind, .. } => kind,
            _ => Kind::Void,
        }
    }

    /// The length of an array.
    #[inline(always)]
    pub fn array_length(&self, array: Addr) -> u32 {
        self.memory.read(array + 1) as u32
    }

    /// The slot at word `offset` of an object.
    #[inline]
    pub fn field(&self, object: Addr, offset: u32) -> u64 {
        self.memory.read(object + offset)
    }

    /// The reference at word `offset` of an object.
    #[inline]
    pub fn field_ref(&self, object: Addr, offset: u32) -> Addr {
        self.memory.read(object + offset) as Addr
    }

    /// Sets the slot at word `offset` of an object; a shadow there is dropped.
    #[inline]
    pub fn set_field(&mut self, object: Addr, offset: u32, value: u64) {
        self.memory.write(object + offset, value);
        if self.shadows.any() {
            self.set_heap_shadow((object + offset) as u64 * 8, 8, 0);
        }
    }

    /// The element of a reference array.
    #[inline]
    pub fn element_ref(&self, array: Addr, index: u32) -> Addr {
        self.memory.read(array + ARRAY_HEADER + index) as Addr
    }

    /// Sets an element of a reference array.
    #[inline]
    pub fn set_element_ref(&mut self, array: Addr, index: u32, value: Addr) {
        self.memory.write(array + ARRAY_HEADER + index, value as u64);
    }

    /// The bits of an array element, zero-extended from the element's size.
    pub fn element(&self, array: Addr, index: u32, kind: Kind) -> u64 {
        let size = kind.array_bytes();
        self.memory.read_bytes(element_byte(array, index, size), size)
    }

    /// A new `byte[]` with this content.
    pub fn new_byte_array(&mut self, bytes: &[u8]) -> Step<Addr> {
        let array = self.new_array(ClassId(self.classes.well_known.byte_array), bytes.len() as u32)?;
        for (index, chunk) in bytes.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.memory.write(array + ARRAY_HEADER + index as u32, u64::from_le_bytes(word));
        }
        Ok(array)
    }

    /// The bytes of a `byte[]` or `boolean[]`.
    pub fn byte_array(&self, array: Addr) -> Vec<u8> {
        let length = self.array_length(array) as usize;
        let words = self.memory.slice(array + ARRAY_HEADER, (length as u32).div_ceil(8));
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }

    /// A new `String` of these UTF-16 units. Strings are never compact here, as on a JVM with
    /// `-XX:-CompactStrings`: a symbolic character then has one representation.
    pub fn new_string(&mut self, units: &[u16]) -> Step<Addr> {
        let bytes: Vec<u8> = units.iter().flat_map(|u| u.to_le_bytes()).collect();
        let value = self.new_byte_array(&bytes)?;
        let string = self.new_object(ClassId(self.classes.well_known.string))?;
        self.memory.write(string + self.classes.well_known.string_value, value as u64);
        self.memory.write(string + self.classes.well_known.string_coder, 1);
        Ok(string)
    }

    /// A new `String` of this text.
    pub fn new_text(&mut self, text: &str) -> Step<Addr> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.new_string(&units)
    }

    /// The UTF-16 units of a `String`.
    pub fn string_units(&self, string: Addr) -> Vec<u16> {
        let value = self.field_ref(string, self.classes.well_known.string_value);
        if value == 0 {
            return Vec::new();
        }
        self.byte_array(value).chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
    }

    /// A `String` as Rust text; lone surrogates become U+FFFD.
    pub fn text(&self, string: Addr) -> String {
        String::from_utf16_lossy(&self.string_units(string))
    }

    /// The interned `String` of these units.
    pub fn intern(&mut self, units: &[u16]) -> Step<Addr> {
        if let Some(found) = self.registers.cold.interned.get(units) {
            return Ok(*found);
        }
        let string = self.new_string(units)?;
        self.registers.cold.interned.insert(Rc::from(units), string);
        Ok(string)
    }

    /// The interned `String` with the content of this one; this one itself if it is the first.
    pub fn intern_existing(&mut self, string: Addr) -> Addr {
        let units = self.string_units(string);
        *self.registers.cold.interned.entry(units.into()).or_insert(string)
    }

    /// The `Class` object of a class.
    pub fn mirror(&mut self, class: ClassId) -> Step<Addr> {
        let word = mirror_word(class);
        let known = self.memory.read(word) as Addr;
        if known != 0 {
            return Ok(known);
        }
        let mirror = self.new_object(ClassId(self.classes.well_known.class))?;
        self.memory.write(mirror + self.classes.well_known.class_vm_id, class.0 as u64 + 1);
        self.memory.write(word, mirror as u64);
        if let ClassKind::Array { element, .. } = self.class(class).kind {
            let component = self.mirror(element)?;
            let offset = self.field_offset(ClassId(self.classes.well_known.class), "componentType");
            if let Some(offset) = offset {
                self.memory.write(mirror + offset, component as u64);
            }
        }
        crate::natives::finish_mirror(self, class, mirror)?;
        Ok(mirror)
    }

    /// The class that a `Class` object stands for.
    pub fn class_of_mirror(&self, mirror: Addr) -> ClassId {
        ClassId((self.field(mirror, self.classes.well_known.class_vm_id) as u32).wrapping_sub(1))
    }

    /// The identity hash code of an object, chosen on first use.
    pub fn identity_hash(&mut self, object: Addr) -> u32 {
        let header = self.memory.read(object);
        if header >> 32 != 0 {
            return (header >> 32) as u32;
        }
        // A permutation of the counter with full period, so that hash tables spread as on a real JVM.
        let next = self.registers.next_hash;
        self.registers.next_hash = next + 1;
        let varied = next.wrapping_add(self.registers.variation.wrapping_mul(0x0151_F3A7));
        let hash = (varied.wrapping_mul(0x9E37_79B1) & 0x7FFF_FFFF).max(1);
        self.memory.write(object, header | (hash as u64) << 32);
        hash
    }

    /// Internal name of the class of an object.
    pub fn class_name_of(&self, object: Addr) -> &str {
        &self.class(self.class_of(object)).name
    }
}

/// Number of elements of the longest array that HotSpot would try to allocate.
const LONGEST_ARRAY: u32 = i32::MAX as u32 - 2;
