use super::{GenericType, as_supertype, parameter_types, parameter_types_for, result_type};
use crate::testing::{machine, method};
use cupping_machine::Machine;

const SAMPLES: &str = "
import java.util.*;
import java.util.function.*;
public class Samples<E extends Number> {
    static <T extends Comparable<T>> void bounded(List<? super T> list, Map<String, ?> map) {}
    static <A, B> Map<B, A> swapped(A value, B key) { return null; }
    void own(Function<? super E, ? extends Set<E>> f) {}
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
