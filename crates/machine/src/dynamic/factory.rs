//! Bootstrap methods of the JDK called as ordinary methods, and call sites used as objects.

use super::assemble::{Assembler, InvocationKind};
use super::signature::{Signature, kind};
use crate::classes::handle::Handle;
use crate::classes::{Kind, MethodId};
use crate::code::Op;
use crate::dynamic::site::{BootstrapSite, StaticArgument};
use crate::dynamic::{concat, handle, handle_calls, lambda, lookup_object, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, VOID, row};
use crate::state::Value;
use cupping_classfile::MethodHandleKind;

const LAMBDA: &str = "java/lang/invoke/LambdaMetafactory";
const CONCAT: &str = "java/lang/invoke/StringConcatFactory";
const SITE: &str = "java/lang/invoke/CallSite";
const CONSTANT_SITE: &str = "java/lang/invoke/ConstantCallSite";

pub(crate) const NATIVES: &[Native] = &[
    row(LAMBDA, "metafactory", "*", metafactory),
    row(CONCAT, "makeConcat", "*", |m, a| concat(m, a, false)),
    row(CONCAT, "makeConcatWithConstants", "*", |m, a| concat(m, a, true)),
    row(SITE, "setTargetNormal", "*", set_target),
    row(SITE, "setTargetVolatile", "*", set_target),
    row(SITE, "makeDynamicInvoker", "*", dynamic_invoker),
    row(SITE, "makeUninitializedCallSite", "*", uninitialized),
    row("java/lang/invoke/MethodHandleNatives", "registerNatives", "*", |_, _| Ok(VOID)),
];

/// The first three arguments of every bootstrap method.
fn linkage(m: &mut Machine, args: &Args) -> Step<BootstrapSite> {
    let (lookup, name, site) = (args.non_null(m, 0)?, args.non_null(m, 1)?, args.non_null(m, 2)?);
    let (host, _) = lookup_object::lookup_parts(m, lookup);
    let descriptor = m.signature_of(site)?.to_string();
    let bootstrap = Handle {
        kind: MethodHandleKind::InvokeStatic,
        class: m.method(args.method).class,
        name: m.method(args.method).name.to_string(),
        descriptor: m.method(args.method).descriptor.to_string(),
    };
    Ok(BootstrapSite { host, index: 0, bootstrap, name: m.text(name), descriptor, arguments: Vec::new() })
}

fn metafactory(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let mut linkage = linkage(m, args)?;
    for slot in 3..6 {
        let object = args.non_null(m, slot)?;
        linkage.arguments.push(if slot == 4 {
            let member = handle::shape_of(m, m.class_of(object))?.handle;
            let Some(handle) = member else {
                let message = "method handle is not direct or cannot be cracked".to_owned();
                return Err(Trap::Raise("java/lang/invoke/LambdaConversionException", Some(message)));
            };
            StaticArgument::Handle(handle)
        } else {
            StaticArgument::MethodType(m.signature_of(object)?.to_string().into())
        });
    }
    let factory = lambda::link_lambda(m, &linkage)?;
    constant_site(m, factory)
}

fn concat(m: &mut Machine, args: &Args, with_constants: bool) -> Step<NativeOutcome> {
    let mut linkage = linkage(m, args)?;
    if with_constants {
        let (recipe, constants) = (args.non_null(m, 3)?, args.non_null(m, 4)?);
        linkage.arguments.push(StaticArgument::Text(m.string_units(recipe).into()));
        for index in 0..m.array_length(constants) {
            let constant = m.element_ref(constants, index);
            if constant == 0 || m.class_name_of(constant) != "java/lang/String" {
                return Err(Trap::unsupported("StringConcatFactory with constants that are not strings"));
            }
            linkage.arguments.push(StaticArgument::Text(m.string_units(constant).into()));
        }
    }
    let method = concat::link_concat(m, &linkage, with_constants)?;
    constant_site(m, method)
}

/// A `ConstantCallSite` whose target is a synthetic static method.
fn constant_site(m: &mut Machine, method: MethodId) -> Step<NativeOutcome> {
    let loaded = m.method(method);
    let handle = Handle {
        kind: MethodHandleKind::InvokeStatic,
        class: loaded.class,
        name: loaded.name.to_string(),
        descriptor: loaded.descriptor.to_string(),
    };
    let target = m.method_handle_object(&handle)?;
    let class = m.load(CONSTANT_SITE)?;
    let site = m.new_object(class)?;
    for (name, value) in [("target", target as u64), ("isFrozen", 1)] {
        if let Some(offset) = m.field_offset(class, name) {
            m.set_field(site, offset, value);
        }
    }
    Ok(NativeOutcome::Value(Value::reference(site)))
}

