use super::{Extent, redundant};
use crate::driver::run_concrete;
use crate::influence::Influence;
use crate::input::Input;
use crate::invokable::Invokable;
use crate::plan::Plan;
use crate::testing::{lab, method};
use cupping_machine::Machine;
use cupping_term::Model;
use std::rc::Rc;

const SAMPLES: &str = "
import java.util.*;
public class Samples {
    int a, b, result;
    boolean flag;
    int[] items = new int[4];
    List<String> names = new ArrayList<>();
    int[] copy;
    void defA(int v) { a = v; }
    void defB(int v) { b = v; }
    int useA() { return a; }
    int useBoth() { return a + b; }
    void useAndDefA() { a = a + 1; }
    void m() { flag = false; if (a > 0) flag = true; }
    boolean useFlag() { return flag; }
    void defFirst() { items[0] = 1; }
    void defSecond() { items[1] = 2; }
    void copyItems() { copy = items.clone(); }
    int useFirst() { return items[0]; }
    int useCopy() { return copy[0]; }
    void name() { names.add(null); }
    int named() { return names.size(); }
    static int setting;
    static class Table { static final int[] ROWS = new int[8]; static { ROWS[0] = 7; } }
    static class Mode { static int value = setting; }
    int first() { return Table.ROWS[0]; }
    void set(int v) { setting = v; }
    int mode() { return Mode.value; }
}
";

/// Runs the constructor and these methods on the object; returns the index of the redundant invocation.
fn run(machine: &mut Machine, names: &[&str], is_complete: bool) -> Option<usize> {
    let before = machine.snapshot();
    let mut plan = Plan::default();
    let invokable = |machine: &Machine, name: &str| {
        let method = method(machine, "Samples", name);
        let class = machine.method(method).class;
        Rc::new(Invokable::new(machine, class, method).expect("a sound descriptor"))
    };
    let object = plan.call(&invokable(machine, "<init>"), Vec::new(), "object").expect("an object");
    for name in names {
        let invokable = invokable(machine, name);
        let parameters = invokable.parameters.iter();
        let mut arguments = vec![object];
        arguments.extend(
            parameters
                .map(|p| plan.input(Input::Primitive(p.kind), p.ty.clone(), &p.name))
                .collect::<Vec<_>>(),
        );
        plan.call(&invokable, arguments, "result");
    }
    let plan = Rc::new(plan);
    let slots = vec![crate::driver::Slot::default(); plan.variables.len()];
    let (driver, _) = run_concrete(machine, &plan, &slots, &Model::new(), false, 1_000_000)
        .unwrap_or_else(|trap| panic!("{}", machine.describe_trap(&trap)));
    let extent = if is_complete { Extent::Complete } else { Extent::Prefix(object) };
    let found = redundant(machine, &mut Influence::default(), &driver, extent);
    machine.restore(&before);
    found
}

#[test]
fn sequences_of_the_thesis() {
    let (_folder, mut machine) = lab(SAMPLES);
    let rows: &[(&[&str], Option<usize>)] = &[
        // Table 4.4; the constructor has index 0.
        (&["defA", "useA", "useA"], Some(2)),
        (&["defA", "defA", "useA"], Some(1)),
        (&["defA", "defB", "useBoth"], None),
        (&["defA", "useAndDefA", "useA"], None),
        // Within an invocation the order does not matter: `flag` depends on `a`.
        (&["defA", "m", "useFlag"], None),
        (&["defA", "m", "m", "useFlag"], Some(2)),
        (&["defB", "m", "useFlag"], Some(1)),
        // Array elements are distinguished.
        (&["defFirst", "useFirst"], None),
        (&["defSecond", "useFirst"], Some(1)),
        (&["defFirst", "defFirst", "useFirst"], Some(1)),
        // Accesses by the JDK are not observed, so they may matter.
        (&["defFirst", "copyItems", "useCopy"], None),
        (&["name", "named"], None),
        // Whoever is first initialises a class; what the initialiser uses matters.
        (&["first", "first"], Some(1)),
        (&["set", "mode"], None),
    ];
    for (names, expected) in rows {
        assert_eq!(run(&mut machine, names, true), *expected, "{names:?}");
    }
    // A definition that may still be used is not redundant.
    assert_eq!(run(&mut machine, &["defA", "defB"], false), None);
    assert_eq!(run(&mut machine, &["defA", "defA"], false), Some(1));
    assert_eq!(run(&mut machine, &["defA", "useA"], false), Some(2));
    assert_eq!(run(&mut machine, &["defA", "copyItems", "defFirst"], false), None);
}
