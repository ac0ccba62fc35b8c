//! Plans: sequences of invokables whose arguments are inputs or results of earlier steps. Candidate
//! sequences of the thesis (§4.2) with their reference assignments made; primitives are still symbolic.

use crate::input::Input;
use crate::invokable::Invokable;
use crate::provide::is_preparation;
use crate::stub::Stub;
use cupping_case::JavaType;
use cupping_machine::{ClassId, Kind};
use std::rc::Rc;

/// Index of a variable in its plan.
pub type Var = usize;

/// A variable of a plan.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its declared type.
    pub ty: JavaType,
    /// The parameter it was made for, or another word for it.
    pub name: Rc<str>,
}

/// One step of a plan.
#[derive(Clone, Debug)]
pub enum PlanStep {
    /// An input is made.
    Input {
        /// What.
        input: Input,
        /// The variable that takes it.
        var: Var,
    },
    /// The temporary folder of the test is named, as a `File`.
    TestFolder {
        /// The variable that takes it.
        var: Var,
    },
    /// An array of references is made.
    NewArray {
        /// Class of the elements.
        element: ClassId,
        /// The elements.
        elements: Vec<Var>,
        /// The variable that takes it.
        var: Var,
    },
    /// An object is made that stands in for an implementation of an interface.
    Stub {
        /// How it is implemented.
        stub: Rc<Stub>,
        /// What those of its methods return that return a field.
        results: Vec<Var>,
        /// The variable that takes it.
        var: Var,
    },
    /// A static field is read.
    StaticField {
        /// Its class and its index there.
        field: (ClassId, usize),
        /// The variable that takes it.
        var: Var,
    },
    /// A field of an object is read.
    GetField {
        /// Its declaring class and its index there.
        field: (ClassId, usize),
        /// The object.
        object: Var,
        /// The variable that takes it.
        var: Var,
    },
    /// A field is set.
    SetField {
        /// Its declaring class and its index there.
        field: (ClassId, usize),
        /// Its name.
        name: Rc<str>,
        /// The object, unless the field is static, then the new value.
        operands: Vec<Var>,
    },
    /// An invocation.
    Call {
        /// What is invoked.
        invokable: Rc<Invokable>,
        /// Receiver, unless static or constructor, then arguments.
        arguments: Vec<Var>,
        /// The variable that takes the result, unless void.
        result: Option<Var>,
    },
}

impl PlanStep {
    /// The variable that the step sets.
    pub fn defines(&self) -> Option<Var> {
        match self {
            PlanStep::Input { var, .. }
            | PlanStep::TestFolder { var }
            | PlanStep::NewArray { var, .. }
            | PlanStep::Stub { var, .. }
            | PlanStep::GetField { var, .. }
            | PlanStep::StaticField { var, .. } => Some(*var),
            PlanStep::SetField { .. } => None,
            PlanStep::Call { result, .. } => *result,
        }
    }

    /// Whether the step does something beside giving a value.
    pub fn is_effect(&self) -> bool {
        matches!(self, PlanStep::Call { .. } | PlanStep::SetField { .. })
    }

    /// The step with other variables; `None` where one has none.
    pub fn renamed(&self, name: &dyn Fn(Var) -> Option<Var>) -> Option<PlanStep> {
        let all = |vars: &[Var]| vars.iter().map(|var| name(*var)).collect::<Option<Vec<Var>>>();
        let mut step = self.clone();
        match &mut step {
            PlanStep::Input { var, .. }
            | PlanStep::TestFolder { var }
            | PlanStep::StaticField { var, .. } => {
                *var = name(*var)?;
            }
            PlanStep::NewArray { elements: read, var, .. } | PlanStep::Stub { results: read, var, .. } => {
                *read = all(read)?;
                *var = name(*var)?;
            }
            PlanStep::GetField { object, var, .. } => (*object, *var) = (name(*object)?, name(*var)?),
            PlanStep::SetField { operands, .. } => *operands = all(operands)?,
            PlanStep::Call { arguments, result, .. } => {
                *arguments = all(arguments)?;
                *result = match *result {
                    Some(var) => Some(name(var)?),
                    None => None,
                };
            }
        }
        Some(step)
    }

