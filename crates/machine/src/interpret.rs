//! The instruction loop.
//!
//! It exists twice: `SYMBOLIC` for frames whose slots may have shadows, and concrete for all others, which
//! pays nothing for symbols but a test on loads from memory. A concrete frame that meets a shadow becomes
//! symbolic and runs the instruction again.

use crate::class::Kind;
use crate::code::Op;
use crate::exit::{DecisionKind, Exit, Trap};
use crate::layout::{ARRAY_HEADER, element_byte};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::state::{Purpose, STACK_MASK, Value};
use cupping_term::Sort;

/// Why a loop was left: for the other loop or for outside.
enum Leave {
    Switch,
    Exit(Exit),
}

impl Machine {
    /// Runs until the entry method ends, a decision is due, or a limit is met.
    pub fn run(&mut self) -> Exit {
        self.decision_index = 0;
        loop {
            let symbolic = match self.registers.frames.last() {
                Some(frame) => frame.symbolic,
                None => return Exit::Returned(self.registers.result),
            };
            let leave = if symbolic { self.run_loop::<true>() } else { self.run_loop::<false>() };
            if let Leave::Exit(exit) = leave {
                return exit;
            }
        }
    }

    fn run_loop<const SYMBOLIC: bool>(&mut self) -> Leave {
        let frame = self.current();
        let mut code = frame.code.clone();
        let mut pc = frame.pc as usize;
        let mut sp = frame.sp as usize;
        let mut base = frame.base as usize;

        macro_rules! slot {
            ($at:expr) => {
                self.stack[($at) & STACK_MASK]
            };
        }
        macro_rules! shadow {
            ($at:expr) => {
                self.stack_shadows[($at) & STACK_MASK]
            };
        }
        macro_rules! value {
            ($at:expr) => {
                Value { bits: slot!($at), shadow: if SYMBOLIC { shadow!($at) } else { 0 } }
            };
        }
        // Pushes one slot without a shadow.
        macro_rules! push {
            ($bits:expr) => {{
                let bits: u64 = $bits;
                slot!(sp) = bits;
                if SYMBOLIC {
                    shadow!(sp) = 0;
                }
                sp += 1;
            }};
        }
        macro_rules! push2 {
            ($bits:expr) => {{
                push!($bits);
                if SYMBOLIC {
                    shadow!(sp) = 0;
                }
                sp += 1;
            }};
        }
        macro_rules! save {
            () => {{
                let frame = self.current_mut();
                frame.pc = pc as u32;
                frame.sp = sp as u32;
            }};
        }
        // Takes up the current frame after frames may have changed.
        macro_rules! reload {
            () => {{
                let Some(frame) = self.registers.frames.last() else { return Leave::Switch };
                if frame.symbolic != SYMBOLIC {
                    return Leave::Switch;
                }
                code = frame.code.clone();
                pc = frame.pc as usize;
                sp = frame.sp as usize;
                base = frame.base as usize;
            }};
        }
        // Deals with a trap whose frame is saved already; the trap may have pushed frames.
        macro_rules! raise {
            ($trap:expr) => {{
                if let Some(exit) = self.handle_trap($trap) {
                    return Leave::Exit(exit);
                }
                reload!();
                continue;
            }};
        }
        macro_rules! trap {
            ($trap:expr) => {{
                save!();
                raise!($trap)
            }};
        }
        // An operation that works on the saved frame and may change frames.
        macro_rules! slow {
            ($call:expr) => {{
                save!();
                match $call {
                    Ok(()) => {
                        reload!();
                        continue;
                    }
                    Err(trap) => raise!(trap),
                }
            }};
        }
        // A step that can fail but changes no frame; the saved frame serves its decisions.
        macro_rules! attempt {
            ($call:expr) => {{
                save!();
                match $call {
                    Ok(value) => value,
                    Err(trap) => raise!(trap),
                }
            }};
        }
        macro_rules! binary1 {
            ($op:expr, |$a:ident, $b:ident| $result:expr) => {{
                let (x, y) = (value!(sp - 2), value!(sp - 1));
                let ($a, $b) = (x.bits, y.bits);
                sp -= 1;
                slot!(sp - 1) = $result;
                if SYMBOLIC && (x.shadow | y.shadow) != 0 {
                    shadow!(sp - 1) = self.shadow_arithmetic($op, x, y);
                }
            }};
        }
        macro_rules! binary2 {
            ($op:expr, |$a:ident, $b:ident| $result:expr) => {{
                let (x, y) = (value!(sp - 4), value!(sp - 2));
                let ($a, $b) = (x.bits, y.bits);
                sp -= 2;
                slot!(sp - 2) = $result;
                if SYMBOLIC && (x.shadow | y.shadow) != 0 {
                    shadow!(sp - 2) = self.shadow_arithmetic($op, x, y);
                }
            }};
        }
        // A long shifted by an int.
        macro_rules! shift2 {
            ($op:expr, |$a:ident, $b:ident| $result:expr) => {{
                let (x, y) = (value!(sp - 3), value!(sp - 1));
                let ($a, $b) = (x.bits, y.bits);
                sp -= 1;
                slot!(sp - 2) = $result;
                if SYMBOLIC && (x.shadow | y.shadow) != 0 {
                    shadow!(sp - 2) = self.shadow_arithmetic($op, x, y);
                }
            }};
        }
        macro_rules! compare2 {
            ($op:expr, |$a:ident, $b:ident| $result:expr) => {{
                let (x, y) = (value!(sp - 4), value!(sp - 2));
                let ($a, $b) = (x.bits, y.bits);
                sp -= 3;
                let result: i32 = $result;
                slot!(sp - 1) = result as u32 as u64;
                if SYMBOLIC {
                    shadow!(sp - 1) =
                        if (x.shadow | y.shadow) != 0 { self.shadow_arithmetic($op, x, y) } else { 0 };
                }
            }};
        }
        // A conversion of `from` slots to `to` slots.
        macro_rules! convert {
            ($op:expr, $from:expr, $to:expr, |$a:ident| $result:expr) => {{
                let x = value!(sp - $from);
                let $a = x.bits;
                let at = sp - $from;
                sp = at + $to;
                slot!(at) = $result;
                if SYMBOLIC {
                    if x.shadow != 0 {
                        shadow!(at) = self.shadow_arithmetic($op, x, x);
                    }
                    if $to == 2 {
                        shadow!(at + 1) = 0;
                    }
                }
            }};
        }
        // Takes fuel at a backward jump (once `pc` is its target) or a call (before anything is popped); a call
        // is run again after the safepoint, so it gets `$back` = 1 back.
        macro_rules! tick {
            ($back:expr) => {{
                self.registers.fuel = self.registers.fuel.wrapping_sub(1);
                if self.registers.fuel == 0 {
                    save!();
                    if let Some(exit) = self.safepoint($back) {
                        return Leave::Exit(exit);
                    }
                    reload!();
                    continue;
                }
            }};
        }
        macro_rules! jump {
            ($insn:expr) => {{
                let target = $insn.b as usize;
                let backward = target <= pc;
                pc = target;
                if backward {
                    tick!(0);
                }
                continue;
            }};
        }
        macro_rules! branch {
            ($insn:expr, $slots:expr, |$a:ident, $b:ident| $holds:expr) => {{
                let x = value!(sp - $slots);
                let y = if $slots == 2 { value!(sp - 1) } else { Value::default() };
                let ($a, $b) = (x.bits as u32 as i32, y.bits as u32 as i32);
                let _ = $b;
                let holds = $holds;
                if SYMBOLIC && (x.shadow | y.shadow) != 0 {
                    let condition = self.branch_condition($insn.op, x, y);
                    attempt!(self.decide_branch(DecisionKind::Branch, condition, holds));
                    self.finish_decisions();
                }
                sp -= $slots;
                if holds {
                    jump!($insn);
                }
            }};
        }
        macro_rules! branch_ref {
            ($insn:expr, $slots:expr, |$a:ident, $b:ident| $holds:expr) => {{
                let ($a, $b) = (slot!(sp - $slots) as Addr, slot!(sp - 1) as Addr);
                let _ = $b;
                sp -= $slots;
                if $holds {
                    jump!($insn);
                }
            }};
        }
        macro_rules! null_pointer {
            () => {
                trap!(Trap::Raise("java/lang/NullPointerException", None))
            };
        }
        macro_rules! array_load {
            ($kind:expr, $size:expr, |$bits:ident| $widened:expr) => {{
                let array = slot!(sp - 2) as Addr;
                if array == 0 {
                    null_pointer!();
                }
                let index = value!(sp - 1);
                let at = index.bits as u32;
                if (SYMBOLIC && index.shadow != 0) || self.may_have_shadow(array + 1) {
                    let loaded = attempt!(self.symbolic_array_load(array, index, $kind));
                    if !SYMBOLIC && loaded.shadow != 0 {
                        self.make_symbolic();
                        return Leave::Switch;
                    }
                    self.finish_decisions();
                    slot!(sp - 2) = loaded.bits;
                    if SYMBOLIC {
                        shadow!(sp - 2) = loaded.shadow;
                        shadow!(sp - 1) = 0;
                    }
                } else {
                    if at >= self.array_length(array) {
                        trap!(out_of_bounds(at as i32, self.array_length(array)));
                    }
                    let byte = element_byte(array, at, $size);
                    let $bits = self.memory.read_bytes(byte, $size);
                    let mut found = 0;
                    if self.may_have_shadow((byte >> 3) as Addr) {
                        found = self.heap_shadow(byte);
                        if !SYMBOLIC && found != 0 {
                            save!();
                            self.make_symbolic();
                            return Leave::Switch;
                        }
                    }
                    slot!(sp - 2) = $widened;
                    if SYMBOLIC {
                        shadow!(sp - 2) = found;
                        shadow!(sp - 1) = 0;
                    }
                }
                if $size < 8 || $kind == Kind::Reference {
                    sp -= 1;
                }
            }};
        }
        macro_rules! array_store {
            ($kind:expr, $size:expr, $slots:expr) => {{
                let array = slot!(sp - $slots - 2) as Addr;
                if array == 0 {
                    null_pointer!();
                }
                let index = value!(sp - $slots - 1);
                let stored = value!(sp - $slots);
                let at = index.bits as u32;
                let may = self.may_have_shadow(array + 1);
                if SYMBOLIC && (index.shadow | stored.shadow) != 0 || may {
                    attempt!(self.symbolic_array_store(array, index, stored, $kind));
                    self.finish_decisions();
                } else {
                    if at >= self.array_length(array) {
                        trap!(out_of_bounds(at as i32, self.array_length(array)));
                    }
                    let byte = element_byte(array, at, $size);
                    self.memory.write_bytes(byte, $size, stored.bits);
                    if self.any_shadows {
                        self.set_heap_shadow(byte, $size, 0);
                    }
                }
                sp -= $slots + 2;
            }};
        }
        macro_rules! get_field {
            ($insn:expr, $slots:expr) => {{
                let object = slot!(sp - 1) as Addr;
                if object == 0 {
                    null_pointer!();
                }
                let addr = object + $insn.a as u32;
                let mut found = 0;
                if self.may_have_shadow(addr) {
                    found = self.heap_shadow(addr as u64 * 8);
                    if !SYMBOLIC && found != 0 {
                        save!();
                        self.make_symbolic();
                        return Leave::Switch;
                    }
                }
                slot!(sp - 1) = self.memory.read(addr);
                if SYMBOLIC {
                    shadow!(sp - 1) = found;
                    if $slots == 2 {
                        shadow!(sp) = 0;
                    }
                }
                sp += $slots - 1;
            }};
        }
        macro_rules! put_field {
            ($insn:expr, $slots:expr, $kind:expr) => {{
                let object = slot!(sp - $slots - 1) as Addr;
                if object == 0 {
                    null_pointer!();
                }
                let stored = value!(sp - $slots);
                let addr = object + $insn.a as u32;
                let kind: Kind = $kind;
                self.memory.write(addr, kind.narrow(stored.bits));
                if self.any_shadows || (SYMBOLIC && stored.shadow != 0) {
                    let shadow = self.narrowed_shadow(stored, kind);
                    self.set_heap_shadow(addr as u64 * 8, 8, shadow);
                }
                sp -= $slots + 1;
            }};
        }
        macro_rules! static_addr {
            ($class:expr, $insn:expr) => {{
                let class = crate::class::ClassId($class);
                let word = self.memory.read(crate::layout::state_word(class));
                if word & 0xFF != 2 {
                    attempt!(self.ensure_initialized(class));
                }
                (self.memory.read(crate::layout::state_word(class)) >> 8) as Addr + $insn.a as u32
            }};
        }
        macro_rules! get_static {
            ($insn:expr, $slots:expr) => {{
                let addr = static_addr!($insn.b as u32, $insn);
                let mut found = 0;
                if self.may_have_shadow(addr) {
                    found = self.heap_shadow(addr as u64 * 8);
                    if !SYMBOLIC && found != 0 {
                        save!();
                        self.make_symbolic();
                        return Leave::Switch;
                    }
                }
                slot!(sp) = self.memory.read(addr);
                if SYMBOLIC {
                    shadow!(sp) = found;
                    if $slots == 2 {
                        shadow!(sp + 1) = 0;
                    }
                }
                sp += $slots;
            }};
        }
        macro_rules! put_static {
            ($insn:expr, $slots:expr, $class:expr, $kind:expr) => {{
                let addr = static_addr!($class, $insn);
                let stored = value!(sp - $slots);
                let kind: Kind = $kind;
                self.memory.write(addr, kind.narrow(stored.bits));
                if self.any_shadows || (SYMBOLIC && stored.shadow != 0) {
                    let shadow = self.narrowed_shadow(stored, kind);
                    self.set_heap_shadow(addr as u64 * 8, 8, shadow);
                }
                sp -= $slots;
            }};
        }
        macro_rules! copy {
            ($from:expr => $to:expr) => {{
                slot!($to) = slot!($from);
                if SYMBOLIC {
                    shadow!($to) = shadow!($from);
                }
            }};
        }
        macro_rules! give_back {
            ($slots:expr) => {{
                let value = if $slots == 0 { Value::default() } else { value!(sp - $slots) };
                let kind = match $slots {
                    0 => Kind::Void,
                    1 => Kind::Int,
                    _ => Kind::Long,
                };
                match self.leave_frame(value, kind) {
                    Some(exit) => return Leave::Exit(exit),
                    None => {
                        reload!();
                        continue;
                    }
                }
            }};
        }

        loop {
            let insn = code.insns[pc].get();
            match insn.op {
                Op::Nop => {}
                Op::AConstNull => push!(0),
                Op::IConst => push!(insn.b as u32 as u64),
                Op::LConst => push2!(code.wide[insn.b as usize]),
                Op::Ldc => slow!(self.load_constant(insn)),
                Op::LdcCached => {
                    let cached = self.memory.read(insn.b as Addr);
                    if cached == 0 {
                        slow!(self.load_cached_constant(insn));
                    }
                    push!(cached);
                }
                Op::Load1 => {
                    copy!(base + insn.a as usize => sp);
                    sp += 1;
                }
                Op::Load2 => {
                    copy!(base + insn.a as usize => sp);
                    if SYMBOLIC {
                        shadow!(sp + 1) = 0;
                    }
                    sp += 2;
                }
                Op::Store1 => {
                    sp -= 1;
                    copy!(sp => base + insn.a as usize);
                }
                Op::Store2 => {
                    sp -= 2;
                    copy!(sp => base + insn.a as usize);
                    if SYMBOLIC {
                        shadow!(base + insn.a as usize + 1) = 0;
                    }
                }
                Op::IInc => {
                    let at = base + insn.a as usize;
                    let x = value!(at);
                    slot!(at) = (x.bits as u32).wrapping_add(insn.b as u32) as u64;
                    if SYMBOLIC && x.shadow != 0 {
                        shadow!(at) = self.shadow_arithmetic(Op::IAdd, x, Value::int(insn.b));
                    }
                }
                Op::IALoad => array_load!(Kind::Int, 4, |bits| bits),
                Op::FALoad => array_load!(Kind::Float, 4, |bits| bits),
                Op::LALoad => array_load!(Kind::Long, 8, |bits| bits),
                Op::DALoad => array_load!(Kind::Double, 8, |bits| bits),
                Op::AALoad => array_load!(Kind::Reference, 8, |bits| bits),
                Op::BALoad => array_load!(Kind::Byte, 1, |bits| bits as i8 as i32 as u32 as u64),
                Op::CALoad => array_load!(Kind::Char, 2, |bits| bits),
                Op::SALoad => array_load!(Kind::Short, 2, |bits| bits as i16 as i32 as u32 as u64),
                Op::IAStore => array_store!(Kind::Int, 4, 1),
                Op::FAStore => array_store!(Kind::Float, 4, 1),
                Op::LAStore => array_store!(Kind::Long, 8, 2),
                Op::DAStore => array_store!(Kind::Double, 8, 2),
                Op::BAStore => {
                    let array = slot!(sp - 3) as Addr;
                    // Arrays of boolean share the instruction with those of byte, but keep one bit.
                    if array != 0 && self.element_kind(self.class_of(array)) == Kind::Boolean {
                        array_store!(Kind::Boolean, 1, 1);
                    } else {
                        array_store!(Kind::Byte, 1, 1);
                    }
                }
                Op::CAStore => array_store!(Kind::Char, 2, 1),
                Op::SAStore => array_store!(Kind::Short, 2, 1),
                Op::AAStore => {
                    let (array, at, stored) =
                        (slot!(sp - 3) as Addr, slot!(sp - 2) as u32, slot!(sp - 1) as Addr);
                    if array == 0 {
                        null_pointer!();
                    }
                    if SYMBOLIC && shadow!(sp - 2) != 0 || self.may_have_shadow(array + 1) {
                        let index = value!(sp - 2);
                        attempt!(self.check_bounds(array, index));
                        attempt!(self.concretize(index, Kind::Int));
                        self.finish_decisions();
                    }
                    if at >= self.array_length(array) {
                        trap!(out_of_bounds(at as i32, self.array_length(array)));
                    }
                    if stored != 0 && !self.can_store(array, stored) {
                        let name = self.class_name_of(stored).replace('/', ".");
                        trap!(Trap::Raise("java/lang/ArrayStoreException", Some(name)));
                    }
                    self.memory.write(array + ARRAY_HEADER + at, stored as u64);
                    sp -= 3;
                }
                Op::Pop => sp -= 1,
                Op::Pop2 => sp -= 2,
                Op::Dup => {
                    copy!(sp - 1 => sp);
                    sp += 1;
                }
                Op::DupX1 => {
                    copy!(sp - 1 => sp);
                    copy!(sp - 2 => sp - 1);
                    copy!(sp => sp - 2);
                    sp += 1;
                }
                Op::DupX2 => {
                    copy!(sp - 1 => sp);
                    copy!(sp - 2 => sp - 1);
                    copy!(sp - 3 => sp - 2);
                    copy!(sp => sp - 3);
                    sp += 1;
                }
                Op::Dup2 => {
                    copy!(sp - 2 => sp);
                    copy!(sp - 1 => sp + 1);
                    sp += 2;
                }
                Op::Dup2X1 => {
                    copy!(sp - 1 => sp + 1);
                    copy!(sp - 2 => sp);
                    copy!(sp - 3 => sp - 1);
                    copy!(sp + 1 => sp - 2);
                    copy!(sp => sp - 3);
                    sp += 2;
                }
                Op::Dup2X2 => {
                    copy!(sp - 1 => sp + 1);
                    copy!(sp - 2 => sp);
                    copy!(sp - 3 => sp - 1);
                    copy!(sp - 4 => sp - 2);
                    copy!(sp + 1 => sp - 3);
                    copy!(sp => sp - 4);
                    sp += 2;
                }
                Op::Swap => {
                    copy!(sp - 1 => sp);
                    copy!(sp - 2 => sp - 1);
                    copy!(sp => sp - 2);
                }
                Op::IAdd => binary1!(insn.op, |a, b| (a as u32).wrapping_add(b as u32) as u64),
                Op::ISub => binary1!(insn.op, |a, b| (a as u32).wrapping_sub(b as u32) as u64),
                Op::IMul => binary1!(insn.op, |a, b| (a as u32).wrapping_mul(b as u32) as u64),
                Op::IAnd => binary1!(insn.op, |a, b| a & b),
                Op::IOr => binary1!(insn.op, |a, b| a | b),
                Op::IXor => binary1!(insn.op, |a, b| a ^ b),
                Op::IShl => binary1!(insn.op, |a, b| (a as u32).wrapping_shl(b as u32) as u64),
                Op::IShr => binary1!(insn.op, |a, b| (a as i32).wrapping_shr(b as u32) as u32 as u64),
                Op::IUShr => binary1!(insn.op, |a, b| (a as u32).wrapping_shr(b as u32) as u64),
                Op::LAdd => binary2!(insn.op, |a, b| a.wrapping_add(b)),
                Op::LSub => binary2!(insn.op, |a, b| a.wrapping_sub(b)),
                Op::LMul => binary2!(insn.op, |a, b| a.wrapping_mul(b)),
                Op::LAnd => binary2!(insn.op, |a, b| a & b),
                Op::LOr => binary2!(insn.op, |a, b| a | b),
                Op::LXor => binary2!(insn.op, |a, b| a ^ b),
                Op::LShl => shift2!(insn.op, |a, b| a.wrapping_shl(b as u32)),
                Op::LShr => shift2!(insn.op, |a, b| (a as i64).wrapping_shr(b as u32) as u64),
                Op::LUShr => shift2!(insn.op, |a, b| a.wrapping_shr(b as u32)),
                Op::FAdd => binary1!(insn.op, |a, b| float(f32_of(a) + f32_of(b))),
                Op::FSub => binary1!(insn.op, |a, b| float(f32_of(a) - f32_of(b))),
                Op::FMul => binary1!(insn.op, |a, b| float(f32_of(a) * f32_of(b))),
                Op::FDiv => binary1!(insn.op, |a, b| float(f32_of(a) / f32_of(b))),
                Op::FRem => binary1!(insn.op, |a, b| float(f32_of(a) % f32_of(b))),
                Op::DAdd => binary2!(insn.op, |a, b| double(f64_of(a) + f64_of(b))),
                Op::DSub => binary2!(insn.op, |a, b| double(f64_of(a) - f64_of(b))),
                Op::DMul => binary2!(insn.op, |a, b| double(f64_of(a) * f64_of(b))),
                Op::DDiv => binary2!(insn.op, |a, b| double(f64_of(a) / f64_of(b))),
                Op::DRem => binary2!(insn.op, |a, b| double(f64_of(a) % f64_of(b))),
                Op::IDiv | Op::IRem => {
                    let divisor = value!(sp - 1);
                    if SYMBOLIC && divisor.shadow != 0 {
                        attempt!(self.decide_divisor(divisor, Sort::Bv32));
                        self.finish_decisions();
                    }
                    if divisor.bits as u32 == 0 {
                        trap!(Trap::Raise("java/lang/ArithmeticException", Some("/ by zero".into())));
                    }
                    if insn.op == Op::IDiv {
                        binary1!(Op::IDiv, |a, b| (a as i32).wrapping_div(b as i32) as u32 as u64);
                    } else {
                        binary1!(Op::IRem, |a, b| (a as i32).wrapping_rem(b as i32) as u32 as u64);
                    }
                }
                Op::LDiv | Op::LRem => {
                    let divisor = value!(sp - 2);
                    if SYMBOLIC && divisor.shadow != 0 {
                        attempt!(self.decide_divisor(divisor, Sort::Bv64));
                        self.finish_decisions();
                    }
                    if divisor.bits == 0 {
                        trap!(Trap::Raise("java/lang/ArithmeticException", Some("/ by zero".into())));
                    }
                    if insn.op == Op::LDiv {
                        binary2!(Op::LDiv, |a, b| (a as i64).wrapping_div(b as i64) as u64);
                    } else {
                        binary2!(Op::LRem, |a, b| (a as i64).wrapping_rem(b as i64) as u64);
                    }
                }
                Op::INeg => convert!(insn.op, 1, 1, |a| (a as u32).wrapping_neg() as u64),
                Op::LNeg => convert!(insn.op, 2, 2, |a| a.wrapping_neg()),
                Op::FNeg => convert!(insn.op, 1, 1, |a| float(-f32_of(a))),
                Op::DNeg => convert!(insn.op, 2, 2, |a| double(-f64_of(a))),
                Op::I2L => convert!(insn.op, 1, 2, |a| a as i32 as i64 as u64),
                Op::I2F => convert!(insn.op, 1, 1, |a| float(a as i32 as f32)),
                Op::I2D => convert!(insn.op, 1, 2, |a| double(a as i32 as f64)),
                Op::L2I => convert!(insn.op, 2, 1, |a| a as u32 as u64),
                Op::L2F => convert!(insn.op, 2, 1, |a| float(a as i64 as f32)),
                Op::L2D => convert!(insn.op, 2, 2, |a| double(a as i64 as f64)),
                Op::F2I => convert!(insn.op, 1, 1, |a| f32_of(a) as i32 as u32 as u64),
                Op::F2L => convert!(insn.op, 1, 2, |a| f32_of(a) as i64 as u64),
                Op::F2D => convert!(insn.op, 1, 2, |a| double(f32_of(a) as f64)),
                Op::D2I => convert!(insn.op, 2, 1, |a| f64_of(a) as i32 as u32 as u64),
                Op::D2L => convert!(insn.op, 2, 2, |a| f64_of(a) as i64 as u64),
                Op::D2F => convert!(insn.op, 2, 1, |a| float(f64_of(a) as f32)),
                Op::I2B => convert!(insn.op, 1, 1, |a| a as i8 as i32 as u32 as u64),
                Op::I2C => convert!(insn.op, 1, 1, |a| a as u16 as u64),
                Op::I2S => convert!(insn.op, 1, 1, |a| a as i16 as i32 as u32 as u64),
                Op::LCmp => compare2!(insn.op, |a, b| (a as i64).cmp(&(b as i64)) as i32),
                Op::FCmpL | Op::FCmpG => {
                    let (x, y) = (value!(sp - 2), value!(sp - 1));
                    let nan = if insn.op == Op::FCmpL { -1 } else { 1 };
                    sp -= 1;
                    let order = f32_of(x.bits).partial_cmp(&f32_of(y.bits)).map_or(nan, |o| o as i32);
                    slot!(sp - 1) = order as u32 as u64;
                    if SYMBOLIC && (x.shadow | y.shadow) != 0 {
                        shadow!(sp - 1) = self.shadow_arithmetic(insn.op, x, y);
                    }
                }
                Op::DCmpL => {
                    compare2!(insn.op, |a, b| f64_of(a).partial_cmp(&f64_of(b)).map_or(-1, |o| o as i32));
                }
                Op::DCmpG => {
                    compare2!(insn.op, |a, b| f64_of(a).partial_cmp(&f64_of(b)).map_or(1, |o| o as i32));
                }
                Op::IfEq => branch!(insn, 1, |a, b| a == 0),
                Op::IfNe => branch!(insn, 1, |a, b| a != 0),
                Op::IfLt => branch!(insn, 1, |a, b| a < 0),
                Op::IfGe => branch!(insn, 1, |a, b| a >= 0),
                Op::IfGt => branch!(insn, 1, |a, b| a > 0),
                Op::IfLe => branch!(insn, 1, |a, b| a <= 0),
                Op::IfICmpEq => branch!(insn, 2, |a, b| a == b),
                Op::IfICmpNe => branch!(insn, 2, |a, b| a != b),
                Op::IfICmpLt => branch!(insn, 2, |a, b| a < b),
                Op::IfICmpGe => branch!(insn, 2, |a, b| a >= b),
                Op::IfICmpGt => branch!(insn, 2, |a, b| a > b),
                Op::IfICmpLe => branch!(insn, 2, |a, b| a <= b),
                Op::IfACmpEq => branch_ref!(insn, 2, |a, b| a == b),
                Op::IfACmpNe => branch_ref!(insn, 2, |a, b| a != b),
                Op::IfNull => branch_ref!(insn, 1, |a, b| a == 0),
                Op::IfNonNull => branch_ref!(insn, 1, |a, b| a != 0),
                Op::Goto => jump!(insn),
                Op::Jsr => {
                    push!(pc as u64 + 1);
                    jump!(insn);
                }
                Op::Ret => {
                    pc = slot!(base + insn.a as usize) as usize;
                    if pc >= code.insns.len() {
                        pc = code.insns.len() - 1;
                    }
                    tick!(0);
                    continue;
                }
                Op::Switch => {
                    let key = value!(sp - 1);
                    let table = &code.switches[insn.b as usize];
                    if SYMBOLIC && key.shadow != 0 {
                        attempt!(self.decide_switch(key, &table.cases, table.default));
                        self.finish_decisions();
                    }
                    sp -= 1;
                    let wanted = key.bits as u32 as i32;
                    let found = table.cases.binary_search_by_key(&wanted, |(k, _)| *k);
                    let target = found.map_or(table.default, |at| table.cases[at].1) as usize;
                    let backward = target <= pc;
                    pc = target;
                    if backward {
                        tick!(0);
                    }
                    continue;
                }
                Op::Return => give_back!(0),
                Op::Return1 => give_back!(1),
                Op::Return2 => give_back!(2),
                Op::Unresolved => slow!(self.resolve(insn)),
                Op::GetField1 => get_field!(insn, 1),
                Op::GetField2 => get_field!(insn, 2),
                Op::PutField1 => put_field!(insn, 1, Kind::Int),
                Op::PutField2 => put_field!(insn, 2, Kind::Long),
                Op::PutFieldNarrow => put_field!(insn, 1, narrow_kind(insn.b)),
                Op::GetStatic1 => get_static!(insn, 1),
                Op::GetStatic2 => get_static!(insn, 2),
                Op::PutStatic1 => put_static!(insn, 1, insn.b as u32, Kind::Int),
                Op::PutStatic2 => put_static!(insn, 2, insn.b as u32, Kind::Long),
                Op::PutStaticNarrow => put_static!(insn, 1, insn.b as u32 >> 4, narrow_kind(insn.b & 15)),
                Op::InvokeStatic => {
                    tick!(1);
                    let site = code.calls.borrow()[insn.b as usize];
                    let class = self.method(site.method).class;
                    if self.memory.read(crate::layout::state_word(class)) & 0xFF != 2 {
                        attempt!(self.ensure_initialized(class));
                    }
                    slow!(self.invoke(site.method, sp as u32 - site.argument_slots as u32));
                }
                Op::InvokeDirect => {
                    tick!(1);
                    let site = code.calls.borrow()[insn.b as usize];
                    let args = sp - site.argument_slots as usize;
                    if slot!(args) == 0 {
                        null_pointer!();
                    }
                    slow!(self.invoke(site.method, args as u32));
                }
                Op::InvokeVirtual => {
                    tick!(1);
                    let site = code.calls.borrow()[insn.b as usize];
                    let args = sp - site.argument_slots as usize;
                    let receiver = slot!(args) as Addr;
                    if receiver == 0 {
                        null_pointer!();
                    }
                    let class = self.class_of(receiver);
                    let method = self.class(class).vtable.get(insn.a as usize).copied();
                    slow!(self.invoke(method.unwrap_or(site.method), args as u32));
                }
                Op::InvokeInterface => {
                    tick!(1);
                    let site = code.calls.borrow()[insn.b as usize];
                    let args = sp - site.argument_slots as usize;
                    let receiver = slot!(args) as Addr;
                    if receiver == 0 {
                        null_pointer!();
                    }
                    let class = self.class_of(receiver);
                    let method = match site.cached {
                        Some((cached, method)) if cached == class => method,
                        _ => {
                            let method = self.select(class, site.method);
                            code.calls.borrow_mut()[insn.b as usize].cached = Some((class, method));
                            method
                        }
                    };
                    slow!(self.invoke(method, args as u32));
                }
                Op::InvokeDynamic => {
                    tick!(1);
                    slow!(self.invoke_dynamic(insn));
                }
                Op::New => {
                    let class = crate::class::ClassId(insn.b as u32);
                    if self.memory.read(crate::layout::state_word(class)) & 0xFF != 2 {
                        attempt!(self.ensure_initialized(class));
                    }
                    let object = attempt!(self.new_object(class));
                    push!(object as u64);
                }
                Op::NewArray => {
                    let length = value!(sp - 1);
                    if SYMBOLIC && length.shadow != 0 {
                        attempt!(self.decide_size(length));
                        self.finish_decisions();
                    }
                    let count = length.bits as u32 as i32;
                    if count < 0 {
                        trap!(Trap::Raise("java/lang/NegativeArraySizeException", Some(count.to_string())));
                    }
                    let array = attempt!(self.new_array(crate::class::ClassId(insn.b as u32), count as u32));
                    slot!(sp - 1) = array as u64;
                    if SYMBOLIC {
                        shadow!(sp - 1) = 0;
                    }
                }
                Op::MultiANewArray => slow!(self.new_multi_array(insn)),
                Op::ArrayLength => {
                    let array = slot!(sp - 1) as Addr;
                    if array == 0 {
                        null_pointer!();
                    }
                    let mut found = 0;
                    if self.may_have_shadow(array + 1) {
                        found = self.heap_shadow((array + 1) as u64 * 8);
                        if !SYMBOLIC && found != 0 {
                            save!();
                            self.make_symbolic();
                            return Leave::Switch;
                        }
                    }
                    slot!(sp - 1) = self.memory.read(array + 1) & 0xFFFF_FFFF;
                    if SYMBOLIC {
                        shadow!(sp - 1) = found;
                    }
                }
                Op::AThrow => {
                    let exception = slot!(sp - 1) as Addr;
                    if exception == 0 {
                        null_pointer!();
                    }
                    trap!(Trap::Throw(exception));
                }
                Op::CheckCast => {
                    let object = slot!(sp - 1) as Addr;
                    let target = crate::class::ClassId(insn.b as u32);
                    if object != 0 && !self.is_subtype(self.class_of(object), target) {
                        trap!(self.class_cast(object, target));
                    }
                }
                Op::InstanceOf => {
                    let object = slot!(sp - 1) as Addr;
                    let target = crate::class::ClassId(insn.b as u32);
                    slot!(sp - 1) = (object != 0 && self.is_subtype(self.class_of(object), target)) as u64;
                }
                Op::MonitorEnter => {
                    let object = slot!(sp - 1) as Addr;
                    if object == 0 {
                        null_pointer!();
                    }
                    slow!(self.monitor_enter(object));
                }
                Op::MonitorExit => {
                    let object = slot!(sp - 1) as Addr;
                    if object == 0 {
                        null_pointer!();
                    }
                    attempt!(self.leave_monitor(object));
                    sp -= 1;
                }
                Op::Probe => self.hit_probe(insn.b as u32),
                Op::Access => {
                    let object = if insn.a >= 4 { 0 } else { slot!(sp - 1 - insn.a as usize) as Addr };
                    let site = crate::code::Site { method: code.method, at: pc as u32 };
                    self.note_access(object, insn.b as u32, insn.a & 3 != 0, site);
                }
                Op::Trap => trap!(Trap::Raise(
                    "java/lang/VerifyError",
                    Some("falling off the end of the code".into())
                )),
            }
            pc += 1;
        }
    }

