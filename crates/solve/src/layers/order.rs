//! Orderings, intervals and differences: what containers and loops ask, answered without a solver.
//!
//! Understood are comparisons of terms, widened terms, constants and sums with constants. Each term is a
//! number, read signed or unsigned; a sum `x + k` is understood where the bounds of `x` on the path exclude
//! overflow, so Java's wrap-around is respected. Constraints are bounds of differences `x - y <= k`, closed
//! under paths (Floyd-Warshall, one edge at a time); a disequality sharpens a bound that it meets.
//! Contradictions are sound whatever else the goal asks; a model is given only where everything is understood.

use cupping_term::{Model, Op, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

use super::differences::{Differences, Positions};
use crate::chain::{Context, Goal, Layer, Rest, Verdict};
use crate::query::Answer;

/// The procedure for orderings, intervals and differences.
pub struct Order;

impl Layer for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut Rest<'_>) -> Verdict {
        if goal.assertions.len() > Positions::MOST {
            return Verdict::Declined;
        }
        let mut problem = Problem::new(cx.terms, &goal.assertions);
        match problem.solve(cx.terms, &goal.hint) {
            Found::Contradiction(core) => Verdict::Own(Answer::Unsat { core: core.ascending() }),
            Found::Model(model) => Verdict::Own(Answer::Sat(model)),
            Found::Nothing => Verdict::Declined,
        }
    }
}

enum Found {
    Contradiction(Positions),
    Model(Model),
    Nothing,
}

/// A number: a term read signed or unsigned.
type Number = (TermId, bool);

/// A node (0 is the number zero) plus a constant, and the assertions that exclude its overflow.
#[derive(Clone, Copy, Debug)]
struct Side {
    node: usize,
    plus: i128,
    because: Positions,
}

/// A comparison `a op b` or `a != b`, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    LessEqual,
    Equal,
    Different,
}

#[derive(Clone, Copy, Debug)]
struct Literal {
    position: usize,
    relation: Relation,
    a: TermId,
    b: TermId,
    signed: bool,
}

struct Problem {
    literals: Vec<Literal>,
    /// Whether every assertion is a literal.
    complete: bool,
    nodes: FxHashMap<Number, usize>,
    numbers: Vec<Number>,
    differences: Differences,
}

impl Problem {
    fn new(terms: &Terms, assertions: &[TermId]) -> Problem {
        let mut literals: Vec<Literal> = Vec::new();
        let mut unsigned_bases: Vec<TermId> = Vec::new();
        for (position, &assertion) in assertions.iter().enumerate() {
            if let Some(literal) = literal(terms, assertion, position) {
                if !literal.signed {
                    unsigned_bases.extend([base(terms, literal.a), base(terms, literal.b)]);
                }
                literals.push(literal);
            }
        }
        // Equality is the same in both readings; take the one that the orderings of the term use.
        for literal in &mut literals {
            if matches!(literal.relation, Relation::Equal | Relation::Different) {
                let sides = [literal.a, literal.b].map(|side| base(terms, side));
                literal.signed = !sides.iter().any(|side| unsigned_bases.contains(side));
            }
        }
        let complete = literals.len() == assertions.len();
        Problem {
            literals,
            complete,
            nodes: FxHashMap::default(),
            numbers: Vec::new(),
            differences: Differences::default(),
        }
    }

    fn solve(&mut self, terms: &Terms, hint: &Model) -> Found {
        if self.literals.is_empty() {
            return Found::Nothing;
        }
        // Sums last: the bounds that exclude their overflow come from the others.
        let is_sum =
            |literal: &Literal| [literal.a, literal.b].iter().any(|&side| sum(terms, side).is_some());
        self.literals.sort_by_key(is_sum);
        let mut different: Vec<(Side, Side, Positions)> = Vec::new();
        for literal in self.literals.clone() {
            let (Some(a), Some(b)) =
                (self.side(terms, literal.a, &literal), self.side(terms, literal.b, &literal))
            else {
                return Found::Nothing;
            };
            let because = a.because.with(b.because).with(Positions::one(literal.position));
            // a + p <= b + q is a - b <= q - p.
            let bound = b.plus - a.plus;
            let conflict = match literal.relation {
                Relation::Less => self.differences.at_most(a.node, b.node, bound - 1, because),
                Relation::LessEqual => self.differences.at_most(a.node, b.node, bound, because),
                Relation::Equal => self
                    .differences
                    .at_most(a.node, b.node, bound, because)
                    .or_else(|| self.differences.at_most(b.node, a.node, -bound, because)),
                Relation::Different => {
                    different.push((a, b, because));
                    None
                }
            };
            if let Some(core) = conflict {
                return Found::Contradiction(core);
            }
        }
        if let Some(core) = self.sharpen(&different) {
            return Found::Contradiction(core);
        }
        if self.complete { self.model(terms, hint, &different) } else { Found::Nothing }
    }

    /// Sharpens bounds that disequalities exclude until none does; the core where that contradicts.
    fn sharpen(&mut self, different: &[(Side, Side, Positions)]) -> Option<Positions> {
        // Each round moves a bound by one; long runs of excluded values are left to the other layers.
        for _ in 0..4 * different.len() {
            let mut changed = false;
            for &(a, b, because) in different {
                // a - b != k
                let k = b.plus - a.plus;
                for (x, y, k) in [(a.node, b.node, k), (b.node, a.node, -k)] {
                    if let Some((bound, why)) = self.differences.bound(x, y)
                        && bound == k
                    {
                        changed = true;
                        if let Some(core) = self.differences.at_most(x, y, k - 1, why.with(because)) {
                            return Some(core);
                        }
                    }
                }
            }
            if !changed {
                break;
            }
        }
        None
    }

