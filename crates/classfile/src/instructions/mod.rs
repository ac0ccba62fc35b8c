//! Decoding of instructions: every operand checked, every branch target made absolute.

mod queries;

use std::fmt;

use crate::descriptor::primitive_element;
use crate::opcode::{Opcode, OperandKind};

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its pc; for a `wide` form, that of the prefix.
    pub pc: u32,
    /// Its opcode; for a `wide` form, the widened opcode.
    pub opcode: Opcode,
    /// Its operands.
    pub operand: Operand,
    /// Bytes it takes, padding and prefix included.
    pub length: u32,
}

/// The operands of an instruction. Targets are pcs inside of the method; [`check_targets`] checks that an
/// instruction begins there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// None.
    None,
    /// The value of `bipush` and `sipush`.
    Immediate(i16),
    /// A local variable.
    Local(u16),
    /// The local variable and increment of `iinc`.
    LocalIncrement {
        /// The variable.
        local: u16,
        /// The increment.
        by: i16,
    },
    /// A constant pool index.
    Constant(u16),
    /// `invokeinterface`.
    InvokeInterface {
        /// Constant pool index of the method.
        constant: u16,
        /// Slots of the arguments, the receiver included.
        count: u8,
    },
    /// `multianewarray`.
    MultiArray {
        /// Constant pool index of the array class.
        constant: u16,
        /// Dimensions to create, at least 1.
        dimensions: u8,
    },
    /// The element type of `newarray`, as [`primitive_element`] decodes it.
    ArrayType(u8),
    /// A jump.
    Branch(u32),
    /// `tableswitch`.
    TableSwitch {
        /// Target for all other values.
        default: u32,
        /// Value of the first target.
        low: i32,
        /// Targets of `low`, `low + 1`, …
        targets: Box<[u32]>,
    },
    /// `lookupswitch`.
    LookupSwitch {
        /// Target for all other values.
        default: u32,
        /// Values, rising, with their targets.
        pairs: Box<[(i32, u32)]>,
    },
}

/// An error in an instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pc {pc}: {problem}")]
pub struct InstructionError {
    /// The pc of the instruction.
    pub pc: u32,
    /// The problem.
    pub problem: Box<str>,
}

impl Instruction {
    /// The pc behind it.
    pub fn next_pc(&self) -> u32 {
        self.pc + self.length
    }

    /// The pcs it can jump to, as it lists them: a switch's default comes first, and duplicates stay.
    pub fn targets(&self) -> Vec<u32> {
        self.operand.targets()
    }
}

impl Operand {
    /// The pcs that it names, as [`Instruction::targets`] gives them.
    pub fn targets(&self) -> Vec<u32> {
        match self {
            Operand::Branch(target) => vec![*target],
            Operand::TableSwitch { default, targets, .. } => {
                [*default].into_iter().chain(targets.iter().copied()).collect()
            }
            Operand::LookupSwitch { default, pairs } => {
                [*default].into_iter().chain(pairs.iter().map(|pair| pair.1)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The instructions of `code`, in order. The first error ends the iteration.
pub fn instructions(code: &[u8]) -> Instructions<'_> {
    Instructions { code, pc: 0 }
}

/// The iterator of [`instructions()`].
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    pc: usize,
}

impl Iterator for Instructions<'_> {
    type Item = Result<Instruction, InstructionError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pc >= self.code.len() {
            return None;
        }
        let instruction = decode(self.code, self.pc);
        self.pc = instruction.as_ref().map_or(self.code.len(), |instruction| instruction.next_pc() as usize);
        Some(instruction)
    }
}

/// Decodes all of `code` and checks that every target is the start of an instruction.
///
/// # Errors
///
/// The first instruction that is malformed, truncated or jumps into another one.
pub fn check_targets(code: &[u8]) -> Result<Vec<Instruction>, InstructionError> {
    let all: Vec<Instruction> = instructions(code).collect::<Result<_, _>>()?;
    for instruction in &all {
        for target in instruction.targets() {
            if all.binary_search_by_key(&target, |other| other.pc).is_err() {
                let problem = format!(
                    "{} jumps into the middle of an instruction at {target}",
                    instruction.opcode.mnemonic()
                );
                return Err(InstructionError { pc: instruction.pc, problem: problem.into() });
            }
        }
    }
    Ok(all)
}

/// The instruction at `pc`.
///
/// # Errors
///
/// If it is malformed or `code` ends in it.
pub fn decode(code: &[u8], pc: usize) -> Result<Instruction, InstructionError> {
    let mut cursor = Cursor { code, start: pc, at: pc };
    let (opcode, operand) = cursor.instruction().map_err(|problem| {
        let at = u32::try_from(pc).unwrap_or(u32::MAX);
        InstructionError { pc: at, problem: problem.into() }
    })?;
    // A method has at most 65535 bytes of code, and `operand` has checked that `at` lies inside it.
    Ok(Instruction { pc: pc as u32, opcode, operand, length: (cursor.at - pc) as u32 })
}

struct Cursor<'a> {
    code: &'a [u8],
    start: usize,
    at: usize,
}