    /// The variables that the step reads.
    pub fn uses(&self) -> &[Var] {
        match self {
            PlanStep::Input { .. } | PlanStep::TestFolder { .. } | PlanStep::StaticField { .. } => &[],
            PlanStep::NewArray { elements, .. } => elements,
            PlanStep::Stub { results, .. } => results,
            PlanStep::GetField { object, .. } => std::slice::from_ref(object),
            PlanStep::SetField { operands, .. } => operands,
            PlanStep::Call { arguments, .. } => arguments,
        }
    }
}

/// A sequence of steps; the last is the invocation under test.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The variables.
    pub variables: Vec<Variable>,
    /// The steps.
    pub steps: Vec<PlanStep>,
    /// How many of them are a set-up that people gave: every sequence begins with it, and nothing of it is left out.
    pub setup: usize,
}

impl Plan {
    /// Adds a variable.
    pub fn variable(&mut self, ty: JavaType, name: &str) -> Var {
        self.variables.push(Variable { ty, name: name.into() });
        self.variables.len() - 1
    }

    /// Adds an input and its variable.
    pub fn input(&mut self, input: Input, ty: JavaType, name: &str) -> Var {
        let var = self.variable(ty, name);
        self.steps.push(PlanStep::Input { input, var });
        var
    }

    /// Adds a call and the variable of its result.
    pub fn call(&mut self, invokable: &Rc<Invokable>, arguments: Vec<Var>, name: &str) -> Option<Var> {
        let kind = crate::invokable::kind_of(&invokable.result);
        let result = (kind != Kind::Void).then(|| self.variable(invokable.result.clone(), name));
        self.steps.push(PlanStep::Call { invokable: invokable.clone(), arguments, result });
        result
    }

    /// The last step's invokable.
    pub fn under_test(&self) -> Option<&Rc<Invokable>> {
        match self.steps.last() {
            Some(PlanStep::Call { invokable, .. }) => Some(invokable),
            _ => None,
        }
    }

    /// The invocations by name, constructors by that of their class, in order.
    pub fn calls_by_name(&self) -> Vec<String> {
        let calls = self.steps.iter().filter_map(|step| match step {
            PlanStep::Call { invokable, .. } => Some(invokable),
            _ => None,
        });
        let name = |invokable: &Rc<Invokable>| {
            let reference = &invokable.reference;
            let simple = reference.class.rsplit(['/', '$']).next().unwrap_or(&reference.class);
            let name = if invokable.is_constructor() { simple } else { &reference.name };
            format!("{name}()")
        };
        calls.map(name).collect()
    }

    /// The number of invocations, those of a set-up and those that only prepare files not among them.
    pub fn calls(&self) -> usize {
        let has_folder = self.has_folder();
        let is_call = |step: &&PlanStep| match step {
            PlanStep::Call { invokable, .. } => !(has_folder && is_preparation(invokable)),
            _ => false,
        };
        self.steps[self.setup..].iter().filter(is_call).count()
    }

    /// Whether the test has a temporary folder.
    pub fn has_folder(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PlanStep::TestFolder { .. }))
    }

    /// The plan without the step at this index and without what only it needed; `None` when something
    /// later needs what it makes.
    pub fn without(&self, index: usize) -> Option<Plan> {
        let defined = self.steps[index].defines();
        let used = |var: Var| self.steps[index + 1..].iter().any(|s| s.uses().contains(&var));
        if defined.is_some_and(used) {
            return None;
        }
        let mut steps = self.steps.clone();
        steps.remove(index);
        let mut plan = Plan { variables: self.variables.clone(), steps, setup: self.setup };
        plan.drop_unused_inputs();
        Some(plan)
    }

    fn drop_unused_inputs(&mut self) {
        for index in (self.setup..self.steps.len()).rev() {
            let is_call = self.steps[index].is_effect();
            let unused = self.steps[index]
                .defines()
                .is_some_and(|var| !self.steps[index + 1..].iter().any(|s| s.uses().contains(&var)));
            if !is_call && unused {
                self.steps.remove(index);
            }
        }
    }
}

#[cfg(test)]
mod tests;
