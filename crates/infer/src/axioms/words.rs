//! Calls and parameters in the notation of the slides.

use crate::java_literals::simple;
use crate::subject::Subject;

/// A parameter of a method in an axiom; numbered where two calls have names.
pub fn parameter(subject: &Subject, method: usize, at: usize, number: Option<usize>) -> String {
    let name = subject.methods[method].parameters.get(at).map_or("x", |it| it.name.as_str());
    number.map_or_else(|| name.to_owned(), |number| format!("{name}{number}"))
}

/// A method applied to a state.
pub fn call(subject: &Subject, method: usize, state: &str, number: Option<usize>) -> String {
    let invokable = &subject.methods[method];
    let mut arguments: Vec<String> = Vec::new();
    if invokable.has_receiver() {
        arguments.push(state.to_owned());
    }
    let names = (0..invokable.parameters.len()).map(|at| parameter(subject, method, at, number));
    arguments.extend(names);
    let name = if subject.is_of_subclass(method) {
        simple(&invokable.reference.class).to_owned()
    } else if invokable.is_constructor() {
        subject.simple_name()
    } else {
        invokable.reference.name.to_string()
    };
    format!("{name}({})", arguments.join(", "))
}
