//! Natives and intrinsics: one table by class, name and descriptor, one file per class.
//!
//! A native method of the JDK that is missing here throws `UnsatisfiedLinkError`. A method that has bytecode
//! and a row here is an *intrinsic*: the row replaces the bytecode.
//!
//! Rules for natives:
//! - Arguments are read through [`Args`]; the receiver is argument 0 of an instance method.
//! - A native may be run again from its start (after a static initialiser, or when a decision was due), so it
//!   changes nothing before its last use of `?`.
//! - A native without the mark `symbolic` never sees shadows: its symbolic arguments are concretized first.

mod arguments;
mod bytes;
mod call;
mod catalog;
mod census;
mod class_path;
mod io_vector;
mod java2d;
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
mod java_util_prefs;
mod java_util_zip;
mod java_util_zip_streams;
mod jdk_internal_misc;
mod jdk_internal_misc_unsafe;
mod jdk_internal_reflect_constant_pool;
mod jdk_internal_vm_vector;
mod loopback;
mod members;
mod mirrors;
mod pieces;
mod resources;
mod row;
mod serial;
mod services;
mod stack_walker;
mod sun_management;
mod sun_nio_ch;
mod sun_nio_ch_epoll;
mod sun_nio_fs;
mod support;
mod system_calls;
pub(crate) mod table;
mod unsafe_memory;
mod zlib;

pub use census::{NativeMethod, census};
pub(crate) use mirrors::finish_mirror;
pub use zlib::ZipStream;

pub use crate::machine::{NativeCode, NativeFn};
pub use call::{Args, NativeOutcome, VOID};
pub use row::Native;
pub(crate) use row::{all_quick, fallback, inlined, quick, row, symbolic};

/// The rows of every file; a new file is one line here.
const FILES: &[&[Native]] = &[
    java_io::NATIVES,
    java_io_random_access_file::NATIVES,
    java_io_unix_file_system::NATIVES,
    sun_nio_ch::NATIVES,
    sun_nio_ch_epoll::NATIVES,
    sun_nio_ch::OLD_NATIVES,
    sun_nio_ch::NEW_NATIVES,
    sun_nio_fs::NATIVES,
    java_net::NATIVES,
    loopback::NATIVES,
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
    jdk_internal_vm_vector::NATIVES,
    java_util_prefs::NATIVES,
    java_util_zip::NATIVES,
    java_util_zip_streams::NATIVES,
    class_path::NATIVES,
    resources::NATIVES,
    serial::NATIVES,
    services::NATIVES,
    stack_walker::NATIVES,
    sun_management::NATIVES,
    sun_nio_fs::NATIVES,
    jdk_internal_reflect_constant_pool::NATIVES,
    members::NATIVES,
    jdk_internal_misc_unsafe::ACCESS_NATIVES,
    jdk_internal_misc_unsafe::EXCHANGE_NATIVES,
];

/// The initialisation by which JDK classes pass the offsets of their fields to native code; not needed here.
pub(crate) fn set_up(name: &str, descriptor: &str) -> Option<NativeFn> {
    let nothing = NativeFn { run: support::NOTHING, symbolic: false, inlined: None, quick: false };
    (matches!(name, "initIDs" | "registerNatives") && descriptor.ends_with(")V")).then_some(nothing)
}

/// The table of all natives.
pub(crate) fn table() -> table::Natives<NativeFn> {
    table::Natives::new(FILES.iter().chain(java2d::FILES).chain(crate::dynamic::NATIVES).copied().flatten())
}

/// Every row of the table.
pub fn rows() -> impl Iterator<Item = &'static Native> {
    FILES.iter().chain(java2d::FILES).copied().flatten()
}
