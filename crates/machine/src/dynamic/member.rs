//! The member that a method handle constant refers to (JVMS §5.4.3.5), and code that uses it.

use super::assemble::{Assembler, InvocationKind};
use super::convert::Rule;
use super::signature::{Signature, descriptor_of_name};
use crate::classes::handle::Handle;
use crate::classes::{ClassId, Kind, MethodId};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use cupping_classfile::MethodHandleKind;

/// A resolved handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// A method, with receiver or without.
    Method(MethodId, InvocationKind),
    /// A constructor, with the allocation.
    Constructor(ClassId, MethodId),
    /// A field of an object.
    Field { class: ClassId, offset: u16, kind: Kind, write: bool },
    /// A static field.
    Static { class: ClassId, offset: u16, kind: Kind, write: bool },
}

impl Handle {
    /// The type of the handle, receiver included.
    pub(crate) fn signature(&self, machine: &Machine) -> Option<Signature> {
        let class = descriptor_of_name(&machine.class(self.class).name);
        Some(match self.kind {
            MethodHandleKind::GetField => Signature::new(vec![class.into()], &*self.descriptor),
            MethodHandleKind::PutField => Signature::new(vec![class.into(), (*self.descriptor).into()], "V"),
            MethodHandleKind::GetStatic => Signature::new(Vec::new(), &*self.descriptor),
            MethodHandleKind::PutStatic => Signature::new(vec![(*self.descriptor).into()], "V"),
            MethodHandleKind::InvokeStatic => Signature::parse(&self.descriptor)?,
            MethodHandleKind::NewInvokeSpecial => Signature::parse(&self.descriptor)?.returning(class),
            _ => Signature::parse(&self.descriptor)?.with_first(class),
        })
    }
}

/// The type of a handle.
pub(super) fn handle_signature(m: &Machine, handle: &Handle) -> Step<Signature> {
    handle.signature(m).ok_or_else(|| {
        Trap::Raise("java/lang/ClassFormatError", Some(format!("bad descriptor {}", handle.descriptor)))
    })
}

/// Finds the member that a handle refers to.
///
/// # Errors
/// `NoSuchMethodError`, `NoSuchFieldError`, `IncompatibleClassChangeError`.
pub(super) fn resolve_member(m: &mut Machine, handle: &Handle) -> Step<Member> {
    let Handle { kind: how, class, name, descriptor } = handle;
    let is_static = matches!(
        how,
        MethodHandleKind::GetStatic | MethodHandleKind::PutStatic | MethodHandleKind::InvokeStatic
    );
    let change = |what: String| Trap::Raise("java/lang/IncompatibleClassChangeError", Some(what));
    if let MethodHandleKind::GetField
    | MethodHandleKind::PutField
    | MethodHandleKind::GetStatic
    | MethodHandleKind::PutStatic = how
    {
        let Some((owner, at)) = m.find_field(*class, name, descriptor) else {
            return Err(Trap::Raise("java/lang/NoSuchFieldError", Some(name.clone())));
        };
        let field = &m.class(owner).fields[at];
        let write = matches!(how, MethodHandleKind::PutField | MethodHandleKind::PutStatic);
        if field.is_static() != is_static {
            return Err(change(format!("static and instance field {name}")));
        }
        let (class, offset, kind) = (owner, field.offset, field.kind);
        return Ok(if is_static {
            Member::Static { class, offset, kind, write }
        } else {
            Member::Field { class, offset, kind, write }
        });
    }
    let Some(method) = m.find_method(*class, name, descriptor) else {
        let message = format!("{}.{name}{descriptor}", m.class(*class).name.replace('/', "."));
        return Err(Trap::Raise("java/lang/NoSuchMethodError", Some(message)));
    };
    if m.method(method).is_static() != is_static {
        return Err(change(m.method_name(method)));
    }
    Ok(match how {
        MethodHandleKind::NewInvokeSpecial => Member::Constructor(*class, method),
        MethodHandleKind::InvokeStatic => Member::Method(method, InvocationKind::Static),
        MethodHandleKind::InvokeSpecial => Member::Method(method, InvocationKind::Direct),
        _ => Member::Method(method, InvocationKind::Virtual),
    })
}

/// Emits a use of a member: `arguments` emits the values of its signature, in order.
pub(super) fn use_member(
    m: &mut Machine,
    code: &mut Assembler,
    member: Member,
    arguments: impl FnOnce(&mut Machine, &mut Assembler) -> Step<()>,
) -> Step<()> {
    if let Member::Constructor(class, _) = member {
        code.new_object(class);
        code.op(crate::code::Op::Dup);
    }
    arguments(m, code)?;
    match member {
        Member::Method(method, call) => code.invoke(m, method, call),
        Member::Constructor(_, method) => code.invoke(m, method, InvocationKind::Direct),
        Member::Field { offset, kind, write: false, .. } => code.get_field(offset, kind),
        Member::Field { offset, kind, .. } => code.put_field(offset, kind),
        Member::Static { class, offset, kind, write: false } => code.get_static(class, offset, kind),
        Member::Static { class, offset, kind, .. } => code.put_static(class, offset, kind),
    }
    Ok(())
}

/// Emits a conversion that the compiler has already checked.
pub(super) fn adapt(m: &mut Machine, code: &mut Assembler, from: &str, to: &str) -> Step<()> {
    if m.convert(code, from, to, Rule::AsType)? {
        return Ok(());
    }
    let message = format!("cannot convert {from} to {to}");
    Err(Trap::Raise("java/lang/invoke/LambdaConversionException", Some(message)))
}
