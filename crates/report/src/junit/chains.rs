//! Chains of observers and fields: `order.getCustomer().name`, `Registry.lookup("a")`.

use super::expressions::{Expression, Writer};
use crate::source::tree::Expr;
use cupping_case::{JavaType, Member, MethodRef, Operand, Probe, VarId};

impl Writer<'_> {
    /// The expression of a chain; without an object its first member is static.
    pub(super) fn chain(
        &self,
        of: Option<Expression>,
        members: &[Member],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let mut at = of;
        for member in members {
            at = Some(match member {
                Member::Field(field) => Expression::of(self.field(field, at), field.ty.clone()),
                Member::Method { method, arguments } => {
                    let receiver = match at {
                        Some(object) => self.receiver(object, &JavaType::class(&method.class)),
                        None => Expr::Type(self.class(&method.class)),
                    };
                    self.call(receiver, method, arguments, env)
                }
            });
        }
        at.unwrap_or_else(|| Expression::of_class(Expr::name("undefined"), "java/lang/Object"))
    }
}

/// The variables that the observers of a chain take as arguments.
pub(super) fn variables(members: &[Member]) -> impl Iterator<Item = VarId> + '_ {
    let arguments = members.iter().flat_map(|member| match member {
        Member::Method { arguments, .. } => arguments.as_slice(),
        Member::Field(_) => &[],
    });
    arguments.filter_map(|argument| match argument {
        Operand::Var(var) => Some(*var),
        Operand::Literal(_) => None,
    })
}

/// The observers that a probe calls.
pub(super) fn called(probe: &Probe) -> Vec<&MethodRef> {
    match probe {
        Probe::Observer { method, .. } => vec![method],
        Probe::Chain { members, .. } | Probe::Captured { members, .. } => {
            members.iter().filter_map(Member::method).collect()
        }
        Probe::Var(_)
        | Probe::Elements(_)
        | Probe::Printed
        | Probe::PrintedToKept
        | Probe::Cause
        | Probe::State { .. }
        | Probe::Calls { .. }
        | Probe::File { .. } => Vec::new(),
    }
}
