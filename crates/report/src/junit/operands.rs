//! The variables that the parts of a test read.

use super::chains;
use super::expressions::Expression;
use crate::source::tree::Expr;
use cupping_case::{Action, Assertion, Case, Expectation, Operand, Probe, StubMethod, StubResult, VarId};
use std::collections::BTreeMap;

/// Packages and classes of the JDK whose objects never change, and are as good as an equal one.
const VALUES: [&str; 7] = [
    "java/lang/",
    "java/math/",
    "java/time/",
    "java/util/UUID",
    "java/util/Locale",
    "java/util/Optional",
    "java/net/URI",
];
/// Classes of `java.lang` that do change.
const BUFFERS: [&str; 4] =
    ["java/lang/StringBuilder", "java/lang/StringBuffer", "java/lang/Thread", "java/lang/Object"];

/// Variables that the body of a stub's method reads: once for each call.
pub(super) fn answers(methods: &[StubMethod]) -> impl Iterator<Item = VarId> {
    methods.iter().filter_map(|method| match &method.result {
        StubResult::Value(Operand::Var(var)) => Some(*var),
        _ => None,
    })
}

/// Whether an expression may be evaluated for each call anew, in place of one object that all calls return.
pub(super) fn is_repeatable(expression: &Expression) -> bool {
    match (&expression.expr, &expression.ty) {
        (Expr::Literal(_) | Expr::Name(_) | Expr::ClassOf(_) | Expr::Field(..), _) => true,
        (Expr::Array(_, elements), _) => elements.is_empty(),
        (_, Some(ty)) if !ty.is_reference() => true,
        (_, Some(ty)) => ty.named_class().is_some_and(|name| {
            VALUES.iter().any(|it| name.starts_with(it)) && !BUFFERS.iter().any(|it| name.starts_with(it))
        }),
        (_, None) => false,
    }
}

/// Variables that an action reads, in the order in which Java evaluates them.
pub(super) fn operands(action: &Action) -> Vec<VarId> {
    let all: Vec<&Operand> = match action {
        Action::Construct { args, .. } | Action::InvokeStatic { args, .. } => args.iter().collect(),
        Action::Invoke { receiver, args, .. } => std::iter::once(receiver).chain(args).collect(),
        Action::NewArray { elements, .. } => elements.iter().collect(),
        Action::Implement { args, methods, .. } => {
            args.iter().chain(methods.iter().flat_map(|it| it.result.values())).collect()
        }
        Action::Allocate { .. } | Action::TestFolder => Vec::new(),
        Action::GetField { receiver, .. } => receiver.iter().collect(),
        Action::SetField { receiver, value, .. } => receiver.iter().chain([value]).collect(),
        Action::SetElement { array, value, .. } => vec![array, value],
    };
    all.into_iter()
        .filter_map(|operand| match operand {
            Operand::Var(var) => Some(*var),
            Operand::Literal(_) => None,
        })
        .collect()
}

/// Variables that an assertion reads.
pub(super) fn reads(assertion: &Assertion) -> Vec<VarId> {
    let probed = match &assertion.probe {
        Probe::Var(var) | Probe::Elements(var) => vec![*var],
        Probe::Observer { receiver, arguments, .. } => {
            let arguments = arguments.iter().filter_map(|argument| match argument {
                Operand::Var(var) => Some(*var),
                Operand::Literal(_) => None,
            });
            std::iter::once(*receiver).chain(arguments).collect()
        }
        Probe::Chain { of, members } => of.iter().copied().chain(chains::variables(members)).collect(),
        Probe::Captured { argument, members } => {
            std::iter::once(argument.stub).chain(chains::variables(members)).collect()
        }
        Probe::State { of, .. } | Probe::Calls { of, .. } => vec![*of],
        Probe::Printed | Probe::PrintedToKept | Probe::Cause | Probe::File { .. } => Vec::new(),
    };
    let other = match &assertion.expectation {
        Expectation::Same(other) | Expectation::DiffersFrom(other) => Some(*other),
        _ => None,
    };
    other.into_iter().chain(probed).collect()
}

/// How often each variable is read.
pub(super) fn count_uses(case: &Case) -> BTreeMap<VarId, usize> {
    let by_steps = case.steps.iter().flat_map(|step| operands(&step.action));
    let by_assertions = case.assertions.iter().flat_map(reads);
    let mut uses = BTreeMap::new();
    for var in by_steps.chain(by_assertions) {
        *uses.entry(var).or_insert(0) += 1;
    }
    uses
}
