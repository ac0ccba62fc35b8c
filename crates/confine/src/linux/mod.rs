//! Confinement on Linux.
//!
//! [`spawn`] prepares everything in the parent; the child makes four system calls between `fork` and `exec`.
//! The rules restrict the process from the first of these calls on.

mod attributes;
mod calls;
mod filter;
mod landlock;
mod launch;
mod listener_socket;
mod monitor;
mod syscalls;
mod tracee;

use crate::{MissingFeature, Support};
use rustix::process::{Pid, Resource, prlimit};
use std::process::Child;
use std::time::Duration;

pub use launch::spawn;
pub use monitor::Monitor;

/// The features available to this process.
pub fn support() -> Support {
    let landlock = syscalls::landlock_version();
    let filters = syscalls::has_filters();
    let is_missing = [
        (MissingFeature::Landlock, landlock == 0),
        // Filters depend on the architecture.
        (MissingFeature::Seccomp, !filters || filter::architecture().is_none()),
        (MissingFeature::Notifications, !syscalls::has_notifications()),
    ];
    let missing = is_missing.into_iter().filter(|(_, missing)| *missing).map(|(means, _)| means).collect();
    Support { landlock, missing }
}

/// Extends a child's processor time.
pub fn extend_processor_time(child: &Child, time: Duration) {
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let Some(used) = tracee::processor_time(child.id()) else { return };
    let allowed = used.saturating_add(time).as_secs() + 1;
    let _ = prlimit(Some(pid), Resource::Cpu, launch::processor_limit(allowed));
}
