//! Numeric preconditions generalised from several triples (paper §6.2.1): each triple is taken as evidence
//! for one side of a branching point.
//!
//! For each number in which the triples of a method differ, the values are sorted, and those whose calls took
//! the same path form one range. The lowest range extends to the least number, the highest to the greatest,
//! and the border between two neighbours is the mean. A method with a single triple is not generalised, nor
//! is a number that is the same in all triples.

use crate::branch::{Branch, Restriction};
use crate::shape::Shape;
use cupping_contract::Compiled;
use cupping_machine::{Kind, Machine, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The location of a number: an argument, and the path of fields from it.
pub(crate) type NumberPath = (usize, Vec<Arc<str>>);

/// A range within which a triple is assumed to apply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assumed {
    pub(crate) spot: NumberPath,
    pub(crate) kind: Kind,
    /// The range of the tested values.
    pub(crate) tested: (f64, f64),
    /// The lower end; `None` if it is unbounded.
    pub(crate) low: Option<f64>,
    /// The upper end; `None` if it is unbounded.
    pub(crate) high: Option<f64>,
    /// Whether the run of the program has moved the ends.
    pub(crate) refined: bool,
}

impl Assumed {
    pub(crate) fn holds(&self, value: f64) -> bool {
        self.low.is_none_or(|low| value >= low) && self.high.is_none_or(|high| value <= high)
    }

    /// The current value at the location.
    pub(crate) fn value(&self, machine: &Machine, arguments: &[Value]) -> Option<f64> {
        let mut bits = arguments.get(self.spot.0)?.bits;
        for field in &self.spot.1 {
            let object = bits as cupping_machine::Addr;
            if object == 0 {
                return None;
            }
            bits = machine.field(object, machine.field_offset(machine.class_of(object), field)?);
        }
        crate::shape::number(self.kind, bits)
    }

    /// The bounds in the syntax of a requirement.
    pub(crate) fn bounds(&self) -> String {
        let show = |value: f64| match self.kind {
            Kind::Float | Kind::Double => format!("{value:?}"),
            _ => format!("{}", value as i64),
        };
        match (self.low, self.high) {
            (Some(low), Some(high)) if low == high => format!("= {}", show(low)),
            (Some(low), Some(high)) => format!("in {} .. {}", show(low), show(high)),
            (Some(low), None) => format!(">= {}", show(low)),
            (None, Some(high)) => format!("<= {}", show(high)),
            (None, None) => "in all".into(),
        }
    }
}

/// Collects the numbers in a shape.
fn numbers(shape: &Shape, spot: &mut NumberPath, found: &mut BTreeMap<NumberPath, (Kind, f64)>) {
    match shape {
        Shape::Bits(kind, _) => {
            if let Some(number) = shape.number() {
                found.insert(spot.clone(), (*kind, number));
            }
        }
        Shape::Object(_, fields) => {
            for (name, shape) in fields {
                spot.1.push(name.clone());
                numbers(shape, spot, found);
                spot.1.pop();
            }
        }
        _ => {}
    }
}

/// Gives the branches of each method their assumed ranges.
pub(crate) fn assume(compiled: &Compiled, branches: &mut [Branch]) {
    let target = |branch: &Branch| compiled.cases[branch.case].triples[branch.triple].target.clone();
    let mut by_method: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, branch) in branches.iter().enumerate() {
        by_method.entry(target(branch)).or_default().push(at);
    }
    for members in by_method.into_values().filter(|it| it.len() > 1) {
        let mut spots: BTreeMap<NumberPath, Vec<(usize, Kind, f64)>> = BTreeMap::new();
        // Bounds that the programmer wrote stay: the specification already says what lies beyond them.
        let mut has_bounds: BTreeMap<NumberPath, bool> = BTreeMap::new();
        for at in &members {
            let branch = &branches[*at];
            let mut found = BTreeMap::new();
            for (position, restriction) in &branch.restrictions {
                match restriction {
                    Restriction::Shape(shape) => numbers(shape, &mut (*position, Vec::new()), &mut found),
                    Restriction::Within(..) => {
                        has_bounds.insert((*position, Vec::new()), true);
                    }
                }
            }
            for (spot, (kind, number)) in found {
                spots.entry(spot).or_default().push((*at, kind, number));
            }
        }
        for (spot, values) in spots {
            let first = values[0].2;
            if values.len() < 2 || values.iter().all(|(_, _, number)| *number == first) {
                continue;
            }
            let closed = has_bounds.contains_key(&spot);
            for (at, assumed) in ranges(branches, &spot, values, closed) {
                branches[at].assumed.push(assumed);
            }
        }
    }
}

/// The ranges of the branches that have a value at a location.
fn ranges(
    branches: &[Branch],
    spot: &NumberPath,
    values: Vec<(usize, Kind, f64)>,
    closed: bool,
) -> Vec<(usize, Assumed)> {
    // Triples whose calls took the same path share a range.
    let mut groups: Vec<(Vec<usize>, Kind, f64, f64)> = Vec::new();
    for (at, kind, number) in values {
        let same = groups.iter_mut().find(|(members, ..)| branches[members[0]].path == branches[at].path);
        match same {
            Some((members, _, low, high)) => {
                members.push(at);
                *low = low.min(number);
                *high = high.max(number);
            }
            None => groups.push((vec![at], kind, number, number)),
        }
    }
    groups.sort_by(|a, b| a.2.total_cmp(&b.2));
    let overlaps = groups.windows(2).any(|pair| pair[0].3 >= pair[1].2);
    let whole = |kind: Kind| !matches!(kind, Kind::Float | Kind::Double);
    let mut found = Vec::new();
    for (at, (members, kind, low, high)) in groups.iter().enumerate() {
        let mean = |a: f64, b: f64| (a + b) / 2.0;
        // The mean is the border; for integers it belongs to the lower neighbour.
        let below = at.checked_sub(1).map(|it| mean(groups[it].3, *low));
        let above = groups.get(at + 1).map(|next| mean(*high, next.2));
        let from = match below {
            _ if overlaps => Some(*low),
            None if closed => Some(*low),
            None => None,
            Some(border) => {
                Some(if whole(*kind) { (border.floor() + 1.0).min(*low) } else { border.next_up() })
            }
        };
        let to = match above {
            _ if overlaps => Some(*high),
            None if closed => Some(*high),
            None => None,
            Some(border) => Some(if whole(*kind) { border.floor().max(*high) } else { border }),
        };
        for member in members {
            let assumed = Assumed {
                spot: spot.clone(),
                kind: *kind,
                tested: (*low, *high),
                low: from,
                high: to,
                refined: false,
            };
            found.push((*member, assumed));
        }
    }
    found
}
