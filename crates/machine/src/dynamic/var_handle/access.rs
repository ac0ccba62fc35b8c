//! The code of an access through a variable handle.

use super::mode::Mode;
use crate::classes::Kind;
use crate::code::Op;
use crate::dynamic::assemble::{Assembler, InvocationKind};
use crate::dynamic::convert::Rule;
use crate::dynamic::signature::{Signature, kind};
use crate::dynamic::variable::{Variable, VariablePlace};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use std::sync::Arc;

/// Code of one access under construction.
pub(super) struct HandleAccess<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) variable: &'a Variable,
    pub(super) mode: Mode,
    /// Type of the call, the handle being its first parameter.
    pub(super) site: &'a Signature,
    pub(super) code: Assembler,
}

impl HandleAccess<'_> {
    fn held(&self) -> Kind {
        kind(&self.variable.descriptor)
    }

    /// Emits the whole method.
    pub(super) fn emit(&mut self) -> Step<()> {
        let held = self.held();
        let first = 1 + self.variable.coordinates.len();
        match self.mode {
            Mode::Get => {
                self.read()?;
                self.give(false)?;
            }
            Mode::Set => {
                self.coordinates()?;
                self.value(first)?;
                self.write()?;
                self.code.ret(Kind::Void);
            }
            Mode::CompareAndSet | Mode::CompareAndExchange => self.compare(first)?,
            Mode::GetAndSet => {
                let old = self.read_old(held)?;
                self.coordinates()?;
                self.value(first)?;
                self.write()?;
                self.code.load(old, held);
                self.give(false)?;
            }
            Mode::GetAndAdd | Mode::GetAndBitwise(..) => {
                let old = self.read_old(held)?;
                self.coordinates()?;
                self.code.load(old, held);
                self.value(first)?;
                self.combine(held)?;
                self.write()?;
                self.code.load(old, held);
                self.give(false)?;
            }
        }
        Ok(())
    }

    fn read_old(&mut self, held: Kind) -> Step<u16> {
        self.read()?;
        let old = self.code.local(held);
        self.code.store(old, held);
        Ok(old)
    }

    fn combine(&mut self, held: Kind) -> Step<()> {
        let op = match (self.mode, held) {
            (Mode::GetAndAdd, Kind::Long) => Op::LAdd,
            (Mode::GetAndAdd, Kind::Float) => Op::FAdd,
            (Mode::GetAndAdd, Kind::Double) => Op::DAdd,
            (Mode::GetAndAdd, Kind::Byte | Kind::Char | Kind::Short | Kind::Int) => Op::IAdd,
            (Mode::GetAndBitwise(_, long), Kind::Long) => long,
            (
                Mode::GetAndBitwise(int, _),
                Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short | Kind::Int,
            ) => int,
            _ => return Err(Trap::Raise("java/lang/UnsupportedOperationException", None)),
        };
        self.code.op(op);
        Ok(())
    }

    fn compare(&mut self, first: usize) -> Step<()> {
        let held = self.held();
        let differs = self.code.label();
        let old = self.read_old(held)?;
        for side in 0..2 {
            if side == 0 {
                self.code.load(old, held);
            } else {
                self.value(first)?;
            }
            // Floats are compared by their bits.
            let (class, descriptor) = match held {
                Kind::Float => ("java/lang/Float", "(F)I"),
                Kind::Double => ("java/lang/Double", "(D)J"),
                _ => continue,
            };
            let name = if held == Kind::Float { "floatToRawIntBits" } else { "doubleToRawLongBits" };
            self.code.invoke_named(self.machine, InvocationKind::Static, class, name, descriptor)?;
        }
        match held {
            Kind::Reference => self.code.jump(Op::IfACmpNe, differs),
            Kind::Long | Kind::Double => {
                self.code.op(Op::LCmp);
                self.code.jump(Op::IfNe, differs);
            }
            _ => self.code.jump(Op::IfICmpNe, differs),
        }
        self.coordinates()?;
        self.value(first + 1)?;
        self.write()?;
        let exchange = self.mode == Mode::CompareAndExchange;
        for success in [true, false] {
            if exchange {
                self.code.load(old, held);
            } else {
                self.code.int(success as i32);
            }
            self.give(!exchange)?;
            if success {
                self.code.bind_at(differs, 0);
            }
        }
        Ok(())
    }

    /// Pushes the coordinates as the access needs them.
    fn coordinates(&mut self) -> Step<()> {
        let variable = self.variable;
        for (index, to) in variable.coordinates.iter().enumerate() {
            self.code.parameter(1 + index);
            let from = &self.site.parameters[1 + index];
            if !self.machine.convert(&mut self.code, from, to, Rule::AsType)? {
                return Err(wrong_type(variable, self.mode, self.site));
            }
        }
        Ok(())
    }

    /// Pushes a value of the call as one of the variable's type.
    fn value(&mut self, parameter: usize) -> Step<()> {
        self.code.parameter(parameter);
        let from = &self.site.parameters[parameter];
        if self.machine.convert(&mut self.code, from, &self.variable.descriptor, Rule::AsType)? {
            return Ok(());
        }
        Err(wrong_type(self.variable, self.mode, self.site))
    }

    fn read(&mut self) -> Step<()> {
        let held = self.held();
        if let VariablePlace::Bytes { big_endian } = self.variable.place {
            return self.bytes(big_endian, false, |_| Ok(()));
        }
        self.coordinates()?;
        match &self.variable.place {
            VariablePlace::Field { offset, .. } => self.code.get_field(*offset, held),
            VariablePlace::Static { class, offset, .. } => self.code.get_static(*class, *offset, held),
            VariablePlace::Element(_) | VariablePlace::Bytes { .. } => self.code.array_load(held),
        }
        Ok(())
    }

    /// Pops coordinates and a value, and stores it.
    fn write(&mut self) -> Step<()> {
        let held = self.held();
        match &self.variable.place {
            VariablePlace::Field { offset, .. } => self.code.put_field(*offset, held),
            VariablePlace::Static { class, offset, .. } => self.code.put_static(*class, *offset, held),
            VariablePlace::Element(_) => self.code.array_store(held),
            VariablePlace::Bytes { big_endian } => {
                let value = self.code.local(held);
                self.code.store(value, held);
                self.code.op(Op::Pop2);
                return self.bytes(*big_endian, true, |access| {
                    access.code.load(value, held);
                    Ok(())
                });
            }
        }
        Ok(())
    }

    /// Emits an access to a number in a `byte[]`, through `Unsafe`.
    fn bytes(
        &mut self,
        big_endian: bool,
        write: bool,
        value: impl FnOnce(&mut Self) -> Step<()>,
    ) -> Step<()> {
        const UNSAFE: &str = "jdk/internal/misc/Unsafe";
        let held = self.held();
        let name = match held {
            Kind::Short => "Short",
            Kind::Char => "Char",
            Kind::Int | Kind::Float => "Int",
            _ => "Long",
        };
        let letter = match held {
            Kind::Float => 'I',
            Kind::Double => 'J',
            _ => held.letter(),
        };
        let size = held.array_bytes() as i32;
        self.coordinates()?;
        // Checks that the whole number lies within the array.
        let index = self.code.local(Kind::Int);
        self.code.store(index, Kind::Int);
        self.code.op(Op::ArrayLength);
        let length = self.code.local(Kind::Int);
        self.code.store(length, Kind::Int);
        self.code.load(index, Kind::Int);
        self.code.int(size);
        self.code.load(length, Kind::Int);
        let check = "(III)I";
        self.code.invoke_named(
            self.machine,
            InvocationKind::Static,
            "java/util/Objects",
            "checkFromIndexSize",
            check,
        )?;
        self.code.op(Op::Pop);
        let descriptor = format!("()L{UNSAFE};");
        self.code.invoke_named(self.machine, InvocationKind::Static, UNSAFE, "getUnsafe", &descriptor)?;
        self.code.parameter(1);
        self.code.load(index, Kind::Int);
        self.code.op(Op::I2L);
        self.code.wide(crate::heap::layout::ARRAY_BASE);
        self.code.op(Op::LAdd);
        if write {
            value(self)?;
            match held {
                Kind::Float => self.raw("java/lang/Float", "floatToRawIntBits", "(F)I")?,
                Kind::Double => self.raw("java/lang/Double", "doubleToRawLongBits", "(D)J")?,
                _ => {}
            }
            self.code.int(big_endian as i32);
            let (name, descriptor) =
                (format!("put{name}Unaligned"), format!("(Ljava/lang/Object;J{letter}Z)V"));
            return self.code.invoke_named(self.machine, InvocationKind::Virtual, UNSAFE, &name, &descriptor);
        }
        self.code.int(big_endian as i32);
        let (name, descriptor) = (format!("get{name}Unaligned"), format!("(Ljava/lang/Object;JZ){letter}"));
        self.code.invoke_named(self.machine, InvocationKind::Virtual, UNSAFE, &name, &descriptor)?;
        match held {
            Kind::Float => self.raw("java/lang/Float", "intBitsToFloat", "(I)F"),
            Kind::Double => self.raw("java/lang/Double", "longBitsToDouble", "(J)D"),
            _ => Ok(()),
        }
    }

    fn raw(&mut self, class: &str, name: &str, descriptor: &str) -> Step<()> {
        self.code.invoke_named(self.machine, InvocationKind::Static, class, name, descriptor)
    }

    /// Returns the value on the stack in the type that the call expects: a truth value or one of the variable's
    /// type.
    fn give(&mut self, truth: bool) -> Step<()> {
        let from: &str = if truth { "Z" } else { &self.variable.descriptor };
        if !self.machine.convert(&mut self.code, from, &self.site.result, Rule::AsType)? {
            return Err(wrong_type(self.variable, self.mode, self.site));
        }
        self.code.ret(kind(&self.site.result));
        Ok(())
    }
}

pub(super) fn wrong_type(variable: &Variable, mode: Mode, site: &Signature) -> Trap {
    let mut parameters = variable.coordinates.clone();
    parameters.extend(std::iter::repeat_n(variable.descriptor.clone(), mode.values()));
    let result: Arc<str> = match mode {
        Mode::Set => "V".into(),
        Mode::CompareAndSet => "Z".into(),
        _ => variable.descriptor.clone(),
    };
    let expected = Signature::new(parameters, result).readable();
    let message = format!("cannot convert MethodHandle(VarHandle,{} to {}", &expected[1..], site.readable());
    Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(message))
}
