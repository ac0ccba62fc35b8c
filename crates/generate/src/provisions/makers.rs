//! Constructors and factories as provisions, with arguments of the right types.

use super::{MAX_DEPTH, Provider, Provision};
use crate::generics::{bindings_of, parameter_types, parameter_types_for};
use crate::input::Input;
use crate::invokable::Invokable;
use cupping_classfile::GenericType;
use cupping_machine::{Kind, Machine};
use std::rc::Rc;

impl Provider {
    /// A maker of a generic type gets arguments that fit the type arguments.
    pub(super) fn make(
        &mut self,
        machine: &mut Machine,
        maker: Rc<Invokable>,
        generic: Option<&GenericType>,
        depth: u32,
    ) -> Provision {
        let Some(ty) = generic else { return Provision::Make(maker) };
        let types = match maker.is_constructor() {
            true => {
                let bindings = bindings_of(machine, ty);
                parameter_types(machine, maker.method, &bindings)
            }
            false => parameter_types_for(machine, maker.method, ty),
        };
        let Some(types) = types else { return Provision::Make(maker) };
        if types.len() != maker.parameters.len() {
            return Provision::Make(maker);
        }
        let mut arguments = Vec::new();
        for (parameter, ty) in maker.parameters.iter().zip(&types) {
            arguments.push(match parameter.kind {
                Kind::Reference => self.typed(machine, ty, depth + 1)[0].clone(),
                kind => Provision::Input(Input::Primitive(kind)),
            });
        }
        Provision::MakeOf(maker, arguments)
    }

    pub(super) fn can_provide(&mut self, machine: &mut Machine, maker: &Invokable, depth: u32) -> bool {
        maker.parameters.iter().all(|p| {
            p.kind != Kind::Reference
                || machine.load_descriptor(&p.ty.descriptor()).is_ok_and(|c| {
                    depth + 1 >= MAX_DEPTH || !self.provisions(machine, c, None, depth + 1).is_empty()
                })
        })
    }
}
