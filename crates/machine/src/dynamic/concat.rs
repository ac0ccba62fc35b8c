//! String concatenation: `StringConcatFactory` (JEP 280), implemented as by a `StringBuilder`.

use super::assemble::{Assembler, InvocationKind};
use super::signature::{Signature, kind};
use crate::classes::{Kind, MethodId};
use crate::code::Op;
use crate::dynamic::recipe::Recipe;
use crate::dynamic::site::{BootstrapSite, StaticArgument};
use crate::dynamic::{bootstrap, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;

const BUILDER: &str = "java/lang/StringBuilder";
const STRING: &str = "java/lang/String";
/// Marks an argument in a recipe.
const ARGUMENT: char = '\u{1}';
/// Marks a constant in a recipe.
const CONSTANT: char = '\u{2}';

/// Links a call site of `makeConcat` or `makeConcatWithConstants`.
pub(super) fn link_concat(m: &mut Machine, linkage: &BootstrapSite, with_constants: bool) -> Step<MethodId> {
    let malformed = || Trap::unsupported("call of StringConcatFactory with unusual arguments");
    let signature = Signature::parse(&linkage.descriptor).ok_or_else(malformed)?;
    let recipe: Vec<u16> = match linkage.arguments.first() {
        Some(StaticArgument::Text(recipe)) if with_constants => recipe.to_vec(),
        None if !with_constants => vec![ARGUMENT as u16; signature.parameters.len()],
        _ => return Err(malformed()),
    };
    let mut constants = linkage.arguments.iter().skip(1);
    let mut code = Assembler::new(&signature.kinds());
    // The result is a new object (JLS §15.18.1), but `toString` of an empty builder is the constant `""`.
    let may_be_empty = recipe.iter().all(|unit| *unit == ARGUMENT as u16)
        && signature.parameters.iter().all(|it| kind(it) == Kind::Reference);
    if may_be_empty {
        code.new_object_of(m, STRING)?;
        code.op(Op::Dup);
    }
    code.new_object_of(m, BUILDER)?;
    code.op(Op::Dup);
    code.invoke_named(m, InvocationKind::Direct, BUILDER, "<init>", "()V")?;
    let mut literal = Vec::new();
    let mut next = 0;
    for unit in recipe {
        if unit == ARGUMENT as u16 {
            append_literal(m, &mut code, &mut literal)?;
            let parameter = signature.parameters.get(next).ok_or_else(malformed)?;
            code.parameter(next);
            append(m, &mut code, parameter)?;
            next += 1;
        } else if unit == CONSTANT as u16 {
            match constants.next().ok_or_else(malformed)? {
                StaticArgument::Text(text) => literal.extend_from_slice(text),
                other => {
                    append_literal(m, &mut code, &mut literal)?;
                    let descriptor = bootstrap::push_static_argument(m, &mut code, other)?;
                    append(m, &mut code, &descriptor)?;
                }
            }
        } else {
            literal.push(unit);
        }
    }
    append_literal(m, &mut code, &mut literal)?;
    code.invoke_named(m, InvocationKind::Virtual, BUILDER, "toString", "()Ljava/lang/String;")?;
    if may_be_empty {
        code.invoke_named(m, InvocationKind::Direct, STRING, "<init>", "(Ljava/lang/String;)V")?;
    }
    code.ret(Kind::Reference);
    let name = format!("{}$$Concat${}", m.class(linkage.host).name, linkage.index);
    synthetic::define_static(m, linkage.host, name, "concat", &linkage.descriptor, code)
}

fn append_literal(m: &mut Machine, code: &mut Assembler, literal: &mut Vec<u16>) -> Step<()> {
    if literal.is_empty() {
        return Ok(());
    }
    code.constant(Recipe::Text(std::mem::take(literal).into()));
    append(m, code, "Ljava/lang/String;")
}

fn append(machine: &mut Machine, code: &mut Assembler, descriptor: &str) -> Step<()> {
    // A `char[]` is printed as an object here, not as its characters.
    let parameter = match kind(descriptor) {
        Kind::Byte | Kind::Short => "I",
        Kind::Reference if descriptor == "Ljava/lang/String;" => descriptor,
        Kind::Reference => "Ljava/lang/Object;",
        _ => descriptor,
    };
    let descriptor = format!("({parameter})L{BUILDER};");
    code.invoke_named(machine, InvocationKind::Virtual, BUILDER, "append", &descriptor)
}
