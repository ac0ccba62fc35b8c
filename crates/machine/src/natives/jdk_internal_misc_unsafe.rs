//! `jdk.internal.misc.Unsafe`.
//!
//! An address within an object is a byte address: that of the object (eight times its word address) plus the
//! offset that this class gave out. Fields take a word each; elements of arrays are packed. Memory "outside the
//! heap" is an array that nobody sees.

use super::support::{NOTHING, boolean, int, long, reference};
use super::{Args, Native, Outcome, VOID, row, symbolic};
use crate::class::{ClassKind, Kind};
use crate::exit::{Step, Trap};
use crate::layout::{ARRAY_BASE, ARRAY_HEADER};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use crate::symbolic::sort_of;

const CLASS: &str = "jdk/internal/misc/Unsafe";

/// Both forms, plain and volatile, of reading and writing a kind.
macro_rules! access {
    ($kind:ident, $name:literal, $type:literal) => {
        [
            symbolic(CLASS, concat!("get", $name), concat!("(Ljava/lang/Object;J)", $type), |m, a| {
                get(m, a, Kind::$kind)
            }),
            symbolic(
                CLASS,
                concat!("get", $name, "Volatile"),
                concat!("(Ljava/lang/Object;J)", $type),
                |m, a| get(m, a, Kind::$kind),
            ),
            symbolic(CLASS, concat!("put", $name), concat!("(Ljava/lang/Object;J", $type, ")V"), |m, a| {
                put(m, a, Kind::$kind)
            }),
            symbolic(
                CLASS,
                concat!("put", $name, "Volatile"),
                concat!("(Ljava/lang/Object;J", $type, ")V"),
                |m, a| put(m, a, Kind::$kind),
            ),
        ]
    };
}

/// Compare-and-set and compare-and-exchange of a kind.
macro_rules! exchange {
    ($kind:ident, $name:literal, $type:literal) => {
        [
            symbolic(
                CLASS,
                concat!("compareAndSet", $name),
                concat!("(Ljava/lang/Object;J", $type, $type, ")Z"),
                |m, a| {
                    let (_, same) = compare_and_exchange(m, a, Kind::$kind)?;
                    boolean(same)
                },
            ),
            symbolic(
                CLASS,
                concat!("compareAndExchange", $name),
                concat!("(Ljava/lang/Object;J", $type, $type, ")", $type),
                |m, a| Ok(Outcome::Value(compare_and_exchange(m, a, Kind::$kind)?.0)),
            ),
        ]
    };
}

const ACCESS: [[Native; 4]; 9] = [
    access!(Boolean, "Boolean", "Z"),
    access!(Byte, "Byte", "B"),
    access!(Char, "Char", "C"),
    access!(Short, "Short", "S"),
    access!(Int, "Int", "I"),
    access!(Long, "Long", "J"),
    access!(Float, "Float", "F"),
    access!(Double, "Double", "D"),
    access!(Reference, "Reference", "Ljava/lang/Object;"),
];

const EXCHANGE: [[Native; 2]; 5] = [
    exchange!(Byte, "Byte", "B"),
    exchange!(Short, "Short", "S"),
    exchange!(Int, "Int", "I"),
    exchange!(Long, "Long", "J"),
    exchange!(Reference, "Reference", "Ljava/lang/Object;"),
];

