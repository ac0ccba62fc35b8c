//! Errors of class files as Java throws them.

use crate::exit::Trap;
use cupping_classfile::{ClassFile, ClassFileError};

/// The exception that Java throws for a malformed class file.
pub(crate) fn file_error(name: &str, error: &ClassFileError) -> Trap {
    match error {
        ClassFileError::Damaged { .. } => Trap::Raise("java/lang/ClassFormatError", Some(error.to_string())),
        ClassFileError::UnsupportedVersion { .. } => {
            Trap::Raise("java/lang/UnsupportedClassVersionError", Some(error.to_string()))
        }
        ClassFileError::WrongName { found, .. } => {
            let message = format!("{name} (wrong name: {found})");
            Trap::Raise("java/lang/NoClassDefFoundError", Some(message))
        }
        _ => Trap::Missing(name.to_owned()),
    }
}

pub(crate) fn bad_constant(file: &ClassFile, index: u16, why: Option<String>) -> Trap {
    let why =
        why.unwrap_or_else(|| format!("{}: constant pool entry {index} is of the wrong kind", file.name));
    Trap::Raise("java/lang/ClassFormatError", Some(why))
}
