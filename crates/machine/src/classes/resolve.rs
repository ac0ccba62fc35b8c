//! Resolution of operands on first execution: the instruction is replaced by its resolved form
//! (*quickened*) and runs again (JVMS §5.4.3).

use crate::classes::access;
use crate::classes::access::external_signature;
use crate::classes::errors::bad_constant;
use crate::classes::handle::Handle;
use crate::classes::{ClassId, ClassKind, Kind, MethodId};
use crate::code::{CallSite, Insn, Op};
use crate::exit::{Step, Trap};
use crate::heap::layout::{CONSTANTS, MAX_CONSTANTS};
use crate::machine::{Machine, MethodBody};
use crate::memory::Addr;
use crate::natives::NativeFn;
use crate::state::Value;
use cupping_classfile::{
    Action, ClassFile, Constant, FieldType, Invocation, Opcode, OperandKind, descriptor,
};
use std::sync::Arc;

impl Machine {
    /// Resolves the instruction under execution.
    pub(crate) fn resolve(&mut self, insn: Insn) -> Step<()> {
        let file = pool(self)?;
        let index = insn.b as u16;
        let Some(opcode) = Opcode::from_byte(insn.a as u8) else {
            return Err(Trap::unsupported(format!("opcode {}", insn.a & 0xFF)));
        };
        let resolved = match opcode.action() {
            Action::GetField | Action::PutField | Action::GetStatic | Action::PutStatic => {
                resolve_field(self, &file, opcode.action(), index)?
            }
            Action::Invoke(Invocation::Dynamic) => {
                Insn { op: Op::InvokeDynamic, a: index, b: self.resolve_dynamic(&file, index)? as i32 }
            }
            Action::Invoke(how) => resolve_call(self, &file, how, index)?,
            Action::New => {
                let class = class_constant(self, &file, index)?;
                if self.class(class).is_abstract() || self.class(class).kind != ClassKind::Instance {
                    let name = self.class(class).name.replace('/', ".");
                    return Err(Trap::Raise("java/lang/InstantiationError", Some(name)));
                }
                self.ensure_initialized(class)?;
                Insn { op: Op::New, a: 0, b: class.0 as i32 }
            }
            Action::NewArray => {
                let array = match descriptor::primitive_element(insn.b as u8) {
                    Some(element) if opcode.operand_kind() == OperandKind::ArrayType => {
                        self.load(&FieldType::Array(Box::new(element)).to_string())?
                    }
                    _ => {
                        let element = class_constant(self, &file, index)?;
                        self.array_of(element)?
                    }
                };
                Insn { op: Op::NewArray, a: 0, b: array.0 as i32 }
            }
            Action::NewMultiArray => Insn {
                op: Op::MultiANewArray,
                a: insn.a >> 8,
                b: class_constant(self, &file, index)?.0 as i32,
            },
            // Null needs no resolution: it can be cast to every type and is an instance of none. No loader is
            // asked.
            Action::CheckCast | Action::InstanceOf
                if is_null_on_top(self) && self.class(self.current_class()).loader != 0 =>
            {
                self.current_mut().pc += 1;
                return Ok(());
            }
            action @ (Action::CheckCast | Action::InstanceOf) => {
                let class = match class_constant(self, &file, index) {
                    Ok(class) => class,
                    Err(Trap::Missing(_) | Trap::Raise(..)) if is_null_on_top(self) => {
                        self.current_mut().pc += 1;
                        return Ok(());
                    }
                    Err(trap) => return Err(trap),
                };
                let op = if action == Action::CheckCast { Op::CheckCast } else { Op::InstanceOf };
                Insn { op, a: 0, b: class.0 as i32 }
            }
            _ => return Err(Trap::unsupported(opcode.mnemonic().to_owned())),
        };
        quicken(self, resolved);
        Ok(())
    }

    /// Adds a call site to the current code; its index.
    pub(crate) fn add_call(&mut self, method: MethodId) -> usize {
        let argument_slots = self.method(method).argument_slots;
        let mut calls = self.current().code.calls.borrow_mut();
        calls.push(CallSite { method, argument_slots, cached: None });
        calls.len() - 1
    }

    /// `ldc` of a string, class, method type, method handle or dynamic constant.
    pub(crate) fn load_constant(&mut self, insn: Insn) -> Step<()> {
        if let Some(file) = self.class(self.current_class()).file.clone()
            && let Ok(Constant::Dynamic { .. }) = file.constant(insn.b as u16)
        {
            let method = self.dynamic_constant(&file, insn.b as u16)?;
            let call = self.add_call(method) as i32;
            quicken(self, Insn { op: Op::InvokeStatic, a: 0, b: call });
            return Ok(());
        }
        if let Some(number) = self.classes.new_constant(MAX_CONSTANTS) {
            let word = CONSTANTS + number;
            quicken(self, Insn { op: Op::LdcCached, a: insn.b as u16, b: word as i32 });
            return Ok(());
        }
        let constant = reference_constant(self, insn.b as u16)?;
        self.push_result(Value::reference(constant), Kind::Reference);
        self.current_mut().pc += 1;
        Ok(())
    }

