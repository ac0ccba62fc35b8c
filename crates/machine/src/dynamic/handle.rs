//! Method handles: their shapes, the calls through them, and `MethodHandle`'s own methods.

use super::assemble::{Assembler, Call};
use super::convert::Rule;
use super::signature::{Signature, is_reference, kind};
use super::synthetic::{PUBLIC, Synthetic};
use crate::classes::handle::Handle;
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::{Insn, Op};
use crate::dynamic::names::{HANDLE, METHOD_HANDLE, OBJECT, VAR_HANDLE};
use crate::dynamic::shape::Shape;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, Outcome, row, symbolic};
use crate::state::Value;
use std::sync::Arc;

pub(crate) const NATIVES: &[Native] = &[
    row(METHOD_HANDLE, "asType", "*", as_type),
    row(METHOD_HANDLE, "bindTo", "*", bind_to),
    row(
        METHOD_HANDLE,
        "invokeWithArguments",
        "([Ljava/lang/Object;)Ljava/lang/Object;",
        invoke_with_arguments,
    ),
    row(METHOD_HANDLE, "toString", "*", to_string),
    row(METHOD_HANDLE, "isVarargsCollector", "*", is_varargs),
    row(METHOD_HANDLE, "asFixedArity", "*", as_fixed_arity),
    row(METHOD_HANDLE, "asVarargsCollector", "*", as_varargs),
    row(METHOD_HANDLE, "withVarargs", "*", with_varargs),
    symbolic(METHOD_HANDLE, "invokeBasic", "*", link_handle_call),
];

impl Machine {
    /// The shape with this key, made by `build` if it is new: code of an instance method whose receiver is the
    /// handle, with the offsets of its reference fields.
    pub(crate) fn shape(
        &mut self,
        key: String,
        signature: &Signature,
        fields: usize,
        varargs: bool,
        build: impl FnOnce(&mut Machine, &mut Assembler, &[u16]) -> Step<()>,
    ) -> Step<ClassId> {
        if let Some(class) = self.dynamic.shapes.get(&key) {
            return Ok(*class);
        }
        let super_class = self.load(METHOD_HANDLE)?;
        let name = format!("{METHOD_HANDLE}$$Shape${}", self.dynamic.shapes.len() + 1);
        let mut synthetic = Synthetic::holder(self, super_class, name);
        synthetic.super_class = super_class;
        synthetic.fields = vec![OBJECT.into(); fields];
        synthetic.methods.push(("invokeShape".into(), signature.to_string().into(), PUBLIC));
        let class = self.define_synthetic(synthetic)?;
        let offsets: Vec<u16> = (0..fields).map(|i| self.synthetic_field(class, i)).collect();
        let mut code = Assembler::instance(&signature.kinds());
        build(self, &mut code, &offsets)?;
        let invoke = self.set_code(class, 0, code);
        self.dynamic
            .handles
            .insert(class, Shape { signature: signature.clone(), invoke, varargs, handle: None });
        self.dynamic.shapes.insert(key, class);
        Ok(class)
    }

    /// A handle of this shape with these fields.
    pub(crate) fn new_handle(&mut self, shape: ClassId, fields: &[Addr]) -> Step<Addr> {
        let signature = self.shape_of(shape)?.signature;
        let method_type = self.method_type(&signature.to_string())?;
        let handle = self.new_object(shape)?;
        if let Some(offset) = self.field_offset(shape, "type") {
            self.set_field(handle, offset, method_type as u64);
        }
        for (index, field) in fields.iter().enumerate() {
            let offset = self.synthetic_field(shape, index);
            self.set_field(handle, offset.into(), *field as u64);
        }
        Ok(handle)
    }

    /// What is known of a shape.
    pub(crate) fn shape_of(&self, class: ClassId) -> Step<Shape> {
        self.dynamic
            .handles
            .get(&class)
            .cloned()
            .ok_or_else(|| Trap::unsupported(format!("method handle of class {}", self.class(class).name)))
    }