pub(super) const ACCESS_NATIVES: &[Native] = ACCESS.as_flattened();
pub(super) const EXCHANGE_NATIVES: &[Native] = EXCHANGE.as_flattened();

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "registerNatives", "()V", NOTHING),
    row(CLASS, "loadFence", "()V", NOTHING),
    row(CLASS, "storeFence", "()V", NOTHING),
    row(CLASS, "fullFence", "()V", NOTHING),
    row(CLASS, "objectFieldOffset1", "(Ljava/lang/Class;Ljava/lang/String;)J", field_offset_by_name),
    row(CLASS, "objectFieldOffset0", "(Ljava/lang/reflect/Field;)J", field_offset),
    row(CLASS, "staticFieldOffset0", "(Ljava/lang/reflect/Field;)J", field_offset),
    row(CLASS, "staticFieldBase0", "(Ljava/lang/reflect/Field;)Ljava/lang/Object;", |m, a| {
        let (class, _) = m.member_slot(a.reference(m, 1));
        reference(m.statics(class)?)
    }),
    row(CLASS, "arrayBaseOffset0", "(Ljava/lang/Class;)I", |_, _| int(ARRAY_BASE as i32)),
    row(CLASS, "arrayIndexScale0", "(Ljava/lang/Class;)I", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 1));
        int(m.element_kind(class).array_bytes() as i32)
    }),
    row(CLASS, "shouldBeInitialized0", "(Ljava/lang/Class;)Z", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 1));
        boolean(m.init_state(class) != crate::layout::InitState::Initialized)
    }),
    row(CLASS, "ensureClassInitialized0", "(Ljava/lang/Class;)V", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 1));
        m.ensure_initialized(class)?;
        Ok(VOID)
    }),
    row(CLASS, "allocateInstance", "(Ljava/lang/Class;)Ljava/lang/Object;", allocate_instance),
    row(CLASS, "throwException", "(Ljava/lang/Throwable;)V", |m, a| Err(Trap::Throw(a.non_null(m, 1)?))),
    row(CLASS, "allocateMemory0", "(J)J", |m, a| {
        let bytes = a.long(m, 1);
        long(m.allocate_outside(bytes)?)
    }),
    row(CLASS, "reallocateMemory0", "(JJ)J", reallocate),
    row(CLASS, "freeMemory0", "(J)V", |m, a| {
        if let Some(array) = outside_array(m, a.long(m, 1)) {
            m.unpin(array);
        }
        Ok(VOID)
    }),
    row(CLASS, "setMemory0", "(Ljava/lang/Object;JJB)V", set_memory),
    row(CLASS, "copyMemory0", "(Ljava/lang/Object;JLjava/lang/Object;JJ)V", copy_memory),
    row(CLASS, "copySwapMemory0", "(Ljava/lang/Object;JLjava/lang/Object;JJJ)V", copy_swapped),
    row(CLASS, "pageSize", "()I", |_, _| int(4096)),
    row(CLASS, "getLoadAverage0", "([DI)I", super::support::MINUS_ONE),
];

/// What HotSpot says where it can say anything at all.
const FAULT: &str = "a fault occurred in an unsafe memory access operation";

/// The byte address that the object and offset of an access name.
fn address(m: &Machine, args: &Args) -> u64 {
    (args.reference(m, 1) as u64 * 8).wrapping_add(args.long(m, 2) as u64)
}

/// Whether an access is to a field: a word of its own, held as on the stack.
fn is_field(m: &Machine, args: &Args) -> bool {
    let object = args.reference(m, 1);
    object != 0 && !m.is_array_class(m.class_of(object))
}

fn check(m: &Machine, at: u64, size: u32) -> Step<()> {
    check_range(m, at, u64::from(size))
}

fn check_range(m: &Machine, at: u64, bytes: u64) -> Step<()> {
    let end = m.memory.used() as u64 * 8;
    if bytes == 0 || at >= 8 && at.checked_add(bytes).is_some_and(|last| last <= end) {
        return Ok(());
    }
    Err(Trap::Raise("java/lang/InternalError", Some(FAULT.into())))
}

fn load(m: &mut Machine, args: &Args, kind: Kind) -> Step<Value> {
    let at = address(m, args);
    let size = kind.array_bytes();
    check(m, at, size)?;
    if is_field(m, args) {
        let bits = kind.narrow(m.memory.read_bytes(at, size));
        return Ok(Value { bits, shadow: m.heap_shadow(at) });
    }
    let bits = if at & (size as u64 - 1) == 0 {
        m.memory.read_bytes(at, size)
    } else {
        (0..size as u64).rev().fold(0, |bits, i| bits << 8 | m.memory.read_bytes(at + i, 1))
    };
    let shadow = m.bytes_shadow(at, kind);
    Ok(Value { bits: kind.narrow(bits), shadow })
}

