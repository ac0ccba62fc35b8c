//! Any bytes are read as a class, to the last instruction, or refused.
#![no_main]

use cupping_classfile::instructions::check_targets;
use cupping_classfile::{ClassFile, Origin};
use libfuzzer_sys::fuzz_target;
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = ClassFile::parse(Arc::from(bytes), "fuzzed", Origin::Made) else { return };
    for index in 0..file.constant_count() {
        let _ = file.constant(index);
    }
    for method in &file.methods {
        if let Ok(Some(code)) = file.code(method) {
            let _ = check_targets(&code.bytecode);
        }
    }
});
