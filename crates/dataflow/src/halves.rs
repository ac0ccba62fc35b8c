//! The halves of which combination puts pairs together, and how far it has got.

use crate::exercised_pairs::CodeOffset;
use cupping_generate::{CallPart, Candidate, Invokable};
use cupping_machine::{DefUse, Site};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// A part of a run, with the positions of its definitions and uses.
pub(crate) struct Half {
    pub part: CallPart,
    pub defined: BTreeSet<CodeOffset>,
    pub used: BTreeSet<CodeOffset>,
    /// The halves before this one have been tried behind this one.
    pub crossed: usize,
}

/// The halves of a class. Combination can be interrupted and resumed.
#[derive(Default)]
pub(crate) struct Combination {
    /// Runs that are not divided into halves yet.
    pub waiting: VecDeque<Rc<Candidate>>,
    /// Number of tests that were.
    pub divided: usize,
    pub halves: Vec<Half>,
    /// Halves with the same definitions or uses.
    pub alike: BTreeMap<(BTreeSet<CodeOffset>, usize), usize>,
    pub tries: FxHashMap<usize, u8>,
    pub places: FxHashMap<Site, Option<CodeOffset>>,
    pub probing: Option<VecDeque<Probe>>,
    pub probed: BTreeSet<DefUse>,
}

/// A method to be explored on a new object.
pub(crate) struct Probe {
    pub maker: Rc<Invokable>,
    pub method: Rc<Invokable>,
    pub alternative: usize,
}

impl Combination {
    /// Adds a run that is not kept for any pair.
    pub fn add(&mut self, candidate: Candidate) {
        self.waiting.push_back(Rc::new(candidate));
    }
}
