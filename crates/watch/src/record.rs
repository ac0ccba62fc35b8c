//! Records the one call that a unit test is about: its path, its reads, and the objects that it meets.

use cupping_machine::memory::Version;
use cupping_machine::{Addr, CallEnd, ClassId, Machine, MethodId, Observer, Value, WatchedCall};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the steps recorded of one call.
const MOST_STEPS: usize = 100_000;

/// One step of a run, across methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallStep {
    /// Control passed a label.
    Label(u32),
    /// Control entered a method.
    Enter(MethodId),
}

/// The first meeting of an object that a condition needs.
#[derive(Clone, Debug)]
pub(crate) struct FirstMeeting {
    /// Index of the variable that holds it.
    pub(crate) variable: usize,
    /// The steps before the meeting.
    pub(crate) steps: Vec<CallStep>,
    /// The method that received it.
    pub(crate) method: MethodId,
    /// Its argument position; 0 is the receiver.
    pub(crate) position: usize,
}

/// The record of a call.
#[derive(Clone)]
pub(crate) struct CallRecord {
    pub(crate) call: WatchedCall,
    pub(crate) arguments: Vec<Value>,
    /// The memory at its start.
    pub(crate) before: Version,
    /// Labels passed in its own frame.
    pub(crate) labels: Vec<u32>,
    pub(crate) steps: Vec<CallStep>,
    pub(crate) reads: FxHashSet<(Addr, u32)>,
    pub(crate) met: Vec<FirstMeeting>,
    pub(crate) how: Option<CallEnd>,
    /// Classes whose code ran.
    pub(crate) classes: BTreeSet<ClassId>,
}

/// The state of the observer.
#[derive(Default)]
pub(crate) struct Recording {
    /// The calling method, and name and descriptor of the callee.
    pub(crate) armed: Option<(MethodId, String, String)>,
    /// Objects to wait for, by index of their variable.
    pub(crate) wanted: Vec<(usize, Addr)>,
    pub(crate) seen: Option<CallRecord>,
}

#[derive(Clone, Default)]
pub(crate) struct Recorder(pub(crate) Rc<RefCell<Recording>>);

impl Observer for Recorder {
    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
        let mut recording = self.0.borrow_mut();
        let Some((run, name, descriptor)) = &recording.armed else { return false };
        let method = machine.method(call.method);
        let frames = &machine.registers().frames;
        let caller = frames.len().checked_sub(2).and_then(|at| frames.get(at)).map(|frame| frame.code.method);
        let is_wanted = caller == Some(*run) && *method.name == **name && *method.descriptor == **descriptor;
        // Code of the JDK or of the compiler gives no trace that can be compared reliably.
        let class = machine.class(method.class);
        let is_made = method.access.is_synthetic() || class.from_jdk || class.file.is_none();
        let arguments = machine.arguments_of_call(call.method);
        let own = method.class;
        if is_wanted {
            let before = machine.memory_version();
            recording.seen = Some(CallRecord {
                call,
                arguments,
                before,
                labels: Vec::new(),
                steps: Vec::new(),
                reads: FxHashSet::default(),
                met: Vec::new(),
                how: None,
                classes: BTreeSet::from([own]),
            });
            return true;
        }
        let Recording { wanted, seen: Some(seen), .. } = &mut *recording else { return false };
        if is_made || seen.how.is_some() || seen.steps.len() >= MOST_STEPS {
            return false;
        }
        seen.classes.insert(method.class);
        let is_static = method.is_static();
        let kinds = std::iter::once(cupping_machine::Kind::Reference).filter(|_| !is_static);
        let kinds: Vec<_> = kinds.chain(method.parameters.iter().copied()).collect();
        for (position, (value, kind)) in arguments.iter().zip(kinds).enumerate() {
            if kind != cupping_machine::Kind::Reference {
                continue;
            }
            for (variable, _) in wanted.iter().filter(|(_, object)| *object == value.as_ref()) {
                if !seen.met.iter().any(|met| met.variable == *variable) {
                    let steps = seen.steps.clone();
                    seen.met.push(FirstMeeting { variable: *variable, steps, method: call.method, position });
                }
            }
        }
        seen.steps.push(CallStep::Enter(call.method));
        false
    }

    fn left(&mut self, _: &mut Machine, call: WatchedCall, how: CallEnd) {
        if let Some(seen) = &mut self.0.borrow_mut().seen
            && seen.call == call
        {
            seen.how = Some(how);
        }
    }

    fn probed(&mut self, serial: u32, probe: u32) {
        let mut recording = self.0.borrow_mut();
        let Some(seen) = recording.seen.as_mut().filter(|seen| seen.how.is_none()) else { return };
        if seen.call.serial == serial {
            seen.labels.push(probe);
        }
        if seen.steps.len() < MOST_STEPS {
            seen.steps.push(CallStep::Label(probe));
        }
    }

    fn read(&mut self, _: u32, object: Addr, key: u32) {
        if let Some(seen) = self.0.borrow_mut().seen.as_mut().filter(|seen| seen.how.is_none()) {
            seen.reads.insert((object, key));
        }
    }
}
