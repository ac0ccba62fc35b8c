//! Calls through method handles: `invoke`, `invokeExact`, and calls from handle to handle.
//!
//! A call goes to a *linker*, a static native for the name and the type of the call. It forwards to the code of
//! the handle's shape, through an adapter if the types differ.

use super::assemble::{Assembler, InvocationKind};
use super::convert::Rule;
use super::signature::{Signature, kind};
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::{Insn, Op};
use crate::dynamic::names::{HANDLE, METHOD_HANDLE, VAR_HANDLE};
use crate::dynamic::{handle, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, symbolic};
use crate::state::Value;
use std::sync::Arc;

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
        let method = linker(self, of_handle, name, &signature)?;
        Ok(Some(Insn { op: Op::InvokeStatic, a: 0, b: self.add_call(method) as i32 }))
    }
}

/// The static method that a polymorphic call goes to: it takes the handle and the arguments.
fn linker(m: &mut Machine, of_handle: bool, name: &str, signature: &Signature) -> Step<MethodId> {
    let key = (of_handle, name.to_owned(), signature.to_string());
    if let Some(method) = m.dynamic.linkers.get(&key) {
        return Ok(*method);
    }
    let class = if of_handle { METHOD_HANDLE } else { VAR_HANDLE };
    let descriptor = signature.with_first(format!("L{class};")).to_string();
    let class_name = format!("{class}$$Linker${}", m.dynamic.linkers.len() + 1);
    let run = if of_handle { link_handle_call } else { super::var_handle::link_call };
    let method = synthetic::define_static_native(m, class_name, name, &descriptor, run, !of_handle)?;
    m.dynamic.linkers.insert(key, method);
    Ok(method)
}

/// Emits a call through a handle that is on the stack below its arguments.
pub(super) fn call_handle(
    m: &mut Machine,
    code: &mut Assembler,
    name: &str,
    signature: &Signature,
) -> Step<()> {
    let linker = linker(m, true, name, signature)?;
    code.invoke(m, linker, InvocationKind::Static);
    Ok(())
}

/// `invoke`, `invokeExact` and calls between handles: go to the code of the handle's shape, through an adapter
/// if the types differ.
fn link_handle_call(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let handle = args.non_null(m, 0)?;
    let (class, site) = (m.class_of(handle), args.method);
    let target = match m.dynamic.linked.get(&(class, site)) {
        Some(target) => *target,
        None => {
            let target = find_target(m, handle, site)?;
            // The array type of a varargs handle depends on the handle itself, not only on its shape.
            match target {
                HandleTarget::Shape(method) => {
                    m.dynamic.linked.insert((class, site), method);
                    method
                }
                HandleTarget::Other(handle, method) => {
                    let mut arguments = all_arguments(m, args);
                    arguments[0] = Value::reference(handle);
                    return Ok(NativeOutcome::Call(method, arguments));
                }
            }
        }
    };
    Ok(NativeOutcome::Forward(target))
}

enum HandleTarget {
    Shape(MethodId),
    Other(Addr, MethodId),
}

fn find_target(m: &mut Machine, handle: Addr, site: MethodId) -> Step<HandleTarget> {
    let shape = handle::shape_of(m, m.class_of(handle))?;
    let (name, descriptor) = (m.method(site).name.clone(), m.method(site).descriptor.clone());
    let Some(wanted) = Signature::parse(&descriptor).map(|s| s.without(0, 1)) else {
        return Err(Trap::unsupported(format!("call of a method handle as {descriptor}")));
    };
    if wanted == shape.signature {
        return Ok(HandleTarget::Shape(shape.invoke));
    }
    if &*name == "invokeExact" {
        let start =
            if m.program.jdk().feature_version() >= 22 { "handle's method type " } else { "expected " };
        let (has, wants) = (shape.signature.readable(), wanted.readable());
        let message = format!("{start}{has} but found {wants}");
        return Err(Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(message)));
    }
    if shape.varargs {
        let adapted = as_type(m, handle, &wanted, Rule::AsType)?;
        let invoke = handle::shape_of(m, m.class_of(adapted))?.invoke;
        return Ok(HandleTarget::Other(adapted, invoke));
    }
    match adapter(m, &shape.signature, &wanted, Rule::AsType)? {
        Some(method) => Ok(HandleTarget::Shape(method)),
        None => Err(wrong_type(&shape.signature, &wanted)),
    }
}

