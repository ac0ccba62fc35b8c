//! A difference between a call and what an earlier version does.

use cupping_machine::MethodId;

/// A call that behaves otherwise than with the earlier version.
pub(super) struct ChangedCall {
    /// The method whose change is the reason, if it is one alone.
    pub(super) culprit: Option<MethodId>,
    /// The triple whose condition shows it, if it is not an exception.
    pub(super) branch: Option<usize>,
    /// The difference, for display.
    pub(super) difference: String,
    /// Whether it throws, and returned before.
    pub(super) is_new_exception: bool,
}