fn store(m: &mut Machine, args: &Args, kind: Kind, value: Value) -> Step<()> {
    let at = address(m, args);
    let size = kind.array_bytes();
    check(m, at, size)?;
    let shadow = m.narrowed_shadow(value, kind);
    if is_field(m, args) {
        m.memory.write_bytes(at & !7, 8, kind.narrow(value.bits));
        m.set_heap_shadow(at & !7, 8, shadow);
        return Ok(());
    }
    if m.any_shadows {
        for i in 1..size as u64 {
            m.set_heap_shadow(at + i, 1, 0);
        }
    }
    if at & (size as u64 - 1) == 0 {
        m.memory.write_bytes(at, size, value.bits);
    } else {
        for i in 0..size as u64 {
            m.memory.write_bytes(at + i, 1, value.bits >> (8 * i));
        }
    }
    m.set_heap_shadow(at, size, 0);
    let array = args.reference(m, 1);
    if shadow != 0 {
        // Memory outside the heap has bytes for elements.
        let element = if array == 0 { Kind::Byte } else { m.element_kind(m.class_of(array)) };
        if element.array_bytes() > size {
            return Err(Trap::unsupported("a store of a symbolic value into a part of an array element"));
        }
        if element.array_bytes() == size && sort_of(element) == sort_of(kind) {
            m.set_heap_shadow(at, size, shadow);
        } else {
            m.set_element_shadows(at, kind, value, element);
        }
    }
    Ok(())
}

fn get(m: &mut Machine, args: &Args, kind: Kind) -> Step<Outcome> {
    m.concretize(args.value(m, 2), Kind::Long)?;
    Ok(Outcome::Value(load(m, args, kind)?))
}

fn put(m: &mut Machine, args: &Args, kind: Kind) -> Step<Outcome> {
    m.concretize(args.value(m, 2), Kind::Long)?;
    store(m, args, kind, args.value(m, 4))?;
    Ok(VOID)
}

/// The old value, and whether it was the expected one and so has been replaced.
fn compare_and_exchange(m: &mut Machine, args: &Args, kind: Kind) -> Step<(Value, bool)> {
    m.concretize(args.value(m, 2), Kind::Long)?;
    let old = load(m, args, kind)?;
    let expected = args.value(m, 4);
    m.concretize(old, kind)?;
    m.concretize(expected, kind)?;
    let same = old.bits == kind.narrow(expected.bits);
    if same {
        let new = args.value(m, 4 + kind.slots() as u32);
        store(m, args, kind, new)?;
    }
    Ok((old, same))
}

fn field_offset_by_name(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let class = m.class_of_mirror(args.non_null(m, 1)?);
    let name = args.non_null(m, 2)?;
    let name = m.text(name);
    match m.field_offset(class, &name) {
        Some(offset) => long(offset as i64 * 8),
        None => Err(Trap::Raise("java/lang/InternalError", Some(name))),
    }
}

fn field_offset(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let field = args.non_null(m, 1)?;
    let (class, slot) = m.member_slot(field);
    long(m.class(class).fields.get(slot).map_or(0, |f| f.offset as i64 * 8))
}

fn allocate_instance(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let class = m.class_of_mirror(args.non_null(m, 1)?);
    if m.class(class).is_abstract() || m.class(class).kind != ClassKind::Instance {
        let name = m.external_name(class);
        return Err(Trap::Raise("java/lang/InstantiationException", Some(name)));
    }
    m.ensure_initialized(class)?;
    reference(m.new_object(class)?)
}

/// The array behind an address that `allocateMemory` gave out.
fn outside_array(m: &Machine, at: i64) -> Option<Addr> {
    let array = u32::try_from(at >> 3).ok()?.checked_sub(ARRAY_HEADER)?;
    (at & 7 == 0 && m.registers.seldom.pinned.contains_key(&array)).then_some(array)
}

fn reallocate(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (old, bytes) = (args.long(m, 1), args.long(m, 3));
    let array = outside_array(m, old);
    if old != 0 && array.is_none() {
        return Err(Trap::Raise("java/lang/InternalError", Some(FAULT.into())));
    }
    let new = m.allocate_outside(bytes)?;
    if let Some(array) = array {
        let kept = (m.array_length(array) as u64).min(bytes as u64);
        m.move_bytes(old as u64, new as u64, kept);
        m.unpin(array);
    }
    long(new)
}

fn set_memory(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (at, bytes, value) = (address(m, args), args.long(m, 4) as u64, args.int(m, 6) as u64);
    if bytes > 0 {
        check_range(m, at, bytes)?;
    }
    for i in 0..bytes {
        m.memory.write_bytes(at + i, 1, value);
    }
    m.clear_byte_shadows(at, bytes);
    Ok(VOID)
}

