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

#[cfg(test)]
mod tests {
    use super::AccessLevel::{Package, Private, Protected, Public};
    use cupping_classfile::AccessFlags;

    #[test]
    fn each_level_allows_what_the_one_before_allows_and_more() {
        let (public, private, protected, package) = (0x1, 0x2, 0x4, 0);
        for (flags, expected) in [
            (public, [true, true, true, true]),
            (protected, [false, true, true, true]),
            (package, [false, false, true, true]),
            (private, [false, false, false, true]),
        ] {
            // The other flags, such as static and final, do not matter.
            for flags in [flags, flags | 0x18] {
                let found = [Public, Protected, Package, Private].map(|it| it.allows(AccessFlags(flags)));
                assert_eq!(found, expected, "{flags:#x}");
            }
        }
    }
}