fn site_target(m: &Machine, site: Addr) -> Step<(u32, Addr)> {
    let offset = m.field_offset(m.class_of(site), "target");
    let offset = offset.ok_or_else(|| Trap::Missing(format!("{SITE}.target")))?;
    Ok((offset, m.field_ref(site, offset)))
}

/// `setTarget` of the call sites that can change.
fn set_target(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (site, target) = (args.reference(m, 0), args.non_null(m, 1)?);
    let (offset, old) = site_target(m, site)?;
    let (has, wants) = (handle::type_of_handle(m, target)?, handle::type_of_handle(m, old)?);
    if has != wants {
        let message = format!("MethodHandle{} should be of type {}", has.readable(), wants.readable());
        return Err(Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(message)));
    }
    m.set_field(site, offset, target as u64);
    Ok(VOID)
}

/// The target of a call site that has not been given one.
fn uninitialized(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    const ERROR: &str = "java/lang/IllegalStateException";
    let method_type = args.non_null(m, 1)?;
    let signature = m.signature_of(method_type)?;
    let shape =
        handle::shape(m, format!("uninitialized {signature}"), &signature, 0, false, |m, code, _| {
            code.new_object_of(m, ERROR)?;
            code.op(Op::Dup);
            code.text("uninitialized call site");
            code.invoke_named(m, InvocationKind::Direct, ERROR, "<init>", "(Ljava/lang/String;)V")?;
            code.op(Op::AThrow);
            Ok(())
        })?;
    let handle = handle::new_handle(m, shape, &[])?;
    Ok(NativeOutcome::Value(Value::reference(handle)))
}

/// A handle that invokes the current target of the call site.
fn dynamic_invoker(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let site = args.reference(m, 0);
    let (_, target) = site_target(m, site)?;
    let signature = handle::type_of_handle(m, target)?;
    let shape =
        handle::shape(m, format!("dynamicInvoker {signature}"), &signature, 1, false, |m, code, fields| {
            code.this();
            code.get_field(fields[0], Kind::Reference);
            let descriptor = "()Ljava/lang/invoke/MethodHandle;";
            code.invoke_named(m, InvocationKind::Virtual, SITE, "getTarget", descriptor)?;
            (1..=signature.parameters.len()).for_each(|index| code.parameter(index));
            handle_calls::call_handle(m, code, "invokeExact", &signature)?;
            code.ret(kind(&signature.result));
            Ok(())
        })?;
    let handle = handle::new_handle(m, shape, &[site])?;
    Ok(NativeOutcome::Value(Value::reference(handle)))
}

/// The static method that drops arguments whose classes are in a list.
pub(super) fn drop_by_list(m: &mut Machine) -> Step<MethodId> {
    let descriptor = "(Ljava/lang/invoke/MethodHandle;ILjava/util/List;)Ljava/lang/invoke/MethodHandle;";
    if let Some(method) = m.dynamic.drop_by_list {
        return Ok(method);
    }
    let Some(signature) = Signature::parse(descriptor) else {
        return Err(Trap::unsupported(descriptor));
    };
    let (class_array, handles) = ("[Ljava/lang/Class;", "java/lang/invoke/MethodHandles");
    let array = m.load(class_array)?;
    let mut code = Assembler::new(&signature.kinds());
    code.parameter(0);
    code.parameter(1);
    code.parameter(2);
    code.int(0);
    code.new_array(array);
    let to_array = "([Ljava/lang/Object;)[Ljava/lang/Object;";
    code.invoke_named(m, InvocationKind::Virtual, "java/util/List", "toArray", to_array)?;
    code.cast(array);
    let drop = format!("(Ljava/lang/invoke/MethodHandle;I{class_array})Ljava/lang/invoke/MethodHandle;");
    code.invoke_named(m, InvocationKind::Static, handles, "dropArguments", &drop)?;
    code.ret(Kind::Reference);
    let host = m.load(handles)?;
    let method = synthetic::define_static(m, host, format!("{handles}$$Drop"), "drop", descriptor, code)?;
    m.dynamic.drop_by_list = Some(method);
    Ok(method)
}
