//! Faults seeded into the JDK's own classes, in memory, are found.

mod support;

use cupping_classfile::{Code, Instruction, Opcode, Program, instructions};
use cupping_exhaust::{Cause, CheckLimits, CheckResult, Checker, Specification, World};
use cupping_machine::Machine;
use std::fs;
use std::sync::Arc;
use support::{fixtures, program};

/// Checks a specification while `change` has modified the body of a method.
fn with_fault(
    specification: &str,
    (class, method, descriptor): (&str, &str, &str),
    change: impl Fn(&mut Vec<u8>, &Code),
) -> (Specification, CheckResult) {
    let program: Arc<Program> = program();
    let text = fs::read_to_string(fixtures().join(specification)).expect("a specification");
    let specification =
        Specification::read(specification, &text, &program, None).expect("the unmodified method passes");
    let mut machine = Machine::boot(program.clone(), World::limits()).expect("a machine");
    let id = machine.initialize_now(class).expect("the class");
    let found = machine.find_method(id, method, descriptor).expect("the method");
    let file = program.require(class).expect("the class file");
    let code = file.code(file.method(method, descriptor).expect("the method")).expect("code").expect("code");
    let mut bytes = code.bytecode.to_vec();
    change(&mut bytes, code);
    assert_ne!(bytes, code.bytecode.to_vec(), "the fault must change the code");
    machine.replace_code(found, Some(Code { bytecode: bytes.into(), ..(**code).clone() }));
    let mut world = World::on(machine, &specification).expect("a world");
    let mut checker = Checker::new(&specification, &mut world, CheckLimits::default()).expect("a checker");
    checker.all(|_| true).expect("a check");
    let checked = checker.finish();
    (specification, checked)
}

/// TestEra §6.1 swaps BLACK and RED in `if (p.color == BLACK) fixAfterDeletion(p)`. The paper reports 50 of
/// 70 passing, which matches the first such comparison (an entry with one child); the second gives 54.
#[test]
fn colours_swapped_before_fix_after_deletion() {
    let method = ("java/util/TreeMap", "deleteEntry", "(Ljava/util/TreeMap$Entry;)V");
    let swapped = |which: &dyn Fn(usize) -> bool| {
        with_fault("treemap.spec", method, |bytes, code| {
            let instructions: Vec<Instruction> =
                instructions(&code.bytecode).map(|it| it.expect("an instruction")).collect();
            let black = instructions
                .windows(2)
                .filter(|it| it[0].opcode == Opcode::Iconst1 && it[1].opcode == Opcode::IfIcmpne);
            for (at, pair) in black.enumerate() {
                if which(at) {
                    // `iconst_0`
                    bytes[pair[0].pc as usize] = 3;
                }
            }
        })
    };
    let (specification, checked) = swapped(&|at| at == 1);
    assert_eq!((checked.inputs, checked.passed), (70, 54));
    let comments: Vec<Option<String>> = checked
        .groups
        .iter()
        .flat_map(|it| match &it.cause {
            Cause::Fails(places) => places.clone(),
            other => panic!("{other:?}"),
        })
        .map(|at| specification.comment(specification.promised[at].condition.span()))
        .collect();
    let heights = Some("all paths from root to NIL have same # of black nodes".to_owned());
    assert!(comments.contains(&heights), "{comments:?}");
    assert_eq!(swapped(&|at| at == 0).1.passed, 50);
    assert_eq!(swapped(&|_| true).1.passed, 34);
}
