//! Builds the statements of a test case.

use cupping_case::{Action, JavaType, Literal, Operand, Step, VarId, Variable};

/// The variables and steps so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Builder {
    pub(super) variables: Vec<Variable>,
    pub(super) steps: Vec<Step>,
}

impl Builder {
    /// A new variable.
    pub(super) fn variable(&mut self, ty: JavaType) -> VarId {
        self.variables.push(Variable { ty });
        VarId(self.variables.len() as u32 - 1)
    }

    /// Adds a step.
    pub(super) fn step(&mut self, action: Action, result: Option<VarId>) {
        self.steps.push(Step { action, result });
    }

    /// Adds a step whose result is a new variable.
    pub(super) fn assign(&mut self, action: Action, ty: JavaType) -> VarId {
        let made = self.variable(ty);
        self.step(action, Some(made));
        made
    }
}

/// `null`
pub(super) fn null() -> Operand {
    Operand::Literal(Literal::Null)
}

/// The variable of an operand.
pub(super) fn variable_of(operand: &Operand) -> Option<VarId> {
    match operand {
        Operand::Var(var) => Some(*var),
        Operand::Literal(_) => None,
    }
}
