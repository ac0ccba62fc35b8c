//! Test mode does not disturb the program (paper §8.1): programs of the corpus run with triples about JDK
//! classes whose conditions write as much as they can. Output, exit and heap must be the same as without test
//! mode.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_contract::{Compiler, SpecificationSource};
use cupping_coverage::CoverageMap;
use cupping_machine::{Addr, ClassId, ClassKind, Kind, Machine, ProgramEnd, RunLimits};
use cupping_watch::{CheckOptions, WatchOptions, Watcher, branches};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

/// Conditions that modify what they inspect.
const TRIPLES: &str = "
import java.util.*;

test ArrayList {
    testcase add {
        requirement ArrayList list = new ArrayList();
        requirement Object what = null;
        (list.add(\"more\")) requiredBy list.add(what) ensure (list.size() == old(list.size()) + 1 && list.remove(what));
    }
    testcase get {
        requirement ArrayList list = new ArrayList(List.of(1, 2));
        requirement int at in 0 .. 1;
        (list.size() > at) requiredBy list.get(at) ensure (list.set(at, null) == result);
    }
}

test HashMap {
    testcase put {
        requirement HashMap map = new HashMap();
        requirement Object key = null;
        requirement Object what = null;
        (map.size() >= 0) requiredBy map.put(key, what) ensure (map.remove(key) == what);
    }
}

test StringBuilder {
    testcase append {
        requirement StringBuilder text = new StringBuilder();
        requirement String more = \"x\";
        (true) requiredBy text.append(more) ensure (text.reverse().length() >= 0 && new Object().hashCode() != 0);
    }
}
";

/// Limit on the calls and backward jumps of a program; beyond it, the states at that point are compared.
const MOST_STEPS: u64 = 1_000_000;

#[test]
fn programs_are_not_disturbed() {
    let jdk = Jdk::locate(None).unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/java");
    let mut sources: Vec<PathBuf> = Vec::new();
    for folder in std::fs::read_dir(corpus).unwrap().map(|it| it.unwrap().path()).filter(|it| it.is_dir()) {
        let inner = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        sources.extend(inner.filter(|it| it.extension().is_some_and(|it| it == "java")));
    }
    sources.sort_by_key(|it| it.file_stem().map(std::ffi::OsStr::to_owned));
    sources.dedup_by_key(|it| it.file_stem().map(std::ffi::OsStr::to_owned));
    let classes = tempfile::tempdir().unwrap();
    let javac = Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "-Xlint:none", "--release", "17", "-encoding", "UTF-8", "-d"])
        .arg(classes.path())
        .args(&sources)
        .output()
        .unwrap();
    assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
    let class_path = ClassPath::open(classes.path().to_str().unwrap(), jdk.feature_version()).unwrap();
    let program = Arc::new(Program::new(jdk, class_path));
    let specifications = vec![cupping_contract::read(&SpecificationSource::new("jdk.tj", TRIPLES)).unwrap()];
    let compiled =
        Compiler { program: &program }.compile(&specifications).unwrap_or_else(|it| panic!("{it}"));
    let mut coverage = CoverageMap::new();
    for name in ["java/util/ArrayList", "java/util/HashMap", "java/lang/StringBuilder"] {
        coverage.track(&program.require(name).unwrap()).unwrap();
    }
    let mut tester =
        Machine::boot(program.clone(), RunLimits { record_flows: true, ..RunLimits::default() }).unwrap();
    tester.track(&coverage);
    cupping_watch::define(&mut tester, &compiled).unwrap();
    let checked = cupping_watch::check(&mut tester, &compiled, &CheckOptions::default());
    assert!(checked.passed(), "{:#?}", checked.results);
    let branches = branches(&compiled, &specifications, &checked);
    let (compiled, specifications, coverage) =
        (Rc::new(compiled), Rc::new(specifications), Rc::new(coverage));

    let mut plain = Machine::boot(program.clone(), RunLimits::default()).unwrap();
    // Both runs hit probes.
    plain.track(&coverage);
    let mut watched = Machine::boot(program, RunLimits::default()).unwrap();
    watched.track(&coverage);
    cupping_watch::define(&mut watched, &compiled).unwrap();
    let (plain_start, watched_start) = (plain.snapshot(), watched.snapshot());
    let (mut calls, mut wrong) = (0, Vec::new());
    for source in &sources {
        let name = source.file_stem().unwrap().to_str().unwrap();
        plain.restore(&plain_start);
        plain.set_fuel(MOST_STEPS);
        let ending = plain.launch(name, &[]);
        watched.restore(&watched_start);
        watched.set_fuel(MOST_STEPS);
        let watcher = Watcher::install(
            &mut watched,
            compiled.clone(),
            specifications.clone(),
            branches.clone(),
            coverage.clone(),
            WatchOptions::default(),
        )
        .unwrap();
        let watched_ending = watched.launch(name, &[]);
        calls += watcher.report(&watched).calls;
        let end = |machine: &Machine, ending: &ProgramEnd| {
            (machine.registers().cold.output.clone(), format!("{ending:?}"))
        };
        if end(&plain, &ending) != end(&watched, &watched_ending) {
            wrong.push(format!("{name}: output or exit differ: {ending:?}, {watched_ending:?}"));
        } else if let Err(why) = isomorphic(&plain, &watched) {
            wrong.push(format!("{name}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(sources.len() > 100 && calls > 10_000, "{} programs, {calls} calls", sources.len());
}

/// Limit on the objects compared.
const MOST_OBJECTS: usize = 200_000;

/// Checks that the heaps reachable from static fields are isomorphic.
fn isomorphic(one: &Machine, other: &Machine) -> Result<(), String> {
    // Compare the first class of each name: classes that the program's own loaders define have no known
    // counterpart.
    let mut by_name: BTreeMap<&str, ClassId> = BTreeMap::new();
    for class in other.classes() {
        by_name.entry(&class.name).or_insert(class.id);
    }
    let mut seen = std::collections::BTreeSet::new();
    let mut pairs: BTreeMap<Addr, Addr> = BTreeMap::new();
    let mut due: Vec<(Addr, Addr, String)> = Vec::new();
    let mut compare =
        |kind: Kind, a: u64, b: u64, place: String, due: &mut Vec<(Addr, Addr, String)>| match kind {
            Kind::Reference if (a == 0) != (b == 0) => Err(format!("{place} is null on one side only")),
            Kind::Reference if a == 0 => Ok(()),
            Kind::Reference => match pairs.insert(a as Addr, b as Addr) {
                Some(known) if known != b as Addr => Err(format!("{place} is another object")),
                Some(_) => Ok(()),
                None => {
                    due.push((a as Addr, b as Addr, place));
                    Ok(())
                }
            },
            _ if a != b => Err(format!("{place} is {a} and {b}")),
            _ => Ok(()),
        };
    for class in one.classes().iter().filter(|it| !it.from_jdk && it.file.is_some()) {
        if !seen.insert(&class.name) {
            continue;
        }
        let Some(twin) = by_name.get(&*class.name) else { continue };
        for field in class.fields.iter().filter(|it| it.is_static()) {
            let values = (one.static_field(class.id, &field.name), other.static_field(*twin, &field.name));
            let place = format!("{}.{}", class.name, field.name);
            match values {
                (Some(a), Some(b)) => compare(field.kind, a, b, place, &mut due)?,
                (None, None) => {}
                _ => return Err(format!("{place} exists on one side only")),
            }
        }
    }
    let mut seen = 0;
    while let Some((a, b, place)) = due.pop() {
        seen += 1;
        let name = one.class_name_of(a);
        if name != other.class_name_of(b) {
            return Err(format!("{place}: {name} and {}", other.class_name_of(b)));
        }
        if seen > MOST_OBJECTS || name == "java/lang/Class" || place.len() > 2_000 {
            continue;
        }
        let id = one.class_of(a);
        if let ClassKind::Array { kind, .. } = one.class(id).kind {
            let length = one.array_length(a);
            if length != other.array_length(b) {
                return Err(format!("{place}: lengths differ"));
            }
            for at in 0..length {
                let values = (one.element(a, at, kind), other.element(b, at, kind));
                compare(kind, values.0, values.1, format!("{place}[{at}]"), &mut due)?;
            }
            continue;
        }
        let (mut at, mut twin) = (Some(id), Some(other.class_of(b)));
        while let (Some(mine), Some(theirs)) = (at, twin) {
            let (class, other_class) = (one.class(mine), other.class(theirs));
            for (field, twin) in class.fields.iter().zip(&other_class.fields).filter(|it| !it.0.is_static()) {
                let values = (one.field(a, field.offset as u32), other.field(b, twin.offset as u32));
                compare(field.kind, values.0, values.1, format!("{place}.{}", field.name), &mut due)?;
            }
            (at, twin) = (class.super_class, other_class.super_class);
        }
    }
    Ok(())
}
