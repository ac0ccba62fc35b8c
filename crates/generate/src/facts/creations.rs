//! The classes of which a body creates objects.

use super::casts::classes;
use cupping_classfile::facts::BodyFact;
use cupping_classfile::{Action, ClassFile, Code, Method};

/// The classes of which a body creates objects, by internal name, in code order.
#[derive(Debug)]
pub struct Creations(pub Vec<String>);

impl BodyFact for Creations {
    const NAME: &'static str = "creations";

    fn of(file: &ClassFile, _: &Method, code: &Code) -> Creations {
        Creations(classes(file, code, |action| action == Action::New))
    }
}
