//! Handles made from another handle: of another type, with arguments collected, spread or inserted.

use super::assemble::{Assembler, Call};
use super::convert::Rule;
use super::signature::{Signature, kind};
use crate::classes::{Kind, MethodId};
use crate::code::Op;
use crate::dynamic::names::{HANDLE, METHOD_HANDLE, OBJECT};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use std::sync::Arc;

impl Machine {
    /// The static method that takes a handle of type `from` and the arguments of type `to`; `None` if these do
    /// not convert.
    pub(crate) fn adapter(&mut self, from: &Signature, to: &Signature, rule: Rule) -> Step<Option<MethodId>> {
        let key = (from.clone(), to.clone(), rule == Rule::Explicit);
        if let Some(method) = self.dynamic.adapters.get(&key) {
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
            if !self.convert(&mut code, have, want, rule)? {
                return Ok(None);
            }
        }
        self.call_handle(&mut code, "invokeBasic", from)?;
        if !self.convert(&mut code, &from.result, &to.result, rule)? {
            return Ok(None);
        }
        code.ret(kind(&to.result));
        let host = self.load(METHOD_HANDLE)?;
        let name = format!("{METHOD_HANDLE}$$Adapter${}", self.dynamic.adapters.len() + 1);
        let method = self.define_static(host, name, "adapt", &descriptor.to_string(), code)?;
        self.dynamic.adapters.insert(key, method);
        Ok(Some(method))
    }

    /// `handle.asType(to)`.
    pub(crate) fn as_type(&mut self, handle: Addr, to: &Signature, rule: Rule) -> Step<Addr> {
        let shape = self.shape_of(self.class_of(handle))?;
        let from = shape.signature;
        if from == *to {
            return Ok(handle);
        }
        let handle = if shape.varargs { self.collected_for(handle, &from, to)? } else { handle };
        let from = self.type_of_handle(handle)?;
        let Some(adapter) = self.adapter(&from, to, rule)? else { return Err(self.wrong_type(&from, to)) };
        let shape = self.shape(format!("asType {from} {to} {rule:?}"), to, 1, false, |m, code, fields| {
            code.this();
            code.get_field(fields[0], Kind::Reference);
            (1..=to.parameters.len()).for_each(|index| code.parameter(index));
            code.invoke(m, adapter, Call::Static);
            code.ret(kind(&to.result));
            Ok(())
        })?;
        self.new_handle(shape, &[handle])
    }

    /// A varargs handle made to take the arguments of a call (`MethodHandle.asVarargsCollector`).
    fn collected_for(&mut self, handle: Addr, from: &Signature, to: &Signature) -> Step<Addr> {
        let fixed = from.parameters.len() - 1;
        let same_count = to.parameters.len() == from.parameters.len();
        if same_count && self.assignable(&to.parameters[fixed], &from.parameters[fixed]) {
            return Ok(handle);
        }
        if to.parameters.len() < fixed {
            return Err(self.wrong_type(from, to));
        }
        self.as_collector(handle, fixed, &from.parameters[fixed].clone(), to.parameters.len() - fixed)
    }

