//! Models, and evaluation of terms under them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::arena::{Term, TermId, Terms};
use crate::semantics;
use crate::sort::Sort;
use crate::variables::VarIndex;

/// An assignment of values to variables; unassigned variables are 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Model {
    values: BTreeMap<VarIndex, u64>,
}

impl Model {
    /// The all-zero model.
    #[must_use]
    pub fn new() -> Model {
        Model::default()
    }

    /// The bits of a variable.
    #[must_use]
    pub fn get(&self, variable: VarIndex) -> u64 {
        self.values.get(&variable).copied().unwrap_or(0)
    }

    /// Sets the bits of a variable. Bits outside of the variable's sort must be zero.
    pub fn set(&mut self, variable: VarIndex, bits: u64) {
        self.values.insert(variable, bits);
    }

    /// The assigned variables in ascending order, with their bits.
    pub fn iter(&self) -> impl Iterator<Item = (VarIndex, u64)> + '_ {
        self.values.iter().map(|(&variable, &bits)| (variable, bits))
    }

    /// Copies all assignments of `other`.
    pub fn extend(&mut self, other: &Model) {
        self.values.extend(&other.values);
    }
}

impl FromIterator<(VarIndex, u64)> for Model {
    fn from_iter<I: IntoIterator<Item = (VarIndex, u64)>>(pairs: I) -> Model {
        Model { values: pairs.into_iter().collect() }
    }
}

/// Evaluates terms and caches their values under one model until [`Evaluator::forget`].
#[derive(Clone, Debug)]
pub struct Evaluator {
    cache: EvaluationCache,
    stack: Vec<TermId>,
    steps: u64,
}

/// Values by term. Those whose stamp is not the current one are of an earlier model.
#[derive(Clone, Debug, Default)]
struct EvaluationCache {
    values: Vec<u64>,
    stamps: Vec<u32>,
    stamp: u32,
}

impl EvaluationCache {
    /// Clears the cache.
    fn forget(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.stamps.fill(0);
            self.stamp = 1;
        }
    }
}

/// Caches kept by a thread for its next evaluators.
const KEPT_CACHES: usize = 4;

thread_local! {
    /// A cache holds a word per term of the arena. A new one for each path would cost more than the evaluation.
    static CACHES: RefCell<Vec<EvaluationCache>> = const { RefCell::new(Vec::new()) };
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        let kept = CACHES.try_with(|caches| caches.borrow_mut().pop());
        let mut cache = kept.ok().flatten().unwrap_or_default();
        cache.forget();
        Evaluator { cache, stack: Vec::new(), steps: 0 }
    }
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        let cache = std::mem::take(&mut self.cache);
        // At the end of a thread there is nobody to keep it for.
        let _ = CACHES.try_with(|caches| {
            let mut caches = caches.borrow_mut();
            if caches.len() < KEPT_CACHES {
                caches.push(cache);
            }
        });
    }
}

impl Evaluator {
    /// An evaluator with an empty cache.
    #[must_use]
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// Clears the cache, so that the next call may use another model.
    pub fn forget(&mut self) {
        self.cache.forget();
    }

    /// Number of nodes evaluated so far, for budgets that do not depend on time.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The value of a term under a model, which must be the same since the last [`Evaluator::forget`].
    pub fn eval(&mut self, terms: &Terms, model: &Model, term: TermId) -> u64 {
        if self.cache.values.len() < terms.len() {
            self.cache.values.resize(terms.len(), 0);
            self.cache.stamps.resize(terms.len(), 0);
        }
        let begun = self.steps;
        self.stack.push(term);
        while let Some(&next) = self.stack.last() {
            if self.cache.stamps[next.index()] == self.cache.stamp {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            for arg in self.needed(terms, next) {
                if self.cache.stamps[arg.index()] != self.cache.stamp {
                    self.stack.push(arg);
                }
            }
            if self.stack.len() == before {
                self.steps += 1;
                self.cache.values[next.index()] = self.step(terms, model, next);
                self.cache.stamps[next.index()] = self.cache.stamp;
                self.stack.pop();
            }
        }
        terms.count_operations(self.steps - begun);
        self.cache.values[term.index()]
    }

    /// Whether all conditions hold under a model. Clears the cache first.
    pub fn all_hold(&mut self, terms: &Terms, model: &Model, conditions: &[TermId]) -> bool {
        self.forget();
        conditions.iter().all(|&condition| self.eval(terms, model, condition) != 0)
    }

    /// The arguments to evaluate next: for a choice, first the condition and then one side.
    fn needed(&self, terms: &Terms, id: TermId) -> impl Iterator<Item = TermId> + use<> {
        let none = [None; 3];
        match *terms.get(id) {
            Term::Apply { op: crate::Op::Ite, args: [condition, then, other], .. } => {
                let side = if self.cache.stamps[condition.index()] != self.cache.stamp {
                    None
                } else if self.cache.values[condition.index()] != 0 {
                    Some(then)
                } else {
                    Some(other)
                };
                [Some(condition), side, None]
            }
            Term::Apply { op, args, .. } => {
                let mut needed = none;
                for (place, arg) in needed.iter_mut().zip(&args[..op.arity()]) {
                    *place = Some(*arg);
                }
                needed
            }
            Term::Lookup { index, .. } => [Some(index), None, None],
            _ => none,
        }
        .into_iter()
        .flatten()
    }

    fn step(&self, terms: &Terms, model: &Model, id: TermId) -> u64 {
        let value = |term: TermId| self.cache.values[term.index()];
        match *terms.get(id) {
            Term::Constant { bits, .. } => bits,
            Term::Variable { index, sort } => model.get(index) & sort.mask(),
            Term::Lookup { table, index, .. } => terms.table(table).entry(value(index)),
            Term::Apply { op, sort, args } => {
                let values = args.map(value);
                let from = if op == crate::Op::Ite { Sort::Bool } else { terms.sort(args[0]) };
                semantics::apply(op, from, sort, &values[..op.arity()])
            }
        }
    }
}

impl Terms {
    /// The value of one term under a model. For several terms, use an [`Evaluator`].
    #[must_use]
    pub fn eval(&self, model: &Model, term: TermId) -> u64 {
        Evaluator::new().eval(self, model, term)
    }
}
