//! What classes and methods are made of, from a class file or by the machine.

use super::class::Field;
use super::ids::ClassId;
use crate::memory::Addr;
use cupping_classfile::{AccessFlags, ClassFile};
use std::sync::Arc;

/// What a class is made of.
pub(crate) struct ClassParts {
    pub(crate) name: Arc<str>,
    pub(crate) super_class: Option<ClassId>,
    pub(crate) interfaces: Vec<ClassId>,
    pub(crate) access: AccessFlags,
    pub(crate) fields: Vec<Field>,
    pub(crate) size: u16,
    pub(crate) static_size: u32,
    pub(crate) from_jdk: bool,
    pub(crate) host: Option<ClassId>,
    pub(crate) loader: Addr,
    pub(crate) file: Option<Arc<ClassFile>>,
}

/// What a method is made of.
pub(crate) struct MethodParts {
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    pub(crate) access: AccessFlags,
    pub(crate) has_code: bool,
}
