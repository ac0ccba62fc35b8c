//! Combinators that change the type of a handle: casts, invokers, collectors and spreaders.

use super::support::{CLASS, bad_argument, descriptor_at, given, handle_at, position};
use crate::dynamic::convert::Rule;
use crate::dynamic::names::METHOD_HANDLE;
use crate::dynamic::{adapters, handle_calls};
use crate::exit::Step;
use crate::machine::Machine;
use crate::natives::{Args, Native, NativeOutcome, row};

pub(in crate::dynamic) const NATIVES: &[Native] = &[
    row(CLASS, "explicitCastArguments", "*", explicit_cast),
    row(CLASS, "exactInvoker", "*", |m, a| invoker(m, a, "invokeExact")),
    row(CLASS, "invoker", "*", |m, a| invoker(m, a, "invoke")),
    row(CLASS, "dropReturn", "*", drop_return),
    row(METHOD_HANDLE, "asCollector", "(Ljava/lang/Class;I)Ljava/lang/invoke/MethodHandle;", |m, a| {
        collector(m, a, 1)
    }),
    row(METHOD_HANDLE, "asCollector", "*", |m, a| collector(m, a, 2)),
    row(METHOD_HANDLE, "asSpreader", "(Ljava/lang/Class;I)Ljava/lang/invoke/MethodHandle;", |m, a| {
        spreader(m, a, 1)
    }),
    row(METHOD_HANDLE, "asSpreader", "*", |m, a| spreader(m, a, 2)),
];

fn explicit_cast(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (target, _) = handle_at(m, args, 0)?;
    let method_type = args.non_null(m, 1)?;
    let to = m.signature_of(method_type)?;
    given(handle_calls::as_type(m, target, &to, Rule::Explicit)?)
}

fn invoker(m: &mut Machine, args: &Args, name: &str) -> Step<NativeOutcome> {
    let method_type = args.non_null(m, 0)?;
    let signature = m.signature_of(method_type)?;
    given(adapters::invoker_of(m, name, &signature)?)
}

fn drop_return(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (target, from) = handle_at(m, args, 0)?;
    given(handle_calls::as_type(m, target, &from.returning("V"), Rule::AsType)?)
}

/// `asCollector` with the array class at `slot`, and a position before it if that is not the first.
fn collector(m: &mut Machine, args: &Args, slot: u32) -> Step<NativeOutcome> {
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
    given(handle_calls::as_collector(m, target, at, &array, count as usize)?)
}

/// `asSpreader`, with the same arguments.
fn spreader(m: &mut Machine, args: &Args, slot: u32) -> Step<NativeOutcome> {
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
    given(adapters::as_spreader(m, target, at, &array, count as usize)?)
}
