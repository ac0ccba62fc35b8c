//! The frames of a `StackMapTable` (JVMS §4.7.4).

use super::state::TypeState;
use super::types::Type;
use super::{Failure, MAX_SLOTS, VerifiedBody, Verifier, VerifyResult, bad};
use crate::exit::Trap;
use cupping_classfile::{Constant, Opcode};

/// A frame: the state that must hold at a pc.
pub(super) struct StackMapFrame {
    pub(super) pc: u32,
    pub(super) state: TypeState,
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

fn damaged() -> Failure {
    let message = "StackMapTable format error: access beyond the end of attribute";
    Failure::Other(Trap::Raise("java/lang/ClassFormatError", Some(message.into())))
}

impl Cursor<'_> {
    fn u8(&mut self) -> VerifyResult<u8> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(damaged)?;
        self.at += 1;
        Ok(byte)
    }

    fn u16(&mut self) -> VerifyResult<u16> {
        Ok(u16::from_be_bytes([self.u8()?, self.u8()?]))
    }
}

impl Verifier<'_> {
    /// All frames by rising pc; none if there is no table.
    pub(super) fn frames(
        &mut self,
        body: &VerifiedBody,
        first: &TypeState,
    ) -> VerifyResult<Vec<StackMapFrame>> {
        let Some(table) = body.code.stack_map.clone() else { return Ok(Vec::new()) };
        let mut cursor = Cursor { bytes: &table, at: 0 };
        let count = cursor.u16()?;
        let mut frames: Vec<StackMapFrame> = Vec::new();
        let mut slots = 0;
        for _ in 0..count {
            let before = frames.last().map_or(&first.locals, |frame| &frame.state.locals);
            let mut state = TypeState { locals: before.clone(), stack: Vec::new(), this_uninit: false };
            let delta = self.frame(body, &mut cursor, &mut state)?;
            let pc = frames.last().map_or(delta as u32, |frame| frame.pc + delta as u32 + 1);
            if body.at(pc).is_none() {
                return Err(bad("StackMapTable error: bad offset"));
            }
            if state.locals.len() > body.code.max_locals as usize
                || state.stack.len() > body.code.max_stack as usize
            {
                return Err(bad("StackMapTable error: bad frame size"));
            }
            state.this_uninit = state.locals.contains(&Type::UninitThis);
            slots += state.locals.len() + state.stack.len();
            if slots > MAX_SLOTS {
                return Err(bad("StackMapTable error: the table is too large"));
            }
            frames.push(StackMapFrame { pc, state });
        }
        if cursor.at != table.len() {
            let message = "StackMapTable format error: wrong attribute size";
            return Err(Failure::Other(Trap::Raise("java/lang/ClassFormatError", Some(message.into()))));
        }
        Ok(frames)
    }

    /// Reads one frame, based on the locals of the previous one; returns its offset delta.
    fn frame(
        &mut self,
        body: &VerifiedBody,
        cursor: &mut Cursor<'_>,
        state: &mut TypeState,
    ) -> VerifyResult<u16> {
        let tag = cursor.u8()?;
        Ok(match tag {
            0..=63 => tag as u16,
            64..=127 => {
                self.push_item(body, cursor, &mut state.stack)?;
                tag as u16 - 64
            }
            247 => {
                let delta = cursor.u16()?;
                self.push_item(body, cursor, &mut state.stack)?;
                delta
            }
            248..=250 => {
                let delta = cursor.u16()?;
                for _ in tag..251 {
                    let last = state.locals.pop().ok_or_else(|| bad("StackMapTable error: bad type"))?;
                    if last.is_high() {
                        state.locals.pop();
                    }
                }
                delta
            }
            251 => cursor.u16()?,
            252..=254 => {
                let delta = cursor.u16()?;
                for _ in 251..tag {
                    self.push_item(body, cursor, &mut state.locals)?;
                }
                delta
            }
            255 => {
                let delta = cursor.u16()?;
                state.locals.clear();
                for _ in 0..cursor.u16()? {
                    self.push_item(body, cursor, &mut state.locals)?;
                }
                for _ in 0..cursor.u16()? {
                    self.push_item(body, cursor, &mut state.stack)?;
                }
                delta
            }
            _ => {
                let message = "StackMapTable format error: reserved frame type";
                return Err(Failure::Other(Trap::Raise("java/lang/ClassFormatError", Some(message.into()))));
            }
        })
    }

    fn push_item(
        &mut self,
        body: &VerifiedBody,
        cursor: &mut Cursor<'_>,
        to: &mut Vec<Type>,
    ) -> VerifyResult {
        let ty = match cursor.u8()? {
            0 => Type::Top,
            1 => Type::Int,
            2 => Type::Float,
            3 => Type::Double,
            4 => Type::Long,
            5 => Type::Null,
            6 => Type::UninitThis,
            7 => {
                let index = cursor.u16()?;
                let file = self.file.clone();
                match file.constant(index) {
                    Ok(Constant::Class(name)) => self.types.class(&name),
                    _ => return Err(bad(format!("Bad class index {index} in StackMapTable"))),
                }
            }
            8 => {
                let pc = cursor.u16()?;
                let made = body.at(pc as u32).map(|index| body.insns[index].opcode);
                if made != Some(Opcode::New) {
                    return Err(bad("StackMapTable error: bad offset of an uninitialized object"));
                }
                Type::Uninit(pc)
            }
            _ => {
                let message = "StackMapTable format error: bad verification type";
                return Err(Failure::Other(Trap::Raise("java/lang/ClassFormatError", Some(message.into()))));
            }
        };
        to.push(ty);
        to.extend(ty.high());
        Ok(())
    }
}
