//! Methods of `MethodHandle` itself.

use super::convert::Rule;
use super::signature::{Signature, is_reference};
use crate::dynamic::names::{METHOD_HANDLE, OBJECT};
use crate::dynamic::{adapters, handle, handle_calls};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, row};
use crate::state::Value;

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
];

fn handle_value(handle: Addr) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::reference(handle)))
}

fn as_type(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (handle, to) = (args.reference(m, 0), args.non_null(m, 1)?);
    let to = m.signature_of(to)?;
    handle_value(handle_calls::as_type(m, handle, &to, Rule::AsType)?)
}

fn bind_to(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (handle, value) = (args.reference(m, 0), args.reference(m, 1));
    let signature = handle::type_of_handle(m, handle)?;
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
            handle_value(adapters::insert_arguments(m, handle, 0, &[value])?)
        }
        _ => {
            let message = format!("no leading reference parameter: {}", signature.readable());
            Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)))
        }
    }
}

fn invoke_with_arguments(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (handle, array) = (args.reference(m, 0), args.non_null(m, 1)?);
    let count = m.array_length(array) as usize;
    let generic = Signature::new(vec![OBJECT.into(); count], OBJECT);
    let handle = handle_calls::as_type(m, handle, &generic, Rule::AsType)?;
    let spreader = adapters::as_spreader(m, handle, 0, &"[Ljava/lang/Object;".into(), count)?;
    let invoke = handle::shape_of(m, m.class_of(spreader))?.invoke;
    Ok(NativeOutcome::Call(invoke, vec![Value::reference(spreader), Value::reference(array)]))
}

fn to_string(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let signature = handle::type_of_handle(m, args.reference(m, 0))?;
    let text = m.new_text(&format!("MethodHandle{}", signature.readable()))?;
    Ok(NativeOutcome::Value(Value::reference(text)))
}

fn is_varargs(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let shape = handle::shape_of(m, m.class_of(args.reference(m, 0)))?;
    Ok(NativeOutcome::Value(Value::boolean(shape.varargs)))
}

fn as_fixed_arity(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    handle_value(adapters::with_varargs_flag(m, args.reference(m, 0), false)?)
}

fn as_varargs(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    handle_value(adapters::with_varargs_flag(m, args.reference(m, 0), true)?)
}

fn with_varargs(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    handle_value(adapters::with_varargs_flag(m, args.reference(m, 0), args.int(m, 1) != 0)?)
}
