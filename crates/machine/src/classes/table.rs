//! The class table: what has been loaded, by number. This is not state: a class is a function of the class path.

use super::class::{Class, ClassKind};
use super::guests::Guests;
use super::ids::{ClassId, MethodId, SignatureId};
use super::linkage::Linkage;
use super::method::Method;
use super::names::Names;
use super::well_known::WellKnown;
use crate::code::Code;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Separates the class-file name from the number in the name of a hidden class. Java shows a slash.
pub(super) const MARK: char = '+';

/// Loaded classes and methods, with natives of type `N`.
pub(crate) struct ClassTable<N> {
    classes: Vec<Class>,
    methods: Vec<Method<N>>,
    /// Addresses of compiled code by method; 0 for none.
    entries: Vec<usize>,
    signatures: FxHashMap<(Arc<str>, Arc<str>), SignatureId>,
    /// The known targets of interface calls.
    pub(super) interface_calls: FxHashMap<(ClassId, MethodId), MethodId>,
    /// Methods that represent conflicting default methods, with the message of a call.
    pub(super) conflicts: FxHashMap<MethodId, String>,
    /// Hidden classes, with the host of the nest of each.
    hidden: FxHashMap<ClassId, ClassId>,
    /// Bodies that replace those of the class files, with the class whose constants they refer to, if it is another
    /// one.
    replaced: FxHashMap<MethodId, (Arc<cupping_classfile::Code>, Option<ClassId>)>,
    /// The original bodies, if they were decoded before the replacement.
    originals: FxHashMap<MethodId, Rc<Code>>,
    /// Words given out for cached constants.
    constants: u32,
    /// Classes by name.
    pub(crate) names: Names,
    /// The progress of loading and linking.
    pub(crate) linkage: Linkage,
    /// Classes that conditions alone may name.
    pub(crate) guests: Guests,
    /// Classes and fields that the machine knows.
    pub(crate) well_known: WellKnown,
}

impl<N> Default for ClassTable<N> {
    fn default() -> ClassTable<N> {
        ClassTable {
            classes: Vec::new(),
            methods: Vec::new(),
            entries: Vec::new(),
            signatures: FxHashMap::default(),
            interface_calls: FxHashMap::default(),
            conflicts: FxHashMap::default(),
            hidden: FxHashMap::default(),
            replaced: FxHashMap::default(),
            originals: FxHashMap::default(),
            constants: 0,
            names: Names::default(),
            linkage: Linkage::default(),
            guests: Guests::default(),
            well_known: WellKnown::default(),
        }
    }
}

impl<N> ClassTable<N> {
    /// The class of this id.
    #[inline(always)]
    pub(crate) fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// The class of this id.
    pub(super) fn class_mut(&mut self, id: ClassId) -> &mut Class {
        &mut self.classes[id.0 as usize]
    }

    /// The method of this id.
    #[inline(always)]
    pub(crate) fn method(&self, id: MethodId) -> &Method<N> {
        &self.methods[id.0 as usize]
    }

    /// The method with this id. Its compiled code is invalidated.
    pub(crate) fn method_mut(&mut self, id: MethodId) -> &mut Method<N> {
        self.entries[id.0 as usize] = 0;
        &mut self.methods[id.0 as usize]
    }

    /// Addresses of compiled code by method, for compiled code; as many as there are methods.
    pub(crate) fn entries(&self) -> *const usize {
        self.entries.as_ptr()
    }

    /// Lets compiled code stand for a method.
    pub(crate) fn set_entry(&mut self, id: MethodId, address: usize) {
        self.entries[id.0 as usize] = address;
    }

    /// Whether compiled code stands for a method.
    pub(crate) fn has_entry(&self, id: MethodId) -> bool {
        self.entries[id.0 as usize] != 0
    }

    /// Lets none stand for it.
    pub(crate) fn clear_entry(&mut self, id: MethodId) {
        self.set_entry(id, 0);
    }

