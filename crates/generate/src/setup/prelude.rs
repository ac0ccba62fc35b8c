//! The result of reading a set-up.

use cupping_case::{Step, VarId, Variable};

/// A set-up as steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prelude {
    /// The name given by the user.
    pub name: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// The variables of the steps.
    pub variables: Vec<Variable>,
    /// The final values of the test class's fields.
    pub objects: Vec<VarId>,
}
