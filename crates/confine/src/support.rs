//! What the kernel offers to confine a process.

use std::fmt::{self, Display, Formatter};
use std::sync::OnceLock;

/// A means of confinement that this system lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// Landlock, which keeps a process from files.
    Landlock,
    /// seccomp filters, which keep a process from system calls.
    Seccomp,
    /// Notifications of seccomp, by which a monitor is told of attempts.
    Notifications,
}

impl Display for Missing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::Landlock => "Landlock (Linux 5.13 or later, enabled at boot)",
            Missing::Seccomp => "seccomp filters",
            Missing::Notifications => "seccomp notifications (Linux 5.5 or later)",
        })
    }
}

/// What the kernel offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Support {
    /// The version of Landlock's interface; 0 where there is none.
    pub landlock: u32,
    /// What is missing for full confinement.
    pub missing: Vec<Missing>,
}

impl Support {
    /// What this process may ask of the kernel. Asked once.
    pub fn of_kernel() -> &'static Support {
        static SUPPORT: OnceLock<Support> = OnceLock::new();
        SUPPORT.get_or_init(crate::linux::support)
    }

    /// Whether a process can be confined in full.
    pub fn is_full(&self) -> bool {
        self.missing.is_empty()
    }

    pub(crate) fn has(&self, means: Missing) -> bool {
        !self.missing.contains(&means)
    }
}

impl Display for Support {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_full() {
            return write!(f, "full (Landlock ABI {}, seccomp with notifications)", self.landlock);
        }
        let missing: Vec<String> = self.missing.iter().map(Missing::to_string).collect();
        write!(f, "partial: the kernel does not offer {}", missing.join(", nor "))
    }
}
