//! Mutation: small faults in bytecode, by which test suites are compared.
//!
//! An [`Operator`](operators::Operator) proposes replacements for a single instruction; [`mutants`] applies
//! all operators ([`operators::ALL`]) to all instructions of a class. [`Mutant::code`] is the method's body
//! with one replacement. The instructions after it move, so jumps, handlers and line numbers are rewritten
//! ([`mod@rewrite`]).
//!
//! # Invariants
//!
//! - A mutant's body is as well typed as the original: a replacement has the stack effect of the original
//!   instruction and does not jump.
//! - The same class gives the same mutants in the same order.

pub mod operators;
pub mod rewrite;

use cupping_classfile::{ClassFile, ClassFileError, Code, Instruction, Method};
use operators::{Replacement, Site};

/// A fault in one method of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Index of the method in the class file.
    pub method: usize,
    /// Address of the replaced instruction.
    pub pc: u32,
    /// The source line, if the class file has line numbers.
    pub line: Option<u16>,
    /// Name of the operator.
    pub operator: &'static str,
    /// The replacement.
    pub replacement: Replacement,
}

impl Mutant {
    /// The method's body with the fault; `None` if a jump would exceed its range, or the method its maximal
    /// length.
    ///
    /// # Errors
    /// [`ClassFileError`] if the body is damaged.
    pub fn code(&self, class: &ClassFile) -> Result<Option<Code>, ClassFileError> {
        let Some(code) =
            class.methods.get(self.method).map(|method| class.code(method)).transpose()?.flatten()
        else {
            return Ok(None);
        };
        Ok(rewrite::replace(code, self.pc, &self.replacement.bytes, self.replacement.more_stack))
    }
}

/// All mutants of a class, ordered by method and pc, then as in [`operators::ALL`]. Compiler-generated
/// methods (bridges, and synthetic methods except for lambda bodies) are excluded.
///
/// # Errors
/// [`ClassFileError`] if the body is damaged.
pub fn mutants(class: &ClassFile) -> Result<Vec<Mutant>, ClassFileError> {
    let mut found = Vec::new();
    for (at, method) in class.methods.iter().enumerate() {
        let is_lambda = method.name.starts_with("lambda$");
        if (method.access.is_synthetic() && !is_lambda) || method.access.is_bridge() {
            continue;
        }
        if let Some(code) = class.code(method)? {
            of_method(class, at, method, code, &mut found);
        }
    }
    Ok(found)
}

fn of_method(class: &ClassFile, at: usize, method: &Method, code: &Code, found: &mut Vec<Mutant>) {
    let instructions: Vec<Instruction> =
        cupping_classfile::instructions(&code.bytecode).map_while(Result::ok).collect();
    for (index, instruction) in instructions.iter().enumerate() {
        let site =
            Site { class, method, instruction, before: index.checked_sub(1).map(|it| &instructions[it]) };
        for operator in operators::ALL {
            found.extend((operator.replacements)(&site).into_iter().map(|replacement| Mutant {
                method: at,
                pc: instruction.pc,
                line: code.line_at(instruction.pc),
                operator: operator.name,
                replacement,
            }));
        }
    }
}

#[cfg(test)]
mod tests;
