//! Keys that the test passes and the code looks up in vain.

use super::CauseRun;
use super::completion::has_instruction;
use cupping_classfile::{Action, Constant};
use cupping_machine::{Machine, MethodId, ReferenceOrigin};

/// Methods of the code between the one that fails and the map.
const MAX_CALLS: usize = 2;

impl CauseRun<'_> {
    /// The parameter through which the test passes a key, and the method that finds nothing for it.
    pub(super) fn missing_key(&self) -> Option<(String, String)> {
        let row = self.rows.first()?;
        let call = self.machine.null_call(row)?;
        let (class, name, descriptor) = self.machine.named_method(&call)?;
        if !looks_up(self.machine, &class, &name, &descriptor, MAX_CALLS) {
            return None;
        }
        let (parameters, _) = cupping_case::parse_method_descriptor(&descriptor)?;
        (0..=parameters.len()).find_map(|at| match self.machine.argument_origin(&call, at)? {
            ReferenceOrigin::Argument(argument) => {
                let is_receiver = argument == 0 && self.plan.under_test()?.has_receiver();
                let var = self.passed(argument).filter(|_| !is_receiver)?;
                Some((self.name(var)?, name.clone()))
            }
            _ => None,
        })
    }
}

/// Whether a method looks something up in a map, by itself or by a method that it calls.
fn looks_up(machine: &Machine, class: &str, name: &str, descriptor: &str, calls: usize) -> bool {
    if class.starts_with("java/util/") {
        return matches!(name, "get" | "getProperty") && descriptor.starts_with("(Ljava/lang/");
    }
    if calls == 0 || class.starts_with("java/") {
        return false;
    }
    let all = machine.classes().iter().filter(|it| !it.from_jdk);
    let mut methods = all.filter_map(|it| machine.declared_method(it.id, name, descriptor));
    methods.any(|it| calls_look_up(machine, it, calls - 1))
}

fn calls_look_up(machine: &Machine, method: MethodId, calls: usize) -> bool {
    let is_look_up = |constant: &Constant<'_>| match constant {
        Constant::Method { class, name, descriptor, .. } => looks_up(machine, class, name, descriptor, calls),
        _ => false,
    };
    has_instruction(machine, method, |action| matches!(action, Action::Invoke(_)), is_look_up)
}
