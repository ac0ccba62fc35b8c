//! Combinators of `MethodHandles`, each a shape whose fields are the handles it combines.

use super::assemble::Assembler;
use super::convert::Rule;
use super::signature::{Signature, class_name, kind};
use crate::classes::Kind;
use crate::code::Op;
use crate::dynamic::names::{HANDLE, METHOD_HANDLE, OBJECT};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, Outcome, row};
use crate::state::Value;
use std::sync::Arc;

const CLASS: &str = "java/lang/invoke/MethodHandles";

pub(crate) const NATIVES: &[Native] = &[
    row(CLASS, "insertArguments", "*", insert_arguments),
    row(
        CLASS,
        "dropArguments",
        "(Ljava/lang/invoke/MethodHandle;I[Ljava/lang/Class;)Ljava/lang/invoke/MethodHandle;",
        drop_arguments,
    ),
    row(
        CLASS,
        "dropArguments",
        "(Ljava/lang/invoke/MethodHandle;ILjava/lang/Class;)Ljava/lang/invoke/MethodHandle;",
        |m, a| drop_classes(m, a, &[a.reference(m, 2)]),
    ),
    row(
        CLASS,
        "dropArguments",
        "(Ljava/lang/invoke/MethodHandle;ILjava/lang/Class;Ljava/lang/Class;)Ljava/lang/invoke/MethodHandle;",
        |m, a| drop_classes(m, a, &[a.reference(m, 2), a.reference(m, 3)]),
    ),
    row(CLASS, "dropArguments", "*", |m, args| {
        let arguments = super::handle::all_arguments(m, args);
        Ok(Outcome::Call(m.drop_by_list()?, arguments))
    }),
    // What the JDK's own code calls when it has checked the arguments, in older and in newer JDKs.
    row(CLASS, "dropArguments0", "*", |m, args| {
        let arguments = super::handle::all_arguments(m, args);
        Ok(Outcome::Call(m.drop_by_list()?, arguments))
    }),
    row(CLASS, "dropArgumentsTrusted", "*", drop_arguments),
    row(CLASS, "permuteArguments", "*", permute_arguments),
    row(CLASS, "filterReturnValue", "*", filter_return_value),
    row(CLASS, "filterArguments", "*", filter_arguments),
    row(CLASS, "filterArgument", "*", |m, a| filter_by(m, a, vec![a.reference(m, 2)])),
    row(CLASS, "collectArguments", "*", collect_arguments),
    row(CLASS, "foldArguments", "*", fold_arguments),
    row(CLASS, "guardWithTest", "*", guard_with_test),
    row(CLASS, "catchException", "*", catch_exception),
    row(CLASS, "constant", "*", constant),
    row(CLASS, "identity", "*", identity),
    row(CLASS, "zero", "*", zero),
    row(CLASS, "empty", "*", empty),
    row(CLASS, "throwException", "*", throw_exception),
    row(CLASS, "arrayElementGetter", "*", array_getter),
    row(CLASS, "arrayElementSetter", "*", array_setter),
    row(CLASS, "arrayLength", "*", array_length),
    row(CLASS, "arrayConstructor", "*", array_constructor),
    row(CLASS, "explicitCastArguments", "*", explicit_cast),
    row(CLASS, "exactInvoker", "*", |m, a| invoker(m, a, "invokeExact")),
    row(CLASS, "invoker", "*", |m, a| invoker(m, a, "invoke")),
    row(CLASS, "dropReturn", "*", drop_return),
    row("java/lang/invoke/MethodHandleImpl", "makeTryFinally", "*", try_finally),
    row(METHOD_HANDLE, "asCollector", "(Ljava/lang/Class;I)Ljava/lang/invoke/MethodHandle;", |m, a| {
        collector(m, a, 1)
    }),
    row(METHOD_HANDLE, "asCollector", "*", |m, a| collector(m, a, 2)),
    row(METHOD_HANDLE, "asSpreader", "(Ljava/lang/Class;I)Ljava/lang/invoke/MethodHandle;", |m, a| {
        spreader(m, a, 1)
    }),
    row(METHOD_HANDLE, "asSpreader", "*", |m, a| spreader(m, a, 2)),
];

