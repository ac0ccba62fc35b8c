//! `jdk.internal.misc.Unsafe`.
//!
//! An address within an object is a byte address: that of the object (eight times its word address) plus the
//! offset that this class gave out; `unsafe_memory` checks where an access leads. Fields take a word each;
//! elements of arrays are packed. Memory "outside the heap" is a hidden array.

use super::support::{NOTHING, boolean, int, long, reference};
use super::unsafe_memory::{AccessTarget, fault};
use super::{Args, Native, NativeOutcome, VOID, all_quick, quick, row, symbolic};
use crate::classes::{ClassKind, Kind};
use crate::exit::{Step, Trap};
use crate::heap::layout::ARRAY_BASE;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{bytes, java_lang_system, members, pieces, unsafe_memory};
use crate::state::Value;
use crate::symbols::sort_of;

const CLASS: &str = "jdk/internal/misc/Unsafe";

/// Both forms, plain and volatile, of reading and writing a kind.
macro_rules! access {
    ($kind:ident, $name:literal, $type:literal) => {
        all_quick([
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
        ])
    };
}

/// Compare-and-set and compare-and-exchange of a kind.
macro_rules! exchange {
    ($kind:ident, $name:literal, $type:literal) => {
        all_quick([
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
                |m, a| Ok(NativeOutcome::Value(compare_and_exchange(m, a, Kind::$kind)?.0)),
            ),
        ])
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
        let (class, _) = members::member_slot(m, a.reference(m, 1));
        reference(m.statics(class)?)
    }),
    row(CLASS, "arrayBaseOffset0", "(Ljava/lang/Class;)I", |_, _| int(ARRAY_BASE as i32)),
    row(CLASS, "arrayIndexScale0", "(Ljava/lang/Class;)I", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 1));
        int(m.element_kind(class).array_bytes() as i32)
    }),
    row(CLASS, "shouldBeInitialized0", "(Ljava/lang/Class;)Z", |m, a| {
        let class = m.class_of_mirror(a.reference(m, 1));
        boolean(m.init_state(class) != crate::heap::layout::InitState::Initialized)
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
        long(allocate_outside(m, bytes)?)
    }),
    row(CLASS, "reallocateMemory0", "(JJ)J", reallocate),
    row(CLASS, "freeMemory0", "(J)V", |m, a| {
        unsafe_memory::take_back(m, a.long(m, 1) as u64);
        Ok(VOID)
    }),
    row(CLASS, "setMemory0", "(Ljava/lang/Object;JJB)V", set_memory),
    quick(row(CLASS, "copyMemory0", "(Ljava/lang/Object;JLjava/lang/Object;JJ)V", copy_memory)),
    row(CLASS, "copySwapMemory0", "(Ljava/lang/Object;JLjava/lang/Object;JJJ)V", copy_swapped),
    row(CLASS, "pageSize", "()I", |_, _| int(4096)),
    row(CLASS, "getLoadAverage0", "([DI)I", super::support::MINUS_ONE),
];

fn load(m: &mut Machine, args: &Args, kind: Kind) -> Step<Value> {
    let (object, offset) = (args.reference(m, 1), args.long(m, 2));
    let size = kind.array_bytes();
    let (at, target) = unsafe_memory::unsafe_place(m, object, offset, size)?;
    unsafe_memory::check_unsafe_load(offset, target, kind)?;
    if let AccessTarget::Field(held) = target {
        if held.array_bytes() == size {
            let bits = kind.narrow(m.memory.read((at / 8) as Addr));
            return Ok(Value { bits, shadow: m.heap_shadow(at) });
        }
        refuse_symbolic_part(m, at)?;
        let bits = m.memory.read((at / 8) as Addr) >> (8 * (at & 7)) & mask(size);
        return Ok(Value { bits: kind.narrow(bits), shadow: 0 });
    }
    let bits = if at & (size as u64 - 1) == 0 {
        m.memory.read_bytes(at, size)
    } else {
        (0..size as u64).rev().fold(0, |bits, i| bits << 8 | m.memory.read_bytes(at + i, 1))
    };
    let shadow = pieces::bytes_shadow(m, at, kind);
    Ok(Value { bits: kind.narrow(bits), shadow })
}

