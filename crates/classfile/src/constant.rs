//! Constants, with everything they refer to resolved.

use std::borrow::Cow;

use noak::reader::cpool::{Index, Item, MethodKind, NameAndType};

use crate::error::{ClassFileError, Result};
use crate::opcode::{Literal, StackType};
use crate::pool::PoolReader;
use crate::utf16::utf16_units;

/// A constant of a class file (JVMS §4.4), its references to other constants followed. Text is borrowed from the class
/// file where its bytes are Unicode as they stand.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant<'a> {
    /// Text that other constants use; lone surrogates, which string literals may hold, are U+FFFD here.
    Utf8(Cow<'a, str>),
    /// An `int`.
    Integer(i32),
    /// A `float`; NaNs keep their bits.
    Float(f32),
    /// A `long`.
    Long(i64),
    /// A `double`; NaNs keep their bits.
    Double(f64),
    /// A class by internal name, or an array class by descriptor (`[I`).
    Class(Cow<'a, str>),
    /// A string literal in UTF-16 units, which may hold lone surrogates.
    String(Vec<u16>),
    /// A reference to a field.
    Field {
        /// Internal name of the class it is looked up in.
        class: Cow<'a, str>,
        /// Its name.
        name: Cow<'a, str>,
        /// Its descriptor.
        descriptor: Cow<'a, str>,
    },
    /// A reference to a method.
    Method {
        /// Internal name or array descriptor of the class it is looked up in.
        class: Cow<'a, str>,
        /// Its name.
        name: Cow<'a, str>,
        /// Its descriptor.
        descriptor: Cow<'a, str>,
        /// Whether it is an `InterfaceMethodref`.
        interface: bool,
    },
    /// A name with a descriptor.
    NameAndType {
        /// The name.
        name: Cow<'a, str>,
        /// The descriptor.
        descriptor: Cow<'a, str>,
    },
    /// A method handle.
    MethodHandle {
        /// The kind of access.
        kind: MethodHandleKind,
        /// Index of the `Field` or `Method` constant.
        reference: u16,
    },
    /// A method type by descriptor.
    MethodType(Cow<'a, str>),
    /// A dynamically computed constant.
    Dynamic {
        /// Index into [`Declaration::bootstrap_methods`](crate::Declaration::bootstrap_methods).
        bootstrap: u16,
        /// Its name.
        name: Cow<'a, str>,
        /// Descriptor of its type.
        descriptor: Cow<'a, str>,
    },
    /// A call site of `invokedynamic`.
    InvokeDynamic {
        /// Index into [`Declaration::bootstrap_methods`](crate::Declaration::bootstrap_methods).
        bootstrap: u16,
        /// Name of the method at the call site.
        name: Cow<'a, str>,
        /// Descriptor of the call.
        descriptor: Cow<'a, str>,
    },
    /// A module by name.
    Module(Cow<'a, str>),
    /// A package by internal name.
    Package(Cow<'a, str>),
}

impl Constant<'_> {
    /// The descriptor of a field.
    pub fn field_descriptor(&self) -> Option<&str> {
        match self {
            Constant::Field { descriptor, .. } => Some(descriptor),
            _ => None,
        }
    }

    /// The descriptor of a method or of a call site of `invokedynamic`.
    pub fn method_descriptor(&self) -> Option<&str> {
        match self {
            Constant::Method { descriptor, .. } | Constant::InvokeDynamic { descriptor, .. } => {
                Some(descriptor)
            }
            _ => None,
        }
    }

    /// The number that `ldc` pushes.
    pub fn literal(&self) -> Option<Literal> {
        Some(match self {
            Constant::Integer(value) => Literal::Int(*value),
            Constant::Float(value) => Literal::Float(*value),
            Constant::Long(value) => Literal::Long(*value),
            Constant::Double(value) => Literal::Double(*value),
            _ => return None,
        })
    }

    /// The type of what `ldc` pushes; `None` for constants that it does not load.
    pub fn stack_type(&self) -> Option<StackType> {
        Some(match self {
            Constant::Integer(_) => StackType::Int,
            Constant::Float(_) => StackType::Float,
            Constant::Long(_) => StackType::Long,
            Constant::Double(_) => StackType::Double,
            Constant::String(_)
            | Constant::Class(_)
            | Constant::MethodHandle { .. }
            | Constant::MethodType(_) => StackType::Reference,
            Constant::Dynamic { descriptor, .. } => return StackType::of_descriptor(descriptor),
            _ => return None,
        })
    }
}

/// The kind of access by a method handle (JVMS table 5.4.3.5-A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub enum MethodHandleKind {
    GetField = 1,
    GetStatic = 2,
    PutField = 3,
    PutStatic = 4,
    InvokeVirtual = 5,
    InvokeStatic = 6,
    InvokeSpecial = 7,
    NewInvokeSpecial = 8,
    InvokeInterface = 9,
}

impl<'a> PoolReader<'_, 'a> {
    /// The constant at `index`.
    pub(crate) fn constant(self, index: u16) -> Result<Constant<'a>> {
        let at = Index::<Item<'a>>::new(index).map_err(|error| self.bad_constant(index, &error))?;
        let item = self.pool.get(at).map_err(|error| self.bad_constant(index, &error))?;
        let text = |text| self.unicode(index, text);
        Ok(match item {
            Item::Utf8(utf8) => Constant::Utf8(text(utf8.content).unwrap_or_else(|_| {
                Cow::Owned(String::from_utf16_lossy(&utf16_units(utf8.content.as_bytes())))
            })),
            Item::Integer(integer) => Constant::Integer(integer.value),
            Item::Float(float) => Constant::Float(float.value),
            Item::Long(long) => Constant::Long(long.value),
            Item::Double(double) => Constant::Double(double.value),
            Item::Class(class) => Constant::Class(text(self.inside(index, class.name)?)?),
            Item::String(string) => {
                let text = self.inside(index, string.string)?;
                Constant::String(utf16_units(text.as_bytes()))
            }
            Item::FieldRef(field) => {
                let class = text(self.inside(index, field.class)?.name)?;
                let (name, descriptor) = self.name_and_type(index, field.name_and_type)?;
                Constant::Field { class, name, descriptor }
            }
            Item::MethodRef(method) => {
                let class = text(self.inside(index, method.class)?.name)?;
                let (name, descriptor) = self.name_and_type(index, method.name_and_type)?;
                Constant::Method { class, name, descriptor, interface: false }
            }
            Item::InterfaceMethodRef(method) => {
                let class = text(self.inside(index, method.class)?.name)?;
                let (name, descriptor) = self.name_and_type(index, method.name_and_type)?;
                Constant::Method { class, name, descriptor, interface: true }
            }
            Item::NameAndType(member) => Constant::NameAndType {
                name: text(self.inside(index, member.name)?)?,
                descriptor: text(self.inside(index, member.descriptor)?)?,
            },
            Item::MethodHandle(handle) => Constant::MethodHandle {
                kind: handle_kind(handle.kind),
                reference: handle.reference.as_u16(),
            },
            Item::MethodType(method_type) => {
                Constant::MethodType(text(self.inside(index, method_type.descriptor)?)?)
            }
            Item::Dynamic(dynamic) => {
                let (name, descriptor) = self.name_and_type(index, dynamic.name_and_type)?;
                Constant::Dynamic { bootstrap: dynamic.bootstrap_method_attr, name, descriptor }
            }
            Item::InvokeDynamic(dynamic) => {
                let (name, descriptor) = self.name_and_type(index, dynamic.name_and_type)?;
                Constant::InvokeDynamic { bootstrap: dynamic.bootstrap_method_attr, name, descriptor }
            }
            Item::Module(module) => Constant::Module(text(self.inside(index, module.name)?)?),
            Item::Package(package) => Constant::Package(text(self.inside(index, package.name)?)?),
        })
    }

    /// The target of the constant at `index`; errors name the requested constant.
    fn inside<I>(
        self,
        index: u16,
        reference: Index<I>,
    ) -> Result<<Index<I> as noak::reader::cpool::ToValue<'a>>::Target>
    where
        Index<I>: noak::reader::cpool::ToValue<'a>,
    {
        self.pool.retrieve(reference).map_err(|error| self.bad_constant(index, &error))
    }

    fn name_and_type(self, index: u16, at: Index<NameAndType<'a>>) -> Result<(Cow<'a, str>, Cow<'a, str>)> {
        let member = self.inside(index, at)?;
        Ok((self.unicode(index, member.name)?, self.unicode(index, member.descriptor)?))
    }

    /// The internal name of the `Class` constant at `index`.
    pub(crate) fn class_at(self, index: u16) -> Result<Cow<'a, str>> {
        match self.constant(index)? {
            Constant::Class(name) => Ok(name),
            _ => Err(ClassFileError::damaged(
                self.file,
                format!("constant pool entry {index}"),
                "is not the Class constant that is expected here",
            )),
        }
    }
}

fn handle_kind(kind: MethodKind) -> MethodHandleKind {
    match kind {
        MethodKind::GetField => MethodHandleKind::GetField,
        MethodKind::GetStatic => MethodHandleKind::GetStatic,
        MethodKind::PutField => MethodHandleKind::PutField,
        MethodKind::PutStatic => MethodHandleKind::PutStatic,
        MethodKind::InvokeVirtual => MethodHandleKind::InvokeVirtual,
        MethodKind::InvokeStatic => MethodHandleKind::InvokeStatic,
        MethodKind::InvokeSpecial => MethodHandleKind::InvokeSpecial,
        MethodKind::NewInvokeSpecial => MethodHandleKind::NewInvokeSpecial,
        MethodKind::InvokeInterface => MethodHandleKind::InvokeInterface,
    }
}
