//! Bytecode to [`Code`]: one pass over the bytes, then targets become indices.

use crate::classes::class::{ClassId, MethodId};
use crate::code::{Code, Handler, Insn, Op, Place, Switch};
use crate::heights::{Flow, effect, heights};
use crate::recording::data_flow::{ContentsAccess, FieldKeys};
use cupping_coverage::{CheckSite, ProbePlan};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What is put between a method's instructions to be told of its run.
#[derive(Clone, Copy, Default)]
pub struct Marks<'a> {
    /// Probes of coverage.
    pub probes: Option<&'a ProbePlan>,
    /// Accesses to what fields hold, by offset.
    pub contents: Option<&'a BTreeMap<u32, ContentsAccess>>,
}

/// The parts of a `Code` attribute that decoding reads.
pub struct Source<'a> {
    /// The bytecode.
    pub bytes: &'a [u8],
    /// Slots for locals.
    pub max_locals: u16,
    /// Slots for operands.
    pub max_stack: u16,
    /// The value of a numeric constant of the pool, if the index is one.
    pub constant: &'a dyn Fn(u16) -> Option<Numeric>,
    /// By how much an instruction with an operand in the pool changes the height of the operand stack.
    pub effect: &'a dyn Fn(Insn) -> Option<i32>,
    /// Name key and slots of the field that an entry of the pool refers to, for data flow.
    pub field: &'a dyn Fn(u16) -> Option<(FieldKeys, u16)>,
    /// Whether accesses to fields and elements are marked though no coverage is measured.
    pub record_flows: bool,
    /// Exception table: start, end and handler offsets, class caught.
    pub handlers: Vec<(u32, u32, u32, Option<Box<str>>)>,
}

/// A numeric constant as slots hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numeric {
    /// An int, or the bits of a float.
    One(u32),
    /// A long, or the bits of a double.
    Two(u64),
}

/// Why a method's code cannot be decoded: becomes a `VerifyError`.
#[derive(Debug, thiserror::Error)]
#[error("bad code at offset {offset}: {what}")]
pub struct DecodeError {
    /// Offset in the bytecode.
    pub offset: u32,
    /// What is wrong.
    pub what: &'static str,
}

/// Decodes the code of a method.
///
/// # Errors
/// Unknown opcodes, truncated instructions and jumps to no instruction.
pub fn decode(
    method: MethodId,
    class: ClassId,
    source: &Source<'_>,
    marks: Marks<'_>,
) -> Result<Code, DecodeError> {
    let mut decoder = Decoder {
        bytes: source.bytes,
        constant: source.constant,
        field: source.field,
        record_flows: source.record_flows,
        pc: 0,
        insns: Vec::with_capacity(source.bytes.len() / 2 + 2),
        offsets: Vec::new(),
        index_of: vec![u32::MAX; source.bytes.len() + 1],
        wide: Vec::new(),
        switches: Vec::new(),
        checks: Vec::new(),
        jumps: Vec::new(),
        probes: marks.probes,
        contents: marks.contents,
    };
    while decoder.pc < source.bytes.len() {
        decoder.instruction()?;
    }
    decoder.index_of[source.bytes.len()] = decoder.insns.len() as u32;
    let handlers = decoder.link(source)?;
    // Running off the end of the code must not run off the array.
    decoder.insns.push(Insn { op: Op::Trap, a: 0, b: 0 });
    decoder.offsets.push(source.bytes.len() as u32);
    let effects: Vec<i32> = decoder
        .insns
        .iter()
        .map(|insn| match insn.op {
            Op::Unresolved | Op::Ldc => (source.effect)(*insn).unwrap_or(0),
            op => effect(op),
        })
        .collect();
    let flow = Flow { switches: &decoder.switches, handlers: &handlers, max_stack: source.max_stack };
    let heights = heights(&decoder.insns, &effects, &flow).map_err(|misfit| DecodeError {
        offset: decoder.offsets.get(misfit.at).copied().unwrap_or(0),
        what: misfit.what,
    })?;
    let tops = heights.into_iter().map(|height| source.max_locals as u32 + height as u32);
    Ok(Code {
        method,
        class,
        insns: decoder.insns.into_iter().zip(tops).map(|(insn, top)| Place::new(insn, top)).collect(),
        offsets: decoder.offsets.into(),
        max_locals: source.max_locals,
        max_stack: source.max_stack,
        handlers,
        wide: decoder.wide.into(),
        switches: decoder.switches.into(),
        checks: decoder.checks.into(),
        calls: RefCell::default(),
    })
}