/// The static method that takes a handle of type `from` and the arguments of type `to`; `None` if these do
/// not convert.
fn adapter(m: &mut Machine, from: &Signature, to: &Signature, rule: Rule) -> Step<Option<MethodId>> {
    let key = (from.clone(), to.clone(), rule == Rule::Explicit);
    if let Some(method) = m.dynamic.adapters.get(&key) {
        return Ok(Some(*method));
    }
    if from.parameters.len() != to.parameters.len() {
        return Ok(None);
    }
    let descriptor = to.with_first(HANDLE);
    let mut code = Assembler::new(&descriptor.kinds());
    code.parameter(0);
    for (index, (have, want)) in to.parameters.iter().zip(&from.parameters).enumerate() {
        code.parameter(index + 1);
        if !m.convert(&mut code, have, want, rule)? {
            return Ok(None);
        }
    }
    call_handle(m, &mut code, "invokeBasic", from)?;
    if !m.convert(&mut code, &from.result, &to.result, rule)? {
        return Ok(None);
    }
    code.ret(kind(&to.result));
    let host = m.load(METHOD_HANDLE)?;
    let name = format!("{METHOD_HANDLE}$$Adapter${}", m.dynamic.adapters.len() + 1);
    let method = synthetic::define_static(m, host, name, "adapt", &descriptor.to_string(), code)?;
    m.dynamic.adapters.insert(key, method);
    Ok(Some(method))
}

/// `handle.asType(to)`.
pub(super) fn as_type(m: &mut Machine, handle: Addr, to: &Signature, rule: Rule) -> Step<Addr> {
    let shape = handle::shape_of(m, m.class_of(handle))?;
    let from = shape.signature;
    if from == *to {
        return Ok(handle);
    }
    let handle = if shape.varargs { collected_for(m, handle, &from, to)? } else { handle };
    let from = handle::type_of_handle(m, handle)?;
    let Some(adapter) = adapter(m, &from, to, rule)? else { return Err(wrong_type(&from, to)) };
    let shape = handle::shape(m, format!("asType {from} {to} {rule:?}"), to, 1, false, |m, code, fields| {
        code.this();
        code.get_field(fields[0], Kind::Reference);
        (1..=to.parameters.len()).for_each(|index| code.parameter(index));
        code.invoke(m, adapter, InvocationKind::Static);
        code.ret(kind(&to.result));
        Ok(())
    })?;
    handle::new_handle(m, shape, &[handle])
}

/// A varargs handle adapted to the arguments of a call (`MethodHandle.asVarargsCollector`).
fn collected_for(m: &mut Machine, handle: Addr, from: &Signature, to: &Signature) -> Step<Addr> {
    let fixed = from.parameters.len() - 1;
    let same_count = to.parameters.len() == from.parameters.len();
    if same_count && m.assignable(&to.parameters[fixed], &from.parameters[fixed]) {
        return Ok(handle);
    }
    if to.parameters.len() < fixed {
        return Err(wrong_type(from, to));
    }
    as_collector(m, handle, fixed, &from.parameters[fixed].clone(), to.parameters.len() - fixed)
}

/// The exception of a call or `asType` with inconvertible types.
fn wrong_type(from: &Signature, to: &Signature) -> Trap {
    let message = format!("cannot convert MethodHandle{} to {}", from.readable(), to.readable());
    Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(message))
}

/// A handle that collects `count` arguments from `at` on into an array for `handle`.
pub(super) fn as_collector(
    m: &mut Machine,
    handle: Addr,
    at: usize,
    array: &Arc<str>,
    count: usize,
) -> Step<Addr> {
    let from = handle::type_of_handle(m, handle)?;
    let element: Arc<str> = array[1..].into();
    let signature = from.without(at, 1).with(at, &vec![element.clone(); count]);
    let key = format!("collect {from} {at} {array} {count}");
    let shape = handle::shape(m, key, &signature, 1, false, |m, code, fields| {
        let class = m.load(array)?;
        code.this();
        code.get_field(fields[0], Kind::Reference);
        (1..=at).for_each(|index| code.parameter(index));
        code.int(count as i32);
        code.new_array(class);
        for index in 0..count {
            code.op(Op::Dup);
            code.int(index as i32);
            code.parameter(at + 1 + index);
            code.array_store(kind(&element));
        }
        (at + count + 1..=signature.parameters.len()).for_each(|index| code.parameter(index));
        call_handle(m, code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    handle::new_handle(m, shape, &[handle])
}

/// Values of the arguments of a static method, from the stack.
pub(super) fn all_arguments(m: &Machine, args: &Args) -> Vec<Value> {
    let mut slot = 0;
    m.method(args.method)
        .parameters
        .iter()
        .map(|kind| {
            let value = args.value(m, slot);
            slot += kind.slots() as u32;
            value
        })
        .collect()
}
