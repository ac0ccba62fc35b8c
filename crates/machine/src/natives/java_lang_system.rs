//! `java.lang.System`: streams, the virtual clock, `arraycopy`.

use super::support::{NOTHING, int, long, null_pointer};
use super::{Args, Native, NativeOutcome, VOID, quick, row, symbolic};
use crate::classes::{ClassKind, Kind};
use crate::exit::{DecisionKind, Step, Trap};
use crate::heap::layout::element_byte;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::java_lang_object;
use crate::state::Value;
use cupping_case::Effect;
use cupping_term::Sort;

const CLASS: &str = "java/lang/System";
const ENVIRONMENT: &str = "java/lang/ProcessEnvironment";

/// Nanoseconds by which the virtual clock advances at each reading.
const TICK: u64 = 1000;
/// Variations up to this one are slow; the clock of the others stands still.
const SLOW_VARIATIONS: u64 = 2;

pub(super) const NATIVES: &[Native] = &[
    row(CLASS, "registerNatives", "()V", NOTHING),
    row(CLASS, "setIn0", "(Ljava/io/InputStream;)V", |m, a| set_stream(m, a, "in")),
    row(CLASS, "setOut0", "(Ljava/io/PrintStream;)V", |m, a| set_stream(m, a, "out")),
    row(CLASS, "setErr0", "(Ljava/io/PrintStream;)V", |m, a| set_stream(m, a, "err")),
    row(CLASS, "currentTimeMillis", "()J", |m, _| {
        long((look(m) / 1_000_000).saturating_add(m.environment.options.start_millis))
    }),
    row(CLASS, "nanoTime", "()J", |m, _| long(look(m) + nano_origin(m.environment.options.seed))),
    quick(symbolic(CLASS, "arraycopy", "(Ljava/lang/Object;ILjava/lang/Object;II)V", arraycopy)),
    row(CLASS, "identityHashCode", "(Ljava/lang/Object;)I", identity_hash_code),
    row(CLASS, "mapLibraryName", "(Ljava/lang/String;)Ljava/lang/String;", map_library_name),
    row(CLASS, "loadLibrary", "(Ljava/lang/String;)V", load_library),
    row(CLASS, "getenv", "(Ljava/lang/String;)Ljava/lang/String;", environment_variable),
    row(CLASS, "getenv", "()Ljava/util/Map;", |m, _| {
        m.note(Effect::EnvironmentRead(None));
        Ok(NativeOutcome::Forward(m.jdk_method(ENVIRONMENT, "getenv", "()Ljava/util/Map;")?))
    }),
    quick(row(CLASS, "getSecurityManager", "()Ljava/lang/SecurityManager;", NOTHING)),
];

/// The JDK's libraries are already there.
fn load_library(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    if m.is_called_by_program() {
        let name = args.non_null(m, 0)?;
        m.note(Effect::NativeLibrary(m.text(name).into()));
    }
    Ok(VOID)
}

fn environment_variable(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = args.non_null(m, 0)?;
    m.note(Effect::EnvironmentRead(Some(m.text(name).into())));
    Ok(NativeOutcome::Forward(m.jdk_method(
        ENVIRONMENT,
        "getenv",
        "(Ljava/lang/String;)Ljava/lang/String;",
    )?))
}

fn set_stream(m: &mut Machine, args: &Args, field: &str) -> Step<NativeOutcome> {
    let system = m.load(CLASS)?;
    m.set_static_field(system, field, args.reference(m, 0) as u64)?;
    Ok(VOID)
}

/// Reads the virtual clock, in nanoseconds.
pub(super) fn look(m: &mut Machine) -> i64 {
    if m.note_entropy() {
        m.registers.volatile_reads += 1;
        m.registers.entropy_reads += 1;
    }
    // Varied runs differ in how long everything takes: some time, or none that a clock shows.
    let variation = u64::from(m.registers.variation);
    if variation > SLOW_VARIATIONS {
        return m.registers.clock as i64;
    }
    let ticks = 1 + variation * 1_000_003;
    m.registers.clock = m.registers.clock.saturating_add(ticks.saturating_mul(TICK));
    m.now() as i64
}

/// The initial value of `nanoTime`, which Java leaves open: it depends on the seed and is at most three days,
/// so that the seeds that the JDK derives from it depend on the seed, too. 0 for seed 0.
fn nano_origin(seed: u64) -> i64 {
    let mixed = (seed ^ seed >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 16) as i64
}

/// Seconds and nanoseconds of the virtual time of day since 1970.
pub(super) fn time_of_day(m: &mut Machine) -> (i64, i64) {
    let nanos = i128::from(look(m)) + i128::from(m.environment.options.start_millis) * 1_000_000;
    let (seconds, part) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    (seconds as i64, part as i64)
}