struct Decoder<'a> {
    bytes: &'a [u8],
    constant: &'a dyn Fn(u16) -> Option<Numeric>,
    field: &'a dyn Fn(u16) -> Option<(FieldKeys, u16)>,
    record_flows: bool,
    pc: usize,
    insns: Vec<Insn>,
    offsets: Vec<u32>,
    index_of: Vec<u32>,
    wide: Vec<u64>,
    /// Targets are offsets until [`Decoder::link`].
    switches: Vec<Switch>,
    checks: Vec<CheckSite>,
    /// Instructions whose `b` is a target offset, with the jump's own offset.
    jumps: Vec<(usize, u32)>,
    probes: Option<&'a ProbePlan>,
    contents: Option<&'a BTreeMap<u32, ContentsAccess>>,
}

impl Decoder<'_> {
    fn fail(&self, what: &'static str) -> DecodeError {
        DecodeError { offset: self.pc as u32, what }
    }

    fn u8(&mut self) -> Result<u8, DecodeError> {
        let byte = *self.bytes.get(self.pc).ok_or_else(|| self.fail("truncated instruction"))?;
        self.pc += 1;
        Ok(byte)
    }

    fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes([self.u8()?, self.u8()?]))
    }

    fn i32(&mut self) -> Result<i32, DecodeError> {
        Ok(i32::from_be_bytes([self.u8()?, self.u8()?, self.u8()?, self.u8()?]))
    }

    fn push(&mut self, at: u32, op: Op, a: u16, b: i32) {
        self.insns.push(Insn { op, a, b });
        self.offsets.push(at);
    }

    fn push_wide(&mut self, at: u32, value: u64) {
        self.wide.push(value);
        self.push(at, Op::LConst, 0, self.wide.len() as i32 - 1);
    }

    fn constant(&mut self, at: u32, index: u16) {
        match (self.constant)(index) {
            Some(Numeric::One(bits)) => self.push(at, Op::IConst, 0, bits as i32),
            Some(Numeric::Two(bits)) => self.push_wide(at, bits),
            None => self.push(at, Op::Ldc, 0, index as i32),
        }
    }

    /// Marks the access to a field in tracked code.
    fn access(&mut self, at: u32, opcode: u8, index: u16) {
        if self.probes.is_none() && !self.record_flows {
            return;
        }
        if let Some((keys, slots)) = (self.field)(index) {
            let is_write = opcode == 179 || opcode == 181;
            let is_static = opcode < 180;
            let tracked = if self.probes.is_some() { 8 } else { 0 };
            let a = if is_write { slots } else { 0 } + if is_static { 4 } else { 0 } + tracked;
            self.push(at, Op::Access, a, if is_static { keys.of_static } else { keys.of_object } as i32);
        }
    }

    /// Marks the access to an array element.
    fn element_access(&mut self, at: u32, value_slots: u16) {
        if self.record_flows {
            self.push(at, Op::ElementAccess, value_slots, 0);
        }
    }

    fn jump(&mut self, at: u32, op: Op, target: i64) -> Result<(), DecodeError> {
        if target < 0 || target >= self.bytes.len() as i64 {
            return Err(DecodeError { offset: at, what: "jump out of the code" });
        }
        self.jumps.push((self.insns.len(), at));
        self.push(at, op, 0, target as i32);
        Ok(())
    }

    fn instruction(&mut self) -> Result<(), DecodeError> {
        let at = self.pc as u32;
        if let Some(probe) = self.probes.and_then(|p| p.before.get(&at)) {
            self.push(at, Op::Probe, 0, *probe as i32);
        }
        self.index_of[self.pc] = self.insns.len() as u32;
        if let Some(probe) = self.probes.and_then(|p| p.exit.get(&at)) {
            self.push(at, Op::Probe, 0, *probe as i32);
        }
        if let Some(access) = self.contents.and_then(|c| c.get(&at)) {
            let how = 8 + 16 + if access.is_static { 4 } else { 0 } + u16::from(access.is_definition);
            self.push(at, Op::Access, how, access.field as i32);
        }
        if let Some(site) = self.probes.and_then(|p| p.checks.get(&at)) {
            self.push(at, Op::Require, 0, self.checks.len() as i32);
            self.checks.push(site.clone());
        }
        let opcode = self.u8()?;
        match opcode {
            0 => self.push(at, Op::Nop, 0, 0),
            1 => self.push(at, Op::AConstNull, 0, 0),
            2..=8 => self.push(at, Op::IConst, 0, opcode as i32 - 3),
            9 | 10 => self.push_wide(at, opcode as u64 - 9),
            11..=13 => self.push(at, Op::IConst, 0, ((opcode - 11) as f32).to_bits() as i32),
            14 | 15 => self.push_wide(at, ((opcode - 14) as f64).to_bits()),
            16 => {
                let value = self.u8()? as i8;
                self.push(at, Op::IConst, 0, value as i32);
            }
            17 => {
                let value = self.u16()? as i16;
                self.push(at, Op::IConst, 0, value as i32);
            }
            18 => {
                let index = self.u8()? as u16;
                self.constant(at, index);
            }
            19 | 20 => {
                let index = self.u16()?;
                self.constant(at, index);
            }
            21..=25 => {
                let local = self.u8()? as u16;
                self.local(at, opcode, local)?;
            }
            26..=45 => {
                let family = (opcode - 26) / 4;
                self.local(at, 21 + family, ((opcode - 26) % 4) as u16)?;
            }
            46..=53 => {
                self.element_access(at, 0);
                self.push(at, ARRAY_LOADS[opcode as usize - 46], 0, 0);
            }
            54..=58 => {
                let local = self.u8()? as u16;
                self.local(at, opcode, local)?;
            }
            59..=78 => {
                let family = (opcode - 59) / 4;
                self.local(at, 54 + family, ((opcode - 59) % 4) as u16)?;
            }
            79..=86 => {
                self.element_access(at, if matches!(opcode, 80 | 82) { 2 } else { 1 });
                self.push(at, ARRAY_STORES[opcode as usize - 79], 0, 0);
            }
            87..=95 => self.push(at, STACK[opcode as usize - 87], 0, 0),
            96..=131 => self.push(at, ARITHMETIC[opcode as usize - 96], 0, 0),
            132 => {
                let (local, amount) = (self.u8()? as u16, self.u8()? as i8);
                self.push(at, Op::IInc, local, amount as i32);
            }
            133..=147 => self.push(at, CONVERSIONS[opcode as usize - 133], 0, 0),
            148..=152 => self.push(at, COMPARISONS[opcode as usize - 148], 0, 0),
            153..=168 => {
                let target = at as i64 + (self.u16()? as i16) as i64;
                self.jump(at, JUMPS[opcode as usize - 153], target)?;
            }
            169 => {
                let local = self.u8()? as u16;
                self.push(at, Op::Ret, local, 0);
            }
            170 | 171 => self.switch(at, opcode)?,
            172 | 174 | 176 => self.push(at, Op::Return1, 0, 0),
            173 | 175 => self.push(at, Op::Return2, 0, 0),
            177 => self.push(at, Op::Return, 0, 0),
            178..=184 | 187 | 189 | 192 | 193 => {
                let index = self.u16()?;
                if opcode <= 181 {
                    self.access(at, opcode, index);
                }
                self.push(at, Op::Unresolved, opcode as u16, index as i32);
            }
            185 | 186 => {
                let index = self.u16()?;
                self.u16()?;
                self.push(at, Op::Unresolved, opcode as u16, index as i32);
            }
            188 => {
                let kind = self.u8()?;
                if !(4..=11).contains(&kind) {
                    return Err(self.fail("unknown element type of newarray"));
                }
                self.push(at, Op::Unresolved, 188, kind as i32);
            }
            190 => self.push(at, Op::ArrayLength, 0, 0),
            191 => self.push(at, Op::AThrow, 0, 0),
            194 => self.push(at, Op::MonitorEnter, 0, 0),
            195 => self.push(at, Op::MonitorExit, 0, 0),
            196 => {
                let opcode = self.u8()?;
                let local = self.u16()?;
                match opcode {
                    132 => {
                        let amount = self.u16()? as i16;
                        self.push(at, Op::IInc, local, amount as i32);
                    }
                    169 => self.push(at, Op::Ret, local, 0),
                    _ => self.local(at, opcode, local)?,
                }
            }
            197 => {
                let index = self.u16()?;
                let dimensions = self.u8()? as u16;
                if dimensions == 0 {
                    return Err(self.fail("multianewarray of no dimensions"));
                }
                self.push(at, Op::Unresolved, 197 | dimensions << 8, index as i32);
            }
            198 | 199 => {
                let target = at as i64 + (self.u16()? as i16) as i64;
                self.jump(at, if opcode == 198 { Op::IfNull } else { Op::IfNonNull }, target)?;
            }
            200 | 201 => {
                let target = at as i64 + self.i32()? as i64;
                self.jump(at, if opcode == 200 { Op::Goto } else { Op::Jsr }, target)?;
            }
            _ => return Err(DecodeError { offset: at, what: "unknown opcode" }),
        }
        Ok(())
    }

    /// `xload` (21..=25) or `xstore` (54..=58) of a local.
    fn local(&mut self, at: u32, opcode: u8, local: u16) -> Result<(), DecodeError> {
        let op = match opcode {
            21 | 23 | 25 => Op::Load1,
            22 | 24 => Op::Load2,
            54 | 56 | 58 => Op::Store1,
            55 | 57 => Op::Store2,
            _ => return Err(self.fail("bad opcode after wide")),
        };
        self.push(at, op, local, 0);
        Ok(())
    }

    fn switch(&mut self, at: u32, opcode: u8) -> Result<(), DecodeError> {
        self.pc = (self.pc + 3) & !3;
        let default = (at as i64 + self.i32()? as i64) as u32;
        let mut cases = Vec::new();
        if opcode == 170 {
            let (low, high) = (self.i32()?, self.i32()?);
            let count = high as i64 - low as i64 + 1;
            if count < 0 || count * 4 > self.bytes.len() as i64 {
                return Err(self.fail("bad bounds of tableswitch"));
            }
            for key in 0..count {
                cases.push(((low as i64 + key) as i32, (at as i64 + self.i32()? as i64) as u32));
            }
        } else {
            let count = self.i32()?;
            if count < 0 || count as i64 * 8 > self.bytes.len() as i64 {
                return Err(self.fail("bad count of lookupswitch"));
            }
            for _ in 0..count {
                cases.push((self.i32()?, (at as i64 + self.i32()? as i64) as u32));
            }
            if !cases.is_sorted_by(|a, b| a.0 < b.0) {
                return Err(self.fail("unsorted lookupswitch"));
            }
        }
        self.push(at, Op::Switch, 0, self.switches.len() as i32);
        self.switches.push(Switch { cases: cases.into(), default });
        Ok(())
    }

    /// Turns offsets of targets into indices; edges with a probe get a trampoline at the end.
    fn link(&mut self, source: &Source<'_>) -> Result<Box<[Handler]>, DecodeError> {
        for (index, at) in std::mem::take(&mut self.jumps) {
            let target = self.insns[index].b as u32;
            let probe = self.probes.and_then(|p| p.jump.get(&at)).copied();
            self.insns[index].b = self.edge(at, target, probe)? as i32;
        }
        let mut switches = std::mem::take(&mut self.switches);
        let owners: Vec<u32> = (0..self.insns.len())
            .filter(|i| self.insns[*i].op == Op::Switch)
            .map(|i| self.offsets[i])
            .collect();
        for (switch, at) in switches.iter_mut().zip(owners) {
            let mut made = BTreeMap::new();
            let targets = switch.cases.iter_mut().map(|(_, target)| target);
            for target in targets.chain(std::iter::once(&mut switch.default)) {
                let index = match made.get(target) {
                    Some(index) => *index,
                    None => {
                        let probe = self.probes.and_then(|p| p.switch.get(&(at, *target))).copied();
                        let index = self.edge(at, *target, probe)?;
                        made.insert(*target, index);
                        index
                    }
                };
                *target = index;
            }
        }
        self.switches = switches;
        let index = |offset: u32| self.index_of.get(offset as usize).copied().filter(|i| *i != u32::MAX);
        let bad = |offset: u32| DecodeError { offset, what: "bad row of the exception table" };
        source
            .handlers
            .iter()
            .map(|(start, end, target, class_name)| {
                Ok(Handler {
                    start: index(*start).ok_or_else(|| bad(*start))?,
                    end: index(*end).ok_or_else(|| bad(*end))?,
                    target: index(*target)
                        .filter(|_| *target < self.bytes.len() as u32)
                        .ok_or_else(|| bad(*target))?,
                    class_name: class_name.clone(),
                })
            })
            .collect()
    }

    fn edge(&mut self, at: u32, target: u32, probe: Option<u32>) -> Result<u32, DecodeError> {
        let index = self.index_of.get(target as usize).copied().filter(|i| *i != u32::MAX);
        let index = index
            .filter(|_| (target as usize) < self.bytes.len())
            .ok_or(DecodeError { offset: at, what: "jump to no instruction" })?;
        let Some(probe) = probe else { return Ok(index) };
        let trampoline = self.insns.len() as u32;
        self.push(at, Op::Probe, 0, probe as i32);
        self.push(at, Op::Goto, 0, index as i32);
        Ok(trampoline)
    }
}

