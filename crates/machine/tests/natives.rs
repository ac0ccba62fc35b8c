//! The table of natives against the JDKs: every row is for a method of at least one of them.

mod common;

use common::all_jdks;
use cupping_classfile::{ClassPath, Program};
use cupping_machine::natives::rows;

/// Methods that only JDKs between 17 and 25 have.
const BETWEEN: [&str; 2] = [
    "jdk/internal/reflect/ReflectionFactory.useNativeAccessor(Ljava/lang/reflect/Executable;)Z",
    "java/lang/Thread.sleep0(J)V",
];

#[test]
fn every_row_is_for_a_method_of_some_jdk() {
    let programs: Vec<Program> = all_jdks()
        .into_iter()
        .map(|jdk| {
            let none = ClassPath::open("", jdk.feature_version()).unwrap();
            Program::new(jdk, none)
        })
        .collect();
    let exists = |class: &str, name: &str, descriptor: &str| {
        programs.iter().any(|program| {
            let file = program.find(class).unwrap();
            file.is_some_and(|f| {
                f.methods
                    .iter()
                    .any(|m| *m.name == *name && (descriptor == "*" || *m.descriptor == *descriptor))
            })
        })
    };
    let strangers: Vec<String> = rows()
        .filter(|row| !exists(row.class, row.name, row.descriptor))
        .map(|row| format!("{}.{}{}", row.class, row.name, row.descriptor))
        .filter(|row| !BETWEEN.contains(&row.as_str()))
        .collect();
    // With only one JDK, the methods of the other are unknown.
    if programs.len() > 1 {
        assert!(strangers.is_empty(), "no JDK has {strangers:#?}");
    }
}
