//! Effects of the invocation under test outside of its operands: printed text, the cause of an exception, and
//! changes of objects that it was not given.

use super::is_stub;
use super::observer::{Observer, known_var};
use crate::canonical::canonical_of;
use crate::driver::OUT;
use crate::environment::speaks_of_environment;
use crate::invokable::is_nameable;
use crate::plan::{Plan, PlanStep};
use crate::realization::Realization;
use cupping_case::{Expectation, Literal, Probe, VarId};
use cupping_explore::Path;
use cupping_machine::{Addr, Kind, Machine, Snapshot, Value};

/// Bytes of output that are asserted, at most.
const MAX_PRINTED: usize = 400;
/// Limit on the objects that are observed besides those of the last call.
const MAX_OTHERS: usize = 3;

impl Observer<'_> {
    /// Asserts what the invocation under test has printed. The test replaces `System.out` by its own stream, so
    /// a class that keeps the stream in a field is excluded. Returns whether it has printed nothing.
    pub(super) fn printed(&mut self, plan: &Plan, before: &Snapshot) -> bool {
        let now = self.machine.written(OUT);
        if now.is_empty() || keeps_stream(self.machine, plan) {
            return now.is_empty();
        }
        let here = self.machine.snapshot();
        self.machine.restore(before);
        let length = self.machine.written(OUT).len();
        self.machine.restore(&here);
        let Some(text) = now.get(length..).filter(|it| !it.is_empty() && it.len() <= MAX_PRINTED) else {
            return now.len() == length;
        };
        // Other characters depend on the encoding.
        let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
        let units: Vec<u16> = text.iter().map(|byte| u16::from(*byte)).collect();
        if text.iter().all(is_plain) && !speaks_of_environment(&units) {
            self.say(Probe::Printed, Expectation::Equals(Literal::String(units)));
        }
        false
    }

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
            if is_given || !is_object || is_stub(&realized.plan, var) || !self.is_changed(value, before) {
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

    /// Whether an object, or one reachable from it, has changed.
    fn is_changed(&mut self, value: Value, before: &Snapshot) -> bool {
        let shown = [(Kind::Reference, value)];
        let now = canonical_of(self.machine, &shown, &Path::default()).map(|it| it.key);
        let here = self.machine.snapshot();
        self.machine.restore(before);
        let was = canonical_of(self.machine, &shown, &Path::default()).map(|it| it.key);
        self.machine.restore(&here);
        now.is_some() && now != was
    }
}

/// Whether a class that the test calls has a field for a stream.
fn keeps_stream(machine: &Machine, plan: &Plan) -> bool {
    plan.steps.iter().any(|step| {
        let PlanStep::Call { invokable, .. } = step else { return false };
        let class = machine.class(machine.method(invokable.method).class);
        !class.from_jdk && class.fields.iter().any(|field| &*field.descriptor == "Ljava/io/PrintStream;")
    })
}
