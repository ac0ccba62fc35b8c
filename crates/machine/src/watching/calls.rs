//! Listening to calls, and looking aside: how a run is watched without being disturbed.
//!
//! Calls of the methods in a [`WatchScope`] are told to an [`Observer`] when they begin and when they end. A method out
//! of scope pays nothing: the mark is asked for together with `synchronized`. What the observer wants to know that only
//! code can tell, it runs in [`Machine::aside`], on a fork that is thrown away.
//!
//! A fork of this kind lives shorter than the call that asks for it and is never gone back to, so it is no version of the
//! memory but a mark in its log: nothing remains of it, however often that is done.

use crate::classes::{MethodId, Telling};
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Purpose, Value};
use cupping_classfile::{ClassFile, Origin};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Whose methods are watched.
#[derive(Clone, Debug, Default)]
pub struct WatchScope {
    /// All classes of the class path.
    pub class_path: bool,
    /// Classes by internal name, those of the JDK too.
    pub classes: FxHashSet<Arc<str>>,
    /// Probes are told of only in the frames of calls whose end is to be told.
    pub only_own_probes: bool,
}

impl WatchScope {
    pub(crate) fn includes(&self, class: &str, from_jdk: bool) -> bool {
        (self.class_path && !from_jdk) || (!self.classes.is_empty() && self.classes.contains(class))
    }
}

/// A call that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The method that runs.
    pub method: MethodId,
    /// Tells this invocation from all others that run.
    pub serial: u32,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// With this value.
    Returned(Value),
    /// With this exception.
    Threw(Addr),
}

/// Who listens. While one of these runs, nothing is told.
pub trait Observer {
    /// A method is about to run: its frame is the innermost one, its arguments are [`Machine::arguments_of_call`].
    /// Whether its end is to be told as well.
    fn entered(&mut self, machine: &mut Machine, call: Call) -> bool;

    /// A call has ended; its frame is gone.
    fn left(&mut self, machine: &mut Machine, call: Call, how: Left);

    /// A probe was passed in the frame of this serial.
    fn probed(&mut self, _serial: u32, _probe: u32) {}

    /// A field is about to be read in the frame of this serial, in code that records data flow. The key is that of
    /// [`FieldKeys`](crate::FieldKeys), or the index of an element of an array with [`ELEMENT`](crate::ELEMENT); the
    /// object is 0 for statics.
    fn read(&mut self, _serial: u32, _object: Addr, _key: u32) {}
}

impl Machine {
    /// Sets who listens to which calls. Before classes are loaded is best; those that are loaded are marked, too.
    pub fn watch(&mut self, scope: WatchScope, observer: Option<Box<dyn Observer>>) {
        for method in &mut self.methods {
            let class = &self.classes[method.class.0 as usize];
            method.telling = Telling::Each;
            method.watched = &*method.name != "<clinit>" && scope.includes(&class.name, class.from_jdk);
        }
        self.watch_scope = scope;
        self.observer = observer;
        self.call_counts.clear();
        (self.quiet_until, self.quiet_calls) = (u64::MAX, 0);
    }

    /// Tells of the calls of one method no longer, or again.
    pub fn set_watched(&mut self, method: MethodId, watched: bool) {
        self.methods[method.0 as usize].watched = watched;
    }

    /// From now on counts the calls of a method that is watched instead of telling of them.
    pub fn count_calls(&mut self, method: MethodId) {
        let at = method.0 as usize;
        if self.call_counts.len() <= at {
            self.call_counts.resize(at + 1, 0);
        }
        self.methods[at].telling = Telling::Counted;
    }

    /// From now on calls of a method that is watched are told only when [`Machine::be_quiet_until`] allows it.
    pub fn tell_sparingly(&mut self, method: MethodId) {
        self.methods[method.0 as usize].telling = Telling::Sparing;
    }

    /// Tells of the calls of methods that are told sparingly only when no more than this much fuel is left.
    pub fn be_quiet_until(&mut self, fuel: u64) {
        self.quiet_until = fuel;
    }

    /// How many calls have not been told for that.
    pub fn quiet_calls(&self) -> u64 {
        self.quiet_calls
    }

    /// How many calls of a method have been counted.
    pub fn counted_calls(&self, method: MethodId) -> u64 {
        self.call_counts.get(method.0 as usize).copied().unwrap_or(0)
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
        let loaded = self.method(method);
        let mut slot = frame.base;
        if !loaded.is_static() {
            values.push(Value::concrete(self.stack.get(slot)));
            slot += 1;
        }
        for kind in &loaded.parameters {
            values.push(Value::concrete(self.stack.get(slot)));
            slot += kind.slots() as u32;
        }
    }

