//! Extracts the results of the first round of `javac`: the types of results and `old` values, and the called
//! methods.

use crate::class_bytes;
use crate::compiled_specifications::Method;
use crate::compiler::{Classes, CompileError};
use crate::diagnostic::Diagnostic;
use crate::java::{Case, OBSERVED, RESULT, Types, triples};
use crate::javac::host;
use cupping_classfile::{ClassFile, Constant, Operand, Origin, instructions, source_type};
use std::sync::Arc;

fn bytes_of<'c>(case: &Case<'_>, classes: &'c Classes) -> Option<&'c [u8]> {
    let name = case.internal_name();
    classes.iter().find(|(other, _)| *other == name).map(|(_, bytes)| bytes.as_slice())
}

/// The inferred types in Java syntax.
pub(crate) fn types_of(case: &Case<'_>, classes: &Classes) -> Types {
    let mut types = Types::new();
    let Some(bytes) = bytes_of(case, classes) else { return types };
    for (number, (triple, _)) in triples(case.testcase).iter().enumerate() {
        let post = triple.post.iter();
        let old = post.clone().flat_map(|post| (0..post.old.len()).map(|at| format!("t{number}_old{at}")));
        let modifies =
            post.clone().flat_map(|post| (0..post.modifies.len()).map(|at| format!("t{number}_mod{at}")));
        let names = old.chain(modifies).map(|name| (name, OBSERVED));
        for (method, variable) in names.chain([(format!("t{number}_type"), RESULT)]) {
            if let Some(ty) =
                class_bytes::variable_type(bytes, &method, variable).as_deref().and_then(source_type)
            {
                types.insert(method, ty);
            }
        }
    }
    types
}

/// The called methods.
pub(crate) fn targets_of(case: &Case<'_>, classes: &Classes) -> Result<Vec<Method>, CompileError> {
    let source = &case.specification.source;
    let bytes = bytes_of(case, classes).unwrap_or_default();
    let file = ClassFile::parse(Arc::from(bytes), "conditions", Origin::Made)
        .map_err(|error| host("javac", &error))?;
    let all = triples(case.testcase);
    let mut targets = Vec::new();
    for (number, (triple, _)) in all.iter().enumerate() {
        let code = file.method(&format!("t{number}_call"), "()V").map(|it| file.code(it));
        let Some(Ok(Some(code))) = code else {
            let message = "cannot find the call in the code compiled by javac";
            return Err(CompileError::Wrong(vec![Diagnostic::new(source, triple.call.span, message)]));
        };
        let calls = instructions(&code.bytecode).flatten().filter_map(|instruction| {
            let index = match instruction.operand {
                Operand::Constant(index) => index,
                Operand::InvokeInterface { constant, .. } => constant,
                _ => return None,
            };
            match file.constant(index).ok()? {
                Constant::Method { class, name, descriptor, .. } => Some(Method {
                    class: class.to_string(),
                    name: name.to_string(),
                    descriptor: descriptor.to_string(),
                }),
                _ => None,
            }
        });
        match calls.last() {
            Some(method) => targets.push(method),
            None => {
                let message = "this is not a call";
                return Err(CompileError::Wrong(vec![Diagnostic::new(source, triple.call.span, message)]));
            }
        }
    }
    Ok(targets)
}
