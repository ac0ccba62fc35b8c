//! Which threads have reached an object.

/// The reachability of an object while there are several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The only thread that has reached it, by number.
    pub(super) only: Option<u32>,
    /// Whether it has been written since several threads reached it.
    pub(super) is_written: bool,
}
