//! The context of compiled code: pointers into the machine's parts, and a record for each frame.
//!
//! Compiled code receives the address of the machine and reaches everything else through fields at known
//! offsets. Contents of other owners' vectors are mirrored here and refreshed whenever compiled code is entered
//! and after each call out of it, since vectors move when they grow.

use crate::interpret::Stop;
use std::any::Any;
use std::cell::Cell;

/// Words after the last address that is checked before an access to a field: a check of the object's address
/// thus covers all its fields up to this distance.
pub(super) const FIELD_REACH: u32 = 1024;

/// What compiled code reads and writes besides memory.
#[repr(C)]
pub(crate) struct Context {
    /// The words of memory.
    pub(super) words: *mut u64,
    /// How many of them there are.
    pub(super) word_count: u64,
    /// Objects may be at addresses from 1 to this.
    pub(super) last_object: u64,
    /// The epoch of each page of memory.
    pub(super) page_epochs: *mut u32,
    /// Whether shadows may be on a page, by page; as many as `shadow_page_count`.
    pub(super) shadow_pages: *const u8,
    pub(super) shadow_page_count: u64,
    /// Slots of the operand stack.
    pub(super) slots: *mut u64,
    /// Compiled code of methods by id, 0 for none.
    pub(super) entries: *const usize,
    /// Probes that were hit, 64 in a word, and the number of these words.
    pub(super) coverage: *const u64,
    pub(super) coverage_words: u64,
    /// Whether somebody listens to probes and calls.
    pub(super) listens: u64,
    /// The innermost record; null if no compiled code is active.
    pub(super) top: *mut Record,
    /// Compiled code is not entered if the host's stack pointer is below this address.
    pub(super) stack_limit: u64,
    /// Frames that Java code may have.
    pub(super) frame_limit: u64,
    /// Why compiled code was left, for the code that entered it.
    pub(super) stop: Option<Stop>,
    /// A panic on its way through compiled code.
    pub(super) panic: Option<Box<dyn Any + Send>>,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            words: std::ptr::null_mut(),
            word_count: 0,
            last_object: 0,
            page_epochs: std::ptr::null_mut(),
            shadow_pages: std::ptr::null(),
            shadow_page_count: 0,
            slots: std::ptr::null_mut(),
            entries: std::ptr::null(),
            coverage: std::ptr::null(),
            coverage_words: 0,
            listens: 0,
            top: std::ptr::null_mut(),
            stack_limit: 0,
            frame_limit: 0,
            stop: None,
            panic: None,
        }
    }
}

/// [`Record::presence`] of a frame that is not among the machine's frames: only the record exists.
pub(super) const PENDING: u32 = 0;
/// As [`PENDING`], for a frame that was added to the machine's because a helper needed it.
pub(super) const PRESENT: u32 = 1;
/// As [`PENDING`], for a frame with which the interpreter entered the code; the interpreter performs the
/// return.
pub(super) const ENTERED: u32 = 2;

/// Caches of call sites and casts. Code contains the addresses of these words, so each is boxed.
#[allow(clippy::vec_box, reason = "they must stay where they are")]
pub(super) type Cells = Vec<Box<Cell<u64>>>;

/// The frame of a compiled method, on the host's stack while it runs.
#[repr(C)]
pub(crate) struct Record {
    /// The record of the compiled method that called this one.
    pub(super) previous: *mut Record,
    /// The instruction under execution.
    pub(super) pc: u32,
    /// Slots in use above the first local.
    pub(super) top: u32,
    /// First slot of the locals.
    pub(super) base: u32,
    /// Number of the invocation.
    pub(super) serial: u32,
    /// Which function.
    pub(super) function: u32,
    /// Whether the frame is among the machine's: [`PENDING`], [`PRESENT`] or [`ENTERED`].
    pub(super) presence: u32,
}

/// First result of compiled code: its method has returned, with the second result as its value.
pub(super) const RETURNED: i64 = 0;
/// Compiled code was left; all frames are among the machine's.
pub(super) const LEFT: i64 = 1;
/// The method was not entered: it would exceed the limit on frames or slots.
pub(super) const REFUSED: i64 = 2;
/// A native did nothing: the interpreter has to run the call.
pub(super) const DECLINED: i64 = 3;