    /// Lets none stand for any method.
    pub(crate) fn clear_entries(&mut self) {
        self.entries.fill(0);
    }

    /// Loaded classes by id.
    pub(crate) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Loaded methods by id.
    pub(crate) fn methods(&self) -> &[Method<N>] {
        &self.methods
    }

    /// The id of the next class.
    pub(super) fn next_class(&self) -> ClassId {
        ClassId(self.classes.len() as u32)
    }

    /// The id of the next method.
    pub(super) fn next_method(&self) -> MethodId {
        MethodId(self.methods.len() as u32)
    }

    /// Adds a class, which has the next id.
    pub(super) fn add_class(&mut self, class: Class) {
        self.classes.push(class);
    }

    /// Adds a method, which has the next id.
    pub(super) fn add_method(&mut self, method: Method<N>) {
        self.methods.push(method);
        self.entries.push(0);
    }

    /// The interned pair of name and descriptor.
    pub(crate) fn signature(&mut self, name: &Arc<str>, descriptor: &Arc<str>) -> SignatureId {
        let next = SignatureId(self.signatures.len() as u32);
        *self.signatures.entry((name.clone(), descriptor.clone())).or_insert(next)
    }

    /// The same, if some method has it.
    pub(super) fn known_signature(&self, signature: &(Arc<str>, Arc<str>)) -> Option<SignatureId> {
        self.signatures.get(signature).copied()
    }

    /// The message of a call to conflicting default methods.
    pub(super) fn conflict(&self, method: MethodId) -> Option<&str> {
        self.conflicts.get(&method).map(String::as_str)
    }

    /// The body that runs in place of the method's own.
    pub(crate) fn replacement(&self, method: MethodId) -> Option<&Arc<cupping_classfile::Code>> {
        self.replaced.get(&method).map(|it| &it.0)
    }

    /// The class whose constants that body refers to, if it is not the method's.
    pub(crate) fn constants_of_replacement(&self, method: MethodId) -> Option<ClassId> {
        self.replaced.get(&method)?.1
    }

    /// Sets it, or takes it away.
    pub(crate) fn set_replacement(
        &mut self,
        method: MethodId,
        body: Option<(Arc<cupping_classfile::Code>, Option<ClassId>)>,
    ) {
        match body {
            Some(body) => self.replaced.insert(method, body),
            None => self.replaced.remove(&method),
        };
    }

    /// Keeps a method's own decoded body while another one replaces it.
    pub(crate) fn keep_original(&mut self, method: MethodId, code: Rc<Code>) {
        self.originals.insert(method, code);
    }

    /// The decoded body that was kept.
    pub(crate) fn take_original(&mut self, method: MethodId) -> Option<Rc<Code>> {
        self.originals.remove(&method)
    }

    /// How many hidden classes there are.
    pub(super) fn hidden_count(&self) -> usize {
        self.hidden.len()
    }

    /// Notes that a class is hidden, and the host of its nest.
    pub(super) fn set_hidden(&mut self, class: ClassId, host: ClassId) {
        self.hidden.insert(class, host);
    }

    /// A new number for a cached constant, below `limit`; `None` if all are in use.
    pub(crate) fn new_constant(&mut self, limit: u32) -> Option<u32> {
        let number = self.constants;
        self.constants += u32::from(number < limit);
        (number < limit).then_some(number)
    }

    /// Numbers given out for cached constants.
    pub(crate) fn constants(&self) -> u32 {
        self.constants
    }

    /// The host of the nest of a hidden class; `None` of any other.
    pub(crate) fn hidden_nest(&self, class: ClassId) -> Option<ClassId> {
        self.hidden.get(&class).copied()
    }

    /// The name of a class as Java shows it, with dots.
    pub(crate) fn external_name(&self, class: ClassId) -> String {
        let name = self.class(class).name.replace('/', ".");
        let element = match self.class(class).kind {
            ClassKind::Array { element, .. } => element,
            _ => class,
        };
        if self.hidden_nest(element).is_some() { name.replace(MARK, "/") } else { name }
    }
}
