//! Running a program on our machine with its coverage measured.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_coverage::{CoverageMap, merge};
use cupping_machine::{Exit, Machine, RunLimits, Trap, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The output of programs, and the probes that they hit together.
pub struct Runs {
    pub map: CoverageMap,
    pub hits: Vec<u64>,
    pub outputs: BTreeMap<String, Vec<u8>>,
}

/// Runs `main` of each program in a folder, with the probes of all its classes.
pub fn runs(mains: &[String], folder: &Path, classes: &[String]) -> Runs {
    let program = program(folder);
    let map = map(&program, classes);
    let mut machine = Machine::boot(program, RunLimits::default()).unwrap();
    machine.track(&map);
    let booted = machine.snapshot();
    let mut runs = Runs { map, hits: Vec::new(), outputs: BTreeMap::new() };
    for main in mains {
        machine.restore(&booted);
        run(&mut machine, main);
        merge(&mut runs.hits, &machine.registers().coverage);
        let printed = machine.registers().cold.output.iter().filter(|(descriptor, _)| *descriptor == 1);
        runs.outputs.insert(main.clone(), printed.flat_map(|(_, bytes)| bytes.clone()).collect());
    }
    runs
}

/// The hits of a program when the classes of each of these lists are measured, one list after the other, on one
/// machine.
pub fn hits_in_turn(main: &str, folder: &Path, lists: &[&[String]]) -> Vec<Vec<u64>> {
    let program = program(folder);
    let mut machine = Machine::boot(program.clone(), RunLimits::default()).unwrap();
    let booted = machine.snapshot();
    let mut hits = Vec::new();
    for classes in lists {
        machine.restore(&booted);
        machine.track(&map(&program, classes));
        run(&mut machine, main);
        hits.push(machine.registers().coverage.as_ref().clone());
    }
    hits
}

fn program(folder: &Path) -> Arc<Program> {
    let jdk = Jdk::locate(None).expect("a JDK");
    let class_path = ClassPath::open(&folder.display().to_string(), jdk.feature_version()).unwrap();
    Arc::new(Program::new(jdk, class_path))
}

fn map(program: &Program, classes: &[String]) -> CoverageMap {
    let mut map = CoverageMap::new();
    for class in classes {
        map.track(&program.require(class).unwrap()).unwrap();
    }
    map
}

/// Runs a program to its end, which may be an exception.
fn run(machine: &mut Machine, main: &str) {
    let class = match machine.initialize_now(main) {
        Ok(class) => class,
        Err(Trap::Throw(_)) => return,
        Err(trap) => panic!("{main} did not start: {}", machine.describe_trap(&trap)),
    };
    let method = machine.find_method(class, "main", "([Ljava/lang/String;)V").expect("a main method");
    let strings = machine.load("[Ljava/lang/String;").unwrap();
    let arguments = machine.new_array(strings, 0).unwrap();
    machine.enter(method, &[Value::reference(arguments)]).unwrap();
    match machine.run() {
        Exit::Returned(_) | Exit::Threw(_) => {}
        other => panic!("{main} ended with {other:?}; missing natives: {:?}", machine.missing_natives()),
    }
}