fn identity_hash_code(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    match args.reference(m, 0) {
        0 => int(0),
        object => {
            java_lang_object::note_identity(m);
            int(m.identity_hash(object) as i32)
        }
    }
}

fn map_library_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let name = args.non_null(m, 0)?;
    let text = format!("lib{}.so", m.text(name));
    super::support::reference(m.new_text(&text)?)
}

fn array_store(message: String) -> Trap {
    Trap::Raise("java/lang/ArrayStoreException", Some(message))
}

/// The element kind of an array, or the exception for an object that is not an array.
fn elements(m: &Machine, array: Addr, role: &str) -> Step<Kind> {
    match m.class(m.class_of(array)).kind {
        ClassKind::Array { kind, .. } => Ok(kind),
        _ => {
            let name = m.class_name_of(array).replace('/', ".");
            Err(array_store(format!("arraycopy: {role} type {name} is not an array")))
        }
    }
}

fn kind_name(m: &Machine, array: Addr) -> String {
    match m.class(m.class_of(array)).kind {
        ClassKind::Array { kind: Kind::Reference, .. } => "object array[]".into(),
        ClassKind::Array { element, .. } => format!("{}[]", m.class(element).name),
        _ => String::new(),
    }
}

fn arraycopy(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (from, to) = (args.reference(m, 0), args.reference(m, 2));
    if from == 0 || to == 0 {
        return Err(null_pointer());
    }
    let (from_kind, to_kind) = (elements(m, from, "source")?, elements(m, to, "destination")?);
    if from_kind != to_kind {
        let message = format!(
            "arraycopy: type mismatch: can not copy {} into {}",
            kind_name(m, from),
            kind_name(m, to)
        );
        return Err(array_store(message));
    }
    let (at, to_at, length) = (args.int(m, 1), args.int(m, 3), args.int(m, 4));
    let range = check_range(m, from, at, to, to_at, length);
    decide_range(m, args, from, to, range.is_ok())?;
    range?;
    for slot in [1, 3, 4] {
        let value = args.value(m, slot);
        m.concretize(value, Kind::Int)?;
    }
    let (at, to_at, length) = (at as u32, to_at as u32, length as u32);
    if from_kind == Kind::Reference {
        return copy_references(m, from, at, to, to_at, length);
    }
    copy_elements(m, from, at, to, to_at, length, from_kind)?;
    Ok(VOID)
}

/// Decides whether the bounds checks of `arraycopy` hold, if symbols are involved.
fn decide_range(m: &mut Machine, args: &Args, from: Addr, to: Addr, holds: bool) -> Step<()> {
    let length_of = |array: Addr| {
        let shadow = m.heap_shadow((array + 1) as u64 * 8);
        Value { bits: m.array_length(array) as u64, shadow }
    };
    let lengths = [length_of(from), length_of(to)];
    let [at, to_at, count] = [1, 3, 4].map(|slot| args.value(m, slot));
    if [at, to_at, count, lengths[0], lengths[1]].iter().all(|value| value.shadow == 0) {
        return Ok(());
    }
    let mut within = m.terms.bool(true);
    let zero = m.terms.int(0);
    for value in [at, to_at, count] {
        let term = m.term(value, Sort::Bv32);
        let in_order = m.terms.sge(term, zero);
        within = m.terms.and(within, in_order);
    }
    // Compute in 64 bits: the sums may overflow.
    let wide = |m: &mut Machine, value| {
        let term = m.term(value, Sort::Bv32);
        m.terms.sext(Sort::Bv64, term)
    };
    for (start, length) in [(at, lengths[0]), (to_at, lengths[1])] {
        let (start, count, length) = (wide(m, start), wide(m, count), wide(m, length));
        let end = m.terms.add(start, count);
        let in_order = m.terms.sle(end, length);
        within = m.terms.and(within, in_order);
    }
    m.decide_branch(DecisionKind::BoundsCheck, within, holds)
}

