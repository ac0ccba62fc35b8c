//! `MethodHandles.Lookup`: method and variable handles by name.

use super::signature::Signature;
use crate::classes::handle::Handle;
use crate::classes::{ClassId, Kind};
use crate::dynamic::names::{FULL_POWER, LOOKUP, METHOD_HANDLE};
use crate::dynamic::{adapters, lookup_object};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::{Args, Native, NativeOutcome, row};
use crate::state::Value;
use cupping_classfile::{AccessFlags, MethodHandleKind};

const HANDLES: &str = "java/lang/invoke/MethodHandles";
pub(crate) const NATIVES: &[Native] = &[
    row(HANDLES, "lookup", "*", lookup),
    row(HANDLES, "privateLookupIn", "*", private_lookup),
    row(LOOKUP, "findVirtual", "*", find_virtual),
    row(LOOKUP, "findStatic", "*", |m, a| find_method(m, a, MethodHandleKind::InvokeStatic)),
    row(LOOKUP, "findSpecial", "*", |m, a| find_method(m, a, MethodHandleKind::InvokeSpecial)),
    row(LOOKUP, "findConstructor", "*", find_constructor),
    row(LOOKUP, "bind", "*", bind),
    row(LOOKUP, "findGetter", "*", |m, a| find_field(m, a, MethodHandleKind::GetField)),
    row(LOOKUP, "findSetter", "*", |m, a| find_field(m, a, MethodHandleKind::PutField)),
    row(LOOKUP, "findStaticGetter", "*", |m, a| find_field(m, a, MethodHandleKind::GetStatic)),
    row(LOOKUP, "findStaticSetter", "*", |m, a| find_field(m, a, MethodHandleKind::PutStatic)),
    row(LOOKUP, "unreflect", "*", unreflect),
    row(LOOKUP, "unreflectSpecial", "*", unreflect_special),
    row(LOOKUP, "unreflectConstructor", "*", unreflect_constructor),
    row(LOOKUP, "unreflectGetter", "*", |m, a| unreflect_field(m, a, false)),
    row(LOOKUP, "unreflectSetter", "*", |m, a| unreflect_field(m, a, true)),
    row(LOOKUP, "unreflectField", "*", |m, a| {
        let write = a.int(m, 2) != 0;
        unreflect_field(m, a, write)
    }),
    // Since JDK 22 `Field.get` and `set` go through method handles.
    row("jdk/internal/misc/VM", "isJavaLangInvokeInited", "*", |_, _| {
        Ok(NativeOutcome::Value(Value::boolean(true)))
    }),
];

/// The class that calls the native under execution; of synthetic code, the class it was made for.
fn caller(m: &Machine) -> ClassId {
    let class = m.current_class();
    m.class(class).host.unwrap_or(class)
}

/// A handle for a method or constructor, if the lookup may access it.
fn handle_for(m: &mut Machine, lookup: Addr, handle: &Handle) -> Step<Addr> {
    let found = m.find_method(handle.class, &handle.name, &handle.descriptor);
    let is_static = handle.kind == MethodHandleKind::InvokeStatic;
    let readable = Signature::parse(&handle.descriptor).map_or(String::new(), |s| s.readable());
    let what = format!("{}.{}{readable}", m.class(handle.class).name.replace('/', "."), handle.name);
    let suffix = match handle.kind {
        MethodHandleKind::InvokeStatic => "invokeStatic",
        MethodHandleKind::NewInvokeSpecial => "newInvokeSpecial",
        MethodHandleKind::InvokeSpecial => "invokeSpecial",
        _ if m.class(handle.class).is_interface() => "invokeInterface",
        _ => "invokeVirtual",
    };
    let Some(method) = found else {
        let kind = if handle.kind == MethodHandleKind::NewInvokeSpecial { "constructor" } else { "method" };
        let message = format!("no such {kind}: {what}/{suffix}");
        return Err(Trap::Raise("java/lang/NoSuchMethodException", Some(message)));
    };
    if m.method(method).is_static() != is_static {
        let message = format!("no such method: {what}/{suffix}");
        return Err(Trap::Raise("java/lang/IllegalAccessException", Some(message)));
    }
    let (owner, access) = (m.method(method).class, m.method(method).access);
    lookup_object::check_access(m, lookup, owner, access, &format!("{what}/{suffix}"))?;
    m.method_handle_object(handle)
}

fn reference(addr: Addr) -> Step<NativeOutcome> {
    Ok(NativeOutcome::Value(Value::reference(addr)))
}

fn lookup(m: &mut Machine, _: &Args) -> Step<NativeOutcome> {
    let class = caller(m);
    reference(lookup_object::new_lookup(m, class, FULL_POWER)?)
}

