//! Stubs for systems other than Linux, where no confinement is available.

use crate::{Attempt, ConfineError, MissingFeature, Policy, PrivateFolder, Support};
use std::process::{Child, Command};
use std::time::Duration;

/// A monitor that sees nothing.
#[derive(Debug)]
pub struct Monitor;

impl Monitor {
    pub fn take_attempts(&self) -> Vec<Attempt> {
        Vec::new()
    }

    pub fn join(&mut self) {}
}

pub fn support() -> Support {
    Support {
        landlock: 0,
        missing: vec![MissingFeature::Landlock, MissingFeature::Seccomp, MissingFeature::Notifications],
    }
}

pub fn spawn(
    mut command: Command,
    _: &Policy,
    _: &PrivateFolder,
    _: &Support,
) -> Result<(Child, Option<Monitor>), ConfineError> {
    let program = command.get_program().into();
    Ok((command.spawn().map_err(|source| ConfineError::Start { program, source })?, None))
}

pub fn extend_processor_time(_: &Child, _: Duration) {}
