//! Running a program on our machine with its coverage measured.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::coverage::CoverageMap;
use cupping_machine::{Exit, Limits, Machine, Value};
use std::path::Path;
use std::sync::Arc;

/// Runs `main` of a program in a folder, with the probes of all its classes, and returns the hits.
pub fn hits(main: &str, folder: &Path, classes: &[String]) -> (CoverageMap, Vec<u64>) {
    let jdk = Jdk::locate(None).expect("a JDK");
    let class_path = ClassPath::open(&folder.display().to_string(), jdk.feature_version()).unwrap();
    let program = Arc::new(Program::new(jdk, class_path));
    let mut map = CoverageMap::new();
    for class in classes {
        map.track(&program.require(class).unwrap()).unwrap();
    }
    let mut machine = Machine::boot(program, Limits::default()).unwrap();
    machine.track(&map);
    let class = machine.initialize_now(main).unwrap_or_else(|trap| panic!("{main} did not start: {trap:?}"));
    let method = machine.find_method(class, "main", "([Ljava/lang/String;)V").expect("a main method");
    let strings = machine.load("[Ljava/lang/String;").unwrap();
    let arguments = machine.new_array(strings, 0).unwrap();
    machine.enter(method, &[Value::reference(arguments)]).unwrap();
    match machine.run() {
        Exit::Returned(_) => {}
        Exit::Threw(exception) => panic!("{main} threw {}", machine.describe_throwable(exception)),
        other => panic!("{main} ended with {other:?}; missing natives: {:?}", machine.missing_natives),
    }
    let hits = machine.registers.coverage.to_vec();
    (map, hits)
}
