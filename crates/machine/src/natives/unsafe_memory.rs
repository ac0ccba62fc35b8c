//! Checks where an access by `Unsafe` leads.
//!
//! A program chooses object and offset freely. The interpreter relies on the contents of memory: a slot of
//! references holds `null` or the address of an object of its type, a header holds a class. It does not check
//! that when it loads, since verified code cannot break it. `Unsafe` could, so its accesses are checked here,
//! and ordinary code pays nothing:
//!
//! - An access lies within one field, within the elements of one array, or within memory that `allocateMemory`
//!   returned and `freeMemory` has not freed. Elsewhere it is an `InternalError`, the one that HotSpot throws
//!   where it can.
//! - References are written and read as references only, and a reference has the type of its slot.
//! - A number written into a field is truncated to the field's kind.
//! - Objects that the machine itself reads (those of `java.lang` and related packages) are not written by
//!   `sun.misc.Unsafe`.
//!
//! HotSpot allows more and answers according to its own layout of objects. That is not supported and ends the
//! run.

use crate::classes::{ClassId, ClassKind, Kind};
use crate::exit::{Step, Trap};
use crate::heap::layout::{ARRAY_BASE, ARRAY_HEADER, state_word};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::members;
use cupping_classfile::descriptor::class_name;

/// HotSpot's message, for faults that it can report.
const FAULT: &str = "a fault occurred in an unsafe memory access operation";

/// The target of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessTarget {
    /// A field of this kind: a word of its own, held as on the stack.
    Field(Kind),
    /// Elements of this kind, packed.
    Elements(Kind),
    /// Memory outside the heap: bytes.
    Outside,
}

/// A field of an object: its declaring class and its index there.
type FieldPlace = (ClassId, usize);

/// The error for an access to what is not there.
pub(super) fn fault() -> Trap {
    Trap::Raise("java/lang/InternalError", Some(FAULT.into()))
}

fn refused(what: &str) -> Trap {
    Trap::unsupported(format!("an access by Unsafe {what}"))
}

/// The byte address of an access of this size, and its target. For an access to memory outside the heap the
/// object is `null`.
pub(super) fn unsafe_place(m: &Machine, object: Addr, offset: i64, size: u32) -> Step<(u64, AccessTarget)> {
    if object == 0 {
        check_outside(m, offset as u64, u64::from(size))?;
        return Ok((offset as u64, AccessTarget::Outside));
    }
    let at = (u64::from(object) * 8).checked_add_signed(offset).ok_or_else(fault)?;
    let class = m.class_of(object);
    if members::is_array_class(m, class) {
        check_elements(m, object, offset, u64::from(size))?;
        return Ok((at, AccessTarget::Elements(m.element_kind(class))));
    }
    let (class, field) = field_at(m, object, offset)?;
    let kind = m.class(class).fields[field].kind;
    if (at & 7) + u64::from(size) > u64::from(kind.array_bytes()) {
        return Err(refused("to more than one field"));
    }
    Ok((at, AccessTarget::Field(kind)))
}

/// The byte address of a range of bytes: elements of an array of numbers, or memory outside the heap.
pub(super) fn unsafe_range(m: &Machine, object: Addr, offset: i64, bytes: u64) -> Step<u64> {
    if object == 0 {
        check_outside(m, offset as u64, bytes)?;
        return Ok(offset as u64);
    }
    let class = m.class_of(object);
    if !members::is_array_class(m, class) || m.element_kind(class) == Kind::Reference {
        return Err(refused("to a run of bytes that is not an array of numbers"));
    }
    check_elements(m, object, offset, bytes)?;
    Ok(u64::from(object) * 8 + offset as u64)
}

/// Checks that memory outside the heap is there.
pub(super) fn check_outside(m: &Machine, at: u64, bytes: u64) -> Step<()> {
    if bytes == 0 {
        return Ok(());
    }
    let block = m.registers.cold.outside.get_prev(&at);
    match block.and_then(|(start, length)| start.checked_add(*length)) {
        Some(end) if at.checked_add(bytes).is_some_and(|last| last <= end) => Ok(()),
        _ => Err(fault()),
    }
}

fn check_elements(m: &Machine, array: Addr, offset: i64, bytes: u64) -> Step<()> {
    let size = u64::from(m.element_kind(m.class_of(array)).array_bytes());
    let end = ARRAY_BASE + u64::from(m.array_length(array)) * size;
    let start = u64::try_from(offset).map_err(|_| fault())?;
    match start.checked_add(bytes) {
        Some(last) if start >= ARRAY_BASE && last <= end => Ok(()),
        _ => Err(fault()),
    }
}

/// The field at this offset: of an object, or a static one for the result of `staticFieldBase`.
fn field_at(m: &Machine, object: Addr, offset: i64) -> Step<FieldPlace> {
    let word = u16::try_from(offset.div_euclid(8)).map_err(|_| fault())?;
    let find = |class: ClassId, is_static: bool| {
        let mut fields = m.class(class).fields.iter();
        fields.position(|it| it.offset == word && it.is_static() == is_static).map(|at| (class, at))
    };
    let class = m.class_of(object);
    if class.0 == m.classes.well_known.object {
        let statics = |id: ClassId| (m.memory.read(state_word(id)) >> 8) as Addr;
        let owner = (0..m.classes().len() as u32).map(ClassId).find(|id| statics(*id) == object);
        return owner.and_then(|owner| find(owner, true)).ok_or_else(fault);
    }
    let mut at = Some(class);
    while let Some(id) = at {
        if let Some(found) = find(id, false) {
            return Ok(found);
        }
        at = m.class(id).super_class;
    }
    Err(fault())
}

