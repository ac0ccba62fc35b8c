//! Bounded local search: starts from the hint and repairs one failing assertion after the other.
//!
//! This works well where exact solvers are slow (floats, products), since path conditions differ little from
//! the hint's. The layer never refutes a goal. It is deterministic: budgets count evaluated nodes, and random
//! choices are seeded.

use cupping_term::{Evaluator, Model, Op, Sort, Term, TermId, Terms, VarIndex};
use rustc_hash::FxHashMap;

use super::distance::distance;
use super::inverse::repairs;
use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::Answer;

/// The local search.
pub struct Search;

impl Layer for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> LayerVerdict {
        let budget = if goal.assertions.iter().any(|&a| is_hard(cx.terms, a)) {
            cx.limits.search_steps_hard
        } else {
            cx.limits.search_steps_bits
        };
        let limit = cx.evaluator.steps() + budget;
        let terms: &Terms = cx.terms;
        let mut run = SearchRun {
            terms,
            evaluator: cx.evaluator,
            goal,
            touched: touched(terms, &goal.assertions),
            costs: Vec::new(),
            model: Model::clone(&goal.hint),
            limit,
            random: 0x2545_f491_4f6c_dd1d,
        };
        let found = run.search();
        match found {
            Some(model) => LayerVerdict::Own(Answer::Sat(model)),
            None => LayerVerdict::Declined,
        }
    }
}

/// Number of nodes inspected to decide whether a goal is hard.
const LOOK: usize = 400;

/// Whether bit-blasting a term is expensive: it has floats, or products and quotients of unknowns.
fn is_hard(terms: &Terms, assertion: TermId) -> bool {
    let mut stack = vec![assertion];
    for _ in 0..LOOK {
        let Some(term) = stack.pop() else { return false };
        if let Term::Apply { op, sort, args } = *terms.get(term) {
            let unknown = terms.as_constant(args[1]).is_none();
            let product = matches!(op, Op::Mul | Op::SDiv | Op::SRem) && (unknown || op != Op::Mul);
            if sort.is_float() || terms.sort(args[0]).is_float() || product {
                return true;
            }
        }
        stack.extend(terms.get(term).args());
    }
    true
}

fn touched(terms: &Terms, assertions: &[TermId]) -> FxHashMap<VarIndex, Vec<usize>> {
    let mut touched: FxHashMap<VarIndex, Vec<usize>> = FxHashMap::default();
    for (position, &assertion) in assertions.iter().enumerate() {
        for &variable in terms.variables(assertion) {
            touched.entry(variable).or_default().push(position);
        }
    }
    touched
}

struct SearchRun<'a> {
    terms: &'a Terms,
    evaluator: &'a mut Evaluator,
    goal: &'a Goal,
    /// The indices of the assertions over each variable.
    touched: FxHashMap<VarIndex, Vec<usize>>,
    /// The branch distance of each assertion under the model.
    costs: Vec<f64>,
    model: Model,
    limit: u64,
    random: u64,
}

/// Number of moves without progress before a random move.
const PATIENCE: usize = 3;

