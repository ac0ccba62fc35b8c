//! Instructions with a field or a class as operand, and access to protected members.

use super::state::TypeState;
use super::types::Type;
use super::{VerifiedBody, Verifier, VerifyResult, bad};
use crate::classes::ClassId;
use cupping_classfile::{Constant, FieldType, Instruction, Opcode, Operand};

impl Verifier<'_> {
    /// The type of a field descriptor.
    pub(super) fn descriptor_type(&mut self, descriptor: &str) -> VerifyResult<Type> {
        let parsed = FieldType::parse(descriptor).ok_or_else(|| bad("bad descriptor"))?;
        Ok(self.types.field(&parsed))
    }

    pub(super) fn field(
        &mut self,
        insn: &Instruction,
        body: &VerifiedBody,
        state: &mut TypeState,
    ) -> VerifyResult {
        let Operand::Constant(index) = insn.operand else { return Err(bad("Bad operand")) };
        let file = self.file.clone();
        let Ok(Constant::Field { class, name, descriptor }) = file.constant(index) else {
            return Err(bad(format!("Illegal type at constant pool entry {index}")));
        };
        if class.starts_with('[') {
            return Err(bad("Expecting reference to class in class file at constant pool"));
        }
        let (ty, owner) = (self.descriptor_type(&descriptor)?, self.types.class(&class));
        let what = "Bad type on operand stack";
        match insn.opcode {
            Opcode::Getstatic => state.push(ty),
            Opcode::Putstatic => {
                let value = state.pop()?;
                self.require(value, ty, what)?;
            }
            Opcode::Getfield => {
                let object = state.pop()?;
                self.require(object, owner, what)?;
                self.check_protected(object, &class, "Bad access to protected data in getfield", |v, c| {
                    v.protected_field(c, &name, &descriptor)
                })?;
                state.push(ty);
            }
            _ => {
                let value = state.pop()?;
                self.require(value, ty, what)?;
                let object = state.pop()?;
                // A constructor may set its own fields before it calls another one.
                let own = body.is_constructor()
                    && owner == self.this
                    && file.fields.iter().any(|f| *f.name == *name && *f.descriptor == *descriptor);
                if object == Type::UninitThis && own {
                    return Ok(());
                }
                self.require(object, owner, what)?;
                self.check_protected(object, &class, "Bad access to protected data in putfield", |v, c| {
                    v.protected_field(c, &name, &descriptor)
                })?;
            }
        }
        Ok(())
    }

    /// If a superclass in another package declares a member protected, the object must be of the current class
    /// (JVMS §4.10.1.8).
    pub(super) fn check_protected(
        &mut self,
        object: Type,
        owner: &str,
        what: &str,
        is_protected: impl FnOnce(&Self, ClassId) -> bool,
    ) -> VerifyResult {
        if object == self.this || !self.is_super_name(owner) {
            return Ok(());
        }
        let class = self.load(owner)?;
        if !is_protected(self, class) {
            return Ok(());
        }
        let this = self.this;
        if self.assignable_strictly(object, this, true)? { Ok(()) } else { Err(bad(what)) }
    }

    /// Whether the class of this name is a superclass of the class under verification.
    pub(super) fn is_super_name(&self, name: &str) -> bool {
        let mut at = self.machine.class(self.class).super_class;
        while let Some(class) = at {
            if *self.machine.class(class).name == *name {
                return true;
            }
            at = self.machine.class(class).super_class;
        }
        false
    }

    fn protected_field(&self, class: ClassId, name: &str, descriptor: &str) -> bool {
        self.machine.find_field(class, name, descriptor).is_some_and(|(owner, at)| {
            self.machine.class(owner).fields[at].access.is_protected() && !self.in_same_package(owner)
        })
    }

    /// Whether the method found is protected and of another package.
    pub(super) fn protected_method(&self, class: ClassId, name: &str, descriptor: &str) -> bool {
        self.machine.find_method(class, name, descriptor).is_some_and(|found| {
            let method = self.machine.method(found);
            method.access.is_protected() && !self.in_same_package(method.class)
        })
    }

    /// Whether a class is in the package of the class under verification.
    pub(super) fn in_same_package(&self, other: ClassId) -> bool {
        self.machine.same_package(self.class, other)
    }

    /// `new`, `newarray`, `anewarray`, `checkcast`, `instanceof`, `multianewarray`.
    pub(super) fn class_operand(&mut self, insn: &Instruction, state: &mut TypeState) -> VerifyResult {
        let (index, dimensions) = match insn.operand {
            Operand::Constant(index) => (index, 0),
            Operand::MultiArray { constant, dimensions } => (constant, dimensions as usize),
            Operand::ArrayType(kind) => {
                self.pop_letter(state, 'I')?;
                let array = ["[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"][(kind - 4) as usize & 7];
                let array = self.types.class(array);
                state.push(array);
                return Ok(());
            }
            _ => return Err(bad("Bad operand")),
        };
        let file = self.file.clone();
        let Ok(Constant::Class(name)) = file.constant(index) else {
            return Err(bad(format!("Illegal type at constant pool entry {index}")));
        };
        let depth = name.bytes().take_while(|byte| *byte == b'[').count();
        match insn.opcode {
            Opcode::New => {
                let fresh = Type::Uninit(insn.pc as u16);
                if depth > 0 {
                    return Err(bad("Illegal creation of array by new"));
                }
                if state.stack.contains(&fresh) {
                    return Err(bad("Uninitialized object exists on operand stack at new"));
                }
                state.replace(fresh, Type::Top);
                state.push(fresh);
            }
            Opcode::Anewarray => {
                self.pop_letter(state, 'I')?;
                if depth >= 255 {
                    return Err(bad("Array too large"));
                }
                let array = if depth > 0 { format!("[{name}") } else { format!("[L{name};") };
                let array = self.types.class(&array);
                state.push(array);
            }
            Opcode::Multianewarray => {
                if depth < dimensions {
                    return Err(bad("Illegal dimension in multianewarray"));
                }
                for _ in 0..dimensions {
                    self.pop_letter(state, 'I')?;
                }
                let array = self.types.class(&name);
                state.push(array);
            }
            Opcode::Checkcast => {
                self.pop_letter(state, 'A')?;
                let class = self.types.class(&name);
                state.push(class);
            }
            _ => {
                self.pop_letter(state, 'A')?;
                state.push(Type::Int);
            }
        }
        Ok(())
    }
}
