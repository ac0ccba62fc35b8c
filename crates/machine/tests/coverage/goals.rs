//! Goals agree with the figures, and runs together cover what each covers.

use crate::oracle::Oracle;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_coverage::{CoverageMap, Goal, merge};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

/// The classes of `Shapes`.
static SHAPES: LazyLock<(Arc<Program>, CoverageMap)> = LazyLock::new(|| {
    let classes = Oracle::new().compile("Shapes.java", &["--release=11", "-g"]);
    let jdk = Jdk::locate(None).expect("a JDK");
    let class_path = ClassPath::open(&classes.path().display().to_string(), 11).unwrap();
    let names = class_path.entries().next().unwrap().class_names().unwrap();
    let program = Arc::new(Program::new(jdk, class_path));
    let mut map = CoverageMap::new();
    for name in names {
        map.track(&program.require(&name).unwrap()).unwrap();
    }
    (program, map)
});

fn hits() -> impl Strategy<Value = Vec<u64>> {
    let words = SHAPES.1.probe_count().div_ceil(64) as usize;
    // Few bits, some, or many.
    let word = prop_oneof![any::<u64>(), (any::<u64>(), any::<u64>()).prop_map(|(a, b)| a & b), Just(0)];
    prop::collection::vec(word, 0..=words)
}

proptest! {
    #[test]
    fn goals_count_what_the_figures_count(hits in hits()) {
        let map = &SHAPES.1;
        let covered = map.covered(&hits);
        let gain = map.gain(&covered, &Default::default());
        let (mut lines, mut branches) = (0, 0);
        for class in map.classes() {
            let figures = class.coverage(&hits);
            lines += figures.counters.lines.covered;
            branches += figures.counters.branches.covered;
        }
        prop_assert_eq!((gain.lines, gain.branches), (lines, branches));
        let open: usize = (0..map.classes().len()).map(|class| map.uncovered(class, &hits).len()).sum();
        prop_assert_eq!(open + covered.len(), map.goals().len());
    }

    #[test]
    fn runs_together_cover_what_each_covers(one in hits(), other in hits()) {
        let map = &SHAPES.1;
        let mut both = one.clone();
        merge(&mut both, &other);
        let mut goals = map.covered(&one);
        goals.union(&map.covered(&other));
        prop_assert_eq!(map.covered(&both), goals.clone());
        let known = map.covered(&one);
        prop_assert_eq!(map.gain_of_hits(&other, &one, &known), map.gain(&goals, &known));
    }
}

#[test]
fn all_hits_cover_all_goals() {
    let map = &SHAPES.1;
    let all = vec![u64::MAX; map.probe_count().div_ceil(64) as usize];
    assert_eq!(map.covered(&all).len(), map.goals().len());
    assert_eq!(map.classes().iter().map(|class| class.unhit(&all).count()).sum::<usize>(), 0);
    let none = map.classes().iter().map(|class| class.unhit(&[]).count()).sum::<usize>();
    assert_eq!(none, map.probe_count() as usize);
}

#[test]
fn goals_name_the_edges_that_cover_them() {
    let (place, class) = SHAPES.1.class("Shapes").unwrap();
    let edges_of = |name: &str| {
        let method = class.methods.iter().find(|method| &*method.name == name).unwrap();
        let goals = SHAPES.1.uncovered(place, &[]).into_iter();
        goals
            .filter_map(|(_, goal)| match goal {
                Goal::Branch { method: index, edges, .. } if *index == method.index => Some(edges.len()),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    // Four jumps of two ways, as `javac` compiles them.
    assert_eq!(edges_of("doWhile"), [1, 1, 1, 1]);
    // Four targets of cases and the default of the second switch; nothing of the first.
    assert_eq!(edges_of("stringSwitch"), [1; 5]);
    // `value == 0`, and `value > 100` in each of the four copies of the finally block.
    assert_eq!(edges_of("finallyReturns"), [1, 1, 4, 4]);
}

#[test]
fn a_class_is_tracked_once() {
    let (program, _) = &*SHAPES;
    let mut map = CoverageMap::new();
    let file = program.require("java/util/Objects").unwrap();
    assert_eq!(map.track(&file).unwrap(), 0);
    let probes = map.probe_count();
    assert_eq!(map.track(&file).unwrap(), 0);
    assert_eq!((map.probe_count(), map.classes().len()), (probes, 1));
}
