//! Records the tests of a suite: their calls of the classes under test, and their assertions.

use crate::shape::Reads;
use cupping_machine::memory::Version;
use cupping_machine::{Addr, Body, Call, ClassId, Left, Machine, MethodId, Observer, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Limits on the calls recorded of one test, and of one position in it.
const MOST_CALLS: usize = 1_000;
const MOST_CALLS_OF_A_PLACE: usize = 24;
/// Limit on the reads recorded of one test.
const MOST_READS: usize = 2_000_000;

/// The owner of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Suite,
    UnderTest,
    /// A testing library.
    Support,
    Other,
}

/// A test's call of a class under test.
pub(super) struct Observed {
    pub(super) call: Call,
    /// The test method, and the position of the call.
    pub(super) caller: MethodId,
    pub(super) frame: u32,
    pub(super) pc: u32,
    pub(super) arguments: Vec<Value>,
    pub(super) before: Version,
    pub(super) after: Option<Version>,
    /// The slots of the test's frame; the first `locals` of them are local variables.
    pub(super) slots: Vec<u64>,
    pub(super) locals: usize,
    pub(super) labels: Vec<u32>,
    /// The range of its reads in the list of reads.
    pub(super) reads: (usize, usize),
    pub(super) how: Option<Left>,
    pub(super) has_written: bool,
    /// Classes under test whose code ran.
    pub(super) classes: BTreeSet<ClassId>,
    /// Whether the call came through a method reference in the caller's code.
    pub(super) is_by_reference: bool,
}

/// An event in a test's frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The frame makes this recorded call.
    Call(usize),
    /// The frame makes another call, at this position.
    Other(u32),
    /// The frame makes an assertion: its position, the number of reads so far, and the suite's predicate if
    /// the assertion consists of one.
    Asserted(u32, usize, Option<Predicate>),
}

/// A boolean method of a suite, and the truth value asserted.
pub(super) type Predicate = (MethodId, bool);

/// A call that has not ended yet.
struct Open {
    call: Call,
    what: What,
}

enum What {
    Observed(usize),
    /// A helper method of the suite, called by this frame at this position. The flag is set once it asserts,
    /// and says whether all its assertions ask only for truth.
    Helper(u32, u32, Option<bool>),
    /// A method of a testing library, and the truth value that it asserts.
    Support(u32, u32, Option<bool>),
}

/// The record of one test.
#[derive(Default)]
pub(super) struct Recording {
    pub(super) observed: Vec<Observed>,
    pub(super) frames: BTreeMap<u32, Vec<Event>>,
    pub(super) reads: Vec<(Addr, u32)>,
    open: Vec<Open>,
    places: BTreeMap<(u32, u32), usize>,
    sides: Vec<Option<Side>>,
    /// Frames that have called a helper of the suite since their last assertion.
    helped: BTreeMap<u32, MethodId>,
    /// The class noted last, since most calls stay within their class.
    noted: Option<ClassId>,
    suite: Rc<BTreeSet<String>>,
    under_test: Rc<BTreeSet<String>>,
}

#[derive(Clone, Default)]
pub(super) struct Recorder(pub(super) Rc<RefCell<Recording>>);

impl Recorder {
    pub(super) fn new(suite: BTreeSet<String>, under_test: BTreeSet<String>) -> Recorder {
        let (suite, under_test) = (Rc::new(suite), Rc::new(under_test));
        Recorder(Rc::new(RefCell::new(Recording { suite, under_test, ..Recording::default() })))
    }

    /// Takes the record and starts anew.
    pub(super) fn take(&self) -> Recording {
        let mut recording = self.0.borrow_mut();
        let (suite, under_test) = (recording.suite.clone(), recording.under_test.clone());
        let sides = recording.sides.clone();
        std::mem::replace(&mut *recording, Recording { suite, under_test, sides, ..Recording::default() })
    }
}

impl Recording {
    fn side(&mut self, machine: &Machine, class: ClassId) -> Side {
        let at = class.0 as usize;
        if self.sides.len() <= at {
            self.sides.resize(at + 1, None);
        }
        *self.sides[at].get_or_insert_with(|| {
            let class = machine.class(class);
            match &*class.name {
                _ if class.from_jdk || class.file.is_none() => Side::Other,
                name if self.suite.contains(name) => Side::Suite,
                name if self.under_test.contains(name) => Side::UnderTest,
                _ => Side::Support,
            }
        })
    }

    pub(super) fn is_under_test(&self, class: &str) -> bool {
        self.under_test.contains(class)
    }

    /// The suite's frame on whose behalf a call is made: the caller, or the next frame below if the caller is
    /// synthetic code of a method reference. Returns its serial, method and position, and whether it is the
    /// caller.
    fn of_suite(&mut self, machine: &Machine) -> Option<(u32, MethodId, u32, bool)> {
        let [below @ .., caller, _] = &machine.registers().frames[..] else { return None };
        let from = machine.class(machine.method(caller.code.method).class);
        let Some(host) = from.host.filter(|_| from.file.is_none()) else {
            return Some((caller.serial, caller.code.method, caller.pc, true));
        };
        if self.side(machine, host) != Side::Suite {
            return None;
        }
        let mut is_suite = |method| self.side(machine, machine.method(method).class) == Side::Suite;
        let frame = below.iter().rev().find(|it| is_suite(it.code.method))?;
        Some((caller.serial, frame.code.method, frame.pc, false))
    }