pub(super) fn given(handle: Addr) -> Step<Outcome> {
    Ok(Outcome::Value(Value::reference(handle)))
}

fn bad_argument(message: impl Into<String>) -> Trap {
    Trap::Raise("java/lang/IllegalArgumentException", Some(message.into()))
}

/// The handle at a slot, and its type.
pub(super) fn handle_at(m: &mut Machine, args: &Args, slot: u32) -> Step<(Addr, Signature)> {
    let handle = args.non_null(m, slot)?;
    Ok((handle, m.type_of_handle(handle)?))
}

/// The elements of a reference array at a slot.
pub(super) fn elements(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<Addr>> {
    let array = args.non_null(m, slot)?;
    Ok((0..m.array_length(array)).map(|index| m.element_ref(array, index)).collect())
}

/// The descriptor of the class at a slot.
fn descriptor_at(m: &mut Machine, args: &Args, slot: u32) -> Step<Arc<str>> {
    let class = m.class_argument(args, slot)?;
    Ok(m.descriptor_of(class).into())
}

/// The position at a slot, if it is one among `count` parameters.
fn position(m: &Machine, args: &Args, slot: u32, count: usize) -> Step<usize> {
    let at = args.int(m, slot);
    usize::try_from(at)
        .ok()
        .filter(|at| *at <= count)
        .ok_or_else(|| bad_argument(format!("bad argument position {at}")))
}

/// Emits a push of the handle in a field.
pub(super) fn push_field(code: &mut Assembler, field: u16) {
    code.this();
    code.get_field(field, Kind::Reference);
}

pub(super) fn push_parameters(code: &mut Assembler, range: std::ops::Range<usize>) {
    range.for_each(|index| code.parameter(index + 1));
}

fn insert_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, signature) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, signature.parameters.len())?;
    let values = elements(m, args, 2)?;
    if at + values.len() > signature.parameters.len() {
        return Err(bad_argument("too many values to insert"));
    }
    given(m.insert_arguments(target, at, &values)?)
}

fn drop_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let classes = elements(m, args, 2)?;
    drop_classes(m, args, &classes)
}

