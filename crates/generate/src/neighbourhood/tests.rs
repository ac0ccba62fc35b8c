use super::{MAX_CLASSES, NEVER, Neighbourhood, classes_within, is_own, needs_of, own_class};
use crate::AccessLevel;
use crate::influence::Influence;
use crate::invokable::{Invokable, Subject};
use crate::sequences::Filter;
use crate::testing::{lab, method};
use cupping_case::JavaType;
use cupping_machine::{ClassId, Machine};

const SAMPLES: &str = "
import java.util.*;
public class Samples {
    enum Colour { RED }
    static class Leaf { int size; void grow() { size++; } int size() { return size; } }
    static class Branch { Branch(Leaf one, Leaf other) { } }
    static class Secret { private Secret() { } }
    static abstract class Shape { }
    static class Circle extends Shape { Circle(Branch of) { } }
    Samples(Branch branch) { }
    void paint(Colour colour, Map<String, List<Leaf>> leaves, Branch[] branches, int times) { }
    void draw(Shape shape, Secret secret) { }
}
";

fn load(machine: &mut Machine, name: &str) -> ClassId {
    machine.load(name).expect("it is there")
}

#[test]
fn classes_that_signatures_name_are_neighbours() {
    let (_folder, mut m) = lab(SAMPLES);
    let class = load(&mut m, "Samples");
    let subject = Subject::new(&mut m, class, &[], AccessLevel::Package);
    let found = Neighbourhood::new(&mut m, &mut Influence::default(), &subject, &Filter::default());
    objects_cost_the_calls_that_make_them(&mut m, &found);
    operations_under_test_come_first(&mut m, &found);
    needs_are_the_classes_of_receiver_and_arguments(&mut m);
    jdk_classes_and_enums_are_not_of_the_application(&mut m);
    a_jdk_class_has_no_neighbours(&mut m);
}

fn objects_cost_the_calls_that_make_them(m: &mut Machine, found: &Neighbourhood) {
    let costs = [
        ("Samples$Leaf", 1),
        // The constructor and two leaves.
        ("Samples$Branch", 3),
        ("Samples$Circle", 4),
        // An anonymous class.
        ("Samples$Shape", 1),
        ("Samples", 4),
        ("Samples$Secret", NEVER),
    ];
    for (name, expected) in costs {
        let class = load(m, name);
        assert_eq!(found.cost(class), expected, "{name}");
    }
    let string = load(m, "java/lang/String");
    assert_eq!(found.cost(string), 1, "a provision makes it");
}

fn operations_under_test_come_first(m: &mut Machine, found: &Neighbourhood) {
    assert!(found.has_others);
    let named = |at: usize| &*found.operations[at].invokable.reference.name;
    let first: Vec<&str> = (0..found.under_test).map(named).collect();
    assert_eq!(first, ["<init>", "paint", "draw"]);
    let changes = |name: &str| {
        let found = found.operations.iter().find(|it| &*it.invokable.reference.name == name);
        found.unwrap_or_else(|| panic!("no operation {name}")).changes
    };
    assert!(changes("grow") && !changes("size"));
    let (shape, circle) = (load(m, "Samples$Shape"), load(m, "Samples$Circle"));
    let circles = found.makers(m, circle);
    assert_eq!(circles.len(), 1);
    let shapes = found.makers(m, shape);
    assert!(shapes.len() == 2 && shapes.contains(&circles[0]), "a circle and an anonymous class: {shapes:?}");
}

fn needs_are_the_classes_of_receiver_and_arguments(m: &mut Machine) {
    let class = load(m, "Samples");
    let id = method(m, "Samples", "paint");
    let paint = Invokable::new(m, class, id).expect("a sound descriptor");
    let names = |m: &Machine, all: Vec<ClassId>| {
        let named = all.into_iter().map(|it| m.class(it).name.to_string());
        named.collect::<Vec<String>>()
    };
    let needs = needs_of(m, &paint);
    assert_eq!(names(m, needs), ["Samples", "Samples$Leaf", "Samples$Branch"]);
    let within = [0, 1, 2, 3].map(|at| {
        let found = classes_within(m, &paint.parameters[at]);
        names(m, found)
    });
    assert_eq!(within, [vec![], vec!["Samples$Leaf".to_owned()], vec!["Samples$Branch".to_owned()], vec![]]);
}

fn jdk_classes_and_enums_are_not_of_the_application(m: &mut Machine) {
    for (name, expected) in [
        ("Samples$Leaf", true),
        ("Samples$Colour", false),
        ("java/lang/String", false),
        ("[LSamples$Leaf;", false),
    ] {
        let class = load(m, name);
        assert_eq!(is_own(m, class), expected, "{name}");
    }
    let leaf = load(m, "Samples$Leaf");
    assert_eq!(own_class(m, &JavaType::class("Samples$Leaf")), Some(leaf));
    assert_eq!(own_class(m, &JavaType::Int), None);
    assert_eq!(own_class(m, &JavaType::class("no/such/Class")), None);
}

fn a_jdk_class_has_no_neighbours(m: &mut Machine) {
    let class = load(m, "java/util/ArrayList");
    let subject = Subject::new(m, class, &[], AccessLevel::Package);
    let found = Neighbourhood::new(m, &mut Influence::default(), &subject, &Filter::default());
    assert!(found.operations.is_empty() && !found.has_others);
}

/// More classes than the limit on neighbours, all of which need one that is named behind them.
#[test]
fn what_makes_needed_objects_is_beyond_the_limit_on_classes() {
    let kinds: String = (0..MAX_CLASSES + 4)
        .map(|nth| format!("static class K{nth:02} extends Node {{ K{nth:02}(Spot spot) {{ }} }}\n"))
        .collect();
    let source = format!(
        "public class Samples {{
            static abstract class Node {{ }}
            static class Spot {{ Spot(Row row) {{ }} int place() {{ return 0; }} }}
            static class Row {{ }}
            {kinds}
            void walk(Node node) {{ }}
        }}"
    );
    let (_folder, mut m) = lab(&source);
    let class = load(&mut m, "Samples");
    let subject = Subject::new(&mut m, class, &[], AccessLevel::Package);
    let found = Neighbourhood::new(&mut m, &mut Influence::default(), &subject, &Filter::default());
    for (name, cost) in [("Samples$K00", 3), ("Samples$Spot", 2), ("Samples$Row", 1)] {
        let class = load(&mut m, name);
        assert_eq!(found.cost(class), cost, "{name}");
    }
    let spot = load(&mut m, "Samples$Spot");
    let of_spot = found.operations.iter().filter(|it| it.invokable.class == spot);
    let names: Vec<_> = of_spot.map(|it| it.invokable.reference.name.to_string()).collect();
    assert_eq!(names, ["<init>"], "of a class that is only needed, only what makes it");
}
