//! Records the tests of a suite: their calls of the classes under test, and their assertions.

use super::code::{code_of, length_of};
use crate::dependence::{NativeReads, Reads, WHOLE, reads_of_native};
use cupping_machine::memory::Version;
use cupping_machine::{
    Addr, CallEnd, ClassId, Kind, Machine, MethodBody, MethodId, Observer, Value, WatchedCall,
};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Limits on the calls recorded of one test, and of one position in it.
const MOST_CALLS: usize = 1_000;
const MOST_CALLS_OF_A_PLACE: usize = 24;
/// Limit on the reads recorded of one test.
const MOST_READS: usize = 4_000_000;

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
pub(super) struct ObservedCall {
    pub(super) call: WatchedCall,
    /// The test method, and the position of the call.
    pub(super) caller: MethodId,
    pub(super) frame: u32,
    pub(super) pc: u32,
    pub(super) arguments: Vec<Value>,
    pub(super) before: Version,
    /// The first address that was free before it.
    pub(super) top: Addr,
    pub(super) after: Option<Version>,
    /// The slots of the test's frame; the first `locals` of them are local variables.
    pub(super) slots: Vec<u64>,
    pub(super) locals: usize,
    pub(super) labels: Vec<u32>,
    /// The range of its reads in the list of reads.
    pub(super) reads: (usize, usize),
    pub(super) how: Option<CallEnd>,
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
    /// The frame makes an assertion: its position, the number of reads so far, and the number of the suite's
    /// predicate if the assertion consists of one.
    Asserted(u32, usize, Option<usize>),
}

/// A condition defined by the suite itself that a test asserts: a boolean method, or a method that fails by itself.
#[derive(Clone, Debug)]
pub(super) struct Predicate {
    pub(super) method: MethodId,
    /// The truth value that is asserted.
    pub(super) holds: bool,
    /// Its arguments, without the test itself.
    pub(super) arguments: Vec<(Kind, Value)>,
}

/// A call that has not ended yet.
struct OpenCall {
    call: WatchedCall,
    what: CallRole,
}

enum CallRole {
    Observed(usize),
    /// A helper method of the suite.
    Helper(Helper),
    /// A method of a testing library, called by this frame at this position, and the truth value that it asserts.
    Support(u32, u32, Option<bool>),
}

/// A call of a helper method of the suite.
struct Helper {
    frame: u32,
    pc: u32,
    arguments: Vec<(Kind, Value)>,
    before: Version,
    /// Whether it makes assertions, and whether all of them assert a truth value rather than compare with a value.
    asserts: bool,
    asks_truth: bool,
    is_void: bool,
}

