//! Bounded local search: starts from the hint, repairs one failing assertion after the other.
//!
//! Very effective where solvers are slow (floats, products), since path conditions differ from the hint's by
//! little. It only ever finds models. Deterministic: budgets count evaluated nodes, choices are seeded.

use cupping_term::{Evaluator, Model, Op, Sort, Term, TermId, Terms, VarIndex};

use super::distance::distance;
use super::inverse::repairs;
use crate::chain::{Context, Goal, Layer, Rest, Verdict};
use crate::query::Answer;

/// The local search.
pub struct Search;

impl Layer for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut Rest<'_>) -> Verdict {
        let budget = if goal.assertions.iter().any(|&a| is_hard(cx.terms, a)) {
            cx.config.search_steps_hard
        } else {
            cx.config.search_steps_bits
        };
        let limit = cx.evaluator.steps() + budget;
        let terms: &Terms = cx.terms;
        let mut run = Run {
            terms,
            evaluator: cx.evaluator,
            goal,
            model: Model::clone(&goal.hint),
            limit,
            random: 0x2545_f491_4f6c_dd1d,
        };
        match run.search() {
            Some(model) => Verdict::Own(Answer::Sat(model)),
            None => Verdict::Declined,
        }
    }
}

/// Nodes looked at to tell whether a goal is hard.
const LOOK: usize = 400;

/// Whether bit-blasting a term is expensive: floats, or products and quotients of unknowns.
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

struct Run<'a> {
    terms: &'a Terms,
    evaluator: &'a mut Evaluator,
    goal: &'a Goal,
    model: Model,
    limit: u64,
    random: u64,
}

/// Moves without progress before a random one is made.
const PATIENCE: usize = 3;

impl Run<'_> {
    fn search(&mut self) -> Option<Model> {
        let mut stuck = 0;
        let mut cost = self.cost();
        while self.evaluator.steps() < self.limit {
            let failing: Vec<TermId> = self.failing();
            if failing.is_empty() {
                return Some(self.model.clone());
            }
            // The assertion to repair: the newest at first, any when stuck.
            let pick = if stuck == 0 { failing.len() - 1 } else { self.next_random(failing.len()) };
            let assertion = failing[pick];
            let moves = self.moves(assertion);
            if moves.is_empty() {
                return None;
            }
            let mut best: Option<(f64, VarIndex, u64)> = None;
            for &(variable, value) in &moves {
                if self.evaluator.steps() >= self.limit {
                    break;
                }
                let candidate = self.cost_with(variable, value);
                if best.is_none_or(|(known, ..)| candidate < known) {
                    best = Some((candidate, variable, value));
                }
            }
            let (new_cost, variable, value) = best?;
            if new_cost < cost {
                self.model.set(variable, value);
                cost = new_cost;
                stuck = 0;
                continue;
            }
            stuck += 1;
            if stuck > PATIENCE {
                let (variable, value) = moves[self.next_random(moves.len())];
                self.model.set(variable, value);
                cost = self.cost();
            } else if stuck == 2 {
                // A step sideways, so that two variables can change one after the other.
                self.model.set(variable, value);
                cost = new_cost;
            }
        }
        None
    }

    fn failing(&mut self) -> Vec<TermId> {
        self.evaluator.forget();
        let holds = |e: &mut Evaluator, a: TermId| e.eval(self.terms, &self.model, a) != 0;
        self.goal.assertions.iter().copied().filter(|&a| !holds(self.evaluator, a)).collect()
    }

    /// How far the model is from satisfying all assertions; 0 where it does.
    fn cost(&mut self) -> f64 {
        self.evaluator.forget();
        self.goal.assertions.iter().map(|&a| distance(self.terms, self.evaluator, &self.model, a)).sum()
    }

    fn cost_with(&mut self, variable: VarIndex, value: u64) -> f64 {
        let before = self.model.get(variable);
        self.model.set(variable, value);
        let cost = self.cost();
        self.model.set(variable, before);
        cost
    }

    /// Values of single variables that may repair an assertion.
    fn moves(&mut self, assertion: TermId) -> Vec<(VarIndex, u64)> {
        self.evaluator.forget();
        let mut moves = repairs(self.terms, self.evaluator, &self.model, assertion);
        let variables = self.terms.variables(assertion);
        // Of many variables, a window that moves on.
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

    /// A number below `bound`, by xorshift (Marsaglia 2003).
    fn next_random(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % bound.max(1) as u64) as usize
    }
}

/// Variables of one assertion that are tried with typical values.
const WINDOW: usize = 8;

/// Values at which programs behave differently, and neighbours of the present one.
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
