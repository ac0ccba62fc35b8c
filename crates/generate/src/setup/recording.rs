//! What has been read of a set-up: the fields of the test class, arrays that have not been passed on yet, and
//! the steps.

use super::prelude::Prelude;
use super::refusal::SetupRefusal;
use super::values::{KnownValue, PartialArray, fitted, zero};
use cupping_case::{Action, JavaType, Operand, Step, VarId, Variable};
use std::collections::BTreeMap;

/// Steps that a set-up may become.
pub(super) const MOST_STEPS: usize = 200;

/// What has been read so far.
#[derive(Default)]
pub(super) struct Recording {
    /// The test class and its superclasses.
    pub(super) family: Vec<String>,
    pub(super) steps: Vec<Step>,
    variables: Vec<Variable>,
    /// The fields of the test class by whether they are static, and name.
    pub(super) fields: BTreeMap<(bool, String), KnownValue>,
    pub(super) arrays: Vec<PartialArray>,
    /// Objects that `new` made.
    pub(super) news: usize,
}

impl Recording {
    pub(super) fn new(family: Vec<String>) -> Recording {
        Recording { family, ..Recording::default() }
    }

    /// The result of reading, with the objects that fields of the test class refer to.
    pub fn finish(self, name: String) -> Prelude {
        let Recording { steps, variables, fields, .. } = self;
        let mut objects: Vec<VarId> = Vec::new();
        for held in fields.values() {
            if let KnownValue::Var(var) = held
                && variables[var.0 as usize].ty.is_reference()
                && !objects.contains(var)
            {
                objects.push(*var);
            }
        }
        Prelude { name, steps, variables, objects }
    }

    pub(super) fn array(&mut self, element: JavaType, length: i32) -> Result<KnownValue, SetupRefusal> {
        let length = usize::try_from(length).ok().filter(|it| *it <= MOST_STEPS).ok_or("a large array")?;
        let elements = vec![KnownValue::Literal(zero(&element)); length];
        self.arrays.push(PartialArray { element, elements, var: None });
        Ok(KnownValue::Array(self.arrays.len() - 1))
    }

    pub(super) fn element(&self, array: &KnownValue, index: i32) -> Result<KnownValue, SetupRefusal> {
        let KnownValue::Array(at) = array else {
            return Err("an element of an array that a call returned".into());
        };
        let element = usize::try_from(index).ok().and_then(|index| self.arrays[*at].elements.get(index));
        element.cloned().ok_or_else(|| SetupRefusal::from("an index out of range"))
    }

    pub(super) fn fill(
        &mut self,
        array: &KnownValue,
        index: i32,
        value: KnownValue,
    ) -> Result<(), SetupRefusal> {
        let KnownValue::Array(at) = array else {
            return Err("an element of an array that a call returned".into());
        };
        let filling = &mut self.arrays[*at];
        if filling.var.is_some() {
            return Err("an element of an array that has been passed on".into());
        }
        let element = usize::try_from(index).ok().and_then(|index| filling.elements.get_mut(index));
        *element.ok_or("an index out of range")? = value;
        Ok(())
    }

    /// The content of a field of the test class; arrays are created when they are stored.
    pub(super) fn settled(&mut self, value: KnownValue, ty: &JavaType) -> Result<KnownValue, SetupRefusal> {
        match value {
            KnownValue::Array(_) => match self.operand(value, ty)? {
                Operand::Var(var) => Ok(KnownValue::Var(var)),
                Operand::Literal(literal) => Ok(KnownValue::Literal(literal)),
            },
            other => Ok(other),
        }
    }

    pub(super) fn operand(&mut self, held: KnownValue, ty: &JavaType) -> Result<Operand, SetupRefusal> {
        match held {
            KnownValue::Literal(literal) => Ok(Operand::Literal(fitted(literal, ty))),
            KnownValue::Var(var) => Ok(Operand::Var(var)),
            KnownValue::This => Err("the test itself, which is passed on".into()),
            KnownValue::New(..) => Err("an object that is not made yet".into()),
            KnownValue::Array(at) => {
                if let Some(var) = self.arrays[at].var {
                    return Ok(Operand::Var(var));
                }
                let element = self.arrays[at].element.clone();
                let held = self.arrays[at].elements.clone();
                let elements = held
                    .into_iter()
                    .map(|it| self.operand(it, &element))
                    .collect::<Result<_, SetupRefusal>>()?;
                let var = self.variable(JavaType::Array(Box::new(element.clone())));
                self.steps.push(Step { action: Action::NewArray { element, elements }, result: Some(var) });
                self.arrays[at].var = Some(var);
                Ok(Operand::Var(var))
            }
        }
    }

    pub(super) fn variable(&mut self, ty: JavaType) -> VarId {
        self.variables.push(Variable { ty });
        VarId(self.variables.len() as u32 - 1)
    }
}

/// The name of a class as messages show it.
pub(super) fn dotted(class: &str) -> String {
    class.replace(['/', '$'], ".")
}
