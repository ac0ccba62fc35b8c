//! Invocations (JVMS §4.10.1.9, `invoke*`) and constructors.

use super::state::TypeState;
use super::types::Type;
use super::{VerifiedBody, Verifier, VerifyResult, bad};
use cupping_classfile::{Constant, Instruction, MethodDescriptor, Opcode, Operand};

impl Verifier<'_> {
    pub(super) fn invocation(
        &mut self,
        insn: &Instruction,
        body: &VerifiedBody,
        state: &mut TypeState,
    ) -> VerifyResult {
        let (index, count) = match insn.operand {
            Operand::Constant(index) => (index, None),
            Operand::InvokeInterface { constant, count } => (constant, Some(count)),
            _ => return Err(bad("Bad operand")),
        };
        let file = self.file.clone();
        let version = file.major_version;
        let wrong = || bad(format!("Illegal type at constant pool entry {index}"));
        let opcode = insn.opcode;
        let (class, name, descriptor, is_interface) = match file.constant(index) {
            Ok(Constant::Method { class, name, descriptor, interface })
                if match opcode {
                    Opcode::Invokevirtual => !interface,
                    Opcode::Invokeinterface => interface,
                    Opcode::Invokedynamic => false,
                    _ => !interface || version >= 52,
                } =>
            {
                (class, name, descriptor, interface)
            }
            Ok(Constant::InvokeDynamic { name, descriptor, .. })
                if opcode == Opcode::Invokedynamic && version >= 51 =>
            {
                ("java/lang/Object".into(), name, descriptor, false)
            }
            _ => return Err(wrong()),
        };
        let parsed = MethodDescriptor::parse(&descriptor).ok_or_else(wrong)?;
        let is_init = &*name == "<init>";
        if name.starts_with('<') && !(is_init && opcode == Opcode::Invokespecial) {
            return Err(bad("Illegal call to internal method"));
        }
        if let Some(count) = count
            && count as usize != parsed.parameter_slots() as usize + 1
        {
            return Err(bad("Inconsistent args count operand in invokeinterface"));
        }
        if opcode == Opcode::Invokespecial && !is_init {
            self.check_special(&class, is_interface)?;
        }
        for parameter in parsed.parameters.iter().rev() {
            let expected = self.types.field(parameter);
            let found = state.pop()?;
            self.require(found, expected, "Bad type on operand stack")?;
        }
        match opcode {
            Opcode::Invokestatic | Opcode::Invokedynamic => {}
            _ if is_init => self.constructor(&class, &descriptor, body, state)?,
            Opcode::Invokespecial => {
                let receiver = state.pop()?;
                let this = self.this;
                self.require(receiver, this, "Bad type on operand stack")?;
            }
            _ => {
                let receiver = state.pop()?;
                let owner = self.types.class(&class);
                self.require(receiver, owner, "Bad type on operand stack")?;
                // Arrays have a public clone().
                let clones =
                    &*name == "clone" && self.types.is_any_array(receiver) && &*class == "java/lang/Object";
                if opcode == Opcode::Invokevirtual && !clones {
                    self.check_protected(
                        receiver,
                        &class,
                        "Bad access to protected data in invokevirtual",
                        |v, c| v.protected_method(c, &name, &descriptor),
                    )?;
                }
            }
        }
        if let Some(result) = &parsed.result {
            if is_init {
                return Err(bad("Return type must be void in <init> method"));
            }
            let ty = self.types.field(result);
            state.push(ty);
        }
        Ok(())
    }

    /// `invokespecial` may call methods of the class itself, its superclasses and its direct superinterfaces.
    fn check_special(&mut self, class: &str, is_interface: bool) -> VerifyResult {
        let owner = self.types.class(class);
        if owner == self.this || Some(owner) == self.super_type {
            return Ok(());
        }
        let this = self.this;
        if !self.assignable(this, owner)? {
            return Err(bad(
                "Bad invokespecial instruction: current class isn't assignable to reference class.",
            ));
        }
        let direct = self.file.interfaces.iter().any(|name| **name == *class);
        let loaded = self.load(class)?;
        let is_interface = is_interface || self.machine.class(loaded).is_interface();
        if is_interface && !direct {
            return Err(bad(
                "Bad invokespecial instruction: interface method reference is in an indirect superinterface.",
            ));
        }
        Ok(())
    }

    /// A call of a constructor of `class`; its arguments are popped.
    fn constructor(
        &mut self,
        class: &str,
        descriptor: &str,
        body: &VerifiedBody,
        state: &mut TypeState,
    ) -> VerifyResult {
        match state.pop()? {
            Type::UninitThis => {
                let owner = self.types.class(class);
                if owner != self.this && Some(owner) != self.super_type {
                    return Err(bad("Bad <init> method call"));
                }
                state.replace(Type::UninitThis, self.this);
                state.this_uninit = false;
                Ok(())
            }
            Type::Uninit(pc) => {
                let made = body.at(pc as u32).map(|index| &body.insns[index]);
                let made = match made {
                    Some(Instruction { opcode: Opcode::New, operand: Operand::Constant(index), .. }) => {
                        *index
                    }
                    _ => return Err(bad("Expecting new instruction")),
                };
                if !matches!(self.file.constant(made), Ok(Constant::Class(name)) if *name == *class) {
                    return Err(bad("Call to wrong <init> method"));
                }
                // Only a superclass can have a protected constructor that matters here.
                if self.is_super_name(class) {
                    let loaded = self.load(class)?;
                    if self.machine.declared_method(loaded, "<init>", descriptor).is_some()
                        && self.protected_method(loaded, "<init>", descriptor)
                    {
                        return Err(bad("Bad access to protected <init> method"));
                    }
                }
                let initialized = self.types.class(class);
                state.replace(Type::Uninit(pc), initialized);
                Ok(())
            }
            _ => Err(bad("Bad operand type when invoking <init>")),
        }
    }
}
