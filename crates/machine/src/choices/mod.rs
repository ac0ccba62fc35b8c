//! Choices of a search: slots without a value (*holes*), and marks on those whose value was chosen.

mod holes;
mod set;
pub(crate) mod slots;

pub use holes::Comparison;
pub use set::{ChoiceSet, HOLE, MARKS};
