//! Templates of likely specifications: one file each, and one row in a list of [`STAGES`].
//!
//! A template examines the columns of a table and proposes formulas, each with the chance that it would hold for
//! unrelated samples, under assumptions that the file states. Whether a proposal holds for every row is checked in
//! one place (`proposals`), so a template cannot be wrong, only blind.

mod append;
mod bits;
mod class;
mod constant;
mod distinct;
mod element_comparison;
mod equality;
mod extreme;
mod frame;
mod frame_condition;
mod guarded_bound;
mod linear2;
mod linear3;
mod member;
mod modulus;
mod nonnull;
mod one_of;
mod order;
mod pairwise;
#[cfg(test)]
#[path = "tests/permutation.rs"]
mod permutation;
mod range;
mod sortedness;
mod string;
mod subset;
mod template;
#[cfg(test)]
mod tests;

pub use template::{Parts, Proposal, Template, all_by_chance, is_at_chosen_index, is_auxiliary};

/// All templates, by stage. The equalities that a stage finds remove columns from the table that the next stage
/// sees. Within a stage, more informative templates come first.
pub const STAGES: [&[&dyn Template]; 3] = [UNCHANGED, EQUALITIES, OTHERS];

/// Variables that a call leaves unchanged.
const UNCHANGED: &[&dyn Template] = &[&frame_condition::FrameCondition];

/// Which variables have one value, or equal others.
const EQUALITIES: &[&dyn Template] = &[&constant::Constant, &equality::Equality];

/// All other claims.
const OTHERS: &[&dyn Template] = &[
    &append::Append,
    &frame::Frame,
    &linear2::Linear2,
    &one_of::OneOf,
    &range::Range,
    &nonnull::NonNull,
    &order::Order,
    &guarded_bound::GuardedBound,
    &class::Class,
    &linear3::Linear3,
    &modulus::Modulus,
    &bits::Bits,
    &sortedness::Sortedness,
    &distinct::Distinct,
    &member::Member,
    &subset::Subset,
    &extreme::Extreme,
    &element_comparison::ElementComparison,
    &pairwise::Pairwise,
    &string::Shapes,
    #[cfg(test)]
    &permutation::Permutation,
];