fn private_lookup(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = lookup_object::class_argument(m, args, 0)?;
    args.non_null(m, 1)?;
    reference(lookup_object::new_lookup(m, class, FULL_POWER & !0x40)?)
}

fn text_argument(m: &Machine, args: &Args, slot: u32) -> Step<String> {
    Ok(m.text(args.non_null(m, slot)?))
}

fn method_argument(m: &mut Machine, args: &Args, kind: MethodHandleKind) -> Step<Handle> {
    let class = lookup_object::class_argument(m, args, 1)?;
    let name = text_argument(m, args, 2)?;
    let method_type = args.non_null(m, 3)?;
    let descriptor = m.signature_of(method_type)?.to_string();
    Ok(Handle { kind, class, name, descriptor })
}

fn find_method(m: &mut Machine, args: &Args, kind: MethodHandleKind) -> Step<NativeOutcome> {
    let handle = method_argument(m, args, kind)?;
    reference(handle_for(m, args.reference(m, 0), &handle)?)
}

fn find_virtual(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let handle = method_argument(m, args, MethodHandleKind::InvokeVirtual)?;
    // `findVirtual` of MethodHandle.invoke is an invoker for that type.
    if &*m.class(handle.class).name == METHOD_HANDLE
        && matches!(handle.name.as_str(), "invoke" | "invokeExact")
        && let Some(signature) = Signature::parse(&handle.descriptor)
    {
        return reference(adapters::invoker_of(m, &handle.name, &signature)?);
    }
    reference(handle_for(m, args.reference(m, 0), &handle)?)
}

fn find_constructor(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let class = lookup_object::class_argument(m, args, 1)?;
    let method_type = args.non_null(m, 2)?;
    let descriptor = m.signature_of(method_type)?.to_string();
    let handle =
        Handle { kind: MethodHandleKind::NewInvokeSpecial, class, name: "<init>".into(), descriptor };
    if m.declared_method(class, "<init>", &handle.descriptor).is_none_or(|_| m.class(class).is_abstract()) {
        let readable = Signature::parse(&handle.descriptor).map_or(String::new(), |s| s.readable());
        let name = m.class(class).name.replace('/', ".");
        let message = format!("no such constructor: {name}.<init>{readable}/newInvokeSpecial");
        return Err(Trap::Raise("java/lang/NoSuchMethodException", Some(message)));
    }
    reference(handle_for(m, args.reference(m, 0), &handle)?)
}

fn bind(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let receiver = args.non_null(m, 1)?;
    let class = m.class_of(receiver);
    let name = text_argument(m, args, 2)?;
    let method_type = args.non_null(m, 3)?;
    let descriptor = m.signature_of(method_type)?.to_string();
    let handle = Handle { kind: MethodHandleKind::InvokeVirtual, class, name, descriptor };
    let found = handle_for(m, args.reference(m, 0), &handle)?;
    reference(adapters::insert_arguments(m, found, 0, &[receiver])?)
}

fn find_field(m: &mut Machine, args: &Args, kind: MethodHandleKind) -> Step<NativeOutcome> {
    let class = lookup_object::class_argument(m, args, 1)?;
    let name = text_argument(m, args, 2)?;
    let field_type = lookup_object::class_argument(m, args, 3)?;
    let descriptor = m.descriptor_of(field_type);
    let suffix = match kind {
        MethodHandleKind::GetField => "getField",
        MethodHandleKind::PutField => "putField",
        MethodHandleKind::GetStatic => "getStatic",
        _ => "putStatic",
    };
    let what = format!(
        "{}.{name}/{}/{suffix}",
        m.class(class).name.replace('/', "."),
        m.class(field_type).name.replace('/', ".")
    );
    let is_static = matches!(kind, MethodHandleKind::GetStatic | MethodHandleKind::PutStatic);
    let writes = matches!(kind, MethodHandleKind::PutField | MethodHandleKind::PutStatic);
    let Some((owner, at)) = m.find_field(class, &name, &descriptor) else {
        let message = format!("no such field: {what}");
        return Err(Trap::Raise("java/lang/NoSuchFieldException", Some(message)));
    };
    let (access, field_static) = (m.class(owner).fields[at].access, m.class(owner).fields[at].is_static());
    if field_static != is_static || writes && access.is_final() {
        let message = format!(
            "{}: {what}",
            if field_static == is_static { "final field has no write access" } else { "no such field" }
        );
        return Err(Trap::Raise("java/lang/IllegalAccessException", Some(message)));
    }
    lookup_object::check_access(m, args.reference(m, 0), owner, access, &what)?;
    reference(m.method_handle_object(&Handle { kind, class, name, descriptor })?)
}