    /// The type of a handle.
    pub(crate) fn type_of_handle(&self, handle: Addr) -> Step<Signature> {
        Ok(self.shape_of(self.class_of(handle))?.signature)
    }

    /// A method handle for a member.
    pub(crate) fn method_handle_object(&mut self, handle: &Handle) -> Step<Addr> {
        let signature = self.handle_signature(handle)?;
        let member = self.resolve_member(handle)?;
        let varargs = match member {
            super::member::Member::Method(method, _) | super::member::Member::Constructor(_, method) => {
                self.method(method).access.is_varargs()
            }
            _ => false,
        };
        let key = format!("direct {member:?} {signature} {varargs}");
        let shape = self.shape(key, &signature, 0, varargs, |m, code, _| {
            let count = signature.parameters.len();
            m.use_member(code, member, |_, code| {
                (1..=count).for_each(|index| code.parameter(index));
                Ok(())
            })?;
            code.ret(kind(&signature.result));
            Ok(())
        })?;
        if let Some(known) = self.dynamic.handles.get_mut(&shape) {
            known.handle.get_or_insert_with(|| handle.clone());
        }
        self.new_handle(shape, &[])
    }

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

    fn wrong_type(&self, from: &Signature, to: &Signature) -> Trap {
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

/// Values of the arguments of a static method, from the stack.
pub(crate) fn all_arguments(m: &Machine, args: &Args) -> Vec<Value> {
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

fn handle_value(handle: Addr) -> Step<Outcome> {
    Ok(Outcome::Value(Value::reference(handle)))
}

fn as_type(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (handle, to) = (args.reference(m, 0), args.non_null(m, 1)?);
    let to = m.signature_of(to)?;
    handle_value(m.as_type(handle, &to, Rule::AsType)?)
}

fn bind_to(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (handle, value) = (args.reference(m, 0), args.reference(m, 1));
    let signature = m.type_of_handle(handle)?;
    match signature.parameters.first() {
        Some(first) if is_reference(first) => {
            let first = m.load_descriptor(first)?;
            if value != 0 && !m.is_subtype(m.class_of(value), first) {
                let message = format!(
                    "Cannot cast {} to {}",
                    m.class_name_of(value).replace('/', "."),
                    m.class(first).name.replace('/', ".")
                );
                return Err(Trap::Raise("java/lang/ClassCastException", Some(message)));
            }
            handle_value(m.insert_arguments(handle, 0, &[value])?)
        }
        _ => {
            let message = format!("no leading reference parameter: {}", signature.readable());
            Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)))
        }
    }
}

fn invoke_with_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (handle, array) = (args.reference(m, 0), args.non_null(m, 1)?);
    let count = m.array_length(array) as usize;
    let generic = Signature::new(vec![OBJECT.into(); count], OBJECT);
    let handle = m.as_type(handle, &generic, Rule::AsType)?;
    let spreader = m.as_spreader(handle, 0, &"[Ljava/lang/Object;".into(), count)?;
    let invoke = m.shape_of(m.class_of(spreader))?.invoke;
    Ok(Outcome::Call(invoke, vec![Value::reference(spreader), Value::reference(array)]))
}

fn to_string(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let signature = m.type_of_handle(args.reference(m, 0))?;
    let text = m.new_text(&format!("MethodHandle{}", signature.readable()))?;
    Ok(Outcome::Value(Value::reference(text)))
}

fn is_varargs(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let shape = m.shape_of(m.class_of(args.reference(m, 0)))?;
    Ok(Outcome::Value(Value::boolean(shape.varargs)))
}

fn as_fixed_arity(m: &mut Machine, args: &Args) -> Step<Outcome> {
    handle_value(m.with_varargs_flag(args.reference(m, 0), false)?)
}

fn as_varargs(m: &mut Machine, args: &Args) -> Step<Outcome> {
    handle_value(m.with_varargs_flag(args.reference(m, 0), true)?)
}

fn with_varargs(m: &mut Machine, args: &Args) -> Step<Outcome> {
    handle_value(m.with_varargs_flag(args.reference(m, 0), args.int(m, 1) != 0)?)
}
