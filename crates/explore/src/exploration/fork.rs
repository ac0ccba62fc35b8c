//! Waiting sides, and the states from which they continue.

use crate::path::Path;
use crate::tree::{Cursor, TreeNode};
use cupping_machine::{Decision, Machine, Snapshot};
use cupping_term::{Model, TermId};
use std::rc::Rc;

/// A side on the frontier.
pub(super) struct Side<D> {
    pub(super) fork: Rc<Fork<D>>,
    pub(super) constraint: TermId,
    pub(super) number: u32,
    pub(super) node: Option<TreeNode>,
}

/// The state at a decision, shared by its other sides.
pub(super) struct Fork<D> {
    pub(super) snapshot: Snapshot,
    pub(super) driver: D,
    pub(super) path: Path,
    pub(super) cursor: Cursor,
    pub(super) model: Rc<Model>,
    pub(super) decision: Decision,
    /// Whether the path already contains a requirement that was solved for.
    pub(super) forced: bool,
}

/// A run at a decision.
pub(super) struct ForkPoint<'a, D> {
    pub(super) driver: &'a D,
    pub(super) path: &'a Path,
    pub(super) cursor: &'a Cursor,
    pub(super) model: &'a Rc<Model>,
    pub(super) decision: &'a Decision,
    pub(super) forced: bool,
}

impl<D: Clone> ForkPoint<'_, D> {
    /// Freezes the state of the run.
    pub(super) fn fork(&self, machine: &mut Machine) -> Rc<Fork<D>> {
        Rc::new(Fork {
            snapshot: machine.snapshot(),
            driver: self.driver.clone(),
            path: self.path.clone(),
            cursor: self.cursor.clone(),
            model: self.model.clone(),
            decision: self.decision.clone(),
            forced: self.forced,
        })
    }
}
