//! Queries on the classes of a machine.

use super::class::{Class, ClassKind};
use super::ids::{ClassId, MethodId, SignatureId};
use crate::machine::{Machine, Method};
use std::sync::Arc;

impl Machine {
    /// The class of this id.
    #[inline]
    pub fn class(&self, id: ClassId) -> &Class {
        self.classes.class(id)
    }

    /// The method of this id.
    #[inline]
    pub fn method(&self, id: MethodId) -> &Method {
        self.classes.method(id)
    }

    /// Loaded classes by id.
    #[inline]
    pub fn classes(&self) -> &[Class] {
        self.classes.classes()
    }

    /// The class of this internal name, if it is loaded.
    #[inline]
    pub fn loaded(&self, name: &str) -> Option<ClassId> {
        self.classes.names.get(name)
    }

    /// Loaded methods by id.
    #[inline]
    pub fn methods(&self) -> &[Method] {
        self.classes.methods()
    }

    /// `Class.method` for messages.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        format!("{}.{}{}", self.class(method.class).name, method.name, method.descriptor)
    }

    /// The interned pair of name and descriptor.
    #[inline]
    pub fn signature(&mut self, name: &Arc<str>, descriptor: &Arc<str>) -> SignatureId {
        self.classes.signature(name, descriptor)
    }

    /// Whether every value of `class` is one of `target`.
    #[inline]
    pub fn is_subtype(&self, class: ClassId, target: ClassId) -> bool {
        self.classes.is_subtype(class, target)
    }

    /// The method of this name and descriptor that `class` declares.
    #[inline]
    pub fn declared_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        self.classes.declared_method(class, name, descriptor)
    }

    /// Method resolution (JVMS §5.4.3.3, §5.4.3.4): the class, its superclasses, then its interfaces.
    #[inline]
    pub fn find_method(&self, class: ClassId, name: &str, descriptor: &str) -> Option<MethodId> {
        self.classes.find_method(class, name, descriptor)
    }

    /// Field resolution (JVMS §5.4.3.2): the declaring class and the index of the field in it.
    #[inline]
    pub fn find_field(&self, class: ClassId, name: &str, descriptor: &str) -> Option<(ClassId, usize)> {
        self.classes.find_field(class, name, descriptor)
    }

    /// The word offset of an instance field by name alone, for the machine's own use.
    #[inline]
    pub fn field_offset(&self, class: ClassId, name: &str) -> Option<u32> {
        self.classes.field_offset(class, name)
    }

    /// Whether `class` is, or is below, the class of this name; `false` when none of that name is loaded.
    #[inline]
    pub fn is_named_subtype(&self, class: ClassId, name: &str) -> bool {
        self.classes.is_named_subtype(class, name)
    }

    /// The method that a virtual or interface call of `method` on a receiver of `class` runs (JVMS §5.4.6).
    #[inline]
    pub fn select(&mut self, class: ClassId, method: MethodId) -> MethodId {
        self.classes.select(class, method)
    }

    /// The host of the nest of a hidden class; `None` of any other.
    #[inline]
    pub(crate) fn hidden_nest(&self, class: ClassId) -> Option<ClassId> {
        self.classes.hidden_nest(class)
    }

    /// The name of a class as Java shows it, with dots. That of a class that the machine makes is another one in each
    /// variation of a run, since no JVM gives it this name.
    pub(crate) fn external_name(&self, class: ClassId) -> String {
        let name = self.classes.external_name(class);
        match self.registers.variation {
            0 => name,
            variation if self.is_made_up(class) => format!("{name}_{variation}"),
            _ => name,
        }
    }

    /// Whether a class, or that of an array's elements, has no class file of this name: stubs, proxies, functions.
    fn is_made_up(&self, class: ClassId) -> bool {
        let class = match self.class(class).kind {
            ClassKind::Array { element, .. } => element,
            _ => class,
        };
        self.class(class).host.is_some()
    }
}
