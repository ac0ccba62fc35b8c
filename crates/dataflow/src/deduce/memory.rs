//! Cached answers to the queries of deduction. The trees of a class have much in common, because calls at the same
//! position of a sequence share variables.

use cupping_term::TermId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A path of a summary at a position, and the condition after it.
pub(super) type MemoStep = ((usize, usize), usize, Box<[TermId]>);

/// The cache.
#[derive(Default)]
pub struct Memory {
    /// Whether a conjunction, given by sorted conjuncts, is unsatisfiable.
    pub(super) unsatisfiable: FxHashMap<Box<[TermId]>, bool>,
    /// The condition before a path; `None` if there is none.
    pub(super) before: FxHashMap<MemoStep, Option<Rc<[TermId]>>>,
    /// Conditions projected to the state.
    pub(super) projected: FxHashMap<Rc<[TermId]>, Option<Rc<[TermId]>>>,
}
