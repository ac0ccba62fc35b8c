//! Names and numbers of `java.lang.invoke` that several files need.

pub(crate) const METHOD_HANDLE: &str = "java/lang/invoke/MethodHandle";

pub(crate) const OBJECT: &str = "Ljava/lang/Object;";

pub(crate) const HANDLE: &str = "Ljava/lang/invoke/MethodHandle;";

pub(crate) const VAR_HANDLE: &str = "java/lang/invoke/VarHandle";

pub(crate) const LOOKUP: &str = "java/lang/invoke/MethodHandles$Lookup";

/// `Lookup.FULL_POWER_MODES`: access to everything that the lookup class itself may access.
pub(crate) const FULL_POWER: i32 = 0x1F | 0x40;
