//! Every opcode, and every wide form, occurs in a program that runs here and on the JDK: in the corpus, or
//! among the handmade classes, which throw if a result is wrong.

#[path = "hostile/assemble.rs"]
mod assemble;
mod common;

use common::{all_jdks, corpus, fixtures};
use cupping_classfile::{ClassFile, Opcode, OperandKind, Origin, instructions};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Forms that stand nowhere, each with its reason.
const ABSENT: &[(&str, &str)] = &[("wide", "a prefix: its forms are listed with what they widen")];

/// What a class file may hold: every mnemonic, the wide forms apart.
fn forms() -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    for opcode in Opcode::ALL {
        forms.insert(opcode.mnemonic().to_owned());
        if matches!(opcode.operand_kind(), OperandKind::Local | OperandKind::LocalIncrement) {
            forms.insert(format!("wide {}", opcode.mnemonic()));
        }
    }
    forms
}

/// Adds the forms that stand in a class's code.
fn scan(name: &str, bytes: Vec<u8>, found: &mut BTreeSet<String>) {
    let file = ClassFile::parse(Arc::from(bytes), name, Origin::Made).unwrap_or_else(|e| panic!("{e}"));
    for method in file.methods.iter() {
        let Some(code) = file.code(method).unwrap_or_else(|e| panic!("{e}")) else { continue };
        for instruction in instructions(&code.bytecode) {
            let instruction = instruction.unwrap_or_else(|e| panic!("{name}.{}: {e}", method.name));
            let is_wide = code.bytecode[instruction.pc as usize] == Opcode::Wide as u8;
            let prefix = if is_wide { "wide " } else { "" };
            found.insert(format!("{prefix}{}", instruction.opcode.mnemonic()));
        }
    }
}

#[test]
fn every_opcode_stands_in_a_program() {
    let jdk = &all_jdks()[0];
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(corpus(jdk, jdk).classes).unwrap().flatten() {
        if entry.path().extension().is_some_and(|e| e == "class") {
            scan(&entry.file_name().to_string_lossy(), std::fs::read(entry.path()).unwrap(), &mut found);
        }
    }
    let compiled = found.clone();
    for entry in std::fs::read_dir(fixtures().join("hostile")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(class) = name.strip_suffix(".txt") else { continue };
        // Refused classes run nothing.
        let (expected, bytes) = assemble::assemble(class, &std::fs::read_to_string(entry.path()).unwrap());
        if expected == "ok" {
            scan(class, bytes, &mut found);
        }
    }
    let missing = |found: &BTreeSet<String>| forms().difference(found).cloned().collect::<Vec<_>>();
    println!("not emitted by javac in the corpus: {:?}", missing(&compiled));
    let listed: Vec<String> = ABSENT.iter().map(|(form, _)| (*form).to_owned()).collect();
    assert_eq!(missing(&found), listed, "opcodes that no program contains");
}