impl SearchRun<'_> {
    fn search(&mut self) -> Option<Model> {
        let mut stuck = 0;
        self.measure();
        while self.evaluator.steps() < self.limit {
            let failing: Vec<TermId> = self.failing();
            if failing.is_empty() {
                return Some(self.model.clone());
            }
            // Repair the newest assertion first, a random one when stuck.
            let pick = if stuck == 0 { failing.len() - 1 } else { self.next_random(failing.len()) };
            let moves = self.moves(failing[pick]);
            let mut best: Option<(f64, VarIndex, u64)> = None;
            for &(variable, value) in &moves {
                if self.evaluator.steps() >= self.limit {
                    break;
                }
                let gain = self.gain(variable, value);
                if best.is_none_or(|(known, ..)| gain > known) {
                    best = Some((gain, variable, value));
                }
            }
            let (gain, mut variable, mut value) = best?;
            if gain > 0.0 {
                stuck = 0;
            } else {
                stuck += 1;
                if stuck > PATIENCE {
                    (variable, value) = moves[self.next_random(moves.len())];
                } else if stuck != 2 {
                    continue;
                }
                // Otherwise move sideways, so that two variables can change one after the other.
            }
            self.model.set(variable, value);
            self.measure();
        }
        None
    }

    fn failing(&self) -> Vec<TermId> {
        let costs = self.goal.assertions.iter().zip(&self.costs);
        costs.filter(|(_, cost)| **cost > 0.0).map(|(assertion, _)| *assertion).collect()
    }

    /// Computes the distance of each assertion under the model.
    fn measure(&mut self) {
        self.evaluator.forget();
        self.costs.clear();
        for &assertion in &self.goal.assertions {
            self.costs.push(distance(self.terms, self.evaluator, &self.model, assertion));
        }
    }

    /// The decrease of the distances if a variable changes its value.
    fn gain(&mut self, variable: VarIndex, value: u64) -> f64 {
        let before = self.model.get(variable);
        self.model.set(variable, value);
        self.evaluator.forget();
        let mut gain = 0.0;
        for &position in self.touched.get(&variable).into_iter().flatten() {
            let assertion = self.goal.assertions[position];
            gain += self.costs[position] - distance(self.terms, self.evaluator, &self.model, assertion);
        }
        self.model.set(variable, before);
        gain
    }

    /// Values of single variables that may repair an assertion.
    fn moves(&mut self, assertion: TermId) -> Vec<(VarIndex, u64)> {
        self.evaluator.forget();
        let mut moves = repairs(self.terms, self.evaluator, &self.model, assertion);
        let variables = self.terms.variables(assertion);
        // With many variables, try a sliding window of them.
        let start = if variables.len() > WINDOW { self.next_random(variables.len()) } else { 0 };
        for &variable in
            self.terms.variables(assertion).iter().cycle().skip(start).take(WINDOW.min(variables.len()))
        {
            let sort = self.terms.variable(variable).sort;
            let now = self.model.get(variable);
            moves.extend(typical_values(sort, now).into_iter().map(|value| (variable, value)));
            let random = self.next_random(usize::MAX) as u64;
            moves.push((variable, random & sort.mask()));
        }
        moves.retain(|&(variable, value)| self.model.get(variable) != value);
        moves.sort_unstable();
        moves.dedup();
        moves
    }

    /// A pseudo-random number below `bound`, by xorshift (Marsaglia 2003).
    fn next_random(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % bound.max(1) as u64) as usize
    }
}

/// Number of variables per assertion that are tried with typical values.
const WINDOW: usize = 8;

/// Values at which programs typically branch, and neighbours of the current one.
fn typical_values(sort: Sort, now: u64) -> Vec<u64> {
    match sort {
        Sort::Bool => vec![1 - (now & 1)],
        Sort::F32 => {
            let now = f32::from_bits(now as u32);
            [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::MAX,
                f32::MIN_POSITIVE,
            ]
            .into_iter()
            .chain([
                now.next_up(),
                now.next_down(),
                now * 2.0,
                now / 2.0,
                -now,
                now + 1.0,
                now - 1.0,
                now.trunc(),
            ])
            .map(|f| u64::from(f.to_bits()))
            .collect()
        }
        Sort::F64 => {
            let now = f64::from_bits(now);
            [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::MAX,
                f64::MIN_POSITIVE,
            ]
            .into_iter()
            .chain([
                now.next_up(),
                now.next_down(),
                now * 2.0,
                now / 2.0,
                -now,
                now + 1.0,
                now - 1.0,
                now.trunc(),
            ])
            .map(f64::to_bits)
            .collect()
        }
        _ => {
            let now = sort.signed(now);
            [
                0,
                1,
                -1,
                sort.min_signed(),
                sort.max_signed(),
                now.wrapping_add(1),
                now.wrapping_sub(1),
                now.wrapping_neg(),
            ]
            .into_iter()
            .chain([now / 2, now.wrapping_mul(2), i64::from(b' '), i64::from(b'0'), i64::from(b'a')])
            .map(|n| sort.wrap(n))
            .collect()
        }
    }
}
