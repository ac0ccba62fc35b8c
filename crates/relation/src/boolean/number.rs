//! Order-encoded integers: for each possible value, a bit that says whether the integer is at least that
//! value. A comparison takes one gate per value, and known bounds propagate directly.

use super::circuit::{Bit, Circuit};
use std::collections::{BTreeMap, BTreeSet};

/// An integer with one of `values` (ascending and non-empty).
#[derive(Clone, Debug)]
pub(crate) struct OrderEncoding {
    values: Vec<i64>,
    /// Whether the integer is at least `values[i]`; the first bit is constant true.
    reached: Vec<Bit>,
}

/// Limit on the possible values.
pub(crate) const MOST_VALUES: usize = 4096;

/// An integer expression has too many possible values.
#[derive(Debug)]
pub(crate) struct TooManyValues;

impl OrderEncoding {
    pub(crate) fn constant(value: i64) -> OrderEncoding {
        OrderEncoding { values: vec![value], reached: vec![Bit::TRUE] }
    }

    /// The number of true bits.
    pub(crate) fn count(circuit: &mut Circuit, bits: &[Bit]) -> Result<OrderEncoding, TooManyValues> {
        OrderEncoding::sum(circuit, bits.iter().map(|bit| (1, *bit)).collect())
    }

    /// The sum of the values whose bit is true.
    pub(crate) fn sum(circuit: &mut Circuit, parts: Vec<(i64, Bit)>) -> Result<OrderEncoding, TooManyValues> {
        let mut layer: Vec<OrderEncoding> =
            parts.into_iter().map(|(value, bit)| OrderEncoding::optional(value, bit)).collect();
        while layer.len() > 1 {
            let mut next = Vec::with_capacity(layer.len() / 2 + 1);
            for pair in layer.chunks(2) {
                next.push(match pair {
                    [a, b] => a.add(circuit, b)?,
                    _ => pair[0].clone(),
                });
            }
            layer = next;
        }
        Ok(layer.pop().unwrap_or_else(|| OrderEncoding::constant(0)))
    }

    /// `value` if the bit is true, else 0.
    fn optional(value: i64, bit: Bit) -> OrderEncoding {
        match (bit, value) {
            (Bit::FALSE, _) | (_, 0) => OrderEncoding::constant(0),
            (Bit::TRUE, _) => OrderEncoding::constant(value),
            (_, 1..) => OrderEncoding { values: vec![0, value], reached: vec![Bit::TRUE, bit] },
            _ => OrderEncoding { values: vec![value, 0], reached: vec![Bit::TRUE, !bit] },
        }
    }

    /// The value whose bit is true; at most one is. 0 if none is.
    pub(crate) fn only(circuit: &mut Circuit, parts: &[(i64, Bit)]) -> OrderEncoding {
        let mut values: BTreeSet<i64> = parts.iter().map(|it| it.0).collect();
        if !parts.iter().any(|it| it.1 == Bit::TRUE) {
            values.insert(0);
        }
        let reached = |circuit: &mut Circuit, least: i64| {
            if least > 0 {
                circuit.or_all(parts.iter().filter(|it| it.0 >= least).map(|it| it.1).collect())
            } else {
                !circuit.or_all(parts.iter().filter(|it| it.0 < least).map(|it| it.1).collect())
            }
        };
        OrderEncoding::from_reached(values.into_iter().map(|it| (it, reached(circuit, it))).collect())
    }

    /// Drops values that are impossible or always exceeded.
    fn from_reached(all: Vec<(i64, Bit)>) -> OrderEncoding {
        let start = all.iter().rposition(|it| it.1 == Bit::TRUE).unwrap_or(0);
        let mut values = vec![all[start].0];
        let mut reached = vec![Bit::TRUE];
        for &(value, bit) in &all[start + 1..] {
            if bit != Bit::FALSE {
                values.push(value);
                reached.push(bit);
            }
        }
        OrderEncoding { values, reached }
    }

    /// Whether the integer is at least `least`.
    pub(crate) fn at_least(&self, least: i64) -> Bit {
        let at = self.values.partition_point(|it| *it < least);
        self.reached.get(at).copied().unwrap_or(Bit::FALSE)
    }

