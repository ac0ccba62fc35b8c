//! Difference constraints over integers that a predicate only compares (Dechter, Meiri & Pearl, *Temporal
//! constraint networks*).
//!
//! `bounds` holds for each pair of integers the greatest amount by which the first can exceed the second; the
//! first integer is the constant zero. The matrix is kept closed under addition: adding a bound takes
//! quadratic time and detects a contradiction at once. Disequalities and other terms are left to the search
//! for values, which is complete because ranges are finite.

use cupping_term::{Evaluator, Model, Op, Sort, Term, TermId, Terms, VarIndex};
use std::collections::BTreeMap;

/// The constraints of a path on its integers.
#[derive(Clone, Debug)]
pub(crate) struct DifferenceBounds {
    size: usize,
    bounds: Vec<i64>,
    apart: Vec<(usize, usize, i64)>,
    opaque: Vec<(TermId, bool)>,
}

/// The variables of the integers, by their number on the path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    terms: Vec<BTreeMap<Sort, TermId>>,
    places: BTreeMap<VarIndex, usize>,
}

impl Symbols {
    /// The variable of an integer. All paths share them, so equal comparisons are equal terms.
    pub(crate) fn term(&mut self, terms: &mut Terms, number: usize, sort: Sort) -> TermId {
        while self.terms.len() <= number {
            self.terms.push(BTreeMap::new());
        }
        if let Some(known) = self.terms[number].get(&sort) {
            return *known;
        }
        let made = terms.new_variable(format!("x{number}"), sort);
        self.terms[number].insert(sort, made);
        if let Some(index) = terms.as_variable(made) {
            self.places.insert(index, number + 1);
        }
        made
    }

    /// Converts values into a model.
    pub(crate) fn model(&self, terms: &Terms, values: &[i64]) -> Model {
        let mut model = Model::new();
        for (value, of) in values.iter().zip(&self.terms) {
            for (sort, term) in of {
                if let Some(index) = terms.as_variable(*term) {
                    model.set(index, *value as u64 & sort.mask());
                }
            }
        }
        model
    }
}

impl DifferenceBounds {
    /// The constraints on no integer but zero.
    pub(crate) fn new() -> DifferenceBounds {
        DifferenceBounds { size: 1, bounds: vec![0], apart: Vec::new(), opaque: Vec::new() }
    }

    /// Number of integers, including zero.
    pub(crate) fn len(&self) -> usize {
        self.size - 1
    }

    fn at(&self, a: usize, b: usize) -> i64 {
        self.bounds[a * self.size + b]
    }

    /// Adds an integer with this range.
    pub(crate) fn push(&mut self, (least, most): (i64, i64)) {
        let (old, size) = (self.size, self.size + 1);
        let mut bounds = Vec::with_capacity(size * size);
        for a in 0..old {
            bounds.extend_from_slice(&self.bounds[a * old..(a + 1) * old]);
            bounds.push(self.at(a, 0) - least);
        }
        bounds.extend((0..old).map(|b| most + self.at(0, b)));
        bounds.push(0);
        self.bounds = bounds;
        self.size = size;
    }

    /// Adds `a - b <= most`; returns false on a contradiction.
    fn bound(&mut self, a: usize, b: usize, most: i64) -> bool {
        if self.at(a, b) <= most {
            return true;
        }
        if self.at(b, a) + most < 0 {
            return false;
        }
        let size = self.size;
        for i in 0..size {
            let to = self.at(i, a) + most;
            if to >= self.at(i, b) {
                continue;
            }
            for j in 0..size {
                let way = to + self.at(b, j);
                let known = &mut self.bounds[i * size + j];
                if way < *known {
                    *known = way;
                }
            }
        }
        true
    }

    /// Tightens bounds whose ends a disequality excludes.
    fn tighten(&mut self) -> bool {
        loop {
            let mut stricter = None;
            for &(a, b, apart) in &self.apart {
                let (most, least) = (self.at(a, b), -self.at(b, a));
                match () {
                    () if most < apart || least > apart => {}
                    () if most == apart && least == apart => return false,
                    () if most == apart => stricter = Some((a, b, apart - 1)),
                    () if least == apart => stricter = Some((b, a, -apart - 1)),
                    () => {}
                }
                if stricter.is_some() {
                    break;
                }
            }
            match stricter {
                None => return true,
                Some((a, b, most)) if self.bound(a, b, most) => {}
                Some(_) => return false,
            }
        }
    }

    /// Adds a condition or its negation; returns false on a contradiction. Terms other than comparisons are
    /// kept for [`DifferenceBounds::values`].
    pub(crate) fn require(
        &mut self,
        symbols: &Symbols,
        terms: &Terms,
        condition: TermId,
        holds: bool,
    ) -> bool {
        self.note(symbols, terms, condition, holds) && self.tighten()
    }

    fn note(&mut self, symbols: &Symbols, terms: &Terms, condition: TermId, holds: bool) -> bool {
        let (op, args) = match *terms.get(condition) {
            Term::Constant { bits, .. } => return (bits != 0) == holds,
            Term::Apply { op, args, .. } => (op, args),
            _ => {
                self.opaque.push((condition, holds));
                return true;
            }
        };
        let linear = |term| linear(symbols, terms, term);
        match (op, holds) {
            (Op::Not, _) => return self.note(symbols, terms, args[0], !holds),
            (Op::And, true) | (Op::Or, false) => {
                return self.note(symbols, terms, args[0], holds)
                    && self.note(symbols, terms, args[1], holds);
            }
            (Op::Eq | Op::Slt | Op::Sle, _) => {
                if let (Some((a, plus)), Some((b, more))) = (linear(args[0]), linear(args[1])) {
                    // The comparison is `a + plus` against `b + more`.
                    let most = more - plus;
                    return match (op, holds) {
                        (Op::Eq, true) => self.bound(a, b, most) && self.bound(b, a, -most),
                        (Op::Eq, false) => {
                            self.apart.push((a, b, most));
                            true
                        }
                        (Op::Slt, true) => self.bound(a, b, most - 1),
                        (Op::Slt, false) => self.bound(b, a, -most),
                        (_, true) => self.bound(a, b, most),
                        (_, false) => self.bound(b, a, -most - 1),
                    };
                }
            }
            _ => {}
        }
        self.opaque.push((condition, holds));
        true
    }

