//! Method bodies.

use std::sync::Arc;

use noak::reader::attributes::{self as raw, AttributeContent};

use crate::bytes::SharedBytes;
use crate::error::{ClassFileError, Result};
use crate::lines::{LineNumber, LineTable};
use crate::pool::PoolReader;

/// A method body (JVMS §4.7.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Greatest depth of the operand stack, in slots (`long` and `double` take two).
    pub max_stack: u16,
    /// Number of local variable slots, including the arguments.
    pub max_locals: u16,
    /// The instructions, as in the file; never empty.
    pub bytecode: SharedBytes,
    /// Exception handlers, in the order in which they are tried.
    pub exception_table: Box<[ExceptionHandler]>,
    /// Source lines, by rising pc.
    pub line_numbers: LineTable,
    /// Local variables, by rising start and slot. Empty if compiled without `-g`.
    pub local_variables: Box<[LocalVariable]>,
    /// Content of the `StackMapTable`, which the verifier reads; `None` if there is none.
    pub stack_map: Option<SharedBytes>,
}

/// An entry of the exception table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceptionHandler {
    /// First pc of the guarded range.
    pub start: u16,
    /// First pc behind it.
    pub end: u16,
    /// The first instruction of the handler.
    pub handler: u16,
    /// Internal name of the class it catches; `None` catches everything.
    pub catch_type: Option<Arc<str>>,
}

/// An entry of `LocalVariableTable`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// First pc at which it has a value.
    pub start: u16,
    /// Number of bytes of code, from `start`, in which it has one.
    pub length: u16,
    /// Its name.
    pub name: Arc<str>,
    /// Descriptor of its type.
    pub descriptor: Arc<str>,
    /// Its slot.
    pub slot: u16,
}

impl Code {
    /// The source line of the instruction at `pc`, if the line table has it.
    pub fn line_at(&self, pc: u32) -> Option<u16> {
        self.line_numbers.line_at(pc)
    }

    /// The variable that `slot` holds at `pc`, if the variable table has it.
    pub fn variable_at(&self, slot: u16, pc: u32) -> Option<&LocalVariable> {
        self.local_variables.iter().find(|variable| {
            let start = u32::from(variable.start);
            variable.slot == slot && (start..start + u32::from(variable.length)).contains(&pc)
        })
    }
}

/// Bytes of a `Code` attribute before the instructions: `max_stack`, `max_locals`, `code_length`.
const BYTES_BEFORE_BYTECODE: usize = 8;
/// Bound of JVMS §4.7.3 on the length of a method's bytecode, in bytes.
const MAX_CODE_LENGTH: usize = 65_535;

