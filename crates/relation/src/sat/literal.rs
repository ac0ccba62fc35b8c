//! Literals.

/// A literal: the variable with the sign in the lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Lit(pub(super) u32);

impl Lit {
    pub(crate) fn new(variable: u32, negated: bool) -> Lit {
        Lit(variable << 1 | u32::from(negated))
    }

    pub(crate) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}
