//! What the kernel of this computer supports.

use crate::support::Support;
use std::sync::OnceLock;

impl Support {
    /// The features available to this process, determined once.
    pub fn of_kernel() -> &'static Support {
        static SUPPORT: OnceLock<Support> = OnceLock::new();
        SUPPORT.get_or_init(crate::linux::support)
    }
}