    /// A solution, if there is one.
    pub(crate) fn values(&self, symbols: &Symbols, terms: &Terms) -> Option<Vec<i64>> {
        let least: Vec<i64> = (1..self.size).map(|it| -self.at(0, it)).collect();
        // The least values satisfy all closed difference bounds.
        if self.is_apart(&least) && self.evaluates(symbols, terms, &least) {
            return Some(least);
        }
        let mut found = None;
        self.each(symbols, terms, &mut |values| {
            found = Some(values.to_vec());
            false
        });
        found
    }

    fn is_apart(&self, values: &[i64]) -> bool {
        let value = |at: usize| if at == 0 { 0 } else { values[at - 1] };
        self.apart.iter().all(|&(a, b, apart)| value(a) - value(b) != apart)
    }

    fn evaluates(&self, symbols: &Symbols, terms: &Terms, values: &[i64]) -> bool {
        if self.opaque.is_empty() {
            return true;
        }
        let model = symbols.model(terms, values);
        let mut evaluator = Evaluator::new();
        self.opaque.iter().all(|(term, holds)| (evaluator.eval(terms, &model, *term) != 0) == *holds)
    }

    /// Visits all solutions until `visit` returns false; returns whether it visited all.
    pub(crate) fn each(
        &self,
        symbols: &Symbols,
        terms: &Terms,
        visit: &mut dyn FnMut(&[i64]) -> bool,
    ) -> bool {
        // Assign the variables of other terms first, so that those terms can be evaluated early.
        let mut order: Vec<usize> = vec![0];
        for (term, _) in &self.opaque {
            for index in terms.variables(*term) {
                if let Some(at) = symbols.places.get(index).filter(|it| !order.contains(it)) {
                    order.push(*at);
                }
            }
        }
        let asked = order.len();
        order.extend((1..self.size).filter(|it| !order[..asked].contains(it)).collect::<Vec<_>>());
        let mut places = vec![0; self.size];
        order.iter().enumerate().for_each(|(place, at)| places[*at] = place);
        let mut search = Search {
            of: self,
            values: vec![0; self.size],
            asked,
            order,
            places,
            holds: &mut |values| self.evaluates(symbols, terms, values),
            visit,
        };
        search.extend(1)
    }
}

/// The backtracking search for values.
struct Search<'a> {
    of: &'a DifferenceBounds,
    values: Vec<i64>,
    /// The order in which integers are assigned; zero comes first.
    order: Vec<usize>,
    /// The position of each integer in that order.
    places: Vec<usize>,
    /// The position at which all other terms can be evaluated.
    asked: usize,
    holds: &'a mut dyn FnMut(&[i64]) -> bool,
    visit: &'a mut dyn FnMut(&[i64]) -> bool,
}

impl Search<'_> {
    /// Assigns the integers from this position on. Closed bounds leave no dead ends: every partial solution
    /// extends to a full one, so only disequalities and other terms reject values.
    fn extend(&mut self, place: usize) -> bool {
        if place == self.asked && !(self.holds)(&self.values[1..]) {
            return true;
        }
        let Some(&at) = self.order.get(place) else { return (self.visit)(&self.values[1..]) };
        let of = self.of;
        let before = || self.order[..place].iter();
        let least = before().map(|it| self.values[*it] - of.at(*it, at)).max().unwrap_or(0);
        let most = before().map(|it| self.values[*it] + of.at(at, *it)).min().unwrap_or(0);
        for value in least..=most {
            self.values[at] = value;
            let is_apart = |&(a, b, apart): &(usize, usize, i64)| {
                self.places[a].max(self.places[b]) != place || self.values[a] - self.values[b] != apart
            };
            if of.apart.iter().all(is_apart) && !self.extend(place + 1) {
                return false;
            }
        }
        true
    }
}

/// A term as integer plus constant; integer 0 is the constant zero.
fn linear(symbols: &Symbols, terms: &Terms, term: TermId) -> Option<(usize, i64)> {
    match *terms.get(term) {
        Term::Constant { sort: Sort::Bv64, bits } => small(bits as i64).map(|it| (0, it)),
        Term::Constant { bits, .. } => Some((0, i64::from(bits as u32 as i32))),
        Term::Variable { index, .. } => symbols.places.get(&index).map(|it| (*it, 0)),
        Term::Apply { op: Op::SExt, args, .. } => linear(symbols, terms, args[0]),
        Term::Apply { op: Op::Add, args, .. } => {
            let (a, plus) = linear(symbols, terms, args[0])?;
            let (b, more) = linear(symbols, terms, args[1])?;
            // Ranges are small, so small constants cannot overflow.
            let sum = small(plus).and(small(more)).map(|_| plus + more)?;
            match (a, b) {
                (a, 0) if a != 0 => Some((a, sum)),
                (0, b) if b != 0 => Some((b, sum)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn small(value: i64) -> Option<i64> {
    (value.abs() < 1 << 29).then_some(value)
}

#[cfg(test)]
mod tests;
