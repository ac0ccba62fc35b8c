//! Loaded classes, fields and methods: what linking made of class files.
//!
//! This is *not* state: loading is a pure function of the class path, so classes loaded on one fork stay
//! known on all. Whether a class is initialised, its statics and its `Class` object are state, and live in
//! memory (see [`crate::heap::layout`]).

use crate::code::Code;
use crate::memory::Addr;
use crate::natives::NativeFn;
use cupping_classfile::ClassFile;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Index of a loaded class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// Index of a loaded method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodId(pub u32);

/// An interned pair of method name and descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignatureId(pub u32);

/// How a value is held on the stack and in arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// A reference.
    Reference,
    /// No value.
    Void,
}

impl Kind {
    /// The kind of the field descriptor that starts with this byte.
    pub fn of_descriptor(first: u8) -> Kind {
        match first {
            b'Z' => Kind::Boolean,
            b'B' => Kind::Byte,
            b'C' => Kind::Char,
            b'S' => Kind::Short,
            b'I' => Kind::Int,
            b'J' => Kind::Long,
            b'F' => Kind::Float,
            b'D' => Kind::Double,
            b'V' => Kind::Void,
            _ => Kind::Reference,
        }
    }

    /// Stack slots: 2 for long and double (JVMS §2.6.2), 0 for void, else 1.
    pub fn slots(self) -> u16 {
        match self {
            Kind::Long | Kind::Double => 2,
            Kind::Void => 0,
            _ => 1,
        }
    }

    /// Bytes an element takes in an array.
    pub fn array_bytes(self) -> u32 {
        match self {
            Kind::Boolean | Kind::Byte => 1,
            Kind::Char | Kind::Short => 2,
            Kind::Int | Kind::Float => 4,
            _ => 8,
        }
    }

    /// `value` (a stack slot) cut to this kind and widened to a slot again, as a store does.
    #[inline]
    pub fn narrow(self, value: u64) -> u64 {
        match self {
            Kind::Boolean => value & 1,
            Kind::Byte => value as i8 as i32 as u32 as u64,
            Kind::Char => value as u16 as u64,
            Kind::Short => value as i16 as i32 as u32 as u64,
            _ => value,
        }
    }

    /// The descriptor's letter; `L` for references.
    pub fn letter(self) -> char {
        match self {
            Kind::Boolean => 'Z',
            Kind::Byte => 'B',
            Kind::Char => 'C',
            Kind::Short => 'S',
            Kind::Int => 'I',
            Kind::Long => 'J',
            Kind::Float => 'F',
            Kind::Double => 'D',
            Kind::Reference => 'L',
            Kind::Void => 'V',
        }
    }
}

/// What a class stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A class or interface from a class file, or made by the machine.
    Instance,
    /// An array class.
    Array {
        /// Class of the elements.
        element: ClassId,
        /// How elements are held.
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
    /// How it is held.
    pub kind: Kind,
    /// Access flags.
    pub access: u16,
    /// Word offset in the object, or in the statics of the class.
    pub offset: u16,
}

impl Field {
    /// Whether it belongs to the class rather than to its objects.
    pub fn is_static(&self) -> bool {
        self.access & 0x0008 != 0
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
    pub access: u16,
    /// What it stands for.
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
        self.access & 0x0200 != 0
    }

    /// Whether it is abstract (interfaces are).
    pub fn is_abstract(&self) -> bool {
        self.access & 0x0400 != 0
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

/// What runs when a method is invoked.
#[derive(Clone)]
pub enum Body {
    /// Bytecode of the class file, decoded on first use.
    Bytecode,
    /// Decoded code, also of methods that the machine made.
    Code(Rc<Code>),
    /// A native or intrinsic of ours.
    Native(NativeFn),
    /// A native method that the machine lacks.
    Missing,
    /// No body.
    Abstract,
}

/// A loaded method.
#[derive(Clone)]
pub struct Method {
    /// Its id.
    pub id: MethodId,
    /// Declaring class.
    pub class: ClassId,
    /// Index in the class file's methods.
    pub index: usize,
    /// Its name.
    pub name: Arc<str>,
    /// Its descriptor.
    pub descriptor: Arc<str>,
    /// Name and descriptor, interned.
    pub signature: SignatureId,
    /// Access flags.
    pub access: u16,
    /// Kinds of the parameters, without the receiver.
    pub parameters: Box<[Kind]>,
    /// Slots of receiver and parameters.
    pub argument_slots: u16,
    /// Kind of the result.
    pub result: Kind,
    /// Index in the vtable, if it is dispatched.
    pub virtual_index: Option<u32>,
    /// What runs.
    pub body: Body,
    /// Whether its calls are told to who listens (see [`crate::Observer`]).
    pub watched: bool,
    /// Which of its calls are told, if it is watched.
    pub telling: Telling,
}

/// Which calls of a method that is watched are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    /// Each.
    #[default]
    Each,
    /// Those that come when who listens wants to hear of such ([`crate::Machine::be_quiet_until`]).
    Sparing,
    /// None: they are only counted ([`crate::Machine::count_calls`]).
    Counted,
}

impl Method {
    /// Whether it has no receiver.
    pub fn is_static(&self) -> bool {
        self.access & 0x0008 != 0
    }

    /// Whether it is private.
    pub fn is_private(&self) -> bool {
        self.access & 0x0002 != 0
    }

    /// Whether it has no body.
    pub fn is_abstract(&self) -> bool {
        self.access & 0x0400 != 0
    }

    /// Whether it is `synchronized`.
    pub fn is_synchronized(&self) -> bool {
        self.access & 0x0020 != 0
    }
}
