//! Handles made from another handle: of another type, with arguments collected, spread or inserted.

use super::assemble::{Assembler, InvocationKind};
use super::signature::{Signature, kind};
use crate::classes::Kind;
use crate::code::Op;
use crate::dynamic::names::{HANDLE, OBJECT};
use crate::dynamic::{handle, handle_calls, member};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use std::sync::Arc;

/// A handle that takes `count` arguments from `at` on out of an array.
pub(super) fn as_spreader(
    m: &mut Machine,
    handle: Addr,
    at: usize,
    array: &Arc<str>,
    count: usize,
) -> Step<Addr> {
    let from = handle::type_of_handle(m, handle)?;
    let element: Arc<str> = array[1..].into();
    let signature = from.without(at, count).with(at, std::slice::from_ref(array));
    let key = format!("spread {from} {at} {array} {count}");
    let shape = handle::shape(m, key, &signature, 1, false, |m, code, fields| {
        check_spread(m, code, at + 1, count)?;
        code.this();
        code.get_field(fields[0], Kind::Reference);
        (1..=at).for_each(|index| code.parameter(index));
        for index in 0..count {
            code.parameter(at + 1);
            code.int(index as i32);
            code.array_load(kind(&element));
            member::adapt(m, code, &element, &from.parameters[at + index])?;
        }
        (at + 2..=signature.parameters.len()).for_each(|index| code.parameter(index));
        handle_calls::call_handle(m, code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    handle::new_handle(m, shape, &[handle])
}

/// A handle with the varargs flag set or cleared.
pub(super) fn with_varargs_flag(m: &mut Machine, handle: Addr, varargs: bool) -> Step<Addr> {
    let known = handle::shape_of(m, m.class_of(handle))?;
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
    let shape = handle::shape(m, key, &signature, 1, varargs, |m, code, fields| {
        code.this();
        code.get_field(fields[0], Kind::Reference);
        (1..=signature.parameters.len()).for_each(|index| code.parameter(index));
        handle_calls::call_handle(m, code, "invokeBasic", &signature)?;
        code.ret(kind(&signature.result));
        Ok(())
    })?;
    if let Some(made) = m.generated.handles.get_mut(&shape) {
        made.handle = known.handle;
    }
    handle::new_handle(m, shape, &[handle])
}

/// A handle with these objects, unboxed if necessary, inserted as its arguments from `at` on.
pub(super) fn insert_arguments(m: &mut Machine, handle: Addr, at: usize, values: &[Addr]) -> Step<Addr> {
    let from = handle::type_of_handle(m, handle)?;
    let signature = from.without(at, values.len());
    let key = format!("insert {from} {at} {}", values.len());
    let shape = handle::shape(m, key, &signature, values.len() + 1, false, |m, code, fields| {
        code.this();
        code.get_field(fields[0], Kind::Reference);
        (1..=at).for_each(|index| code.parameter(index));
        for (index, field) in fields[1..].iter().enumerate() {
            code.this();
            code.get_field(*field, Kind::Reference);
            member::adapt(m, code, OBJECT, &from.parameters[at + index])?;
        }
        (at + 1..=signature.parameters.len()).for_each(|index| code.parameter(index));
        handle_calls::call_handle(m, code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    let mut fields = vec![handle];
    fields.extend(values);
    handle::new_handle(m, shape, &fields)
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
    code.invoke_named(machine, InvocationKind::Static, "java/lang/String", "valueOf", string)?;
    let concat = "(Ljava/lang/String;)Ljava/lang/String;";
    code.invoke_named(machine, InvocationKind::Virtual, "java/lang/String", "concat", concat)?;
    code.invoke_named(machine, InvocationKind::Direct, error, "<init>", "(Ljava/lang/String;)V")?;
    code.op(Op::AThrow);
    code.bind_at(fits, 0);
    Ok(())
}

/// A handle that takes a handle and arguments of this type, and invokes it.
pub(super) fn invoker_of(m: &mut Machine, name: &str, signature: &Signature) -> Step<Addr> {
    let with_handle = signature.with_first(HANDLE);
    let shape = handle::shape(m, format!("{name} {signature}"), &with_handle, 0, false, |m, code, _| {
        (1..=with_handle.parameters.len()).for_each(|index| code.parameter(index));
        handle_calls::call_handle(m, code, name, signature)?;
        code.ret(kind(&signature.result));
        Ok(())
    })?;
    handle::new_handle(m, shape, &[])
}
