//! The scope of watching: methods whose calls are reported.

use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The classes whose methods are watched.
#[derive(Clone, Debug, Default)]
pub struct WatchScope {
    /// All classes of the class path.
    pub class_path: bool,
    /// Classes by internal name, those of the JDK too.
    pub classes: FxHashSet<Arc<str>>,
    /// Whether the observer sees probes only in frames of calls whose end it asked for.
    pub only_own_probes: bool,
    /// Whether calls of natives are reported, too ([`crate::Observer::called_native`]).
    pub natives: bool,
}

impl WatchScope {
    pub(crate) fn includes(&self, class: &str, from_jdk: bool) -> bool {
        (self.class_path && !from_jdk) || (!self.classes.is_empty() && self.classes.contains(class))
    }
}
