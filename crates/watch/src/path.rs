//! Control-flow paths through a method (paper §4, §8.2).
//!
//! Labels are the method's coverage probes, placed as JaCoCo places them: at exits, and where control splits
//! or joins. A label sequence is stored as the graph of its steps. Loop iterations that take the same path
//! thus leave one trace, and different ones merge where they rejoin. A path is a subgraph of the method's
//! control-flow graph, so its cyclomatic complexity never exceeds the method's, however long the call ran
//! (Theorem 8.3).

use std::collections::BTreeSet;

/// The start of a path.
pub(crate) const ENTRY: u32 = u32::MAX;
/// The end of a path that returns.
pub(crate) const RETURNED: u32 = u32::MAX - 1;
/// The end of a path that throws.
pub(crate) const THREW: u32 = u32::MAX - 2;

/// The merged paths of one or more calls of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Steps from label to label.
    pub steps: BTreeSet<(u32, u32)>,
}

impl Path {
    /// The path of a label sequence, from entry to its final label.
    pub fn of(labels: &[u32]) -> Path {
        let from = std::iter::once(ENTRY).chain(labels.iter().copied());
        Path { steps: from.zip(labels.iter().copied()).collect() }
    }

    /// Adds another path.
    pub fn merge(&mut self, other: &Path) {
        self.steps.extend(&other.steps);
    }

    /// The labels on it.
    pub fn labels(&self) -> BTreeSet<u32> {
        self.steps.iter().flat_map(|(from, to)| [*from, *to]).collect()
    }

    /// The path with other numbers of its labels; `None` if one has none.
    pub fn relabeled(&self, number: &dyn Fn(u32) -> Option<u32>) -> Option<Path> {
        let label = |label: u32| if label >= THREW { Some(label) } else { number(label) };
        let steps = self.steps.iter().map(|(from, to)| Some((label(*from)?, label(*to)?)));
        Some(Path { steps: steps.collect::<Option<_>>()? })
    }

    /// McCabe's cyclomatic complexity: steps minus labels plus twice the number of components, which is one.
    pub fn complexity(&self) -> i64 {
        self.steps.len() as i64 - self.labels().len() as i64 + 2
    }
}

/// Removes iterations from a sequence: where an element recurs, drops what lies between (§8.3).
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

/// Number of steps before the first occurrence of a label; `None` if it does not occur.
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

    /// Deterministic pseudo-random numbers.
    fn draws(mut seed: u64) -> impl FnMut(u64) -> u64 {
        move |bound| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        }
    }

    #[test]
    fn a_path_is_no_more_complex_than_the_graph_it_is_of() {
        for seed in 0..500 {
            let mut draw = draws(seed);
            let nodes = 2 + draw(12) as u32;
            // Every node has one or more successors; the last one returns.
            let mut graph: BTreeSet<(u32, u32)> = BTreeSet::from([(ENTRY, 0), (nodes - 1, RETURNED)]);
            for node in 0..nodes - 1 {
                graph.insert((node, node + 1));
                for _ in 0..draw(3) {
                    graph.insert((node, draw(u64::from(nodes)) as u32));
                }
            }
            let whole = Path { steps: graph.clone() };
            let mut merged = Path::default();
            for _ in 0..4 {
                let (mut at, mut labels) = (0, vec![0]);
                while at != RETURNED && labels.len() < 200 {
                    let ways: Vec<u32> =
                        graph.iter().filter(|(from, _)| *from == at).map(|it| it.1).collect();
                    at = ways[draw(ways.len() as u64) as usize];
                    labels.push(at);
                }
                let path = Path::of(&labels);
                assert!(path.complexity() <= whole.complexity(), "{seed}: {path:?} of {whole:?}");
                merged.merge(&path);
                assert!(merged.complexity() <= whole.complexity(), "{seed}: {merged:?} of {whole:?}");
            }
        }
    }

    #[test]
    fn a_unique_place_is_as_far_in_the_flattened_trace() {
        for seed in 0..500 {
            let mut draw = draws(seed);
            let mut trace: Vec<u32> = (0..1 + draw(12)).map(|_| draw(8) as u32).collect();
            let flat = flatten(&trace);
            assert!(flat.iter().collect::<BTreeSet<_>>().len() == flat.len(), "{flat:?}");
            assert_eq!(flatten(&flat), flat);
            let is_unique = flat.len() == trace.len();
            // The flattened trace finds the object at the same distance if and only if no step occurs twice
            // before it.
            let place = 99;
            trace.push(place);
            let same = steps_to(&flatten(&trace), &place) == steps_to(&trace, &place);
            assert_eq!(same, is_unique, "{trace:?}");
        }
    }
}
