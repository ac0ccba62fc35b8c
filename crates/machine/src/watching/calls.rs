//! Reports of calls. A method out of scope pays nothing, since its flag is tested together with `synchronized`.

use super::call::WatchedCall;
use crate::classes::{CallReports, MethodId};
use crate::machine::{Machine, Observer};
use crate::memory::Addr;
use crate::state::{Purpose, Value};
use crate::watching::listener::Listener;
use crate::watching::{CallEnd, WatchScope};

impl Machine {
    /// Sets the observer and its scope, best before classes are loaded; loaded classes are marked now.
    pub fn watch(&mut self, scope: WatchScope, observer: Option<Box<dyn Observer>>) {
        for at in 0..self.methods().len() as u32 {
            let method = self.method(MethodId(at));
            let class = self.class(method.class);
            let watched = &*method.name != "<clinit>" && scope.includes(&class.name, class.from_jdk);
            let method = self.classes.method_mut(MethodId(at));
            (method.reports, method.watched) = (CallReports::Each, watched);
        }
        self.listener = Listener::new(scope, observer);
    }

    /// Replaces the observer, within the same scope, and returns the previous one. In a notification there is none.
    pub fn exchange_observer(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        let previous = self.listener.take();
        self.listener.put_back(observer);
        previous
    }

    /// From now on, counts the calls of a watched method instead of reporting them.
    pub fn count_calls(&mut self, method: MethodId) {
        self.listener.begin_count(method);
        self.classes.method_mut(method).reports = CallReports::Counted;
    }

    /// Reports calls of sparing methods only if no more than this much fuel is left.
    pub fn be_quiet_until(&mut self, fuel: u64) {
        self.listener.set_quiet_until(fuel);
    }

    /// The number of sparing calls that were not reported.
    pub fn quiet_calls(&self) -> u64 {
        self.listener.quiet_calls()
    }

    /// How many calls of a method have been counted.
    pub fn counted_calls(&self, method: MethodId) -> u64 {
        self.listener.counted(method)
    }

    /// Reports the call of the innermost frame, whose method is watched.
    pub(crate) fn report_entry(&mut self, method: MethodId) {
        // While conditions are evaluated, nothing is reported or counted.
        match self.method(method).reports {
            CallReports::Each => {}
            CallReports::Sparing => {
                let fuel = self.fuel();
                if !self.listener.is_rare_call_due(fuel) {
                    return;
                }
            }
            CallReports::Counted => return self.listener.count(method),
        }
        let Some(mut observer) = self.listener.take() else { return };
        let serial = self.current().serial;
        if observer.entered(self, WatchedCall { method, serial }) {
            self.current_mut().purpose = Purpose::Watched;
        }
        self.listener.put_back(Some(observer));
    }

    pub(crate) fn report_exit(&mut self, method: MethodId, serial: u32, how: CallEnd) {
        let Some(mut observer) = self.listener.take() else { return };
        observer.left(self, WatchedCall { method, serial }, how);
        self.listener.put_back(Some(observer));
    }

    pub(crate) fn report_probe(&mut self, probe: u32) {
        let frame = self.current();
        if self.listener.scope().only_own_probes && !matches!(frame.purpose, Purpose::Watched) {
            return;
        }
        let serial = frame.serial;
        if let Some(observer) = self.listener.observer() {
            observer.probed(serial, probe);
        }
    }

    #[cold]
    pub(crate) fn report_read(&mut self, object: Addr, key: u32) {
        let serial = self.current().serial;
        if let Some(observer) = self.listener.observer() {
            observer.read(serial, object, key);
        }
    }

    #[cold]
    pub(crate) fn report_native_call(&mut self, method: MethodId, base: u32) {
        let Some(mut observer) = self.listener.take() else { return };
        let mut arguments = Vec::new();
        self.put_arguments_from(method, base, &mut arguments);
        observer.called_native(self, method, &arguments);
        self.listener.put_back(Some(observer));
    }

    /// Stops or resumes reporting the calls of one method.
    pub fn set_watched(&mut self, method: MethodId, watched: bool) {
        self.classes.method_mut(method).watched = watched;
    }

    /// From now on, reports calls of a watched method only if [`Machine::be_quiet_until`] allows it.
    pub fn report_rarely(&mut self, method: MethodId) {
        self.classes.method_mut(method).reports = CallReports::Sparing;
    }

    /// The arguments of the innermost frame, the receiver first, before any instruction of it.
    pub fn arguments_of_call(&self, method: MethodId) -> Vec<Value> {
        let mut values = Vec::with_capacity(self.method(method).parameters.len() + 1);
        self.put_arguments_of_call(method, &mut values);
        values
    }

    /// Adds them to these values.
    pub fn put_arguments_of_call(&self, method: MethodId, values: &mut Vec<Value>) {
        let Some(frame) = self.registers.frames.last() else { return };
        self.put_arguments_from(method, frame.base, values);
    }

    fn put_arguments_from(&self, method: MethodId, base: u32, values: &mut Vec<Value>) {
        let loaded = self.method(method);
        let mut slot = base;
        if !loaded.is_static() {
            values.push(Value::concrete(self.stack.get(slot)));
            slot += 1;
        }
        for kind in &loaded.parameters {
            values.push(Value::concrete(self.stack.get(slot)));
            slot += kind.slots() as u32;
        }
    }
}
