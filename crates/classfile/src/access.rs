//! Access and property flags of classes, fields and methods.

use std::fmt;

/// Access and property flags of a class, field, method, inner class or parameter (JVMS §4.1, §4.5, §4.6, §4.7.6,
/// §4.7.24), as they stand in the file. What a bit means depends on what carries it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AccessFlags(
    /// The bits as they stand in the file.
    pub u16,
);

/// One predicate for each flag: its name, its mask, and the source of its meaning.
macro_rules! predicates {
    ($($name:ident $mask:literal $doc:literal;)*) => {
        impl AccessFlags {
            $(
                #[doc = $doc]
                pub const fn $name(self) -> bool {
                    self.0 & $mask != 0
                }
            )*
        }
    };
}

predicates! {
    is_public 0x0001 "`ACC_PUBLIC`.";
    is_private 0x0002 "`ACC_PRIVATE`.";
    is_protected 0x0004 "`ACC_PROTECTED`.";
    is_static 0x0008 "`ACC_STATIC`.";
    is_final 0x0010 "`ACC_FINAL`.";
    is_super 0x0020 "`ACC_SUPER`, of classes.";
    is_synchronized 0x0020 "`ACC_SYNCHRONIZED`, of methods.";
    is_volatile 0x0040 "`ACC_VOLATILE`, of fields.";
    is_bridge 0x0040 "`ACC_BRIDGE`, of methods.";
    is_transient 0x0080 "`ACC_TRANSIENT`, of fields.";
    is_varargs 0x0080 "`ACC_VARARGS`, of methods.";
    is_native 0x0100 "`ACC_NATIVE`, of methods.";
    is_interface 0x0200 "`ACC_INTERFACE`, of classes.";
    is_abstract 0x0400 "`ACC_ABSTRACT`, of classes and methods.";
    is_strict 0x0800 "`ACC_STRICT`, of methods of class file versions 46 to 60.";
    is_synthetic 0x1000 "`ACC_SYNTHETIC`.";
    is_annotation 0x2000 "`ACC_ANNOTATION`, of classes.";
    is_enum 0x4000 "`ACC_ENUM`, of classes and fields.";
    is_module 0x8000 "`ACC_MODULE`, of classes.";
    is_mandated 0x8000 "`ACC_MANDATED`, of parameters.";
}

impl AccessFlags {
    /// Whether only the own package sees it: neither public, protected nor private.
    pub const fn is_package_private(self) -> bool {
        self.0 & 0x0007 == 0
    }
}

impl fmt::Debug for AccessFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AccessFlags({:#06x})", self.0)
    }
}
