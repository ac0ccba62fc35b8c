//! Plans: sequences of invokables whose arguments are inputs or results of earlier steps. They are candidate
//! sequences (thesis §4.2) with references assigned; primitives stay symbolic.

use crate::input::Input;
use crate::invokable::Invokable;
use crate::stub::Stub;
use cupping_case::JavaType;
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use std::rc::Rc;

/// Index of a variable in its plan.
pub type Var = usize;

/// A variable of a plan.
#[derive(Clone, Debug)]
pub struct PlanVariable {
    /// Its declared type.
    pub ty: JavaType,
    /// The parameter that it was created for, or another name.
    pub name: Rc<str>,
}

/// One step of a plan.
#[derive(Clone, Debug)]
pub enum PlanStep {
    /// Creates an input.
    Input {
        /// The input.
        input: Input,
        /// The variable that receives it.
        var: Var,
    },
    /// Names the test's temporary folder as a `File`.
    TestFolder {
        /// The variable that receives it.
        var: Var,
    },
    /// Creates an array of references.
    NewArray {
        /// Class of the elements.
        element: ClassId,
        /// The elements.
        elements: Vec<Var>,
        /// The variable that receives it.
        var: Var,
    },
    /// Creates a stub of an interface.
    Stub {
        /// The stub.
        stub: Rc<Stub>,
        /// The results of those methods that return a field.
        results: Vec<Var>,
        /// The variable that receives it.
        var: Var,
    },
    /// Reads a static field.
    StaticField {
        /// Declaring class and field index.
        field: (ClassId, usize),
        /// The variable that receives it.
        var: Var,
    },
    /// Reads an instance field.
    GetField {
        /// Declaring class and field index.
        field: (ClassId, usize),
        /// The object.
        object: Var,
        /// The variable that receives it.
        var: Var,
    },
    /// Sets a field.
    SetField {
        /// Declaring class and field index.
        field: (ClassId, usize),
        /// Its name.
        name: Rc<str>,
        /// The object, unless the field is static, then the new value.
        operands: Vec<Var>,
    },
    /// Invokes an invokable.
    Call {
        /// The invokable.
        invokable: Rc<Invokable>,
        /// The receiver, unless it is static or a constructor, then the arguments.
        arguments: Vec<Var>,
        /// The variable that receives the result, unless void.
        result: Option<Var>,
        /// Whether an exception of this step is caught, so that the sequence continues.
        catches: bool,
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

    /// Whether the step has an effect apart from its value.
    pub fn is_effect(&self) -> bool {
        matches!(self, PlanStep::Call { .. } | PlanStep::SetField { .. })
    }

    /// The step with renamed variables; `None` if one has no new name.
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
    pub variables: Vec<PlanVariable>,
    /// The steps.
    pub steps: Vec<PlanStep>,
    /// Number of leading steps that form a user's set-up: every sequence starts with them, and none is
    /// dropped.
    pub setup: usize,
    /// Number of calls that came with recipes. They do not count towards the length, since they have already
    /// been tried.
    pub given: usize,
}

impl Plan {
    /// Adds a variable.
    pub fn variable(&mut self, ty: JavaType, name: &str) -> Var {
        self.variables.push(PlanVariable { ty, name: name.into() });
        self.variables.len() - 1
    }

    /// Adds an input and its variable.
    pub fn input(&mut self, input: Input, ty: JavaType, name: &str) -> Var {
        let var = self.variable(ty, name);
        self.steps.push(PlanStep::Input { input, var });
        var
    }

    /// Adds the read of a static field and its variable.
    pub fn static_field(&mut self, field: (ClassId, usize), ty: JavaType, name: &str) -> Var {
        let var = self.variable(ty, name);
        self.steps.push(PlanStep::StaticField { field, var });
        var
    }

    /// Adds a call and a variable for its result.
    pub fn call(&mut self, invokable: &Rc<Invokable>, arguments: Vec<Var>, name: &str) -> Option<Var> {
        let kind = crate::invokable::kind_of(&invokable.result);
        let result = (kind != Kind::Void).then(|| self.variable(invokable.result.clone(), name));
        self.steps.push(PlanStep::Call { invokable: invokable.clone(), arguments, result, catches: false });
        result
    }

    /// Whether a later step uses what this call returns as an object. Constructors return nothing.
    pub fn needs_object(&self, at: usize) -> bool {
        let PlanStep::Call { invokable, result: Some(var), .. } = &self.steps[at] else { return false };
        if invokable.is_constructor() {
            return false;
        }
        let mut later = self.steps[at + 1..].iter();
        self.variables[*var].ty.is_reference() && later.any(|step| step.uses().contains(var))
    }

    /// The invokable of the last step.
    pub fn under_test(&self) -> Option<&Rc<Invokable>> {
        match self.steps.last() {
            Some(PlanStep::Call { invokable, .. }) => Some(invokable),
            _ => None,
        }
    }

