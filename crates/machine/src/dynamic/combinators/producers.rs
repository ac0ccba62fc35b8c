//! Handles that combine no others: constants, identities, exceptions, and accesses to arrays.

use super::support::{CLASS, bad_argument, descriptor_at, given, push_field, push_parameters};
use crate::classes::Kind;
use crate::code::Op;
use crate::dynamic::names::OBJECT;
use crate::dynamic::signature::{Signature, class_name, kind};
use crate::dynamic::{handle, member};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::natives::{Args, Native, NativeOutcome, row};
use std::sync::Arc;

pub(in crate::dynamic) const NATIVES: &[Native] = &[
    row(CLASS, "constant", "*", constant),
    row(CLASS, "identity", "*", identity),
    row(CLASS, "zero", "*", zero),
    row(CLASS, "empty", "*", empty),
    row(CLASS, "throwException", "*", throw_exception),
    row(CLASS, "arrayElementGetter", "*", array_getter),
    row(CLASS, "arrayElementSetter", "*", array_setter),
    row(CLASS, "arrayLength", "*", array_length),
    row(CLASS, "arrayConstructor", "*", array_constructor),
];

fn constant(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = descriptor_at(m, args, 0)?;
    let value = args.reference(m, 1);
    if &*descriptor == "V" {
        return Err(bad_argument("void type"));
    }
    if value == 0 && kind(&descriptor) != Kind::Reference {
        return Err(Trap::Raise("java/lang/NullPointerException", None));
    }
    let signature = Signature::new(vec![], descriptor.clone());
    let shape =
        handle::shape(m, format!("constant {descriptor}"), &signature, 1, false, |m, code, fields| {
            push_field(code, fields[0]);
            member::adapt(m, code, OBJECT, &descriptor)?;
            code.ret(kind(&descriptor));
            Ok(())
        })?;
    given(handle::new_handle(m, shape, &[value])?)
}

fn identity(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = descriptor_at(m, args, 0)?;
    if &*descriptor == "V" {
        return Err(bad_argument("void type"));
    }
    let signature = Signature::new(vec![descriptor.clone()], descriptor.clone());
    let shape = handle::shape(m, format!("identity {descriptor}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.ret(kind(&descriptor));
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[])?)
}

fn zero_handle(m: &mut Machine, signature: &Signature) -> Step<NativeOutcome> {
    let shape = handle::shape(m, format!("zero {signature}"), signature, 0, false, |_, code, _| {
        let held = kind(&signature.result);
        code.zero(held);
        code.ret(held);
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[])?)
}

fn zero(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let descriptor = descriptor_at(m, args, 0)?;
    zero_handle(m, &Signature::new(vec![], descriptor))
}

fn empty(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let method_type = args.non_null(m, 0)?;
    let signature = m.signature_of(method_type)?;
    zero_handle(m, &signature)
}

fn throw_exception(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let result = descriptor_at(m, args, 0)?;
    let exception = descriptor_at(m, args, 1)?;
    let signature = Signature::new(vec![exception], result);
    let shape = handle::shape(m, format!("throw {signature}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.op(Op::AThrow);
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[])?)
}

/// The array class at slot 0 and the descriptor of its elements.
fn array_at(m: &mut Machine, args: &Args) -> Step<(Arc<str>, Arc<str>)> {
    let array = descriptor_at(m, args, 0)?;
    match array.strip_prefix('[') {
        Some(element) => Ok((array.clone(), element.into())),
        None => Err(bad_argument(format!("not an array type: {}", class_name(&array).replace('/', ".")))),
    }
}

fn array_getter(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (array, element) = array_at(m, args)?;
    let signature = Signature::new(vec![array, "I".into()], element.clone());
    let shape = handle::shape(m, format!("arrayGet {signature}"), &signature, 0, false, |_, code, _| {
        push_parameters(code, 0..2);
        code.array_load(kind(&element));
        code.ret(kind(&element));
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[])?)
}

fn array_setter(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (array, element) = array_at(m, args)?;
    let signature = Signature::new(vec![array, "I".into(), element.clone()], "V");
    let shape = handle::shape(m, format!("arraySet {signature}"), &signature, 0, false, |_, code, _| {
        push_parameters(code, 0..3);
        code.array_store(kind(&element));
        code.ret(Kind::Void);
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[])?)
}

fn array_length(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (array, _) = array_at(m, args)?;
    let signature = Signature::new(vec![array], "I");
    let shape = handle::shape(m, format!("arrayLength {signature}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.op(Op::ArrayLength);
        code.ret(Kind::Int);
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[])?)
}

fn array_constructor(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (array, _) = array_at(m, args)?;
    let class = m.load(&array)?;
    let signature = Signature::new(vec!["I".into()], array);
    let shape = handle::shape(m, format!("arrayNew {signature}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.new_array(class);
        code.ret(Kind::Reference);
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[])?)
}
