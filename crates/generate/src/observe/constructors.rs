//! Objects of code under test with their own `equals`. A constructor may create an equal object from the values
//! that the object holds or that the test has passed.

use super::observer::Observer;
use crate::input::primitive_literal;
use crate::invokable::{Invokable, is_nameable, makers};
use cupping_case::{ExpectedValue, JavaType, Literal, Operand};
use cupping_machine::{Addr, ClassId, Kind};
use std::rc::Rc;

/// Maximum number of constructors tried for one object.
const MAX_CONSTRUCTORS: usize = 4;
/// Parameters of a constructor, at most.
const MAX_PARAMETERS: usize = 3;
/// Choices of arguments for one object, at most.
const MAX_TRIED: usize = 12;

impl Observer<'_> {
    /// An expression that builds an equal object of a value class. The machine's state is restored.
    pub(super) fn made_alike(&mut self, object: Addr, class: ClassId) -> Option<ExpectedValue> {
        if !self.compares_by_value(class) || !is_nameable(self.machine, class, self.package) {
            return None;
        }
        let package = self.package.to_owned();
        let all = makers(self.machine, class, &package);
        let constructors = all.into_iter().filter(|it| it.is_constructor() && it.stub.is_none());
        let mut tried = 0;
        for constructor in constructors.filter(is_simple).take(MAX_CONSTRUCTORS).collect::<Vec<_>>() {
            for args in self.choices(&constructor, object) {
                tried += 1;
                if tried > MAX_TRIED {
                    return None;
                }
                let alike = ExpectedValue::Call { method: constructor.reference.clone(), args };
                let here = self.machine.snapshot();
                let is_equal = self.equals(object, &alike);
                self.machine.restore(&here);
                if is_equal {
                    return Some(alike);
                }
            }
        }
        None
    }

    fn compares_by_value(&mut self, class: ClassId) -> bool {
        let Some(equals) = self.machine.find_method(class, "equals", "(Ljava/lang/Object;)Z") else {
            return false;
        };
        let declaring = self.machine.method(equals).class;
        !self.machine.class(class).from_jdk && !self.machine.class(declaring).from_jdk
    }

    /// Literals for each parameter of a constructor: values that the object holds, and values that the test has
    /// passed.
    fn choices(&self, constructor: &Invokable, object: Addr) -> Vec<Vec<ExpectedValue>> {
        let mut choices: Vec<Vec<ExpectedValue>> = vec![Vec::new()];
        for parameter in &constructor.parameters {
            let fitting: Vec<Literal> = self.literals(&parameter.ty, object);
            let longer = choices.iter().flat_map(|so_far| {
                fitting.iter().map(|literal| {
                    let mut args = so_far.clone();
                    args.push(ExpectedValue::Literal(literal.clone()));
                    args
                })
            });
            choices = longer.take(MAX_TRIED).collect();
        }
        choices
    }

    fn literals(&self, ty: &JavaType, object: Addr) -> Vec<Literal> {
        let is_object = *ty == JavaType::class("java/lang/Object");
        let mut found: Vec<Literal> = Vec::new();
        let mut at = Some(self.machine.class_of(object));
        while let Some(id) = at {
            let class = self.machine.class(id);
            for field in class.fields.iter().filter(|it| !it.is_static()) {
                let bits = self.machine.field(object, u32::from(field.offset));
                let literal = match field.kind {
                    _ if *field.descriptor != *ty.descriptor() => None,
                    Kind::Reference => self.literal(bits as Addr).filter(|it| *it != Literal::Null),
                    kind => Some(primitive_literal(kind, kind.narrow(bits))),
                };
                found.extend(literal.filter(|it| !found.contains(it)));
            }
            at = class.super_class;
        }
        for passed in &self.passed {
            let Operand::Literal(literal) = &passed.operand else { continue };
            let is_boxed = matches!(literal, Literal::Boxed(_) | Literal::String(_));
            if (passed.ty == *ty || is_object && is_boxed) && !found.contains(literal) {
                found.push(literal.clone());
            }
        }
        found
    }
}

/// Whether a constructor takes only literals and declares no exceptions.
fn is_simple(constructor: &Rc<Invokable>) -> bool {
    let parameters = &constructor.parameters;
    constructor.reference.throws.is_empty()
        && parameters.len() <= MAX_PARAMETERS
        && parameters.iter().all(|it| !it.is_outer && (it.kind != Kind::Reference || is_literal(&it.ty)))
}

fn is_literal(ty: &JavaType) -> bool {
    ty.is_string() || matches!(ty, JavaType::Class(name) if name.starts_with("java/lang/"))
}
