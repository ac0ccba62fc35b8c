//! Support for unit tests: a machine with small classes compiled by the JDK's `javac`.

use crate::candidate::Candidate;
use crate::driver::PlanDriver;
use crate::invokable::{Invokable, Parameter, kind_of};
use crate::plan::Plan;
use cupping_case::{JavaType, MethodRef, parse_method_descriptor};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_explore::{InvocationEnd, Path as ExploredPath};
use cupping_machine::{ClassId, Machine, MethodId, RunLimits, Value};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

/// A machine booted with the papers' programs and one more source; the class path is deleted afterwards.
pub fn machine(source: &str) -> Machine {
    lab(source).1
}

/// The machine with the folder of its class path, which exists as long as this value.
pub fn lab(source: &str) -> (tempfile::TempDir, Machine) {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/papers/papers");
    let mut sources: Vec<_> =
        std::fs::read_dir(papers).expect("the fixtures are there").flatten().map(|e| e.path()).collect();
    sources.sort();
    sources.push(folder.path().join("Samples.java"));
    std::fs::write(folder.path().join("Samples.java"), source).expect("a source can be written");
    let output = Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "--release", "11", "-d"])
        .arg(folder.path())
        .args(&sources)
        .output()
        .expect("javac can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let class_path =
        ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).expect("a folder");
    let machine = Machine::boot(
        Arc::new(Program::new(jdk, class_path)),
        RunLimits {
            collect: cupping_machine::CollectionPolicy::Never,
            quantum: 0,
            record_flows: true,
            ..RunLimits::default()
        },
    );
    let mut machine = machine.expect("the JDK boots");
    // Load the classes while the folder exists.
    for name in CLASSES {
        machine.initialize_now(name).unwrap_or_else(|trap| panic!("{}", machine.describe_trap(&trap)));
    }
    (folder, machine)
}

const CLASSES: &[&str] =
    &["papers/TemperatureMonitor", "papers/PartialOrderReductionExample", "papers/CoinBox", "Samples"];

/// The method with this unique name.
pub fn method(machine: &Machine, class: &str, name: &str) -> MethodId {
    let method = |at: usize| {
        let method = MethodId(at as u32);
        let loaded = machine.method(method);
        (&*loaded.name == name && &*machine.class(loaded.class).name == class).then_some(method)
    };
    let mut found = (0..machine.methods().len()).filter_map(method);
    found.next().unwrap_or_else(|| panic!("no method {class}.{name}"))
}

/// An instance method or a constructor of no loaded class, for plans that are not run.
pub fn invokable(class: &str, name: &str, descriptor: &str) -> Invokable {
    let (types, result) = parse_method_descriptor(descriptor).expect("a sound descriptor");
    let parameter = |(at, ty): (usize, JavaType)| Parameter {
        kind: kind_of(&ty),
        ty,
        name: format!("arg{at}"),
        is_outer: false,
        generic: None,
    };
    Invokable {
        method: MethodId(0),
        class: ClassId(0),
        parameters: types.into_iter().enumerate().map(parameter).collect(),
        result: if name == "<init>" { JavaType::class(class) } else { result },
        reference: MethodRef {
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
            varargs: false,
            throws: Vec::new(),
            parameter_names: Vec::new(),
        },
        is_static: false,
        stub: None,
    }
}

/// A path that returned from a plan, without decisions.
pub fn candidate(plan: Plan) -> Candidate {
    let plan = Rc::new(plan);
    Candidate {
        driver: PlanDriver::new(plan.clone()),
        plan,
        path: ExploredPath::default(),
        model: Default::default(),
        hits: Rc::default(),
        pairs: Rc::default(),
        ended: InvocationEnd::Returned(Value::default()),
        thrown: None,
        is_pure: false,
        leaf: None,
        control: 0,
        remembered: None,
        keeps_inputs: false,
    }
}
