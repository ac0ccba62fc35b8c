use super::ranges;
use crate::assumed_range::AssumedRange;
use crate::path::Path;
use cupping_machine::Kind;

/// Deterministic pseudo-random numbers.
fn draws(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |bound| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    }
}

/// The range of each triple, given the label that its call passes and its number.
fn of(kind: Kind, triples: &[(u32, f64)], closed: bool) -> Vec<AssumedRange> {
    let paths: Vec<Path> = triples.iter().map(|(label, _)| Path::of(&[0, *label, 9])).collect();
    let values = triples.iter().enumerate().map(|(at, (_, number))| (at, kind, *number)).collect();
    let mut found = ranges(&|at| &paths[at], &(1, Vec::new()), values, closed);
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, range)| range).collect()
}

fn bounds(kind: Kind, triples: &[(u32, f64)], closed: bool) -> Vec<String> {
    of(kind, triples, closed).iter().map(AssumedRange::bounds).collect()
}

/// Section 6.2.1: the border of two neighbours is their mean, and the outer ranges have no end.
#[test]
fn ranges_meet_at_the_mean() {
    let triples = [(1, -5.0), (2, 4.0), (3, 11.0)];
    assert_eq!(bounds(Kind::Int, &triples, false), ["<= -1", "in 0 .. 7", ">= 8"]);
    assert_eq!(bounds(Kind::Double, &triples, false)[0], "<= -0.5");
    // Bounds that the programmer wrote are not passed.
    assert_eq!(bounds(Kind::Int, &triples, true), ["in -5 .. -1", "in 0 .. 7", "in 8 .. 11"]);
    // Triples whose calls take the same path share a range.
    assert_eq!(bounds(Kind::Int, &[(1, 2.0), (2, 9.0), (1, 4.0)], false), ["<= 6", ">= 7", "<= 6"]);
}

/// Where the numbers of two paths are mixed, nothing lies between them: each range is what was tested.
#[test]
fn mixed_numbers_are_not_generalised() {
    let triples = [(1, 2.0), (2, 4.0), (1, 6.0), (2, 4.5)];
    assert_eq!(
        bounds(Kind::Double, &triples, false),
        ["in 2.0 .. 6.0", "in 4.0 .. 4.5", "in 2.0 .. 6.0", "in 4.0 .. 4.5"]
    );
}

/// Each integer belongs to exactly one path, and each triple applies to its own number.
#[test]
fn integers_are_divided_among_the_paths() {
    let mut draw = draws(1);
    for _ in 0..300 {
        let paths = 2 + draw(4) as u32;
        // Path k has numbers between 10 k and 10 k + 9, so that they do not mix.
        let triples: Vec<(u32, f64)> = (0..paths)
            .flat_map(|path| {
                let count = 1 + draw(3);
                (0..count).map(|_| (path, (path * 10) as f64 + draw(10) as f64)).collect::<Vec<_>>()
            })
            .collect();
        let found = of(Kind::Int, &triples, false);
        for ((_, number), range) in triples.iter().zip(&found) {
            assert!(range.holds(*number), "{number} is outside of {}", range.bounds());
        }
        for number in -20..80 {
            let mut holding: Vec<u32> = triples
                .iter()
                .zip(&found)
                .filter(|(_, range)| range.holds(f64::from(number)))
                .map(|((path, _), _)| *path)
                .collect();
            holding.dedup();
            assert_eq!(holding.len(), 1, "{number} of {triples:?}");
        }
    }
}
