//! Data flow through fields and array elements: definition-use pairs in tracked code (paper of Buy, Orso & Pezzè, §4),
//! and which invocation of a sequence influenced which (thesis §4.4.1).

use crate::code::Site;
use crate::memory::Addr;
use std::hash::Hasher;

/// A definition of a field and a use that it reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefUse {
    /// The field, as `FieldKeys` name it.
    pub field: u32,
    /// The store.
    pub definition: Site,
    /// The load.
    pub usage: Site,
}

/// The last definition of a field or element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The store.
    pub site: Site,
    /// The invocation of the sequence during which it ran.
    pub invocation: u32,
    /// Whether it ran in tracked code.
    pub is_tracked: bool,
}

/// The numbers that identify fields in data flow, below 2³¹; array elements use the numbers above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldKeys {
    /// A field of an object.
    pub of_object: u32,
    /// Among all static fields.
    pub of_static: u32,
}

impl FieldKeys {
    /// The numbers of the field of this name that this class declares: a subclass may have another of that name.
    pub fn new(class: &str, name: &str) -> FieldKeys {
        let key = |texts: &[&str]| {
            let mut hasher = rustc_hash::FxHasher::default();
            texts.iter().for_each(|text| hasher.write(text.as_bytes()));
            (hasher.finish() >> 33) as u32
        };
        FieldKeys { of_object: key(&["object", class, name]), of_static: key(&[class, name]) }
    }
}

/// An instruction of tracked code that reads or changes the contents of a field's value (an element of its
/// array, or its object by a call), and so counts as a use or definition of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentsAccess {
    /// The field, as `FieldKeys` name it.
    pub field: u32,
    /// Whose field it is.
    pub owner: ContentsOwner,
    /// Whether it counts as a definition.
    pub is_definition: bool,
}

impl ContentsAccess {
    /// What a mark before or behind the instruction does: the first operand of `Op::Access`. An element is accessed
    /// only if the instruction does not throw; a call accesses its object in any case.
    pub(crate) fn mark(self, is_element: bool, is_before: bool) -> Option<u16> {
        let how = 8 + 16 + u16::from(self.is_definition);
        let turn = if is_before { of_another::BEFORE } else { of_another::AFTER };
        match self.owner {
            ContentsOwner::Static => (is_element != is_before).then_some(how + 4),
            ContentsOwner::This => (is_element != is_before).then_some(how),
            ContentsOwner::Fetched => Some(how + turn),
            ContentsOwner::Another { depth } => {
                let how = how + of_another::ACCESS + (depth << of_another::DEPTH);
                if is_element { Some(how + turn) } else { is_before.then_some(how) }
            }
        }
    }
}

/// Whose field it is of which the contents are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentsOwner {
    /// The field is static.
    Static,
    /// The object in local variable 0.
    This,
    /// The object from which the value was last loaded.
    Another {
        /// The number of slots above the value on the operand stack.
        depth: u16,
    },
    /// No access: a load of a value whose contents are accessed later, as those of another object's field.
    Fetched,
}

/// Marks of accesses to the contents of another object's field, in the first operand of `Op::Access`: what the mark
/// does, and the depth of the value on the operand stack, from `DEPTH` on.
pub(crate) mod of_another {
    /// The access: the object is the one from which the value was last loaded.
    pub const ACCESS: u16 = 1 << 5;
    /// Keeps the object that the next instruction loads from, or with `ACCESS` the object whose element it accesses.
    pub const BEFORE: u16 = 1 << 6;
    /// Notes that the value on the stack comes from the kept object, or with `ACCESS` accesses the kept object.
    pub const AFTER: u16 = 1 << 7;
    /// The depth is above these bits.
    pub const DEPTH: u32 = 8;
}

/// The access to a field.
pub(crate) struct RecordedAccess {
    /// The object; 0 for statics.
    pub object: Addr,
    /// The field, as `FieldKeys` name it.
    pub key: u32,
    /// Whether it is in tracked code.
    pub is_tracked: bool,
    /// The instruction.
    pub site: Site,
}

/// Marks the index of an array element among the keys passed to an observer.
pub const ELEMENT: u32 = 1 << 31;
/// Marks elements at an index that depends on inputs, with one number for each invocation: they do not
/// definitely overwrite anything.
pub(super) const SOME_ELEMENT: u32 = ELEMENT | 1 << 30;

/// Whether accesses in code of this JDK class are recorded with [`crate::RunLimits::record_library_flows`]. The
/// only excluded class reads the bytes of strings, which never change: an observer compares their texts.
pub(crate) fn is_library(class: &str) -> bool {
    class != "java/lang/StringLatin1"
}

/// Whether a static field of the JDK is a setting that programs change.
pub(crate) fn is_setting(class: &str, field: &str) -> bool {
    match class {
        "java/util/Locale" => field.starts_with("default"),
        "java/util/TimeZone" => field == "defaultTimeZone",
        "java/lang/System" => field == "props",
        _ => false,
    }
}
