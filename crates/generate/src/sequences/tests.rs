use super::{
    Candidates, Filter, GeneratorResult, Reach, Reason, Relevance, Universe, influence_table, sequence_tree,
};
use crate::AccessLevel;
use crate::influence::Influence;
use crate::invokable::Subject;
use crate::testing::lab;
use cupping_machine::Machine;

fn universe(machine: &mut Machine, class: &str, filter: &Filter) -> Universe {
    let id = machine.load(class).expect("the class is there");
    let subject = Subject::new(machine, id, &[], AccessLevel::Package);
    Universe::new(machine, &mut Influence::default(), &subject, filter, Reach::Everything)
}

fn element(universe: &Universe, name: &str) -> usize {
    universe.elements.iter().position(|e| e.name == name).unwrap_or_else(|| panic!("no element {name}"))
}

/// The candidates up to a length, executable ones with a star, and the pruned sequences.
fn candidates(universe: &Universe, last: &str, length: usize) -> (Vec<String>, Vec<(Reason, String)>) {
    let mut all = Candidates::new(universe, element(universe, last), length);
    let (mut found, mut pruned) = (Vec::new(), Vec::new());
    while let Some(met) = all.advance() {
        let names: Vec<&str> = all.sequence().map(|at| &*universe.elements[at].name).collect();
        let text = names.join("; ");
        match met {
            GeneratorResult::Candidate { is_executable: true } => found.push(format!("* {text}")),
            GeneratorResult::Candidate { is_executable: false } => found.push(text),
            GeneratorResult::Pruned(reason) => pruned.push((reason, text)),
        }
    }
    (found, pruned)
}

#[test]
fn sequences_of_the_thesis() {
    let (_folder, mut machine) = lab(SAMPLES);
    the_sequences_of_figure_4_1(&mut machine);
    one_of_six_orders(&mut machine);
    two_constructors_for_one_argument_are_no_sequence(&mut machine);
    statics_arrays_fields_and_arguments(&mut machine);
    only_what_leads_to_a_target_is_relevant(&mut machine);
    the_filter_decides_what_may_come_before(&mut machine);
}

fn the_sequences_of_figure_4_1(machine: &mut Machine) {
    let universe = universe(machine, "papers/TemperatureMonitor", &Filter::default());
    let last = element(&universe, "warning()");
    assert_eq!(influence_table(machine, &universe, last), TABLE_4_3);
    assert_eq!(sequence_tree(&universe, last, 4), FIGURE_4_1);
    let (found, _) = candidates(&universe, "warning()", 4);
    let wanted = "* TemperatureMonitor(); setEnabled(boolean); updateTemperature(int); warning()";
    assert!(found.iter().any(|s| s == wanted), "{found:#?}");
    // The generator enumerates the tree breadth first.
    let stars = FIGURE_4_1.lines().filter(|line| line.starts_with('*')).count();
    assert_eq!(found.iter().filter(|s| s.starts_with('*')).count(), stars);
    let lines = FIGURE_4_1.lines().filter(|line| !line.starts_with('-')).count();
    assert_eq!(found.len(), lines);
}

const TABLE_4_3: &str = "\
Invokable               Defines               Uses         Arguments           Returns
TemperatureMonitor()    enabled, temperature  -            -                   TemperatureMonitor
setEnabled(boolean)     enabled               -            TemperatureMonitor  -
updateTemperature(int)  temperature           enabled      TemperatureMonitor  -
getTemperature()        -                     temperature  TemperatureMonitor  -
warning()               -                     temperature  TemperatureMonitor  -
";

const FIGURE_4_1: &str = "  warning()
*   TemperatureMonitor()
-     TemperatureMonitor()  (no data flow)
-     updateTemperature(int)  (partial order)
    updateTemperature(int)
*     TemperatureMonitor()
-       TemperatureMonitor()  (no data flow)
-       setEnabled(boolean)  (partial order)
-       updateTemperature(int)  (partial order)
      setEnabled(boolean)
*       TemperatureMonitor()
        setEnabled(boolean)
-       updateTemperature(int)  (partial order)
      updateTemperature(int)
*       TemperatureMonitor()
        setEnabled(boolean)
        updateTemperature(int)
