//! `./x bench sequences`: explores all sequences up to a length on container classes, as in Table 6.2 of the
//! thesis, and on those of the JDK. As in the thesis, creating an `Integer` argument counts as an invocation:
//! `N` is the constructor plus two invocations per operation, one for the operation and one for its argument,
//! boxed or not. Branches are counted in the methods that run. Branches that no sequence of maximal length
//! takes are listed: they are unreachable within `N`.
//!
//! `bench_sequences [--heap mixed|simulation|reasoning] CLASSPATH [CLASS...]`.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{GenerateOptions, HeapRepresentation, Session, Subsumption};
use cupping_machine::Kind;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Class, methods under test, and the results in Table 6.2 for the greatest N of Rostra and Symstra.
const CLASSES: [(&str, &[&str], &str); 11] = [
    ("containers/IntStack", &["push", "pop"], "Rostra N = 9: 12.76 s, 67 %; Symstra N = 15: 0.67 s, 100 %"),
    ("containers/UBStack", &["push", "pop"], "Rostra N = 11: 31.83 s, 100 %; Symstra N = 15: 2.33 s, 100 %"),
    (
        "containers/BinSearchTree",
        &["insert", "remove"],
        "Rostra N = 11: 23.05 s, 100 %; Symstra N = 13: 70.94 s, 100 %, N = 15: timed out at 251.30 s",
    ),
    (
        "containers/BinomialHeap",
        &["insert", "extractMin", "delete"],
        "Rostra N = 11: 50.92 s, 84 %; Symstra N = 15: 17.53 s, 91 %",
    ),
    (
        "containers/LinkedList",
        &["add", "remove", "removeLast"],
        "Rostra N = 9: 32.61 s, 100 %; Symstra N = 15: 0.94 s, 100 %",
    ),
    (
        "containers/TreeMap",
        &["put", "remove"],
        "Rostra N = 13: 41.89 s, 84 %; Symstra N = 15: 173.71 s, 84 %",
    ),
    (
        "containers/HeapArray",
        &["insert", "extractMax"],
        "Rostra N = 9: 3.75 s, 76 %; Symstra N = 15: 28.50 s, 100 %",
    ),
    ("java/util/TreeMap", &["put", "remove(Ljava/lang/Object;)Ljava/lang/Object;"], ""),
    ("java/util/LinkedList", &["add(Ljava/lang/Object;)Z", "remove(Ljava/lang/Object;)Z", "removeLast"], ""),
    ("java/util/PriorityQueue", &["offer", "poll", "remove(Ljava/lang/Object;)Z"], ""),
    ("java/util/ArrayDeque", &["addFirst", "pollLast"], ""),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut heap = HeapRepresentation::Mixed;
    if arguments.first().is_some_and(|a| a == "--heap") && arguments.len() > 1 {
        heap = match arguments[1].as_str() {
            "mixed" => HeapRepresentation::Mixed,
            "simulation" => HeapRepresentation::Simulation,
            "reasoning" => HeapRepresentation::Reasoning,
            other => {
                return Err(format!("no representation '{other}': mixed, simulation or reasoning").into());
            }
        };
        arguments.drain(..2);
    }
    let Some((class_path, wanted)) = arguments.split_first() else {
        return Err("usage: bench_sequences [--heap HEAP] CLASSPATH [CLASS...]".into());
    };
    let jdk = Jdk::locate(None)?;
    let class_path = ClassPath::open(class_path, jdk.feature_version())?;
    let program = Arc::new(Program::new(jdk, class_path));
    println!(
        "{:<24}{:>4}{:>5}{:>9}{:>8}{:>8}{:>7}{:>11}  time",
        "class", "N", "ops", "paths", "states", "pruned", "tests", "branches"
    );
    for (class, methods, theirs) in CLASSES {
        let name = class.replace('/', ".");
        let simple = name.rsplit('.').next().unwrap_or(&name);
        if !wanted.is_empty() && !wanted.iter().any(|w| w == simple || *w == name) {
            continue;
        }
        let mut unreached = BTreeMap::new();
        for operations in 1..=7 {
            let options = GenerateOptions {
                budget: Duration::from_secs(60),
                max_length: operations + 1,
                methods: methods.iter().map(|m| (*m).to_owned()).collect(),
                exhaustive: true,
                subsumption: Subsumption::Implication,
                objects: Some(Kind::Int),
                heap,
                ..GenerateOptions::default()
            };
            let mut session = Session::new(program.clone())?;
            let outcome = session.generate(class, &options, &mut |_| true)?;
            let statistics = &outcome.statistics;
            let (branches, left) = outcome.coverage.unreached();
            println!(
                "{:<24}{:>4}{:>5}{:>9}{:>8}{:>8}{:>7}{:>11}  {:.2} s",
                name,
                2 * operations + 1,
                operations,
                statistics.paths,
                statistics.states,
                statistics.isomorphic_states + statistics.subsumed_states,
                outcome.suite.cases.len() + outcome.suite.failing.len(),
                format!("{}/{}", branches.covered, branches.total),
                outcome.elapsed.as_secs_f64(),
            );
            for error in &outcome.internal_errors {
                println!("    internal error: {}", error.message);
            }
            unreached.clear();
            for place in left {
                *unreached.entry(place).or_insert(0) += 1;
            }
        }
        let places: Vec<String> = unreached
            .iter()
            .map(|((method, line), count)| {
                let line = line.map_or_else(|| "?".to_owned(), |line| line.to_string());
                format!("{method}:{line}{}", if *count > 1 { format!(" ({count})") } else { String::new() })
            })
            .collect();
        if !places.is_empty() {
            println!("    unreached within N = 15: {}", places.join(", "));
        }
        if !theirs.is_empty() {
            println!("    Table 6.2: {theirs}");
        }
    }
    Ok(())
}