fn drop_classes(m: &mut Machine, args: &Args, classes: &[Addr]) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, from.parameters.len())?;
    let dropped: Vec<Arc<str>> =
        classes.iter().map(|c| m.descriptor_of(m.class_of_mirror(*c)).into()).collect();
    let signature = from.with(at, &dropped);
    let key = format!("drop {from} {signature} {at}");
    let count = dropped.len();
    let shape = m.shape(key, &signature, 1, false, |m, code, fields| {
        push_field(code, fields[0]);
        push_parameters(code, 0..at);
        push_parameters(code, at + count..signature.parameters.len());
        m.call_handle(code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    given(m.new_handle(shape, &[target])?)
}

fn permute_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let method_type = args.non_null(m, 1)?;
    let signature = m.signature_of(method_type)?;
    let order = args.non_null(m, 2)?;
    let order: Vec<usize> =
        (0..m.array_length(order)).map(|i| m.element(order, i, Kind::Int) as u32 as usize).collect();
    let fits = order.len() == from.parameters.len()
        && order.iter().zip(&from.parameters).all(|(at, p)| signature.parameters.get(*at) == Some(p));
    if !fits || signature.result != from.result {
        return Err(bad_argument(format!("bad reorder array: {order:?}")));
    }
    let key = format!("permute {from} {signature} {order:?}");
    let shape = m.shape(key, &signature, 1, false, |m, code, fields| {
        push_field(code, fields[0]);
        order.iter().for_each(|index| code.parameter(index + 1));
        m.call_handle(code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    given(m.new_handle(shape, &[target])?)
}

fn filter_return_value(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let (filter, after) = handle_at(m, args, 1)?;
    let takes: &[Arc<str>] = if &*from.result == "V" { &[] } else { std::slice::from_ref(&from.result) };
    if after.parameters != takes {
        return Err(bad_argument(format!(
            "target and filter types do not match: {} {}",
            from.readable(),
            after.readable()
        )));
    }
    let signature = from.returning(after.result.clone());
    let shape =
        m.shape(format!("filterReturn {from} {after}"), &signature, 2, false, |m, code, fields| {
            push_field(code, fields[1]);
            push_field(code, fields[0]);
            push_parameters(code, 0..from.parameters.len());
            m.call_handle(code, "invokeBasic", &from)?;
            m.call_handle(code, "invokeBasic", &after)?;
            code.ret(kind(&after.result));
            Ok(())
        })?;
    given(m.new_handle(shape, &[target, filter])?)
}

fn filter_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let filters = elements(m, args, 2)?;
    filter_by(m, args, filters)
}

fn filter_by(m: &mut Machine, args: &Args, filters: Vec<Addr>) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, from.parameters.len())?;
    let mut signature = from.clone();
    let mut types = Vec::new();
    for (index, filter) in filters.iter().enumerate() {
        types.push(None);
        if *filter == 0 {
            continue;
        }
        let filter_type = m.type_of_handle(*filter)?;
        let expected = from.parameters.get(at + index);
        if filter_type.parameters.len() != 1 || expected != Some(&filter_type.result) {
            return Err(bad_argument("target and filter types do not match"));
        }
        signature.parameters[at + index] = filter_type.parameters[0].clone();
        types[index] = Some(filter_type);
    }
    let key = format!("filter {from} {signature} {at} {types:?}");
    let shape = m.shape(key, &signature, filters.len() + 1, false, |m, code, fields| {
        push_field(code, fields[0]);
        for index in 0..from.parameters.len() {
            let filter = index.checked_sub(at).and_then(|i| Some((i, types.get(i)?.as_ref()?)));
            if let Some((index, _)) = filter {
                push_field(code, fields[index + 1]);
            }
            code.parameter(index + 1);
            if let Some((_, filter_type)) = filter {
                m.call_handle(code, "invokeBasic", filter_type)?;
            }
        }
        m.call_handle(code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    let mut fields = vec![target];
    fields.extend(filters);
    given(m.new_handle(shape, &fields)?)
}

fn collect_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, from.parameters.len())?;
    let (filter, inner) = handle_at(m, args, 2)?;
    let replaced = (&*inner.result != "V") as usize;
    if replaced == 1 && from.parameters.get(at) != Some(&inner.result) {
        return Err(bad_argument("target and filter types do not match"));
    }
    let signature = from.without(at, replaced).with(at, &inner.parameters);
    let count = inner.parameters.len();
    let shape =
        m.shape(format!("collectBy {from} {inner} {at}"), &signature, 2, false, |m, code, fields| {
            if replaced == 0 {
                push_field(code, fields[1]);
                push_parameters(code, at..at + count);
                m.call_handle(code, "invokeBasic", &inner)?;
            }
            push_field(code, fields[0]);
            push_parameters(code, 0..at);
            if replaced == 1 {
                push_field(code, fields[1]);
                push_parameters(code, at..at + count);
                m.call_handle(code, "invokeBasic", &inner)?;
            }
            push_parameters(code, at + count..signature.parameters.len());
            m.call_handle(code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            Ok(())
        })?;
    given(m.new_handle(shape, &[target, filter])?)
}

fn fold_arguments(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let with_position = m.method(args.method).parameters.len() == 3;
    let at = if with_position { position(m, args, 1, from.parameters.len())? } else { 0 };
    let (combiner, inner) = handle_at(m, args, 1 + with_position as u32)?;
    let folded = (&*inner.result != "V") as usize;
    let start = at + folded;
    let matches = (folded == 0 || from.parameters.get(at) == Some(&inner.result))
        && from.parameters.get(start..start + inner.parameters.len()) == Some(&inner.parameters[..]);
    if !matches {
        return Err(bad_argument("target and combiner types do not match"));
    }
    let signature = from.without(at, folded);
    let count = inner.parameters.len();
    let shape = m.shape(format!("fold {from} {inner} {at}"), &signature, 2, false, |m, code, fields| {
        push_field(code, fields[1]);
        push_parameters(code, at..at + count);
        m.call_handle(code, "invokeBasic", &inner)?;
        let result = code.local(kind(&inner.result));
        if folded == 1 {
            code.store(result, kind(&inner.result));
        }
        push_field(code, fields[0]);
        push_parameters(code, 0..at);
        if folded == 1 {
            code.load(result, kind(&inner.result));
        }
        push_parameters(code, at..signature.parameters.len());
        m.call_handle(code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    given(m.new_handle(shape, &[target, combiner])?)
}

fn guard_with_test(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (test, asks) = handle_at(m, args, 0)?;
    let (target, from) = handle_at(m, args, 1)?;
    let (fallback, other) = handle_at(m, args, 2)?;
    let prefix = from.parameters.get(..asks.parameters.len()) == Some(&asks.parameters[..]);
    if from != other || &*asks.result != "Z" || !prefix {
        return Err(bad_argument("target, test and fallback types must match"));
    }
    let shape = m.shape(format!("guard {asks} {from}"), &from, 3, false, |m, code, fields| {
        let otherwise = code.label();
        push_field(code, fields[0]);
        push_parameters(code, 0..asks.parameters.len());
        m.call_handle(code, "invokeBasic", &asks)?;
        code.jump(Op::IfEq, otherwise);
        for field in [fields[1], fields[2]] {
            push_field(code, field);
            push_parameters(code, 0..from.parameters.len());
            m.call_handle(code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            if field == fields[1] {
                code.bind_at(otherwise, 0);
            }
        }
        Ok(())
    })?;
    given(m.new_handle(shape, &[test, target, fallback])?)
}

fn catch_exception(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let exception = descriptor_at(m, args, 1)?;
    let (handler, handles) = handle_at(m, args, 2)?;
    let passed = handles.parameters.len().saturating_sub(1);
    let matches = handles.parameters.first().is_some_and(|first| m.assignable(&exception, first))
        && handles.result == from.result
        && from.parameters.get(..passed) == Some(&handles.parameters[1..]);
    if !matches {
        return Err(bad_argument("handler does not accept exception type"));
    }
    let key = format!("catch {from} {exception} {handles}");
    let shape = m.shape(key, &from, 2, false, |m, code, fields| {
        let start = code.here();
        push_field(code, fields[0]);
        push_parameters(code, 0..from.parameters.len());
        m.call_handle(code, "invokeBasic", &from)?;
        let end = code.here();
        code.ret(kind(&from.result));
        let caught = code.label();
        code.bind_at(caught, 1);
        let thrown = code.local(Kind::Reference);
        code.store(thrown, Kind::Reference);
        push_field(code, fields[1]);
        code.load(thrown, Kind::Reference);
        push_parameters(code, 0..passed);
        m.call_handle(code, "invokeBasic", &handles)?;
        code.ret(kind(&from.result));
        code.handler(start, end, caught, Some(class_name(&exception)));
        Ok(())
    })?;
    given(m.new_handle(shape, &[target, handler])?)
}

/// Invokes a target and then, whether it threw or not, a cleanup that takes what was thrown and the result.
fn try_finally(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let (cleanup, cleans) = handle_at(m, args, 1)?;
    let held = kind(&from.result);
    let leading = 1 + (held != Kind::Void) as usize;
    let passed = cleans.parameters.len().saturating_sub(leading);
    let matches = cleans.result == from.result
        && cleans.parameters.first().is_some_and(|first| &**first == "Ljava/lang/Throwable;")
        && (leading == 1 || cleans.parameters.get(1) == Some(&from.result))
        && cleans.parameters.get(leading..) == from.parameters.get(..passed);
    if !matches {
        return Err(bad_argument("target and cleanup types must match"));
    }
    let shape = m.shape(format!("finally {from} {cleans}"), &from, 2, false, |m, code, fields| {
        let (result, thrown) = (code.local(held), code.local(Kind::Reference));
        let (finish, caught, rethrow) = (code.label(), code.label(), code.label());
        code.op(Op::AConstNull);
        code.store(thrown, Kind::Reference);
        if held != Kind::Void {
            code.zero(held);
            code.store(result, held);
        }
        let start = code.here();
        push_field(code, fields[0]);
        push_parameters(code, 0..from.parameters.len());
        m.call_handle(code, "invokeBasic", &from)?;
        let end = code.here();
        if held != Kind::Void {
            code.store(result, held);
        }
        code.jump(Op::Goto, finish);
        code.bind_at(caught, 1);
        code.store(thrown, Kind::Reference);
        code.bind_at(finish, 0);
        push_field(code, fields[1]);
        code.load(thrown, Kind::Reference);
        if held != Kind::Void {
            code.load(result, held);
        }
        push_parameters(code, 0..passed);
        m.call_handle(code, "invokeBasic", &cleans)?;
        if held != Kind::Void {
            code.store(result, held);
        }
        code.load(thrown, Kind::Reference);
        code.jump(Op::IfNonNull, rethrow);
        if held != Kind::Void {
            code.load(result, held);
        }
        code.ret(held);
        code.bind_at(rethrow, 0);
        code.load(thrown, Kind::Reference);
        code.op(Op::AThrow);
        code.handler(start, end, caught, None);
        Ok(())
    })?;
    given(m.new_handle(shape, &[target, cleanup])?)
}

fn constant(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let descriptor = descriptor_at(m, args, 0)?;
    let value = args.reference(m, 1);
    if &*descriptor == "V" {
        return Err(bad_argument("void type"));
    }
    if value == 0 && kind(&descriptor) != Kind::Reference {
        return Err(Trap::Raise("java/lang/NullPointerException", None));
    }
    let signature = Signature::new(vec![], descriptor.clone());
    let shape = m.shape(format!("constant {descriptor}"), &signature, 1, false, |m, code, fields| {
        push_field(code, fields[0]);
        m.adapt(code, OBJECT, &descriptor)?;
        code.ret(kind(&descriptor));
        Ok(())
    })?;
    given(m.new_handle(shape, &[value])?)
}

fn identity(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let descriptor = descriptor_at(m, args, 0)?;
    if &*descriptor == "V" {
        return Err(bad_argument("void type"));
    }
    let signature = Signature::new(vec![descriptor.clone()], descriptor.clone());
    let shape = m.shape(format!("identity {descriptor}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.ret(kind(&descriptor));
        Ok(())
    })?;
    given(m.new_handle(shape, &[])?)
}

fn zero_handle(m: &mut Machine, signature: &Signature) -> Step<Outcome> {
    let shape = m.shape(format!("zero {signature}"), signature, 0, false, |_, code, _| {
        let held = kind(&signature.result);
        code.zero(held);
        code.ret(held);
        Ok(())
    })?;
    given(m.new_handle(shape, &[])?)
}

fn zero(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let descriptor = descriptor_at(m, args, 0)?;
    zero_handle(m, &Signature::new(vec![], descriptor))
}

fn empty(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let method_type = args.non_null(m, 0)?;
    let signature = m.signature_of(method_type)?;
    zero_handle(m, &signature)
}

fn throw_exception(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let result = descriptor_at(m, args, 0)?;
    let exception = descriptor_at(m, args, 1)?;
    let signature = Signature::new(vec![exception], result);
    let shape = m.shape(format!("throw {signature}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.op(Op::AThrow);
        Ok(())
    })?;
    given(m.new_handle(shape, &[])?)
}

/// The array class at slot 0 and the descriptor of its elements.
fn array_at(m: &mut Machine, args: &Args) -> Step<(Arc<str>, Arc<str>)> {
    let array = descriptor_at(m, args, 0)?;
    match array.strip_prefix('[') {
        Some(element) => Ok((array.clone(), element.into())),
        None => Err(bad_argument(format!("not an array type: {}", class_name(&array).replace('/', ".")))),
    }
}

fn array_getter(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (array, element) = array_at(m, args)?;
    let signature = Signature::new(vec![array, "I".into()], element.clone());
    let shape = m.shape(format!("arrayGet {signature}"), &signature, 0, false, |_, code, _| {
        push_parameters(code, 0..2);
        code.array_load(kind(&element));
        code.ret(kind(&element));
        Ok(())
    })?;
    given(m.new_handle(shape, &[])?)
}

fn array_setter(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (array, element) = array_at(m, args)?;
    let signature = Signature::new(vec![array, "I".into(), element.clone()], "V");
    let shape = m.shape(format!("arraySet {signature}"), &signature, 0, false, |_, code, _| {
        push_parameters(code, 0..3);
        code.array_store(kind(&element));
        code.ret(Kind::Void);
        Ok(())
    })?;
    given(m.new_handle(shape, &[])?)
}

fn array_length(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (array, _) = array_at(m, args)?;
    let signature = Signature::new(vec![array], "I");
    let shape = m.shape(format!("arrayLength {signature}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.op(Op::ArrayLength);
        code.ret(Kind::Int);
        Ok(())
    })?;
    given(m.new_handle(shape, &[])?)
}

fn array_constructor(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (array, _) = array_at(m, args)?;
    let class = m.load(&array)?;
    let signature = Signature::new(vec!["I".into()], array);
    let shape = m.shape(format!("arrayNew {signature}"), &signature, 0, false, |_, code, _| {
        code.parameter(1);
        code.new_array(class);
        code.ret(Kind::Reference);
        Ok(())
    })?;
    given(m.new_handle(shape, &[])?)
}

fn explicit_cast(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, _) = handle_at(m, args, 0)?;
    let method_type = args.non_null(m, 1)?;
    let to = m.signature_of(method_type)?;
    given(m.as_type(target, &to, Rule::Explicit)?)
}

fn invoker(m: &mut Machine, args: &Args, name: &str) -> Step<Outcome> {
    let method_type = args.non_null(m, 0)?;
    let signature = m.signature_of(method_type)?;
    given(m.invoker(name, &signature)?)
}

fn drop_return(m: &mut Machine, args: &Args) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    given(m.as_type(target, &from.returning("V"), Rule::AsType)?)
}

/// `asCollector` with the array class at `slot`, and a position before it if that is not the first.
fn collector(m: &mut Machine, args: &Args, slot: u32) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let last = from.parameters.len().saturating_sub(1);
    let at = if slot == 1 { last } else { position(m, args, 1, last)? };
    let array = descriptor_at(m, args, slot)?;
    let count = args.int(m, slot + 1);
    let takes = from.parameters.get(at).cloned();
    let fits = takes.is_some_and(|parameter| m.assignable(&array, &parameter));
    if count < 0 || !array.starts_with('[') || !fits {
        return Err(bad_argument("array type not assignable to argument"));
    }
    given(m.as_collector(target, at, &array, count as usize)?)
}

/// `asSpreader`, with the same arguments.
fn spreader(m: &mut Machine, args: &Args, slot: u32) -> Step<Outcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let array = descriptor_at(m, args, slot)?;
    let count = args.int(m, slot + 1);
    let Some(start) = usize::try_from(count).ok().and_then(|c| from.parameters.len().checked_sub(c)) else {
        return Err(bad_argument("bad spread array length"));
    };
    let at = if slot == 1 { start } else { position(m, args, 1, start)? };
    if !array.starts_with('[') {
        return Err(bad_argument("not an array type"));
    }
    given(m.as_spreader(target, at, &array, count as usize)?)
}

impl Machine {
    /// A handle that takes a handle and arguments of this type, and invokes it.
    pub(crate) fn invoker(&mut self, name: &str, signature: &Signature) -> Step<Addr> {
        let with_handle = signature.with_first(HANDLE);
        let shape = self.shape(format!("{name} {signature}"), &with_handle, 0, false, |m, code, _| {
            push_parameters(code, 0..with_handle.parameters.len());
            m.call_handle(code, name, signature)?;
            code.ret(kind(&signature.result));
            Ok(())
        })?;
        self.new_handle(shape, &[])
    }
}