    pub(super) fn wrong_type(&self, from: &Signature, to: &Signature) -> Trap {
        let message = format!("cannot convert MethodHandle{} to {}", from.readable(), to.readable());
        Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(message))
    }

    /// A handle that collects `count` arguments from `at` on into an array for `handle`.
    pub(crate) fn as_collector(
        &mut self,
        handle: Addr,
        at: usize,
        array: &Arc<str>,
        count: usize,
    ) -> Step<Addr> {
        let from = self.type_of_handle(handle)?;
        let element: Arc<str> = array[1..].into();
        let signature = from.without(at, 1).with(at, &vec![element.clone(); count]);
        let key = format!("collect {from} {at} {array} {count}");
        let shape = self.shape(key, &signature, 1, false, |m, code, fields| {
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
            m.call_handle(code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            Ok(())
        })?;
        self.new_handle(shape, &[handle])
    }

    /// A handle that takes `count` arguments from `at` on out of an array.
    pub(crate) fn as_spreader(
        &mut self,
        handle: Addr,
        at: usize,
        array: &Arc<str>,
        count: usize,
    ) -> Step<Addr> {
        let from = self.type_of_handle(handle)?;
        let element: Arc<str> = array[1..].into();
        let signature = from.without(at, count).with(at, std::slice::from_ref(array));
        let key = format!("spread {from} {at} {array} {count}");
        let shape = self.shape(key, &signature, 1, false, |m, code, fields| {
            check_spread(m, code, at + 1, count)?;
            code.this();
            code.get_field(fields[0], Kind::Reference);
            (1..=at).for_each(|index| code.parameter(index));
            for index in 0..count {
                code.parameter(at + 1);
                code.int(index as i32);
                code.array_load(kind(&element));
                m.adapt(code, &element, &from.parameters[at + index])?;
            }
            (at + 2..=signature.parameters.len()).for_each(|index| code.parameter(index));
            m.call_handle(code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            Ok(())
        })?;
        self.new_handle(shape, &[handle])
    }

    /// A handle with the varargs flag set or cleared.
    pub(crate) fn with_varargs_flag(&mut self, handle: Addr, varargs: bool) -> Step<Addr> {
        let known = self.shape_of(self.class_of(handle))?;
        if known.varargs == varargs {
            return Ok(handle);
        }
        let signature = known.signature.clone();
        let last_is_array = signature.parameters.last().is_some_and(|p| p.starts_with('['));
        if varargs && !last_is_array {
            let message = format!("not an array type: {}", signature.readable());
            return Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)));
        }
        let direct = known.handle.as_ref().map(|h| (h.kind, h.class, &h.name, &h.descriptor));
        let key = format!("varargs {varargs} {signature} {direct:?}");
        let shape = self.shape(key, &signature, 1, varargs, |m, code, fields| {
            code.this();
            code.get_field(fields[0], Kind::Reference);
            (1..=signature.parameters.len()).for_each(|index| code.parameter(index));
            m.call_handle(code, "invokeBasic", &signature)?;
            code.ret(kind(&signature.result));
            Ok(())
        })?;
        if let Some(made) = self.dynamic.handles.get_mut(&shape) {
            made.handle = known.handle;
        }
        self.new_handle(shape, &[handle])
    }

    /// A handle whose arguments from `at` on are these objects, unboxed where need be.
    pub(crate) fn insert_arguments(&mut self, handle: Addr, at: usize, values: &[Addr]) -> Step<Addr> {
        let from = self.type_of_handle(handle)?;
        let signature = from.without(at, values.len());
        let key = format!("insert {from} {at} {}", values.len());
        let shape = self.shape(key, &signature, values.len() + 1, false, |m, code, fields| {
            code.this();
            code.get_field(fields[0], Kind::Reference);
            (1..=at).for_each(|index| code.parameter(index));
            for (index, field) in fields[1..].iter().enumerate() {
                code.this();
                code.get_field(*field, Kind::Reference);
                m.adapt(code, OBJECT, &from.parameters[at + index])?;
            }
            (at + 1..=signature.parameters.len()).for_each(|index| code.parameter(index));
            m.call_handle(code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            Ok(())
        })?;
        let mut fields = vec![handle];
        fields.extend(values);
        self.new_handle(shape, &fields)
    }
}

/// Emits the check of an array that is to be spread: `null` counts as empty.
fn check_spread(machine: &mut Machine, code: &mut Assembler, parameter: usize, count: usize) -> Step<()> {
    let fits = code.label();
    if count == 0 {
        code.parameter(parameter);
        code.jump(Op::IfNull, fits);
    }
    code.parameter(parameter);
    code.op(Op::ArrayLength);
    code.int(count as i32);
    code.jump(Op::IfICmpEq, fits);
    let error = "java/lang/IllegalArgumentException";
    code.new_object_of(machine, error)?;
    code.op(Op::Dup);
    code.text("array is not of length ");
    code.int(count as i32);
    let string = "(I)Ljava/lang/String;";
    code.invoke_named(machine, Call::Static, "java/lang/String", "valueOf", string)?;
    let concat = "(Ljava/lang/String;)Ljava/lang/String;";
    code.invoke_named(machine, Call::Virtual, "java/lang/String", "concat", concat)?;
    code.invoke_named(machine, Call::Direct, error, "<init>", "(Ljava/lang/String;)V")?;
    code.op(Op::AThrow);
    code.bind_at(fits, 0);
    Ok(())
}