    /// The possible values, each with the bit that selects it.
    pub(crate) fn cases(&self, circuit: &mut Circuit) -> Vec<(i64, Bit)> {
        let mut cases = Vec::with_capacity(self.values.len());
        for (at, value) in self.values.iter().enumerate() {
            let above = self.reached.get(at + 1).copied().unwrap_or(Bit::FALSE);
            cases.push((*value, circuit.and(self.reached[at], !above)));
        }
        cases
    }

    pub(crate) fn at_most(&self, circuit: &mut Circuit, other: &OrderEncoding) -> Bit {
        let parts = self
            .values
            .iter()
            .zip(&self.reached)
            .map(|(value, bit)| circuit.implies(*bit, other.at_least(*value)));
        let parts = parts.collect();
        circuit.and_all(parts)
    }

    pub(crate) fn same(&self, circuit: &mut Circuit, other: &OrderEncoding) -> Bit {
        let values: BTreeSet<i64> = self.values.iter().chain(&other.values).copied().collect();
        let mut parts: Vec<Bit> = Vec::new();
        for value in values {
            parts.push(circuit.iff(self.at_least(value), other.at_least(value)));
        }
        circuit.and_all(parts)
    }

    pub(crate) fn choose(
        circuit: &mut Circuit,
        condition: Bit,
        a: &OrderEncoding,
        b: &OrderEncoding,
    ) -> OrderEncoding {
        let values: BTreeSet<i64> = a.values.iter().chain(&b.values).copied().collect();
        let all =
            values.into_iter().map(|it| (it, circuit.choose(condition, a.at_least(it), b.at_least(it))));
        OrderEncoding::from_reached(all.collect())
    }

    pub(crate) fn add(
        &self,
        circuit: &mut Circuit,
        other: &OrderEncoding,
    ) -> Result<OrderEncoding, TooManyValues> {
        let mut sums: BTreeSet<i64> = BTreeSet::new();
        for a in &self.values {
            sums.extend(other.values.iter().map(|b| a.saturating_add(*b)));
            if sums.len() > MOST_VALUES {
                return Err(TooManyValues);
            }
        }
        let all = sums.into_iter().map(|least| {
            let ways = self.values.iter().zip(&self.reached).map(|(value, bit)| {
                let rest = other.at_least(least.saturating_sub(*value));
                circuit.and(*bit, rest)
            });
            let ways = ways.collect();
            (least, circuit.or_all(ways))
        });
        Ok(OrderEncoding::from_reached(all.collect()))
    }

    pub(crate) fn negate(&self) -> OrderEncoding {
        let n = self.values.len();
        let values = self.values.iter().rev().map(|it| it.saturating_neg()).collect();
        // For negation: at least -v means not at least the successor of v.
        let reached = (0..n).map(|at| if at == 0 { Bit::TRUE } else { !self.reached[n - at] }).collect();
        OrderEncoding { values, reached }
    }

    /// Any other operation, value by value; undefined pairs count as 0.
    pub(crate) fn combine(
        &self,
        circuit: &mut Circuit,
        other: &OrderEncoding,
        operation: impl Fn(i64, i64) -> Option<i64>,
    ) -> Result<OrderEncoding, TooManyValues> {
        if self.values.len() * other.values.len() > MOST_VALUES {
            return Err(TooManyValues);
        }
        let (left, right) = (self.cases(circuit), other.cases(circuit));
        let mut results: BTreeMap<i64, Vec<Bit>> = BTreeMap::new();
        for (a, p) in &left {
            for (b, q) in &right {
                let both = circuit.and(*p, *q);
                results.entry(operation(*a, *b).unwrap_or(0)).or_default().push(both);
            }
        }
        let mut above = Vec::new();
        let mut all = Vec::new();
        for (value, mut bits) in results.into_iter().rev() {
            above.append(&mut bits);
            all.push((value, circuit.or_all(above.clone())));
        }
        all.reverse();
        if let Some(first) = all.first_mut() {
            first.1 = Bit::TRUE;
        }
        Ok(OrderEncoding::from_reached(all))
    }
}
