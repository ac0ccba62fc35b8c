//! Combinators with control flow: a test, an exception handler, and a cleanup.

use super::support::{CLASS, bad_argument, descriptor_at, given, handle_at, push_field, push_parameters};
use crate::classes::Kind;
use crate::code::Op;
use crate::dynamic::signature::{class_name, kind};
use crate::dynamic::{handle, handle_calls};
use crate::exit::Step;
use crate::machine::Machine;
use crate::natives::{Args, Native, NativeOutcome, row};

pub(in crate::dynamic) const NATIVES: &[Native] = &[
    row(CLASS, "guardWithTest", "*", guard_with_test),
    row(CLASS, "catchException", "*", catch_exception),
    row("java/lang/invoke/MethodHandleImpl", "makeTryFinally", "*", try_finally),
];

fn guard_with_test(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (test, asks) = handle_at(m, args, 0)?;
    let (target, from) = handle_at(m, args, 1)?;
    let (fallback, other) = handle_at(m, args, 2)?;
    let prefix = from.parameters.get(..asks.parameters.len()) == Some(&asks.parameters[..]);
    if from != other || &*asks.result != "Z" || !prefix {
        return Err(bad_argument("target, test and fallback types must match"));
    }
    let shape = handle::shape(m, format!("guard {asks} {from}"), &from, 3, false, |m, code, fields| {
        let otherwise = code.label();
        push_field(code, fields[0]);
        push_parameters(code, 0..asks.parameters.len());
        handle_calls::call_handle(m, code, "invokeBasic", &asks)?;
        code.jump(Op::IfEq, otherwise);
        for field in [fields[1], fields[2]] {
            push_field(code, field);
            push_parameters(code, 0..from.parameters.len());
            handle_calls::call_handle(m, code, "invokeBasic", &from)?;
            code.ret(kind(&from.result));
            if field == fields[1] {
                code.bind_at(otherwise, 0);
            }
        }
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[test, target, fallback])?)
}

fn catch_exception(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
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
    let shape = handle::shape(m, key, &from, 2, false, |m, code, fields| {
        let start = code.here();
        push_field(code, fields[0]);
        push_parameters(code, 0..from.parameters.len());
        handle_calls::call_handle(m, code, "invokeBasic", &from)?;
        let end = code.here();
        code.ret(kind(&from.result));
        let caught = code.label();
        code.bind_at(caught, 1);
        let thrown = code.local(Kind::Reference);
        code.store(thrown, Kind::Reference);
        push_field(code, fields[1]);
        code.load(thrown, Kind::Reference);
        push_parameters(code, 0..passed);
        handle_calls::call_handle(m, code, "invokeBasic", &handles)?;
        code.ret(kind(&from.result));
        code.handler(start, end, caught, Some(class_name(&exception)));
        Ok(())
    })?;
    given(handle::new_handle(m, shape, &[target, handler])?)
}

/// Invokes a target and then, whether it threw or not, a cleanup that takes the exception and the result.
fn try_finally(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
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
    let shape = handle::shape(m, format!("finally {from} {cleans}"), &from, 2, false, |m, code, fields| {
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
        handle_calls::call_handle(m, code, "invokeBasic", &from)?;
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
        handle_calls::call_handle(m, code, "invokeBasic", &cleans)?;
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
    given(handle::new_handle(m, shape, &[target, cleanup])?)
}
