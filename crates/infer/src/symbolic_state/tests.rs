//! The solver's reading of a formula agrees with [`Formula::holds`]: on a machine whose values are all concrete, the
//! term of a formula is the constant that `holds` returns.

use super::*;
use crate::term::Phase;
use crate::testing::{ImaginedState, execution, formulas, states};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{GenerateOptions, Session};
use cupping_machine::{ClassId, Machine};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// An object of `symbolic.Values` with these values.
fn object(machine: &mut Machine, class: ClassId, state: &ImaginedState) -> Addr {
    let ints = machine.load("[I").expect("arrays of int");
    let array = |machine: &mut Machine, values: &[i64]| {
        let array = machine.new_array(ints, values.len() as u32).expect("memory");
        for (at, value) in (0..).zip(values) {
            machine.set_element_value(array, at, Kind::Int, Slot::int(*value as i32));
        }
        u64::from(array)
    };
    let (a, b) = (array(machine, &state.a), array(machine, &state.b));
    let object = machine.new_object(class).expect("memory");
    let int = |value: i64| u64::from(value as i32 as u32);
    let values =
        [("x", int(state.x)), ("y", int(state.y)), ("flag", u64::from(state.flag)), ("a", a), ("b", b)];
    for (name, bits) in values {
        let field = machine.class(class).fields.iter().find(|it| &*it.name == name).expect("a field");
        let offset = u32::from(field.offset);
        machine.set_field(object, offset, bits);
    }
    object
}

/// The past terms of a formula.
fn past_terms(formula: &Formula) -> Vec<Term> {
    let mut found = Vec::new();
    formula.any(|it| {
        if let Term::Old(of) = it {
            found.push((**of).clone());
        }
        false
    });
    found
}

#[test]
fn the_solver_reads_formulas_as_executions_do() {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/infer/symbolic/Values.java");
    let mut javac = Command::new(jdk.javac_binary());
    let output = javac.arg("-d").arg(folder.path()).arg(source).output().expect("javac can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let path = ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).expect("a folder");
    let mut session = Session::new(Arc::new(Program::new(jdk, path))).expect("the JDK boots");
    let mut bench = session.open("symbolic/Values", &[], &GenerateOptions::default()).expect("it loads");
    bench.reset();
    let class = bench.subject().class;
    let machine = bench.machine();
    let base = machine.snapshot();
    let mut runner = TestRunner::deterministic();
    let (mut decided, mut kinds) = (0, BTreeSet::new());
    for _ in 0..1_500 {
        let state = states().new_tree(&mut runner).expect("a state").current();
        let formula = formulas().new_tree(&mut runner).expect("a formula").current();
        let (k, result) = (-1i64..4, -1i64..4).new_tree(&mut runner).expect("numbers").current();
        machine.restore(&base);
        let this = object(machine, class, &state);
        let arguments = [(Kind::Int, Slot::int(k as i32))];
        let result_slot = Some((Kind::Int, Slot::int(result as i32)));
        let mut old = Vec::new();
        for term in past_terms(&formula) {
            let mut before = SymbolicState {
                machine: &mut *machine,
                this,
                arguments: &arguments,
                result: result_slot,
                old: &[],
            };
            let value = before.value(&term);
            old.push((term, value));
        }
        let mut after = SymbolicState {
            machine: &mut *machine,
            this,
            arguments: &arguments,
            result: result_slot,
            old: &old,
        };
        let symbolic = after.holds(&formula);
        let concrete = formula.holds(&execution(&state, &state, k, result), Phase::After);
        match symbolic {
            FormulaStatus::If(term) => {
                let constant = machine.terms().as_constant(term).expect("all values are concrete");
                assert_eq!(
                    Some(constant != 0),
                    concrete,
                    "{formula} in {state:?}, k = {k}, result = {result}"
                );
                decided += 1;
                kinds.insert(formula.name());
            }
            FormulaStatus::Absent => {
                assert_eq!(concrete, None, "{formula} in {state:?}, k = {k}, result = {result}")
            }
            FormulaStatus::Unknown => {}
        }
    }
    assert!(decided > 300 && kinds.len() >= 12, "{decided} of {kinds:?}");
}
