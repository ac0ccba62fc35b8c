//! Fused sequences: instructions that are executed as one.
//!
//! A sequence begins at its first instruction's [`CodeSlot`], which also holds the operands of the others. The
//! slots of the others keep theirs, for jumps into the middle and for cases that the sequence leaves to single
//! instructions. So only the instruction loop knows of sequences: sites, exception tables and stack traces
//! refer to single instructions.

use crate::code::{Code, CodeSlot, Insn, Op};
use Op::*;

/// Instructions in the longest sequence.
const LONGEST: usize = 4;

impl Code {
    /// Looks for sequences everywhere.
    pub(crate) fn fuse(&self) {
        self.fuse_from(0, self.insns.len());
    }

    /// Looks for sequences that contain the instruction at this index, which has just been resolved.
    pub(crate) fn fuse_around(&self, at: usize) {
        self.fuse_from((at + 1).saturating_sub(LONGEST), at + 1);
    }

    fn fuse_from(&self, start: usize, end: usize) {
        for at in start..end.min(self.insns.len()) {
            let insn = |offset: usize| self.insns.get(at + offset).map_or(NOTHING, CodeSlot::insn);
            if let Some(fused) = sequence([insn(0), insn(1), insn(2), insn(3)]) {
                fused.put(&self.insns[at]);
            }
        }
    }
}

const NOTHING: Insn = Insn { op: Trap, a: 0, b: 0 };

/// A sequence as its slot holds it: the operation, and the operands of the later instructions.
struct FusedInsn {
    op: Op,
    b: Option<i32>,
    c: u16,
    e: i32,
}

impl FusedInsn {
    fn put(&self, place: &CodeSlot) {
        place.op.set(self.op);
        if let Some(b) = self.b {
            place.b.set(b);
        }
        place.c.set(self.c);
        place.e.set(self.e);
    }
}

fn with(op: Op, c: u16, e: i32) -> Option<FusedInsn> {
    Some(FusedInsn { op, b: None, c, e })
}

/// The longest sequence at the start of these instructions.
fn sequence([p, q, r, s]: [Insn; LONGEST]) -> Option<FusedInsn> {
    four([p, q, r, s]).or_else(|| three([p, q, r])).or_else(|| two([p, q]))
}

fn four([p, q, r, s]: [Insn; LONGEST]) -> Option<FusedInsn> {
    let [.., ll_to, lk_to, _, _] = ints(r.op)?;
    match (p.op, q.op, s.op) {
        (Load1, Load1, Store1) => with(ll_to, q.a, s.a.into()),
        (Load1, IConst, Store1) => with(lk_to, s.a, q.b),
        _ => None,
    }
}

fn three([p, q, r]: [Insn; 3]) -> Option<FusedInsn> {
    match (p.op, q.op) {
        (Load1, Load1) => match (ints(r.op), jumps2(r.op), elements(r.op)) {
            (Some([ll, ..]), _, _) => with(ll, q.a, 0),
            (_, Some([ll, ..]), _) => with(ll, q.a, r.b),
            (_, _, Some([ll, _])) => with(ll, q.a, 0),
            _ => None,
        },
        (Load1, IConst) => match (ints(r.op), jumps2(r.op)) {
            (Some([_, lk, ..]), _) => with(lk, 0, q.b),
            (_, Some([_, lk, ..])) => Some(FusedInsn { op: lk, b: Some(q.b), c: 0, e: r.b }),
            _ => None,
        },
        (Load2, Load2) => with(wides(r.op)?[0], q.a, 0),
        (I2L, LConst) if r.op == LAnd => with(I2LAndK, 0, q.b),
        _ if r.op == Store1 => {
            let [.., sl_to, sk_to] = ints(q.op)?;
            match p.op {
                Load1 => with(sl_to, r.a, 0),
                IConst => with(sk_to, r.a, 0),
                _ => None,
            }
        }
        _ => None,
    }
}