/// The bounds checks of `arraycopy`, with HotSpot's messages.
fn check_range(m: &Machine, from: Addr, at: i32, to: Addr, to_at: i32, length: i32) -> Step<()> {
    let problem = |what: String| {
        Err(Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", Some(format!("arraycopy: {what}"))))
    };
    let (from_length, to_length) = (m.array_length(from) as i64, m.array_length(to) as i64);
    let (from_name, to_name) = (described(m, from), described(m, to));
    if at < 0 {
        return problem(format!("source index {at} out of bounds for {from_name}[{from_length}]"));
    }
    if to_at < 0 {
        return problem(format!("destination index {to_at} out of bounds for {to_name}[{to_length}]"));
    }
    if length < 0 {
        return problem(format!("length {length} is negative"));
    }
    let (last, to_last) = (at as i64 + length as i64, to_at as i64 + length as i64);
    if last > from_length {
        return problem(format!("last source index {last} out of bounds for {from_name}[{from_length}]"));
    }
    if to_last > to_length {
        return problem(format!("last destination index {to_last} out of bounds for {to_name}[{to_length}]"));
    }
    Ok(())
}

fn described(m: &Machine, array: Addr) -> String {
    match m.class(m.class_of(array)).kind {
        ClassKind::Array { kind: Kind::Reference, .. } => "object array".into(),
        ClassKind::Array { element, .. } => m.class(element).name.to_string(),
        _ => String::new(),
    }
}

fn copy_references(
    m: &mut Machine,
    from: Addr,
    at: u32,
    to: Addr,
    to_at: u32,
    length: u32,
) -> Step<NativeOutcome> {
    let (ClassKind::Array { element: source, .. }, ClassKind::Array { element: target, .. }) =
        (m.class(m.class_of(from)).kind, m.class(m.class_of(to)).kind)
    else {
        return Ok(VOID);
    };
    if m.is_subtype(source, target) {
        copy_elements(m, from, at, to, to_at, length, Kind::Reference)?;
        return Ok(VOID);
    }
    // Elements before the first incompatible one are copied (specification of System.arraycopy).
    for offset in 0..length {
        let element = m.element_ref(from, at + offset);
        if element != 0 && !m.is_subtype(m.class_of(element), target) {
            let name = |class| m.class(class).name.replace('/', ".");
            if !m.is_subtype(target, source) {
                let (from, to) = (name(source), name(target));
                return Err(array_store(format!(
                    "arraycopy: type mismatch: can not copy {from}[] into {to}[]"
                )));
            }
            let message = format!(
                "arraycopy: element type mismatch: can not cast one of the elements of {}[] to the type of the \
                 destination array, {}",
                name(source),
                name(target)
            );
            return Err(array_store(message));
        }
        m.set_element_ref(to, to_at + offset, element);
    }
    Ok(VOID)
}

/// Bytes that are copied in the time of a unit of fuel. Short copies are part of the call.
const BYTES_OF_FUEL: u64 = 256;

/// Copies elements with their shadows between arrays of one kind, which may be the same.
fn copy_elements(
    m: &mut Machine,
    from: Addr,
    at: u32,
    to: Addr,
    to_at: u32,
    length: u32,
    kind: Kind,
) -> Step<()> {
    let size = kind.array_bytes();
    let (start, target) = (element_byte(from, at, size), element_byte(to, to_at, size));
    let bytes = length as u64 * size as u64;
    m.take_fuel(bytes / BYTES_OF_FUEL);
    move_bytes(m, start, target, bytes);
    m.copy_shadows(start, target, bytes)
}

/// Copies bytes of memory; the runs may overlap.
pub(super) fn move_bytes(m: &mut Machine, from: u64, to: u64, bytes: u64) {
    if from & 7 == 0 && to & 7 == 0 {
        let words = (bytes / 8) as u32;
        let tail = bytes - words as u64 * 8;
        // The last bytes are read first, since copying the words may overwrite them.
        let last: Vec<u64> = (0..tail).map(|i| m.memory.read_bytes(from + words as u64 * 8 + i, 1)).collect();
        m.memory.copy_words((from >> 3) as Addr, (to >> 3) as Addr, words);
        for (i, byte) in last.into_iter().enumerate() {
            m.memory.write_bytes(to + words as u64 * 8 + i as u64, 1, byte);
        }
        return;
    }
    if bytes == 0 {
        return;
    }
    // All is read before anything is written, so an overlap does not matter.
    let words = (from >> 3)..=((from + bytes - 1) >> 3);
    let read: Vec<u8> = words.flat_map(|word| m.memory.read_bytes(word << 3, 8).to_le_bytes()).collect();
    let start = (from & 7) as usize;
    let read = &read[start..start + bytes as usize];
    let head = ((8 - (to & 7)) & 7).min(bytes) as usize;
    let (head, rest) = read.split_at(head);
    let mut at = to;
    let write_each = |m: &mut Machine, at: &mut u64, bytes: &[u8]| {
        for byte in bytes {
            m.memory.write_bytes(*at, 1, u64::from(*byte));
            *at += 1;
        }
    };
    write_each(m, &mut at, head);
    let (whole, tail) = rest.as_chunks::<8>();
    for word in whole {
        m.memory.write_bytes(at, 8, u64::from_le_bytes(*word));
        at += 8;
    }
    write_each(m, &mut at, tail);
}
