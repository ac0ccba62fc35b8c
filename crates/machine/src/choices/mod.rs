//! Choices of a search: slots without a value (*holes*), and marks on those whose value was chosen.

pub(crate) mod holes;
pub(crate) mod slots;
