//! The classes that a body casts to or tests for.

use cupping_classfile::facts::BodyFact;
use cupping_classfile::{Action, ClassFile, Code, Constant, Method, instructions};

/// The classes that a body casts to or tests for, by internal name, in code order.
#[derive(Debug)]
pub struct Casts(pub Vec<String>);

impl BodyFact for Casts {
    const NAME: &'static str = "casts";

    fn of(file: &ClassFile, _: &Method, code: &Code) -> Casts {
        let casts = |action| matches!(action, Action::CheckCast | Action::InstanceOf);
        Casts(classes(file, code, casts))
    }
}

/// The classes of these instructions, without repetition, in code order.
pub(super) fn classes(file: &ClassFile, code: &Code, is_asked: impl Fn(Action) -> bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for instruction in instructions(&code.bytecode).map_while(Result::ok).filter(|it| is_asked(it.action())) {
        if let Some(Constant::Class(name)) = instruction.constant(file)
            && !found.iter().any(|it| *it == name)
        {
            found.push(name.into_owned());
        }
    }
    found
}
