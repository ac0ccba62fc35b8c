//! Effects of runs outside of the heap: `fixtures/effects`, each method on its own fork, with the expected
//! effects next to it.
//!
//! `CUPPING_BLESS=1` rewrites the expectations.

mod common;

use common::{all_jdks, boot, fixtures, run};
use cupping_machine::{Exit, Halt, Machine};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const FUEL: u64 = 50_000_000;

fn compile(sources: &[PathBuf], to: &Path) {
    let jdks = all_jdks();
    run(Command::new(jdks[0].javac_binary())
        .args(["-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d"])
        .arg(to)
        .args(sources));
}

/// One line for each method of a class, sorted: its name, how it ended, what it did.
fn effects_of(machine: &mut Machine, class: &str) -> String {
    machine.set_fuel(FUEL);
    let class = machine.initialize_now(class).unwrap();
    let base = machine.snapshot();
    let mut methods: Vec<_> = machine
        .methods()
        .iter()
        .enumerate()
        .filter(|(_, it)| {
            it.class == class && &*it.descriptor == "()V" && it.is_static() && !it.name.contains(['<', '$'])
        })
        .map(|(at, it)| (it.name.to_string(), cupping_machine::MethodId(at as u32)))
        .filter(|(_, id)| {
            !matches!(machine.methods()[id.0 as usize].body, cupping_machine::MethodBody::Missing)
        })
        .collect();
    methods.sort();
    let mut text = String::new();
    for (name, method) in methods {
        machine.restore(&base);
        machine.set_fuel(FUEL);
        machine.enter(method, &[]).unwrap();
        let ended = match machine.run() {
            Exit::Returned(_) => String::new(),
            Exit::Threw(exception) => format!(" threw {}", machine.describe_throwable(exception)),
            Exit::Halted(Halt::Exit(status)) => format!(" exited {status}"),
            other => format!(" {other:?}"),
        };
        writeln!(text, "{name}{ended}").unwrap();
        for effect in machine.effects().iter() {
            writeln!(text, "    {}: {effect}", effect.kind()).unwrap();
        }
    }
    machine.restore(&base);
    assert!(machine.effects().is_empty(), "{:?}", machine.effects());
    text
}

#[test]
fn effects_are_those_beside_the_fixtures() {
    let folder = fixtures().join("effects");
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|it| it == "java"));
    sources.sort();
    let classes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    compile(&sources, classes.path());
    for jdk in all_jdks() {
        for source in &sources {
            let name = source.file_stem().unwrap().to_string_lossy().into_owned();
            let found = effects_of(&mut boot(&jdk, classes.path()), &name);
            let expected = source.with_extension("expected");
            if std::env::var_os("CUPPING_BLESS").is_some() {
                std::fs::write(&expected, &found).unwrap();
            }
            let expected = std::fs::read_to_string(expected).unwrap_or_default();
            assert_eq!(found, expected, "{name} on JDK {}", jdk.feature_version());
        }
    }
}

#[test]
fn network_effects_escape_on_every_jdk() {
    let source = fixtures().join("effects/network/NetworkEffects.java");
    let classes = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    compile(&[source], classes.path());
    for jdk in all_jdks() {
        let found = effects_of(&mut boot(&jdk, classes.path()), "NetworkEffects");
        for name in ["client", "datagrams"] {
            let told: Vec<&str> = found
                .lines()
                .skip_while(|line| *line != name)
                .skip(1)
                .take_while(|it| it.starts_with(' '))
                .collect();
            assert!(
                told.iter().any(|it| it.trim().starts_with("socket: ")),
                "{}: {found}",
                jdk.feature_version()
            );
        }
    }
}
