//! Orderings, intervals and differences: decides typical conditions of containers and loops without a general
//! solver.
//!
//! The layer understands comparisons of terms, widened terms, constants, and sums with constants. Each term
//! is a number, read signed or unsigned. A sum `x + k` is understood if the bounds of `x` on the path exclude
//! overflow, so wrap-around is respected. Floats are numbered by rank; a comparison that holds excludes NaN,
//! and the negation of one is only used where NaN is excluded. Constraints are difference bounds `x - y <=
//! k`, closed under paths (incremental Floyd-Warshall); a disequality tightens a bound that it touches. A
//! contradiction is sound even if parts of the goal are not understood; a model is only returned if
//! everything is.

use cupping_term::{Model, Op, Range, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

use super::differences::{Differences, Positions};
use super::floats;
use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::Answer;

/// The procedure for orderings, intervals and differences.
pub struct Order;

impl Layer for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> LayerVerdict {
        if goal.assertions.len() > Positions::MOST {
            return LayerVerdict::Declined;
        }
        let mut problem = Problem::new(cx.terms, &goal.assertions);
        match problem.solve(cx.terms, &goal.hint) {
            OrderingResult::Contradiction(core) => {
                LayerVerdict::Own(Answer::Unsat { core: core.ascending() })
            }
            OrderingResult::Model(model) => LayerVerdict::Own(Answer::Sat(model)),
            OrderingResult::Nothing => LayerVerdict::Declined,
        }
    }
}

enum OrderingResult {
    Contradiction(Positions),
    Model(Model),
    Nothing,
}

/// How to read a value as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Interpretation {
    Signed,
    Unsigned,
    /// The rank of a float that is not NaN.
    Rank,
}

/// A term and its reading.
type Number = (TermId, Interpretation);

/// A node (0 is the number zero) plus a constant, and the assertions that exclude overflow of the sum.
#[derive(Clone, Copy, Debug)]
struct Side {
    node: usize,
    plus: i128,
    because: Positions,
}

/// A comparison `a op b` or `a != b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    LessEqual,
    Equal,
    Different,
}

#[derive(Clone, Copy, Debug)]
struct Literal {
    relation: Relation,
    a: TermId,
    b: TermId,
    reading: Interpretation,
    because: Positions,
}

struct Problem {
    literals: Vec<Literal>,
    /// Whether every assertion was understood.
    complete: bool,
    nodes: FxHashMap<Number, usize>,
    numbers: Vec<Number>,
    differences: Differences,
}

