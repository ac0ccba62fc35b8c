//! Mutants are as well typed as their originals: the verifier, whose description of instructions is independent
//! of the table that the operators read, accepts each.

use cupping_classfile::{ClassFile, ClassPath, Code, Jdk, Program};
use cupping_machine::{Machine, MethodId, RunLimits, Verification};
use cupping_mutate::{Mutant, Selection, mutants_of};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Packages with all kinds of code: arithmetic, switches, handlers, arrays, wide values.
const PACKAGES: [&str; 4] = ["java/math", "java/util/regex", "java/util/zip", "java/util"];
/// Classes of a package that are looked at.
const MOST: usize = 60;

/// Verifies all mutants of a class: in each round, every method has the next one of its mutants.
fn verify_mutants(machine: &mut Machine, file: &ClassFile, seen: &mut BTreeSet<&'static str>) -> usize {
    let class = machine.load(&file.name).unwrap();
    if machine.verify_class(class, Verification::Inference).is_err() {
        return 0;
    }
    let ids: Vec<MethodId> = machine.class(class).methods.to_vec();
    let all = mutants_of(file, &Selection::parse(["all"]).unwrap()).unwrap();
    let mut by_method: Vec<Vec<(Mutant, Code)>> = file.methods.iter().map(|_| Vec::new()).collect();
    for mutant in all {
        if let Some(code) = mutant.code(file).unwrap() {
            seen.insert(mutant.operator);
            by_method[mutant.method].push((mutant, code));
        }
    }
    let count = by_method.iter().map(Vec::len).sum();
    for round in 0..by_method.iter().map(Vec::len).max().unwrap_or(0) {
        for id in &ids {
            let body = by_method[machine.method(*id).index].get(round);
            machine.replace_code(*id, body.map(|(_, code)| code.clone()));
        }
        if let Err(trap) = machine.verify_class(class, Verification::Inference) {
            let tried = by_method.iter().filter_map(|it| it.get(round));
            let tried: Vec<_> = tried.map(|(it, _)| (it.method, it.pc, it.description())).collect();
            panic!("{}: {}\nof {tried:?}", file.name, machine.describe_trap(&trap));
        }
    }
    ids.iter().for_each(|id| machine.replace_code(*id, None));
    count
}

#[test]
fn every_mutant_is_well_typed() {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let program = Arc::new(Program::new(jdk, ClassPath::default()));
    let mut machine = Machine::boot(Arc::clone(&program), RunLimits::default()).unwrap();
    let (mut count, mut seen) = (0, BTreeSet::new());
    for package in PACKAGES {
        let names = program.classes_of_package(package, true).unwrap();
        for name in names.iter().take(MOST) {
            let file = program.require(name).unwrap();
            count += verify_mutants(&mut machine, &file, &mut seen);
        }
    }
    println!("{count} mutants");
    assert!(count > 20_000, "only {count} mutants");
    let operators: BTreeSet<&str> = cupping_mutate::operators::ALL.iter().map(|it| it.name).collect();
    assert_eq!(seen, operators, "operators that made mutants");
}
