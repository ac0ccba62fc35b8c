//! The verifier as an oracle for the table of opcodes: the effect of each verified instruction on the state
//! must be that of its row. The verifier has its own description of instructions, so a mistake in one of them
//! shows.

use super::state::TypeState;
use super::types::Type;
use crate::{Machine, RunLimits, Verification};
use cupping_classfile::{
    Action, ClassFile, ClassPath, Instruction, Jdk, Literal, Opcode, Program, StackType,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Instructions compared, by opcode.
static COMPARED: Mutex<BTreeMap<Opcode, usize>> = Mutex::new(BTreeMap::new());

/// Opcodes that never reach the verifier's effect: subroutines are inferred, and `wide` is a prefix.
const NOT_SEEN: [Opcode; 4] = [Opcode::Jsr, Opcode::Ret, Opcode::Wide, Opcode::JsrW];
/// Opcodes that the compiled code need not contain: `javac` emits them for unusual code only.
/// `machine/tests/opcodes.rs` runs them in handmade classes.
const SELDOM: [Opcode; 6] =
    [Opcode::GotoW, Opcode::Nop, Opcode::Swap, Opcode::Fload3, Opcode::Fstore1, Opcode::Fstore3];

/// The type in which the table refers to a slot; `None` for the upper slots of wide values.
fn stack_type(ty: Type) -> Option<StackType> {
    match ty {
        Type::Int => Some(StackType::Int),
        Type::Float => Some(StackType::Float),
        Type::Long => Some(StackType::Long),
        Type::Double => Some(StackType::Double),
        Type::Address(_) => Some(StackType::Address),
        Type::Top | Type::LongHigh | Type::DoubleHigh => None,
        Type::Null | Type::Ref(_) | Type::UninitThis | Type::Uninit(_) => Some(StackType::Reference),
    }
}

fn slots(types: &[Type]) -> Vec<Option<StackType>> {
    types.iter().map(|ty| stack_type(*ty)).collect()
}

/// Slots that hold values of these types.
fn slots_of(types: &[StackType]) -> Vec<Option<StackType>> {
    types.iter().flat_map(|ty| std::iter::once(Some(*ty)).chain(ty.is_wide().then_some(None))).collect()
}

/// Compares the verifier's new state with the effect in the table.
pub(super) fn compare_with_table(
    file: &ClassFile,
    insn: &Instruction,
    before: &TypeState,
    after: &TypeState,
) {
    let place = format!("{} in {}", insn, file.name);
    *COMPARED.lock().unwrap().entry(insn.opcode).or_default() += 1;
    let mut expected = before.stack.clone();
    if let Some(shuffle) = insn.shuffle() {
        shuffle.apply(&mut expected).unwrap_or_else(|| panic!("{place}: too few slots"));
        assert_eq!(expected, after.stack, "{place}");
    } else {
        let (pops, pushes) = insn.stack_types(file).unwrap_or_else(|| panic!("{place}: no effect"));
        let (popped, pushed) = (slots_of(&pops), slots_of(&pushes));
        let under = expected.len().checked_sub(popped.len()).unwrap_or_else(|| panic!("{place}: underflow"));
        let taken = slots(&expected[under..]);
        // A return address is stored like a reference.
        let is_address = |found: &[Option<StackType>]| found == [Some(StackType::Address)];
        assert!(
            taken == popped || insn.action() == Action::Store && is_address(&taken),
            "{place}: {taken:?}"
        );
        let slots_after = [slots(&expected[..under]), pushed].concat();
        // `new` and constructors change the types of other slots of the same object, but not whether they are
        // references; an unusable one becomes `Top`.
        let found: Vec<Option<StackType>> = slots(&after.stack);
        let same = found.len() == slots_after.len()
            && found.iter().zip(&slots_after).all(|(found, expected)| {
                found == expected || insn.action() == Action::New && found.is_none()
            });
        assert!(same, "{place}: {found:?} for {slots_after:?}");
        assert_eq!(insn.slots(file), Some((popped.len() as u16, slots_of(&pushes).len() as u16)), "{place}");
    }
    compare_locals(insn, before, after, &place);
}

fn compare_locals(insn: &Instruction, before: &TypeState, after: &TypeState, place: &str) {
    let local = |state: &TypeState, at: u16| stack_type(state.local(usize::from(at)));
    if let Some(loaded) = insn.loaded_local() {
        assert_eq!(local(before, loaded), insn.stack_type(), "{place}");
    }
    match insn.stored_local() {
        Some((stored, slots)) => {
            assert_eq!(slots, insn.stack_type().map_or(1, StackType::slots), "{place}");
            let ty = local(after, stored);
            let expected = insn.stack_type().unwrap_or(StackType::Int);
            let is_address = ty == Some(StackType::Address) && expected == StackType::Reference;
            assert!(ty == Some(expected) || is_address, "{place}: {ty:?}");
        }
        None if matches!(insn.action(), Action::New | Action::Invoke(_)) => {}
        None => assert_eq!(before.locals, after.locals, "{place}"),
    }
    if insn.literal() == Some(Literal::Null) {
        assert_eq!(after.stack.last(), Some(&Type::Null), "{place}");
    }
}

/// Compiles the corpus of small programs into a folder.
fn compile_corpus(jdk: &Jdk, to: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/java");
    // Programs have unique names; of two files with the same name, one is enough here.
    let mut sources: BTreeMap<OsString, PathBuf> = BTreeMap::new();
    for topic in std::fs::read_dir(root).unwrap().flatten() {
        let files = std::fs::read_dir(topic.path()).into_iter().flatten().flatten();
        let files = files.map(|file| file.path()).filter(|it| it.extension().is_some_and(|e| e == "java"));
        sources.extend(files.map(|file| (file.file_name().unwrap().to_owned(), file)));
    }
    let mut javac = Command::new(jdk.javac_binary());
    let options = ["-nowarn", "-encoding", "UTF-8", "--release", "17", "-d"];
    let output = javac.args(options).arg(to).args(sources.values()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_table_says_what_the_verifier_does() {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let folder = tempfile::tempdir().unwrap();
    compile_corpus(&jdk, folder.path());
    let class_path = ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).unwrap();
    let program = Arc::new(Program::new(jdk, class_path));
    let mut names = program.class_path().entries().next().unwrap().class_names().unwrap();
    names.extend_from_slice(&program.classes_of_package("java/util", true).unwrap());
    names.extend_from_slice(&program.classes_of_package("java/math", true).unwrap());
    let mut machine = Machine::boot(program, RunLimits::default()).unwrap();
    for name in names {
        let Ok(class) = machine.load(&name) else { continue };
        // Some programs of the corpus are made to be refused.
        let _ = machine.verify_class(class, Verification::ByVersion);
    }
    let compared = COMPARED.lock().unwrap();
    let total: usize = compared.values().sum();
    println!("{total} instructions compared");
    assert!(total > 100_000, "only {total} instructions");
    let is_missing = |opcode: &&Opcode| {
        !compared.contains_key(opcode) && !NOT_SEEN.contains(opcode) && !SELDOM.contains(opcode)
    };
    let missing: Vec<&Opcode> = Opcode::ALL.iter().filter(is_missing).collect();
    assert_eq!(missing, Vec::<&Opcode>::new(), "opcodes that were not compared");
}
