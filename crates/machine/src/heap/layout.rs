//! The layout of objects and arrays in memory.
//!
//! ```text
//! object   [ class id | identity hash ] [ field ] …            one word a field
//! array    [ class id | identity hash ] [ length ] [ elements, packed ] …
//! statics  [ header of java.lang.Object ] [ static field ] …
//! ```
//!
//! The start of memory is reserved: word 0 for `null`, then two tables by class id: the *state word* (address
//! of the statics and [initialisation state](InitState)) and the `Class` object; then the references that
//! `ldc` instructions have loaded. They are in memory, not in [`crate::classes::Class`], so that a fork
//! carries its own static initialisation.

use crate::classes::ClassId;
use crate::memory::Addr;

/// Limit on the classes that one machine can load. Ids have 16 bits, of which the last value marks free space.
pub const MAX_CLASSES: u32 = 0xFFFF;
/// First word of the table of state words.
pub const CLASS_STATE: Addr = 64;
/// First word of the table of `Class` objects.
pub const CLASS_MIRROR: Addr = CLASS_STATE + MAX_CLASSES;
/// First word of the cached constants: one word for each `ldc` instruction that loads a reference.
pub const CONSTANTS: Addr = CLASS_MIRROR + MAX_CLASSES;
/// Limit on the cached constants of one machine; further ones are looked up each time.
pub const MAX_CONSTANTS: u32 = 1 << 18;
/// First word that can be allocated.
pub const HEAP_START: Addr = CONSTANTS + MAX_CONSTANTS;
/// Words before the fields of an object.
pub const OBJECT_HEADER: u32 = 1;
/// Words before the elements of an array.
pub const ARRAY_HEADER: u32 = 2;
/// Bytes before the elements of an array.
pub const ARRAY_BASE: u64 = ARRAY_HEADER as u64 * 8;

/// Initialisation state of a class (JVMS §5.5), the low byte of its state word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum InitState {
    /// Not begun.
    Uninitialized = 0,
    /// Under way.
    InProgress = 1,
    /// Done.
    Initialized = 2,
    /// Its initialiser threw.
    Failed = 3,
}

/// The byte address of an array element.
#[inline(always)]
pub fn element_byte(array: Addr, index: u32, size: u32) -> u64 {
    array as u64 * 8 + ARRAY_BASE + index as u64 * size as u64
}

/// The state word of a class.
#[inline(always)]
pub fn state_word(class: ClassId) -> Addr {
    CLASS_STATE + class.0
}

/// The word that holds the `Class` object of a class.
#[inline(always)]
pub fn mirror_word(class: ClassId) -> Addr {
    CLASS_MIRROR + class.0
}
