//! Numeric preconditions generalised from several triples (paper §6.2.1): each triple is taken as evidence
//! for one side of a branching point.
//!
//! For each number in which the triples of a method differ, the values are sorted, and those whose calls took
//! the same path form one range. The lowest range extends to the least number, the highest to the greatest,
//! and the border between two neighbours is the mean. A method with a single triple is not generalised, nor
//! is a number that is the same in all triples.

use crate::assumed_range::{AssumedRange, NumberPath};
use crate::branch::{Branch, Restriction};
use crate::path::Path;
use crate::shape::Shape;
use cupping_contract::CompiledSpecifications;
use cupping_machine::Kind;
use std::collections::BTreeMap;

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

/// Widens the numeric restrictions of branches that differ in them (§6.2.1). Needs all branches at once.
pub fn generalize(compiled: &CompiledSpecifications, branches: &mut [Branch]) {
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
            for (at, assumed) in ranges(&|at| &branches[at].path, &spot, values, closed) {
                branches[at].assumed.push(assumed);
            }
        }
    }
}

/// The ranges of the branches that have a value at a location. `path` gives the path of a branch.
fn ranges<'p>(
    path: &dyn Fn(usize) -> &'p Path,
    spot: &NumberPath,
    values: Vec<(usize, Kind, f64)>,
    closed: bool,
) -> Vec<(usize, AssumedRange)> {
    // Triples whose calls took the same path share a range.
    let mut groups: Vec<(Vec<usize>, Kind, f64, f64)> = Vec::new();
    for (at, kind, number) in values {
        let same = groups.iter_mut().find(|(members, ..)| path(members[0]) == path(at));
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
            let assumed = AssumedRange {
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

#[cfg(test)]
mod tests;
