use super::values::EXAMPLES;
use super::{Provider, Provision};
use crate::influence::Influence;
use crate::input::Input;
use crate::invokable::Invokable;
use crate::options::GenerateOptions;
use crate::testing::{lab, method};
use std::collections::BTreeSet;

const SOURCE: &str = r#"
    import java.util.*;

    public class Samples {
        static boolean large(List<String> names) { return names.size() > 4; }
        static boolean isFull(Collection<Integer> seats) { int taken = seats.size(); return taken >= 6; }
        static String fourth(String[] words) { return words[3]; }
        static boolean pairs(Map<String, Integer> points) { return points.size() == 3; }
        static boolean late(List<String> names, int hour) { return hour > 7 && names != null; }
        static int[] row(int[][] rows) { return rows.length == 5 ? rows[0] : null; }
        static List<Integer> prices(Map<String, List<Integer>> menu, String dish) { return menu.get(dish); }
        static boolean before(String dish, Set<String> menu) { return menu.contains(dish); }
        static boolean isKnown(Object[] keys, String name) { return keys[0].equals(name); }
    }
"#;

/// The number of elements or entries of what is provided, if it is an array or is made of one.
fn count(provision: &Provision) -> Option<usize> {
    match provision {
        Provision::Elements(_, elements) => Some(elements.len()),
        Provision::MakeOf(maker, entries) if entries.len() > 1 || &*maker.reference.name == "of" => {
            Some(entries.len() / 2)
        }
        Provision::MakeOf(_, parts) => parts.first().and_then(count),
        _ => None,
    }
}

/// The provisions for the parameters of a method, in order.
fn provided(name: &str) -> Vec<Vec<Provision>> {
    let (_folder, mut machine) = lab(SOURCE);
    let found = method(&machine, "Samples", name);
    let class = machine.method(found).class;
    let invokable = Invokable::new(&machine, class, found).expect("a sound descriptor");
    let mut provider = Provider::new("", &GenerateOptions::default(), Vec::new());
    let assignments = provider.assignments(&mut machine, &mut Influence::default(), &invokable, None);
    let of = |at: usize| assignments.iter().map(|it| it[at].clone()).collect();
    (0..invokable.parameters.len()).map(of).collect()
}

#[test]
fn sizes_are_those_that_the_code_tells_apart() {
    for (name, expected) in [
        ("large", [1, 2, 4, 5].as_slice()),
        ("isFull", &[1, 2, 6, 7]),
        ("fourth", &[0, 1, 2, 3, 4]),
        ("pairs", &[1, 3, 4]),
        ("late", &[1, 2]),
        ("row", &[0, 1, 2, 3, 5, 6]),
    ] {
        let counts: BTreeSet<usize> = provided(name)[0].iter().filter_map(count).collect();
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn texts_are_looked_up_where_texts_are_held() {
    let is_shared = |provisions: &[Provision]| provisions.iter().any(|it| matches!(it, Provision::Known));
    assert!(is_shared(&provided("prices")[1]));
    assert!(is_shared(&provided("isKnown")[1]), "an object may be a text");
    assert!(!is_shared(&provided("before")[0]), "what comes later is not made yet");
    assert!(!provided("late").iter().any(|it| is_shared(it)));
}

/// A map from names to lists has one with elements and one without.
#[test]
fn collections_in_a_map_may_be_empty() {
    let values: Vec<Provision> = provided("prices")[0]
        .iter()
        .filter_map(|it| match it {
            Provision::MakeOf(_, parts) => match parts.first() {
                Some(Provision::MakeOf(_, entry)) => entry.get(1).cloned(),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert!(values.iter().any(|it| count(it).is_some_and(|count| count > 0)), "{values:?}");
    let is_empty = |it: &Provision| matches!(it, Provision::MakeOf(_, parts) if parts.is_empty());
    assert!(values.iter().any(is_empty), "{values:?}");
    assert!(!values.iter().any(|it| matches!(it, Provision::Input(Input::Null))), "{values:?}");
}

/// A row with a misspelt method or descriptor would be skipped in silence.
#[test]
fn the_jdk_has_the_makers_of_all_typical_values() {
    let (_folder, mut machine) = lab(SOURCE);
    let mut provider = Provider::new("", &GenerateOptions::default(), Vec::new());
    for (at, example) in EXAMPLES.iter().enumerate() {
        let Some(Provision::MakeOf(maker, arguments)) = provider.value(&mut machine, example, 0) else {
            panic!("row {at}: no value of {}", example.ty);
        };
        assert_eq!(arguments.len(), maker.parameters.len(), "row {at}: {}", example.ty);
    }
}
