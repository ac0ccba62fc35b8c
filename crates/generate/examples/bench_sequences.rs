//! `./x bench sequences`: all sequences up to a length, as in the thesis's Table 6.2, with and without state
//! subsumption. As there, making an `Integer` for an argument counts as an invocation: `N` is the constructor and,
//! for each operation, one for the operation and one for its argument, boxed or not.
//!
//! `bench_sequences CLASSPATH [CLASS]`.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{Options, Session, Subsumption};
use std::sync::Arc;
use std::time::Duration;

/// Class, methods under test, and what Table 6.2 has for N = 15 (Symstra: time in s, branch coverage in %).
const CLASSES: [(&str, &[&str], &str); 7] = [
    ("containers/IntStack", &["push", "pop"], "0.67 s, 100 %"),
    ("containers/UBStack", &["push", "pop"], "2.33 s, 100 %"),
    ("containers/BinSearchTree", &["insert", "remove"], "251.30 s (timed out), 100 %"),
    ("containers/BinomialHeap", &["insert", "extractMin", "delete"], "17.53 s, 91 %"),
    ("containers/LinkedList", &["add", "remove", "removeLast"], "0.94 s, 100 %"),
    ("containers/TreeMap", &["put", "remove"], "173.71 s, 84 %"),
    ("containers/HeapArray", &["insert", "extractMax"], "28.50 s, 100 %"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((class_path, wanted)) = arguments.split_first() else {
        return Err("usage: bench_sequences CLASSPATH [CLASS...]".into());
    };
    let jdk = Jdk::locate(None)?;
    let class_path = ClassPath::open(class_path, jdk.feature_version())?;
    let program = Arc::new(Program::new(jdk, class_path));
    println!(
        "{:<16}{:>4}{:>5}{:>9}{:>8}{:>8}{:>7}{:>11}  time",
        "class", "N", "ops", "paths", "states", "pruned", "tests", "branches"
    );
    for (class, methods, theirs) in CLASSES {
        let name = class.rsplit('/').next().unwrap_or(class);
        if !wanted.is_empty() && !wanted.iter().any(|w| w == name) {
            continue;
        }
        for operations in 1..=7 {
            let options = Options {
                budget: Duration::from_secs(120),
                max_length: operations + 1,
                methods: methods.iter().map(|m| (*m).to_owned()).collect(),
                exhaustive: true,
                subsumption: Subsumption::Implication,
                ..Options::default()
            };
            let mut session = Session::new(program.clone())?;
            let outcome = session.generate(class, &options, &mut |_| true)?;
            let statistics = &outcome.statistics;
            println!(
                "{:<16}{:>4}{:>5}{:>9}{:>8}{:>8}{:>7}{:>11}  {:.2} s",
                name,
                2 * operations + 1,
                operations,
                statistics.paths,
                statistics.states,
                statistics.isomorphic_states + statistics.subsumed_states,
                outcome.suite.cases.len() + outcome.suite.failing.len(),
                format!("{}/{}", outcome.suite.branches.covered, outcome.suite.branches.total),
                outcome.elapsed.as_secs_f64(),
            );
            for error in &outcome.internal_errors {
                println!("    internal error: {}", error.message);
            }
        }
        println!("    Table 6.2, Symstra, N = 15: {theirs}");
    }
    Ok(())
}