    /// Fills the word of a cached constant; the instruction runs again.
    pub(crate) fn load_cached_constant(&mut self, insn: Insn) -> Step<()> {
        let constant = reference_constant(self, insn.a)?;
        self.memory.write(insn.b as Addr, constant as u64);
        Ok(())
    }

    /// The `MethodHandle` constant at this index.
    pub(crate) fn handle_constant(&mut self, file: &ClassFile, index: u16) -> Step<Handle> {
        let Ok(Constant::MethodHandle { kind, reference }) = file.constant(index) else {
            return Err(bad_constant(file, index, None));
        };
        let (class, name, descriptor, interface) = match file.constant(reference) {
            Ok(Constant::Method { class, name, descriptor, interface }) => {
                (class, name, descriptor, Some(interface))
            }
            Ok(Constant::Field { class, name, descriptor }) => (class, name, descriptor, None),
            other => return Err(bad_constant(file, reference, other.err().map(|e| e.to_string()))),
        };
        let class = self.load_for(self.current_class(), &class)?;
        if interface.is_some_and(|interface| interface != self.class(class).is_interface()) {
            let what = format!("{} and how it is referred to", self.class(class).name.replace('/', "."));
            return Err(Trap::Raise("java/lang/IncompatibleClassChangeError", Some(what)));
        }
        Ok(Handle { kind, class, name: name.into_owned(), descriptor: descriptor.into_owned() })
    }
}

/// The class file whose pool the current code refers to.
fn pool(machine: &Machine) -> Step<Arc<ClassFile>> {
    let class = machine.current_class();
    machine
        .class(class)
        .file
        .clone()
        .ok_or_else(|| Trap::unsupported("constant of a class without a class file"))
}

/// Replaces the instruction under execution.
fn quicken(machine: &mut Machine, insn: Insn) {
    let frame = machine.current();
    let place = &frame.code.insns[frame.pc as usize];
    place.set(insn);
    frame.code.fuse_around(frame.pc as usize);
    if insn.op == Op::InvokeStatic
        && let Some(site) = frame.code.calls.borrow().get(insn.b as usize)
        && let MethodBody::Native(NativeFn { inlined: Some(op), .. }) = machine.method(site.method).body
    {
        place.run_as(op);
    }
}

/// Whether the top operand is a null that does not depend on a term.
fn is_null_on_top(machine: &Machine) -> bool {
    let frame = machine.current();
    let top = frame.sp - 1;
    machine.stack.get(top) == 0 && !(frame.symbolic && machine.stack.shadow(top) != 0)
}

fn class_constant(machine: &mut Machine, file: &ClassFile, index: u16) -> Step<ClassId> {
    match file.constant(index) {
        Ok(Constant::Class(name)) => {
            let class = machine.load_for(machine.current_class(), &name)?;
            access::check_class_access(machine, machine.current_class(), class)?;
            Ok(class)
        }
        other => Err(bad_constant(file, index, other.err().map(|e| e.to_string()))),
    }
}

fn resolve_field(machine: &mut Machine, file: &ClassFile, action: Action, index: u16) -> Step<Insn> {
    let (class, name, descriptor) = match file.constant(index) {
        Ok(Constant::Field { class, name, descriptor }) => {
            (machine.load_for(machine.current_class(), &class)?, name, descriptor)
        }
        other => return Err(bad_constant(file, index, other.err().map(|e| e.to_string()))),
    };
    let from = machine.current_class();
    access::check_class_access(machine, from, class)?;
    let Some((owner, at)) = machine.find_field(class, &name, &descriptor) else {
        let message = match FieldType::parse(&descriptor) {
            Some(ty) if machine.program.jdk().feature_version() >= 21 => format!(
                "Class {} does not have member field '{} {name}'",
                machine.external_name(class),
                ty.java_name()
            ),
            _ => name.into_owned(),
        };
        return Err(Trap::Raise("java/lang/NoSuchFieldError", Some(message)));
    };
    access::check_field_access(machine, from, class, owner, at)?;
    let field = &machine.class(owner).fields[at];
    let (kind, offset, is_static) = (field.kind, field.offset, field.is_static());
    if is_static != matches!(action, Action::GetStatic | Action::PutStatic) {
        let message = format!(
            "Expected {} field {}.{name}",
            if is_static { "non-static" } else { "static" },
            machine.external_name(class)
        );
        return Err(Trap::Raise("java/lang/IncompatibleClassChangeError", Some(message)));
    }
    if matches!(action, Action::PutField | Action::PutStatic) {
        let within = machine.method(machine.current().code.method).name.clone();
        access::check_final_write(machine, from, &within, owner, at)?;
    }
    if is_static {
        machine.ensure_initialized(owner)?;
    }
    let narrow = matches!(kind, Kind::Boolean | Kind::Byte | Kind::Char | Kind::Short);
    let two = kind.slots() == 2;
    let class_number = owner.0 as i32;
    Ok(match action {
        Action::GetStatic => {
            Insn { op: if two { Op::GetStatic2 } else { Op::GetStatic1 }, a: offset, b: class_number }
        }
        Action::PutStatic if narrow => {
            Insn { op: Op::PutStaticNarrow, a: offset, b: class_number << 4 | kind as i32 }
        }
        Action::PutStatic => {
            Insn { op: if two { Op::PutStatic2 } else { Op::PutStatic1 }, a: offset, b: class_number }
        }
        Action::GetField => Insn { op: if two { Op::GetField2 } else { Op::GetField1 }, a: offset, b: 0 },
        _ if narrow => Insn { op: Op::PutFieldNarrow, a: offset, b: kind as i32 },
        _ => Insn { op: if two { Op::PutField2 } else { Op::PutField1 }, a: offset, b: 0 },
    })
}

