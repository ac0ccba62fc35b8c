//! `java.lang.Object`.

use super::{Args, Native, NativeOutcome, VOID, quick, row};
use crate::classes::ClassKind;
use crate::exit::{Step, Trap};
use crate::heap::layout::{ARRAY_HEADER, OBJECT_HEADER};
use crate::machine::Machine;
use crate::natives::java_lang_thread;
use crate::state::Value;
use crate::threads::StopReason;
use crate::threads::monitors::not_owner;

const CLASS: &str = "java/lang/Object";

pub(super) const NATIVES: &[Native] = &[
    quick(row(CLASS, "<init>", "()V", |_, _| Ok(VOID))),
    quick(row(CLASS, "getClass", "()Ljava/lang/Class;", get_class)),
    row(CLASS, "hashCode", "()I", hash_code),
    quick(row(CLASS, "clone", "()Ljava/lang/Object;", clone)),
    row(CLASS, "notify", "()V", |m, a| notify(m, a, false)),
    row(CLASS, "notifyAll", "()V", |m, a| notify(m, a, true)),
    row(CLASS, "wait", "(J)V", wait),
    row(CLASS, "wait0", "(J)V", wait),
];

fn get_class(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = m.class_of(args.reference(m, 0));
    Ok(NativeOutcome::Value(Value::reference(m.mirror(class)?)))
}

fn hash_code(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let object = args.reference(m, 0);
    note_identity(m);
    Ok(NativeOutcome::Value(Value::int(m.identity_hash(object) as i32)))
}

/// Where the JDK keeps objects by identity for its own purposes, invisible to the program: those held by a thread, to
/// which opening a file leads, and resource bundles, which a module finds again.
const OWN_IDENTITIES: [&str; 2] =
    ["jdk/internal/misc/TerminatingThreadLocal", "java/util/ResourceBundle$CacheKey"];
/// Limit on the frames between that code and the read of the hash code.
const NEAR: usize = 6;

/// Records that an identity hash code is read, which differs from run to run.
pub(super) fn note_identity(m: &mut Machine) {
    let near = m.registers.frames.iter().rev().take(NEAR);
    let mut classes = near.map(|frame| m.method(frame.code.method).class);
    let is_internal = classes.any(|class| OWN_IDENTITIES.contains(&&*m.class(class).name));
    if !is_internal {
        m.registers.volatile_reads += 1;
    }
}

fn notify(m: &mut Machine, args: &Args, all: bool) -> Step<NativeOutcome> {
    let object = args.reference(m, 0);
    if !m.holds_monitor(object) {
        return Err(not_owner());
    }
    m.notify_waiting(object, all);
    Ok(VOID)
}

fn wait(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (object, millis) = (args.reference(m, 0), args.long(m, 1));
    if millis < 0 {
        return Err(super::support::illegal_argument("timeout value is negative"));
    }
    if !m.holds_monitor(object) {
        return Err(not_owner());
    }
    if java_lang_thread::take_interrupt(m) {
        return Err(Trap::Raise("java/lang/InterruptedException", None));
    }
    let count = m.release_monitor(object)?;
    let nanos = (millis as u64).saturating_mul(1_000_000);
    let deadline = (millis > 0).then(|| m.now().saturating_add(nanos));
    Ok(NativeOutcome::Block(StopReason::Waiting { object, count, deadline, notified: false }))
}

fn clone(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let object = args.reference(m, 0);
    let class = m.class_of(object);
    let (copy, first, words) = match m.class(class).kind {
        ClassKind::Array { kind, .. } => {
            let length = m.array_capacity(object);
            let copy = m.new_array(class, length)?;
            m.memory.write(copy + 1, m.memory.read(object + 1));
            if m.registers.cold.capacities.contains_key(&object) {
                m.registers.cold.capacities.insert(copy, length);
            }
            (copy, 1, (length * kind.array_bytes()).div_ceil(8) + ARRAY_HEADER - 1)
        }
        _ => {
            let cloneable = m.load("java/lang/Cloneable")?;
            if !m.is_subtype(class, cloneable) {
                let name = m.class(class).name.replace('/', ".");
                return Err(Trap::Raise("java/lang/CloneNotSupportedException", Some(name)));
            }
            let size = m.class(class).size as u32;
            (m.new_object(class)?, OBJECT_HEADER, size - OBJECT_HEADER)
        }
    };
    m.memory.copy_words(object + first, copy + first, words);
    m.copy_shadows((object + first) as u64 * 8, (copy + first) as u64 * 8, words as u64 * 8)?;
    Ok(NativeOutcome::Value(Value::reference(copy)))
}