use Op::*;

const ARRAY_LOADS: [Op; 8] = [IALoad, LALoad, FALoad, DALoad, AALoad, BALoad, CALoad, SALoad];
const ARRAY_STORES: [Op; 8] = [IAStore, LAStore, FAStore, DAStore, AAStore, BAStore, CAStore, SAStore];
const STACK: [Op; 9] = [Pop, Pop2, Dup, DupX1, DupX2, Dup2, Dup2X1, Dup2X2, Swap];
const ARITHMETIC: [Op; 36] = [
    IAdd, LAdd, FAdd, DAdd, ISub, LSub, FSub, DSub, IMul, LMul, FMul, DMul, IDiv, LDiv, FDiv, DDiv, IRem,
    LRem, FRem, DRem, INeg, LNeg, FNeg, DNeg, IShl, LShl, IShr, LShr, IUShr, LUShr, IAnd, LAnd, IOr, LOr,
    IXor, LXor,
];
const CONVERSIONS: [Op; 15] = [I2L, I2F, I2D, L2I, L2F, L2D, F2I, F2L, F2D, D2I, D2L, D2F, I2B, I2C, I2S];
const COMPARISONS: [Op; 5] = [LCmp, FCmpL, FCmpG, DCmpL, DCmpG];
const JUMPS: [Op; 16] = [
    IfEq, IfNe, IfLt, IfGe, IfGt, IfLe, IfICmpEq, IfICmpNe, IfICmpLt, IfICmpGe, IfICmpGt, IfICmpLe, IfACmpEq,
    IfACmpNe, Goto, Jsr,
];
