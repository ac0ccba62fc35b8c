//! Natives and intrinsics: one table by class, name and descriptor, one file per class.
//!
//! A native method of the JDK that is not here throws `UnsatisfiedLinkError`. A method that has bytecode
//! and stands here as well is an *intrinsic*: it is run instead of the bytecode.
//!
//! Rules for natives:
//! - Arguments are read through [`Args`]; the receiver is argument 0 of an instance method.
//! - A native may be run again from its start (after a static initialiser, or when a decision was due), so it
//!   changes nothing before its last use of `?`.
//! - One that is not marked `symbolic` never sees shadows: its symbolic arguments are concretized first.

mod bytes;
mod census;
mod java_io;
mod java_io_random_access_file;
mod java_io_unix_file_system;
mod java_lang_class;
mod java_lang_class_loader;
mod java_lang_float;
mod java_lang_module;
mod java_lang_object;
mod java_lang_process;
mod java_lang_reflect;
mod java_lang_strict_math;
mod java_lang_string;
mod java_lang_system;
mod java_lang_thread;
mod java_lang_throwable;
mod java_net;
mod java_util_zip;
mod java_util_zip_streams;
mod jdk_internal_misc;
mod jdk_internal_misc_unsafe;
mod jdk_internal_reflect_constant_pool;
mod members;
mod mirrors;
mod pieces;
mod resources;
mod serial;
mod services;
mod stack_walker;
mod sun_nio_ch;
mod sun_nio_fs;
mod support;
mod system_calls;
mod unsafe_memory;
mod zlib;

pub use census::{Declared, census};
pub use java_util_zip_streams::ZipStream;
pub(crate) use mirrors::finish_mirror;
pub(crate) use services::Catalog;

use crate::classes::class::MethodId;
use crate::code::Op;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::Value;
use rustc_hash::FxHashMap;

/// What a native came to.
pub enum Outcome {
    /// Its result; ignored for `void`.
    Value(Value),
    /// The running thread stops; when it goes on, the native has returned nothing.
    Block(crate::threads::Why),
    /// The call of a Java method with these arguments (receiver first); what that returns is the result.
    Call(MethodId, Vec<Value>),
    /// The call of a Java method with the very arguments of the native, receiver included.
    Forward(MethodId),
}

/// Shorthand for natives without a result.
pub const VOID: Outcome = Outcome::Value(Value::concrete(0));

/// The code of a native.
pub type Run = fn(&mut Machine, &Args) -> Step<Outcome>;

/// A native and how it takes symbolic arguments.
#[derive(Clone, Copy)]
pub struct NativeFn {
    /// The code.
    pub run: Run,
    /// Whether it deals with shadows itself.
    pub symbolic: bool,
    /// The operation that the instruction loop has for it, where all is plain. Its class needs no initialisation.
    pub inlined: Option<Op>,
}

/// A row of the table.
pub struct Native {
    /// Internal name of the class.
    pub class: &'static str,
    /// Name of the method.
    pub name: &'static str,
    /// Its descriptor; `*` for all.
    pub descriptor: &'static str,
    /// What runs.
    pub native: NativeFn,
    /// Whether it stands for bytecode as well, where the method has some.
    pub replaces: bool,
}

/// A row for a native that never sees shadows.
pub(crate) const fn row(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    run: Run,
) -> Native {
    Native {
        class,
        name,
        descriptor,
        native: NativeFn { run, symbolic: false, inlined: None },
        replaces: true,
    }
}

/// A row for a native that deals with shadows.
pub(crate) const fn symbolic(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    run: Run,
) -> Native {
    Native {
        class,
        name,
        descriptor,
        native: NativeFn { run, symbolic: true, inlined: None },
        replaces: true,
    }
}

/// The same for one that the instruction loop has an operation for.
pub(crate) const fn inlined(row: Native, op: Op) -> Native {
    let native = NativeFn { inlined: Some(op), ..row.native };
    Native { native, ..row }
}

/// A row for a method that is native in some JDKs only: bytecode, where there is some, is run as it is.
pub(crate) const fn fallback(
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    run: Run,
) -> Native {
    Native {
        class,
        name,
        descriptor,
        native: NativeFn { run, symbolic: false, inlined: None },
        replaces: false,
    }
}

