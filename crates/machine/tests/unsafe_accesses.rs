//! Random accesses by `sun.misc.Unsafe` (`fixtures/leaks/UnsafeFuzz.java`): each run ends with a result of the
//! program or reports what is not supported. A panic, also one in a later collection, fails the test.

mod common;

use common::{all_jdks, fixtures, run};
use cupping_classfile::{ClassPath, Program};
use cupping_machine::{CollectionPolicy, Exit, Halt, Machine, RunLimits, Value};
use std::process::Command;
use std::sync::Arc;

/// Runs, each from another seed.
const RUNS: u64 = 4000;

#[test]
fn no_access_harms_the_machine() {
    for jdk in all_jdks() {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let source = fixtures().join("leaks/UnsafeFuzz.java");
        run(Command::new(all_jdks()[0].javac_binary())
            .args(["-nowarn", "-XDignore.symbol.file", "-d"])
            .arg(folder.path())
            .arg(source));
        let class_path = ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).unwrap();
        let program = Arc::new(Program::new(jdk.clone(), class_path));
        let limits = RunLimits { collect: CollectionPolicy::Every(2000), ..RunLimits::default() };
        let mut machine = Machine::boot(program, limits).unwrap();
        machine.set_fuel(10_000_000);
        let class = machine.initialize_now("UnsafeFuzz").unwrap();
        let fuzz = machine.find_method(class, "fuzz", "(J)V").unwrap();
        let start = machine.snapshot();
        let (mut returned, mut threw, mut refused) = (0, 0, 0);
        for seed in 0..RUNS {
            machine.restore(&start);
            machine.set_fuel(10_000_000);
            machine.enter(fuzz, &[Value::long(seed as i64)]).unwrap();
            match machine.run() {
                Exit::Returned(_) => returned += 1,
                Exit::Threw(_) => threw += 1,
                Exit::Halted(Halt::Unsupported(what)) => {
                    assert!(what.contains("Unsafe"), "seed {seed}: {what}");
                    refused += 1;
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
        // Both outcomes are common: the test covers what it claims to.
        assert!(returned.min(refused) > RUNS / 20, "{returned} returned, {threw} threw, {refused} refused");
    }
}
