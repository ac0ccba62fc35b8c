//! Method handles as objects: the class of each is its shape, whose code implements its behaviour.

use super::assemble::Assembler;
use super::member::Member;
use super::signature::{Signature, kind};
use super::synthetic::{PUBLIC, Synthetic};
use crate::classes::ClassId;
use crate::classes::handle::Handle;
use crate::dynamic::names::{METHOD_HANDLE, OBJECT};
use crate::dynamic::shape::Shape;
use crate::dynamic::{member, synthetic};
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;

impl Machine {
    /// A method handle for a member.
    pub(crate) fn method_handle_object(&mut self, handle: &Handle) -> Step<Addr> {
        let signature = member::handle_signature(self, handle)?;
        let member = member::resolve_member(self, handle)?;
        let varargs = match member {
            Member::Method(method, _) | Member::Constructor(_, method) => {
                self.method(method).access.is_varargs()
            }
            _ => false,
        };
        let key = format!("direct {member:?} {signature} {varargs}");
        let shape = shape(self, key, &signature, 0, varargs, |m, code, _| {
            let count = signature.parameters.len();
            member::use_member(m, code, member, |_, code| {
                (1..=count).for_each(|index| code.parameter(index));
                Ok(())
            })?;
            code.ret(kind(&signature.result));
            Ok(())
        })?;
        if let Some(known) = self.generated.handles.get_mut(&shape) {
            known.handle.get_or_insert_with(|| handle.clone());
        }
        new_handle(self, shape, &[])
    }
}

/// The shape with this key. If it is new, `build` generates it: code of an instance method whose receiver is
/// the handle, with the offsets of its reference fields.
pub(super) fn shape(
    m: &mut Machine,
    key: String,
    signature: &Signature,
    fields: usize,
    varargs: bool,
    build: impl FnOnce(&mut Machine, &mut Assembler, &[u16]) -> Step<()>,
) -> Step<ClassId> {
    if let Some(class) = m.dynamic.shapes.get(&key) {
        return Ok(*class);
    }
    let super_class = m.load(METHOD_HANDLE)?;
    let name = format!("{METHOD_HANDLE}$$Shape${}", m.dynamic.shapes.len() + 1);
    let mut synthetic = Synthetic::holder(m, super_class, name);
    synthetic.super_class = super_class;
    synthetic.fields = vec![OBJECT.into(); fields];
    synthetic.methods.push(("invokeShape".into(), signature.to_string().into(), PUBLIC));
    let class = synthetic::define_synthetic(m, synthetic)?;
    let offsets: Vec<u16> = (0..fields).map(|i| synthetic::synthetic_field(m, class, i)).collect();
    let mut code = Assembler::instance(&signature.kinds());
    build(m, &mut code, &offsets)?;
    let invoke = synthetic::set_code(m, class, 0, code);
    m.generated.handles.insert(class, Shape { signature: signature.clone(), invoke, varargs, handle: None });
    m.dynamic.shapes.insert(key, class);
    Ok(class)
}

/// A handle of this shape with these fields.
pub(super) fn new_handle(m: &mut Machine, shape: ClassId, fields: &[Addr]) -> Step<Addr> {
    let signature = shape_of(m, shape)?.signature;
    let method_type = m.method_type(&signature.to_string())?;
    let handle = m.new_object(shape)?;
    if let Some(offset) = m.field_offset(shape, "type") {
        m.set_field(handle, offset, method_type as u64);
    }
    for (index, field) in fields.iter().enumerate() {
        let offset = synthetic::synthetic_field(m, shape, index);
        m.set_field(handle, offset.into(), *field as u64);
    }
    Ok(handle)
}

/// Facts about a shape.
pub(super) fn shape_of(m: &Machine, class: ClassId) -> Step<Shape> {
    m.generated
        .handles
        .get(&class)
        .cloned()
        .ok_or_else(|| Trap::unsupported(format!("method handle of class {}", m.class(class).name)))
}

/// The type of a handle.
pub(super) fn type_of_handle(m: &Machine, handle: Addr) -> Step<Signature> {
    Ok(shape_of(m, m.class_of(handle))?.signature)
}
