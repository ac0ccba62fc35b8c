//! Missing indices, sizes and elements, and the form of the conditions on them.

use cupping_machine::Machine;
use cupping_term::{Op, Term, TermId};

/// What is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// An element at an index.
    Place,
    /// An array of a size.
    Room,
    /// An element, as of an empty `Optional` or iterator.
    Element,
}

/// Whether a term is made of variables by sums, differences, conversions and comparisons alone.
pub(super) fn is_affine(machine: &Machine, term: TermId) -> bool {
    match machine.terms().get(term) {
        Term::Constant { .. } | Term::Variable { .. } => true,
        Term::Lookup { .. } => false,
        _ if machine.terms().variables(term).is_empty() => true,
        node => {
            let is_other = |op: &Op| {
                use Op::{AShr, LShr, Mul, SDiv, SRem, Shl, Truncate, Xor};
                matches!(op, Mul | SDiv | SRem | Shl | AShr | LShr | Xor | Truncate)
            };
            !matches!(node, Term::Apply { op, .. } if is_other(op))
                && node.args().iter().all(|it| is_affine(machine, *it))
        }
    }
}
