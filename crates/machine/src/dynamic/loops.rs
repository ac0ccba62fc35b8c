//! `MethodHandles.loop` and `tableSwitch`, after the JDK's own code has checked the clauses.
//!
//! The loops of `MethodHandles` (counted, iterated, while) are Java code based on `loop`, which normalises its
//! clauses and calls `makeLoop`. The machine replaces `makeLoop`.

use super::assemble::{Assembler, InvocationKind};
use super::combinators::support::{elements, given, handle_at, push_field, push_parameters};
use super::signature::{Signature, kind};
use crate::classes::{Kind, MethodId};
use crate::code::Op;
use crate::dynamic::names::HANDLE;
use crate::dynamic::{handle, handle_calls, lookup_object, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, row};

const IMPLEMENTATION: &str = "java/lang/invoke/MethodHandleImpl";
const LIST: &str = "Ljava/util/List;";
const OBJECTS: &str = "[Ljava/lang/Object;";

pub(crate) const NATIVES: &[Native] = &[
    row(IMPLEMENTATION, "makeLoop", "*", |m, args| {
        let arguments = super::handle_calls::all_arguments(m, args);
        Ok(NativeOutcome::Call(loop_of_lists(m)?, arguments))
    }),
    row(IMPLEMENTATION, "makeTableSwitch", "*", make_table_switch),
];

/// The static method with the parameters of `makeLoop`, which converts its lists to arrays.
fn loop_of_lists(m: &mut Machine) -> Step<MethodId> {
    if let Some(method) = m.dynamic.loop_of_lists {
        return Ok(method);
    }
    let lists = [LIST; 5];
    let outer = format!("(Ljava/lang/Class;{}){HANDLE}", lists.concat());
    let inner = format!("(Ljava/lang/Class;{}){HANDLE}", [OBJECTS; 5].concat());
    let name = format!("{IMPLEMENTATION}$$Loop");
    let native = synthetic::define_static_native(m, name.clone(), "loop", &inner, make_loop, false)?;
    let mut code = Assembler::new(&[Kind::Reference; 6]);
    code.parameter(0);
    for index in 1..=lists.len() {
        code.parameter(index);
        code.invoke_named(m, InvocationKind::Virtual, "java/util/List", "toArray", "()[Ljava/lang/Object;")?;
    }
    code.invoke(m, native, InvocationKind::Static);
    code.ret(Kind::Reference);
    let host = m.load(IMPLEMENTATION)?;
    let method = synthetic::define_static(m, host, name, "ofLists", &outer, code)?;
    m.dynamic.loop_of_lists = Some(method);
    Ok(method)
}

/// The handles of an array at a slot, with their types.
fn handles(m: &mut Machine, args: &Args, slot: u32) -> Step<Vec<(Addr, Signature)>> {
    let handles = elements(m, args, slot)?;
    handles.into_iter().map(|handle| Ok((handle, handle::type_of_handle(m, handle)?))).collect()
}

/// Result class, parameter classes, and for each clause: initial value, step, loop condition, and final value.
fn make_loop(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let result = lookup_object::class_argument(m, args, 0)?;
    let parameters = elements(m, args, 1)?;
    let parameters = parameters.iter().map(|c| m.descriptor_of(m.class_of_mirror(*c)).into()).collect();
    let signature = Signature::new(parameters, m.descriptor_of(result));
    let parts = [handles(m, args, 2)?, handles(m, args, 3)?, handles(m, args, 4)?, handles(m, args, 5)?];
    let count = parts[0].len();
    if parts.iter().any(|part| part.len() != count) {
        return Err(Trap::unsupported("loop whose clauses are not complete"));
    }
    let types: Vec<Vec<String>> =
        parts.iter().map(|part| part.iter().map(|(_, ty)| ty.to_string()).collect()).collect();
    let key = format!("loop {signature} {types:?}");
    let shape = handle::shape(m, key, &signature, 4 * count, false, |m, code, fields| {
        let arguments = signature.parameters.len();
        let field = |part: usize, clause: usize| fields[part * count + clause];
        let mut variables: Vec<Option<(u16, Kind)>> = Vec::new();
        for (clause, (_, ty)) in parts[0].iter().enumerate() {
            let held = kind(&ty.result);
            push_field(code, field(0, clause));
            push_parameters(code, 0..arguments);
            handle_calls::call_handle(m, code, "invokeBasic", ty)?;
            variables.push((held != Kind::Void).then(|| {
                let local = code.local(held);
                code.store(local, held);
                (local, held)
            }));
        }
        let again = code.here();
        for clause in 0..count {
            let call = |m: &mut Machine, code: &mut Assembler, part: usize| {
                push_field(code, field(part, clause));
                for (local, held) in variables.iter().flatten() {
                    code.load(*local, *held);
                }
                push_parameters(code, 0..arguments);
                handle_calls::call_handle(m, code, "invokeBasic", &parts[part][clause].1)
            };
            call(m, code, 1)?;
            if let Some((local, held)) = variables[clause] {
                code.store(local, held);
            }
            call(m, code, 2)?;
            let next = code.label();
            code.jump(Op::IfNe, next);
            call(m, code, 3)?;
            code.ret(kind(&signature.result));
            code.bind_at(next, 0);
        }
        code.jump(Op::Goto, again);
        Ok(())
    })?;
    let all: Vec<Addr> = parts.iter().flatten().map(|(handle, _)| *handle).collect();
    given(handle::new_handle(m, shape, &all)?)
}

/// Type, default, and the cases for the numbers from 0 on.
fn make_table_switch(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (otherwise, signature) = handle_at(m, args, 1)?;
    let cases = elements(m, args, 2)?;
    let key = format!("tableSwitch {signature} {}", cases.len());
    let shape = handle::shape(m, key, &signature, cases.len() + 1, false, |m, code, fields| {
        let finish = |m: &mut Machine, code: &mut Assembler, field: u16| {
            push_field(code, field);
            push_parameters(code, 0..signature.parameters.len());
            handle_calls::call_handle(m, code, "invokeBasic", &signature)?;
            code.ret(kind(&signature.result));
            Ok::<(), Trap>(())
        };
        for (index, field) in fields[1..].iter().enumerate() {
            let next = code.label();
            code.parameter(1);
            code.int(index as i32);
            code.jump(Op::IfICmpNe, next);
            finish(m, code, *field)?;
            code.bind_at(next, 0);
        }
        finish(m, code, fields[0])
    })?;
    let mut all = vec![otherwise];
    all.extend(cases);
    given(handle::new_handle(m, shape, &all)?)
}
