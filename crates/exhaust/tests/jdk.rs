//! Checks mutating methods of the JDK's collections against invariants (`fixtures/exhaust/jdk`), and checks
//! that faults seeded into the underlying methods are found. A file has an invariant and parts separated by
//! `---`: a method, the methods to seed faults into (of the same class unless another is named), and a
//! postcondition. A part may have its own scope.

mod support;

use cupping_classfile::Program;
use cupping_exhaust::{CheckLimits, CheckResult, Checker, Specification, World, heading, text, trivial};
use cupping_machine::Machine;
use std::fs;
use std::sync::Arc;
use std::time::Instant;
use support::{collections, fixtures};

struct Part {
    specification: Specification,
    /// Classes and names of the methods to seed faults into.
    faulty: Vec<(String, String)>,
}

fn parts(name: &str, program: &Program) -> Vec<Part> {
    let all = fs::read_to_string(fixtures().join("jdk").join(name)).expect("a fixture");
    let mut parts = all.split("\n--- ");
    let common = parts.next().unwrap_or_default();
    parts
        .map(|part| {
            let faulty = part.lines().find_map(|it| it.strip_prefix("faults ")).expect("a method for faults");
            let part: Vec<&str> = part.lines().filter(|it| !it.starts_with("faults ")).collect();
            let own_scope = part.iter().any(|it| it.starts_with("scope "));
            let shared = common.lines().filter(|it| !(own_scope && it.starts_with("scope ")));
            let text = format!("{}\n{}\n", shared.collect::<Vec<_>>().join("\n"), part.join("\n"));
            let specification = Specification::read(name, &text, program, None);
            let specification = specification.unwrap_or_else(|error| panic!("{}", error.render(name, &text)));
            let of = |it: &str| match it.rsplit_once('.') {
                Some((class, method)) => (class.replace('.', "/"), method.to_owned()),
                None => (specification.header.class.text.replace('.', "/"), it.to_owned()),
            };
            let faulty = faulty.split(", ").filter(|it| *it != "none").map(of).collect();
            Part { specification, faulty }
        })
        .collect()
}

fn check(specification: &Specification, world: &mut World) -> CheckResult {
    let mut checker = Checker::new(specification, world, CheckLimits::default()).expect("a checker");
    // The first counterexample suffices.
    checker.all(|so_far| so_far.groups.is_empty()).expect("a check");
    checker.finish()
}

fn holds_and_faults_are_found(name: &str) {
    let program: Arc<Program> = collections();
    let timed = std::env::var_os("CUPPING_TIMED").is_some();
    let mut machine = Machine::boot(program.clone(), World::limits()).expect("a machine");
    for Part { specification, faulty } in parts(name, &program) {
        let begin = Instant::now();
        let what = heading(&specification);
        let mut world = World::on(machine, &specification).expect("a world");
        let sound = check(&specification, &mut world);
        assert!(sound.is_complete && sound.inputs > 0, "{what}");
        assert_eq!(sound.inputs, sound.passed, "{}", text(&specification, &sound));
        for (class, method) in &faulty {
            let found = is_found(&program, &specification, &mut world, class, method);
            assert!(found, "no fault in {class}.{method} is found by {what}");
        }
        assert_eq!(trivial(&specification).expect("an answer"), Vec::<usize>::new(), "{what}");
        if timed {
            eprintln!("{:?} {} {what}", begin.elapsed(), sound.inputs);
        }
        world.rewind();
        machine = world.machine;
    }
}

/// Whether a fault in this method leads to a counterexample.
fn is_found(
    program: &Program,
    specification: &Specification,
    world: &mut World,
    class: &str,
    method: &str,
) -> bool {
    let file = program.require(class).expect("the class");
    let mutants = cupping_mutate::mutants(&file).expect("mutants");
    world.rewind();
    let class = world.machine.load(class).expect("the class");
    mutants.iter().filter(|it| *file.methods[it.method].name == *method).any(|mutant| {
        let method = &file.methods[mutant.method];
        let method =
            world.machine.declared_method(class, &method.name, &method.descriptor).expect("a method");
        let Ok(Some(code)) = mutant.code(&file) else { return false };
        world.machine.replace_code(method, Some(code));
        let checked = check(specification, world);
        world.machine.replace_code(method, None);
        !checked.groups.is_empty()
    })
}

#[test]
fn tree_map() {
    holds_and_faults_are_found("treemap.spec");
}

#[test]
fn linked_list() {
    holds_and_faults_are_found("linkedlist.spec");
}

#[test]
fn priority_queue() {
    holds_and_faults_are_found("priorityqueue.spec");
}

#[test]
fn array_deque() {
    holds_and_faults_are_found("arraydeque.spec");
}

#[test]
fn hash_map() {
    holds_and_faults_are_found("hashmap.spec");
}
