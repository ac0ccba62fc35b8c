//! Classes and fields that the machine itself reads and writes.

/// Classes and fields that the machine itself reads and writes, found once at boot.
#[derive(Clone, Debug, Default)]
pub(crate) struct WellKnown {
    pub(crate) object: u32,
    pub(crate) string: u32,
    pub(crate) class: u32,
    pub(crate) byte_array: u32,
    pub(crate) string_value: u32,
    pub(crate) string_coder: u32,
    pub(crate) string_hash: u32,
    pub(crate) class_vm_id: u32,
    pub(crate) throwable_message: u32,
    pub(crate) throwable_cause: u32,
    pub(crate) throwable_backtrace: u32,
    pub(crate) throwable_depth: u32,
    pub(crate) throwable_stack: u32,
}
