//! Specifications in each notation are accepted by its tool: JML by its grammar and, as Java, by `javac`; TestEra's
//! notation by `cupping exhaust`, whose inputs all pass unless `fixtures/infer/exhausted.txt` gives a reason
//! (`CUPPING_BLESS=1` rewrites the figures there).

#[path = "support/jml.rs"]
mod jml;
mod support;

use cupping_exhaust::{Cause, CheckLimits, Checker, Specification, World};
use cupping_infer::output::{self, testera};
use cupping_infer::{ExplorerLimits, InferOptions, Subject};
use std::fs;
use std::path::PathBuf;
use support::{compile, files, fixtures, inferred, session};

/// Runs a specification as `cupping exhaust` does; returns the result.
fn exhausted(subject: &Subject, name: &str, text: &str) -> String {
    let specification = Specification::read(name, text, &subject.program, None);
    let specification = specification.unwrap_or_else(|error| panic!("{}", error.render(name, text)));
    let mut world = World::boot(subject.program.clone(), &specification).expect("a world");
    let mut checker = Checker::new(&specification, &mut world, CheckLimits::default()).expect("a checker");
    checker.all(|so_far| so_far.inputs < 100_000).expect("a check");
    let checked = checker.finish();
    assert!(checked.is_complete && checked.inputs > 0, "{name}: {} inputs", checked.inputs);
    let mut line = format!("{name}: {} inputs, {} passed", checked.inputs, checked.passed);
    for group in &checked.groups {
        line += &match &group.cause {
            Cause::Fails(places) => format!("; fails {places:?}"),
            Cause::Threw(class) => format!("; throws {class}"),
            Cause::Stopped(why) | Cause::Predicate(why) => format!("; {why}"),
        };
    }
    line + "\n"
}

/// The class with a method for each clause of its specification in JML.
fn typed(source: &str, clauses: &[jml::Clause], text: &str) -> String {
    let helpers = text.split("// what the conditions use\n").nth(1).unwrap_or_default();
    let helpers = helpers.trim_end().strip_suffix('}').unwrap_or_default();
    let mut methods = helpers.replace("/*@\n", "").replace("@*/\n", "").replace("pure model ", "");
    for (at, clause) in clauses.iter().enumerate() {
        let head = clause.method.as_deref().unwrap_or("public void none()");
        let (before, parameters) = head.split_once('(').expect("there are parameters");
        let words: Vec<&str> = before.split(' ').filter(|it| !["public", "static"].contains(it)).collect();
        let mut parameters = parameters.trim_end_matches(')').to_owned();
        if let [result, _] = words[..]
            && result != "void"
        {
            let comma = if parameters.is_empty() { "" } else { ", " };
            parameters += &format!("{comma}{result} result");
        }
        methods += &format!("boolean clause{at}({parameters}) {{ return {}; }}\n", clause.java);
    }
    let end = source.rfind('}').expect("a class ends");
    format!("{}{methods}}}\n", &source[..end])
}

#[test]
fn notations_are_taken() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    compile(&files("subjects"), "", folder.path());
    let typed_sources = folder.path().join("typed");
    fs::create_dir(&typed_sources).expect("a folder can be made");
    let mut session = session(folder.path());
    let mut figures = String::new();
    let mut sources: Vec<PathBuf> = Vec::new();
    for file in files("subjects") {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let limits =
            ExplorerLimits { calls: 5, executions: 1_500, each: 0, paths: 0, ..ExplorerLimits::default() };
        let options = InferOptions { limits, algebraic: false, ..InferOptions::default() };
        inferred(&mut session, &format!("subjects/{name}"), options, |subject, outcome| {
            for (method, text) in testera::files(subject, outcome) {
                figures += &exhausted(subject, &format!("{name}.{method}"), &text);
            }
            let text = output::jml::write(subject, outcome);
            let clauses = jml::read(&text).unwrap_or_else(|why| panic!("{name}: {why}\n{text}"));
            assert!(clauses.iter().any(|it| it.word == "ensures"), "{text}");
            let source = fs::read_to_string(&file).expect("it is there");
            let to = typed_sources.join(format!("{name}.java"));
            fs::write(&to, typed(&source, &clauses, &text)).expect("it can be written");
            sources.push(to);
        });
    }
    compile(&sources, "", &typed_sources);
    let file = fixtures().join("exhausted.txt");
    let expected = fs::read_to_string(&file).unwrap_or_default();
    let reasons: String =
        expected.lines().filter(|it| it.starts_with('#')).map(|it| format!("{it}\n")).collect();
    let found = format!("{reasons}{figures}");
    if std::env::var_os("CUPPING_BLESS").is_some() {
        fs::write(&file, &found).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), found);
    for line in figures.lines().filter(|it| it.contains(';')) {
        let method = line.split(':').next().unwrap_or_default();
        assert!(reasons.contains(&format!("# {method}: ")), "{line}: no reason is known");
    }
}

/// The grammar is restrictive: these are no specifications in JML.
#[test]
fn invalid_jml_is_reported() {
    let told = |line: &str| {
        let text = format!(
            "public class A {{\n    public /*@ pure @*/ int size();\n    {line}\n    public int f(int x);\n}}\n"
        );
        jml::read(&text).err().unwrap_or_default()
    };
    assert_eq!(told("//@ ensures \\old(x) == \\result ==> this.size() > 0;"), "");
    for (line, why) in [
        ("//@ requires \\old(x) == 1;", "there is no state before here"),
        ("//@ requires \\result == 1;", "there is no result here"),
        ("//@ ensures this.f(1) == 2;", "f is not pure"),
        ("//@ ensures x == ;", "a name is expected"),
        ("//@ ensures x => 1;", "`"),
        ("//@ ensures x == 1", "`;` is missing"),
        ("//@ assures x == 1;", "assures is no clause"),
    ] {
        assert!(told(line).contains(why), "{line}: {}", told(line));
    }
}
