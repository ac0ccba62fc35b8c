//! Calls through method handles: `invoke`, `invokeExact`, and calls from handle to handle.
//!
//! A call goes to a *linker*, a static native for the name and the type of the call. It forwards to the code of the
//! handle's shape, by way of an adapter where the types differ.

use super::assemble::{Assembler, Call};
use super::convert::Rule;
use super::method_handle::all_arguments;
use super::signature::Signature;
use crate::classes::{ClassId, MethodId};
use crate::code::{Insn, Op};
use crate::dynamic::names::{METHOD_HANDLE, VAR_HANDLE};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, Outcome, symbolic};
use crate::state::Value;

pub(crate) const NATIVES: &[Native] = &[symbolic(METHOD_HANDLE, "invokeBasic", "*", link_handle_call)];

impl Machine {
    /// The resolved form of a signature-polymorphic call (JVMS §2.9.3), or `None` for an ordinary method of
    /// the class.
    pub(crate) fn polymorphic_call(
        &mut self,
        class: ClassId,
        name: &str,
        descriptor: &str,
    ) -> Step<Option<Insn>> {
        let of_handle = &*self.class(class).name == METHOD_HANDLE;
        let polymorphic = if of_handle {
            matches!(name, "invoke" | "invokeExact")
        } else {
            super::var_handle::is_mode(name)
        };
        if !polymorphic {
            return Ok(None);
        }
        let Some(signature) = Signature::parse(descriptor) else { return Ok(None) };
        let method = self.linker(of_handle, name, &signature)?;
        Ok(Some(Insn { op: Op::InvokeStatic, a: 0, b: self.add_call(method) as i32 }))
    }

    /// The static method that a polymorphic call goes to: it takes the handle and the arguments.
    pub(crate) fn linker(&mut self, of_handle: bool, name: &str, signature: &Signature) -> Step<MethodId> {
        let key = (of_handle, name.to_owned(), signature.to_string());
        if let Some(method) = self.dynamic.linkers.get(&key) {
            return Ok(*method);
        }
        let class = if of_handle { METHOD_HANDLE } else { VAR_HANDLE };
        let descriptor = signature.with_first(format!("L{class};")).to_string();
        let class_name = format!("{class}$$Linker${}", self.dynamic.linkers.len() + 1);
        let run = if of_handle { link_handle_call } else { super::var_handle::link_call };
        let method = self.define_static_native(class_name, name, &descriptor, run)?;
        self.dynamic.linkers.insert(key, method);
        Ok(method)
    }

    /// Emits a call through a handle that is on the stack below its arguments.
    pub(crate) fn call_handle(
        &mut self,
        code: &mut Assembler,
        name: &str,
        signature: &Signature,
    ) -> Step<()> {
        let linker = self.linker(true, name, signature)?;
        code.invoke(self, linker, Call::Static);
        Ok(())
    }
}

/// `invoke`, `invokeExact` and calls between handles: goes to the code of the handle's shape, by way of an
/// adapter where the types differ.
fn link_handle_call(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let handle = args.non_null(m, 0)?;
    let (class, site) = (m.class_of(handle), args.method);
    let target = match m.dynamic.linked.get(&(class, site)) {
        Some(target) => *target,
        None => {
            let target = find_target(m, handle, site)?;
            // What a varargs handle collects into depends on the handle, not on its shape alone.
            match target {
                Target::Shape(method) => {
                    m.dynamic.linked.insert((class, site), method);
                    method
                }
                Target::Other(handle, method) => {
                    let mut arguments = all_arguments(m, args);
                    arguments[0] = Value::reference(handle);
                    return Ok(Outcome::Call(method, arguments));
                }
            }
        }
    };
    Ok(Outcome::Forward(target))
}

enum Target {
    Shape(MethodId),
    Other(Addr, MethodId),
}

fn find_target(m: &mut Machine, handle: Addr, site: MethodId) -> Step<Target> {
    let shape = m.shape_of(m.class_of(handle))?;
    let (name, descriptor) = (m.method(site).name.clone(), m.method(site).descriptor.clone());
    let Some(wanted) = Signature::parse(&descriptor).map(|s| s.without(0, 1)) else {
        return Err(Trap::unsupported(format!("call of a method handle as {descriptor}")));
    };
    if wanted == shape.signature {
        return Ok(Target::Shape(shape.invoke));
    }
    if &*name == "invokeExact" {
        let start =
            if m.program.jdk().feature_version() >= 22 { "handle's method type " } else { "expected " };
        let (has, wants) = (shape.signature.readable(), wanted.readable());
        let message = format!("{start}{has} but found {wants}");
        return Err(Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(message)));
    }
    if shape.varargs {
        let adapted = m.as_type(handle, &wanted, Rule::AsType)?;
        let invoke = m.shape_of(m.class_of(adapted))?.invoke;
        return Ok(Target::Other(adapted, invoke));
    }
    match m.adapter(&shape.signature, &wanted, Rule::AsType)? {
        Some(method) => Ok(Target::Shape(method)),
        None => Err(m.wrong_type(&shape.signature, &wanted)),
    }
}