fn store(m: &mut Machine, args: &Args, kind: Kind, value: Value) -> Step<()> {
    let (object, offset) = (args.reference(m, 1), args.long(m, 2));
    let size = kind.array_bytes();
    let (at, target) = unsafe_memory::unsafe_place(m, object, offset, size)?;
    unsafe_memory::check_unsafe_store(m, object, offset, target, kind, value.bits)?;
    if let AccessTarget::Field(held) = target {
        let word = (at / 8) as Addr;
        if held.array_bytes() == size {
            let shadow = m.narrowed_shadow(value, held);
            m.memory.write(word, held.narrow(value.bits));
            m.set_heap_shadow(at, 8, shadow);
            return Ok(());
        }
        refuse_symbolic_part(m, at)?;
        if value.shadow != 0 {
            return Err(Trap::unsupported("a store of a symbolic value into a part of a field"));
        }
        let shift = 8 * (at & 7);
        let rest = m.memory.read(word) & !(mask(size) << shift);
        m.memory.write(word, held.narrow(rest | (value.bits & mask(size)) << shift));
        return Ok(());
    }
    let shadow = m.narrowed_shadow(value, kind);
    if m.shadows.any() {
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
    if shadow != 0 {
        // Memory outside the heap has bytes for elements.
        let element = match target {
            AccessTarget::Elements(kind) => kind,
            AccessTarget::Outside | AccessTarget::Field(_) => Kind::Byte,
        };
        if element.array_bytes() > size {
            return Err(Trap::unsupported("a store of a symbolic value into a part of an array element"));
        }
        if element.array_bytes() == size && sort_of(element) == sort_of(kind) {
            m.set_heap_shadow(at, size, shadow);
        } else {
            pieces::set_element_shadows(m, at, kind, value, element);
        }
    }
    Ok(())
}

/// The low bytes of a word.
fn mask(size: u32) -> u64 {
    u64::MAX >> (64 - 8 * size)
}

fn refuse_symbolic_part(m: &Machine, at: u64) -> Step<()> {
    match m.heap_shadow(at & !7) {
        0 => Ok(()),
        _ => Err(Trap::unsupported("an access to a part of a field whose value is symbolic")),
    }
}

fn get(m: &mut Machine, args: &Args, kind: Kind) -> Step<NativeOutcome> {
    m.concretize(args.value(m, 2), Kind::Long)?;
    Ok(NativeOutcome::Value(load(m, args, kind)?))
}

fn put(m: &mut Machine, args: &Args, kind: Kind) -> Step<NativeOutcome> {
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

fn field_offset_by_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = m.class_of_mirror(args.non_null(m, 1)?);
    let name = args.non_null(m, 2)?;
    let name = m.text(name);
    match m.field_offset(class, &name) {
        Some(offset) => long(offset as i64 * 8),
        None => Err(Trap::Raise("java/lang/InternalError", Some(name))),
    }
}

fn field_offset(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let field = args.non_null(m, 1)?;
    let (class, slot) = members::member_slot(m, field);
    long(m.class(class).fields.get(slot).map_or(0, |f| f.offset as i64 * 8))
}

fn allocate_instance(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = m.class_of_mirror(args.non_null(m, 1)?);
    if m.class(class).is_abstract() || m.class(class).kind != ClassKind::Instance {
        let name = m.external_name(class);
        return Err(Trap::Raise("java/lang/InstantiationException", Some(name)));
    }
    // As on HotSpot, a class has one `Class` object. Other objects that the machine reads must be created by
    // their constructors.
    if class.0 == m.classes.well_known.class {
        return Err(Trap::Raise("java/lang/IllegalAccessException", Some("java.lang.Class".into())));
    }
    if unsafe_memory::is_machines_own(m, class)
        && unsafe_memory::is_program_unsafe(m)
        && !is_plain_value(&m.class(class).name)
    {
        let name = m.external_name(class);
        return Err(Trap::unsupported(format!(
            "an object of the JDK's {name} that Unsafe makes without constructor"
        )));
    }
    m.ensure_initialized(class)?;
    reference(m.new_object(class)?)
}

/// JDK classes whose objects the machine can read in any state.
fn is_plain_value(name: &str) -> bool {
    const NAMES: [&str; 11] = [
        "Object",
        "String",
        "Boolean",
        "Byte",
        "Character",
        "Short",
        "Integer",
        "Long",
        "Float",
        "Double",
        "StringBuilder",
    ];
    name.strip_prefix("java/lang/").is_some_and(|it| NAMES.contains(&it)) || name.ends_with("Exception")
}

fn reallocate(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (old, bytes) = (args.long(m, 1), args.long(m, 3));
    let array = unsafe_memory::outside_array(m, old as u64);
    if old != 0 && array.is_none() {
        return Err(fault());
    }
    let new = allocate_outside(m, bytes)?;
    if let Some(array) = array {
        let kept = (m.array_length(array) as u64).min(bytes as u64);
        java_lang_system::move_bytes(m, old as u64, new as u64, kept);
        unsafe_memory::take_back(m, old as u64);
    }
    long(new)
}

fn set_memory(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (bytes, value) = (args.long(m, 4) as u64, args.int(m, 6) as u64);
    if bytes > 0 {
        let at = unsafe_memory::unsafe_range(m, args.reference(m, 1), args.long(m, 2), bytes)?;
        for i in 0..bytes {
            m.memory.write_bytes(at + i, 1, value & 0xFF);
        }
        bytes::clear_byte_shadows(m, at, bytes);
    }
    Ok(VOID)
}

/// Bytes of an element of the array at this slot; memory outside the heap consists of bytes.
fn element_size(m: &Machine, args: &Args, slot: u32) -> u64 {
    match args.reference(m, slot) {
        0 => 1,
        object if members::is_array_class(m, m.class_of(object)) => {
            u64::from(m.element_kind(m.class_of(object)).array_bytes())
        }
        _ => WORD,
    }
}

/// Bytes of a field.
const WORD: u64 = 8;

fn copy_memory(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    copy(m, args)?;
    Ok(VOID)
}

/// Copies bytes; where to.
fn copy(m: &mut Machine, args: &Args) -> Step<u64> {
    let bytes = args.long(m, 7) as u64;
    if bytes == 0 {
        return Ok(0);
    }
    let from = unsafe_memory::unsafe_range(m, args.reference(m, 1), args.long(m, 2), bytes)?;
    let to = unsafe_memory::unsafe_range(m, args.reference(m, 4), args.long(m, 5), bytes)?;
    if element_size(m, args, 1) == element_size(m, args, 4) || !m.may_have_shadows(from, bytes) {
        java_lang_system::move_bytes(m, from, to, bytes);
        m.copy_shadows(from, to, bytes)?;
    } else if element_size(m, args, 4) == 1 {
        let copied = bytes::bytes_at(m, from, bytes);
        bytes::put_bytes(m, to, &copied);
    } else {
        // Bytes rarely become parts of wider elements, so they are fixed.
        bytes::fix_bytes(m, from, bytes)?;
        java_lang_system::move_bytes(m, from, to, bytes);
        bytes::clear_byte_shadows(m, to, bytes);
    }
    Ok(to)
}

/// Copies elements of this many bytes, with the bytes of each reversed.
fn copy_swapped(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let size = args.long(m, 9) as u64;
    let bytes = args.long(m, 7) as u64;
    let narrow = [1, 4].map(|slot| element_size(m, args, slot)) == [1, 1];
    if !narrow && bytes > 0 {
        let from = unsafe_memory::unsafe_range(m, args.reference(m, 1), args.long(m, 2), bytes)?;
        bytes::fix_bytes(m, from, bytes)?;
    }
    let to = copy(m, args)?;
    if !narrow {
        bytes::clear_byte_shadows(m, to, bytes);
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

/// Bytes outside the Java heap, as a native method reads them.
pub(super) fn read_outside(m: &Machine, at: u64, length: u64) -> Step<Vec<u8>> {
    unsafe_memory::check_outside(m, at, length)?;
    Ok((0..length).map(|i| m.memory.read_bytes(at + i, 1) as u8).collect())
}

/// Writes bytes outside the Java heap.
pub(super) fn write_outside(m: &mut Machine, at: u64, bytes: &[u8]) -> Step<()> {
    unsafe_memory::check_outside(m, at, bytes.len() as u64)?;
    bytes::put_bytes(m, at, &bytes.to_vec().into());
    Ok(())
}

/// Memory outside the Java heap, as a `byte[]` that nothing refers to; its byte address.
pub(super) fn allocate_outside(m: &mut Machine, bytes: i64) -> Step<i64> {
    let length = u32::try_from(bytes).map_err(|_| Trap::NoMemory(bytes as u64 / 8))?;
    let class = m.load("[B")?;
    let array = m.new_array(class, length)?;
    Ok(unsafe_memory::give_out(m, array) as i64)
}
