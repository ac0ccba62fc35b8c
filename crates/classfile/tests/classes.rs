//! The content of class files, compared with their sources and with the JDK's own `javap`.

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, LazyLock};

use cupping_classfile::{ClassFile, Constant, Origin, instructions};

/// The classes of the fixture.
const CLASSES: [&str; 7] =
    ["Shapes", "Shapes$1", "Shapes$Colour", "Shapes$First", "Shapes$Mark", "Shapes$Sealed", "Shapes$Second"];

/// The compiled fixture.
static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| common::compiled("shapes", "classes-shapes", &["-g", "-parameters", "--release", "17"]));

fn read(name: &str) -> ClassFile {
    let path = FOLDER.join(name).with_extension("class");
    let bytes: Arc<[u8]> = std::fs::read(&path).unwrap().into();
    ClassFile::parse(bytes, &path.display().to_string(), Origin::Made).unwrap()
}

fn names(names: &[Arc<str>]) -> Vec<&str> {
    names.iter().map(|name| &**name).collect()
}

#[test]
fn declarations_are_those_of_the_source() {
    let class = read("Shapes");
    assert_eq!((&*class.name, class.super_name.as_deref()), ("Shapes", Some("java/lang/Object")));
    assert_eq!((class.major_version, class.minor_version), (61, 0));
    assert_eq!(names(&class.interfaces), ["java/lang/Runnable"]);
    assert!(class.access.is_public() && class.access.is_abstract() && !class.access.is_interface());
    assert_eq!(class.source_file.as_deref(), Some("Shapes.java"));
    assert_eq!(
        class.signature.as_deref(),
        Some("<T::Ljava/lang/Comparable<TT;>;>Ljava/lang/Object;Ljava/lang/Runnable;")
    );
    let mut members = names(&class.nest_members);
    members.sort_unstable();
    assert_eq!(members, CLASSES[1..]);
    assert!(!class.bootstrap_methods.is_empty());

    let field = class.field("field").unwrap();
    assert!(field.access.is_volatile() && field.access.is_protected());
    assert_eq!((&*field.descriptor, field.signature.as_deref()), ("Ljava/lang/Comparable;", Some("TT;")));
    let mark = field.annotations.visible.as_deref().unwrap();
    assert_eq!(mark.len(), 6, "one annotation without values");

    let compute = class.method("compute", "(Ljava/lang/Comparable;J)Ljava/lang/Comparable;").unwrap();
    assert!(compute.access.is_abstract() && !compute.has_code && class.code(compute).unwrap().is_none());
    assert_eq!(names(&compute.exceptions), ["java/io/IOException", "java/lang/IllegalStateException"]);
    let parameters: Vec<_> = compute.parameters.iter().map(|parameter| parameter.name.as_deref()).collect();
    assert_eq!(parameters, [Some("first"), Some("second")]);
    assert!(class.method("nothing", "()V").unwrap().access.is_native());
    assert!(class.method("run", "()V").unwrap().access.is_synchronized());
}

#[test]
fn nested_classes_know_their_place() {
    let anonymous = read("Shapes$1");
    let enclosing = anonymous.enclosing_method.as_ref().unwrap();
    assert_eq!(&*enclosing.class, "Shapes");
    assert_eq!(enclosing.method, Some(("run".into(), "()V".into())));
    assert_eq!(anonymous.nest_host.as_deref(), Some("Shapes"));
    let entry = anonymous.inner_classes.iter().find(|entry| &*entry.inner == "Shapes$1").unwrap();
    assert_eq!((&entry.outer, &entry.name), (&None, &None));

    let record = read("Shapes$First");
    let components = record.record_components.as_deref().unwrap();
    let parts: Vec<_> =
        components.iter().map(|part| (&*part.name, &*part.descriptor, part.signature.as_deref())).collect();
    assert_eq!(
        parts,
        [("size", "I", None), ("names", "Ljava/util/List;", Some("Ljava/util/List<Ljava/lang/String;>;"))]
    );
    let sealed = read("Shapes$Sealed");
    assert_eq!(names(&sealed.permitted_subclasses), ["Shapes$First", "Shapes$Second"]);
    assert!(read("Shapes$Colour").access.is_enum());
    let mark = read("Shapes$Mark");
    assert!(mark.access.is_annotation());
    assert_eq!(mark.method("value", "()I").unwrap().annotations.default.as_deref().map(<[u8]>::len), Some(3));
}