    /// Notes an assertion for a frame and for the helpers around it.
    fn asserted(&mut self, frame: u32, pc: u32, asks_truth: Option<bool>) {
        let reads = self.reads.len();
        let predicate = self.helped.remove(&frame).zip(asks_truth);
        self.frames.entry(frame).or_default().push(Event::Asserted(pc, reads, predicate));
        for open in &mut self.open {
            if let What::Helper(.., within) = &mut open.what {
                *within = Some(within.unwrap_or(true) && asks_truth.is_some());
            }
        }
    }

    /// The fields read in a part of the run.
    pub(super) fn reads_of(&self, from: usize, to: usize) -> Reads {
        self.reads.get(from..to).unwrap_or_default().iter().copied().collect()
    }
}

/// Assertions of truth, as opposed to comparisons with a value from the test.
const ASKING_TRUTH: [(&str, bool); 2] = [("assertTrue", true), ("assertFalse", false)];

impl Observer for Recorder {
    fn entered(&mut self, machine: &mut Machine, call: Call) -> bool {
        let mut recording = self.0.borrow_mut();
        let Some((frame, method, at, is_caller)) = recording.of_suite(machine) else { return false };
        let from = machine.method(method).class;
        let target = machine.method(call.method).class;
        if recording.side(machine, from) != Side::Suite {
            let is_new =
                recording.side(machine, target) == Side::UnderTest && recording.noted != Some(target);
            if is_new {
                recording.noted = Some(target);
                let Recording { open, observed, .. } = &mut *recording;
                for open in open.iter() {
                    if let What::Observed(number) = open.what {
                        observed[number].classes.insert(target);
                    }
                }
            }
            return false;
        }
        recording.noted = None;
        let pc = match &machine.method(method).body {
            Body::Code(code) => code.offsets.get(at as usize).copied().unwrap_or_default(),
            _ => 0,
        };
        let what = match recording.side(machine, target) {
            Side::Other => return false,
            Side::Suite => What::Helper(frame, pc, None),
            Side::Support => {
                let method = machine.method(call.method);
                let class = machine.class(target).name.rsplit('/').next().unwrap_or_default().to_owned();
                let is_assertion = &*method.name != "<init>"
                    && (method.result == cupping_machine::Kind::Void || class.contains("Assert"))
                    || method.name.starts_with("assert");
                if !is_assertion {
                    return false;
                }
                let asks = ASKING_TRUTH.iter().find(|(name, _)| *name == &*method.name);
                What::Support(frame, pc, asks.map(|(_, truth)| *truth))
            }
            Side::UnderTest => {
                let of_place = recording.places.entry((method.0, pc)).or_default();
                *of_place += 1;
                if *of_place > MOST_CALLS_OF_A_PLACE || recording.observed.len() >= MOST_CALLS {
                    recording.frames.entry(frame).or_default().push(Event::Other(pc));
                    return false;
                }
                let number = recording.observed.len();
                let (slots, locals) = if is_caller { machine.slots_of_caller() } else { Default::default() };
                let from = recording.reads.len();
                recording.observed.push(Observed {
                    call,
                    caller: method,
                    frame,
                    pc,
                    arguments: machine.arguments_of_call(call.method),
                    before: machine.memory_version(),
                    after: None,
                    slots,
                    locals,
                    labels: Vec::new(),
                    reads: (from, from),
                    how: None,
                    has_written: true,
                    classes: BTreeSet::from([target]),
                    is_by_reference: !is_caller,
                });
                recording.frames.entry(frame).or_default().push(Event::Call(number));
                What::Observed(number)
            }
        };
        recording.open.push(Open { call, what });
        true
    }

    fn left(&mut self, machine: &mut Machine, call: Call, how: Left) {
        let mut recording = self.0.borrow_mut();
        let Some(at) = recording.open.iter().rposition(|it| it.call == call) else { return };
        let Open { what, .. } = recording.open.remove(at);
        let returned = matches!(how, Left::Returned(_));
        match what {
            What::Observed(number) => {
                let reads = recording.reads.len();
                let observed = &mut recording.observed[number];
                observed.reads.1 = reads;
                observed.how = Some(how);
                observed.has_written = machine.has_written_since(&observed.before);
                observed.after = Some(machine.memory_version());
            }
            What::Helper(frame, pc, within) if returned => {
                recording.helped.insert(frame, call.method);
                if let Some(asks_truth) = within {
                    // All assertions of a helper together form one predicate.
                    recording.asserted(frame, pc, asks_truth.then_some(true));
                }
            }
            What::Support(frame, pc, asks_truth) if returned => recording.asserted(frame, pc, asks_truth),
            What::Helper(..) | What::Support(..) => {}
        }
    }

    fn probed(&mut self, serial: u32, probe: u32) {
        let mut recording = self.0.borrow_mut();
        let open = recording.open.iter().rev().find(|it| it.call.serial == serial);
        if let Some(What::Observed(number)) = open.map(|it| &it.what) {
            let number = *number;
            recording.observed[number].labels.push(probe);
        }
    }

    fn read(&mut self, _: u32, object: Addr, key: u32) {
        let mut recording = self.0.borrow_mut();
        // Reads before the first recorded call are irrelevant.
        if !recording.observed.is_empty()
            && recording.reads.len() < MOST_READS
            && recording.reads.last() != Some(&(object, key))
        {
            recording.reads.push((object, key));
        }
    }
}
