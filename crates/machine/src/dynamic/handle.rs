//! Method handles as objects: the shape of each is its class, and what it does is the code of its shape.

use super::assemble::Assembler;
use super::member::Member;
use super::signature::{Signature, kind};
use super::synthetic::{PUBLIC, Synthetic};
use crate::classes::ClassId;
use crate::classes::handle::Handle;
use crate::dynamic::names::{METHOD_HANDLE, OBJECT};
use crate::dynamic::shape::Shape;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;

impl Machine {
    /// The shape with this key, made by `build` if it is new: code of an instance method whose receiver is the
    /// handle, with the offsets of its reference fields.
    pub(crate) fn shape(
        &mut self,
        key: String,
        signature: &Signature,
        fields: usize,
        varargs: bool,
        build: impl FnOnce(&mut Machine, &mut Assembler, &[u16]) -> Step<()>,
    ) -> Step<ClassId> {
        if let Some(class) = self.dynamic.shapes.get(&key) {
            return Ok(*class);
        }
        let super_class = self.load(METHOD_HANDLE)?;
        let name = format!("{METHOD_HANDLE}$$Shape${}", self.dynamic.shapes.len() + 1);
        let mut synthetic = Synthetic::holder(self, super_class, name);
        synthetic.super_class = super_class;
        synthetic.fields = vec![OBJECT.into(); fields];
        synthetic.methods.push(("invokeShape".into(), signature.to_string().into(), PUBLIC));
        let class = self.define_synthetic(synthetic)?;
        let offsets: Vec<u16> = (0..fields).map(|i| self.synthetic_field(class, i)).collect();
        let mut code = Assembler::instance(&signature.kinds());
        build(self, &mut code, &offsets)?;
        let invoke = self.set_code(class, 0, code);
        self.dynamic
            .handles
            .insert(class, Shape { signature: signature.clone(), invoke, varargs, handle: None });
        self.dynamic.shapes.insert(key, class);
        Ok(class)
    }

    /// A handle of this shape with these fields.
    pub(crate) fn new_handle(&mut self, shape: ClassId, fields: &[Addr]) -> Step<Addr> {
        let signature = self.shape_of(shape)?.signature;
        let method_type = self.method_type(&signature.to_string())?;
        let handle = self.new_object(shape)?;
        if let Some(offset) = self.field_offset(shape, "type") {
            self.set_field(handle, offset, method_type as u64);
        }
        for (index, field) in fields.iter().enumerate() {
            let offset = self.synthetic_field(shape, index);
            self.set_field(handle, offset.into(), *field as u64);
        }
        Ok(handle)
    }

    /// What is known of a shape.
    pub(crate) fn shape_of(&self, class: ClassId) -> Step<Shape> {
        self.dynamic
            .handles
            .get(&class)
            .cloned()
            .ok_or_else(|| Trap::unsupported(format!("method handle of class {}", self.class(class).name)))
    }

    /// The type of a handle.
    pub(crate) fn type_of_handle(&self, handle: Addr) -> Step<Signature> {
        Ok(self.shape_of(self.class_of(handle))?.signature)
    }

    /// A method handle for a member.
    pub(crate) fn method_handle_object(&mut self, handle: &Handle) -> Step<Addr> {
        let signature = self.handle_signature(handle)?;
        let member = self.resolve_member(handle)?;
        let varargs = match member {
            Member::Method(method, _) | Member::Constructor(_, method) => {
                self.method(method).access.is_varargs()
            }
            _ => false,
        };
        let key = format!("direct {member:?} {signature} {varargs}");
        let shape = self.shape(key, &signature, 0, varargs, |m, code, _| {
            let count = signature.parameters.len();
            m.use_member(code, member, |_, code| {
                (1..=count).for_each(|index| code.parameter(index));
                Ok(())
            })?;
            code.ret(kind(&signature.result));
            Ok(())
        })?;
        if let Some(known) = self.dynamic.handles.get_mut(&shape) {
            known.handle.get_or_insert_with(|| handle.clone());
        }
        self.new_handle(shape, &[])
    }
}
