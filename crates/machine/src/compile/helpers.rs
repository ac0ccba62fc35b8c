//! Functions that compiled code calls instead of repeating their code inline.
//!
//! Each takes the address of the machine first. While it runs, nothing else uses the machine: compiled code
//! holds no reference to it. A panic must not pass through compiled code, which has no unwind tables. It is
//! caught here, and raised again by the code that entered compiled code.

use super::context::{LEFT, PENDING, PRESENT, RETURNED, Record};
use super::reps;
use crate::classes::{ClassId, ClassKind, Kind, MethodId};
use crate::interpret::Stop;
use crate::machine::{Machine, MethodBody};
use crate::natives::{Args, NativeOutcome};
use crate::state::{Frame, Purpose};
use cranelift_codegen::ir::Type;
use cranelift_codegen::ir::types::{F32, F64, I32, I64};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of a helper, which is its index in [`HELPERS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Helper {
    Leave,
    Step,
    PopFrame,
    SavePage,
    NewObject,
    NewArray,
    IsInstance,
    CanStore,
    Select,
    RunNative,
    HitProbe,
    FloatRemainder,
    DoubleRemainder,
}

/// A helper: number, name, types of parameters and result, address.
pub(super) struct HelperRow {
    pub(super) helper: Helper,
    pub(super) name: &'static str,
    pub(super) parameters: &'static [Type],
    pub(super) result: Option<Type>,
    pub(super) address: fn() -> *const u8,
}

macro_rules! row {
    ($helper:ident, $function:ident, [$($parameter:ident),*], $result:expr) => {
        HelperRow {
            helper: Helper::$helper,
            name: stringify!($function),
            parameters: &[$($parameter),*],
            result: $result,
            address: || $function as *const u8,
        }
    };
}

/// All helpers.
pub(super) const HELPERS: &[HelperRow] = &[
    row!(Leave, leave, [I64, I64, I64], None),
    row!(Step, step, [I64, I64, I64], Some(I64)),
    row!(PopFrame, pop_frame, [I64], None),
    row!(SavePage, save_page, [I64, I64], None),
    row!(NewObject, new_object, [I64, I32], Some(I64)),
    row!(NewArray, new_array, [I64, I32, I32], Some(I64)),
    row!(IsInstance, is_instance, [I64, I32, I32, I64], Some(I32)),
    row!(CanStore, can_store, [I64, I64, I64], Some(I32)),
    row!(Select, select, [I64, I32, I64, I64], Some(I64)),
    row!(RunNative, run_native, [I64, I64, I64], Some(I64)),
    row!(HitProbe, hit_probe, [I64, I32], None),
    row!(FloatRemainder, float_remainder, [F32, F32], Some(F32)),
    row!(DoubleRemainder, double_remainder, [F64, F64], Some(F64)),
];

/// Runs a helper's work on the machine, and refreshes the mirrored pointers. A panic becomes `None`.
///
/// # Safety
///
/// `machine` is the address that compiled code was entered with, and nothing else uses the machine meanwhile.
unsafe fn on_machine<T>(machine: *mut Machine, work: impl FnOnce(&mut Machine) -> T) -> Option<T> {
    // SAFETY: see above; compiled code keeps no reference.
    let machine = unsafe { &mut *machine };
    let result = catch_unwind(AssertUnwindSafe(|| work(machine)));
    machine.refresh_context();
    match result {
        Ok(result) => Some(result),
        Err(panic) => {
            machine.compiler.context.panic = Some(panic);
            None
        }
    }
}

/// Creates frames for all records that have none, and updates the innermost of the existing ones.
///
/// # Safety
///
/// The records from the innermost one to one that was entered are frames of compiled code that has not
/// returned.
unsafe fn make_present(machine: &mut Machine) {
    let mut pending = std::mem::take(&mut machine.compiler.pending);
    let mut at = machine.compiler.context.top;
    // SAFETY: as the caller says. The chain ends at a record that the interpreter entered.
    while let Some(record) = unsafe { at.as_ref() } {
        if record.presence != PENDING {
            let frame = machine.current_mut();
            (frame.pc, frame.sp) = (record.pc, frame.base + record.top);
            break;
        }
        pending.push(at);
        at = record.previous;
    }
    while let Some(at) = pending.pop() {
        // SAFETY: it was reached a moment ago, and nobody else uses it.
        let record = unsafe { &mut *at };
        record.presence = PRESENT;
        let code = machine.compiler.code_of(record.function);
        let is_initializing = machine.is_initializing();
        machine.registers.frames.push(Frame {
            code,
            pc: record.pc,
            base: record.base,
            sp: record.base + record.top,
            symbolic: false,
            purpose: Purpose::Call,
            is_initializing,
            monitor: 0,
            serial: record.serial,
        });
    }
    machine.compiler.pending = pending;
}

/// Compiled code ends before the instruction at this place.
extern "C" fn leave(machine: *mut Machine, record: *mut Record, place: u64) {
    // SAFETY: compiled code passes what it was entered with, and the record of its own frame, which is alive.
    unsafe {
        let record = &mut *record;
        (record.pc, record.top) = (place as u32, (place >> 32) as u32);
        let (function, pc) = (record.function, record.pc);
        on_machine(machine, |machine| {
            make_present(machine);
            machine.compiler.note_exit(function, pc, reps::is_compiled);
            machine.compiler.context.stop = None;
        });
    }
}

/// The interpreter runs the instruction at this place, and the methods that it calls. 0 if that is done and
/// compiled code can continue after it.
extern "C" fn step(machine: *mut Machine, record: *mut Record, place: u64) -> i64 {
    // SAFETY: as for `leave`.
    unsafe {
        let record = &mut *record;
        (record.pc, record.top) = (place as u32, (place >> 32) as u32);
        let done = on_machine(machine, |machine| {
            make_present(machine);
            let top = machine.compiler.context.top;
            let was_guarded = machine.compiler.is_guarded();
            let stop = machine.step_through();
            machine.compiler.context.top = top;
            // Code that ignores shadows must not continue once there are some.
            let is_outdated = stop.is_none() && machine.shadows.any() && !was_guarded;
            machine.compiler.context.stop = if is_outdated { Some(Stop::Reload) } else { stop };
            machine.compiler.context.stop.is_none()
        });
        if done == Some(true) { RETURNED } else { LEFT }
    }
}

/// A method returns of which there is a frame.
extern "C" fn pop_frame(machine: *mut Machine) {
    // SAFETY: as for `leave`.
    let machine = unsafe { &mut *machine };
    machine.registers.frames.pop();
}

/// Saves a page that is about to be written.
extern "C" fn save_page(machine: *mut Machine, page: u64) {
    // SAFETY: as for `leave`.
    unsafe {
        on_machine(machine, |machine| machine.memory.prepare_page(page as usize));
    }
}

/// A new object of an initialised class; 0 if there is no room.
extern "C" fn new_object(machine: *mut Machine, class: u32) -> u64 {
    // SAFETY: as for `leave`.
    let object = unsafe { on_machine(machine, |machine| machine.new_object(ClassId(class)).ok()) };
    object.flatten().unwrap_or(0).into()
}

/// A new array of an array class; 0 if there is no room.
extern "C" fn new_array(machine: *mut Machine, class: u32, length: u32) -> u64 {
    // SAFETY: as for `leave`.
    let array = unsafe { on_machine(machine, |machine| machine.new_array(ClassId(class), length).ok()) };
    array.flatten().unwrap_or(0).into()
}

/// Whether every object of `class` is an instance of `target`; the answer is stored in the cell.
extern "C" fn is_instance(machine: *mut Machine, class: u32, target: u32, cell: *mut u64) -> u32 {
    // SAFETY: as for `leave`; the cell belongs to the code that calls.
    unsafe {
        let holds = on_machine(machine, |machine| machine.is_subtype(ClassId(class), ClassId(target)));
        let holds = holds.unwrap_or(false) as u32;
        *cell = u64::from(class) | u64::from(holds) << 32;
        holds
    }
}

/// Whether an object may be stored in an array, by the classes of both, the array's first. A positive answer is
/// stored in the cell.
extern "C" fn can_store(machine: *mut Machine, classes: u64, cell: *mut u64) -> u32 {
    // SAFETY: as for `is_instance`.
    unsafe {
        let fits = on_machine(machine, |machine| {
            let (array, value) = (ClassId((classes >> 16) as u32), ClassId(classes as u16 as u32));
            match machine.class(array).kind {
                ClassKind::Array { element, .. } => machine.is_subtype(value, element),
                _ => false,
            }
        });
        let fits = fits.unwrap_or(false);
        if fits {
            *cell = classes;
        }
        fits as u32
    }
}

/// How a call site selects the method: whether by interface, the index in the vtable, and the named method.
pub(super) fn selection(by_interface: bool, index: u16, method: MethodId) -> u64 {
    u64::from(by_interface) << 63 | u64::from(index) << 32 | u64::from(method.0)
}

/// The method that a call on an object of this class runs; it is stored in the cell. -1 if the interpreter has
/// to handle the call.
extern "C" fn select(machine: *mut Machine, class: u32, site: u64, cell: *mut u64) -> i64 {
    // SAFETY: as for `is_instance`.
    unsafe {
        let found = on_machine(machine, |machine| {
            let (named, class) = (MethodId(site as u32), ClassId(class));
            let method = if site >> 63 != 0 {
                machine.select_implementation(class, named).ok()?
            } else {
                let index = (site >> 32) as u16 as usize;
                machine.class(class).vtable.get(index).copied().unwrap_or(named)
            };
            machine.link_native(method);
            Some(method)
        });
        match found.flatten() {
            Some(method) => {
                *cell = u64::from(class) | u64::from(method.0) << 32;
                i64::from(method.0)
            }
            None => -1,
        }
    }
}

/// [`run_native`] did nothing: the interpreter has to run the call.
pub(super) const NOT_RUN: i64 = -1;
/// [`run_native`] is done; the result is where the arguments began.
pub(super) const RUN: i64 = -2;

/// Runs the native of a method whose arguments begin at this slot, in the plain case. Otherwise returns one of
/// the codes above, or the method to call with the same arguments.
extern "C" fn run_native(machine: *mut Machine, method: u64, arguments: u64) -> i64 {
    // SAFETY: as for `leave`.
    let state = unsafe {
        on_machine(machine, |machine| {
            let method = MethodId(method as u32);
            let loaded = machine.method(method);
            let (kind, MethodBody::Native(native)) = (loaded.result, &loaded.body) else { return NOT_RUN };
            let native = *native;
            if !native.quick || machine.shadows.any() || machine.listener.is_on() {
                return NOT_RUN;
            }
            let base = arguments as u32;
            match (native.run)(machine, &Args { base, symbolic: false, method }) {
                Ok(NativeOutcome::Value(value)) => {
                    debug_assert_eq!(value.shadow, 0, "a shadow comes from nowhere");
                    if kind != Kind::Void {
                        machine.stack.set(base, value.bits);
                    }
                    RUN
                }
                Ok(NativeOutcome::Forward(target)) => target.0.into(),
                // It is run again with a frame.
                _ => NOT_RUN,
            }
        })
    };
    state.unwrap_or(NOT_RUN)
}

extern "C" fn hit_probe(machine: *mut Machine, probe: u32) {
    // SAFETY: as for `leave`.
    unsafe {
        on_machine(machine, |machine| machine.hit_probe(probe));
    }
}

extern "C" fn float_remainder(x: f32, y: f32) -> f32 {
    x % y
}

extern "C" fn double_remainder(x: f64, y: f64) -> f64 {
    x % y
}
