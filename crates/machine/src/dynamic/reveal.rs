//! `Lookup.revealDirect`: the member that a direct method handle refers to.

use super::member::Member;
use crate::classes::MethodId;
use crate::classes::handle::Handle;
use crate::dynamic::names::METHOD_HANDLE;
use crate::dynamic::{handle, member};
use crate::exit::Step;
use crate::machine::Machine;
use crate::natives::{Args, Native, NativeOutcome, row};
use crate::state::Value;
use cupping_classfile::{AccessFlags, MethodHandleKind};

/// Flags of `MemberName` beside those of the class file.
const IS_METHOD: u32 = 0x0001_0000;
const IS_CONSTRUCTOR: u32 = 0x0002_0000;
const IS_FIELD: u32 = 0x0004_0000;
const KIND_SHIFT: u32 = 24;

pub(crate) const NATIVES: &[Native] = &[
    row(METHOD_HANDLE, "isCrackable", "()Z", |m, a| {
        let direct = handle_of(m, a)?.is_some();
        Ok(NativeOutcome::Value(Value::boolean(direct)))
    }),
    row(METHOD_HANDLE, "isInvokeSpecial", "()Z", |m, a| {
        let special = handle_of(m, a)?.is_some_and(|h| h.kind == MethodHandleKind::InvokeSpecial);
        Ok(NativeOutcome::Value(Value::boolean(special)))
    }),
    row("java/lang/invoke/MethodHandleNatives", "init", "*", init),
    row(METHOD_HANDLE, "internalMemberName", "()Ljava/lang/invoke/MemberName;", member_name),
];

fn handle_of(m: &mut Machine, args: &Args) -> Step<Option<Handle>> {
    let class = m.class_of(args.reference(m, 0));
    Ok(handle::shape_of(m, class)?.handle)
}

fn member_name(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let Some(handle) = handle_of(m, args)? else { return Ok(NativeOutcome::Value(Value::reference(0))) };
    let member = member::resolve_member(m, &handle)?;
    let (owner, flags) = match member {
        Member::Method(method, _) => (m.method(method).class, method_flags(m, &handle, method)),
        Member::Constructor(class, method) => {
            (class, u32::from(m.method(method).access.0) | IS_CONSTRUCTOR | kind_bits(handle.kind))
        }
        Member::Field { class, .. } | Member::Static { class, .. } => {
            let access =
                m.class(class).declared_field(&handle.name, &handle.descriptor).map_or(0, |f| f.access.0);
            (class, access as u32 | IS_FIELD | kind_bits(handle.kind))
        }
    };
    let of_type = if flags & IS_FIELD != 0 {
        let class = m.load_descriptor(&handle.descriptor)?;
        m.mirror(class)?
    } else {
        m.method_type(&handle.descriptor)?
    };
    let (class, name) = (m.mirror(owner)?, m.intern_text(&handle.name)?);
    let member_name = m.load("java/lang/invoke/MemberName")?;
    let object = m.new_object(member_name)?;
    for (field, value) in
        [("clazz", class as u64), ("name", name as u64), ("type", of_type as u64), ("flags", flags as u64)]
    {
        m.set_named(object, field, value);
    }
    Ok(NativeOutcome::Value(Value::reference(object)))
}

/// Fills in a `MemberName` for a reflected member: its class and its flags.
fn init(m: &mut Machine, args: &Args) -> Step<NativeOutcome> {
    let (name, object) = (args.non_null(m, 0)?, args.non_null(m, 1)?);
    let class = m.named(object, "clazz");
    let modifiers = m.named(object, "modifiers") as u32;
    let is_static = AccessFlags(modifiers as u16).is_static();
    let flags = match m.class_name_of(object) {
        "java/lang/reflect/Field" if is_static => IS_FIELD | kind_bits(MethodHandleKind::GetStatic),
        "java/lang/reflect/Field" => IS_FIELD | kind_bits(MethodHandleKind::GetField),
        "java/lang/reflect/Constructor" => IS_CONSTRUCTOR | kind_bits(MethodHandleKind::NewInvokeSpecial),
        _ if is_static => IS_METHOD | kind_bits(MethodHandleKind::InvokeStatic),
        _ => {
            let (handle, _) = super::lookup::reflected_method(m, object)?;
            match member::resolve_member(m, &handle)? {
                Member::Method(method, _) => method_flags(m, &handle, method),
                _ => IS_METHOD,
            }
        }
    };
    m.set_named(name, "clazz", class);
    m.set_named(name, "flags", u64::from(flags | modifiers));
    Ok(crate::natives::VOID)
}

fn kind_bits(kind: MethodHandleKind) -> u32 {
    (kind as u32) << KIND_SHIFT
}

/// A method that is never selected by its receiver counts as special, as on HotSpot.
fn method_flags(m: &Machine, handle: &Handle, method: MethodId) -> u32 {
    let loaded = m.method(method);
    let owner = m.class(loaded.class);
    let bound = loaded.access.is_private() || loaded.access.is_final() || owner.access.is_final();
    let kind = match handle.kind {
        MethodHandleKind::InvokeVirtual | MethodHandleKind::InvokeInterface if bound => {
            MethodHandleKind::InvokeSpecial
        }
        MethodHandleKind::InvokeVirtual if owner.is_interface() => MethodHandleKind::InvokeInterface,
        kind => kind,
    };
    u32::from(loaded.access.0) | IS_METHOD | kind_bits(kind)
}
