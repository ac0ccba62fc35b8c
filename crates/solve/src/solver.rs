//! The solver: the whole chain behind one call.

use std::rc::Rc;

use cupping_term::{Evaluator, Model, OPERATIONS_OF_MICROSECOND, Terms};

use crate::chain::{Context, Goal, Layer, LayerStats, LowerLayers, Slot};
use crate::layers;
use crate::limits::SolverLimits;
use crate::query::{Answer, InternalError, Query, TextQuery};
use crate::readability;
use crate::stats::Stats;

/// The cost limit of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Enough for most queries; see [`SolverLimits::quick`].
    Quick,
    /// The whole [`SolverLimits`].
    Full,
}

/// Answers queries over one arena and caches what it learns; a different arena resets it.
pub struct Solver {
    limits: SolverLimits,
    quick: SolverLimits,
    slots: Vec<Slot>,
    evaluator: Evaluator,
    errors: Vec<InternalError>,
    arena: u64,
    totals: LayerStats,
    unknown: u64,
    work: u64,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new(SolverLimits::default())
    }
}

impl Solver {
    /// The whole chain.
    #[must_use]
    pub fn new(limits: SolverLimits) -> Solver {
        Solver::with_layers(limits, layers::all())
    }

    /// A chain of selected layers, for tests and measurements.
    #[must_use]
    pub fn with_layers(limits: SolverLimits, layers: Vec<Box<dyn Layer>>) -> Solver {
        let slots = layers.into_iter().map(|layer| Slot { layer, stats: LayerStats::default() }).collect();
        Solver {
            quick: limits.quick(),
            limits,
            slots,
            evaluator: Evaluator::new(),
            errors: Vec::new(),
            arena: 0,
            totals: LayerStats::default(),
            unknown: 0,
            work: 0,
        }
    }

    /// Decides whether a model satisfies all assertions.
    ///
    /// # Panics
    /// If an assertion is not of sort `Bool`, which is a bug of the caller.
    pub fn solve(&mut self, terms: &mut Terms, query: &Query<'_>) -> Answer {
        self.solve_with(terms, query, Effort::Full)
    }

    /// The same with a chosen effort.
    ///
    /// # Panics
    /// If an assertion is not of sort `Bool`, which is a bug of the caller.
    pub fn solve_with(&mut self, terms: &mut Terms, query: &Query<'_>, effort: Effort) -> Answer {
        let start = std::time::Instant::now();
        if self.arena != terms.identity() {
            self.arena = terms.identity();
            self.evaluator = Evaluator::new();
            self.slots.iter_mut().for_each(|slot| slot.layer.forget());
        }
        let operations = terms.operations();
        let hint = Rc::new(query.hint.cloned().unwrap_or_default());
        let goal = Goal { assertions: query.assertions.to_vec(), hint };
        let mut cx = Context {
            terms,
            evaluator: &mut self.evaluator,
            limits: if effort == Effort::Quick { &self.quick } else { &self.limits },
            reason: None,
            errors: &mut self.errors,
            work: 0,
        };
        let answer = LowerLayers { slots: &mut self.slots }.solve(&mut cx, &goal);
        let answer = match answer {
            Answer::Sat(found) => Self::complete_model(&mut cx, &goal, &found),
            other => other,
        };
        let on_terms = (cx.terms.operations() - operations) / OPERATIONS_OF_MICROSECOND;
        self.work += cx.work + on_terms;
        self.totals.asked += 1;
        match answer {
            Answer::Sat(_) => self.totals.sat += 1,
            Answer::Unsat { .. } => self.totals.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
        self.totals.inclusive += start.elapsed();
        answer
    }

    /// Completes a model: variables outside the query keep the hint's values, the others are made readable,
    /// and the result must satisfy the original query.
    fn complete_model(cx: &mut Context<'_>, goal: &Goal, found: &Model) -> Answer {
        let mut model = Model::clone(&goal.hint);
        model.extend(found);
        readability::shrink(cx, goal, &mut model);
        if cx.holds(goal, &model) {
            return Answer::Sat(model);
        }
        let query = Query { assertions: &goal.assertions, hint: Some(&goal.hint) }.to_text(cx.terms);
        let what = "produced a model that does not satisfy the query".to_owned();
        cx.errors.push(InternalError { layer: "chain", what, query });
        Answer::Unknown(crate::Reason::Unsupported("an internal error was recorded".into()))
    }

    /// Takes the contradictions found since the last call; empty unless there is a bug.
    pub fn take_internal_errors(&mut self) -> Vec<InternalError> {
        std::mem::take(&mut self.errors)
    }

    /// The cost of all queries so far, in microseconds of a reference machine.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The counters of the chain and of each layer.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            total: self.totals,
            unknown: self.unknown,
            layers: self.slots.iter().map(|slot| (slot.layer.name(), slot.stats)).collect(),
        }
    }
}

/// Answers a query in text form with a new chain.
///
/// # Errors
/// The text is not a query; the error names the line.
pub fn replay(text: &str) -> Result<(TextQuery, Answer, Vec<InternalError>), cupping_term::text::TextError> {
    let mut query = TextQuery::from_text(text)?;
    let mut solver = Solver::default();
    let asked = Query { assertions: &query.assertions, hint: query.hint.as_ref() };
    let answer = solver.solve(&mut query.terms, &asked);
    Ok((query, answer, solver.take_internal_errors()))
}
