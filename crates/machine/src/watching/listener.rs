//! Who listens to a run, to which calls, and which calls are only counted.

use super::scope::WatchScope;
use crate::classes::MethodId;

/// The observer of a machine, which is of type `O`: a trait object that knows the machine, as this file does not.
pub(crate) struct Listener<O> {
    scope: WatchScope,
    observer: Option<O>,
    /// Calls of methods that are counted, by method.
    counts: Vec<u64>,
    /// With more fuel than this, calls of methods that are told sparingly are not told; how many have not been.
    quiet_until: u64,
    quiet_calls: u64,
}

impl<O> Default for Listener<O> {
    fn default() -> Listener<O> {
        Listener::new(WatchScope::default(), None)
    }
}

impl<O> Listener<O> {
    /// An observer, if there is one, and what it listens to.
    pub(crate) fn new(scope: WatchScope, observer: Option<O>) -> Listener<O> {
        Listener { scope, observer, counts: Vec::new(), quiet_until: u64::MAX, quiet_calls: 0 }
    }

    /// Whose calls are watched.
    pub(crate) fn scope(&self) -> &WatchScope {
        &self.scope
    }

    /// Whether somebody listens at present.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.observer.is_some()
    }

    /// Who listens at present.
    pub(crate) fn observer(&mut self) -> Option<&mut O> {
        self.observer.as_mut()
    }

    /// Takes the observer out: until it is put back, nobody listens.
    pub(crate) fn take(&mut self) -> Option<O> {
        self.observer.take()
    }

    /// Puts the observer back.
    pub(crate) fn put_back(&mut self, observer: Option<O>) {
        self.observer = observer;
    }

    /// Calls of this method are counted from now on.
    pub(crate) fn begin_count(&mut self, method: MethodId) {
        let at = method.0 as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
    }

    /// Counts a call of a method, if somebody listens.
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

    /// Calls that are told sparingly are told only when no more than this much fuel is left.
    pub(crate) fn set_quiet_until(&mut self, fuel: u64) {
        self.quiet_until = fuel;
    }

    /// Whether such a call is told with this much fuel left; one that is not is counted if somebody listens.
    pub(crate) fn is_told_sparingly(&mut self, fuel: u64) -> bool {
        let is_told = fuel <= self.quiet_until;
        self.quiet_calls += u64::from(!is_told && self.is_on());
        is_told
    }

    /// How many calls have not been told for that.
    pub(crate) fn quiet_calls(&self) -> u64 {
        self.quiet_calls
    }
}
