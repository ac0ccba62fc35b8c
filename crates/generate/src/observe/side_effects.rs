//! Effects of the invocation under test outside of its operands: the cause of an exception, and changes of objects
//! that it was not given.

use super::changes::has_changed;
use super::is_stub;
use super::observer::{Observer, known_var};
use crate::invokable::is_nameable;
use crate::plan::PlanStep;
use crate::realization::Realization;
use cupping_case::{Expectation, Probe, VarId};
use cupping_machine::{Addr, Kind, Snapshot};

/// Limit on the objects that are observed besides those of the last call.
const MAX_OTHERS: usize = 3;

impl Observer<'_> {
    /// Asserts the cause of an exception that the code under test has created.
    pub(super) fn cause(&mut self, exception: Addr, known: &[(VarId, Addr)]) {
        let machine = &*self.machine;
        let is_of_jdk = |method| machine.class(machine.method(method).class).from_jdk;
        let is_made_by_code = machine.registers().raised != exception
            && machine.stack_trace(exception).first().is_some_and(|row| !is_of_jdk(row.method));
        if !is_made_by_code {
            return;
        }
        let here = self.machine.snapshot();
        let class = self.machine.class_of(exception);
        let cause = self.ask(exception, class, "getCause", "()Ljava/lang/Throwable;");
        self.machine.restore(&here);
        let Some(cause) = cause.map(|it| it.as_ref()).filter(|it| *it != 0 && *it != exception) else {
            return;
        };
        if let Some(var) = known_var(known, cause) {
            self.say(Probe::Cause, Expectation::Same(var));
            return;
        }
        let class = self.machine.class_of(cause);
        if is_nameable(self.machine, class, self.package) {
            let name = Box::from(&*self.machine.class(class).name);
            self.say(Probe::Cause, Expectation::InstanceOf(name));
        }
    }

    /// Asserts changes of objects that the test holds but did not pass to the invocation under test, such as a
    /// list from which its receiver was created.
    pub(super) fn others(&mut self, realized: &Realization, ids: &[Option<VarId>], before: &Snapshot) {
        let Some(PlanStep::Call { arguments, result, .. }) = realized.plan.steps.last() else { return };
        let mut looked_at = 0;
        for (var, id) in ids.iter().enumerate() {
            let is_given = arguments.contains(&var) || *result == Some(var);
            let (Some(id), Some(value)) = (*id, realized.driver.slots[var].value) else { continue };
            let ty = &realized.plan.variables[var].ty;
            let is_object = ty.is_reference() && !ty.is_string() && value.as_ref() != 0;
            if is_given
                || !is_object
                || is_stub(&realized.plan, var)
                || !has_changed(self.machine, &[(Kind::Reference, value)], before)
            {
                continue;
            }
            let unchanged = self.unchanged.len();
            self.argument(id, &ty.clone(), value.as_ref(), before);
            self.unchanged.truncate(unchanged);
            looked_at += 1;
            if looked_at == MAX_OTHERS {
                return;
            }
        }
    }
}