/// The record of one test.
#[derive(Default)]
pub(super) struct Recording {
    /// Whether the test took too long: nothing is known of what it would have done next.
    pub(super) is_unfinished: bool,
    pub(super) observed: Vec<ObservedCall>,
    pub(super) frames: BTreeMap<u32, Vec<Event>>,
    reads: Vec<(Addr, u32)>,
    /// Locations read since the last start or end of a call or condition.
    seen: FxHashSet<(Addr, u32)>,
    /// The first address that was free before the last recorded call: nothing above it existed before that.
    top: Addr,
    /// Reads of things that no state determines, with the number of reads before them.
    unsure: Vec<(usize, &'static str)>,
    pub(super) predicates: Vec<Predicate>,
    open: Vec<OpenCall>,
    places: BTreeMap<(u32, u32), usize>,
    sides: Vec<Option<Side>>,
    /// Frames that have called a helper of the suite since their last assertion.
    helped: BTreeMap<u32, (MethodId, Vec<(Kind, Value)>)>,
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

    /// Takes the record and starts over.
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

    pub(super) fn is_of_suite_or_program(&self, class: &str) -> bool {
        self.under_test.contains(class) || self.suite.contains(class)
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

    /// Records an assertion for a frame and for the helpers around it.
    fn asserted(&mut self, frame: u32, pc: u32, asks_truth: Option<bool>) {
        let predicate = self.helped.remove(&frame).zip(asks_truth).map(|((method, arguments), holds)| {
            self.predicates.push(Predicate { method, holds, arguments });
            self.predicates.len() - 1
        });
        let reads = self.bound();
        self.frames.entry(frame).or_default().push(Event::Asserted(pc, reads, predicate));
        for open in &mut self.open {
            if let CallRole::Helper(helper) = &mut open.what {
                helper.asserts = true;
                helper.asks_truth &= asks_truth.is_some();
            }
        }
    }

    /// The number of reads so far. Locations that have been read are recorded again on later reads.
    fn bound(&mut self) -> usize {
        self.seen.clear();
        self.reads.len()
    }

    /// The methods that a failure depends on most: the last one that changed something, and those called after it.
    pub(super) fn last_calls(&self, machine: &Machine) -> Vec<String> {
        let from = self.observed.iter().rposition(|it| it.has_written).unwrap_or(0);
        let mut names: Vec<String> = Vec::new();
        for observed in &self.observed[from..] {
            let method = machine.method(observed.call.method);
            let class = machine.class(method.class).name.replace('/', ".");
            let name = if &*method.name == "<init>" {
                format!("new {class}")
            } else {
                format!("{class}.{}", method.name)
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn note_read(&mut self, object: Addr, key: u32) {
        // Nothing can have read it before it existed.
        if object < self.top && self.reads.len() < MOST_READS && self.seen.insert((object, key)) {
            self.reads.push((object, key));
        }
    }

    /// The locations read in a part of the run; `None` if not all are known.
    pub(super) fn reads_of(&self, from: usize, to: usize) -> Option<Reads> {
        (to < MOST_READS).then(|| self.reads.get(from..to).unwrap_or_default().iter().copied().collect())
    }

    /// Why the state before a part of the run does not determine the behaviour of the part, if it does not.
    pub(super) fn unsure_in(&self, from: usize, to: usize) -> Option<&'static str> {
        self.unsure.iter().find(|(at, _)| (from..=to).contains(at)).map(|(_, why)| *why)
    }
}

/// Assertions of truth, as opposed to comparisons with a value from the test.
const ASKING_TRUTH: [(&str, bool); 2] = [("assertTrue", true), ("assertFalse", false)];

impl Observer for Recorder {
    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool {
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
                    if let CallRole::Observed(number) = open.what {
                        observed[number].classes.insert(target);
                    }
                }
            }
            return false;
        }
        recording.noted = None;
        let pc = match &machine.method(method).body {
            MethodBody::Code(code) => code.offsets.get(at as usize).copied().unwrap_or_default(),
            _ => 0,
        };
        let what = match recording.side(machine, target) {
            Side::Other => return false,
            Side::Suite => {
                let callee = machine.method(call.method);
                let is_instance = usize::from(!callee.is_static());
                let values = machine.arguments_of_call(call.method);
                let values = values.into_iter().skip(is_instance);
                let arguments = callee.parameters.iter().copied().zip(values).collect();
                let is_void = callee.result == Kind::Void && !callee.name.starts_with('<');
                let before = machine.memory_version();
                CallRole::Helper(Helper {
                    frame,
                    pc,
                    arguments,
                    before,
                    asserts: false,
                    asks_truth: true,
                    is_void,
                })
            }
            Side::Support => {
                let (caller, method) = (method, machine.method(call.method));
                let class = machine.class(target).name.rsplit('/').next().unwrap_or_default().to_owned();
                let is_void = method.result == Kind::Void;
                let is_assertion = &*method.name != "<init>" && (is_void || class.contains("Assert"))
                    || method.name.starts_with("assert");
                // The last call of a chain, as in AssertJ, is the assertion.
                if !is_assertion || !is_void && !is_dropped(machine, caller, pc) {
                    return false;
                }
                let asks = ASKING_TRUTH.iter().find(|(name, _)| *name == &*method.name);
                CallRole::Support(frame, pc, asks.map(|(_, truth)| *truth))
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
                let from = recording.bound();
                recording.top = machine.memory().used();
                let top = recording.top;
                recording.observed.push(ObservedCall {
                    call,
                    caller: method,
                    frame,
                    pc,
                    arguments: machine.arguments_of_call(call.method),
                    before: machine.memory_version(),
                    top,
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
                CallRole::Observed(number)
            }
        };
        recording.open.push(OpenCall { call, what });
        true
    }

    fn left(&mut self, machine: &mut Machine, call: WatchedCall, how: CallEnd) {
        let mut recording = self.0.borrow_mut();
        let Some(at) = recording.open.iter().rposition(|it| it.call == call) else { return };
        let OpenCall { what, .. } = recording.open.remove(at);
        let returned = matches!(how, CallEnd::Returned(_));
        match what {
            CallRole::Observed(number) => {
                let reads = recording.bound();
                let observed = &mut recording.observed[number];
                observed.reads.1 = reads;
                observed.how = Some(how);
                observed.has_written = machine.has_written_since(&observed.before);
                observed.after = Some(machine.memory_version());
            }
            CallRole::Helper(helper) if returned => {
                let Helper { frame, pc, arguments, before, asserts, asks_truth, is_void } = helper;
                recording.helped.insert(frame, (call.method, arguments));
                // A call without result and effect can only be a check.
                if asserts || is_void && !machine.has_written_since(&before) {
                    recording.asserted(frame, pc, (is_void && asks_truth).then_some(true));
                }
            }
            CallRole::Support(frame, pc, asks_truth) if returned => recording.asserted(frame, pc, asks_truth),
            CallRole::Helper(..) | CallRole::Support(..) => {}
        }
    }

    fn probed(&mut self, serial: u32, probe: u32) {
        let mut recording = self.0.borrow_mut();
        let open = recording.open.iter().rev().find(|it| it.call.serial == serial);
        if let Some(CallRole::Observed(number)) = open.map(|it| &it.what) {
            let number = *number;
            recording.observed[number].labels.push(probe);
        }
    }

    fn read(&mut self, _: u32, object: Addr, key: u32) {
        self.0.borrow_mut().note_read(object, key);
    }

    fn called_native(&mut self, machine: &Machine, method: MethodId, arguments: &[Value]) {
        let mut recording = self.0.borrow_mut();
        // Events before the first recorded call do not matter.
        if recording.top == 0 {
            return;
        }
        match reads_of_native(machine, method, arguments) {
            NativeReads::Nothing => {}
            NativeReads::Locations(all) => {
                all.into_iter().for_each(|(object, key)| recording.note_read(object, key));
            }
            NativeReads::Arguments => {
                let loaded = machine.method(method);
                let kinds = std::iter::once(Kind::Reference).filter(|_| !loaded.is_static());
                for (kind, value) in kinds.chain(loaded.parameters.iter().copied()).zip(arguments) {
                    if kind == Kind::Reference && value.bits != 0 {
                        recording.note_read(value.as_ref(), WHOLE);
                    }
                }
            }
            NativeReads::Unsure(why) => {
                let at = recording.reads.len();
                if recording.unsure.last() != Some(&(at, why)) {
                    recording.unsure.push((at, why));
                }
            }
        }
    }
}

/// Whether the code of a test drops or keeps the result of the call at this position, rather than calling it.
fn is_dropped(machine: &Machine, caller: MethodId, pc: u32) -> bool {
    let Some(code) = code_of(machine, caller) else { return false };
    let next = pc + length_of(&code, pc);
    // `pop`, `pop2`, `astore`, the returns.
    matches!(code.bytecode.get(next as usize), Some(0x57 | 0x58 | 0x36..=0x4e | 0xac..=0xb1))
}
