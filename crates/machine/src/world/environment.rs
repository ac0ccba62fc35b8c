//! The environment of a program beside its heap, and the requests to end it.

use super::globals::Globals;
use super::{Console, WorldOptions};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// What a program finds around its heap. Nothing of it changes with a run but what has been read of given files.
#[derive(Default)]
pub(crate) struct Environment {
    /// What was settled before the machine booted.
    pub(crate) options: WorldOptions,
    /// The standard streams, where output is not kept but passed on.
    pub(crate) console: Console,
    /// Files given to the program that have been read, by their place on the host.
    pub(super) given_files: FxHashMap<Rc<Path>, Arc<[u8]>>,
    /// The state that all code of the JVM shares, as of the end of the boot.
    pub(super) globals: Globals,
    /// Whether somebody wants the run to end.
    interrupted: Option<fn() -> bool>,
}

impl Environment {
    /// Asks this now and then whether somebody wants the run to end.
    pub(crate) fn set_interrupted(&mut self, interrupted: fn() -> bool) {
        self.interrupted = Some(interrupted);
    }

    /// Whether there is somebody to ask.
    pub(crate) fn may_be_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    /// Whether somebody wants the run to end.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.is_some_and(|interrupted| interrupted())
    }
}