#[test]
fn constants_keep_every_bit() {
    let class = read("Shapes");
    let constant = |name: &str| class.constant(class.field(name).unwrap().constant_value.unwrap()).unwrap();
    assert_eq!(constant("INT"), Constant::Integer(42));
    assert_eq!(constant("LONG"), Constant::Long(i64::MIN));
    assert!(matches!(constant("FLOAT"), Constant::Float(value) if value.to_bits() == 0x7FC0_0000));
    assert!(matches!(constant("DOUBLE"), Constant::Double(value) if value.to_bits() == 1 << 63));
    let text: Vec<u16> =
        "nul\0 high".encode_utf16().chain([0xD800]).chain(" pair\u{1F600} é€".encode_utf16()).collect();
    assert_eq!(constant("TEXT"), Constant::String(text));
}

#[test]
fn bodies_have_handlers_lines_and_variables() {
    let class = read("Shapes");
    let code = class.code(class.method("guarded", "([II)I").unwrap()).unwrap().unwrap();
    let catches: Vec<_> = code.exception_table.iter().map(|handler| handler.catch_type.as_deref()).collect();
    assert_eq!(catches[0], Some("java/lang/ArrayIndexOutOfBoundsException"));
    assert!(catches[1..].iter().all(Option::is_none) && catches.len() >= 3);
    let source = include_str!("fixtures/shapes/Shapes.java");
    let line = source.lines().position(|line| line.contains("result = values[index]")).unwrap() + 1;
    let load = instructions(&code.bytecode)
        .map(Result::unwrap)
        .find(|item| item.opcode.mnemonic() == "iaload")
        .unwrap();
    assert_eq!(code.line_at(load.pc).map(usize::from), Some(line));
    assert!(code.line_numbers.entries().is_sorted_by_key(|entry| entry.pc));
    assert_eq!(code.variable_at(0, load.pc).map(|variable| &*variable.name), Some("values"));
    assert_eq!(code.variable_at(1, 0).map(|variable| &*variable.descriptor), Some("I"));
    assert_eq!((code.max_locals, code.max_stack > 0), (5, true));
}

/// The instructions of every method, as `javap -c` lists them without its comments, switches on one line.
fn by_javap(class: &str) -> Vec<String> {
    let javap = common::jdk().home().join("bin/javap");
    let listing =
        common::run(Command::new(javap).args(["-c", "-p"]).arg(FOLDER.join(class).with_extension("class")));
    let mut lines: Vec<String> = Vec::new();
    let mut in_switch = false;
    for line in listing.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_instruction = line.split_once(": ").is_some_and(|(pc, _)| pc.parse::<u32>().is_ok());
        if in_switch {
            let last = lines.last_mut().unwrap();
            last.push(' ');
            last.push_str(&line);
            if !line.starts_with(['}', 'd']) {
                last.push(',');
            }
            in_switch = line != "}";
        } else if is_instruction {
            in_switch = line.ends_with('{');
            lines.push(line);
        }
    }
    lines
}

#[test]
fn instructions_are_those_of_javap() {
    for name in CLASSES {
        let class = read(name);
        let mut ours = Vec::new();
        for method in class.methods.iter() {
            if let Some(code) = class.code(method).unwrap() {
                ours.extend(instructions(&code.bytecode).map(|item| item.unwrap().to_string()));
            }
        }
        assert_eq!(ours, by_javap(name), "{name}");
    }
}
