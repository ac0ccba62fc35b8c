//! Running calls and the paths that they take.

use super::active_branch::ActiveBranch;
use super::changed_call::ChangedCall;
use super::inner_call::InnerCall;
use super::method_knowledge::MethodTriples;
use crate::path::ENTRY;
use crate::picture::Picture;
use cupping_machine::{Addr, MethodId, Value, WatchedCall};
use std::rc::Rc;

/// Limit on the steps kept of a path.
const MOST_STEPS: usize = 64;
/// Limit on the inner calls kept that no test takes the path of.
const MOST_STRAYS: usize = 8;
/// Size of the cache of steps already taken; a power of two.
const MADE: usize = 16;

/// A running call.
pub(super) struct RunningCall {
    pub(super) call: WatchedCall,
    pub(super) tested: Rc<MethodTriples>,
    pub(super) arguments: Vec<Value>,
    pub(super) active: Vec<ActiveBranch>,
    /// Branches that do not apply but whose predicates are expected on their path.
    pub(super) predicates: Vec<ActiveBranch>,
    /// The set of branches whose tests took the same path so far.
    pub(super) mask: u128,
    last: u32,
    /// Steps since no branch matches the path.
    pub(super) way: Vec<(u32, u32)>,
    /// Steps already taken: repeating one changes nothing.
    made: [(u32, u32); MADE],
    pub(super) site: (MethodId, u32),
    /// Its row in the report.
    pub(super) row: usize,
    /// Receiver and arguments at its start, if they were captured for an example.
    pub(super) before: Option<(Vec<(String, String)>, Picture)>,
    pub(super) pinned: Vec<Addr>,
    /// A description of the triple that is closest to applying, if none applies and an example is wanted.
    pub(super) nearest: Option<String>,
    /// Whether a precondition holds whose triple does not apply because of values that the precondition does not
    /// mention.
    pub(super) is_other_value: bool,
    /// Whether a call in its course failed its test.
    pub(super) failed_inside: bool,
    /// The calls in its course of methods whose code is not that of the tests, by method and site.
    pub(super) replaced: Vec<InnerCall>,
    /// The calls in its course that took paths that no test takes, the innermost ones.
    pub(super) strays: Vec<InnerCall>,
    /// How it differs from what an earlier version does, if that was found.
    pub(super) changed: Option<ChangedCall>,
    /// The thread that makes the call.
    pub(super) thread: Addr,
}

impl RunningCall {
    pub(super) fn new(call: WatchedCall, tested: Rc<MethodTriples>) -> RunningCall {
        RunningCall {
            call,
            tested,
            arguments: Vec::new(),
            active: Vec::new(),
            predicates: Vec::new(),
            mask: u128::MAX,
            last: ENTRY,
            way: Vec::new(),
            made: [(ENTRY, ENTRY); MADE],
            site: (call.method, 0),
            row: 0,
            before: None,
            pinned: Vec::new(),
            nearest: None,
            is_other_value: false,
            failed_inside: false,
            replaced: Vec::new(),
            strays: Vec::new(),
            changed: None,
            thread: 0,
        }
    }

    /// Reuses the memory for another call.
    pub(super) fn begin(&mut self, call: WatchedCall, tested: Rc<MethodTriples>) {
        self.arguments.clear();
        self.active.clear();
        self.predicates.clear();
        self.way.clear();
        self.pinned.clear();
        self.nearest = None;
        self.is_other_value = false;
        self.failed_inside = false;
        self.replaced.clear();
        self.strays.clear();
        self.changed = None;
        self.made = [(ENTRY, ENTRY); MADE];
        self.before = None;
        self.last = ENTRY;
        self.mask = match tested.branches.len() {
            128.. => u128::MAX,
            branches => (1 << branches) - 1,
        };
        self.call = call;
        self.tested = tested;
    }

    /// The branches whose tests took this path.
    pub(super) fn tested_ways(&self) -> u128 {
        self.mask & !self.tested.pathless
    }

    /// Records calls in its course that took paths that no test takes.
    pub(super) fn add_strays(&mut self, strays: &[InnerCall]) {
        for stray in strays {
            if self.strays.len() < MOST_STRAYS && !self.strays.contains(stray) {
                self.strays.push(*stray);
            }
        }
    }

    /// Records that control passed a label.
    pub(super) fn step(&mut self, label: u32) {
        let step = (self.last, label);
        self.last = label;
        let place = &mut self.made[(step.0.wrapping_mul(5) ^ label) as usize % MADE];
        if *place == step {
            return;
        }
        *place = step;
        self.mask &= self.tested.ways.get(&step).copied().unwrap_or(0) | self.tested.pathless;
        if self.tested_ways() == 0 && self.way.len() < MOST_STEPS && !self.way.contains(&step) {
            self.way.push(step);
        }
    }
}
