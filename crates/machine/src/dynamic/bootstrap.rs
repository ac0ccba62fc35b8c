//! Call sites and dynamic constants of any bootstrap method (JVMS §5.4.3.6).
//!
//! The JDK's bootstrap methods that javac uses are known by name. For any other, the machine generates code
//! that runs the bootstrap method on first execution and stores its result in a static field, that is, in
//! forkable memory, so that each fork links for itself.

use super::assemble::{Assembler, InvocationKind, Label};
use super::convert::Rule;
use super::signature::{Signature, class_name, kind};
use super::synthetic::{PUBLIC, STATIC, Synthetic};
use crate::classes::errors::bad_constant;
use crate::classes::handle::Handle;
use crate::classes::{Kind, MethodId};
use crate::code::Op;
use crate::dynamic::recipe::Recipe;
use crate::dynamic::site::{BootstrapSite, StaticArgument};
use crate::dynamic::{handle_calls, member, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use cupping_classfile::{ClassFile, Constant, MethodHandleKind};
use std::rc::Rc;
use std::sync::Arc;

/// The message of the error that wraps an exception of a bootstrap method.
const FAILED: &str = "bootstrap method initialization exception";

/// Limit on the nesting of dynamic constants that are arguments of each other.
const MAX_NESTED: usize = 256;

/// Reads the call site or dynamic constant at this pool index.
pub(super) fn linkage(m: &mut Machine, file: &Arc<ClassFile>, index: u16) -> Step<BootstrapSite> {
    let (bootstrap, name, descriptor) = match file.constant(index) {
        Ok(
            Constant::InvokeDynamic { bootstrap, name, descriptor }
            | Constant::Dynamic { bootstrap, name, descriptor },
        ) => (bootstrap, name.into_owned(), descriptor.into_owned()),
        other => return Err(bad_constant(file, index, other.err().map(|e| e.to_string()))),
    };
    let Some(method) = file.bootstrap_methods.get(bootstrap as usize) else {
        let why = format!("{}: no bootstrap method {bootstrap}", file.name);
        return Err(bad_constant(file, index, Some(why)));
    };
    let bootstrap = m.handle_constant(file, method.handle)?;
    let mut arguments = Vec::new();
    for argument in &method.arguments {
        arguments.push(static_argument(m, file, *argument)?);
    }
    let host = m.current_class();
    Ok(BootstrapSite { host, index, bootstrap, name, descriptor, arguments })
}

fn static_argument(m: &mut Machine, file: &Arc<ClassFile>, index: u16) -> Step<StaticArgument> {
    Ok(match file.constant(index) {
        Ok(Constant::Integer(value)) => StaticArgument::Int(value),
        Ok(Constant::Long(value)) => StaticArgument::Long(value),
        Ok(Constant::Float(value)) => StaticArgument::Float(value),
        Ok(Constant::Double(value)) => StaticArgument::Double(value),
        Ok(Constant::String(units)) => StaticArgument::Text(units.into()),
        Ok(Constant::Class(name)) => StaticArgument::Class(m.load_for(m.current_class(), &name)?),
        Ok(Constant::MethodType(descriptor)) => StaticArgument::MethodType((*descriptor).into()),
        Ok(Constant::MethodHandle { .. }) => StaticArgument::Handle(m.handle_constant(file, index)?),
        Ok(Constant::Dynamic { .. }) => StaticArgument::Dynamic(dynamic_argument(m, file, index)?),
        other => return Err(bad_constant(file, index, other.err().map(|e| e.to_string()))),
    })
}

/// A dynamic constant that is an argument. Each is read once, since many may share one. None may be its own
/// argument, directly or indirectly.
fn dynamic_argument(m: &mut Machine, file: &Arc<ClassFile>, index: u16) -> Step<Rc<BootstrapSite>> {
    let key = (m.current_class(), index);
    if let Some(known) = m.dynamic.arguments.get(&key) {
        return Ok(known.clone());
    }
    let open = &mut m.dynamic.open_arguments;
    if open.contains(&key) || open.len() >= MAX_NESTED {
        return Err(Trap::Raise("java/lang/StackOverflowError", None));
    }
    open.push(key);
    let linkage = linkage(m, file, index);
    m.dynamic.open_arguments.pop();
    let linkage = Rc::new(linkage?);
    m.dynamic.arguments.insert(key, linkage.clone());
    Ok(linkage)
}

/// Links a call site of a bootstrap method that is not known by name.
pub(super) fn link_user_site(m: &mut Machine, linkage: &BootstrapSite) -> Step<MethodId> {
    let malformed = || Trap::unsupported(format!("call site of type {}", linkage.descriptor));
    let signature = Signature::parse(&linkage.descriptor).ok_or_else(malformed)?;
    let name = format!("{}$$CallSite${}", m.class(linkage.host).name, linkage.index);
    let mut holder = Synthetic::holder(m, linkage.host, name);
    holder.statics.push("Ljava/lang/invoke/CallSite;".into());
    holder.methods.push(("invoke".into(), linkage.descriptor.as_str().into(), PUBLIC | STATIC));
    let class = synthetic::define_synthetic(m, holder)?;
    let field = synthetic::synthetic_field(m, class, 0);
    let mut code = Assembler::new(&signature.kinds());
    let linked = code.label();
    code.get_static(class, field, Kind::Reference);
    code.jump(Op::IfNonNull, linked);
    let start = code.here();
    let result = call_bootstrap(m, &mut code, linkage)?;
    bootstrap_type(m, &mut code, &result, "Ljava/lang/invoke/CallSite;")?;
    let end = code.here();
    code.put_static(class, field, Kind::Reference);
    code.bind_at(linked, 0);
    code.get_static(class, field, Kind::Reference);
    let descriptor = "()Ljava/lang/invoke/MethodHandle;";
    code.invoke_named(m, InvocationKind::Virtual, "java/lang/invoke/CallSite", "getTarget", descriptor)?;
    for index in 0..signature.parameters.len() {
        code.parameter(index);
    }
    handle_calls::call_handle(m, &mut code, "invokeExact", &signature)?;
    code.ret(kind(&signature.result));
    wrap_failures(m, &mut code, start, end)?;
    Ok(synthetic::set_code(m, class, 0, code))
}

/// The static method without parameters that returns a dynamic constant, computed once.
pub(super) fn link_constant(m: &mut Machine, linkage: &BootstrapSite) -> Step<MethodId> {
    let key = (linkage.host, linkage.index);
    if let Some(method) = m.dynamic.constants.get(&key) {
        return Ok(*method);
    }
    let held = kind(&linkage.descriptor);
    let name = format!("{}$$Constant${}", m.class(linkage.host).name, linkage.index);
    let mut holder = Synthetic::holder(m, linkage.host, name);
    holder.statics = vec![linkage.descriptor.as_str().into(), "Z".into()];
    let method_descriptor = format!("(){}", linkage.descriptor);
    holder.methods.push(("get".into(), method_descriptor.into(), PUBLIC | STATIC));
    let class = synthetic::define_synthetic(m, holder)?;
    let (value, known) = (synthetic::synthetic_field(m, class, 0), synthetic::synthetic_field(m, class, 1));
    let mut code = Assembler::new(&[]);
    let done = code.label();
    code.get_static(class, known, Kind::Boolean);
    code.jump(Op::IfNe, done);
    let start = code.here();
    let result = match known_constant(m, &mut code, linkage)? {
        Some(result) => result,
        None => call_bootstrap(m, &mut code, linkage)?,
    };
    bootstrap_type(m, &mut code, &result, &linkage.descriptor)?;
    let end = code.here();
    code.put_static(class, value, held);
    code.int(1);
    code.put_static(class, known, Kind::Boolean);
    code.bind_at(done, 0);
    code.get_static(class, value, held);
    code.ret(held);
    wrap_failures(m, &mut code, start, end)?;
    let method = synthetic::set_code(m, class, 0, code);
    m.dynamic.constants.insert(key, method);
    Ok(method)
}

/// Emits a handler: an exception of a bootstrap method is wrapped, unless it is an `Error` (JVMS §5.4.3.6).
fn wrap_failures(m: &mut Machine, code: &mut Assembler, start: Label, end: Label) -> Step<()> {
    const WRAPPER: &str = "java/lang/BootstrapMethodError";
    let (again, wrap) = (code.label(), code.label());
    code.bind_at(again, 1);
    code.op(Op::AThrow);
    code.bind_at(wrap, 1);
    let thrown = code.local(Kind::Reference);
    code.store(thrown, Kind::Reference);
    code.new_object_of(m, WRAPPER)?;
    code.op(Op::Dup);
    code.text(FAILED);
    code.load(thrown, Kind::Reference);
    let descriptor = "(Ljava/lang/String;Ljava/lang/Throwable;)V";
    code.invoke_named(m, InvocationKind::Direct, WRAPPER, "<init>", descriptor)?;
    code.op(Op::AThrow);
    code.handler(start, end, again, Some("java/lang/Error"));
    code.handler(start, end, wrap, None);
    Ok(())
}

/// Emits a conversion of an argument or result of a bootstrap method.
fn bootstrap_type(m: &mut Machine, code: &mut Assembler, from: &str, to: &str) -> Step<()> {
    if m.convert(code, from, to, Rule::AsType)? {
        return Ok(());
    }
    let message = format!("{FAILED}: {from} is not {to}");
    Err(Trap::Raise("java/lang/BootstrapMethodError", Some(message)))
}

/// Emits a call of the bootstrap method; returns the descriptor of the result on the stack.
fn call_bootstrap(m: &mut Machine, code: &mut Assembler, linkage: &BootstrapSite) -> Step<Arc<str>> {
    let signature = member::handle_signature(m, &linkage.bootstrap)?;
    let member = member::resolve_member(m, &linkage.bootstrap)?;
    let leading = 3usize;
    let count = leading + linkage.arguments.len();
    let is_varargs = match member {
        super::member::Member::Method(method, _) => m.method(method).access.is_varargs(),
        _ => false,
    };
    let fixed = if is_varargs { signature.parameters.len() - 1 } else { count };
    if signature.parameters.len() != count && !is_varargs || count < fixed {
        let message = "bad parameter count ".to_owned() + &count.to_string();
        return Err(Trap::Raise("java/lang/BootstrapMethodError", Some(message)));
    }
    member::use_member(m, code, member, |m, code| {
        for index in 0..fixed {
            let from = push_bootstrap_argument(m, code, linkage, index)?;
            bootstrap_type(m, code, &from, &signature.parameters[index])?;
        }
        if is_varargs {
            let array = m.load(&signature.parameters[fixed])?;
            let element = signature.parameters[fixed][1..].to_owned();
            code.int((count - fixed) as i32);
            code.new_array(array);
            for index in fixed..count {
                code.op(Op::Dup);
                code.int((index - fixed) as i32);
                let from = push_bootstrap_argument(m, code, linkage, index)?;
                bootstrap_type(m, code, &from, &element)?;
                code.array_store(kind(&element));
            }
        }
        Ok(())
    })?;
    Ok(signature.result)
}

fn push_bootstrap_argument(
    m: &mut Machine,
    code: &mut Assembler,
    linkage: &BootstrapSite,
    index: usize,
) -> Step<String> {
    match index {
        0 => {
            code.constant(Recipe::Lookup(linkage.host));
            Ok("Ljava/lang/invoke/MethodHandles$Lookup;".into())
        }
        1 => {
            code.text(&linkage.name);
            Ok("Ljava/lang/String;".into())
        }
        2 if linkage.descriptor.starts_with('(') => {
            code.constant(Recipe::MethodType(linkage.descriptor.as_str().into()));
            Ok("Ljava/lang/invoke/MethodType;".into())
        }
        2 => {
            let class = m.load_descriptor(&linkage.descriptor)?;
            code.constant(Recipe::Class(class));
            Ok("Ljava/lang/Class;".into())
        }
        _ => push_static_argument(m, code, &linkage.arguments[index - 3]),
    }
}

/// Emits a constant of one of the JDK's `ConstantBootstraps`; returns the descriptor of the result, or `None`
/// for another bootstrap method.
fn known_constant(m: &mut Machine, code: &mut Assembler, linkage: &BootstrapSite) -> Step<Option<Arc<str>>> {
    if &*m.class(linkage.bootstrap.class).name != "java/lang/invoke/ConstantBootstraps" {
        return Ok(None);
    }
    let own: Arc<str> = linkage.descriptor.as_str().into();
    match (linkage.bootstrap.name.as_str(), &linkage.arguments[..]) {
        ("nullConstant", _) if kind(&own) == Kind::Reference => code.op(Op::AConstNull),
        ("primitiveClass", _) => {
            let class = m.load_descriptor(&linkage.name)?;
            code.constant(Recipe::Class(class));
        }
        ("enumConstant", _) => get_static_final(m, code, &own, linkage, &own)?,
        ("getStaticFinal", []) => get_static_final(m, code, &own, linkage, &own)?,
        ("getStaticFinal", [StaticArgument::Class(class)]) => {
            let owner = m.descriptor_of(*class);
            get_static_final(m, code, &owner, linkage, &own)?;
        }
        ("invoke", [StaticArgument::Handle(handle), arguments @ ..]) => {
            return invoke_constant(m, code, handle, arguments).map(Some);
        }
        ("explicitCast", [argument]) => {
            let from = push_static_argument(m, code, argument)?;
            m.convert(code, &from, &own, Rule::Explicit)?;
        }
        _ => return Ok(None),
    }
    Ok(Some(own))
}

fn get_static_final(
    m: &mut Machine,
    code: &mut Assembler,
    owner: &str,
    linkage: &BootstrapSite,
    descriptor: &str,
) -> Step<()> {
    let class = m.load(class_name(owner))?;
    let name = linkage.name.clone();
    let handle = Handle { kind: MethodHandleKind::GetStatic, class, name, descriptor: descriptor.to_owned() };
    let member = member::resolve_member(m, &handle)?;
    member::use_member(m, code, member, |_, _| Ok(()))
}

fn invoke_constant(
    m: &mut Machine,
    code: &mut Assembler,
    handle: &Handle,
    arguments: &[StaticArgument],
) -> Step<Arc<str>> {
    let signature = member::handle_signature(m, handle)?;
    let member = member::resolve_member(m, handle)?;
    let count = signature.parameters.len();
    let collects = match member {
        super::member::Member::Method(method, _) => m.method(method).access.is_varargs(),
        _ => false,
    };
    let fixed = if collects { count - 1 } else { count };
    if arguments.len() < fixed || !collects && arguments.len() > fixed {
        return Err(Trap::Raise("java/lang/invoke/WrongMethodTypeException", Some(handle.name.clone())));
    }
    member::use_member(m, code, member, |m, code| {
        for (argument, to) in arguments[..fixed].iter().zip(&signature.parameters) {
            let from = push_static_argument(m, code, argument)?;
            member::adapt(m, code, &from, to)?;
        }
        if !collects {
            return Ok(());
        }
        let array = m.load(&signature.parameters[fixed])?;
        let element = signature.parameters[fixed][1..].to_owned();
        code.int((arguments.len() - fixed) as i32);
        code.new_array(array);
        for (index, argument) in arguments[fixed..].iter().enumerate() {
            code.op(Op::Dup);
            code.int(index as i32);
            let from = push_static_argument(m, code, argument)?;
            bootstrap_type(m, code, &from, &element)?;
            code.array_store(kind(&element));
        }
        Ok(())
    })?;
    Ok(signature.result)
}

/// Emits a static argument; its descriptor.
pub(super) fn push_static_argument(
    m: &mut Machine,
    code: &mut Assembler,
    argument: &StaticArgument,
) -> Step<String> {
    Ok(match argument {
        StaticArgument::Int(value) => {
            code.int(*value);
            "I"
        }
        StaticArgument::Float(value) => {
            code.int(value.to_bits() as i32);
            "F"
        }
        StaticArgument::Long(value) => {
            code.wide(*value as u64);
            "J"
        }
        StaticArgument::Double(value) => {
            code.wide(value.to_bits());
            "D"
        }
        StaticArgument::Text(units) => {
            code.constant(Recipe::Text(units.clone()));
            "Ljava/lang/String;"
        }
        StaticArgument::Class(class) => {
            code.constant(Recipe::Class(*class));
            "Ljava/lang/Class;"
        }
        StaticArgument::MethodType(descriptor) => {
            code.constant(Recipe::MethodType(descriptor.clone()));
            "Ljava/lang/invoke/MethodType;"
        }
        StaticArgument::Handle(handle) => {
            code.constant(Recipe::Handle(handle.clone()));
            "Ljava/lang/invoke/MethodHandle;"
        }
        StaticArgument::Dynamic(linkage) => {
            let method = link_constant(m, linkage)?;
            code.invoke(m, method, InvocationKind::Static);
            return Ok(linkage.descriptor.clone());
        }
    }
    .to_owned())
}
