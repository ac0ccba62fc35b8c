//! Methods of the JDK's collections that change the structure, checked against invariants (`fixtures/exhaust/jdk`); and
//! faults put into the methods that do the work are found. A file is an invariant, and parts that begin with `---`: a method,
//! the method that gets the faults, and a postcondition.

mod support;

use cupping_classfile::Program;
use cupping_exhaust::{Checked, Checker, Settings, Specification, World, text};
use cupping_machine::Machine;
use std::fs;
use std::sync::Arc;
use support::{fixtures, program};

struct Part {
    specification: Specification,
    faulty: String,
}

fn parts(name: &str, program: &Program) -> Vec<Part> {
    let all = fs::read_to_string(fixtures().join("jdk").join(name)).expect("a fixture");
    let mut parts = all.split("\n--- ");
    let common = parts.next().unwrap_or_default();
    parts
        .map(|part| {
            let faulty = part.lines().find_map(|it| it.strip_prefix("faults ")).expect("a method for faults");
            let part: Vec<&str> = part.lines().filter(|it| !it.starts_with("faults ")).collect();
            let text = format!("{common}\n{}\n", part.join("\n"));
            let specification = Specification::read(name, &text, program, None);
            let specification = specification.unwrap_or_else(|error| panic!("{}", error.render(name, &text)));
            Part { specification, faulty: faulty.to_owned() }
        })
        .collect()
}

fn check(specification: &Specification, world: &mut World) -> Checked {
    let mut checker = Checker::new(specification, world, Settings::default()).expect("a checker");
    // The first counterexample is enough.
    checker.all(|so_far| so_far.groups.is_empty()).expect("a check");
    checker.finish()
}

fn holds_and_faults_are_found(name: &str) {
    let program: Arc<Program> = program();
    for Part { specification, faulty } in parts(name, &program) {
        let target = specification.target.clone().expect("a method");
        let mut world = World::boot(program.clone(), &specification).expect("a world");
        let sound = check(&specification, &mut world);
        assert!(sound.is_complete && sound.inputs > 0, "{}", target.name);
        assert_eq!(sound.inputs, sound.passed, "{}", text(&specification, &sound));
        // No operator makes a fault of `root = null`.
        if faulty == "none" {
            continue;
        }
        let file = program.require(&target.class).expect("the class");
        let mutants = cupping_mutate::mutants(&file).expect("mutants");
        let mut machine = Machine::boot(program.clone(), World::limits()).expect("a machine");
        let class = machine.initialize_now(&target.class).expect("the class");
        let mut world = World::on(machine, &specification).expect("a world");
        let found = mutants.iter().filter(|it| *file.methods[it.method].name == *faulty).any(|mutant| {
            let method = &file.methods[mutant.method];
            let method =
                world.machine.find_method(class, &method.name, &method.descriptor).expect("a method");
            let Ok(Some(code)) = mutant.code(&file) else { return false };
            world.machine.replace_code(method, Some(code));
            let checked = check(&specification, &mut world);
            world.machine.replace_code(method, None);
            !checked.groups.is_empty()
        });
        assert!(found, "no fault in {faulty} is found by {}", target.name);
    }
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
