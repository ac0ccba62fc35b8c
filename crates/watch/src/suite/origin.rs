//! Where a triple of a suite comes from, for display.

use super::recorder::ObservedCall;
use crate::branch::TripleOrigin;
use crate::method_names::named;
use cupping_classfile::Code;
use cupping_machine::Machine;

/// The claim of a triple about its call.
pub(super) enum TripleClaim<'s> {
    /// It returns.
    Returns,
    /// It throws an exception of this class.
    Throws(&'s str),
    /// The assertions after it hold.
    Assertions,
    /// A predicate of the suite holds, by its name.
    Predicate(&'s str),
}

/// The origin of a triple, and the text of its assertions.
pub(super) fn origin(
    machine: &Machine,
    observed: &ObservedCall,
    code: &Code,
    says: &TripleClaim<'_>,
) -> TripleOrigin {
    let method = named(machine, observed.caller);
    let class = machine.class(machine.method(observed.caller).class);
    let file = class.file.as_ref().and_then(|it| it.source_file.clone()).unwrap_or_else(|| "Unknown".into());
    let line = code.line_at(observed.pc);
    let shown = line.map_or(String::new(), |it| format!(":{it}"));
    let place = format!("{file}{shown} {}", test_name(&method.class, &method.name));
    let called = machine.method(observed.call.method);
    let name = if &*called.name == "<init>" { "new" } else { &*called.name };
    let text = match says {
        TripleClaim::Throws(thrown) => format!("{name}(…) throws {}", thrown.replace('/', ".")),
        TripleClaim::Assertions => format!("{name}(…) and the assertions after it"),
        TripleClaim::Predicate(predicate) => format!("{name}(…) and {predicate}(…) after it"),
        TripleClaim::Returns => format!("{name}(…) returns"),
    };
    TripleOrigin { place, text }
}

/// `Class.method` of a test.
pub(super) fn test_name(class: &str, method: &str) -> String {
    // The body of a lambda is part of the test that contains it.
    let parts: Vec<&str> = method.split('$').collect();
    let method = if let ["lambda", name, ..] = parts[..] { name } else { method };
    format!("{}.{method}", class.rsplit('/').next().unwrap_or(class).replace('$', "."))
}