    /// The innermost frame belongs to a method that is watched: tells of it.
    pub(crate) fn tell_entered(&mut self, method: MethodId) {
        // While conditions are evaluated nobody listens, and nothing is counted.
        match self.methods[method.0 as usize].telling {
            Telling::Each => {}
            Telling::Sparing if self.fuel() <= self.quiet_until => {}
            Telling::Sparing => {
                self.quiet_calls += u64::from(self.observer.is_some());
                return;
            }
            Telling::Counted => {
                if self.observer.is_some()
                    && let Some(count) = self.call_counts.get_mut(method.0 as usize)
                {
                    *count += 1;
                }
                return;
            }
        }
        let Some(mut observer) = self.observer.take() else { return };
        let serial = self.current().serial;
        if observer.entered(self, Call { method, serial }) {
            self.current_mut().purpose = Purpose::Watched;
        }
        self.observer = Some(observer);
    }

    pub(crate) fn tell_left(&mut self, method: MethodId, serial: u32, how: Left) {
        let Some(mut observer) = self.observer.take() else { return };
        observer.left(self, Call { method, serial }, how);
        self.observer = Some(observer);
    }

    pub(crate) fn tell_probe(&mut self, probe: u32) {
        let frame = self.current();
        if self.watch_scope.only_own_probes && !matches!(frame.purpose, Purpose::Watched) {
            return;
        }
        let serial = frame.serial;
        if let Some(observer) = &mut self.observer {
            observer.probed(serial, probe);
        }
    }

    #[cold]
    pub(crate) fn tell_read(&mut self, object: Addr, key: u32) {
        let serial = self.current().serial;
        if let Some(observer) = &mut self.observer {
            observer.read(serial, object, key);
        }
    }

    /// Does something on a fork of this moment that is thrown away: memory, output, clock, and all else that the run can
    /// see are afterwards what they were. Other threads stand still, nothing is collected, and nobody is told of calls;
    /// `fuel` is how many calls and backward jumps there may be.
    pub fn aside<T>(&mut self, fuel: u64, work: impl FnOnce(&mut Machine) -> T) -> T {
        let observer = self.observer.take();
        let frames = std::mem::take(&mut self.registers.frames);
        let mut kept = self.registers.clone();
        let depth = frames.len();
        self.registers.frames = frames;
        let (decision_index, raising_native) = (self.shadows.decisions(), self.raising_native);
        let thread = self.registers.thread;
        self.registers.seldom.stopped = Default::default();
        self.registers.collect_at = u64::MAX;
        self.registers.fuel = fuel;
        self.registers.fuel_beyond = 0;
        self.registers.fuel_given = fuel;
        self.registers.turn_ends = 0;
        let mark = self.memory.mark();
        let was_muted = self.console.mute(true);
        let was_open = std::mem::replace(&mut self.beside.is_open, true);

        let result = work(self);

        self.console.mute(was_muted);
        self.beside.is_open = was_open;
        self.memory.go_back(mark);
        // A thread that had to wait was put aside with its frames.
        if self.registers.frames.len() < depth {
            let waiting = self.registers.seldom.stopped.iter().find(|it| it.thread == thread).cloned();
            if let Some(waiting) = waiting {
                self.stack.restore(&waiting.stack);
                self.registers.frames = waiting.frames;
            }
        }
        kept.frames = std::mem::take(&mut self.registers.frames);
        kept.frames.truncate(depth);
        self.registers = kept;
        self.shadows.set_decisions(decision_index);
        self.raising_native = raising_native;
        self.observer = observer;
        result
    }

    /// Runs a method to its end and tells a halt from an exception: for what observers ask.
    ///
    /// # Errors
    /// Why it stopped, where it neither returned nor threw.
    pub fn ask(&mut self, method: MethodId, arguments: &[Value]) -> Result<Left, Halt> {
        match self.call(method, arguments) {
            Ok(value) => Ok(Left::Returned(value)),
            Err(Trap::Throw(exception)) => Ok(Left::Threw(exception)),
            Err(Trap::Exit(Exit::Halted(halt))) => Err(halt),
            Err(trap) => Err(Halt::Unsupported(self.describe_trap(&trap))),
        }
    }

    /// Makes a class that is trusted as those of the JDK are: its accesses are not checked, so that what it asks may be
    /// private. For conditions over a program, never for the program.
    ///
    /// # Errors
    /// As [`Machine::define_bytes`].
    pub fn define_privileged(&mut self, bytes: &[u8]) -> Step<crate::ClassId> {
        let origin = Origin::Jdk { module: Arc::from("cupping") };
        let file = ClassFile::parse(Arc::from(bytes), "a condition", origin)
            .map_err(|e| crate::classes::link::file_error("a condition", &e))?;
        if let Some(known) = self.class_names.get(&file.name) {
            return Ok(*known);
        }
        self.unloadable.remove(&file.name);
        self.load_file(Arc::new(file))
    }
}
