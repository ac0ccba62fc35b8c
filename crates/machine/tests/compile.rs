//! Compiled code does what the interpreter does: the same output, steps, objects and decisions.

mod common;

use common::{Corpus, all_jdks, corpus, observe};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Compile, Exit, Machine, RunLimits, Value, shadow_of};
use cupping_term::Sort;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Backward jumps and calls that a program may make.
const FUEL: u64 = 20_000_000;

fn boot(jdk: &Jdk, classes: &Path, compile: Compile) -> Machine {
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).unwrap();
    let program = Arc::new(Program::new(jdk.clone(), class_path));
    Machine::boot(program, RunLimits { compile, ..RunLimits::default() }).unwrap()
}

/// The result of a run: output, steps, frames, identity hash codes and words of memory.
#[derive(Debug, PartialEq)]
struct Trace {
    output: String,
    fuel: u64,
    frames: u32,
    hashes: u32,
    words: u32,
}

fn trace(machine: &mut Machine, program: &str) -> Trace {
    let output = observe(machine, program, FUEL);
    let registers = machine.registers();
    let (fuel, frames, hashes) = (machine.fuel(), registers.frame_count, registers.next_hash);
    Trace { output, fuel, frames, hashes, words: machine.memory().used() }
}

fn programs_leave_the_same_behind(jdk: &Jdk, compiler: &Jdk) {
    let Corpus { classes, expected } = corpus(jdk, compiler);
    let only = std::env::var("CUPPING_ONLY").ok();
    let mut machines =
        [Compile::Never, Compile::Hot, Compile::AtOnce].map(|compile| boot(jdk, &classes, compile));
    let booted = machines.each_mut().map(Machine::snapshot);
    let mut wrong = Vec::new();
    for name in expected.keys() {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|n| n == name)) {
            continue;
        }
        let mut traces = Vec::new();
        for (machine, booted) in machines.iter_mut().zip(&booted) {
            machine.restore(booted);
            traces.push(trace(machine, name));
        }
        if traces[0] != traces[1] || traces[0] != traces[2] {
            wrong.push(format!("{name}: {traces:#?}"));
        }
    }
    assert!(wrong.is_empty(), "JDK {}: {}", jdk.feature_version(), wrong.join("\n"));
}

#[test]
fn compiled_programs_end_in_the_same_state_on_the_oldest_jdk() {
    let jdks = all_jdks();
    programs_leave_the_same_behind(&jdks[0], &jdks[0]);
}

#[test]
fn compiled_programs_end_in_the_same_state_on_the_newest_jdk() {
    let jdks = all_jdks();
    if jdks.len() > 1 {
        programs_leave_the_same_behind(&jdks[jdks.len() - 1], &jdks[0]);
    }
}

/// A symbol enters memory that compiled code reads, in the middle of its loops, and leaves it again.
const ARRIVAL: &str = "
class Arrival {
    static int[] box = new int[64];
    static long wide;
    int field;

    static int run(int input) {
        Arrival object = new Arrival();
        int sum = 0;
        for (int i = 0; i < 60; i++) {
            if (i == 20) box[5] = input;
            if (i == 30) wide = input;
            if (i == 35) object.field = input + 1;
            if (i == 50) { box[5] = 1; wide = 2; object.field = 3; }
            sum = sum * 31 + total(i) + object.step(i);
        }
        return sum;
    }

    static int total(int start) {
        int sum = start;
        for (int k = 0; k < 2000; k++) {
            sum += box[k & 63] * k;
            if (sum == 77) sum++;
        }
        return sum;
    }

    int step(int start) {
        long sum = start;
        for (int k = 0; k < 1500; k++) {
            sum = sum * 3 + field + wide;
            if (k % 300 == 299 && sum > 1000) sum /= 7;
        }
        return (int) sum;
    }
}
";

/// Result, steps, and the decisions on the way: site, side and condition.
fn arrival(jdk: &Jdk, classes: &Path, compile: Compile) -> (i32, u64, Vec<(u32, u32, String)>) {
    let mut machine = boot(jdk, classes, compile);
    let class = machine.initialize_now("Arrival").unwrap();
    let run = machine.find_method(class, "run", "(I)I").unwrap();
    machine.set_fuel(FUEL);
    let term = machine.terms_mut().new_variable("input", Sort::Bv32);
    let input = Value { shadow: shadow_of(term), ..Value::int(9) };
    machine.enter(run, &[input]).unwrap();
    let mut decisions = Vec::new();
    loop {
        match machine.run() {
            Exit::Decision(decision) => {
                let condition = machine.terms().display(decision.taken, 200);
                decisions.push((decision.site.at, decision.side, condition));
            }
            Exit::Returned(value) => return (value.as_int(), machine.fuel(), decisions),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn symbols_that_arrive_in_memory_are_met() {
    let jdk = all_jdks().remove(0);
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Arrival.java");
    std::fs::write(&source, ARRIVAL).unwrap();
    common::run(Command::new(jdk.javac_binary()).arg("-d").arg(folder.path()).arg(&source));
    let interpreted = arrival(&jdk, folder.path(), Compile::Never);
    assert!(interpreted.2.len() > 100, "the symbol decides: {}", interpreted.2.len());
    assert_eq!(arrival(&jdk, folder.path(), Compile::Hot), interpreted);
    assert_eq!(arrival(&jdk, folder.path(), Compile::AtOnce), interpreted);
}
