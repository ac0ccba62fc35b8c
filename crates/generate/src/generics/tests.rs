use super::{
    Bindings, GenericType, TypeParameter, as_supertype, bind_bounds, bindings_above, bindings_of, erased,
    is_parameterised, parameter_types, parameter_types_for, resolve, result_type, unify,
};
use crate::testing::{lab, machine, method};
use cupping_machine::Machine;

const SAMPLES: &str = "
import java.util.*;
import java.util.function.*;
public class Samples<E extends Number> {
    static <T extends Comparable<T>> void bounded(List<? super T> list, Map<String, ?> map) {}
    static <A, B> Map<B, A> swapped(A value, B key) { return null; }
    void own(Function<? super E, ? extends Set<E>> f) {}
    static class Pair<A extends Number, B> {
        A first() { return null; }
        Map<B, A[]> both() { return null; }
    }
    static class Raw extends ArrayList {}
    static class Names extends ArrayList<String> {}
}
";

fn class(name: &str, arguments: Vec<GenericType>) -> GenericType {
    GenericType::Class { name: name.into(), arguments }
}

fn result(machine: &mut Machine, receiver: &GenericType, owner: &str, name: &str) -> Option<GenericType> {
    machine.load(owner).expect("it is there");
    let method = method(machine, owner, name);
    result_type(machine, receiver, method)
}

#[test]
fn type_variables_stand_for_what_they_are_bound_to() {
    let mut m = machine(SAMPLES);
    let object = || class("java/lang/Object", vec![]);
    let string = || class("java/lang/String", vec![]);
    let number = || class("java/lang/Number", vec![]);
    let bounded = method(&m, "Samples", "bounded");
    let comparable = class("java/lang/Comparable", vec![object()]);
    assert_eq!(
        parameter_types(&m, bounded, &Default::default()).expect("it has a signature"),
        [class("java/util/List", vec![comparable]), class("java/util/Map", vec![string(), object()])]
    );
    let own = method(&m, "Samples", "own");
    let bindings = [("E".to_owned(), number())].into();
    let set = class("java/util/Set", vec![number()]);
    assert_eq!(
        parameter_types(&m, own, &bindings).expect("it has a signature"),
        [class("java/util/function/Function", vec![number(), set])]
    );
    // A supertype that binds the variable, and a variable with the same name in another class.
    let integer = class("java/lang/Integer", vec![]);
    let comparable = class("java/lang/Comparable", vec![integer.clone()]);
    assert_eq!(as_supertype(&mut m, &integer, "java/lang/Comparable", 0), Some(comparable));
    let operator = class("java/util/function/UnaryOperator", vec![string()]);
    assert_eq!(result(&mut m, &operator, "java/util/function/Function", "apply"), Some(string()));
    let raw = class("java/util/function/Supplier", vec![]);
    assert_eq!(result(&mut m, &raw, "java/util/function/Supplier", "get"), Some(object()));
}

#[test]
fn a_factory_takes_what_its_wanted_result_holds() {
    let mut m = machine(SAMPLES);
    let long = class("java/lang/Long", vec![]);
    let factory = |m: &mut Machine, owner: &str, name: &str| {
        m.load(owner).expect("it is there");
        method(m, owner, name)
    };
    let of = factory(&mut m, "java/util/Optional", "of");
    let wanted = class("java/util/Optional", vec![long.clone()]);
    assert_eq!(parameter_types_for(&m, of, &wanted), Some(vec![long.clone()]));
    let swapped = factory(&mut m, "Samples", "swapped");
    let list = class("java/util/List", vec![long.clone()]);
    let wanted = class("java/util/Map", vec![list.clone(), long.clone()]);
    assert_eq!(parameter_types_for(&m, swapped, &wanted), Some(vec![long, list]));
}

fn variable(name: &str) -> GenericType {
    GenericType::Variable(name.into())
}

fn array(of: GenericType) -> GenericType {
    GenericType::Array(Box::new(of))
}

fn bounded(by: GenericType) -> GenericType {
    GenericType::Wildcard(Some(Box::new(by)))
}

fn list(of: GenericType) -> GenericType {
    class("java/util/List", vec![of])
}

fn string() -> GenericType {
    class("java/lang/String", vec![])
}

fn object() -> GenericType {
    class("java/lang/Object", vec![])
}

#[test]
fn erasure_leaves_what_the_machine_can_load() {
    for (ty, expected) in [
        (list(string()), Some("java/util/List")),
        (array(list(string())), Some("[Ljava/util/List;")),
        (array(array(GenericType::Primitive('I'))), Some("[[I")),
        (array(variable("T")), Some("[Ljava/lang/Object;")),
        (variable("T"), Some("java/lang/Object")),
        (GenericType::Wildcard(None), Some("java/lang/Object")),
        (GenericType::Primitive('I'), None),
    ] {
        assert_eq!(erased(&ty).as_deref(), expected, "{ty:?}");
    }
}

#[test]
fn only_type_arguments_say_more_than_the_erasure() {
    assert!(is_parameterised(&list(string())));
    assert!(is_parameterised(&array(array(list(string())))));
    assert!(!is_parameterised(&string()));
    assert!(!is_parameterised(&array(string())));
    assert!(!is_parameterised(&variable("T")));
}

