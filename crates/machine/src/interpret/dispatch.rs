//! Instructions by their operations: one row each, in two copies of the loop.

use super::arithmetic::{compare_doubles, compare_floats, compare_longs, f32_of, f64_of, float, ints, wides};
use super::cursor::{Cursor, Leave};
use super::objects::narrow_kind;
use super::stop::Stop;
use crate::classes::Kind;
use crate::code::Op;
use crate::exit::Trap;
use crate::machine::Machine;

impl Machine {
    /// Runs instructions of frames of one kind. With a floor, it does so on behalf of compiled code: until no
    /// more frames than that are left, or until something is due for which compiled code has to be left.
    pub(super) fn run_loop<const SYMBOLIC: bool>(&mut self, floor: Option<usize>) -> Leave {
        let (stack, shadows) = self.stack.slots();
        // Compiled code has just been left: at least one instruction runs before it is entered again.
        let mut has_left = false;
        'frame: loop {
            let Some(frame) = self.registers.frames.last() else { return Leave::Switch };
            if frame.symbolic != SYMBOLIC || floor.is_some_and(|floor| self.registers.frames.len() <= floor) {
                return Leave::Switch;
            }
            let code = frame.code.clone();
            let at = [frame.pc, frame.base];
            let stop = 'run: {
                if !SYMBOLIC && at[0] == 0 && self.compiler.is_eager() {
                    self.compile_at_once(&code);
                }
                if !SYMBOLIC && !std::mem::take(&mut has_left) && code.heat.has_entry(at[0] as usize) {
                    match self.enter_compiled(&code, at[0], at[1]) {
                        None => {}
                        Some(stop) => {
                            has_left = true;
                            break 'run stop.unwrap_or(Stop::Reload);
                        }
                    }
                }
                let mut cpu = Cursor::<SYMBOLIC>::new(self, &code, &stack, &shadows, at);
                // An instruction after which the next one is due.
                macro_rules! next {
                    ($flow:expr) => {
                        match $flow {
                            Ok(()) => {}
                            Err(stop) => break 'run stop,
                        }
                    };
                }
                // One that has set the place itself.
                macro_rules! jump {
                    ($flow:expr) => {
                        match $flow {
                            Ok(()) => continue,
                            Err(stop) => break 'run stop,
                        }
                    };
                }
                let insns = &code.insns[..];
                loop {
                    let place = &insns[cpu.pc];
                    cpu.sp = cpu.base + place.top as usize;
                    #[cfg(debug_assertions)]
                    super::cursor::check_slots(cpu.base, cpu.sp);
                    let op = place.op.get();
                    match op {
                        Op::Nop => {}
                        Op::AConstNull => cpu.push(0),
                        Op::IConst => cpu.push(place.b.get() as u32 as u64),
                        Op::LConst => cpu.push2(code.wide[place.b.get() as usize]),
                        Op::Ldc => next!(cpu.slow(|machine| machine.load_constant(place.insn()))),
                        Op::LdcCached => next!(cpu.load_constant(place)),
                        Op::Load1 => cpu.load1(place.a.get()),
                        Op::Load2 => cpu.load2(place.a.get()),
                        Op::Store1 => cpu.store1(place.a.get()),
                        Op::Store2 => cpu.store2(place.a.get()),
                        Op::IInc => cpu.increment(place),
                        Op::IALoad => next!(cpu.array_load(Kind::Int)),
                        Op::LALoad => next!(cpu.array_load(Kind::Long)),
                        Op::FALoad => next!(cpu.array_load(Kind::Float)),
                        Op::DALoad => next!(cpu.array_load(Kind::Double)),
                        Op::AALoad => next!(cpu.array_load(Kind::Reference)),
                        Op::BALoad => next!(cpu.array_load(Kind::Byte)),
                        Op::CALoad => next!(cpu.array_load(Kind::Char)),
                        Op::SALoad => next!(cpu.array_load(Kind::Short)),
                        Op::IAStore => next!(cpu.array_store(Kind::Int)),
                        Op::LAStore => next!(cpu.array_store(Kind::Long)),
                        Op::FAStore => next!(cpu.array_store(Kind::Float)),
                        Op::DAStore => next!(cpu.array_store(Kind::Double)),
                        Op::CAStore => next!(cpu.array_store(Kind::Char)),
                        Op::SAStore => next!(cpu.array_store(Kind::Short)),
                        Op::BAStore => next!(cpu.byte_store()),
                        Op::AAStore => next!(cpu.reference_store()),
                        Op::Pop => cpu.sp -= 1,
                        Op::Pop2 => cpu.sp -= 2,
                        Op::Dup => cpu.dup(1, 0),
                        Op::DupX1 => cpu.dup(1, 1),
                        Op::DupX2 => cpu.dup(1, 2),
                        Op::Dup2 => cpu.dup(2, 0),
                        Op::Dup2X1 => cpu.dup(2, 1),
                        Op::Dup2X2 => cpu.dup(2, 2),
                        Op::Swap => cpu.swap(),
                        Op::IAdd => cpu.ints(op, ints::add),
                        Op::ISub => cpu.ints(op, ints::sub),
                        Op::IMul => cpu.ints(op, ints::mul),
                        Op::IAnd => cpu.ints(op, ints::and),
                        Op::IOr => cpu.ints(op, ints::or),
                        Op::IXor => cpu.ints(op, ints::xor),
                        Op::IShl => cpu.ints(op, ints::shl),
                        Op::IShr => cpu.ints(op, ints::shr),
                        Op::IUShr => cpu.ints(op, ints::ushr),
                        Op::IDiv => next!(cpu.divide_ints(op, ints::div)),
                        Op::IRem => next!(cpu.divide_ints(op, ints::rem)),
                        Op::LAdd => cpu.wides(op, wides::add),
                        Op::LSub => cpu.wides(op, wides::sub),
                        Op::LMul => cpu.wides(op, wides::mul),
                        Op::LAnd => cpu.wides(op, wides::and),
                        Op::LOr => cpu.wides(op, wides::or),
                        Op::LXor => cpu.wides(op, wides::xor),
                        Op::LShl => cpu.shift(op, wides::shl),
                        Op::LShr => cpu.shift(op, wides::shr),
                        Op::LUShr => cpu.shift(op, wides::ushr),
                        Op::LDiv => next!(cpu.divide_longs(op, wides::div)),
                        Op::LRem => next!(cpu.divide_longs(op, wides::rem)),
                        Op::FAdd => cpu.binary1(op, |a, b| float(f32_of(a) + f32_of(b))),
                        Op::FSub => cpu.binary1(op, |a, b| float(f32_of(a) - f32_of(b))),
                        Op::FMul => cpu.binary1(op, |a, b| float(f32_of(a) * f32_of(b))),
                        Op::FDiv => cpu.binary1(op, |a, b| float(f32_of(a) / f32_of(b))),
                        Op::FRem => cpu.binary1(op, |a, b| float(f32_of(a) % f32_of(b))),
                        Op::DAdd => cpu.wides(op, wides::dadd),
                        Op::DSub => cpu.wides(op, wides::dsub),
                        Op::DMul => cpu.wides(op, wides::dmul),
                        Op::DDiv => cpu.wides(op, wides::ddiv),
                        Op::DRem => cpu.wides(op, wides::drem),
                        Op::INeg => cpu.convert(op, 1, 1, |a| (a as u32).wrapping_neg() as u64),
                        Op::LNeg => cpu.convert(op, 2, 2, |a| a.wrapping_neg()),
                        Op::FNeg => cpu.convert(op, 1, 1, |a| float(-f32_of(a))),
                        Op::DNeg => cpu.convert(op, 2, 2, |a| (-f64_of(a)).to_bits()),
                        Op::I2L => cpu.convert(op, 1, 2, |a| a as i32 as i64 as u64),
                        Op::I2F => cpu.convert(op, 1, 1, |a| float(a as i32 as f32)),
                        Op::I2D => cpu.convert(op, 1, 2, |a| (a as i32 as f64).to_bits()),
                        Op::L2I => cpu.convert(op, 2, 1, |a| a as u32 as u64),
                        Op::L2F => cpu.convert(op, 2, 1, |a| float(a as i64 as f32)),
                        Op::L2D => cpu.convert(op, 2, 2, |a| (a as i64 as f64).to_bits()),
                        Op::F2I => cpu.convert(op, 1, 1, |a| f32_of(a) as i32 as u32 as u64),
                        Op::F2L => cpu.convert(op, 1, 2, |a| f32_of(a) as i64 as u64),
                        Op::F2D => cpu.convert(op, 1, 2, |a| (f32_of(a) as f64).to_bits()),
                        Op::D2I => cpu.convert(op, 2, 1, |a| f64_of(a) as i32 as u32 as u64),
                        Op::D2L => cpu.convert(op, 2, 2, |a| f64_of(a) as i64 as u64),
                        Op::D2F => cpu.convert(op, 2, 1, |a| float(f64_of(a) as f32)),
                        Op::I2B => cpu.convert(op, 1, 1, |a| a as i8 as i32 as u32 as u64),
                        Op::I2C => cpu.convert(op, 1, 1, |a| a as u16 as u64),
                        Op::I2S => cpu.convert(op, 1, 1, |a| a as i16 as i32 as u32 as u64),
                        Op::LCmp => cpu.compare(op, 2, compare_longs),
                        Op::FCmpL => cpu.compare(op, 1, |a, b| compare_floats(a, b, -1)),
                        Op::FCmpG => cpu.compare(op, 1, |a, b| compare_floats(a, b, 1)),
                        Op::DCmpL => cpu.compare(op, 2, |a, b| compare_doubles(a, b, -1)),
                        Op::DCmpG => cpu.compare(op, 2, |a, b| compare_doubles(a, b, 1)),
                        Op::IfEq => jump!(cpu.branch1(op, place, |a| a == 0)),
                        Op::IfNe => jump!(cpu.branch1(op, place, |a| a != 0)),
                        Op::IfLt => jump!(cpu.branch1(op, place, |a| a < 0)),
                        Op::IfGe => jump!(cpu.branch1(op, place, |a| a >= 0)),
                        Op::IfGt => jump!(cpu.branch1(op, place, |a| a > 0)),
                        Op::IfLe => jump!(cpu.branch1(op, place, |a| a <= 0)),
                        Op::IfICmpEq => jump!(cpu.branch2(op, place, |a, b| a == b)),
                        Op::IfICmpNe => jump!(cpu.branch2(op, place, |a, b| a != b)),
                        Op::IfICmpLt => jump!(cpu.branch2(op, place, |a, b| a < b)),
                        Op::IfICmpGe => jump!(cpu.branch2(op, place, |a, b| a >= b)),
                        Op::IfICmpGt => jump!(cpu.branch2(op, place, |a, b| a > b)),
                        Op::IfICmpLe => jump!(cpu.branch2(op, place, |a, b| a <= b)),
                        Op::IfACmpEq => jump!(cpu.branch_same(place, true)),
                        Op::IfACmpNe => jump!(cpu.branch_same(place, false)),
                        Op::IfNull => jump!(cpu.branch_null(place, true)),
                        Op::IfNonNull => jump!(cpu.branch_null(place, false)),
                        Op::Goto => jump!(cpu.jump(place.b.get())),
                        Op::Jsr => jump!(cpu.jsr(place)),
                        Op::Ret => jump!(cpu.ret(place)),
                        Op::Switch => jump!(cpu.switch(place)),
                        Op::Return => next!(cpu.give_back(0)),
                        Op::Return1 => next!(cpu.give_back(1)),
                        Op::Return2 => next!(cpu.give_back(2)),
                        Op::Unresolved => next!(cpu.slow(|machine| machine.resolve(place.insn()))),
                        Op::GetField1 => next!(cpu.get_field(place, 1)),
                        Op::GetField2 => next!(cpu.get_field(place, 2)),
                        Op::PutField1 => next!(cpu.put_field(place, 1, Kind::Int)),
                        Op::PutField2 => next!(cpu.put_field(place, 2, Kind::Long)),
                        Op::PutFieldNarrow => next!(cpu.put_field(place, 1, narrow_kind(place.b.get()))),
                        Op::GetStatic1 => next!(cpu.get_static(place, 1)),
                        Op::GetStatic2 => next!(cpu.get_static(place, 2)),
                        Op::PutStatic1 => next!(cpu.put_static(place, place.b.get() as u32, 1, Kind::Int)),
                        Op::PutStatic2 => next!(cpu.put_static(place, place.b.get() as u32, 2, Kind::Long)),
                        Op::PutStaticNarrow => next!(cpu.put_static(
                            place,
                            place.b.get() as u32 >> 4,
                            1,
                            narrow_kind(place.b.get())
                        )),
                        Op::InvokeStatic => next!(cpu.invoke_static(place)),
                        Op::InvokeDirect => next!(cpu.invoke_direct(place)),
                        Op::InvokeVirtual => next!(cpu.invoke_virtual(place)),
                        Op::InvokeInterface => next!(cpu.invoke_interface(place)),
                        Op::InvokeDynamic => next!(cpu.invoke_dynamic(place)),
                        Op::New => next!(cpu.new_object(place)),
                        Op::NewArray => next!(cpu.new_array(place)),
                        Op::MultiANewArray => {
                            next!(cpu.slow(|machine| machine.new_multi_array(place.insn())))
                        }
                        Op::ArrayLength => next!(cpu.array_length()),
                        Op::AThrow => next!(cpu.throw()),
                        Op::CheckCast => next!(cpu.check_cast(place)),
                        Op::InstanceOf => cpu.instance_of(place),
                        Op::MonitorEnter => next!(cpu.monitor_enter()),
                        Op::MonitorExit => next!(cpu.monitor_exit()),
                        Op::Probe => cpu.probe(place),
                        Op::Pause => next!(cpu.pause(place)),
                        Op::Require => next!(cpu.require(place)),
                        Op::Access => cpu.access(place),
                        Op::ElementAccess => cpu.element_access(place),
                        Op::Turn => next!(cpu.turn(place)),
                        Op::Trap => {
                            let message = "falling off the end of the code".into();
                            next!(cpu.trap(Trap::Raise("java/lang/VerifyError", Some(message))));
                        }
                        // Natives that need no call (see `inlined`).
                        Op::GetCharacter => next!(cpu.get_character(place)),
                        Op::PutCharacter => next!(cpu.put_character(place)),
                        Op::CountCharacters => next!(cpu.count_characters(place)),
                        // Sequences (see `crate::code::fuse`).
                        Op::IAddLl => cpu.ints_ll(place, ints::add),
                        Op::IAddLk => cpu.ints_lk(place, ints::add),
                        Op::IAddSl => cpu.ints_sl(place, ints::add),
                        Op::IAddSk => cpu.ints_sk(place, ints::add),
                        Op::IAddSsTo => cpu.ints_ss_to(place, ints::add),
                        Op::IAddLlTo => cpu.ints_ll_to(place, ints::add),
                        Op::IAddLkTo => cpu.ints_lk_to(place, ints::add),
                        Op::IAddSlTo => cpu.ints_sl_to(place, ints::add),
                        Op::IAddSkTo => cpu.ints_sk_to(place, ints::add),
                        Op::ISubLl => cpu.ints_ll(place, ints::sub),
                        Op::ISubLk => cpu.ints_lk(place, ints::sub),
                        Op::ISubSl => cpu.ints_sl(place, ints::sub),
                        Op::ISubSk => cpu.ints_sk(place, ints::sub),
                        Op::ISubSsTo => cpu.ints_ss_to(place, ints::sub),
                        Op::ISubLlTo => cpu.ints_ll_to(place, ints::sub),
                        Op::ISubLkTo => cpu.ints_lk_to(place, ints::sub),
                        Op::ISubSlTo => cpu.ints_sl_to(place, ints::sub),
                        Op::ISubSkTo => cpu.ints_sk_to(place, ints::sub),
                        Op::IMulLl => cpu.ints_ll(place, ints::mul),
                        Op::IMulLk => cpu.ints_lk(place, ints::mul),
                        Op::IMulSl => cpu.ints_sl(place, ints::mul),
                        Op::IMulSk => cpu.ints_sk(place, ints::mul),
                        Op::IMulSsTo => cpu.ints_ss_to(place, ints::mul),
                        Op::IMulLlTo => cpu.ints_ll_to(place, ints::mul),
                        Op::IMulLkTo => cpu.ints_lk_to(place, ints::mul),
                        Op::IMulSlTo => cpu.ints_sl_to(place, ints::mul),
                        Op::IMulSkTo => cpu.ints_sk_to(place, ints::mul),
                        Op::IAndLl => cpu.ints_ll(place, ints::and),
                        Op::IAndLk => cpu.ints_lk(place, ints::and),
                        Op::IAndSl => cpu.ints_sl(place, ints::and),
                        Op::IAndSk => cpu.ints_sk(place, ints::and),
                        Op::IAndSsTo => cpu.ints_ss_to(place, ints::and),
                        Op::IAndLlTo => cpu.ints_ll_to(place, ints::and),
                        Op::IAndLkTo => cpu.ints_lk_to(place, ints::and),
                        Op::IAndSlTo => cpu.ints_sl_to(place, ints::and),
                        Op::IAndSkTo => cpu.ints_sk_to(place, ints::and),
                        Op::IOrLl => cpu.ints_ll(place, ints::or),
                        Op::IOrLk => cpu.ints_lk(place, ints::or),
                        Op::IOrSl => cpu.ints_sl(place, ints::or),
                        Op::IOrSk => cpu.ints_sk(place, ints::or),
                        Op::IOrSsTo => cpu.ints_ss_to(place, ints::or),
                        Op::IOrLlTo => cpu.ints_ll_to(place, ints::or),
                        Op::IOrLkTo => cpu.ints_lk_to(place, ints::or),
                        Op::IOrSlTo => cpu.ints_sl_to(place, ints::or),
                        Op::IOrSkTo => cpu.ints_sk_to(place, ints::or),
                        Op::IXorLl => cpu.ints_ll(place, ints::xor),
                        Op::IXorLk => cpu.ints_lk(place, ints::xor),
                        Op::IXorSl => cpu.ints_sl(place, ints::xor),
                        Op::IXorSk => cpu.ints_sk(place, ints::xor),
                        Op::IXorSsTo => cpu.ints_ss_to(place, ints::xor),
                        Op::IXorLlTo => cpu.ints_ll_to(place, ints::xor),
                        Op::IXorLkTo => cpu.ints_lk_to(place, ints::xor),
                        Op::IXorSlTo => cpu.ints_sl_to(place, ints::xor),
                        Op::IXorSkTo => cpu.ints_sk_to(place, ints::xor),
                        Op::IShlLl => cpu.ints_ll(place, ints::shl),
                        Op::IShlLk => cpu.ints_lk(place, ints::shl),
                        Op::IShlSl => cpu.ints_sl(place, ints::shl),
                        Op::IShlSk => cpu.ints_sk(place, ints::shl),
                        Op::IShlSsTo => cpu.ints_ss_to(place, ints::shl),
                        Op::IShlLlTo => cpu.ints_ll_to(place, ints::shl),
                        Op::IShlLkTo => cpu.ints_lk_to(place, ints::shl),
                        Op::IShlSlTo => cpu.ints_sl_to(place, ints::shl),
                        Op::IShlSkTo => cpu.ints_sk_to(place, ints::shl),
                        Op::IShrLl => cpu.ints_ll(place, ints::shr),
                        Op::IShrLk => cpu.ints_lk(place, ints::shr),
                        Op::IShrSl => cpu.ints_sl(place, ints::shr),
                        Op::IShrSk => cpu.ints_sk(place, ints::shr),
                        Op::IShrSsTo => cpu.ints_ss_to(place, ints::shr),
                        Op::IShrLlTo => cpu.ints_ll_to(place, ints::shr),
                        Op::IShrLkTo => cpu.ints_lk_to(place, ints::shr),
                        Op::IShrSlTo => cpu.ints_sl_to(place, ints::shr),
                        Op::IShrSkTo => cpu.ints_sk_to(place, ints::shr),
                        Op::IUShrLl => cpu.ints_ll(place, ints::ushr),
                        Op::IUShrLk => cpu.ints_lk(place, ints::ushr),
                        Op::IUShrSl => cpu.ints_sl(place, ints::ushr),
                        Op::IUShrSk => cpu.ints_sk(place, ints::ushr),
                        Op::IUShrSsTo => cpu.ints_ss_to(place, ints::ushr),
                        Op::IUShrLlTo => cpu.ints_ll_to(place, ints::ushr),
                        Op::IUShrLkTo => cpu.ints_lk_to(place, ints::ushr),
                        Op::IUShrSlTo => cpu.ints_sl_to(place, ints::ushr),
                        Op::IUShrSkTo => cpu.ints_sk_to(place, ints::ushr),
                        Op::IDivSk => cpu.ints_sk(place, ints::div),
                        Op::IRemSk => cpu.ints_sk(place, ints::rem),
                        Op::LDivSk => cpu.divide_sk(place, wides::div),
                        Op::LRemSk => cpu.divide_sk(place, wides::rem),
                        Op::LShlSk => cpu.shift_sk(place, wides::shl),
                        Op::LShrSk => cpu.shift_sk(place, wides::shr),
                        Op::LUShrSk => cpu.shift_sk(place, wides::ushr),
                        Op::LAddLl => cpu.wides_ll(place, wides::add),
                        Op::LAddSl => cpu.wides_sl(place, wides::add),
                        Op::LAddSk => cpu.wides_sk(place, wides::add),
                        Op::LAddSsTo => cpu.wides_ss_to(place, wides::add),
                        Op::LSubLl => cpu.wides_ll(place, wides::sub),
                        Op::LSubSl => cpu.wides_sl(place, wides::sub),
                        Op::LSubSk => cpu.wides_sk(place, wides::sub),
                        Op::LSubSsTo => cpu.wides_ss_to(place, wides::sub),
                        Op::LMulLl => cpu.wides_ll(place, wides::mul),
                        Op::LMulSl => cpu.wides_sl(place, wides::mul),
                        Op::LMulSk => cpu.wides_sk(place, wides::mul),
                        Op::LMulSsTo => cpu.wides_ss_to(place, wides::mul),
                        Op::LAndLl => cpu.wides_ll(place, wides::and),
                        Op::LAndSl => cpu.wides_sl(place, wides::and),
                        Op::LAndSk => cpu.wides_sk(place, wides::and),
                        Op::LAndSsTo => cpu.wides_ss_to(place, wides::and),
                        Op::LOrLl => cpu.wides_ll(place, wides::or),
                        Op::LOrSl => cpu.wides_sl(place, wides::or),
                        Op::LOrSk => cpu.wides_sk(place, wides::or),
                        Op::LOrSsTo => cpu.wides_ss_to(place, wides::or),
                        Op::LXorLl => cpu.wides_ll(place, wides::xor),
                        Op::LXorSl => cpu.wides_sl(place, wides::xor),
                        Op::LXorSk => cpu.wides_sk(place, wides::xor),
                        Op::LXorSsTo => cpu.wides_ss_to(place, wides::xor),
                        Op::DAddLl => cpu.wides_ll(place, wides::dadd),
                        Op::DAddSl => cpu.wides_sl(place, wides::dadd),
                        Op::DAddSk => cpu.wides_sk(place, wides::dadd),
                        Op::DAddSsTo => cpu.wides_ss_to(place, wides::dadd),
                        Op::DSubLl => cpu.wides_ll(place, wides::dsub),
                        Op::DSubSl => cpu.wides_sl(place, wides::dsub),
                        Op::DSubSk => cpu.wides_sk(place, wides::dsub),
                        Op::DSubSsTo => cpu.wides_ss_to(place, wides::dsub),
                        Op::DMulLl => cpu.wides_ll(place, wides::dmul),
                        Op::DMulSl => cpu.wides_sl(place, wides::dmul),
                        Op::DMulSk => cpu.wides_sk(place, wides::dmul),
                        Op::DMulSsTo => cpu.wides_ss_to(place, wides::dmul),
                        Op::DDivLl => cpu.wides_ll(place, wides::ddiv),
                        Op::DDivSl => cpu.wides_sl(place, wides::ddiv),
                        Op::DDivSk => cpu.wides_sk(place, wides::ddiv),
                        Op::DDivSsTo => cpu.wides_ss_to(place, wides::ddiv),
                        Op::IfICmpEqLl => jump!(cpu.branch_ll(place, |a, b| a == b)),
                        Op::IfICmpNeLl => jump!(cpu.branch_ll(place, |a, b| a != b)),
                        Op::IfICmpLtLl => jump!(cpu.branch_ll(place, |a, b| a < b)),
                        Op::IfICmpGeLl => jump!(cpu.branch_ll(place, |a, b| a >= b)),
                        Op::IfICmpGtLl => jump!(cpu.branch_ll(place, |a, b| a > b)),
                        Op::IfICmpLeLl => jump!(cpu.branch_ll(place, |a, b| a <= b)),
                        Op::IfICmpEqLk => jump!(cpu.branch_lk(place, |a, b| a == b)),
                        Op::IfICmpNeLk => jump!(cpu.branch_lk(place, |a, b| a != b)),
                        Op::IfICmpLtLk => jump!(cpu.branch_lk(place, |a, b| a < b)),
                        Op::IfICmpGeLk => jump!(cpu.branch_lk(place, |a, b| a >= b)),
                        Op::IfICmpGtLk => jump!(cpu.branch_lk(place, |a, b| a > b)),
                        Op::IfICmpLeLk => jump!(cpu.branch_lk(place, |a, b| a <= b)),
                        Op::IfICmpEqSl => jump!(cpu.branch_sl(place, |a, b| a == b)),
                        Op::IfICmpNeSl => jump!(cpu.branch_sl(place, |a, b| a != b)),
                        Op::IfICmpLtSl => jump!(cpu.branch_sl(place, |a, b| a < b)),
                        Op::IfICmpGeSl => jump!(cpu.branch_sl(place, |a, b| a >= b)),
                        Op::IfICmpGtSl => jump!(cpu.branch_sl(place, |a, b| a > b)),
                        Op::IfICmpLeSl => jump!(cpu.branch_sl(place, |a, b| a <= b)),
                        Op::IfICmpEqSk => jump!(cpu.branch_sk(place, |a, b| a == b)),
                        Op::IfICmpNeSk => jump!(cpu.branch_sk(place, |a, b| a != b)),
                        Op::IfICmpLtSk => jump!(cpu.branch_sk(place, |a, b| a < b)),
                        Op::IfICmpGeSk => jump!(cpu.branch_sk(place, |a, b| a >= b)),
                        Op::IfICmpGtSk => jump!(cpu.branch_sk(place, |a, b| a > b)),
                        Op::IfICmpLeSk => jump!(cpu.branch_sk(place, |a, b| a <= b)),
                        Op::IfEqL => jump!(cpu.branch_l(place, |a| a == 0)),
                        Op::IfNeL => jump!(cpu.branch_l(place, |a| a != 0)),
                        Op::IfLtL => jump!(cpu.branch_l(place, |a| a < 0)),
                        Op::IfGeL => jump!(cpu.branch_l(place, |a| a >= 0)),
                        Op::IfGtL => jump!(cpu.branch_l(place, |a| a > 0)),
                        Op::IfLeL => jump!(cpu.branch_l(place, |a| a <= 0)),
                        Op::IfNullL => jump!(cpu.branch_l(place, |a| a == 0)),
                        Op::IfNonNullL => jump!(cpu.branch_l(place, |a| a != 0)),
                        Op::LCmpIfEq => jump!(cpu.branch_order(place, compare_longs, |order| order == 0)),
                        Op::LCmpIfNe => jump!(cpu.branch_order(place, compare_longs, |order| order != 0)),
                        Op::LCmpIfLt => jump!(cpu.branch_order(place, compare_longs, |order| order < 0)),
                        Op::LCmpIfGe => jump!(cpu.branch_order(place, compare_longs, |order| order >= 0)),
                        Op::LCmpIfGt => jump!(cpu.branch_order(place, compare_longs, |order| order > 0)),
                        Op::LCmpIfLe => jump!(cpu.branch_order(place, compare_longs, |order| order <= 0)),
                        Op::DCmpLIfEq => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, -1),
                            |order| order == 0
                        )),
                        Op::DCmpLIfNe => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, -1),
                            |order| order != 0
                        )),
                        Op::DCmpLIfLt => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, -1),
                            |order| order < 0
                        )),
                        Op::DCmpLIfGe => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, -1),
                            |order| order >= 0
                        )),
                        Op::DCmpLIfGt => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, -1),
                            |order| order > 0
                        )),
                        Op::DCmpLIfLe => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, -1),
                            |order| order <= 0
                        )),
                        Op::DCmpGIfEq => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, 1),
                            |order| order == 0
                        )),
                        Op::DCmpGIfNe => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, 1),
                            |order| order != 0
                        )),
                        Op::DCmpGIfLt => {
                            jump!(cpu.branch_order(place, |a, b| compare_doubles(a, b, 1), |order| order < 0))
                        }
                        Op::DCmpGIfGe => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, 1),
                            |order| order >= 0
                        )),
                        Op::DCmpGIfGt => {
                            jump!(cpu.branch_order(place, |a, b| compare_doubles(a, b, 1), |order| order > 0))
                        }
                        Op::DCmpGIfLe => jump!(cpu.branch_order(
                            place,
                            |a, b| compare_doubles(a, b, 1),
                            |order| order <= 0
                        )),
                        Op::LoadLoad => cpu.load_load(place),
                        Op::LoadStore => cpu.load_store(place),
                        Op::ConstStore => cpu.constant_store(place),
                        Op::LoadDup => cpu.load_dup(place),
                        Op::LoadReturn => next!(cpu.load_return(place)),
                        Op::LoadArrayLength => cpu.array_length_l(place),
                        Op::GetField1L => cpu.get_field_l(place, 1),
                        Op::GetField2L => cpu.get_field_l(place, 2),
                        Op::PutField1Sl => cpu.put_field_l(place),
                        Op::I2LAndK => cpu.widen_and(place),
                        Op::IIncGoto => jump!(cpu.increment_goto(place)),
                        Op::IALoadLl => cpu.element_ll(place, Kind::Int),
                        Op::LALoadLl => cpu.element_ll(place, Kind::Long),
                        Op::AALoadLl => cpu.element_ll(place, Kind::Reference),
                        Op::BALoadLl => cpu.element_ll(place, Kind::Byte),
                        Op::CALoadLl => cpu.element_ll(place, Kind::Char),
                        Op::DALoadLl => cpu.element_ll(place, Kind::Double),
                        Op::IALoadSl => cpu.element_sl(place, Kind::Int),
                        Op::LALoadSl => cpu.element_sl(place, Kind::Long),
                        Op::AALoadSl => cpu.element_sl(place, Kind::Reference),
                        Op::BALoadSl => cpu.element_sl(place, Kind::Byte),
                        Op::CALoadSl => cpu.element_sl(place, Kind::Char),
                        Op::DALoadSl => cpu.element_sl(place, Kind::Double),
                    }
                    cpu.pc += 1;
                }
            };
            match stop {
                Stop::Reload => {}
                Stop::Symbolic => {
                    self.make_symbolic();
                    return Leave::Switch;
                }
                Stop::Trap(Trap::Restart) => self.shadows.begin_instruction(),
                stop if floor.is_some() => return Leave::Later(stop),
                Stop::Safepoint(back) => {
                    if let Some(exit) = self.safepoint(back) {
                        return Leave::Exit(exit);
                    }
                }
                Stop::Trap(trap) => {
                    if let Some(exit) = self.handle_trap(trap) {
                        return Leave::Exit(exit);
                    }
                }
                Stop::Exit(exit) => return Leave::Exit(exit),
            }
            continue 'frame;
        }
    }
}
