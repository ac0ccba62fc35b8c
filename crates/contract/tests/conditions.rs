//! The classes that `javac` generates for conditions, and its messages in terms of the specification.

use cupping_classfile::{ClassFile, ClassPath, Jdk, Origin, Program};
use cupping_contract::{
    CompileError, CompiledSpecifications, Compiler, Method, Setup, SpecificationSource, read,
};
use std::process::Command;

const TILL: &str = "package p;
public class Till {
    private long total;
    long count;
    public Till(int count) { this.count = count; }
    public long total() { return total; }
    public int add(int number, String text) { total += number; count++; return number; }
}";

/// Compiles a specification about the class `Till`.
fn compile(text: &str) -> Result<CompiledSpecifications, CompileError> {
    let jdk = Jdk::locate(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Till.java"), TILL).unwrap();
    let mut javac = Command::new(jdk.javac_binary());
    let output = javac.arg("-d").arg(folder.path()).arg(folder.path().join("Till.java")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let class_path = ClassPath::open(folder.path().to_str().unwrap(), jdk.feature_version()).unwrap();
    let program = Program::new(jdk, class_path);
    Compiler { program: &program }.compile(&[read(&SpecificationSource::new("till.tj", text)).unwrap()])
}

/// The descriptor of the method generated for a condition.
fn descriptor(compiled: &CompiledSpecifications, class: &str, name: &str) -> String {
    let (_, bytes) = compiled.classes.iter().find(|(known, _)| known == class).unwrap();
    let file = ClassFile::parse(bytes.clone().into(), class, Origin::Made).unwrap();
    let found = file.methods.iter().find(|it| &*it.name == name);
    found.unwrap_or_else(|| panic!("no method {name}")).descriptor.to_string()
}

const CASES: &str = "package p;

test Till {
    testcase adds {
        requirement Till till = new Till(3);
        requirement int number in 1 .. 9;
        (till.total() >= 0) requiredBy till.add(number, \"x\")
                ensure (result == number && till.total() == old(till.total()) + number && modifies(till.count));
    }
    testcase makes {
        (true) requiredBy new Till(4) ensure (result.count == 4);
    }
    testcase refuses {
        requirement Till till = null;
        (till == null) requiredBy till.add(0, null) ensure throws NullPointerException;
    }
}
";

#[test]
fn a_call_is_found_with_its_variables() {
    let compiled = compile(CASES).unwrap();
    let names: Vec<&str> = compiled.cases.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Till.adds", "Till.makes", "Till.refuses"]);
    let adds = &compiled.cases[0];
    assert_eq!(adds.variables, [("till".to_owned(), true), ("number".to_owned(), true)]);
    assert!(
        adds.steps.iter().any(|it| matches!(it, Setup::Random(1, bounds) if bounds.len() == 1)),
        "{adds:?}"
    );
    let [triple] = &adds.triples[..] else { panic!("{adds:?}") };
    let target =
        Method { class: "p/Till".into(), name: "add".into(), descriptor: "(ILjava/lang/String;)I".into() };
    assert_eq!(triple.target, target);
    assert_eq!((triple.receiver, &triple.arguments[..]), (Some(0), &[Some(1), None][..]));
    assert_eq!((&triple.pre_names[..], &triple.post_names[..]), (&[0][..], &[0, 1][..]));
    assert!(!triple.pre_is_true && !triple.is_new && triple.throws.is_none());

    let [made] = &compiled.cases[1].triples[..] else { panic!("{compiled:?}") };
    assert!(made.is_new && made.pre_is_true && made.receiver.is_none());
    assert_eq!((made.target.name.as_str(), made.target.descriptor.as_str()), ("<init>", "(I)V"));
    let [refused] = &compiled.cases[2].triples[..] else { panic!("{compiled:?}") };
    assert!(refused.throws.is_some());
}

/// The types of results and of `old` values are those that javac infers in the first round.
#[test]
fn types_of_results_and_old_values_are_inferred() {
    let compiled = compile(CASES).unwrap();
    let adds = &compiled.cases[0];
    let triple = &adds.triples[0];
    let of = |name: &str| descriptor(&compiled, &adds.class, name);
    assert_eq!((triple.old.len(), triple.modifies.len()), (1, 1));
    assert_eq!(of(&triple.old[0]), "(Lp/Till;I)J");
    assert_eq!(of(&triple.pre), "(Lp/Till;I)Z");
    let post = of(triple.post.as_deref().unwrap());
    // Variables, the result, the old value, and what `modifies` compares.
    assert!(post.starts_with("(Lp/Till;IIJ") && post.ends_with(")Z"), "{post}");
}

#[test]
fn messages_of_javac_are_about_the_specification() {
    let with = |from: &str, to: &str| {
        assert!(CASES.contains(from));
        match compile(&CASES.replacen(from, to, 1)) {
            Err(CompileError::Wrong(found)) => {
                found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            }
            other => panic!("{other:?}"),
        }
    };
    let text = with("(till.total() >= 0)", "(till.sum() >= 0)");
    assert!(text.starts_with("till.tj:7:14: error: cannot find symbol; symbol: method sum()"), "{text}");
    let text = with("(result.count == 4)", "(result.count == \"4\")");
    assert!(text.starts_with("till.tj:11:"), "{text}");
    assert!(text.contains("(result.count == \"4\")"), "{text}");
    // A precondition has no result.
    let text = with("(till == null)", "(result == null)");
    assert!(text.starts_with("till.tj:15:"), "{text}");
}
