//! Set-ups of people's own tests (JUnit's `@BeforeEach` and `@Before`) as steps of a sequence (thesis §7.4).
//!
//! A generated test should not depend on the test class, so its set-up is read instead of called: fields of
//! the test class become variables, loops with known bounds are unrolled, and its own methods are inlined.
//! Anything that depends on a run is rejected with its place.

mod domain;
mod prelude;
mod reader;
mod recording;
mod refusal;
mod values;

use cupping_classfile::{ClassFile, Program};
pub use prelude::Prelude;
use std::sync::Arc;

/// Annotations of methods that run before each test.
const BEFORE: [&str; 3] =
    ["Lorg/junit/jupiter/api/BeforeEach;", "Lorg/junit/Before;", "Lorg/testng/annotations/BeforeMethod;"];

/// The set-up of a test class (internal name): the given method, or all methods that run before each test,
/// superclasses first.
///
/// # Errors
/// There is none, or its effect cannot be determined without a run.
pub fn prelude(program: &Program, class: &str, method: Option<&str>) -> Result<Prelude, String> {
    let shown = class.replace('/', ".");
    let mut family = Vec::new();
    let mut at = class.to_owned();
    while at != "java/lang/Object" {
        let file = program.require(&at).map_err(|error| error.to_string())?;
        if family.iter().any(|it: &Arc<ClassFile>| it.name == file.name) {
            return Err(format!("{shown} is its own superclass and cannot be loaded"));
        }
        at = file.super_name.as_deref().unwrap_or("java/lang/Object").to_owned();
        family.push(file);
    }
    let mut chosen: Vec<(&ClassFile, usize)> = Vec::new();
    for file in family.iter().rev() {
        for (at, it) in file.methods.iter().enumerate() {
            let is_meant = match method {
                Some(name) => *it.name == *name && it.descriptor.starts_with("()"),
                None => cupping_classfile::annotation_types(file, &it.annotations)
                    .iter()
                    .any(|ty| BEFORE.contains(&ty.as_str())),
            };
            // An overridden method runs once.
            let overridden = chosen.iter().position(|(file, at)| file.methods[*at].name == it.name);
            if is_meant {
                overridden.into_iter().for_each(|at| {
                    chosen.remove(at);
                });
                chosen.push((file, at));
            }
        }
    }
    if chosen.is_empty() {
        return Err(match method {
            Some(name) => format!("{shown} has no method {name} without parameters"),
            None => format!("{shown} has no method with @BeforeEach or @Before"),
        });
    }
    let mut reader =
        reader::SetupReader::new(program, family.iter().map(|file| file.name.to_string()).collect());
    let remedy = |why: refusal::SetupRefusal| {
        format!(
            "{}; rewrite it with simple steps, or name a static method that creates the object",
            why.at(&shown)
        )
    };
    reader.construct(class).map_err(remedy)?;
    for (file, at) in chosen {
        reader.run(file, at, vec![values::KnownValue::This], 0).map_err(remedy)?;
    }
    let name = method.map_or(shown.clone(), |method| format!("{shown}.{method}"));
    Ok(reader.finish(name))
}

/// Whether a class has an instance method with this name.
pub fn is_of_objects(program: &Program, class: &str, method: &str) -> bool {
    program.require(class).is_ok_and(|file| {
        file.methods
            .iter()
            .any(|it| *it.name == *method && !it.access.is_static() && it.descriptor.starts_with("()"))
    })
}
