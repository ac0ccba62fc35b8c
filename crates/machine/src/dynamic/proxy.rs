//! Dynamic proxies (`java.lang.reflect.Proxy`): a synthetic class for each list of interfaces, whose methods
//! call the `InvocationHandler`.

use super::assemble::{Assembler, InvocationKind, Label};
use super::signature::{Signature, is_reference, kind};
use super::synthetic::{PUBLIC, Synthetic};
use crate::classes::handle::Handle;
use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Op;
use crate::dynamic::names::OBJECT;
use crate::dynamic::recipe::Recipe;
use crate::dynamic::{adapters, handle, handle_calls, lookup_object, member, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, row};
use crate::state::Value;
use cupping_classfile::{AccessFlags, MethodHandleKind};
use std::sync::Arc;

const PROXY: &str = "java/lang/reflect/Proxy";
const HANDLER: &str = "java/lang/reflect/InvocationHandler";
const INVOKE: &str = "(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;";

pub(crate) const NATIVES: &[Native] = &[
    row(
        PROXY,
        "newProxyInstance",
        "(Ljava/lang/ClassLoader;[Ljava/lang/Class;Ljava/lang/reflect/InvocationHandler;)Ljava/lang/Object;",
        new_instance,
    ),
    row(PROXY, "getProxyClass", "*", get_proxy_class),
    row(PROXY, "isProxyClass", "*", is_proxy),
    row(PROXY, "getInvocationHandler", "*", handler_of),
    row(PROXY, "invokeDefault", "*", invoke_default),
];

/// The proxy class that implements these interfaces.
fn proxy_class(m: &mut Machine, interfaces: &[ClassId]) -> Step<ClassId> {
    if let Some(class) = m.dynamic.proxies.get(interfaces) {
        return Ok(*class);
    }
    let super_class = m.load(PROXY)?;
    let hidden = interfaces.iter().copied().find(|i| !m.class(*i).access.is_public());
    let package = match hidden {
        Some(interface) if m.class(interface).package().is_empty() => String::new(),
        Some(interface) => format!("{}/", m.class(interface).package()),
        None => "jdk/proxy1/".to_owned(),
    };
    let name = format!("{package}$Proxy{}", m.dynamic.proxies.len());
    let methods = proxied_methods(m, interfaces)?;
    let host = interfaces.first().copied().unwrap_or(super_class);
    let mut synthetic = Synthetic::holder(m, host, name);
    synthetic.super_class = super_class;
    let own = AccessFlags::FINAL | AccessFlags::SUPER;
    synthetic.access = if hidden.is_some() { own } else { own | AccessFlags::PUBLIC };
    synthetic.interfaces = interfaces.to_vec();
    synthetic.methods = methods
        .iter()
        .map(|it| (m.method(*it).name.clone(), m.method(*it).descriptor.clone(), PUBLIC | AccessFlags::FINAL))
        .collect();
    let class = synthetic::define_synthetic(m, synthetic)?;
    for (index, method) in methods.iter().enumerate() {
        let code = proxy_method(m, super_class, *method)?;
        synthetic::set_code(m, class, index, code);
    }
    m.dynamic.proxies.insert(interfaces.to_vec(), class);
    Ok(class)
}

/// The methods that a proxy forwards: three of `Object`'s, then all instance methods of the interfaces.
fn proxied_methods(m: &mut Machine, interfaces: &[ClassId]) -> Step<Vec<MethodId>> {
    let object = ClassId(m.classes.well_known.object);
    let mut methods = Vec::new();
    for (name, descriptor) in
        [("hashCode", "()I"), ("equals", "(Ljava/lang/Object;)Z"), ("toString", "()Ljava/lang/String;")]
    {
        methods.extend(m.declared_method(object, name, descriptor));
    }
    let mut seen: Vec<ClassId> = Vec::new();
    let mut pending: Vec<ClassId> = interfaces.iter().rev().copied().collect();
    while let Some(interface) = pending.pop() {
        if seen.contains(&interface) {
            continue;
        }
        seen.push(interface);
        for method in m.class(interface).methods.clone() {
            let candidate = m.method(method);
            let known = methods.iter().any(|it| m.method(*it).signature == candidate.signature);
            if !candidate.is_static() && !candidate.is_private() && !known {
                methods.push(method);
            }
        }
        pending.extend(m.class(interface).interfaces.iter().rev());
    }
    Ok(methods)
}

fn proxy_method(m: &mut Machine, proxy: ClassId, method: MethodId) -> Step<Assembler> {
    let descriptor = m.method(method).descriptor.clone();
    let Some(signature) = Signature::parse(&descriptor) else {
        return Err(Trap::unsupported(format!("proxy method of type {descriptor}")));
    };
    let Some(handler) = m.field_offset(proxy, "h") else {
        return Err(Trap::Missing(format!("{PROXY}.h")));
    };
    let mut code = Assembler::instance(&signature.kinds());
    let start = code.here();
    code.this();
    code.get_field(handler as u16, Kind::Reference);
    code.this();
    code.constant(Recipe::Method(method));
    box_arguments(m, &mut code, &signature)?;
    code.invoke_named(m, InvocationKind::Virtual, HANDLER, "invoke", INVOKE)?;
    unwrap_result(m, &mut code, &signature.result)?;
    let end = code.here();
    code.ret(kind(&signature.result));
    catch_undeclared(m, &mut code, method, start, end)?;
    Ok(code)
}