fn resolve_call(machine: &mut Machine, file: &ClassFile, how: Invocation, index: u16) -> Step<Insn> {
    let is_interface;
    let (class_name, name, descriptor) = match file.constant(index) {
        Ok(Constant::Method { class, name, descriptor, interface }) => {
            is_interface = interface;
            (class, name, descriptor)
        }
        other => return Err(bad_constant(file, index, other.err().map(|e| e.to_string()))),
    };
    let class = machine.load_for(machine.current_class(), &class_name)?;
    access::check_kind(machine, class, how, is_interface, &name, &descriptor)?;
    access::check_class_access(machine, machine.current_class(), class)?;
    if how == Invocation::Virtual
        && matches!(&*class_name, "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle")
        && let Some(site) = machine.polymorphic_call(class, &name, &descriptor)?
    {
        return Ok(site);
    }
    let Some(mut method) = machine.find_method(class, &name, &descriptor) else {
        let shown = external_signature(&class_name.replace('/', "."), &name, &descriptor);
        return Err(Trap::Raise("java/lang/NoSuchMethodError", Some(format!("'{shown}'"))));
    };
    access::check_method_access(machine, machine.current_class(), class, method)?;
    let is_static = machine.method(method).is_static();
    if is_static != (how == Invocation::Static) {
        let expected = match how {
            Invocation::Static => "Expected static",
            Invocation::Interface => "Expected instance not static",
            _ => "Expecting non-static",
        };
        let message = format!("{expected} method '{}'", machine.external_method(method));
        return Err(Trap::Raise("java/lang/IncompatibleClassChangeError", Some(message)));
    }
    // A body from elsewhere has other constants, but no other superclass.
    let current = machine.method(machine.current().code.method).class;
    let mut op = match how {
        Invocation::Static => Op::InvokeStatic,
        Invocation::Special => {
            // A call of an overridden method starts its search above the current class.
            let resolved_in = machine.method(method).class;
            let is_super = &*name != "<init>"
                && resolved_in != current
                && !machine.class(class).is_interface()
                && machine.is_subtype(current, resolved_in);
            if let (true, Some(parent)) = (is_super, machine.class(current).super_class) {
                method = machine.find_method(parent, &name, &descriptor).unwrap_or(method);
            }
            if machine.method(method).is_static() {
                let message = format!("Expecting non-static method '{}'", machine.external_method(method));
                return Err(Trap::Raise("java/lang/IncompatibleClassChangeError", Some(message)));
            }
            Op::InvokeDirect
        }
        // The receiver of an interface's method is checked when it is called.
        _ if machine.method(method).is_private() && !is_interface => Op::InvokeDirect,
        _ => Op::InvokeInterface,
    };
    let mut a = 0;
    if op == Op::InvokeStatic {
        machine.ensure_initialized(machine.method(method).class)?;
    }
    if op == Op::InvokeInterface
        && let Some(slot) = machine.method(method).virtual_index
    {
        op = Op::InvokeVirtual;
        a = u16::try_from(slot).map_err(|_| Trap::unsupported("vtable of more than 65535 methods"))?;
    }
    Ok(Insn { op, a, b: machine.add_call(method) as i32 })
}

fn reference_constant(machine: &mut Machine, index: u16) -> Step<Addr> {
    let class = machine.current_class();
    let Some(file) = &machine.class(class).file.clone() else {
        return machine.synthetic_constant(class, index.into());
    };
    match file.constant(index) {
        Ok(Constant::String(units)) => machine.intern(&units),
        Ok(Constant::Class(name)) => {
            let class = machine.load_for(machine.current_class(), &name)?;
            machine.mirror(class)
        }
        Ok(Constant::MethodType(descriptor)) => machine.method_type(&descriptor),
        Ok(Constant::MethodHandle { .. }) => {
            let handle = machine.handle_constant(file, index)?;
            machine.method_handle_object(&handle)
        }
        other => Err(bad_constant(file, index, other.err().map(|e| e.to_string()))),
    }
}