impl Cursor<'_> {
    fn instruction(&mut self) -> Result<(Opcode, Operand), String> {
        let opcode = self.opcode()?;
        if opcode.operand_kind() != OperandKind::Wide {
            return Ok((opcode, self.operand(opcode)?));
        }
        let widened = self.opcode()?;
        let operand = match widened.operand_kind() {
            OperandKind::Local => Operand::Local(self.u16()?),
            OperandKind::LocalIncrement => Operand::LocalIncrement { local: self.u16()?, by: self.i16()? },
            _ => return Err(format!("wide cannot precede {}", widened.mnemonic())),
        };
        Ok((widened, operand))
    }

    fn opcode(&mut self) -> Result<Opcode, String> {
        let byte = self.u8()?;
        Opcode::from_byte(byte).ok_or_else(|| format!("there is no opcode {byte:#04x}"))
    }

    fn operand(&mut self, opcode: Opcode) -> Result<Operand, String> {
        Ok(match opcode.operand_kind() {
            OperandKind::None | OperandKind::Wide => Operand::None,
            OperandKind::Byte => Operand::Immediate(i16::from(self.u8()? as i8)),
            OperandKind::Short => Operand::Immediate(self.i16()?),
            OperandKind::Local => Operand::Local(u16::from(self.u8()?)),
            OperandKind::LocalIncrement => {
                Operand::LocalIncrement { local: u16::from(self.u8()?), by: i16::from(self.u8()? as i8) }
            }
            OperandKind::ConstantByte => Operand::Constant(u16::from(self.u8()?)),
            OperandKind::Constant => Operand::Constant(self.u16()?),
            OperandKind::InvokeInterface => {
                let operand = Operand::InvokeInterface { constant: self.u16()?, count: self.u8()? };
                self.zero("the fourth operand byte of invokeinterface", 1)?;
                operand
            }
            OperandKind::InvokeDynamic => {
                let operand = Operand::Constant(self.u16()?);
                self.zero("the last operand bytes of invokedynamic", 2)?;
                operand
            }
            OperandKind::MultiArray => match (self.u16()?, self.u8()?) {
                (_, 0) => return Err("multianewarray creates no dimension".into()),
                (constant, dimensions) => Operand::MultiArray { constant, dimensions },
            },
            OperandKind::ArrayType => match self.u8()? {
                code if primitive_element(code).is_some() => Operand::ArrayType(code),
                code => return Err(format!("newarray knows no element type {code}")),
            },
            OperandKind::Branch => {
                let offset = i32::from(self.i16()?);
                Operand::Branch(self.target(offset)?)
            }
            OperandKind::BranchWide => {
                let offset = self.i32()?;
                Operand::Branch(self.target(offset)?)
            }
            OperandKind::TableSwitch => self.table_switch()?,
            OperandKind::LookupSwitch => self.lookup_switch()?,
        })
    }

    fn table_switch(&mut self) -> Result<Operand, String> {
        self.padding()?;
        let default = self.jump()?;
        let (low, high) = (self.i32()?, self.i32()?);
        if low > high {
            return Err(format!("tableswitch from {low} down to {high}"));
        }
        let count = i64::from(high) - i64::from(low) + 1;
        self.has_room(count, 4)?;
        let targets = (0..count).map(|_| self.jump()).collect::<Result<_, _>>()?;
        Ok(Operand::TableSwitch { default, low, targets })
    }

    fn lookup_switch(&mut self) -> Result<Operand, String> {
        self.padding()?;
        let default = self.jump()?;
        let count = self.i32()?;
        self.has_room(i64::from(count), 8)?;
        let pairs: Box<[(i32, u32)]> =
            (0..count).map(|_| Ok((self.i32()?, self.jump()?))).collect::<Result<_, String>>()?;
        if !pairs.is_sorted_by(|left, right| left.0 < right.0) {
            return Err("the values of lookupswitch are not ascending".into());
        }
        Ok(Operand::LookupSwitch { default, pairs })
    }

    /// Checks that `count` entries of `size` bytes can follow, so that a large count has no cost.
    fn has_room(&self, count: i64, size: i64) -> Result<(), String> {
        let room = (self.code.len() - self.at) as i64;
        if count < 0 || count * size > room {
            return Err(format!("a switch of {count} entries does not fit into the code"));
        }
        Ok(())
    }

    /// Skips to the next pc that is a multiple of four. Like the JVM, ignores the bytes in between.
    fn padding(&mut self) -> Result<(), String> {
        self.take(self.at.next_multiple_of(4) - self.at).map(|_| ())
    }

    fn zero(&mut self, what: &str, length: usize) -> Result<(), String> {
        if self.take(length)?.iter().any(|byte| *byte != 0) {
            return Err(format!("{what} must be zero"));
        }
        Ok(())
    }

    /// Reads a 32-bit offset.
    fn jump(&mut self) -> Result<u32, String> {
        let offset = self.i32()?;
        self.target(offset)
    }

    fn target(&self, offset: i32) -> Result<u32, String> {
        let target = self.start as i64 + i64::from(offset);
        if !(0..self.code.len() as i64).contains(&target) {
            return Err(format!("jumps to {target}, outside the {} bytes of code", self.code.len()));
        }
        u32::try_from(target).map_err(|_| format!("jumps to {target}"))
    }

    fn take(&mut self, length: usize) -> Result<&[u8], String> {
        let bytes =
            self.code.get(self.at..self.at + length).ok_or("the code ends inside this instruction")?;
        self.at += length;
        Ok(bytes)
    }

    fn u8(&mut self) -> Result<u8, String> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Result<u16, String> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn i16(&mut self) -> Result<i16, String> {
        self.u16().map(|value| value as i16)
    }

    fn i32(&mut self) -> Result<i32, String> {
        self.take(4).map(|bytes| i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}

/// As `javap -c` prints it, without the names behind constants.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pc, self.opcode.mnemonic())?;
        match &self.operand {
            Operand::None => Ok(()),
            Operand::Immediate(value) => write!(f, " {value}"),
            Operand::Local(local) => write!(f, " {local}"),
            Operand::LocalIncrement { local, by } => write!(f, " {local}, {by}"),
            Operand::Constant(constant) if self.opcode.operand_kind() == OperandKind::InvokeDynamic => {
                write!(f, " #{constant}, 0")
            }
            Operand::Constant(constant) => write!(f, " #{constant}"),
            Operand::InvokeInterface { constant, count } => write!(f, " #{constant}, {count}"),
            Operand::MultiArray { constant, dimensions } => write!(f, " #{constant}, {dimensions}"),
            Operand::ArrayType(code) => match primitive_element(*code) {
                Some(element) => write!(f, " {}", element.java_name()),
                None => write!(f, " {code}"),
            },
            Operand::Branch(target) => write!(f, " {target}"),
            Operand::TableSwitch { default, low, targets } => {
                let values = (0..).map(|index| i64::from(*low) + index);
                switch(f, values.zip(targets.iter().copied()), *default)
            }
            Operand::LookupSwitch { default, pairs } => {
                switch(f, pairs.iter().map(|(value, target)| (i64::from(*value), *target)), *default)
            }
        }
    }
}

