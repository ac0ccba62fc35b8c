//! The access level of what tests may call (`--access`).

use cupping_classfile::AccessFlags;

/// The access level of the code that a sequence may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum AccessLevel {
    /// Public members.
    Public,
    /// Protected members too.
    Protected,
    /// Package-private members too, since tests live in the same package.
    #[default]
    Package,
    /// Private methods and constructors of the class under test too, by reflection.
    Private,
}

impl AccessLevel {
    /// Whether a member with these access flags is accessible.
    pub fn allows(self, flags: AccessFlags) -> bool {
        let (public, private, protected) = (flags.is_public(), flags.is_private(), flags.is_protected());
        match self {
            AccessLevel::Public => public,
            AccessLevel::Protected => public || protected,
            AccessLevel::Package => !private,
            AccessLevel::Private => true,
        }
    }
}
