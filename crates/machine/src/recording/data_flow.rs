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
/// array, or its object by a call), and so counts as a use or definition of the field of `this`, or of the
/// static field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentsAccess {
    /// The field, as `FieldKeys` name it.
    pub field: u32,
    /// Whether it is static; else it is a field of the object in local variable 0.
    pub is_static: bool,
    /// Whether it counts as a definition.
    pub is_definition: bool,
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
