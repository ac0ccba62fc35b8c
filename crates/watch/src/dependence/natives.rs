//! State that natives read.

use cupping_machine::{Addr, ELEMENT, Machine, MethodId, Value};

/// What a native reads.
pub(crate) enum NativeReads {
    /// Data that programs do not change.
    Nothing,
    /// These locations.
    Locations(Vec<(Addr, u32)>),
    /// Possibly everything that its arguments directly contain.
    Arguments,
    /// Something that the state does not determine, for this reason.
    Unsure(&'static str),
}

/// Natives that query a class, a length or a monitor, or that only write.
const READ_NOTHING: [(&str, &str); 14] = [
    ("java/lang/Object", "getClass"),
    ("java/lang/Object", "<init>"),
    ("java/lang/Object", "notify"),
    ("java/lang/Object", "notifyAll"),
    ("java/lang/Object", "wait"),
    ("java/lang/Object", "wait0"),
    ("java/lang/Class", "isInstance"),
    ("java/lang/Class", "cast"),
    ("java/lang/reflect/Array", "getLength"),
    ("java/lang/Throwable", "fillInStackTrace"),
    ("java/lang/Thread", "currentThread"),
    ("java/lang/Thread", "holdsLock"),
    ("java/lang/System", "load"),
    ("java/lang/System", "setOut0"),
];

/// The reads of a native that is called with these arguments.
pub(crate) fn reads_of_native(machine: &Machine, method: MethodId, arguments: &[Value]) -> NativeReads {
    let loaded = machine.method(method);
    let (class, name) = (&*machine.class(loaded.class).name, &*loaded.name);
    if READ_NOTHING.contains(&(class, name)) || name.starts_with("write") || name.starts_with("put") {
        return NativeReads::Nothing;
    }
    match (class, name) {
        ("java/lang/System", "arraycopy") => copied(machine, arguments),
        ("java/lang/Object", "hashCode") | ("java/lang/System", "identityHashCode") => {
            NativeReads::Unsure("it depends on the identity of an object")
        }
        (
            "java/lang/System" | "jdk/internal/misc/VM",
            "currentTimeMillis" | "nanoTime" | "getNanoTimeAdjustment",
        ) => NativeReads::Unsure("the time decides"),
        _ if ["java/io/", "sun/nio/", "java/net/", "java/lang/Process"]
            .iter()
            .any(|it| class.starts_with(it))
            && !name.starts_with("init") =>
        {
            NativeReads::Unsure("it reads files or other inputs")
        }
        _ => NativeReads::Arguments,
    }
}

/// The elements that `System.arraycopy` reads.
fn copied(machine: &Machine, arguments: &[Value]) -> NativeReads {
    let [from, start, _, _, count] = arguments else { return NativeReads::Arguments };
    let (start, count) = (start.as_int(), count.as_int());
    if from.bits == 0 || !machine.class_name_of(from.as_ref()).starts_with('[') {
        return NativeReads::Nothing;
    }
    let length = i64::from(machine.array_length(from.as_ref()));
    if start < 0 || count < 0 || i64::from(start) + i64::from(count) > length {
        return NativeReads::Nothing;
    }
    let indices = start as u32..(start + count) as u32;
    NativeReads::Locations(indices.map(|at| (from.as_ref(), at | ELEMENT)).collect())
}
