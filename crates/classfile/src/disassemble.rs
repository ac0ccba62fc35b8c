//! Listings of classes in the style of `javap -c`, for people and for tests.

use std::fmt::Write;

use crate::class_file::{ClassFile, Method};
use crate::constant::Constant;
use crate::error::{ClassFileError, Result};
use crate::instructions::{Instruction, instructions};

/// The body of `method`, one instruction per line, with resolved constants; empty if it has none.
///
/// # Errors
///
/// [`ClassFileError::Damaged`] if the body, an instruction or a constant that it uses is malformed.
pub fn method_listing(class: &ClassFile, method: &Method) -> Result<String> {
    let mut listing = String::new();
    let Some(code) = class.code(method)? else {
        return Ok(listing);
    };
    for instruction in instructions(&code.bytecode) {
        let instruction = instruction.map_err(|error| {
            let place = format!("code of {}{}, pc {}", method.name, method.descriptor, error.pc);
            ClassFileError::damaged(class.file(), place, error.problem)
        })?;
        let constant = match instruction.constant_index() {
            Some(constant) => format!(" // {}", describe(&class.constant(constant)?)),
            None => String::new(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(listing, "{instruction}{constant}");
    }
    Ok(listing)
}

/// One instruction on one line, without its offset. A malformed constant is shown by its number.
pub fn instruction_text(class: &ClassFile, instruction: &Instruction) -> String {
    let with_offset = instruction.to_string();
    let mut text = match with_offset.split_once(": ") {
        Some((_, text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        None => with_offset,
    };
    if let Some(Ok(constant)) = instruction.constant_index().map(|constant| class.constant(constant)) {
        let _ = write!(text, " // {}", describe(&constant));
    }
    text
}

/// A constant as `javap` describes it.
pub fn describe(constant: &Constant<'_>) -> String {
    match constant {
        Constant::Utf8(text) => text.to_string(),
        Constant::Integer(value) => format!("int {value}"),
        Constant::Float(value) => format!("float {value:?}f"),
        Constant::Long(value) => format!("long {value}l"),
        Constant::Double(value) => format!("double {value:?}d"),
        Constant::Class(name) => format!("class {name}"),
        Constant::String(units) => format!("String {}", String::from_utf16_lossy(units).escape_debug()),
        Constant::Field { class, name, descriptor } => format!("Field {class}.{name}:{descriptor}"),
        Constant::Method { class, name, descriptor, interface } => {
            let kind = if *interface { "InterfaceMethod" } else { "Method" };
            format!("{kind} {class}.{name}:{descriptor}")
        }
        Constant::NameAndType { name, descriptor } => format!("{name}:{descriptor}"),
        Constant::MethodHandle { kind, reference } => format!("MethodHandle {kind:?} #{reference}"),
        Constant::MethodType(descriptor) => format!("MethodType {descriptor}"),
        Constant::Dynamic { bootstrap, name, descriptor } => {
            format!("Dynamic #{bootstrap}:{name}:{descriptor}")
        }
        Constant::InvokeDynamic { bootstrap, name, descriptor } => {
            format!("InvokeDynamic #{bootstrap}:{name}:{descriptor}")
        }
        Constant::Module(name) => format!("module {name}"),
        Constant::Package(name) => format!("package {name}"),
    }
}
