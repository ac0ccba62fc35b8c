//! Whether a body asks for `null`.

use cupping_classfile::facts::BodyFact;
use cupping_classfile::{ClassFile, Code, Method, Opcode, instructions};

/// Whether a body compares a reference with `null`.
#[derive(Debug)]
pub struct NullTest(pub bool);

impl BodyFact for NullTest {
    const NAME: &'static str = "null test";

    fn of(_: &ClassFile, _: &Method, code: &Code) -> NullTest {
        let mut all = instructions(&code.bytecode).map_while(Result::ok);
        NullTest(all.any(|it| matches!(it.opcode, Opcode::Ifnull | Opcode::Ifnonnull)))
    }
}
