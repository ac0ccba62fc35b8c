//! What the comparison of versions keeps from one call to the next.

use super::assertions::AssertingMethods;
use super::question::Question;
use cupping_machine::{ClassId, MethodId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What is known of the two versions.
#[derive(Default)]
pub(in crate::watcher) struct Versions {
    /// The classes with the constants of earlier class files, once they are defined.
    pub(super) constants: Option<Vec<Option<ClassId>>>,
    /// The methods of testing libraries that assert, once they are known.
    pub(super) assertions: Option<AssertingMethods>,
    /// By method, the number of calls, and of comparisons so far in which nothing ran that has changed.
    pub(super) visits: FxHashMap<MethodId, (u32, u32)>,
    /// What tests ask objects of a class, as far as it was needed.
    pub(super) questions: RefCell<FxHashMap<ClassId, Rc<Vec<Question>>>>,
}