impl<'a> PoolReader<'_, 'a> {
    /// Decodes a method body; `content` is the attribute's whole content.
    pub(crate) fn code(self, code: &raw::Code<'a>, content: &'a [u8], method: &str) -> Result<Code> {
        let bytecode = self.bytecode(content, method)?;
        let length = bytecode.len();
        let mut decoded = Code {
            max_stack: code.max_stack(),
            max_locals: code.max_locals(),
            bytecode,
            exception_table: self.exception_table(code, length, method)?,
            line_numbers: LineTable::default(),
            local_variables: Box::default(),
            stack_map: None,
        };
        self.debug_tables(code, &mut decoded, method)?;
        Ok(decoded)
    }

    fn bytecode(self, content: &[u8], method: &str) -> Result<SharedBytes> {
        let bad = |problem: &str| ClassFileError::damaged(self.file, format!("code of {method}"), problem);
        let (header, rest) = content
            .split_at_checked(BYTES_BEFORE_BYTECODE)
            .ok_or_else(|| bad("the attribute is too short"))?;
        let length = header[4..].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        if !(1..=MAX_CODE_LENGTH).contains(&length) {
            return Err(bad(&format!("{length} bytes of code; 1 to {MAX_CODE_LENGTH} are allowed")));
        }
        self.share(rest.get(..length).ok_or_else(|| bad("the code is longer than its attribute"))?)
    }

    fn exception_table(
        self,
        code: &raw::Code<'a>,
        length: usize,
        method: &str,
    ) -> Result<Box<[ExceptionHandler]>> {
        let mut table = Vec::new();
        for entry in code.exception_handlers() {
            let catch_type = match entry.catch_type() {
                None => None,
                Some(index) => Some(Arc::from(&*self.class_at(index.as_u16())?)),
            };
            let (start, end, handler) =
                (entry.start().as_u32(), entry.end().as_u32(), entry.handler().as_u32());
            if start >= end || end as usize > length || handler as usize >= length {
                let place = format!("exception table of {method}, entry {}", table.len());
                let problem =
                    format!("range {start}..{end} to {handler} does not fit {length} bytes of code");
                return Err(ClassFileError::damaged(self.file, place, problem));
            }
            table.push(ExceptionHandler {
                start: start as u16,
                end: end as u16,
                handler: handler as u16,
                catch_type,
            });
        }
        Ok(table.into())
    }

    /// Line numbers and local variables; a body may have several tables of each.
    fn debug_tables(self, code: &raw::Code<'a>, to: &mut Code, method: &str) -> Result<()> {
        let mut lines = Vec::new();
        let mut variables = Vec::new();
        for attribute in code.attributes() {
            let bad = |error| self.bad(&format!("code of {method}"), &error);
            let attribute = attribute.map_err(bad)?;
            match self.value(attribute.name())?.as_bytes() {
                b"LineNumberTable" => lines.extend(self.line_numbers(attribute.content(), method)?),
                b"StackMapTable" => to.stack_map = Some(self.share(attribute.content())?),
                b"LocalVariableTable" => {
                    let AttributeContent::LocalVariableTable(table) =
                        attribute.read_content(self.pool).map_err(bad)?
                    else {
                        continue;
                    };
                    for entry in table.locals().iter() {
                        variables.push(self.local_variable(&entry.map_err(bad)?)?);
                    }
                }
                _ => {}
            }
        }
        // A stable sort: among several entries for one pc, the last one wins, as in the JVM's stack traces.
        lines.sort_by_key(|entry| entry.pc);
        variables.sort_by_key(|variable: &LocalVariable| (variable.start, variable.slot));
        (to.line_numbers, to.local_variables) = (lines.into_iter().collect(), variables.into());
        Ok(())
    }

    /// Decodes a `LineNumberTable` (JVMS §4.7.12). Not `noak`'s: its version 0.7 takes four bytes for each pc, not two.
    fn line_numbers(self, content: &[u8], method: &str) -> Result<impl Iterator<Item = LineNumber>> {
        let table = content.split_first_chunk::<2>();
        let entries =
            table.and_then(|(count, entries)| entries.get(..usize::from(u16::from_be_bytes(*count)) * 4));
        let entries = entries.ok_or_else(|| {
            ClassFileError::damaged(self.file, format!("line numbers of {method}"), "the table is cut short")
        })?;
        Ok(entries.chunks_exact(4).map(|entry| LineNumber {
            pc: u16::from_be_bytes([entry[0], entry[1]]),
            line: u16::from_be_bytes([entry[2], entry[3]]),
        }))
    }

    fn local_variable(self, entry: &raw::LocalVariable) -> Result<LocalVariable> {
        let range = entry.range();
        let (name, descriptor) = (entry.name(), entry.descriptor());
        Ok(LocalVariable {
            start: pc(range.start),
            length: pc(range.end).saturating_sub(pc(range.start)),
            name: self.text(name)?,
            descriptor: self.text(descriptor)?,
            slot: entry.index(),
        })
    }
}

/// A pc as the file has it. Sums of two 16-bit values are cut at the bound on code.
fn pc(index: raw::Index) -> u16 {
    u16::try_from(index.as_u32()).unwrap_or(u16::MAX)
}
