//! The variables that an assertion names.

use crate::{Assertion, Expectation, Member, Operand, Probe, VarId};

impl Assertion {
    /// Visits the variables, in no particular order.
    pub fn for_each_variable(&mut self, visit: &mut impl FnMut(&mut VarId)) {
        match &mut self.probe {
            Probe::Var(var)
            | Probe::Elements(var)
            | Probe::State { of: var, .. }
            | Probe::Calls { of: var, .. } => visit(var),
            Probe::Observer { receiver, arguments, .. } => {
                visit(receiver);
                in_operands(arguments, visit);
            }
            Probe::Chain { of, members } => {
                of.iter_mut().for_each(&mut *visit);
                in_members(members, visit);
            }
            Probe::Captured { argument, members } => {
                visit(&mut argument.stub);
                in_members(members, visit);
            }
            Probe::Printed | Probe::PrintedToKept | Probe::Cause | Probe::File { .. } => {}
        }
        match &mut self.expectation {
            Expectation::Same(var) | Expectation::DiffersFrom(var) => visit(var),
            Expectation::Equals(_)
            | Expectation::Differs(_)
            | Expectation::OneOf(_)
            | Expectation::NotNull
            | Expectation::EqualsValue(_)
            | Expectation::ArrayEquals(_)
            | Expectation::InstanceOf(_)
            | Expectation::InFolder(_) => {}
        }
    }
}

fn in_members(members: &mut [Member], visit: &mut impl FnMut(&mut VarId)) {
    for member in members {
        if let Member::Method { arguments, .. } = member {
            in_operands(arguments, visit);
        }
    }
}

fn in_operands(operands: &mut [Operand], visit: &mut impl FnMut(&mut VarId)) {
    for operand in operands {
        if let Operand::Var(var) = operand {
            visit(var);
        }
    }
}
