use super::canonical;
use crate::testing::machine;
use cupping_explore::Path;
use cupping_machine::{Addr, Machine, Value, shadow_of};
use cupping_term::{Sort, TermId};

const SAMPLES: &str = "
public class Samples {
    Object left, right;
    int value, other;
    String name;
    int[] items;
}
";

fn node(machine: &mut Machine, value: i32, left: Addr, right: Addr) -> Addr {
    let class = machine.load("Samples").expect("it is loaded");
    let object = machine.new_object(class).expect("there is memory");
    set(machine, object, "value", Value::int(value));
    set(machine, object, "left", Value::reference(left));
    set(machine, object, "right", Value::reference(right));
    object
}

fn set(machine: &mut Machine, object: Addr, field: &str, value: Value) {
    let offset = machine.field_offset(machine.class_of(object), field).expect("the field is there");
    machine.write_word(object + offset, value.bits);
    machine.set_heap_shadow((object + offset) as u64 * 8, 8, value.shadow);
}

fn key(machine: &Machine, object: Addr) -> u64 {
    canonical(machine, &[Value::reference(object)], &Path::default()).expect("it is small").key
}

fn symbol(machine: &mut Machine, name: &str) -> TermId {
    machine.terms_mut().new_variable(name, Sort::Bv32)
}

fn shadowed(term: TermId) -> Value {
    Value { bits: 0, shadow: shadow_of(term) }
}

#[test]
fn keys_are_equal_for_isomorphic_states_only() {
    let mut machine = machine(SAMPLES);
    isomorphic_heaps_are_equal(&mut machine);
    different_shapes_differ(&mut machine);
    strings_and_arrays_are_their_contents(&mut machine);
    symbols_are_named_by_place(&mut machine);
    constraints_on_what_is_held_count(&mut machine);
}

fn isomorphic_heaps_are_equal(m: &mut Machine) {
    let low = node(m, 2, 0, 0);
    let high = node(m, 3, 0, 0);
    let one = node(m, 1, low, high);
    // Created in the other order, with garbage in between.
    let high = node(m, 3, 0, 0);
    node(m, 9, 0, 0);
    let low = node(m, 2, 0, 0);
    let two = node(m, 1, low, high);
    assert_eq!(key(m, one), key(m, two));
    let cycles = [0, 1].map(|_| {
        let last = node(m, 5, 0, 0);
        let first = node(m, 4, last, 0);
        set(m, last, "left", Value::reference(first));
        first
    });
    assert_eq!(key(m, cycles[0]), key(m, cycles[1]), "cycles end");
}

fn different_shapes_differ(m: &mut Machine) {
    let leaf = node(m, 7, 0, 0);
    let shared = node(m, 1, leaf, leaf);
    let (a, b) = (node(m, 7, 0, 0), node(m, 7, 0, 0));
    let two_leaves = node(m, 1, a, b);
    let (left_only, right_only) = (node(m, 1, leaf, 0), node(m, 1, 0, leaf));
    let other_value = node(m, 2, leaf, leaf);
    let own = node(m, 1, 0, 0);
    set(m, own, "left", Value::reference(own));
    set(m, own, "right", Value::reference(own));
    let keys = [shared, two_leaves, left_only, right_only, other_value, own].map(|object| key(m, object));
    for (at, one) in keys.iter().enumerate() {
        assert!(!keys[at + 1..].contains(one), "state {at} equals a later one: {keys:?}");
    }
}

fn strings_and_arrays_are_their_contents(m: &mut Machine) {
    let mut named = |name: &str, hash: u64| {
        let text = m.new_text(name).expect("there is memory");
        let offset = m.field_offset(m.class_of(text), "hash").expect("strings keep their hash");
        m.write_word(text + offset, hash);
        let object = node(m, 0, 0, 0);
        set(m, object, "name", Value::reference(text));
        key(m, object)
    };
    assert_eq!(named("abc", 0), named("abc", 96354), "a hash code computed is no state");
    assert_ne!(named("abc", 0), named("abd", 0));
    let mut holding = |items: &[i32]| {
        let class = m.load("[I").expect("int[]");
        let array = m.new_array(class, items.len() as u32).expect("there is memory");
        for (at, item) in items.iter().enumerate() {
            m.set_element_value(array, at as u32, cupping_machine::Kind::Int, Value::int(*item));
        }
        let object = node(m, 0, 0, 0);
        set(m, object, "items", Value::reference(array));
        key(m, object)
    };
    assert_eq!(holding(&[1, 2]), holding(&[1, 2]));
    assert_ne!(holding(&[1, 2]), holding(&[2, 1]));
    assert_ne!(holding(&[0]), holding(&[0, 0]));
}

fn symbols_are_named_by_place(m: &mut Machine) {
    let holding = |m: &mut Machine, value: TermId, other: TermId| {
        let object = node(m, 0, 0, 0);
        set(m, object, "value", shadowed(value));
        set(m, object, "other", shadowed(other));
        key(m, object)
    };
    let [a, b, c, d] = ["x", "x", "x", "y"].map(|name| symbol(m, name));
    let two = holding(m, a, b);
    assert_eq!(two, holding(m, b, c), "which variables they are does not matter");
    assert_eq!(two, holding(m, c, d), "nor how they are called");
    assert_ne!(two, holding(m, a, a), "whether they are one variable or two does");
    let plain = node(m, 0, 0, 0);
    assert_ne!(two, key(m, plain), "nor is a symbol what it is now");
    // `a` and `a + b*b`; `a` and `b + a*a`: the names are the same.
    let (squared_a, squared_b) = (m.terms_mut().mul(a, a), m.terms_mut().mul(b, b));
    let (one, other) = (m.terms_mut().add(a, squared_b), m.terms_mut().add(b, squared_a));
    assert_ne!(holding(m, a, one), holding(m, a, other));
    let narrow = m.terms_mut().new_variable("z", Sort::Bv8);
    let (signed, unsigned) = (m.terms_mut().sext(Sort::Bv32, narrow), m.terms_mut().zext(Sort::Bv32, narrow));
    assert_ne!(holding(m, signed, a), holding(m, unsigned, a), "widened in another way");
}

fn constraints_on_what_is_held_count(m: &mut Machine) {
    let [x, y, z] = ["x", "y", "z"].map(|name| symbol(m, name));
    let object = node(m, 0, 0, 0);
    set(m, object, "value", shadowed(x));
    let keyed = |m: &Machine, constraints: &[TermId]| {
        let path = constraints.iter().fold(Path::default(), |path, c| path.assume(*c));
        canonical(m, &[Value::reference(object)], &path).expect("it is small").key
    };
    let (five, six) = (m.terms_mut().int(5), m.terms_mut().int(6));
    let [below_five, below_six, z_below] =
        [(x, five), (x, six), (z, five)].map(|(a, b)| m.terms_mut().slt(a, b));
    assert_ne!(keyed(m, &[below_five]), keyed(m, &[below_six]));
    assert_ne!(keyed(m, &[below_five]), keyed(m, &[]));
    assert_eq!(keyed(m, &[below_five, z_below]), keyed(m, &[below_five]), "z is not held");
    // x < y, and earlier constraints bound y.
    let related = m.terms_mut().slt(x, y);
    let [y_five, y_six] = [five, six].map(|bound| m.terms_mut().slt(y, bound));
    assert_ne!(keyed(m, &[y_five, related]), keyed(m, &[y_six, related]), "y bounds x");
}
