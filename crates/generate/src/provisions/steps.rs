//! Converts provisions to steps of a plan.

use super::files::{FileForm, files, may_be_path_text};
use super::{MAX_DEPTH, Provider, Provision};
use crate::input::Input;
use crate::invokable::{Invokable, Parameter};
use crate::plan::{Plan, PlanStep, Var};
use cupping_case::JavaType;
use cupping_machine::{Kind, Machine};

impl Provider {
    /// Adds the steps of a provision; returns the variable that holds it.
    pub fn provide(
        &mut self,
        machine: &mut Machine,
        plan: &mut Plan,
        provision: &Provision,
        parameter: &Parameter,
        receiver: Option<Var>,
        depth: u32,
    ) -> Var {
        let ty = parameter.ty.clone();
        match provision {
            Provision::Receiver if receiver.is_some() => receiver.unwrap_or_default(),
            Provision::Load(class, index) if receiver.is_some() => {
                let field = machine.class(*class).fields[*index].clone();
                let own = JavaType::parse(&field.descriptor).unwrap_or(ty);
                let var = plan.variable(own, &field.name);
                let object = receiver.unwrap_or_default();
                plan.steps.push(PlanStep::GetField { field: (*class, *index), object, var });
                var
            }
            Provision::Var(var) => *var,
            Provision::Recipe(recipe) => plan.follow(recipe, false),
            Provision::Known => plan
                .last_of(machine, &ty, receiver)
                .unwrap_or_else(|| plan.input(Input::Null, ty, &parameter.name)),
            Provision::Receiver | Provision::Load(..) => plan.input(Input::Null, ty, &parameter.name),
            Provision::Input(input) => {
                let own = own_type(input).filter(|_| parameter.kind == Kind::Reference);
                plan.input(input.clone(), own.unwrap_or(ty), &parameter.name)
            }
            Provision::File(kind, form) => {
                let made = self.provide_file(machine, plan, *kind, *form, &parameter.name);
                made.unwrap_or_else(|| plan.input(Input::Null, ty, &parameter.name))
            }
            Provision::Constant(class, field) => {
                let name = machine.class(*class).name.clone();
                plan.static_field((*class, *field), JavaType::class(&name), &parameter.name)
            }
            Provision::Prepared(made, preparations) => {
                let object = self.provide(machine, plan, made, parameter, receiver, depth);
                for preparation in preparations {
                    self.prepare(machine, plan, object, preparation, depth + 1);
                }
                object
            }
            Provision::Make(maker) => {
                let arguments = self.default_arguments(machine, plan, maker, depth + 1);
                plan.call(maker, arguments, &parameter.name).unwrap_or_default()
            }
            Provision::Stub(stub, provisions) => {
                let results: Vec<Var> = provisions
                    .iter()
                    .zip(stub.parameters())
                    .map(|(p, part)| self.provide(machine, plan, p, part, None, depth + 1))
                    .collect();
                let name = machine.class(stub.interface).name.clone();
                let var = plan.variable(JavaType::class(&name), &parameter.name);
                plan.steps.push(PlanStep::Stub { stub: stub.clone(), results, var });
                var
            }
            Provision::MakeOf(maker, provisions) => {
                // For an instance method, the first argument is the receiver.
                let receiver = maker.has_receiver().then(|| Parameter::receiver(&maker.reference.class));
                let arguments: Vec<Var> = provisions
                    .iter()
                    .zip(receiver.iter().chain(&maker.parameters))
                    .map(|(p, part)| self.provide(machine, plan, p, part, None, depth + 1))
                    .collect();
                plan.call(maker, arguments, &parameter.name).unwrap_or_default()
            }
            Provision::Elements(element, provisions) => {
                let element_type =
                    JavaType::parse(&machine.descriptor_of(*element)).unwrap_or(JavaType::Void);
                let part = Parameter {
                    kind: Kind::Reference,
                    ty: element_type.clone(),
                    name: parameter.name.clone(),
                    is_outer: false,
                    generic: None,
                };
                let elements: Vec<Var> = provisions
                    .iter()
                    .map(|p| self.provide(machine, plan, p, &part, None, depth + 1))
                    .collect();
                let var = plan.variable(JavaType::Array(Box::new(element_type)), &parameter.name);
                plan.steps.push(PlanStep::NewArray { element: *element, elements, var });
                var
            }
        }
    }

    pub(super) fn default_arguments(
        &mut self,
        machine: &mut Machine,
        plan: &mut Plan,
        maker: &Invokable,
        depth: u32,
    ) -> Vec<Var> {
        maker
            .parameters
            .iter()
            .map(|parameter| {
                let takes_path = self.path_takers.contains(&maker.method)
                    && may_be_path_text(&parameter.ty, parameter.kind);
                let provision = if takes_path {
                    files(FileForm::Text)[0].clone()
                } else if parameter.kind != Kind::Reference {
                    Provision::Input(Input::Primitive(parameter.kind))
                } else {
                    match machine.load_descriptor(&parameter.ty.descriptor()) {
                        Ok(class) if depth <= MAX_DEPTH => {
                            self.provisions(machine, class, parameter.generic.as_ref(), depth)[0].clone()
                        }
                        _ => Provision::Input(Input::Null),
                    }
                };
                self.provide(machine, plan, &provision, parameter, None, depth)
            })
            .collect()
    }
}

/// The best declared type for a variable with this input.
fn own_type(input: &Input) -> Option<JavaType> {
    match input {
        Input::String { .. } | Input::Text(_) => Some(JavaType::class("java/lang/String")),
        Input::Boxed(kind) | Input::FixedBox(kind, _) => {
            Some(JavaType::class(crate::input::box_class(*kind)))
        }
        Input::Bytes(_) => Some(JavaType::Array(Box::new(JavaType::Byte))),
        Input::Array { element, .. } | Input::Elements(element, _) => {
            Some(JavaType::Array(Box::new(crate::input::java_type(*element))))
        }
        Input::ClassLiteral(_) => Some(JavaType::class("java/lang/Class")),
        Input::Primitive(_) | Input::Fixed(..) | Input::Null => None,
    }
}