fn two([p, q]: [Insn; 2]) -> Option<FusedInsn> {
    match (p.op, q.op) {
        (Load1, Load1) => with(LoadLoad, q.a, 0),
        (Load1, Store1) => with(LoadStore, q.a, 0),
        (Load1, Dup) => with(LoadDup, 0, 0),
        (Load1, Return1) => with(LoadReturn, 0, 0),
        (Load1, ArrayLength) => with(LoadArrayLength, 0, 0),
        (Load1, GetField1) => with(GetField1L, q.a, 0),
        (Load1, GetField2) => with(GetField2L, q.a, 0),
        (Load1, PutField1) => with(PutField1Sl, q.a, 0),
        (Load1, IfNull) => with(IfNullL, 0, q.b),
        (Load1, IfNonNull) => with(IfNonNullL, 0, q.b),
        (Load1, op) => match (ints(op), jumps2(op), jumps1(op), elements(op)) {
            (Some([_, _, sl, ..]), ..) => with(sl, 0, 0),
            (_, Some([_, _, sl, _]), ..) => with(sl, 0, q.b),
            (_, _, Some([l, ..]), _) => with(l, 0, q.b),
            (.., Some([_, sl])) => with(sl, 0, 0),
            _ => None,
        },
        (Load2, op) => with(wides(op)?[1], 0, 0),
        (IConst, Store1) => with(ConstStore, q.a, 0),
        (IConst, IDiv) if p.b != 0 => with(IDivSk, 0, 0),
        (IConst, IRem) if p.b != 0 => with(IRemSk, 0, 0),
        (IConst, LShl) => with(LShlSk, 0, 0),
        (IConst, LShr) => with(LShrSk, 0, 0),
        (IConst, LUShr) => with(LUShrSk, 0, 0),
        (IConst, op) => match (ints(op), jumps2(op)) {
            (Some([_, _, _, sk, ..]), _) => with(sk, 0, 0),
            (_, Some([_, _, _, sk])) => with(sk, 0, q.b),
            _ => None,
        },
        (LConst, LDiv) => with(LDivSk, 0, 0),
        (LConst, LRem) => with(LRemSk, 0, 0),
        (LConst, op) => with(wides(op)?[2], 0, 0),
        (LCmp, op) => with(jumps1(op)?[1], 0, q.b),
        (DCmpL, op) => with(jumps1(op)?[2], 0, q.b),
        (DCmpG, op) => with(jumps1(op)?[3], 0, q.b),
        (IInc, Goto) => with(IIncGoto, 0, q.b),
        (op, Store1) => with(ints(op)?[4], q.a, 0),
        (op, Store2) => with(wides(op)?[3], q.a, 0),
        _ => None,
    }
}

/// The forms of an operation on ints.
#[rustfmt::skip]
fn ints(op: Op) -> Option<[Op; 9]> {
    Some(match op {
        IAdd => [IAddLl, IAddLk, IAddSl, IAddSk, IAddSsTo, IAddLlTo, IAddLkTo, IAddSlTo, IAddSkTo],
        ISub => [ISubLl, ISubLk, ISubSl, ISubSk, ISubSsTo, ISubLlTo, ISubLkTo, ISubSlTo, ISubSkTo],
        IMul => [IMulLl, IMulLk, IMulSl, IMulSk, IMulSsTo, IMulLlTo, IMulLkTo, IMulSlTo, IMulSkTo],
        IAnd => [IAndLl, IAndLk, IAndSl, IAndSk, IAndSsTo, IAndLlTo, IAndLkTo, IAndSlTo, IAndSkTo],
        IOr => [IOrLl, IOrLk, IOrSl, IOrSk, IOrSsTo, IOrLlTo, IOrLkTo, IOrSlTo, IOrSkTo],
        IXor => [IXorLl, IXorLk, IXorSl, IXorSk, IXorSsTo, IXorLlTo, IXorLkTo, IXorSlTo, IXorSkTo],
        IShl => [IShlLl, IShlLk, IShlSl, IShlSk, IShlSsTo, IShlLlTo, IShlLkTo, IShlSlTo, IShlSkTo],
        IShr => [IShrLl, IShrLk, IShrSl, IShrSk, IShrSsTo, IShrLlTo, IShrLkTo, IShrSlTo, IShrSkTo],
        IUShr => [IUShrLl, IUShrLk, IUShrSl, IUShrSk, IUShrSsTo, IUShrLlTo, IUShrLkTo, IUShrSlTo, IUShrSkTo],
        _ => return None,
    })
}