impl Problem {
    fn new(terms: &Terms, assertions: &[TermId]) -> Problem {
        let mut literals: Vec<Literal> = Vec::new();
        let mut unsigned_bases: Vec<TermId> = Vec::new();
        let ordered = ordered_floats(terms, assertions);
        for (position, &assertion) in assertions.iter().enumerate() {
            if let Some(literal) = literal(terms, assertion, position, &ordered) {
                if literal.reading == Interpretation::Unsigned {
                    unsigned_bases.extend([base(terms, literal.a), base(terms, literal.b)]);
                }
                literals.push(literal);
            }
        }
        // Equality does not depend on the reading; use the one that the term's orderings use.
        for literal in &mut literals {
            if matches!(literal.relation, Relation::Equal | Relation::Different)
                && literal.reading != Interpretation::Rank
            {
                let sides = [literal.a, literal.b].map(|side| base(terms, side));
                let unsigned = sides.iter().any(|side| unsigned_bases.contains(side));
                literal.reading = if unsigned { Interpretation::Unsigned } else { Interpretation::Signed };
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

    fn solve(&mut self, terms: &Terms, hint: &Model) -> OrderingResult {
        if self.literals.is_empty() {
            return OrderingResult::Nothing;
        }
        // Sums and float arithmetic come last, because their bounds derive from the other literals.
        let is_late = |literal: &Literal| [literal.a, literal.b].iter().any(|&side| is_derived(terms, side));
        self.literals.sort_by_key(is_late);
        let mut different: Vec<(Side, Side, Positions)> = Vec::new();
        for literal in self.literals.clone() {
            let (Some(a), Some(b)) =
                (self.side(terms, literal.a, &literal), self.side(terms, literal.b, &literal))
            else {
                return OrderingResult::Nothing;
            };
            let because = a.because.with(b.because).with(literal.because);
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
                return OrderingResult::Contradiction(core);
            }
        }
        if let Some(core) = self.sharpen(&different) {
            return OrderingResult::Contradiction(core);
        }
        if self.complete { self.model(terms, hint, &different) } else { OrderingResult::Nothing }
    }

    /// Tightens bounds that disequalities exclude until nothing changes; returns the core of a contradiction.
    fn sharpen(&mut self, different: &[(Side, Side, Positions)]) -> Option<Positions> {
        // Each round moves a bound by one; long runs of excluded values are left to other layers.
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

    /// Chooses a value for each number, near the hint and within the closed bounds.
    fn model(&self, terms: &Terms, hint: &Model, different: &[(Side, Side, Positions)]) -> OrderingResult {
        let mut values: Vec<i128> = vec![0];
        let mut model = Model::new();
        let mut read: FxHashMap<TermId, Interpretation> = FxHashMap::default();
        for (place, &(term, reading)) in self.numbers.iter().enumerate() {
            let node = place + 1;
            let Some(variable) = terms.as_variable(term) else { return OrderingResult::Nothing };
            if read.insert(term, reading).is_some() {
                return OrderingResult::Nothing;
            }
            let Some((low, high)) = self.differences.range(node, &values) else {
                return OrderingResult::Nothing;
            };
            let sort = terms.sort(term);
            let held = number_of(sort, hint.get(variable), reading);
            let wished = held.unwrap_or(0).clamp(low, high);
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
            let Some(chosen) = chosen else { return OrderingResult::Nothing };
            values.push(chosen);
            let bits = if held == Some(chosen) { hint.get(variable) } else { bits_of(sort, chosen, reading) };
            model.set(variable, bits);
        }
        // A disequality of a number with itself depends only on the constants.
        let trivial = different.iter().all(|&(a, b, _)| a.node != b.node || a.plus != b.plus);
        if trivial { OrderingResult::Model(model) } else { OrderingResult::Nothing }
    }

    /// A compared term as node plus constant.
    fn side(&mut self, terms: &Terms, term: TermId, literal: &Literal) -> Option<Side> {
        let reading = literal.reading;
        let because = Positions::default();
        if let Some(bits) = terms.as_constant(term) {
            return Some(Side { node: 0, plus: number_of(terms.sort(term), bits, reading)?, because });
        }
        if reading == Interpretation::Signed
            && let Some((x, k)) = sum(terms, term)
        {
            let inner = self.node(terms, x, reading)?;
            let ((high, above), (low, below)) =
                (self.differences.bound(inner, 0)?, self.differences.bound(0, inner)?);
            let sort = terms.sort(term);
            if high + k <= i128::from(sort.max_signed()) && -low + k >= i128::from(sort.min_signed()) {
                return Some(Side { node: inner, plus: k, because: above.with(below) });
            }
        }
        let node = self.node(terms, term, reading)?;
        Some(Side { node, plus: 0, because })
    }

    /// The node of a term, created with the term's own bounds; `None` at the limit.
    fn node(&mut self, terms: &Terms, term: TermId, reading: Interpretation) -> Option<usize> {
        let number = base_number(terms, term, reading);
        if let Some(&node) = self.nodes.get(&number) {
            return Some(node);
        }
        let node = self.differences.add_node()?;
        self.nodes.insert(number, node);
        self.numbers.push(number);
        let range = terms.range(number.0);
        let ((low, high), because) = match reading_bounds(number.1, range) {
            Some(bounds) => (bounds, Positions::default()),
            None => self.float_bounds(terms, number.0),
        };
        // A new node has no bounds that these could contradict.
        let _ = self.differences.at_most(node, 0, high, because);
        let _ = self.differences.at_most(0, node, -low, because);
        Some(node)
    }
}

fn reading_bounds(reading: Interpretation, range: Range) -> Option<(i128, i128)> {
    match reading {
        Interpretation::Signed => Some((i128::from(range.smin), i128::from(range.smax))),
        Interpretation::Unsigned => Some((i128::from(range.umin), i128::from(range.umax))),
        Interpretation::Rank => None,
    }
}

/// The number of a value; `None` for NaN.
fn number_of(sort: Sort, bits: u64, reading: Interpretation) -> Option<i128> {
    match reading {
        Interpretation::Signed => Some(i128::from(sort.signed(bits))),
        Interpretation::Unsigned => Some(i128::from(bits)),
        Interpretation::Rank => floats::rank(sort, bits),
    }
}

fn bits_of(sort: Sort, number: i128, reading: Interpretation) -> u64 {
    match reading {
        Interpretation::Rank => floats::of_rank(sort, number),
        _ => number as u64 & sort.mask(),
    }
}

/// The term that a widening operation is applied to, with the reading under which widening keeps the number.
fn base_number(terms: &Terms, term: TermId, reading: Interpretation) -> Number {
    match *terms.get(term) {
        Term::Apply { op: Op::ZExt, args, .. } if terms.sort(args[0]) != Sort::Bool => {
            (args[0], Interpretation::Unsigned)
        }
        Term::Apply { op: Op::SExt, args, .. } if reading == Interpretation::Signed => {
            (args[0], Interpretation::Signed)
        }
        _ => (term, reading),
    }
}

fn base(terms: &Terms, term: TermId) -> TermId {
    base_number(terms, term, Interpretation::Signed).0
}

/// Whether the bounds of a term derive from those of others.
fn is_derived(terms: &Terms, term: TermId) -> bool {
    sum(terms, term).is_some() || (terms.sort(term).is_float() && !terms.get(term).args().is_empty())
}

/// `x + k` as `x` and the signed `k`.
fn sum(terms: &Terms, term: TermId) -> Option<(TermId, i128)> {
    let Term::Apply { op: Op::Add, sort, args: [x, k, _] } = *terms.get(term) else { return None };
    Some((x, i128::from(sort.signed(terms.as_constant(k)?))))
}

/// The floats that an asserted comparison excludes from being NaN, with that assertion.
fn ordered_floats(terms: &Terms, assertions: &[TermId]) -> FxHashMap<TermId, Positions> {
    let mut ordered = FxHashMap::default();
    for (position, &assertion) in assertions.iter().enumerate().take(Positions::MOST) {
        if let Term::Apply { op: Op::FEq | Op::FLt | Op::FLe, args: [a, b, _], .. } = *terms.get(assertion) {
            for side in [a, b] {
                ordered.entry(side).or_insert(Positions::one(position));
            }
        }
    }
    ordered
}

/// The assertions that exclude NaN, if it is excluded.
fn not_nan(terms: &Terms, term: TermId, ordered: &FxHashMap<TermId, Positions>) -> Option<Positions> {
    let by_itself = match *terms.get(term) {
        Term::Constant { sort, bits } => floats::rank(sort, bits).is_some(),
        Term::Apply { op: Op::I2F | Op::I2D | Op::L2F | Op::L2D, .. } => true,
        _ => false,
    };
    if by_itself { Some(Positions::default()) } else { ordered.get(&term).copied() }
}

fn literal(
    terms: &Terms,
    assertion: TermId,
    position: usize,
    ordered: &FxHashMap<TermId, Positions>,
) -> Option<Literal> {
    let because = Positions::one(position);
    let Term::Apply { op, args: [a, b, _], .. } = *terms.get(assertion) else { return None };
    if op == Op::Not {
        let Term::Apply { op, args: [a, b, _], .. } = *terms.get(a) else { return None };
        if op == Op::Eq {
            let plain =
                Literal { relation: Relation::Different, a, b, reading: Interpretation::Signed, because };
            return terms.sort(a).is_bv().then_some(plain);
        }
        let (relation, a, b) = match op {
            Op::FEq => (Relation::Different, a, b),
            Op::FLt => (Relation::LessEqual, b, a),
            Op::FLe => (Relation::Less, b, a),
            _ => return None,
        };
        let because = because.with(not_nan(terms, a, ordered)?).with(not_nan(terms, b, ordered)?);
        return Some(Literal { relation, a, b, reading: Interpretation::Rank, because });
    }
    let (relation, reading) = match op {
        Op::Slt => (Relation::Less, Interpretation::Signed),
        Op::Sle => (Relation::LessEqual, Interpretation::Signed),
        Op::Ult => (Relation::Less, Interpretation::Unsigned),
        Op::Ule => (Relation::LessEqual, Interpretation::Unsigned),
        Op::Eq if terms.sort(a).is_bv() => (Relation::Equal, Interpretation::Signed),
        Op::FLt => (Relation::Less, Interpretation::Rank),
        Op::FLe => (Relation::LessEqual, Interpretation::Rank),
        Op::FEq => (Relation::Equal, Interpretation::Rank),
        _ => return None,
    };
    Some(Literal { relation, a, b, reading, because })
}

impl Problem {
    /// Bounds of a float that is not NaN, as ranks.
    fn float_bounds(&self, terms: &Terms, term: TermId) -> ((i128, i128), Positions) {
        let sort = terms.sort(term);
        let mut because = Positions::default();
        let known = |inner: TermId| {
            let node = *self.nodes.get(&(inner, Interpretation::Rank))?;
            let ((high, above), (low, below)) =
                (self.differences.bound(node, 0)?, self.differences.bound(0, node)?);
            because = because.with(above).with(below);
            Some((floats::value(terms.sort(inner), -low), floats::value(terms.sort(inner), high)))
        };
        let (low, high) = floats::bounds(terms, term, known);
        let rank = |value: f64| floats::rank_of(sort, value);
        ((rank(low), rank(high)), because)
    }
}