fn switch(f: &mut fmt::Formatter<'_>, pairs: impl Iterator<Item = (i64, u32)>, default: u32) -> fmt::Result {
    f.write_str(" {")?;
    for (value, target) in pairs {
        write!(f, " {value}: {target},")?;
    }
    write!(f, " default: {default} }}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn printed(code: &[u8]) -> Vec<String> {
        instructions(code)
            .map(|item| item.map_or_else(|error| error.to_string(), |item| item.to_string()))
            .collect()
    }

    #[test]
    fn instructions_print_like_javap() {
        let cases: &[(&[u8], &[&str])] = &[
            (&[0x10, 0xFF, 0xAC], &["0: bipush -1", "2: ireturn"]),
            (&[0xC4, 0x15, 1, 0, 0xB1], &["0: iload 256", "4: return"]),
            (&[0xC4, 0x84, 0, 1, 0xFF, 0xFE], &["0: iinc 1, -2"]),
            (&[0x00, 0xA7, 0xFF, 0xFF], &["0: nop", "1: goto 0"]),
            (&[0xBC, 10], &["0: newarray int"]),
            (&[0xC5, 0, 7, 2], &["0: multianewarray #7, 2"]),
            (&[0xB9, 0, 9, 1, 0], &["0: invokeinterface #9, 1"]),
            (
                &[
                    0x1A, 0xAA, 0, 0, 0, 0, 0, 23, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 23, 0, 0, 0, 24, 0xB1,
                    0xB1,
                ],
                &["0: iload_0", "1: tableswitch { 5: 24, 6: 25, default: 24 }", "24: return", "25: return"],
            ),
            (
                &[0xAB, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 20, 0xB1],
                &["0: lookupswitch { -1: 20, default: 20 }", "20: return"],
            ),
        ];
        for (code, expected) in cases {
            assert_eq!(printed(code), *expected, "{code:x?}");
        }
    }

    #[test]
    fn malformed_instructions_are_errors() {
        let cases: &[(&[u8], &str)] = &[
            (&[0xFE], "pc 0: there is no opcode 0xfe"),
            (&[0x11, 0], "pc 0: the code ends inside this instruction"),
            (&[0xA7, 0, 3], "pc 0: jumps to 3, outside the 3 bytes of code"),
            (&[0xC4, 0xB1], "pc 0: wide cannot precede return"),
            (&[0xC4, 0xC4], "pc 0: wide cannot precede wide"),
            (&[0xBC, 3], "pc 0: newarray knows no element type 3"),
            (&[0xC5, 0, 1, 0], "pc 0: multianewarray creates no dimension"),
            (&[0xBA, 0, 1, 0, 1], "pc 0: the last operand bytes of invokedynamic must be zero"),
            (
                &[0xAA, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF],
                "pc 0: a switch of 4294967296 entries does not fit into the code",
            ),
        ];
        for (code, expected) in cases {
            assert_eq!(printed(code).last().map(String::as_str), Some(*expected), "{code:x?}");
        }
    }

    #[test]
    fn a_jump_into_an_instruction_is_found() {
        let error = check_targets(&[0x11, 0, 0, 0xA7, 0xFF, 0xFE]).unwrap_err();
        assert_eq!(error.to_string(), "pc 3: goto jumps into the middle of an instruction at 1");
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_are_refused(code in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut pc = 0;
            for item in instructions(&code).flatten() {
                prop_assert_eq!(item.pc, pc);
                pc = item.next_pc();
                prop_assert!(pc as usize <= code.len());
                prop_assert!(item.targets().iter().all(|target| (*target as usize) < code.len()));
                prop_assert!(!item.to_string().is_empty());
            }
        }
    }
}