    /// A value for each number, chosen near the hint within the closed bounds.
    fn model(&self, terms: &Terms, hint: &Model, different: &[(Side, Side, Positions)]) -> Found {
        let mut values: Vec<i128> = vec![0];
        let mut model = Model::new();
        let mut read: FxHashMap<TermId, bool> = FxHashMap::default();
        for (place, &(term, signed)) in self.numbers.iter().enumerate() {
            let node = place + 1;
            let Some(variable) = terms.as_variable(term) else { return Found::Nothing };
            if read.insert(term, signed).is_some() {
                return Found::Nothing;
            }
            let Some((low, high)) = self.differences.range(node, &values) else { return Found::Nothing };
            let sort = terms.sort(term);
            let wished = number_of(sort, hint.get(variable), signed).clamp(low, high);
            let excluded: Vec<i128> = different
                .iter()
                .filter_map(|&(a, b, _)| {
                    let (other, k) = match (a.node == node, b.node == node) {
                        (true, false) => (b.node, b.plus - a.plus),
                        (false, true) => (a.node, a.plus - b.plus),
                        _ => return None,
                    };
                    Some(values.get(other)? + k)
                })
                .collect();
            let near = (0..=excluded.len() as i128).flat_map(|step| [wished + step, wished - step]);
            let chosen = near.into_iter().find(|v| (low..=high).contains(v) && !excluded.contains(v));
            let Some(chosen) = chosen else { return Found::Nothing };
            values.push(chosen);
            model.set(variable, chosen as u64 & sort.mask());
        }
        // A disequality of a number with itself is decided by the constants alone.
        let trivial = different.iter().all(|&(a, b, _)| a.node != b.node || a.plus != b.plus);
        if trivial { Found::Model(model) } else { Found::Nothing }
    }

    /// A term of a comparison as a node and a constant.
    fn side(&mut self, terms: &Terms, term: TermId, literal: &Literal) -> Option<Side> {
        let signed = literal.signed;
        let because = Positions::default();
        if let Some(bits) = terms.as_constant(term) {
            return Some(Side { node: 0, plus: number_of(terms.sort(term), bits, signed), because });
        }
        if signed && let Some((x, k)) = sum(terms, term) {
            let inner = self.node(terms, x, signed)?;
            let ((high, above), (low, below)) =
                (self.differences.bound(inner, 0)?, self.differences.bound(0, inner)?);
            let sort = terms.sort(term);
            if high + k <= i128::from(sort.max_signed()) && -low + k >= i128::from(sort.min_signed()) {
                return Some(Side { node: inner, plus: k, because: above.with(below) });
            }
        }
        let node = self.node(terms, term, signed)?;
        Some(Side { node, plus: 0, because })
    }

    /// The node of a term, made with the bounds that the term has by itself; `None` where there are too many.
    fn node(&mut self, terms: &Terms, term: TermId, signed: bool) -> Option<usize> {
        let number = base_number(terms, term, signed);
        if let Some(&node) = self.nodes.get(&number) {
            return Some(node);
        }
        let node = self.differences.add_node()?;
        self.nodes.insert(number, node);
        self.numbers.push(number);
        let range = terms.range(number.0);
        let (low, high) = if number.1 {
            (i128::from(range.smin), i128::from(range.smax))
        } else {
            (i128::from(range.umin), i128::from(range.umax))
        };
        // A fresh node has no other bounds that these could contradict.
        let _ = self.differences.at_most(node, 0, high, Positions::default());
        let _ = self.differences.at_most(0, node, -low, Positions::default());
        Some(node)
    }
}

fn number_of(sort: Sort, bits: u64, signed: bool) -> i128 {
    if signed { i128::from(sort.signed(bits)) } else { i128::from(bits) }
}

/// What a term is a widening of, with the reading in which widening keeps the number.
fn base_number(terms: &Terms, term: TermId, signed: bool) -> Number {
    match *terms.get(term) {
        Term::Apply { op: Op::ZExt, args, .. } if terms.sort(args[0]) != Sort::Bool => (args[0], false),
        Term::Apply { op: Op::SExt, args, .. } if signed => (args[0], true),
        _ => (term, signed),
    }
}

fn base(terms: &Terms, term: TermId) -> TermId {
    base_number(terms, term, true).0
}

/// `x + k` as `x` and the signed `k`.
fn sum(terms: &Terms, term: TermId) -> Option<(TermId, i128)> {
    let Term::Apply { op: Op::Add, sort, args: [x, k, _] } = *terms.get(term) else { return None };
    Some((x, i128::from(sort.signed(terms.as_constant(k)?))))
}

fn literal(terms: &Terms, assertion: TermId, position: usize) -> Option<Literal> {
    let Term::Apply { op, args: [a, b, _], .. } = *terms.get(assertion) else { return None };
    let (relation, signed, a, b) = match op {
        Op::Slt => (Relation::Less, true, a, b),
        Op::Sle => (Relation::LessEqual, true, a, b),
        Op::Ult => (Relation::Less, false, a, b),
        Op::Ule => (Relation::LessEqual, false, a, b),
        Op::Eq => (Relation::Equal, true, a, b),
        Op::Not => match *terms.get(a) {
            Term::Apply { op: Op::Eq, args: [a, b, _], .. } => (Relation::Different, true, a, b),
            _ => return None,
        },
        _ => return None,
    };
    terms.sort(a).is_bv().then_some(Literal { position, relation, a, b, signed })
}