#[test]
fn variables_are_replaced_wherever_they_occur() {
    let bindings: Bindings = [("T".to_owned(), string())].into();
    assert_eq!(resolve(&array(list(variable("T"))), &bindings), array(list(string())));
    assert_eq!(resolve(&list(bounded(variable("T"))), &bindings), list(string()));
    assert_eq!(resolve(&list(GenericType::Wildcard(None)), &bindings), list(object()));
    assert_eq!(resolve(&variable("U"), &bindings), object(), "it is bound to nothing");
    assert_eq!(resolve(&GenericType::Primitive('I'), &bindings), GenericType::Primitive('I'));
}

#[test]
fn a_parameter_stands_for_its_first_bound() {
    let parameter = |name: &str, bounds| TypeParameter { name: name.into(), bounds };
    let comparable = |of| class("java/lang/Comparable", vec![of]);
    let mut bindings: Bindings = [("E".to_owned(), string())].into();
    bind_bounds(
        &mut bindings,
        &[
            parameter("T", vec![comparable(variable("T"))]),
            parameter("U", vec![list(variable("E")), object()]),
            parameter("V", vec![]),
        ],
    );
    assert_eq!(bindings["T"], comparable(object()), "within its own bound it is an Object");
    assert_eq!(bindings["U"], list(string()), "the variable of the class is known");
    assert_eq!((&bindings["V"], &bindings["E"]), (&object(), &string()));
}

#[test]
fn variables_are_bound_to_the_parts_in_their_place() {
    let bound = |ty: &GenericType, with: &GenericType| {
        let mut bindings = Bindings::new();
        unify(ty, with, &mut bindings);
        bindings
    };
    let ty = class("java/util/Map", vec![variable("K"), array(variable("V"))]);
    let with = class("java/util/Map", vec![string(), array(object())]);
    assert_eq!(bound(&ty, &with), [("K".to_owned(), string()), ("V".to_owned(), object())].into());
    assert!(bound(&list(variable("T")), &class("java/util/Set", vec![string()])).is_empty());
    assert!(bound(&list(variable("T")), &class("java/util/List", vec![])).is_empty(), "of a raw type");
    assert!(bound(&array(variable("T")), &string()).is_empty());
}

#[test]
fn parameters_of_a_class_are_bound_to_arguments_or_bounds() {
    let (_folder, mut m) = lab(SAMPLES);
    let number = || class("java/lang/Number", vec![]);
    let integer = || class("java/lang/Integer", vec![]);
    let pair = |arguments| class("Samples$Pair", arguments);
    let of_pair = |m: &mut Machine, arguments| {
        let bindings = bindings_of(m, &pair(arguments));
        ["A", "B"].map(|name| bindings[name].clone())
    };
    assert_eq!(of_pair(&mut m, vec![integer(), string()]), [integer(), string()]);
    assert_eq!(of_pair(&mut m, vec![]), [number(), object()], "of a raw type");
    let wild = || GenericType::Wildcard(None);
    assert_eq!(of_pair(&mut m, vec![wild(), wild()]), [number(), object()]);
    assert!(bindings_of(&mut m, &string()).is_empty());
    assert!(bindings_of(&mut m, &array(string())).is_empty());
    assert!(bindings_of(&mut m, &class("no/such/Class", vec![string()])).is_empty());
    // The results of its methods.
    let first = result(&mut m, &pair(vec![integer(), string()]), "Samples$Pair", "first");
    assert_eq!(first, Some(integer()));
    let map = class("java/util/Map", vec![object(), array(number())]);
    assert_eq!(result(&mut m, &pair(vec![wild(), wild()]), "Samples$Pair", "both"), Some(map));
    assert_eq!(result(&mut m, &string(), "Samples$Pair", "first"), None, "of an object of another class");
    // Supertypes.
    let names = class("Samples$Names", vec![]);
    let collection = class("java/util/Collection", vec![string()]);
    assert_eq!(as_supertype(&mut m, &names, "java/util/Collection", 0), Some(collection));
    let raw = class("Samples$Raw", vec![]);
    let collection = as_supertype(&mut m, &raw, "java/util/Collection", 0).expect("it is a collection");
    assert_eq!(erased(&collection).as_deref(), Some("java/util/Collection"));
    assert!(
        matches!(collection, GenericType::Class { arguments, .. } if arguments.iter().all(|it| *it == object()))
    );
    assert_eq!(as_supertype(&mut m, &names, "java/util/Map", 0), None);
}

#[test]
fn subclasses_bind_the_type_variables_of_what_they_extend() {
    let source = "
import java.util.*;
public class Samples {
    static abstract class Setting<T> { void set(T value, List<T> all) {} }
    static abstract class Numeric<N extends Number, U> extends Setting<N> {}
    static class Knob extends Numeric<Integer, String> {}
    static class Loose<M extends Long> extends Numeric<M, String> {}
    static class Raw extends Setting {}
}
";
    let (_folder, mut m) = lab(source);
    m.load("Samples$Setting").expect("it is there");
    let set = method(&m, "Samples$Setting", "set");
    let above = m.method(set).class;
    for (name, expected) in [
        ("Samples$Knob", "java/lang/Integer"),
        ("Samples$Loose", "java/lang/Long"),
        ("Samples$Numeric", "java/lang/Number"),
        ("Samples$Raw", "java/lang/Object"),
        ("Samples$Setting", "java/lang/Object"),
    ] {
        let class = m.load(name).expect("it is there");
        let bindings = bindings_above(&m, class, above);
        let types = parameter_types(&m, set, &bindings).expect("it has a signature");
        let expected = GenericType::Class { name: expected.into(), arguments: vec![] };
        let list = GenericType::Class { name: "java/util/List".into(), arguments: vec![expected.clone()] };
        assert_eq!(types, [expected, list], "{name}");
    }
}