/// Checks that `value` may be written there as a value of this kind.
pub(super) fn check_unsafe_store(
    m: &Machine,
    object: Addr,
    offset: i64,
    target: AccessTarget,
    kind: Kind,
    value: u64,
) -> Step<()> {
    check_kinds(target, kind, offset)?;
    if object == 0 {
        return Ok(());
    }
    let class = m.class_of(object);
    if matches!(target, AccessTarget::Field(_)) {
        let (owner, _) = field_at(m, object, offset)?;
        if is_machines_own(m, owner) && is_program_unsafe(m) {
            let name = m.external_name(owner);
            return Err(refused(&format!("that writes into the JDK's {name}")));
        }
    }
    let value = value as Addr;
    if kind != Kind::Reference || value == 0 {
        return Ok(());
    }
    let given = m.class_of(value);
    let fits = match target {
        AccessTarget::Field(_) => {
            let (owner, field) = field_at(m, object, offset)?;
            fits_descriptor(m, given, &m.class(owner).fields[field].descriptor)
        }
        _ => match m.class(class).kind {
            ClassKind::Array { element, .. } => {
                m.is_subtype(given, element) || m.class(element).is_interface()
            }
            _ => false,
        },
    };
    match fits {
        true => Ok(()),
        false => Err(refused(&format!("that stores {} into a slot of another type", m.external_name(given)))),
    }
}

/// Checks that a value of this kind may be read there.
pub(super) fn check_unsafe_load(offset: i64, target: AccessTarget, kind: Kind) -> Step<()> {
    match kind {
        // An address is a number like any other.
        Kind::Reference => check_kinds(target, kind, offset),
        _ => Ok(()),
    }
}

/// References and numbers have slots of their own.
fn check_kinds(target: AccessTarget, kind: Kind, offset: i64) -> Step<()> {
    let of_references =
        matches!(target, AccessTarget::Field(Kind::Reference) | AccessTarget::Elements(Kind::Reference));
    if of_references != (kind == Kind::Reference) {
        return Err(refused(match of_references {
            true => "that writes a number where a reference is",
            false => "to a reference where a number is",
        }));
    }
    match of_references && offset & 7 != 0 {
        true => Err(refused("to a part of a reference")),
        false => Ok(()),
    }
}

/// Whether an object of this class may be in a field of this descriptor. Like the verifier, it accepts any
/// object for an interface: calls check the receiver.
fn fits_descriptor(m: &Machine, given: ClassId, descriptor: &str) -> bool {
    let name = class_name(descriptor).unwrap_or(descriptor);
    if name == "java/lang/Object" {
        return true;
    }
    // A class that is not loaded has no objects. A class of a program's loader may have the same name.
    if let Some(known) = m.classes.names.get(name)
        && (m.is_subtype(given, known) || m.class(known).is_interface())
    {
        return true;
    }
    m.class(given).supertypes.iter().any(|it| &*m.class(*it).name == name)
}

/// Whether the machine's own code reads objects of this class and relies on what the JDK wrote to them.
pub(super) fn is_machines_own(m: &Machine, class: ClassId) -> bool {
    const PACKAGES: [&str; 9] = [
        "java/lang/",
        "java/io/",
        "java/net/",
        "java/nio/",
        "java/security/",
        "java/util/jar/",
        "java/util/zip/",
        "jdk/",
        "sun/",
    ];
    // Programs put sets of their own into selectors, and the machine does not look at these.
    const OPEN: &str = "sun/nio/ch/SelectorImpl";
    let class = m.class(class);
    class.from_jdk && &*class.name != OPEN && PACKAGES.iter().any(|package| class.name.starts_with(package))
}

/// Whether the program calls, by `sun.misc.Unsafe`, rather than the class library.
pub(super) fn is_program_unsafe(m: &Machine) -> bool {
    let caller = m.registers.frames.last().map(|frame| m.class(frame.code.class));
    caller.is_some_and(|class| &*class.name == "sun/misc/Unsafe")
}

/// Registers memory outside the heap: the elements of this `byte[]`.
pub(super) fn give_out(m: &mut Machine, array: Addr) -> u64 {
    let start = u64::from(array + ARRAY_HEADER) * 8;
    let bytes = u64::from(m.array_length(array)) * u64::from(m.element_kind(m.class_of(array)).array_bytes());
    m.pin(array);
    m.registers.cold.outside.insert(start, bytes);
    start
}

/// Unregisters memory outside the heap; returns its array.
pub(super) fn take_back(m: &mut Machine, at: u64) -> Option<Addr> {
    let array = outside_array(m, at)?;
    m.registers.cold.outside.remove(&at);
    m.unpin(array);
    Some(array)
}

/// The array behind an address that was given out.
pub(super) fn outside_array(m: &Machine, at: u64) -> Option<Addr> {
    m.registers.cold.outside.get(&at)?;
    Some((at / 8) as Addr - ARRAY_HEADER)
}
