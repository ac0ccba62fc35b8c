use super::modifiers;
use crate::access::AccessLevel;
use crate::influence::Influence;
use crate::invokable::Subject;
use crate::testing::lab;

const SOURCE: &str = "
    public class Samples {
        static int made;
        int price;
        String owner;
        private Samples() {}
        void setPrice(int price) { this.price = price; }
        int price() { return price; }
    }
    class Shop {
        Samples sell(int price) { return null; }
        static Samples gift() { return null; }
        void label(String text, Samples item) { item.owner = text; }
        void mark(Samples item) { item.setPrice(1); }
        int look(Samples item) { return item.price(); }
        private Samples secret() { return null; }
        private void hide(Samples item) { item.owner = null; }
    }
    class Other {
        void count(Object any) { Samples.made++; }
        int sum(int a) { return a; }
    }
";

/// The subject `Samples` and what other classes do with it.
fn with<R>(f: impl FnOnce(&mut cupping_machine::Machine, &mut Subject) -> R) -> R {
    let (_folder, mut machine) = lab(SOURCE);
    let class = machine.load("Samples").unwrap();
    let mut subject = Subject::new(&mut machine, class, &[], AccessLevel::Package);
    f(&mut machine, &mut subject)
}

/// A class without a constructor or factory of its own that tests can call gets the makers of other classes.
#[test]
fn makers_of_other_classes_stand_in_for_missing_ones() {
    let names = with(|machine, subject| {
        assert!(subject.makers.is_empty(), "{:?}", subject.makers);
        subject.add_foreign_makers(machine);
        let mut names: Vec<String> = subject.makers.iter().map(|it| it.reference.name.to_string()).collect();
        names.sort();
        names
    });
    assert_eq!(names, ["gift", "sell"]);
}

/// A modifier changes an object of the class and is accessible to tests. It is needed if it sets what the
/// object cannot set itself.
#[test]
fn modifiers_change_the_object_that_they_are_passed() {
    let found = with(|machine, subject| {
        let found = modifiers(machine, &mut Influence::default(), subject);
        let mut found: Vec<(String, usize, bool)> = found
            .iter()
            .map(|it| (it.invokable.reference.name.to_string(), it.place, it.is_needed))
            .collect();
        found.sort();
        found
    });
    assert_eq!(found, [("label".to_owned(), 1, true), ("mark".to_owned(), 0, false)]);
}