";

fn one_of_six_orders(machine: &mut Machine) {
    let universe = universe(machine, "papers/PartialOrderReductionExample", &Filter::default());
    let (found, pruned) = candidates(&universe, "calculate()", 5);
    let setters = ["setA(boolean)", "setB(boolean)", "setC(boolean)"];
    let is_order = |s: &&String| setters.iter().all(|setter| s.matches(setter).count() == 1);
    let orders: Vec<&String> = found.iter().filter(is_order).filter(|s| s.starts_with('*')).collect();
    assert_eq!(
        orders,
        ["* PartialOrderReductionExample(); setA(boolean); setB(boolean); setC(boolean); calculate()"]
    );
    assert!(pruned.iter().any(|(reason, _)| *reason == Reason::PartialOrder));
}

fn two_constructors_for_one_argument_are_no_sequence(machine: &mut Machine) {
    let filter = Filter { include: vec!["Integer.new".into()], ..Filter::default() };
    let universe = universe(machine, "java/lang/Integer", &filter);
    let (found, pruned) = candidates(&universe, "hashCode()", 3);
    assert!(found.contains(&"* Integer(int); hashCode()".to_owned()), "{found:#?}");
    let twice = "Integer(int); Integer(int); hashCode()".to_owned();
    assert!(!found.iter().any(|s| s.ends_with(&twice)));
    assert!(pruned.contains(&(Reason::NoDataFlow, twice)), "{pruned:#?}");
}

const SAMPLES: &str = "
public class Samples {
    static int mode;
    static void setMode(int m) { mode = m; }
    static int look() { return mode; }
    int open;
    Samples next;
    private int closed;
    int sum() { return open + closed; }
    int ofTwo(Samples other) { return other.closed - closed; }
    int depth(int[][] all) { return all[0][0]; }
    int unrelated() { return 7; }
    void close() { closed = open; }
}
";

fn statics_arrays_fields_and_arguments(machine: &mut Machine) {
    let universe = universe(machine, "Samples", &Filter::default());
    let has = |last: &str, length: usize, wanted: &str| {
        let (found, _) = candidates(&universe, last, length);
        assert!(found.iter().any(|s| s == wanted), "{wanted} in {found:#?}");
    };
    has("Samples.look()", 2, "* Samples.setMode(int); Samples.look()");
    has("sum()", 3, "* Samples(); open = value; sum()");
    has("depth(int[][])", 4, "* Samples(); new int[]; new int[][]; depth(int[][])");
    has("ofTwo(Samples)", 4, "* Samples(); Samples(); close(); ofTwo(Samples)");
    has("sum()", 3, "* Samples(); next; sum()");
    let (found, _) = candidates(&universe, "unrelated()", 3);
    assert!(!found.iter().any(|s| s.contains("close") || s.contains("open")), "{found:#?}");
}

fn only_what_leads_to_a_target_is_relevant(machine: &mut Machine) {
    let universe = universe(machine, "papers/TemperatureMonitor", &Filter::default());
    let method = |name: &str| match &universe.elements[element(&universe, name)].kind {
        super::element::ElementKind::Call(invokable) => invokable.method,
        other => panic!("{other:?}"),
    };
    let to_warning = Relevance::new(&universe, &[element(&universe, "warning()")]);
    assert!(to_warning.leads_on(method("warning()"), 0));
    assert!(to_warning.leads_on(method("setEnabled(boolean)"), 2));
    assert!(!to_warning.leads_on(method("setEnabled(boolean)"), 1), "it takes an update between");
    assert!(!to_warning.leads_on(method("getTemperature()"), 9));
}

fn the_filter_decides_what_may_come_before(machine: &mut Machine) {
    let class = "papers/TemperatureMonitor";
    let filter = Filter { exclude: vec!["setEnabled".into()], ..Filter::default() };
    let universe = universe(machine, class, &filter);
    let (found, _) = candidates(&universe, "warning()", 4);
    assert!(!found.iter().any(|s| s.contains("setEnabled")), "{found:#?}");
    assert!(found.contains(&"* TemperatureMonitor(); updateTemperature(int); warning()".to_owned()));
}
