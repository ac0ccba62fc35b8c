//! Branch distance: how far an assertion is from holding (as in search-based testing: Tracey 1998).

use cupping_term::semantics::{f32_of, f64_of};
use cupping_term::{Evaluator, Model, Op, Sort, Term, TermId, Terms};

/// Depth to which `&&`, `||` and `?:` are analysed.
const DEPTH: u32 = 12;

/// 0 if the assertion holds under the evaluator's model; otherwise positive, and at most about the number of
/// its conjuncts. Closer values have smaller distances.
pub(super) fn distance(terms: &Terms, evaluator: &mut Evaluator, model: &Model, assertion: TermId) -> f64 {
    Measure { terms, evaluator, model }.of(assertion, true, DEPTH)
}

struct Measure<'a> {
    terms: &'a Terms,
    evaluator: &'a mut Evaluator,
    model: &'a Model,
}

impl Measure<'_> {
    fn of(&mut self, term: TermId, wanted: bool, depth: u32) -> f64 {
        if (self.evaluator.eval(self.terms, self.model, term) != 0) == wanted {
            return 0.0;
        }
        let Term::Apply { op, args: [a, b, c], .. } = *self.terms.get(term) else { return 1.0 };
        if depth == 0 {
            return 1.0;
        }
        let sort = self.terms.sort(a);
        match op {
            Op::Not => self.of(a, !wanted, depth - 1),
            // For a conjunction the sum of the distances, for a disjunction the least.
            Op::And | Op::Or if (op == Op::And) == wanted => {
                self.of(a, wanted, depth - 1) + self.of(b, wanted, depth - 1)
            }
            Op::And | Op::Or => self.of(a, wanted, depth - 1).min(self.of(b, wanted, depth - 1)),
            Op::Ite => {
                let chosen = self.evaluator.eval(self.terms, self.model, a) != 0;
                let (side, other) = if chosen { (b, c) } else { (c, b) };
                let stay = self.of(side, wanted, depth - 1);
                let change = self.of(a, !chosen, depth - 1) + self.of(other, wanted, depth - 1);
                stay.min(change)
            }
            Op::Eq | Op::Slt | Op::Sle | Op::FEq | Op::FLt | Op::FLe if wanted => {
                let (x, y) = (self.number(a, sort, true), self.number(b, sort, true));
                scaled(x - y)
            }
            Op::Slt | Op::Sle | Op::FLt | Op::FLe => {
                let (x, y) = (self.number(a, sort, true), self.number(b, sort, true));
                scaled(y - x)
            }
            Op::Ult | Op::Ule => {
                let (x, y) = (self.number(a, sort, false), self.number(b, sort, false));
                scaled(x - y)
            }
            _ => 1.0,
        }
    }

    fn number(&mut self, term: TermId, sort: Sort, signed: bool) -> f64 {
        let value = self.evaluator.eval(self.terms, self.model, term);
        match sort {
            Sort::F32 => f64::from(f32_of(value)),
            Sort::F64 => f64_of(value),
            _ if signed => sort.signed(value) as f64,
            _ => value as f64,
        }
    }
}

/// Scales a gap logarithmically into 0 to 1, so that large gaps stay comparable.
fn scaled(gap: f64) -> f64 {
    let gap = gap.abs();
    if gap.is_nan() || gap.is_infinite() {
        return 1.0;
    }
    0.1 + 0.9 * (1.0 + gap).ln().min(720.0) / 720.0
}