    /// Pops the current frame, which returns `value`. `Some` when that ends the run.
    #[inline]
    fn leave_frame(&mut self, value: Value, kind: Kind) -> Option<Exit> {
        let frame = self.registers.frames.pop()?;
        if frame.monitor != 0 {
            // A method that left its own monitor too early goes unpunished.
            let _ = self.leave_monitor(frame.monitor);
        }
        match frame.purpose {
            Purpose::Call => {
                self.push_result(value, kind);
                self.current_mut().pc += 1;
                None
            }
            Purpose::Entry => {
                self.registers.result = value;
                Some(Exit::Returned(value))
            }
            Purpose::Initializer(class) => {
                self.set_init_state(class, crate::layout::InitState::Initialized);
                None
            }
            Purpose::Thread => self.leave_thread(&frame, None),
            Purpose::Discard => {
                self.current_mut().pc += 1;
                None
            }
        }
    }

    #[inline]
    fn hit_probe(&mut self, probe: u32) {
        let (word, bit) = (probe as usize / 64, 1u64 << (probe % 64));
        if self.registers.coverage.get(word).is_some_and(|w| w & bit != 0) {
            return;
        }
        let coverage = std::rc::Rc::make_mut(&mut self.registers.coverage);
        if coverage.len() <= word {
            coverage.resize(word + 1, 0);
        }
        coverage[word] |= bit;
    }

    fn class_cast(&self, object: Addr, target: crate::class::ClassId) -> Trap {
        Trap::Raise("java/lang/ClassCastException", Some(self.cast_message(self.class_of(object), target)))
    }

    /// Whether `value` may be an element of `array`.
    #[inline]
    fn can_store(&self, array: Addr, value: Addr) -> bool {
        match self.class(self.class_of(array)).kind {
            crate::class::ClassKind::Array { element, .. } => self.is_subtype(self.class_of(value), element),
            _ => false,
        }
    }
}

/// The exception for an index out of bounds, with the JDK's message.
pub(crate) fn out_of_bounds(index: i32, length: u32) -> Trap {
    let message = format!("Index {index} out of bounds for length {length}");
    Trap::Raise("java/lang/ArrayIndexOutOfBoundsException", Some(message))
}

fn narrow_kind(number: i32) -> Kind {
    match number {
        0 => Kind::Boolean,
        1 => Kind::Byte,
        2 => Kind::Char,
        _ => Kind::Short,
    }
}

#[inline(always)]
fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

#[inline(always)]
fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

#[inline(always)]
fn float(value: f32) -> u64 {
    value.to_bits() as u64
}

#[inline(always)]
fn double(value: f64) -> u64 {
    value.to_bits()
}
