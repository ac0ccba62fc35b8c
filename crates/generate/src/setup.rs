//! What people's own tests do before each test (JUnit's `@BeforeEach` and `@Before`), as steps of a sequence (thesis §7.4).
//!
//! The test class itself is nothing that a generated test should need, so its set-up is read instead of called: fields of the
//! test class become variables, loops over numbers that are known are unrolled, its own methods are followed into. What
//! depends on anything that only a run can tell is refused, with the place.

mod annotations;
mod domain;
mod reader;
mod refusal;
mod values;

use cupping_case::{Step, VarId, Variable};
use cupping_classfile::{ClassFile, Program};
use std::sync::Arc;

/// A set-up as steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prelude {
    /// As it was named.
    pub name: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// The variables of the steps.
    pub variables: Vec<Variable>,
    /// What fields of the test class hold in the end.
    pub objects: Vec<VarId>,
}

/// The annotations of methods that run before each test.
const BEFORE: [&str; 3] =
    ["Lorg/junit/jupiter/api/BeforeEach;", "Lorg/junit/Before;", "Lorg/testng/annotations/BeforeMethod;"];

/// The set-up of a test class (internal name): this method of it, or else all that run before each test, those of its
/// superclasses first.
///
/// # Errors
/// There is none, or it does what cannot be told without a run.
pub fn prelude(program: &Program, class: &str, method: Option<&str>) -> Result<Prelude, String> {
    let shown = class.replace('/', ".");
    let mut family = Vec::new();
    let mut at = class.to_owned();
    while at != "java/lang/Object" {
        let file = program.require(&at).map_err(|error| error.to_string())?;
        if family.iter().any(|it: &Arc<ClassFile>| it.name == file.name) {
            return Err(format!("{shown} is its own superclass, so that it cannot be loaded"));
        }
        at = file.super_name.as_deref().unwrap_or("java/lang/Object").to_owned();
        family.push(file);
    }
    let mut chosen: Vec<(&ClassFile, usize)> = Vec::new();
    for file in family.iter().rev() {
        for (at, it) in file.methods.iter().enumerate() {
            let is_meant = match method {
                Some(name) => *it.name == *name && it.descriptor.starts_with("()"),
                None => {
                    annotations::types(file, &it.annotations).iter().any(|ty| BEFORE.contains(&ty.as_str()))
                }
            };
            // One that is overridden runs once.
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
    let mut reader = reader::Reader::new(program, family.iter().map(|file| file.name.to_string()).collect());
    let remedy = |why: refusal::Refusal| {
        format!(
            "{}; write that as plain steps, or name a static method that makes the object",
            why.at(&shown)
        )
    };
    reader.construct(class).map_err(remedy)?;
    for (file, at) in chosen {
        reader.run(file, at, vec![values::Held::This], 0).map_err(remedy)?;
    }
    let name = method.map_or(shown.clone(), |method| format!("{shown}.{method}"));
    Ok(reader.finish(name))
}

/// Whether a class has a method of this name that belongs to its objects.
pub fn is_of_objects(program: &Program, class: &str, method: &str) -> bool {
    program.require(class).is_ok_and(|file| {
        file.methods
            .iter()
            .any(|it| *it.name == *method && !it.access.is_static() && it.descriptor.starts_with("()"))
    })
}