/// Emits the array of the arguments, boxed; `null` if there are none.
fn box_arguments(m: &mut Machine, code: &mut Assembler, signature: &Signature) -> Step<()> {
    if signature.parameters.is_empty() {
        code.op(Op::AConstNull);
        return Ok(());
    }
    let objects = m.load("[Ljava/lang/Object;")?;
    code.int(signature.parameters.len() as i32);
    code.new_array(objects);
    for (index, parameter) in signature.parameters.iter().enumerate() {
        code.op(Op::Dup);
        code.int(index as i32);
        code.parameter(index + 1);
        member::adapt(m, code, parameter, OBJECT)?;
        code.array_store(Kind::Reference);
    }
    Ok(())
}

/// Emits the conversion of the handler's result.
fn unwrap_result(m: &mut Machine, code: &mut Assembler, result: &str) -> Step<()> {
    let held = kind(result);
    if is_reference(result) || held == Kind::Void {
        return member::adapt(m, code, OBJECT, result);
    }
    // The wrapper must be exact: no widening here.
    let boxed = super::convert::wrapper(held).unwrap_or("java/lang/Object");
    let class = m.load(boxed)?;
    code.cast(class);
    member::adapt(m, code, &format!("L{boxed};"), result)
}

/// Emits the handlers: exceptions that the method may throw propagate, any other `Throwable` is wrapped.
fn catch_undeclared(
    m: &mut Machine,
    code: &mut Assembler,
    method: MethodId,
    start: Label,
    end: Label,
) -> Step<()> {
    let (again, wrap) = (code.label(), code.label());
    let loaded = m.method(method);
    let declared: Vec<Arc<str>> = match &m.class(loaded.class).file {
        Some(file) => file.methods.get(loaded.index).map(|m| m.exceptions.to_vec()).unwrap_or_default(),
        None => Vec::new(),
    };
    code.bind_at(again, 1);
    code.op(Op::AThrow);
    code.bind_at(wrap, 1);
    let thrown = code.local(Kind::Reference);
    code.store(thrown, Kind::Reference);
    let wrapper = "java/lang/reflect/UndeclaredThrowableException";
    code.new_object_of(m, wrapper)?;
    code.op(Op::Dup);
    code.load(thrown, Kind::Reference);
    code.invoke_named(m, InvocationKind::Direct, wrapper, "<init>", "(Ljava/lang/Throwable;)V")?;
    code.op(Op::AThrow);
    for class in ["java/lang/Error", "java/lang/RuntimeException"] {
        code.handler(start, end, again, Some(class));
    }
    for class in declared {
        code.handler(start, end, again, Some(&class));
    }
    code.handler(start, end, wrap, None);
    Ok(())
}

fn new_instance(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let array = args.non_null(m, 1)?;
    let handler = args.non_null(m, 2)?;
    let class = class_for(m, array)?;
    let proxy = m.new_object(class)?;
    if let Some(offset) = m.field_offset(class, "h") {
        m.set_field(proxy, offset, handler as u64);
    }
    Ok(NativeOutcome::Value(Value::reference(proxy)))
}

/// Implements `ObjectInputStream`'s request for a proxy class.
fn get_proxy_class(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let array = args.non_null(m, 1)?;
    let class = class_for(m, array)?;
    Ok(NativeOutcome::Value(Value::reference(m.mirror(class)?)))
}

/// The proxy class of an array of interfaces.
fn class_for(m: &mut Machine, array: Addr) -> Step<ClassId> {
    let mut interfaces = Vec::new();
    for index in 0..m.array_length(array) {
        let mirror = m.element_ref(array, index);
        if mirror == 0 {
            return Err(Trap::Raise("java/lang/NullPointerException", None));
        }
        let interface = m.class_of_mirror(mirror);
        let name = m.class(interface).name.replace('/', ".");
        if !m.class(interface).is_interface() {
            let message = format!("{name} is not an interface");
            return Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)));
        }
        if interfaces.contains(&interface) {
            let message = format!("repeated interface: {name}");
            return Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)));
        }
        interfaces.push(interface);
    }
    proxy_class(m, &interfaces)
}

fn is_proxy_class(m: &Machine, class: ClassId) -> bool {
    m.dynamic.proxies.values().any(|proxy| *proxy == class)
}

fn is_proxy(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = lookup_object::class_argument(m, args, 0)?;
    Ok(NativeOutcome::Value(Value::boolean(is_proxy_class(m, class))))
}

fn handler_of(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let proxy = args.non_null(m, 0)?;
    let class = m.class_of(proxy);
    if !is_proxy_class(m, class) {
        let message = "not a proxy instance".to_owned();
        return Err(Trap::Raise("java/lang/IllegalArgumentException", Some(message)));
    }
    let handler = m.field_offset(class, "h").map_or(0, |offset| m.field_ref(proxy, offset));
    Ok(NativeOutcome::Value(Value::reference(handler)))
}

/// `invokeDefault(proxy, method, args, caller)`: the interface's own body, run on the proxy.
fn invoke_default(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (proxy, method) = (args.non_null(m, 0)?, args.non_null(m, 1)?);
    let (mut handle, _) = super::lookup::reflected_method(m, method)?;
    handle = Handle { kind: MethodHandleKind::InvokeSpecial, ..handle };
    let direct = m.method_handle_object(&handle)?;
    let signature = handle::type_of_handle(m, direct)?;
    let count = signature.parameters.len() - 1;
    let objects: Arc<str> = OBJECT.into();
    let generic = Signature::new(vec![objects.clone(); count + 1], objects);
    let generic = handle_calls::as_type(m, direct, &generic, super::convert::Rule::AsType)?;
    let spread = adapters::as_spreader(m, generic, 1, &"[Ljava/lang/Object;".into(), count)?;
    let invoke = handle::shape_of(m, m.class_of(spread))?.invoke;
    let array = args.reference(m, 2);
    Ok(NativeOutcome::Call(
        invoke,
        vec![Value::reference(spread), Value::reference(proxy), Value::reference(array)],
    ))
}
