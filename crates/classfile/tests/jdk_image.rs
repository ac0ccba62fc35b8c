//! The class libraries of the JDKs of this machine.

mod common;

use std::collections::BTreeSet;

use cupping_classfile::disassemble::describe;
use cupping_classfile::instructions::check_targets;
use cupping_classfile::{ClassPath, Constant, Operand, Program};

#[test]
fn every_class_of_java_base_decodes() {
    for jdk in common::all_jdks() {
        let program = Program::new(jdk.clone(), ClassPath::default());
        let (mut classes, mut methods) = (0, 0);
        for resource in jdk.image().resources() {
            let resource = resource.unwrap();
            if (resource.module, resource.extension) != ("java.base", "class") || resource.parent.is_empty() {
                continue;
            }
            let name = format!("{}/{}", resource.parent, resource.base);
            let class = program.require(&name).unwrap();
            assert!(class.origin().is_jdk());
            for method in class.methods.iter() {
                let is_bodiless = method.access.is_abstract() || method.access.is_native();
                let Some(code) = class.code(method).unwrap() else {
                    assert!(is_bodiless, "{name}.{}", method.name);
                    continue;
                };
                assert!(!is_bodiless);
                check_body(&class, code);
                methods += 1;
            }
            classes += 1;
        }
        assert!(classes > 6000 && methods > 50_000, "{}: {classes} {methods}", jdk.home().display());
    }
}

fn check_body(class: &cupping_classfile::ClassFile, code: &cupping_classfile::Code) {
    for instruction in check_targets(&code.bytecode).unwrap_or_else(|error| panic!("{class:?}: {error}")) {
        if let Operand::Constant(index) | Operand::InvokeInterface { constant: index, .. } =
            instruction.operand
        {
            let constant = class.constant(index).unwrap();
            assert!(
                !matches!(constant, Constant::Utf8(_) | Constant::NameAndType { .. }),
                "{}",
                describe(&constant)
            );
        }
    }
}

#[test]
fn every_resource_is_found_by_its_name() {
    for jdk in common::all_jdks() {
        let image = jdk.image();
        let mut packages = BTreeSet::new();
        let mut count = 0;
        for resource in image.resources() {
            let resource = resource.unwrap();
            let name = resource.to_string();
            let found = image.find(&name).unwrap().unwrap_or_else(|| panic!("{name}"));
            assert_eq!(found.to_string(), name);
            assert!(image.find(&format!("{name}x")).unwrap().is_none());
            if resource.extension == "class" && !resource.parent.is_empty() {
                packages.insert((resource.parent.to_owned(), resource.module.to_owned()));
            }
            count += 1;
        }
        assert!(count > 20_000, "{count}");
        for (package, module) in packages {
            assert_eq!(image.module_of_package(&package).unwrap(), Some(&*module), "{package}");
        }
    }
}

#[test]
fn the_image_answers_as_the_jdk_does() {
    let program = common::program("");
    let cases =
        [("java/lang", Some("java.base")), ("java/sql", Some("java.sql")), ("java", None), ("org/x", None)];
    for (package, module) in cases {
        assert_eq!(program.module_of_package(package).unwrap().as_deref(), module, "{package}");
    }
    let functions = program.classes_of_package("java/util/function", false).unwrap();
    assert!(functions.is_sorted() && functions.contains(&"java/util/function/Function".to_owned()));
    assert!(functions.iter().all(|name| name.starts_with("java/util/function/")));
    assert!(program.classes_of_package("java/util", true).unwrap().len() > functions.len() * 10);
    assert!(program.classes_of_package("java", true).unwrap().len() > 3_000, "java itself has no classes");
    assert!(program.classes_of_package("org/x", true).unwrap().is_empty());
    assert!(program.resource("java/lang/Object.class").unwrap().is_some());
    assert!(program.find("java/lang/NoSuchClass").unwrap().is_none());
}

#[test]
fn a_damaged_image_is_an_error() {
    let folder = common::folder();
    let path = folder.path().join("modules");
    let whole = {
        use std::io::Read;
        let mut bytes = vec![];
        std::fs::File::open(common::jdk().home().join("lib/modules"))
            .unwrap()
            .take(4 << 20)
            .read_to_end(&mut bytes)
            .unwrap();
        bytes
    };
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        cupping_classfile::jimage::Image::open(&path)
    };
    for length in [0, 4, 27, 28, 1000] {
        let error = open(&whole[..length]).unwrap_err().to_string();
        assert!(error.contains("damaged JDK image, header"), "{error}");
    }
    // The index is whole, the contents are not.
    let image = open(&whole).unwrap();
    let behind_the_end = image.resources().flatten().find_map(|resource| image.read(&resource).err());
    let error = behind_the_end.unwrap().to_string();
    assert!(error.contains("the file ends before this content does"), "{error}");
    // Tables overwritten: anything but a panic.
    let mut scrambled = whole.clone();
    for byte in scrambled[28..].iter_mut().step_by(3) {
        *byte ^= 0x5A;
    }
    let image = open(&scrambled).unwrap();
    assert!(image.resources().any(|resource| resource.is_err()));
    let _ =
        image.find("/java.base/java/lang/Object.class").map(|found| found.map(|found| image.read(&found)));
}
