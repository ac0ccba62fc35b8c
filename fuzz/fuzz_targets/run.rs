//! Any bytes are defined as a class and run under a limit, or refused. `CUPPING_FUZZ_CLASSES` is the folder of the
//! helpers that the seeds use (`fixtures/hostile`).
#![no_main]

#[path = "../../crates/machine/tests/hostile/run.rs"]
mod run;

use cupping_classfile::Jdk;
use libfuzzer_sys::fuzz_target;
use run::Bench;
use std::cell::RefCell;
use std::path::PathBuf;

thread_local! {
    static BENCH: RefCell<Bench> = RefCell::new({
        let jdk = Jdk::locate(None).expect("fuzzing needs a JDK");
        let classes = std::env::var_os("CUPPING_FUZZ_CLASSES").map_or_else(|| ".".into(), PathBuf::from);
        Bench::new(&jdk, &classes)
    });
}

fuzz_target!(|bytes: &[u8]| {
    BENCH.with_borrow_mut(|bench| {
        bench.run(bytes);
    });
});
