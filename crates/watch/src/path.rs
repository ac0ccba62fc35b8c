//! The ways that control takes through a method (paper §4, §8.2).
//!
//! Labels are the coverage probes of the method, which stand where JaCoCo's do: at ends, and where ways part or meet. A
//! sequence of them is kept as the graph of its steps: iterations of a loop that take the same way leave one trace, those
//! that take another merge with it where they meet again. So a path is a part of the control-flow graph of its method, and
//! its cyclomatic complexity is at most that of the method, however long it ran (Theorem 8.3).

use std::collections::BTreeSet;

/// Where a path begins.
pub(crate) const ENTRY: u32 = u32::MAX;
/// Where a path ends that returns.
pub(crate) const RETURNED: u32 = u32::MAX - 1;
/// Where a path ends that throws.
pub(crate) const THREW: u32 = u32::MAX - 2;

/// The merged ways of one or more calls of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Steps from label to label.
    pub steps: BTreeSet<(u32, u32)>,
}

impl Path {
    /// The path of a sequence of labels, from entry to the end that is last in it.
    pub fn of(labels: &[u32]) -> Path {
        let from = std::iter::once(ENTRY).chain(labels.iter().copied());
        Path { steps: from.zip(labels.iter().copied()).collect() }
    }

    /// Adds the ways of another path.
    pub fn merge(&mut self, other: &Path) {
        self.steps.extend(&other.steps);
    }

    /// The labels in it.
    pub fn labels(&self) -> BTreeSet<u32> {
        self.steps.iter().flat_map(|(from, to)| [*from, *to]).collect()
    }

    /// Cyclomatic complexity (McCabe): steps minus labels, plus twice the parts, of which there is one.
    pub fn complexity(&self) -> i64 {
        self.steps.len() as i64 - self.labels().len() as i64 + 2
    }
}

/// A sequence of labels without its iterations: where a label comes again, what was between is left out (§8.3).
pub fn flatten<T: Copy + PartialEq>(sequence: &[T]) -> Vec<T> {
    let mut flat: Vec<T> = Vec::new();
    for label in sequence {
        match flat.iter().position(|known| known == label) {
            Some(at) => flat.truncate(at + 1),
            None => flat.push(*label),
        }
    }
    flat
}

/// How many steps lead to the first of these labels; `None` if it does not come.
pub fn steps_to<T: PartialEq>(sequence: &[T], label: &T) -> Option<usize> {
    sequence.iter().position(|known| known == label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_collapsed_and_merged() {
        let once = Path::of(&[1, 2, 3, RETURNED]);
        let often = Path::of(&[1, 2, 2, 2, 3, RETURNED]);
        let more = Path::of(&[1, 2, 2, 2, 2, 2, 3, RETURNED]);
        assert_ne!(once, often);
        assert_eq!(often, more);
        assert_eq!(flatten(&[1, 2, 5, 2, 6, 2, 3]), [1, 2, 3]);
    }

    #[test]
    fn a_place_within_a_loop_is_not_unique() {
        let is_unique = |prefix: &[u32]| flatten(prefix).len() == prefix.len();
        assert!(is_unique(&[1, 2, 3]));
        assert!(!is_unique(&[1, 2, 2, 3]));
        assert_eq!(steps_to(&[1, 2, 3], &3), Some(2));
    }
}
