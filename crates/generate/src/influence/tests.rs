use super::{Effects, FieldReference, Influence};
use crate::invokable::Invokable;
use crate::testing::{lab, method};
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::rc::Rc;

fn effects(machine: &mut Machine, class: &str, name: &str) -> Rc<Effects> {
    let found = method(machine, class, name);
    let class = machine.method(found).class;
    let invokable = Invokable::new(machine, class, found).expect("a sound descriptor");
    Influence::default().of_invokable(machine, &invokable)
}

fn names(machine: &Machine, fields: &BTreeSet<FieldReference>) -> Vec<String> {
    let name = |f: &FieldReference| machine.class(f.class).fields[f.index as usize].name.to_string();
    let mut names: Vec<String> = fields.iter().map(name).collect();
    names.sort_unstable();
    names
}

/// Method, fields defined, fields used.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Table 4.3 of the thesis.
const TABLE_4_3: &[Row] = &[
    ("<init>", &["enabled", "temperature"], &[]),
    ("setEnabled", &["enabled"], &[]),
    ("updateTemperature", &["temperature"], &["enabled"]),
    ("getTemperature", &[], &["temperature"]),
    ("warning", &[], &["temperature"]),
];

/// Which rows influence which columns through fields, in the order of the table.
const INFLUENCES: [[bool; 5]; 5] = [
    [false, false, true, true, true],
    [false, false, true, false, false],
    [false, false, false, true, true],
    [false; 5],
    [false; 5],
];

#[test]
fn the_papers_examples() {
    let (_folder, mut machine) = lab(SAMPLES);
    temperature_monitor_has_the_effects_of_table_4_3(&mut machine);
    setters_commute_and_one_of_six_orders_is_enough(&mut machine);
    effects_reach_through_calls(&mut machine);
    effects_reach_overriding_methods_lambdas_and_callbacks(&mut machine);
    the_library_is_judged_by_its_code(&mut machine);
}

fn temperature_monitor_has_the_effects_of_table_4_3(machine: &mut Machine) {
    let class = "papers/TemperatureMonitor";
    let all: Vec<Rc<Effects>> = TABLE_4_3.iter().map(|(name, ..)| effects(machine, class, name)).collect();
    for ((name, defines, uses), effects) in TABLE_4_3.iter().zip(&all) {
        assert_eq!(names(machine, &effects.defines), *defines, "{name} defines");
        assert_eq!(names(machine, &effects.uses), *uses, "{name} uses");
        assert!(effects.changes.is_empty() && effects.stores.is_empty() && !effects.is_unknown, "{name}");
        assert_eq!(effects.is_pure(), defines.is_empty(), "{name}");
    }
    let found = [0, 1, 2, 3, 4].map(|row| [0, 1, 2, 3, 4].map(|column| all[row].influences(&all[column])));
    assert_eq!(found, INFLUENCES);
}

/// §4.3.4: of two commuting methods, only their declaration order is tried.
fn setters_commute_and_one_of_six_orders_is_enough(machine: &mut Machine) {
    let class = "papers/PartialOrderReductionExample";
    let setters = ["setA", "setB", "setC"].map(|name| (name, effects(machine, class, name)));
    let calculate = effects(machine, class, "calculate");
    for (name, effects) in &setters {
        assert!(effects.influences(&calculate) && !effects.commutes_with(&calculate), "{name}");
        assert!(!effects.commutes_with(effects), "{name} twice: the second overwrites the first");
    }
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let is_kept = |order: &&[usize; 3]| {
        order.windows(2).all(|pair| setters[pair[1]].1.is_step_after(&setters[pair[0]].1, pair[1] < pair[0]))
    };
    assert_eq!(orders.iter().filter(is_kept).collect::<Vec<_>>(), [&[0, 1, 2]]);
}

const SAMPLES: &str = "
import java.util.*;
public class Samples {
    int count;
    int[] items = new int[4];
    byte[] bytes = new byte[4];
    List<String> names = new ArrayList<>();
    Map<String, Integer> index = new HashMap<>();
    Shape shape = new Circle();
    int hidden;
    void push(int x) { items[next()] = x; }
    private int next() { return count++; }
    int top() { return items[count - 1]; }
    void setByte(byte b) { bytes[0] = b; }
    void name(String s) { names.add(s); }
    int named() { return names.size(); }
    int letters() { int sum = 0; for (String name : names) sum += name.length(); return sum; }
    void forget() { Iterator<String> all = names.iterator(); all.next(); all.remove(); }
    void put(String s) { index.put(s, 1); }
    boolean has(String s) { return index.containsKey(s); }
    void sort() { Collections.sort(names); }
    void grow() { shape.grow(); }
    int area() { return shape.area(); }
    Runnable hide() { return () -> hidden = 1; }
    Comparator<String> order() { return new Comparator<String>() {
        public int compare(String a, String b) { return hidden; }
    }; }
    static int twice(int x) { return Math.abs(x) + Integer.valueOf(x); }
    static abstract class Shape { abstract void grow(); int area() { return 0; } }
    static class Circle extends Shape {
        int radius;
        void grow() { radius++; }
        int area() { return radius * radius * 3; }
    }
}
";

fn effects_reach_through_calls(machine: &mut Machine) {
    let push = effects(machine, "Samples", "push");
    assert_eq!(names(machine, &push.defines), ["count"], "through next()");
    let top = effects(machine, "Samples", "top");
    assert!(top.is_pure() && push.influences(&top), "{top:?}");
    let byte = effects(machine, "Samples", "setByte");
    assert!(!byte.is_pure() && !byte.influences(&top), "it stores bytes; ints are loaded");
    let twice = effects(machine, "Samples", "twice");
    assert_eq!(Effects { runs: BTreeSet::new(), ..twice.as_ref().clone() }, Effects::default());
    assert!(!push.influences(&twice));
}

fn effects_reach_overriding_methods_lambdas_and_callbacks(machine: &mut Machine) {
    let grow = effects(machine, "Samples", "grow");
    assert_eq!(names(machine, &grow.defines), ["radius"], "of a class below Shape");
    assert!(grow.influences(&effects(machine, "Samples", "area")));
    let hide = effects(machine, "Samples", "hide");
    assert_eq!(names(machine, &hide.defines), ["hidden"], "in a lambda");
    let order = effects(machine, "Samples", "order");
    assert!(hide.influences(&order), "in a comparator: {order:?}");
}

fn the_library_is_judged_by_its_code(machine: &mut Machine) {
    let all = ["name", "forget", "sort", "named", "letters", "put", "has"];
    let [name, forget, sort, named, letters, put, has] = all.map(|m| effects(machine, "Samples", m));
    for (method, effects) in [("name", &name), ("forget", &forget), ("sort", &sort)] {
        assert!(!effects.is_pure(), "{method}");
        assert!(effects.influences(&named) && effects.influences(&letters), "{method}: {effects:?}");
        assert!(!effects.influences(&has), "{method}: a list is no map");
    }
    assert!(named.is_pure() && has.is_pure(), "{named:?} {has:?}");
    assert!(!letters.influences(&named), "an iterator only moves itself: {letters:?}");
    assert!(put.influences(&has) && !put.influences(&named));
}
