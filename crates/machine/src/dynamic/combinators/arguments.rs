//! Combinators of arguments and results: insert, drop, permute, filter, collect and fold.

use super::support::{
    CLASS, bad_argument, elements, given, handle_at, position, push_field, push_parameters,
};
use crate::classes::Kind;
use crate::dynamic::handle_calls::all_arguments;
use crate::dynamic::signature::kind;
use crate::dynamic::{adapters, factory, handle, handle_calls};
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, row};
use std::sync::Arc;

pub(in crate::dynamic) const NATIVES: &[Native] = &[
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
        let arguments = all_arguments(m, args);
        Ok(NativeOutcome::Call(factory::drop_by_list(m)?, arguments))
    }),
    // Internal methods of older and newer JDKs, called after the arguments have been checked.
    row(CLASS, "dropArguments0", "*", |m, args| {
        let arguments = all_arguments(m, args);
        Ok(NativeOutcome::Call(factory::drop_by_list(m)?, arguments))
    }),
    row(CLASS, "dropArgumentsTrusted", "*", drop_arguments),
    row(CLASS, "permuteArguments", "*", permute_arguments),
    row(CLASS, "filterReturnValue", "*", filter_return_value),
    row(CLASS, "filterArguments", "*", filter_arguments),
    row(CLASS, "filterArgument", "*", |m, a| filter_by(m, a, vec![a.reference(m, 2)])),
    row(CLASS, "collectArguments", "*", collect_arguments),
    row(CLASS, "foldArguments", "*", fold_arguments),
];

fn insert_arguments(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (target, signature) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, signature.parameters.len())?;
    let values = elements(m, args, 2)?;
    if at + values.len() > signature.parameters.len() {
        return Err(bad_argument("too many values to insert"));
    }
    given(adapters::insert_arguments(m, target, at, &values)?)
}

fn drop_arguments(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let classes = elements(m, args, 2)?;
    drop_classes(m, args, &classes)
}

fn drop_classes(m: &mut Machine, args: &Args, classes: &[Addr]) -> Step<NativeOutcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, from.parameters.len())?;
    let dropped: Vec<Arc<str>> =
        classes.iter().map(|c| m.descriptor_of(m.class_of_mirror(*c)).into()).collect();
    let signature = from.with(at, &dropped);
    let key = format!("drop {from} {signature} {at}");
    let count = dropped.len();
    let shape = handle::shape(m, key, &signature, 1, false, |m, code, fields| {
        push_field(code, fields[0]);
        push_parameters(code, 0..at);
        push_parameters(code, at + count..signature.parameters.len());
        handle_calls::call_handle(m, code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[target])?)
}

fn permute_arguments(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
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
    let shape = handle::shape(m, key, &signature, 1, false, |m, code, fields| {
        push_field(code, fields[0]);
        order.iter().for_each(|index| code.parameter(index + 1));
        handle_calls::call_handle(m, code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[target])?)
}

fn filter_return_value(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
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
        handle::shape(m, format!("filterReturn {from} {after}"), &signature, 2, false, |m, code, fields| {
            push_field(code, fields[1]);
            push_field(code, fields[0]);
            push_parameters(code, 0..from.parameters.len());
            handle_calls::call_handle(m, code, "invokeBasic", &from)?;
            handle_calls::call_handle(m, code, "invokeBasic", &after)?;
            code.ret(kind(&after.result));
            Ok(())
        })?;
    given(handle::new_handle(m, shape, &[target, filter])?)
}

fn filter_arguments(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let filters = elements(m, args, 2)?;
    filter_by(m, args, filters)
}

fn filter_by(m: &mut Machine, args: &Args, filters: Vec<Addr>) -> Step<NativeOutcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, from.parameters.len())?;
    let mut signature = from.clone();
    let mut types = Vec::new();
    for (index, filter) in filters.iter().enumerate() {
        types.push(None);
        if *filter == 0 {
            continue;
        }
        let filter_type = handle::type_of_handle(m, *filter)?;
        let expected = from.parameters.get(at + index);
        if filter_type.parameters.len() != 1 || expected != Some(&filter_type.result) {
            return Err(bad_argument("target and filter types do not match"));
        }
        signature.parameters[at + index] = filter_type.parameters[0].clone();
        types[index] = Some(filter_type);
    }
    let key = format!("filter {from} {signature} {at} {types:?}");
    let shape = handle::shape(m, key, &signature, filters.len() + 1, false, |m, code, fields| {
        push_field(code, fields[0]);
        for index in 0..from.parameters.len() {
            let filter = index.checked_sub(at).and_then(|i| Some((i, types.get(i)?.as_ref()?)));
            if let Some((index, _)) = filter {
                push_field(code, fields[index + 1]);
            }
            code.parameter(index + 1);
            if let Some((_, filter_type)) = filter {
                handle_calls::call_handle(m, code, "invokeBasic", filter_type)?;
            }
        }
        handle_calls::call_handle(m, code, "invokeBasic", &from)?;
        code.ret(kind(&from.result));
        Ok(())
    })?;
    let mut fields = vec![target];
    fields.extend(filters);
    given(handle::new_handle(m, shape, &fields)?)
}

fn collect_arguments(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (target, from) = handle_at(m, args, 0)?;
    let at = position(m, args, 1, from.parameters.len())?;
    let (filter, inner) = handle_at(m, args, 2)?;
    let replaced = (&*inner.result != "V") as usize;
    if replaced == 1 && from.parameters.get(at) != Some(&inner.result) {
        return Err(bad_argument("target and filter types do not match"));
    }
    let signature = from.without(at, replaced).with(at, &inner.parameters);
    let count = inner.parameters.len();
    let shape = handle::shape(
        m,
        format!("collectBy {from} {inner} {at}"),
        &signature,
        2,
        false,
        |m, code, fields| {
            if replaced == 0 {
                push_field(code, fields[1]);
                push_parameters(code, at..at + count);
                handle_calls::call_handle(m, code, "invokeBasic", &inner)?;
            }
            push_field(code, fields[0]);
            push_parameters(code, 0..at);
            if replaced == 1 {
                push_field(code, fields[1]);
                push_parameters(code, at..at + count);
                handle_calls::call_handle(m, code, "invokeBasic", &inner)?;
            }
            push_parameters(code, at + count..signature.parameters.len());
            handle_calls::call_handle(m, code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            Ok(())
        },
    )?;
    given(handle::new_handle(m, shape, &[target, filter])?)
}

fn fold_arguments(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
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
    let shape =
        handle::shape(m, format!("fold {from} {inner} {at}"), &signature, 2, false, |m, code, fields| {
            push_field(code, fields[1]);
            push_parameters(code, at..at + count);
            handle_calls::call_handle(m, code, "invokeBasic", &inner)?;
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
            handle_calls::call_handle(m, code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            Ok(())
        })?;
    given(handle::new_handle(m, shape, &[target, combiner])?)
}
