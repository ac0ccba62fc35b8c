//! Access and property flags of classes, fields and methods.

use std::fmt;

/// Access and property flags of a class, field, method, inner class or parameter (JVMS §4.1, §4.5, §4.6, §4.7.6,
/// §4.7.24), as in the file. The meaning of a bit depends on its owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AccessFlags(
    /// The bits as they stand in the file.
    pub u16,
);

/// A constant and a predicate for each flag: names, mask, and the source of its meaning.
macro_rules! flags {
    ($($constant:ident $name:ident $mask:literal $doc:literal;)*) => {
        impl AccessFlags {
            $(
                #[doc = $doc]
                pub const $constant: AccessFlags = AccessFlags($mask);

                #[doc = $doc]
                pub const fn $name(self) -> bool {
                    self.has_any(AccessFlags::$constant)
                }
            )*
        }
    };
}

flags! {
    PUBLIC is_public 0x0001 "`ACC_PUBLIC`.";
    PRIVATE is_private 0x0002 "`ACC_PRIVATE`.";
    PROTECTED is_protected 0x0004 "`ACC_PROTECTED`.";
    STATIC is_static 0x0008 "`ACC_STATIC`.";
    FINAL is_final 0x0010 "`ACC_FINAL`.";
    SUPER is_super 0x0020 "`ACC_SUPER`, of classes.";
    SYNCHRONIZED is_synchronized 0x0020 "`ACC_SYNCHRONIZED`, of methods.";
    VOLATILE is_volatile 0x0040 "`ACC_VOLATILE`, of fields.";
    BRIDGE is_bridge 0x0040 "`ACC_BRIDGE`, of methods.";
    TRANSIENT is_transient 0x0080 "`ACC_TRANSIENT`, of fields.";
    VARARGS is_varargs 0x0080 "`ACC_VARARGS`, of methods.";
    NATIVE is_native 0x0100 "`ACC_NATIVE`, of methods.";
    INTERFACE is_interface 0x0200 "`ACC_INTERFACE`, of classes.";
    ABSTRACT is_abstract 0x0400 "`ACC_ABSTRACT`, of classes and methods.";
    STRICT is_strict 0x0800 "`ACC_STRICT`, of methods of class file versions 46 to 60.";
    SYNTHETIC is_synthetic 0x1000 "`ACC_SYNTHETIC`.";
    ANNOTATION is_annotation 0x2000 "`ACC_ANNOTATION`, of classes.";
    ENUM is_enum 0x4000 "`ACC_ENUM`, of classes and fields.";
    MODULE is_module 0x8000 "`ACC_MODULE`, of classes.";
    MANDATED is_mandated 0x8000 "`ACC_MANDATED`, of parameters.";
}

impl AccessFlags {
    /// Whether it is visible only in its own package: neither public, protected nor private.
    pub const fn is_package_private(self) -> bool {
        !self.has_any(AccessFlags::VISIBILITY)
    }

    /// Whether at least one of these flags is set.
    pub const fn has_any(self, flags: AccessFlags) -> bool {
        self.0 & flags.0 != 0
    }

    /// Whether all of these flags are set.
    pub const fn has_all(self, flags: AccessFlags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// The flags set in one of both. The same as `|`, for constants.
    pub const fn or(self, other: AccessFlags) -> AccessFlags {
        AccessFlags(self.0 | other.0)
    }

    /// Public, protected, private.
    pub const VISIBILITY: AccessFlags =
        AccessFlags::PUBLIC.or(AccessFlags::PROTECTED).or(AccessFlags::PRIVATE);

    /// These flags alone.
    pub const fn only(self, flags: AccessFlags) -> AccessFlags {
        AccessFlags(self.0 & flags.0)
    }
}

impl std::ops::BitOr for AccessFlags {
    type Output = AccessFlags;

    fn bitor(self, other: AccessFlags) -> AccessFlags {
        self.or(other)
    }
}

impl fmt::UpperHex for AccessFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::UpperHex::fmt(&self.0, f)
    }
}

impl fmt::Debug for AccessFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AccessFlags({:#06x})", self.0)
    }
}