/// The value of a field of a reflective object, by name.
fn reflected(m: &Machine, object: Addr, name: &str) -> Step<u64> {
    let class = m.class_of(object);
    m.field_offset(class, name)
        .map(|offset| m.field(object, offset))
        .ok_or_else(|| Trap::Missing(format!("{}.{name}", m.class(class).name)))
}

/// Descriptor of a reflected method or constructor.
fn reflected_descriptor(m: &Machine, object: Addr, result: Option<ClassId>) -> Step<String> {
    let parameters = reflected(m, object, "parameterTypes")? as Addr;
    let mut descriptor = String::from("(");
    for index in 0..m.array_length(parameters) {
        descriptor += &m.descriptor_of(m.class_of_mirror(m.element_ref(parameters, index)));
    }
    descriptor.push(')');
    Ok(descriptor + &result.map_or("V".to_owned(), |class| m.descriptor_of(class)))
}

pub(crate) fn reflected_method(m: &Machine, object: Addr) -> Step<(Handle, AccessFlags)> {
    let class = m.class_of_mirror(reflected(m, object, "clazz")? as Addr);
    let access = AccessFlags(reflected(m, object, "modifiers")? as u16);
    let result = m.class_of_mirror(reflected(m, object, "returnType")? as Addr);
    let descriptor = reflected_descriptor(m, object, Some(result))?;
    let name = m.text(reflected(m, object, "name")? as Addr);
    let kind =
        if access.is_static() { MethodHandleKind::InvokeStatic } else { MethodHandleKind::InvokeVirtual };
    Ok((Handle { kind, class, name, descriptor }, access))
}

/// Whether `setAccessible(true)` was called on a reflective object.
fn is_accessible(m: &Machine, object: Addr) -> bool {
    reflected(m, object, "override").is_ok_and(|o| o != 0)
}

fn unreflect(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let object = args.non_null(m, 1)?;
    let (handle, _) = reflected_method(m, object)?;
    if is_accessible(m, object) {
        return reference(m.method_handle_object(&handle)?);
    }
    reference(handle_for(m, args.reference(m, 0), &handle)?)
}

fn unreflect_special(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (mut handle, _) = reflected_method(m, args.non_null(m, 1)?)?;
    handle.kind = MethodHandleKind::InvokeSpecial;
    reference(m.method_handle_object(&handle)?)
}

fn unreflect_constructor(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let object = args.non_null(m, 1)?;
    let class = m.class_of_mirror(reflected(m, object, "clazz")? as Addr);
    let descriptor = reflected_descriptor(m, object, None)?;
    let handle =
        Handle { kind: MethodHandleKind::NewInvokeSpecial, class, name: "<init>".into(), descriptor };
    if is_accessible(m, object) {
        return reference(m.method_handle_object(&handle)?);
    }
    reference(handle_for(m, args.reference(m, 0), &handle)?)
}

fn unreflect_field(m: &mut Machine, args: &Args, write: bool) -> Step<NativeOutcome> {
    let object = args.non_null(m, 1)?;
    let (class, name, descriptor, is_static) = reflected_field(m, object)?;
    let kind = match (is_static, write) {
        (false, false) => MethodHandleKind::GetField,
        (false, true) => MethodHandleKind::PutField,
        (true, false) => MethodHandleKind::GetStatic,
        (true, true) => MethodHandleKind::PutStatic,
    };
    if !is_accessible(m, object) {
        let access = AccessFlags(reflected(m, object, "modifiers")? as u16);
        lookup_object::check_access(m, args.reference(m, 0), class, access, &name)?;
    }
    reference(m.method_handle_object(&Handle { kind, class, name, descriptor })?)
}

/// Declaring class, name, descriptor and staticness of a reflected field.
pub(crate) fn reflected_field(m: &Machine, object: Addr) -> Step<(ClassId, String, String, bool)> {
    let class = m.class_of_mirror(reflected(m, object, "clazz")? as Addr);
    let field_type = m.class_of_mirror(reflected(m, object, "type")? as Addr);
    let name = m.text(reflected(m, object, "name")? as Addr);
    let is_static = AccessFlags(reflected(m, object, "modifiers")? as u16).is_static();
    Ok((class, name, m.descriptor_of(field_type), is_static))
}

/// The kind of the values of a class.
pub(crate) fn kind_of_class(m: &Machine, class: ClassId) -> Kind {
    match m.class(class).kind {
        crate::classes::ClassKind::Primitive(kind) => kind,
        _ => Kind::Reference,
    }
}
