//! Classes of java.util: states that `equals` does not distinguish are one state, and methods that return a new
//! object at each call cause no trouble.

mod support;

use cupping_infer::{Explorer, ExplorerLimits, InferOptions, Recording, Value, output};
use std::collections::{BTreeMap, BTreeSet};
use support::{inferred, opened, session};

/// Two lists with the same elements are one state, whatever their capacities and however often they have been
/// changed.
#[test]
fn states_are_numbered_by_equals() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut session = session(folder.path());
    opened(&mut session, "java/util/ArrayList", |machine, subject| {
        let none = Recording::default();
        let limits = ExplorerLimits { calls: 3, executions: 3_000, each: 0, ..ExplorerLimits::default() };
        let explored = Explorer::new(machine, subject, &none, limits).run(&none);
        let mut by_number: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        let mut by_elements: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut unlike: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for state in &explored.states {
            let list = &state.image.objects[&state.receiver];
            let Some(elements) = list.all_elements() else { continue };
            // Objects are distinguished by their addresses, which differ between forks.
            if elements.iter().any(|it| matches!(it, Value::Object(_))) {
                continue;
            }
            let elements = format!("{elements:?}");
            by_number.entry(state.number).or_default().insert(elements.clone());
            by_elements.entry(elements).or_default().insert(state.number);
            let capacity = state.image.object(&list.field("elementData")).and_then(|it| it.length);
            unlike
                .entry(state.number)
                .or_default()
                .insert(format!("{:?} {capacity:?}", list.field("modCount")));
        }
        assert!(by_number.len() > 10, "{by_number:?}");
        assert!(by_number.values().all(|it| it.len() == 1), "{by_number:?}");
        assert!(by_elements.values().all(|it| it.len() == 1), "{by_elements:?}");
        assert!(unlike.values().any(|it| it.len() > 3), "{unlike:?}");
    });
}

/// Keys are compared by identity, and each call passes a new one; views are recreated at each access.
#[test]
#[ignore = "the line is not found any more, for a reason that is not known yet"]
fn identity_hash_map_is_inferred() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut session = session(folder.path());
    let limits = ExplorerLimits { executions: 600, each: 0, paths: 60, ..ExplorerLimits::default() };
    let options = InferOptions { limits, algebraic: false, ..InferOptions::default() };
    inferred(&mut session, "java/util/IdentityHashMap", options, |subject, outcome| {
        let text = output::text::whole(subject, outcome);
        assert!(text.contains("(this.isEmpty() == true) == (this.size == 0)"), "{text}");
    });
}
