//! Verification types of slots (JVMS §4.10.1.2), and the class names behind references.

use cupping_classfile::FieldType;
use rustc_hash::FxHashMap;

/// A verification type. A long or double takes two slots, the second one being its `High` half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// An unusable value.
    Top,
    /// `int` and what is narrower.
    Int,
    /// `float`
    Float,
    /// `long`
    Long,
    /// The second slot of a `long`.
    LongHigh,
    /// `double`
    Double,
    /// The second slot of a `double`.
    DoubleHigh,
    /// `null`
    Null,
    /// An initialised object or array: one of the classes that [`Types::members`] lists.
    Ref(u32),
    /// `this` of a constructor before it has called another one.
    UninitThis,
    /// The object that `new` at this pc created, before its constructor has been called.
    Uninit(u16),
    /// The return address of the subroutine of this context (see [`super::infer`]).
    Address(u32),
}

impl Type {
    /// Whether it is an object, initialised or not.
    pub(super) fn is_reference(self) -> bool {
        matches!(self, Type::Null | Type::Ref(_) | Type::UninitThis | Type::Uninit(_))
    }

    /// The type of the second slot of a long or double.
    pub(super) fn high(self) -> Option<Type> {
        match self {
            Type::Long => Some(Type::LongHigh),
            Type::Double => Some(Type::DoubleHigh),
            _ => None,
        }
    }

    /// Whether it is the second slot of a value.
    pub(super) fn is_high(self) -> bool {
        matches!(self, Type::LongHigh | Type::DoubleHigh)
    }
}

/// A reference type: one class, or, after a merge, one of several.
///
/// Keeping all of them instead of their common superclass is at least as exact, and loads no class before a
/// decision needs it.
struct TypeEntry {
    name: Box<str>,
    members: Box<[u32]>,
}

/// The reference types that the verification of a class has met.
#[derive(Default)]
pub(super) struct Types {
    entries: Vec<TypeEntry>,
    names: FxHashMap<Box<str>, u32>,
    unions: FxHashMap<Box<[u32]>, u32>,
}

/// Limit on the members of a union; a larger one becomes `Object`.
const MAX_MEMBERS: usize = 64;

impl Types {
    /// The type of a class by internal name or array descriptor.
    pub(super) fn class(&mut self, name: &str) -> Type {
        Type::Ref(self.name_index(name))
    }

    fn name_index(&mut self, name: &str) -> u32 {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let index = self.entries.len() as u32;
        self.entries.push(TypeEntry { name: name.into(), members: [index].into() });
        self.names.insert(name.into(), index);
        index
    }

    /// The type of values of a field type, of their first slot.
    pub(super) fn field(&mut self, ty: &FieldType) -> Type {
        match ty {
            FieldType::Long => Type::Long,
            FieldType::Double => Type::Double,
            FieldType::Float => Type::Float,
            FieldType::Object(name) => self.class(name),
            FieldType::Array(_) => {
                let descriptor = ty.to_string();
                self.class(&descriptor)
            }
            _ => Type::Int,
        }
    }

    /// The classes that a reference may be of.
    pub(super) fn members(&self, reference: u32) -> Box<[u32]> {
        self.entries[reference as usize].members.clone()
    }

    /// The name of a reference type that is one class.
    pub(super) fn name(&self, reference: u32) -> &str {
        &self.entries[reference as usize].name
    }

    /// The type for people.
    pub(super) fn describe(&self, ty: Type) -> String {
        match ty {
            Type::Ref(reference) => {
                let members = &self.entries[reference as usize].members;
                let names: Vec<String> = members.iter().map(|m| format!("'{}'", self.name(*m))).collect();
                names.join(" or ")
            }
            Type::Int => "integer".into(),
            Type::Float => "float".into(),
            Type::Long => "long".into(),
            Type::LongHigh => "long_2nd".into(),
            Type::Double => "double".into(),
            Type::DoubleHigh => "double_2nd".into(),
            Type::Null => "null".into(),
            Type::Top => "top".into(),
            Type::UninitThis => "uninitializedThis".into(),
            Type::Uninit(pc) => format!("uninitialized {pc}"),
            Type::Address(_) => "return address".into(),
        }
    }

    /// The narrowest type that holds the values of both.
    pub(super) fn merge(&mut self, left: Type, right: Type) -> Type {
        match (left, right) {
            _ if left == right => left,
            (Type::Null, Type::Ref(_)) => right,
            (Type::Ref(_), Type::Null) => left,
            (Type::Ref(a), Type::Ref(b)) => self.union(a, b),
            _ => Type::Top,
        }
    }

    fn union(&mut self, left: u32, right: u32) -> Type {
        let mut members: Vec<u32> = self.members(left).into_iter().chain(self.members(right)).collect();
        members.sort_unstable();
        members.dedup();
        let object = self.name_index("java/lang/Object");
        if members.contains(&object) || members.len() > MAX_MEMBERS {
            return Type::Ref(object);
        }
        let members: Box<[u32]> = members.into();
        if let Some(known) = self.unions.get(&members) {
            return Type::Ref(*known);
        }
        let index = self.entries.len() as u32;
        self.entries.push(TypeEntry { name: "".into(), members: members.clone() });
        self.unions.insert(members, index);
        Type::Ref(index)
    }

    /// The type of the elements of a reference array; `None` if the value may not be an array.
    pub(super) fn component(&mut self, array: Type) -> Option<Type> {
        let Type::Ref(reference) = array else { return (array == Type::Null).then_some(Type::Null) };
        let mut all = Type::Null;
        for member in self.members(reference) {
            let element = self.name(member).strip_prefix('[')?.to_owned();
            let element = match element.as_bytes().first()? {
                b'L' => self.class(element.strip_prefix('L')?.strip_suffix(';')?),
                b'[' => self.class(&element),
                _ => return None,
            };
            all = self.merge(all, element);
        }
        Some(all)
    }

    /// Whether all values are arrays with one of these descriptors, or `null`.
    pub(super) fn is_array(&self, ty: Type, descriptors: &[&str]) -> bool {
        match ty {
            Type::Null => true,
            Type::Ref(reference) => {
                let members = &self.entries[reference as usize].members;
                members.iter().all(|member| descriptors.contains(&self.name(*member)))
            }
            _ => false,
        }
    }

    /// Whether all values are arrays or `null`.
    pub(super) fn is_any_array(&self, ty: Type) -> bool {
        match ty {
            Type::Null => true,
            Type::Ref(reference) => {
                self.entries[reference as usize].members.iter().all(|m| self.name(*m).starts_with('['))
            }
            _ => false,
        }
    }
}
