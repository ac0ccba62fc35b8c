//! The observer of a run: the calls that it is notified of, and those that are only counted.

use super::scope::WatchScope;
use crate::classes::MethodId;

/// The observer of a machine, of type `O`: a trait object that knows the machine, which this file does not.
pub(crate) struct Listener<O> {
    scope: WatchScope,
    observer: Option<O>,
    /// Calls of methods that are counted, by method.
    counts: Vec<u64>,
    /// Calls of sparing methods are not reported while more fuel than this is left; and the number of
    /// unreported calls.
    quiet_until: u64,
    quiet_calls: u64,
}

impl<O> Default for Listener<O> {
    fn default() -> Listener<O> {
        Listener::new(WatchScope::default(), None)
    }
}

impl<O> Listener<O> {
    /// The observer, if there is one, with its scope.
    pub(crate) fn new(scope: WatchScope, observer: Option<O>) -> Listener<O> {
        Listener { scope, observer, counts: Vec::new(), quiet_until: u64::MAX, quiet_calls: 0 }
    }

    /// The watched methods.
    pub(crate) fn scope(&self) -> &WatchScope {
        &self.scope
    }

    /// Whether an observer is active.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.observer.is_some()
    }

    /// The active observer.
    pub(crate) fn observer(&mut self) -> Option<&mut O> {
        self.observer.as_mut()
    }

    /// Removes the observer; until it is put back, nothing is reported.
    pub(crate) fn take(&mut self) -> Option<O> {
        self.observer.take()
    }

    /// Puts the observer back.
    pub(crate) fn put_back(&mut self, observer: Option<O>) {
        self.observer = observer;
    }

    /// From now on, counts the calls of this method.
    pub(crate) fn begin_count(&mut self, method: MethodId) {
        let at = method.0 as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
    }

    /// Counts a call of a method, if an observer is active.
    pub(crate) fn count(&mut self, method: MethodId) {
        if self.is_on()
            && let Some(count) = self.counts.get_mut(method.0 as usize)
        {
            *count += 1;
        }
    }

    /// How many calls of a method have been counted.
    pub(crate) fn counted(&self, method: MethodId) -> u64 {
        self.counts.get(method.0 as usize).copied().unwrap_or(0)
    }

    /// Sparing calls are reported only if no more than this much fuel is left.
    pub(crate) fn set_quiet_until(&mut self, fuel: u64) {
        self.quiet_until = fuel;
    }

    /// Whether a sparing call is reported with this much fuel left. If not, it is counted while an observer is active.
    pub(crate) fn is_rare_call_due(&mut self, fuel: u64) -> bool {
        let is_told = fuel <= self.quiet_until;
        self.quiet_calls += u64::from(!is_told && self.is_on());
        is_told
    }

    /// The number of sparing calls that were not reported.
    pub(crate) fn quiet_calls(&self) -> u64 {
        self.quiet_calls
    }
}
