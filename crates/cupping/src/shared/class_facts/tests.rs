//! Questions about classes of the JDK whose answers are part of its specification.

use super::*;
use cupping_classfile::{ClassPath, Jdk};

fn program() -> Program {
    Program::new(Jdk::locate(None).unwrap(), ClassPath::default())
}

#[test]
fn subtypes() {
    let program = program();
    let facts = ProgramFacts::new(&program);
    let cases = [
        ("java/util/ArrayList", "java/util/Collection", Some(true)),
        ("java/util/ArrayList", "java/lang/Iterable", Some(true)),
        ("java/util/Collection", "java/util/ArrayList", Some(false)),
        ("java/util/Collection", "java/lang/Object", Some(true)),
        ("java/lang/Integer", "java/lang/Integer", Some(true)),
        ("java/lang/Integer", "java/lang/Long", Some(false)),
        ("no/such/Class", "java/lang/Long", None),
        ("[I", "java/lang/Cloneable", None),
    ];
    for (sub, sup, expected) in cases {
        assert_eq!(facts.is_subtype(sub, sup), expected, "{sub} {sup}");
    }
}

#[test]
fn accessibility() {
    let program = program();
    let facts = ProgramFacts::new(&program);
    let cases = [
        ("java/lang/String", "x", Some(true)),
        ("java/util/Map$Entry", "x", Some(true)),
        // Package-private, in and out of its package.
        ("java/util/HashMap$Node", "x", Some(false)),
        ("java/util/HashMap$Node", "java/util", Some(true)),
        // Private, and public within what is not.
        ("java/util/ArrayList$Itr", "java/util", Some(false)),
        ("java/lang/AbstractStringBuilder", "x", Some(false)),
        // Protected: not from elsewhere.
        ("java/util/ResourceBundle$Control", "x", Some(true)),
        // Public, but in a package that its module keeps.
        ("jdk/internal/misc/Unsafe", "x", Some(false)),
        // Anonymous.
        ("java/util/Collections$1", "java/util", Some(false)),
        ("no/such/Class", "x", None),
    ];
    for (class, package, expected) in cases {
        assert_eq!(facts.is_accessible(class, package), expected, "{class} from {package}");
    }
}

#[test]
fn enclosing_instances() {
    let program = program();
    let facts = ProgramFacts::new(&program);
    assert_eq!(facts.is_inner("java/util/ArrayList$Itr"), Some(true));
    assert_eq!(facts.is_inner("java/util/HashMap$Node"), Some(false));
    assert_eq!(facts.is_inner("java/util/Map$Entry"), Some(false));
    assert_eq!(facts.is_inner("java/lang/String"), Some(false));
    assert_eq!(facts.is_inner("no/such/Class"), None);
}

#[test]
fn overloads_are_those_that_a_call_can_choose_from() {
    let program = program();
    let facts = ProgramFacts::new(&program);
    let overloads = |class, name| facts.overloads(class, name).map(|it| it.join(" "));
    let ints = "(I)Ljava/util/stream/Stream;";
    assert_eq!(overloads("java/util/Optional", "isPresent").as_deref(), Some("()Z"));
    assert_eq!(overloads("java/util/Optional", ints), Some(String::new()));
    // Its own methods and those of Object and of interfaces; the bridge to compareTo(Object) does not count.
    assert_eq!(
        overloads("java/lang/Integer", "compareTo").as_deref(),
        Some("(Ljava/lang/Integer;)I (Ljava/lang/Object;)I")
    );
    assert_eq!(
        overloads("java/util/ArrayList", "remove").as_deref(),
        Some("(I)Ljava/lang/Object; (Ljava/lang/Object;)Z")
    );
    assert_eq!(overloads("java/util/List", "hashCode").as_deref(), Some("()I"));
    // Constructors are not inherited, and private ones are for the class alone.
    assert_eq!(overloads("java/util/Random", "<init>").as_deref(), Some("()V (J)V"));
    assert_eq!(overloads("no/such/Class", "m"), None);
}

#[test]
fn existence() {
    let program = program();
    let facts = ProgramFacts::new(&program);
    assert!(facts.exists("java/lang/String"));
    assert!(!facts.exists("java/lang/Strong"));
}