/// Bytes of an element of the array at this slot; outside the heap there are bytes.
fn element_size(m: &Machine, args: &Args, slot: u32) -> u64 {
    match args.reference(m, slot) {
        0 => 1,
        object if m.is_array_class(m.class_of(object)) => {
            u64::from(m.element_kind(m.class_of(object)).array_bytes())
        }
        _ => WORD,
    }
}

/// Bytes of a field.
const WORD: u64 = 8;

fn copy_memory(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let from = address(m, args);
    let to = (args.reference(m, 4) as u64 * 8).wrapping_add(args.long(m, 5) as u64);
    let bytes = args.long(m, 7) as u64;
    if bytes > 0 {
        for at in [from, to] {
            check_range(m, at, bytes)?;
        }
        if element_size(m, args, 1) != element_size(m, args, 4) && m.may_have_shadows(from, bytes) {
            if element_size(m, args, 4) == 1 {
                let copied = m.bytes_at(from, bytes);
                m.put_bytes(to, &copied);
                return Ok(VOID);
            }
            // Bytes become parts of wider elements: rare, so they are fixed.
            m.fix_bytes(from, bytes)?;
            m.move_bytes(from, to, bytes);
            m.clear_byte_shadows(to, bytes);
            return Ok(VOID);
        }
        m.move_bytes(from, to, bytes);
        m.copy_shadows(from, to, bytes);
    }
    Ok(VOID)
}

/// Copies elements of this many bytes, each with its bytes in reverse.
fn copy_swapped(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let size = args.long(m, 9) as u64;
    let (from, bytes) = (address(m, args), args.long(m, 7) as u64);
    let narrow = [1, 4].map(|slot| element_size(m, args, slot)) == [1, 1];
    if !narrow && bytes > 0 {
        check_range(m, from, bytes)?;
        m.fix_bytes(from, bytes)?;
    }
    copy_memory(m, args)?;
    let to = (args.reference(m, 4) as u64 * 8).wrapping_add(args.long(m, 5) as u64);
    if !narrow {
        m.clear_byte_shadows(to, bytes);
    }
    for element in 0..(args.long(m, 7) as u64).checked_div(size).unwrap_or(0) {
        let at = to + element * size;
        for i in 0..size / 2 {
            let (low, high) = (at + i, at + size - 1 - i);
            let (a, b) = (m.memory.read_bytes(low, 1), m.memory.read_bytes(high, 1));
            let (shadow_a, shadow_b) = (m.heap_shadow(low), m.heap_shadow(high));
            m.memory.write_bytes(low, 1, b);
            m.memory.write_bytes(high, 1, a);
            m.set_heap_shadow(low, 1, shadow_b);
            m.set_heap_shadow(high, 1, shadow_a);
        }
    }
    Ok(VOID)
}

impl Machine {
    /// Bytes outside the Java heap, as a native method reads them.
    pub(super) fn read_outside(&self, at: u64, length: u64) -> Step<Vec<u8>> {
        check_range(self, at, length)?;
        Ok((0..length).map(|i| self.memory.read_bytes(at + i, 1) as u8).collect())
    }

    /// Checks that there is memory, as [`Machine::read_outside`] and [`Machine::write_outside`] do.
    pub(super) fn check_outside(&self, at: u64, length: u64) -> Step<()> {
        check_range(self, at, length)
    }

    /// Writes bytes outside the Java heap.
    pub(super) fn write_outside(&mut self, at: u64, bytes: &[u8]) -> Step<()> {
        check_range(self, at, bytes.len() as u64)?;
        self.put_bytes(at, &bytes.to_vec().into());
        Ok(())
    }

    /// Memory outside the Java heap, as a `byte[]` that nothing refers to; its byte address.
    pub(super) fn allocate_outside(&mut self, bytes: i64) -> Step<i64> {
        let length = u32::try_from(bytes).map_err(|_| Trap::NoMemory(bytes as u64 / 8))?;
        let class = self.load("[B")?;
        let array = self.new_array(class, length)?;
        self.pin(array);
        Ok((array + ARRAY_HEADER) as i64 * 8)
    }
}
