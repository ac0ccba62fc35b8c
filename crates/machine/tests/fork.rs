//! Forking: what runs after a snapshot leaves no trace once the snapshot is restored.

mod common;

use common::{all_jdks, boot, corpus, observe};

/// Programs that write statics, run static initialisers, intern strings, hash identities and print.
const PROGRAMS: [&str; 6] =
    ["StaticInitOrder", "InternIdentity", "HashMaps", "StringBuffers", "EnumBodies", "ChainedCauses"];

#[test]
fn a_program_runs_the_same_from_a_restored_snapshot() {
    let jdk = &all_jdks()[0];
    let corpus = corpus(jdk, jdk);
    let mut machine = boot(jdk, &corpus.classes);
    let booted = machine.snapshot();
    for name in PROGRAMS {
        let first = observe(&mut machine, name, 10_000_000);
        machine.restore(&booted);
        let second = observe(&mut machine, name, 10_000_000);
        machine.restore(&booted);
        assert_eq!(first, second, "{name}");
        assert_eq!(first, corpus.expected[name], "{name}");
    }
}

#[test]
fn a_fork_in_the_middle_of_a_run_can_be_finished_many_times() {
    let jdk = &all_jdks()[0];
    let corpus = corpus(jdk, jdk);
    let mut machine = boot(jdk, &corpus.classes);
    for fuel in [1, 100, 1000, 5000] {
        let start = machine.snapshot();
        // The program stops when its fuel is used up, is frozen there, and continues.
        let stopped = observe(&mut machine, "GameOfLife", fuel);
        assert!(stopped.contains("OutOfFuel"), "{stopped}");
        let middle = machine.snapshot();
        machine.restore(&start);
        assert_eq!(observe(&mut machine, "GameOfLife", 100_000_000), corpus.expected["GameOfLife"]);
        for _ in 0..2 {
            machine.restore(&middle);
            machine.set_fuel(100_000_000);
            assert!(matches!(machine.run(), cupping_machine::Exit::Returned(_)));
            let printed = String::from_utf8(machine.written(1)).unwrap();
            assert_eq!(format!("{printed}--- exit: normal\n"), corpus.expected["GameOfLife"]);
        }
        machine.restore(&start);
    }
}

#[test]
fn forks_of_forks_are_independent() {
    let jdk = &all_jdks()[0];
    let corpus = corpus(jdk, jdk);
    let mut machine = boot(jdk, &corpus.classes);
    let mut live = vec![(machine.snapshot(), String::new())];
    // A tree of states: each program from each state; outputs add up along a path.
    for name in ["HashMaps", "EnumBodies"] {
        let mut next = Vec::new();
        for (state, before) in &live {
            machine.restore(state);
            observe(&mut machine, name, 10_000_000);
            let after = String::from_utf8(machine.written(1)).unwrap();
            assert!(after.starts_with(before.as_str()));
            next.push((machine.snapshot(), after));
        }
        live.extend(next);
    }
    for (state, text) in live.iter().rev() {
        machine.restore(state);
        assert_eq!(String::from_utf8(machine.written(1)).unwrap(), *text);
    }
}
