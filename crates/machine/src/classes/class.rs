//! Loaded classes, fields and methods, as linked from class files.
//!
//! This is *not* state: loading is a pure function of the class path, so classes loaded on one fork stay known
//! on all. Whether a class is initialised, its statics and its `Class` object are state, and live in memory
//! (see [`crate::heap::layout`]).

use crate::classes::{ClassId, Kind, MethodId, SignatureId};
use crate::memory::Addr;
use cupping_classfile::{AccessFlags, ClassFile};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The kinds of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A class or interface from a class file, or made by the machine.
    Instance,
    /// An array class.
    Array {
        /// Class of the elements.
        element: ClassId,
        /// The kind of the elements.
        kind: Kind,
    },
    /// A primitive type (or void), which only has a `Class` object.
    Primitive(Kind),
}

/// A declared field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// The kind of its values.
    pub kind: Kind,
    /// Access flags.
    pub access: AccessFlags,
    /// Word offset in the object, or in the statics of the class.
    pub offset: u16,
}

impl Field {
    /// Whether it belongs to the class rather than to its objects.
    pub fn is_static(&self) -> bool {
        self.access.is_static()
    }
}

/// A loaded class.
pub struct Class {
    /// Its id.
    pub id: ClassId,
    /// Internal name; arrays by descriptor (`[I`), primitives by keyword.
    pub name: Arc<str>,
    /// Direct superclass.
    pub super_class: Option<ClassId>,
    /// Direct superinterfaces.
    pub interfaces: Vec<ClassId>,
    /// Access flags of the class file.
    pub access: AccessFlags,
    /// The kind of the class.
    pub kind: ClassKind,
    /// The class file, unless array, primitive or synthetic.
    pub file: Option<Arc<ClassFile>>,
    /// Declared fields, in class-file order.
    pub fields: Vec<Field>,
    /// Words in an object, header included.
    pub size: u16,
    /// Words in the statics: header and static fields.
    pub static_size: u32,
    /// Declared methods, in class-file order.
    pub methods: Vec<MethodId>,
    /// Methods by virtual index.
    pub vtable: Vec<MethodId>,
    /// Virtual index by signature (newest wins).
    pub virtual_index: FxHashMap<SignatureId, u32>,
    /// All supertypes, itself included.
    pub supertypes: FxHashSet<ClassId>,
    /// `<clinit>`, if declared.
    pub initializer: Option<MethodId>,
    /// Whether it comes from the JDK rather than from the class path.
    pub from_jdk: bool,
    /// For a class made by the machine at a call site: the class whose code made it.
    pub host: Option<ClassId>,
    /// The class loader whose name space it is in; 0 for that of the class path and of the JDK.
    pub(crate) loader: Addr,
}

impl Class {
    /// Whether it is an interface.
    pub fn is_interface(&self) -> bool {
        self.access.is_interface()
    }

    /// Whether it is abstract (interfaces are).
    pub fn is_abstract(&self) -> bool {
        self.access.is_abstract()
    }

    /// The package part of its name, `""` for none.
    pub fn package(&self) -> &str {
        self.name.rfind('/').map_or("", |at| &self.name[..at])
    }

    /// The declared field of this name and descriptor.
    pub fn declared_field(&self, name: &str, descriptor: &str) -> Option<&Field> {
        self.fields.iter().find(|f| &*f.name == name && &*f.descriptor == descriptor)
    }
}