/// The forms of an operation on longs or doubles.
#[rustfmt::skip]
fn wides(op: Op) -> Option<[Op; 4]> {
    Some(match op {
        LAdd => [LAddLl, LAddSl, LAddSk, LAddSsTo],
        LSub => [LSubLl, LSubSl, LSubSk, LSubSsTo],
        LMul => [LMulLl, LMulSl, LMulSk, LMulSsTo],
        LAnd => [LAndLl, LAndSl, LAndSk, LAndSsTo],
        LOr => [LOrLl, LOrSl, LOrSk, LOrSsTo],
        LXor => [LXorLl, LXorSl, LXorSk, LXorSsTo],
        DAdd => [DAddLl, DAddSl, DAddSk, DAddSsTo],
        DSub => [DSubLl, DSubSl, DSubSk, DSubSsTo],
        DMul => [DMulLl, DMulSl, DMulSk, DMulSsTo],
        DDiv => [DDivLl, DDivSl, DDivSk, DDivSsTo],
        _ => return None,
    })
}

/// The forms of a jump that compares two ints.
#[rustfmt::skip]
fn jumps2(op: Op) -> Option<[Op; 4]> {
    Some(match op {
        IfICmpEq => [IfICmpEqLl, IfICmpEqLk, IfICmpEqSl, IfICmpEqSk],
        IfICmpNe => [IfICmpNeLl, IfICmpNeLk, IfICmpNeSl, IfICmpNeSk],
        IfICmpLt => [IfICmpLtLl, IfICmpLtLk, IfICmpLtSl, IfICmpLtSk],
        IfICmpGe => [IfICmpGeLl, IfICmpGeLk, IfICmpGeSl, IfICmpGeSk],
        IfICmpGt => [IfICmpGtLl, IfICmpGtLk, IfICmpGtSl, IfICmpGtSk],
        IfICmpLe => [IfICmpLeLl, IfICmpLeLk, IfICmpLeSl, IfICmpLeSk],
        _ => return None,
    })
}

/// The forms of a jump that compares an int with 0: on a local variable, and after each comparison that pushes
/// an int.
#[rustfmt::skip]
fn jumps1(op: Op) -> Option<[Op; 4]> {
    Some(match op {
        IfEq => [IfEqL, LCmpIfEq, DCmpLIfEq, DCmpGIfEq],
        IfNe => [IfNeL, LCmpIfNe, DCmpLIfNe, DCmpGIfNe],
        IfLt => [IfLtL, LCmpIfLt, DCmpLIfLt, DCmpGIfLt],
        IfGe => [IfGeL, LCmpIfGe, DCmpLIfGe, DCmpGIfGe],
        IfGt => [IfGtL, LCmpIfGt, DCmpLIfGt, DCmpGIfGt],
        IfLe => [IfLeL, LCmpIfLe, DCmpLIfLe, DCmpGIfLe],
        _ => return None,
    })
}

/// The forms of the load of an element.
#[rustfmt::skip]
fn elements(op: Op) -> Option<[Op; 2]> {
    Some(match op {
        IALoad => [IALoadLl, IALoadSl],
        LALoad => [LALoadLl, LALoadSl],
        AALoad => [AALoadLl, AALoadSl],
        BALoad => [BALoadLl, BALoadSl],
        CALoad => [CALoadLl, CALoadSl],
        DALoad => [DALoadLl, DALoadSl],
        _ => return None,
    })
}
