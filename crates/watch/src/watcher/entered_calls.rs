//! The calls that a condition makes while it is evaluated.

use crate::path::{RETURNED, THREW};
use cupping_machine::{CallEnd, Machine, MethodId, Observer, WatchedCall};
use std::cell::RefCell;
use std::rc::Rc;

/// A call that a condition made.
pub(super) struct EnteredCall {
    pub(super) method: MethodId,
    serial: u32,
    pub(super) labels: Vec<u32>,
    /// The number of calls when it ended.
    pub(super) until: usize,
}

/// Limit on the calls of a condition that are kept, and on the labels of one.
const MOST_ENTERED: usize = 10_000;
pub(super) const MOST_LABELS: usize = 10_000;

/// Collects the calls of a condition.
#[derive(Clone, Default)]
pub(super) struct Entered {
    pub(super) calls: Rc<RefCell<Vec<EnteredCall>>>,
    pub(super) with_paths: bool,
}

impl Observer for Entered {
    fn entered(&mut self, _: &mut Machine, call: WatchedCall) -> bool {
        let mut calls = self.calls.borrow_mut();
        let (method, serial) = (call.method, call.serial);
        let is_wanted = self.with_paths || !calls.iter().any(|it| it.method == method);
        if is_wanted && calls.len() < MOST_ENTERED {
            calls.push(EnteredCall { method, serial, labels: Vec::new(), until: usize::MAX });
        }
        self.with_paths && is_wanted
    }

    fn left(&mut self, _: &mut Machine, call: WatchedCall, how: CallEnd) {
        let mut calls = self.calls.borrow_mut();
        let until = calls.len();
        if let Some(ended) = calls.iter_mut().rev().find(|it| it.serial == call.serial) {
            ended.until = until;
            ended.labels.push(if matches!(how, CallEnd::Threw(_)) { THREW } else { RETURNED });
        }
    }

    fn probed(&mut self, serial: u32, probe: u32) {
        let mut calls = self.calls.borrow_mut();
        let running = calls.iter_mut().rev().find(|it| it.serial == serial);
        if let Some(running) = running.filter(|it| it.labels.len() < MOST_LABELS) {
            running.labels.push(probe);
        }
    }
}
