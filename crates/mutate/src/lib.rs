//! Mutation: small faults in bytecode, by which test suites are compared.
//!
//! An [`Operator`](operators::Operator) proposes changes at a single instruction; [`mutants`] applies the default
//! operators to all instructions of a class, [`mutants_of`] those of a [`Selection`]. [`Mutant::code`] is the
//! method's body with one change. The instructions after it move, so jumps, handlers and line numbers are rewritten
//! ([`mod@rewrite`]).
//!
//! # Invariants
//!
//! - A mutant's body is as well typed as the original: the replacement of an instruction pops and pushes what the
//!   instruction did, and jumps only where the instruction did. The machine's verifier checks it in tests.
//! - Mutants use the constants of their class: the constant pool is unchanged.
//! - The same class gives the same mutants in the same order.

pub mod effect;
pub mod operators;
pub mod rewrite;
mod selection;

pub use selection::Selection;

use cupping_classfile::{ClassFile, ClassFileError, Code, Instruction, Method};
use operators::{Replacement, Site, Strings};

/// A fault in one method of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Index of the method in the class file.
    pub method: usize,
    /// Address of the changed instruction; for a removed handler, of its first instruction.
    pub pc: u32,
    /// The source line, if the class file has line numbers.
    pub line: Option<u16>,
    /// Name of the operator.
    pub operator: &'static str,
    /// The change.
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
        Ok(rewrite::apply(code, self.pc, &self.replacement.change, self.replacement.more_stack))
    }

    /// What is changed, for display: `if_icmplt becomes if_icmple`.
    pub fn description(&self) -> &str {
        &self.replacement.what
    }
}

/// The mutants of a class by the operators that are used by default; see [`mutants_of`].
///
/// # Errors
/// [`ClassFileError`] if the body is damaged.
pub fn mutants(class: &ClassFile) -> Result<Vec<Mutant>, ClassFileError> {
    mutants_of(class, &Selection::default())
}

/// The mutants of a class by the selected operators, ordered by method and pc, then as in
/// [`operators::ALL`]. Compiler-generated methods (bridges, and synthetic methods except for lambda bodies)
/// are excluded.
///
/// # Errors
/// [`ClassFileError`] if the body is damaged.
pub fn mutants_of(class: &ClassFile, selection: &Selection) -> Result<Vec<Mutant>, ClassFileError> {
    let mut found = Vec::new();
    let strings = Strings::default();
    for (at, method) in class.methods.iter().enumerate() {
        let is_lambda = method.name.starts_with("lambda$");
        if (method.access.is_synthetic() && !is_lambda) || method.access.is_bridge() {
            continue;
        }
        if let Some(code) = class.code(method)? {
            of_method(&MutatedBody { class, strings: &strings, at, method, code }, selection, &mut found);
        }
    }
    Ok(found)
}

/// A method whose instructions are changed.
struct MutatedBody<'a> {
    class: &'a ClassFile,
    strings: &'a Strings,
    at: usize,
    method: &'a Method,
    code: &'a Code,
}

fn of_method(body: &MutatedBody<'_>, selection: &Selection, found: &mut Vec<Mutant>) {
    let &MutatedBody { class, strings, at, method, code } = body;
    let instructions: Vec<Instruction> =
        cupping_classfile::instructions(&code.bytecode).map_while(Result::ok).collect();
    for (index, instruction) in instructions.iter().enumerate() {
        let before = index.checked_sub(1).map(|it| &instructions[it]);
        let rest = &instructions[index + 1..];
        let site = Site { class, strings, method, code, instruction, before, rest };
        for operator in selection.operators() {
            let replacements = (operator.replacements)(&site).into_iter();
            let selected = replacements.filter(|replacement| selection.contains(operator, replacement));
            found.extend(selected.map(|replacement| Mutant {
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
