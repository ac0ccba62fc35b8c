//! The kernel's support for confinement.

use std::fmt::{self, Display, Formatter};

/// A missing kernel feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingFeature {
    /// Landlock, which restricts access to files.
    Landlock,
    /// seccomp filters, which restrict system calls.
    Seccomp,
    /// seccomp notifications, which report attempts to a monitor.
    Notifications,
}

impl Display for MissingFeature {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MissingFeature::Landlock => "Landlock (Linux 5.13 or later, enabled at boot)",
            MissingFeature::Seccomp => "seccomp filters",
            MissingFeature::Notifications => "seccomp notifications (Linux 5.5 or later)",
        })
    }
}

/// The kernel's features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// The ABI version of Landlock; 0 if it is missing.
    pub landlock: u32,
    /// Features missing for full confinement.
    pub missing: Vec<MissingFeature>,
}

impl Support {
    /// Whether processes can be fully confined.
    pub fn is_full(&self) -> bool {
        self.missing.is_empty()
    }

    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux confines"))]
    pub(crate) fn has(&self, means: MissingFeature) -> bool {
        !self.missing.contains(&means)
    }
}

impl Display for Support {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_full() {
            return write!(f, "full (Landlock ABI {}, seccomp with notifications)", self.landlock);
        }
        let missing: Vec<String> = self.missing.iter().map(MissingFeature::to_string).collect();
        write!(f, "partial: the kernel does not offer {}", missing.join(", nor "))
    }
}
