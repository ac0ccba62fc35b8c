//! What a computation reads of a program, and which changes it sees.

mod common;

use cupping_classfile::facts::{BodyFact, FactKind};
use cupping_classfile::reads::{Read, comparing_lines, record};
use cupping_classfile::{Action, Arithmetic, ClassFile, Code, Method, Program, instructions};
use std::collections::BTreeSet;
use std::process::Command;

const SHAPE: &str = "package p;
@Deprecated(since = \"1\")
public class Shape extends Thread {
    public static final int LIMIT = 5;
    protected int side;
    int area(int width) throws java.io.IOException {
        return width * side;
    }
}
";

/// Whether a body multiplies.
#[derive(Debug, PartialEq)]
struct Product(bool);

impl BodyFact for Product {
    const NAME: &'static str = "product";

    fn of(_: &ClassFile, _: &Method, code: &Code) -> Product {
        let mut all = instructions(&code.bytecode).flatten();
        Product(all.any(|it| it.action() == Action::Arithmetic(Arithmetic::Multiply)))
    }
}

const FACTS: &[FactKind] = &[FactKind::of::<Product>()];

/// The program with this source alone.
fn program(source: &str) -> (tempfile::TempDir, Program) {
    let folder = common::folder();
    let file = folder.path().join("Shape.java");
    std::fs::write(&file, source).unwrap();
    let classes = folder.path().join("classes");
    common::run(Command::new(common::jdk().javac_binary()).args(["-g", "-d"]).arg(&classes).arg(&file));
    let program = common::program(classes.to_str().unwrap());
    (folder, program)
}

/// The answers to what a reader of declarations and one of whole classes ask.
fn answers(source: &str) -> [Vec<u8>; 2] {
    let (_folder, program) = program(source);
    let answer = |read: Read| {
        let mut bytes = Vec::new();
        program.answer(&read, FACTS, &mut |part| bytes.extend_from_slice(part));
        bytes
    };
    [answer(Read::Declaration("p/Shape".into())), answer(Read::Class("p/Shape".into()))]
}

#[test]
fn a_change_of_a_body_is_none_of_the_declaration() {
    let known = answers(SHAPE);
    let changed = |from: &str, to: &str| {
        assert!(SHAPE.contains(from), "{from}");
        let now = answers(&SHAPE.replace(from, to));
        [now[0] != known[0], now[1] != known[1]]
    };
    for (from, to) in [
        ("width * side", "width + side"),
        // New constants, which move others.
        ("return width", "if (side > 9) throw new IllegalStateException(\"far\" + side); return width"),
        // Lines.
        ("    int area", "\n    // The area.\n    int area"),
    ] {
        assert_eq!(changed(from, to), [false, true], "{to}");
    }
    for (from, to) in [
        ("LIMIT = 5", "LIMIT = 6"),
        ("\"1\"", "\"2\""),
        ("@Deprecated(since = \"1\")", ""),
        ("width", "wide"),
        ("protected int side", "public int side"),
        ("extends Thread", "extends Object"),
        ("java.io.IOException", "Exception"),
        ("width * side;", "helped(width); } private int helped(int width) { return width;"),
        ("return width * side;", "return width * (int) side;}\n int more() { return 1;"),
    ] {
        assert_eq!(changed(from, to), [true, true], "{to}");
    }
}

/// The answers about `area`: its body, and its lines.
fn answers_of_area(source: &str) -> [Vec<u8>; 2] {
    let (_folder, program) = program(source);
    let (class, method): (Box<str>, Box<str>) = ("p/Shape".into(), "area(I)I".into());
    let answer = |read: Read| {
        let mut bytes = Vec::new();
        program.answer(&read, FACTS, &mut |part| bytes.extend_from_slice(part));
        bytes
    };
    [answer(Read::Body(class.clone(), method.clone())), answer(Read::Lines(class, method))]
}

#[test]
fn a_body_is_what_it_does_and_its_lines_are_apart() {
    let source =
        &SHAPE.replace("width * side;", "width * side; }\n    Object other() {\n        return null;");
    let known = answers_of_area(source);
    let changed = |from: &str, to: &str| {
        assert!(source.contains(from), "{from}");
        let now = answers_of_area(&source.replace(from, to));
        [now[0] != known[0], now[1] != known[1]]
    };
    for (from, to, expected) in [
        // Other bodies and members, whose constants come before those of this one.
        ("return null", "return \"a\" + side", [false, false]),
        ("Object other", "static { System.out.println(5L); } Object other", [false, false]),
        ("LIMIT = 5;", "LIMIT = 5; static String name = \"area\".trim();", [false, false]),
        ("public static final int", "// Comment.\n    public static final int", [false, true]),
        ("return width * side", "return width + side", [true, false]),
        ("return width * side", "return width * side * (int) 5L", [true, false]),
        ("return width * side", "Runnable r = () -> side++; return width * side", [true, false]),
        ("int width", "int wide, int width", [true, true]),
    ] {
        assert_eq!(changed(from, to), expected, "{to}");
    }
    // Which instructions share a line is part of the body.
    let statements =
        |between: &str| source.replace("return width", &format!("width++;{between}return width"));
    assert_ne!(answers_of_area(&statements(" "))[0], answers_of_area(&statements("\n"))[0]);
    // Constants count as what they are, not by their numbers.
    let text = |of: &str| source.replace("return width * side", &format!("return {of}.length()"));
    assert_ne!(answers_of_area(&text("\"ab\""))[0], answers_of_area(&text("\"ac\""))[0]);
    let lambda = |body: &str| {
        source.replace("return width * side", &format!("Runnable r = () -> {{ {body} }}; return width"))
    };
    assert_eq!(answers_of_area(&lambda("side++;"))[0], answers_of_area(&lambda("side--;"))[0]);
    let to = |of: &str| source.replace("return width * side", &format!("Runnable r = {of}; return width"));
    assert_ne!(answers_of_area(&to("this::other"))[0], answers_of_area(&to("this::hashCode"))[0]);
}

#[test]
fn a_class_links_as_long_as_no_class_is_missing() {
    let linked = |program: &Program| {
        let mut bytes = Vec::new();
        program.answer(&Read::Linked("p/Shape".into()), &[], &mut |part| bytes.extend_from_slice(part));
        String::from_utf8(bytes).unwrap()
    };
    let source = SHAPE.replace("width * side;", "width * side; } Object more(Gone[] them) { return them[0];")
        + "class Gone { }\n";
    let (folder, program) = program(&source);
    assert_eq!(linked(&program), "");
    std::fs::remove_file(folder.path().join("classes/p/Gone.class")).unwrap();
    let without = common::program(folder.path().join("classes").to_str().unwrap());
    // Descriptors do not count: the verifier loads what code compares.
    assert_eq!(linked(&without), "");
    let source = source.replace("return them[0]", "return new Gone()");
    let (folder, _) = self::program(&source);
    std::fs::remove_file(folder.path().join("classes/p/Gone.class")).unwrap();
    assert_eq!(linked(&common::program(folder.path().join("classes").to_str().unwrap())), "p/Gone\n");
}

#[test]
fn a_class_is_read_as_far_as_somebody_asks() {
    let (_folder, program) = program(SHAPE);
    let declaration = Read::Declaration("p/Shape".into());
    let whole = Read::Class("p/Shape".into());
    let body = Read::Body("p/Shape".into(), "area(I)I".into());
    let lines = Read::Lines("p/Shape".into(), "area(I)I".into());
    let only = BTreeSet::from([declaration.clone()]);
    let both = BTreeSet::from([declaration.clone(), whole]);
    let find = || program.find("p/Shape").unwrap().unwrap();
    let area = || find().method("area", "(I)I").unwrap().clone();
    assert_eq!(record(|| find().fields.len()), (2, only.clone()));
    assert_eq!(record(|| find().parameter_names(&area())), (vec![Some("width".into())], only));
    let with_body = BTreeSet::from([declaration.clone(), body.clone()]);
    assert_eq!(record(|| find().code(&area()).map(|it| it.is_some())), (Ok(true), with_body));
    let line = || find().code(&area()).unwrap().unwrap().line_at(0);
    assert_eq!(record(line), (Some(7), BTreeSet::from([declaration.clone(), body.clone(), lines])));
    assert_eq!(record(|| comparing_lines(line)), (Some(7), BTreeSet::from([declaration, body])));
    assert_eq!(record(|| find().constant_count() > 0), (true, both.clone()));
    assert_eq!(record(|| find().bytes().is_empty()), (false, both));
}

#[test]
fn a_fact_is_read_instead_of_the_body() {
    let fact = |name: &str| Read::Fact(name.into(), "p/Shape".into(), "area(I)I".into());
    let (_folder, program) = program(SHAPE);
    let found = record(|| {
        let shape = program.find("p/Shape").unwrap().unwrap();
        shape.fact::<Product>(shape.method("area", "(I)I").unwrap())
    });
    let expected = BTreeSet::from([Read::Declaration("p/Shape".into()), fact("product")]);
    assert_eq!(found, (Ok(Some(Product(true))), expected));

    let answers = |source: &str, name: &str| {
        let (_folder, program) = self::program(source);
        let mut bytes = Vec::new();
        program.answer(&fact(name), FACTS, &mut |part| bytes.extend_from_slice(part));
        bytes
    };
    let changed =
        |to: &str, name: &str| answers(&SHAPE.replace("width * side", to), name) != answers(SHAPE, name);
    assert!(!changed("side * width * 2", "product"));
    assert!(changed("side + width", "product"));
    assert!(changed("side * width", "unheard of"), "the whole body answers for a fact that nobody knows");
}

#[test]
fn a_class_without_names_of_parameters_has_none() {
    let folder = common::folder();
    let file = folder.path().join("Shape.java");
    std::fs::write(&file, SHAPE).unwrap();
    let classes = |name: &str, options: &[&str]| {
        let classes = folder.path().join(name);
        common::run(
            Command::new(common::jdk().javac_binary()).args(options).arg("-d").arg(&classes).arg(&file),
        );
        let shape = common::program(classes.to_str().unwrap()).require("p/Shape").unwrap();
        shape.parameter_names(shape.method("area", "(I)I").unwrap())
    };
    assert_eq!(classes("bare", &["-g:none"]), [None]);
    assert_eq!(classes("named", &["-g:none", "-parameters"]), [Some("width".into())]);
    assert_eq!(classes("debug", &["-g"]), [Some("width".into())]);
}