/// All natives, by class and name.
pub struct Table {
    by_name: FxHashMap<(&'static str, &'static str), Vec<&'static Native>>,
}

/// The rows of every file; a new file is one line here.
const FILES: &[&[Native]] = &[
    java_io::NATIVES,
    java_io_random_access_file::NATIVES,
    java_io_unix_file_system::NATIVES,
    sun_nio_ch::NATIVES,
    sun_nio_ch::OLD_NATIVES,
    sun_nio_ch::NEW_NATIVES,
    sun_nio_fs::NATIVES,
    java_net::NATIVES,
    java_lang_process::NATIVES,
    java_lang_class::NATIVES,
    java_lang_class_loader::NATIVES,
    java_lang_float::NATIVES,
    java_lang_module::NATIVES,
    java_lang_object::NATIVES,
    java_lang_strict_math::NATIVES,
    java_lang_reflect::NATIVES,
    java_lang_reflect::TYPED_NATIVES,
    java_lang_string::NATIVES,
    java_lang_system::NATIVES,
    java_lang_thread::NATIVES,
    java_lang_throwable::NATIVES,
    jdk_internal_misc::NATIVES,
    jdk_internal_misc_unsafe::NATIVES,
    java_util_zip::NATIVES,
    java_util_zip_streams::NATIVES,
    resources::NATIVES,
    serial::NATIVES,
    services::NATIVES,
    stack_walker::NATIVES,
    sun_nio_fs::NATIVES,
    jdk_internal_reflect_constant_pool::NATIVES,
    members::NATIVES,
    jdk_internal_misc_unsafe::ACCESS_NATIVES,
    jdk_internal_misc_unsafe::EXCHANGE_NATIVES,
];

/// Every row of the table.
pub fn rows() -> impl Iterator<Item = &'static Native> {
    FILES.iter().copied().flatten()
}

impl Table {
    /// The table of all natives.
    pub(crate) fn new() -> Table {
        let mut by_name: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for native in FILES.iter().chain(crate::dynamic::NATIVES).copied().flatten() {
            by_name.entry((native.class, native.name)).or_default().push(native);
        }
        Table { by_name }
    }

    /// What runs in place of this method, which has bytecode or not.
    pub fn find(&self, class: &str, name: &str, descriptor: &str, has_code: bool) -> Option<NativeFn> {
        let rows = self.by_name.get(&(class, name))?;
        rows.iter()
            .find(|row| row.descriptor == descriptor || row.descriptor == "*")
            .filter(|row| row.replaces || !has_code)
            .map(|row| row.native)
    }
}

/// The arguments of a native, on the caller's operand stack.
pub struct Args {
    pub(crate) base: u32,
    pub(crate) symbolic: bool,
    /// The method invoked.
    pub method: MethodId,
}

impl Args {
    /// The value at this slot (a long or double takes two).
    pub fn value(&self, machine: &Machine, slot: u32) -> Value {
        let at = self.base + slot;
        Value {
            bits: machine.stack.get(at),
            shadow: if self.symbolic { machine.stack_shadows.get(at) } else { 0 },
        }
    }

    /// The reference at this slot.
    pub fn reference(&self, machine: &Machine, slot: u32) -> Addr {
        machine.stack.get(self.base + slot) as Addr
    }

    /// The reference at this slot, or a `NullPointerException`.
    pub fn non_null(&self, machine: &Machine, slot: u32) -> Step<Addr> {
        match self.reference(machine, slot) {
            0 => Err(crate::exit::Trap::Raise("java/lang/NullPointerException", None)),
            object => Ok(object),
        }
    }

    /// The int at this slot.
    pub fn int(&self, machine: &Machine, slot: u32) -> i32 {
        machine.stack.get(self.base + slot) as u32 as i32
    }

    /// The long at this slot.
    pub fn long(&self, machine: &Machine, slot: u32) -> i64 {
        machine.stack.get(self.base + slot) as i64
    }

    /// The float at this slot.
    pub fn float(&self, machine: &Machine, slot: u32) -> f32 {
        f32::from_bits(machine.stack.get(self.base + slot) as u32)
    }

    /// The double at this slot.
    pub fn double(&self, machine: &Machine, slot: u32) -> f64 {
        f64::from_bits(machine.stack.get(self.base + slot))
    }
}
