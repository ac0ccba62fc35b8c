use super::{Effects, Influence};
use crate::testing::{machine, method};
use cupping_machine::Machine;
use std::rc::Rc;

fn effects(machine: &mut Machine, class: &str, name: &str) -> Rc<Effects> {
    let found = method(machine, class, name);
    let class = machine.method(found).class;
    Influence::default().effects(machine, class, found)
}

/// Method, fields defined, fields used.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

/// Table 4.3 of the thesis, but for the constructor: ours does not assign `temperature`.
const TABLE_4_3: &[Row] = &[
    ("<init>", &["enabled"], &[]),
    ("setEnabled", &["enabled"], &[]),
    ("updateTemperature", &["temperature"], &["enabled"]),
    ("getTemperature", &[], &["temperature"]),
    ("warning", &[], &["temperature"]),
];

/// Rows that influence columns, in the order of the table.
const INFLUENCES: [[bool; 5]; 5] = [
    [false, false, true, false, false],
    [false, false, true, false, false],
    [false, false, false, true, true],
    [false; 5],
    [false; 5],
];

#[test]
fn the_papers_examples() {
    let mut machine = machine(SAMPLES);
    temperature_monitor_has_the_effects_of_table_4_3(&mut machine);
    setters_commute_and_one_of_six_orders_is_enough(&mut machine);
    effects_reach_through_calls(&mut machine);
}

fn temperature_monitor_has_the_effects_of_table_4_3(machine: &mut Machine) {
    let class = "papers/TemperatureMonitor";
    let all: Vec<Rc<Effects>> = TABLE_4_3.iter().map(|(name, ..)| effects(machine, class, name)).collect();
    for ((name, defines, uses), effects) in TABLE_4_3.iter().zip(&all) {
        assert_eq!(effects.defines.iter().map(|f| &**f).collect::<Vec<_>>(), *defines, "{name} defines");
        assert_eq!(effects.uses.iter().map(|f| &**f).collect::<Vec<_>>(), *uses, "{name} uses");
        assert!(!effects.defines_deep && !effects.uses_deep, "{name}");
        assert_eq!(effects.is_pure(), defines.is_empty(), "{name}");
    }
    let found = [0, 1, 2, 3, 4].map(|row| [0, 1, 2, 3, 4].map(|column| all[row].influences(&all[column])));
    assert_eq!(found, INFLUENCES);
}

/// §4.3.4: two that commute are tried in the order of their methods only.
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
public class Samples {
    int count;
    int[] items = new int[4];
    java.util.List<String> names = new java.util.ArrayList<>();
    void push(int x) { items[next()] = x; }
    private int next() { return count++; }
    int top() { return items[count - 1]; }
    void name(String s) { names.add(s); }
    int named() { return names.size(); }
    static int twice(int x) { return Math.abs(x) + Integer.valueOf(x); }
}
";

fn effects_reach_through_calls(machine: &mut Machine) {
    let push = effects(machine, "Samples", "push");
    assert!(push.defines.contains("count"), "through next(): {push:?}");
    assert!(push.defines_deep, "it stores into what `items` refers to");
    let top = effects(machine, "Samples", "top");
    assert!(top.is_pure() && top.uses_deep && push.influences(&top), "{top:?}");
    let name = effects(machine, "Samples", "name");
    assert!(name.defines_deep, "a call on another object may change it");
    assert!(name.influences(&effects(machine, "Samples", "named")));
    let twice = effects(machine, "Samples", "twice");
    assert_eq!(*twice, Effects::default(), "methods of boxes and Math have no effects");
    assert!(!push.influences(&twice));
}
