//! What a search knows of results: which calls can be made on them.

use crate::invokable::Invokable;
use cupping_machine::{ClassId, MethodId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is known of results.
#[derive(Default)]
pub struct Results {
    /// The calls on objects of a class that a method returns.
    pub calls: FxHashMap<(ClassId, MethodId), Rc<Vec<Rc<Invokable>>>>,
    /// How many states there are of what a method returns.
    pub states: FxHashMap<MethodId, u32>,
}
