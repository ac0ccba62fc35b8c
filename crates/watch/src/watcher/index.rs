//! An index over the integer arguments of a call: one look-up finds the branches of a method that can apply.
//!
//! The triples of a hot method often restrict ranges of one number. The sorted ends of these ranges cut the
//! numbers into intervals, and within each interval the same branches can apply. Branches that remain are
//! checked as usual.

use crate::branch::{Branch, Restriction};
use crate::random::integer;
use crate::shape::Shape;
use cupping_machine::{Kind, Value};

/// The intervals of one argument.
struct ArgumentIntervals {
    position: usize,
    kind: Kind,
    /// The start of each interval; the first is the least number.
    starts: Vec<i128>,
    /// The set of branches that can apply in each interval.
    sets: Vec<u128>,
}

/// The index of a method.
#[derive(Default)]
pub(super) struct Index(Vec<ArgumentIntervals>);

impl Index {
    /// Indexes the branches of one method, at most as many as a set has bits.
    pub(super) fn of(branches: &[&Branch], kinds: &[Kind]) -> Index {
        let is_integer = |kind: &Kind| !matches!(kind, Kind::Reference | Kind::Float | Kind::Double);
        let arguments = kinds.iter().enumerate().filter(|(_, kind)| is_integer(kind));
        Index(
            arguments
                .filter_map(|(position, kind)| ArgumentIntervals::of(branches, position, *kind))
                .collect(),
        )
    }

    /// The set of branches that can apply to a call with these arguments.
    pub(super) fn candidates(&self, arguments: &[Value]) -> u128 {
        let sets = self.0.iter().filter_map(|cut| {
            let number = integer(cut.kind, *arguments.get(cut.position)?);
            let after = cut.starts.partition_point(|start| *start <= number);
            cut.sets.get(after.checked_sub(1)?).copied()
        });
        sets.fold(u128::MAX, |all, set| all & set)
    }
}

impl ArgumentIntervals {
    /// `None` if no branch restricts the argument.
    fn of(branches: &[&Branch], position: usize, kind: Kind) -> Option<ArgumentIntervals> {
        let ranges: Vec<Option<(i128, i128)>> =
            branches.iter().map(|branch| range(branch, position, kind)).collect();
        let bound = ranges.iter().flatten();
        let mut starts: Vec<i128> = bound.flat_map(|(low, high)| [*low, high.saturating_add(1)]).collect();
        if starts.is_empty() {
            return None;
        }
        starts.push(i128::MIN);
        starts.sort_unstable();
        starts.dedup();
        let set = |start: &i128| {
            let may =
                |range: &Option<(i128, i128)>| range.is_none_or(|(low, high)| (low..=high).contains(start));
            ranges.iter().enumerate().filter(|(_, it)| may(it)).fold(0, |set, (place, _)| set | 1 << place)
        };
        let sets = starts.iter().map(set).collect();
        Some(ArgumentIntervals { position, kind, starts, sets })
    }
}

/// The range outside of which a branch cannot apply. Assumed ranges move while the program runs, so they do
/// not count.
fn range(branch: &Branch, position: usize, kind: Kind) -> Option<(i128, i128)> {
    if branch.assumed.iter().any(|it| it.spot.0 == position) {
        return None;
    }
    let own = branch.restrictions.iter().filter(|(at, _)| *at == position);
    let of_one = |restriction: &Restriction| match restriction {
        Restriction::Shape(Shape::Bits(_, bits)) => {
            let number = integer(kind, Value::concrete(*bits));
            Some((number, number))
        }
        Restriction::Within(_, space) => space.range(),
        Restriction::Shape(_) => None,
    };
    own.filter_map(|(_, restriction)| of_one(restriction)).reduce(|a, b| (a.0.max(b.0), a.1.min(b.1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn branch(values: &[i32]) -> Branch {
        let shape = |(at, value): (usize, &i32)| {
            (at, Restriction::Shape(Shape::Bits(Kind::Int, *value as u32 as u64)))
        };
        Branch {
            case: 0,
            triple: 0,
            bindings: Vec::new(),
            restrictions: values.iter().enumerate().map(shape).collect(),
            is_always: false,
            assumed: Vec::new(),
            path: crate::Path::default(),
            classes: BTreeSet::new(),
            origin: None,
            dependence: None,
            wider: None,
            unsure: None,
            uses_result: false,
            property: None,
            is_pathless: false,
            is_long: false,
            kinds: Vec::new(),
        }
    }

    #[test]
    fn a_look_up_leaves_what_every_number_allows() {
        let of = [&[1, 2][..], &[1, 3], &[-5], &[]].map(branch);
        let index = Index::of(&of.iter().collect::<Vec<_>>(), &[Kind::Int, Kind::Int]);
        let at = |a: i32, b: i32| index.candidates(&[Value::int(a), Value::int(b)]) & 15;
        assert_eq!(at(1, 2), 0b1001);
        assert_eq!(at(1, 3), 0b1010);
        assert_eq!(at(-5, 77), 0b1100);
        assert_eq!(at(0, 2), 0b1000);
        assert_eq!(at(i32::MIN, i32::MAX), 0b1000);
    }
}