    /// The last variable, apart from `other`, that holds an object of this type by its declaration.
    pub fn last_of(&self, machine: &mut Machine, ty: &JavaType, other: Option<Var>) -> Option<Var> {
        let wanted = machine.load_descriptor(&ty.descriptor()).ok()?;
        self.steps.iter().rev().filter_map(PlanStep::defines).find(|var| {
            let declared = self.variables[*var].ty.descriptor();
            Some(*var) != other
                && declared.starts_with('L')
                && machine.load_descriptor(&declared).is_ok_and(|it| machine.is_subtype(it, wanted))
        })
    }

    /// The names of the invoked methods in order; constructors have the name of their class.
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

    /// Number of invocations, excluding the set-up, recipes, and the preparation of files.
    pub fn calls(&self) -> usize {
        let has_folder = self.has_folder();
        let is_call = |step: &&PlanStep| match step {
            PlanStep::Call { invokable, .. } => !(has_folder && is_preparation(invokable)),
            _ => false,
        };
        self.steps[self.setup..].iter().filter(is_call).count().saturating_sub(self.given)
    }

    /// Number of invocations that involve the object under test, and of others, which only create arguments.
    /// Without an object under test, an invocation creates an argument if a later step uses its result. Set-up,
    /// recipes and the preparation of files do not count.
    pub fn calls_of(&self, object: Option<Var>) -> [usize; 2] {
        let has_folder = self.has_folder();
        let (mut own, mut others) = (0usize, 0usize);
        for (at, step) in self.steps.iter().enumerate().skip(self.setup) {
            let PlanStep::Call { invokable, arguments, result, .. } = step else { continue };
            if has_folder && is_preparation(invokable) {
                continue;
            }
            let is_used =
                || result.is_some_and(|var| self.steps[at + 1..].iter().any(|it| it.uses().contains(&var)));
            let is_own = match object {
                Some(object) => *result == Some(object) || arguments.contains(&object),
                None => !is_used(),
            };
            if is_own { own += 1 } else { others += 1 }
        }
        // Recipes make arguments, in most sequences.
        let given = self.given.min(others);
        [own.saturating_sub(self.given - given), others - given]
    }

    /// The invoked methods in order.
    pub fn methods(&self) -> Vec<MethodId> {
        let called = self.steps.iter().filter_map(|step| match step {
            PlanStep::Call { invokable, .. } => Some(invokable.method),
            _ => None,
        });
        called.collect()
    }

    /// Whether the test uses a temporary folder.
    pub fn has_folder(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PlanStep::TestFolder { .. }))
    }

    /// The plan without the step at this index and the steps that only it needed; `None` if a later step needs
    /// its result.
    pub fn without(&self, index: usize) -> Option<Plan> {
        let defined = self.steps[index].defines();
        let used = |var: Var| self.steps[index + 1..].iter().any(|s| s.uses().contains(&var));
        if defined.is_some_and(used) {
            return None;
        }
        let mut steps = self.steps.clone();
        steps.remove(index);
        let mut plan =
            Plan { variables: self.variables.clone(), steps, setup: self.setup, given: self.given };
        plan.drop_unused_inputs();
        Some(plan)
    }

    /// The steps that lead to the value of the step at this index: those that its operands come from, and all
    /// effects on these operands before it.
    pub(crate) fn leading_to(&self, index: usize) -> Plan {
        let mut needed: Vec<Var> = self.steps[index].uses().to_vec();
        needed.extend(self.steps[index].defines());
        let mut chosen = vec![self.steps[index].clone()];
        // A step that is chosen may need what an earlier effect has changed, so effects are looked at again.
        let mut is_chosen = vec![false; index];
        loop {
            let before = needed.len();
            for at in (0..index).rev().filter(|at| !is_chosen[*at]).collect::<Vec<_>>() {
                let step = &self.steps[at];
                let defines = step.defines().is_some_and(|var| needed.contains(&var));
                let touches = step.is_effect() && step.uses().iter().any(|var| needed.contains(var));
                if defines || touches {
                    is_chosen[at] = true;
                    needed.extend(step.uses());
                    needed.extend(step.defines());
                }
            }
            if needed.len() == before {
                break;
            }
        }
        let steps = (0..index).filter(|at| is_chosen[*at]).map(|at| self.steps[at].clone());
        chosen.splice(0..0, steps);
        Plan { variables: self.variables.clone(), steps: chosen, setup: 0, given: self.given }
    }

    /// Drops the inputs that no step reads.
    pub(crate) fn drop_unused_inputs(&mut self) {
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

/// Whether a call only prepares files or derives a path; it does not count as a call of the sequence.
pub fn is_preparation(invokable: &Invokable) -> bool {
    matches!(&*invokable.reference.class, "java/io/File" | "java/nio/file/Files" | "java/net/URI")
}

#[cfg(test)]
mod tests;
