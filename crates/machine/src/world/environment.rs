//! The environment of a program outside of its heap, and requests to end the program.

use super::globals::Globals;
use super::{Console, WorldOptions};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The environment of a program outside of its heap. A run changes nothing of it, except that given files are
/// read.
#[derive(Default)]
pub(crate) struct Environment {
    /// The options fixed before the machine booted.
    pub(crate) options: WorldOptions,
    /// The standard streams, if output is passed on instead of kept.
    pub(crate) console: Console,
    /// Files given to the program that have been read, by their place on the host.
    pub(super) given_files: FxHashMap<Rc<Path>, Arc<[u8]>>,
    /// The state that all code of the JVM shares, as of the end of the boot.
    pub(super) globals: Globals,
    /// Whether somebody wants the run to end.
    interrupted: Option<fn() -> bool>,
}

impl Environment {
    /// Sets a function that is called now and then and says whether the run should end.
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
