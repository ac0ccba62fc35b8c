//! Stubs as actions of tests.

use crate::invokable::Invokable;
use crate::stub::Stub;
use cupping_case::{Action, MethodRef, Operand, StubMethod};
use cupping_machine::{Machine, StubResult};

impl Stub {
    /// The stub as a test's action; for one of an abstract class, with the constructor and its arguments.
    pub fn write_down(
        &self,
        machine: &Machine,
        constructor: Option<MethodRef>,
        args: Vec<Operand>,
        results: &[Operand],
    ) -> Action {
        let mut results = results.iter();
        let methods =
            self.methods.iter().zip(&self.descriptors).map(|((method, result), descriptor)| StubMethod {
                name: Box::from(&*machine.method(*method).name),
                descriptor: descriptor.clone(),
                result: written_on(
                    machine,
                    *result,
                    results.by_ref().take(result.fields()).cloned().collect(),
                ),
            });
        Action::Implement {
            interface: Box::from(&*machine.class(self.interface).name),
            constructor,
            args,
            methods: methods.collect(),
            is_functional: self.is_functional,
        }
    }
}

/// What a method does with these values.
fn written_on(machine: &Machine, result: StubResult, values: Vec<Operand>) -> cupping_case::StubResult {
    let StubResult::Calls { parameter, method, .. } = result else { return written(result, values) };
    match Invokable::new(machine, machine.method(method).class, method) {
        Some(called) => {
            cupping_case::StubResult::Calls { parameter, method: called.reference, arguments: values }
        }
        None => cupping_case::StubResult::Nothing,
    }
}

/// The result of a method with these values. Answers that the last one repeats are left out.
fn written(result: StubResult, mut values: Vec<Operand>) -> cupping_case::StubResult {
    if let StubResult::Parameter(at) = result {
        return cupping_case::StubResult::Parameter(at);
    }
    while values.len() > 1 && values[values.len() - 1] == values[values.len() - 2] {
        values.pop();
    }
    match (result, values.len()) {
        (_, 0) => cupping_case::StubResult::Nothing,
        (StubResult::Throws, _) => cupping_case::StubResult::Throws(values.remove(0)),
        (_, 1) => cupping_case::StubResult::Value(values.remove(0)),
        _ => cupping_case::StubResult::Sequence(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_case::Literal;
    use cupping_case::StubResult as Written;

    fn number(number: i32) -> Operand {
        Operand::Literal(Literal::Int(number))
    }

    fn sequence(numbers: &[i32]) -> Written {
        written(StubResult::Sequence, numbers.iter().copied().map(number).collect())
    }

    #[test]
    fn a_method_does_what_its_values_say() {
        assert_eq!(written(StubResult::Nothing, vec![]), Written::Nothing);
        assert_eq!(written(StubResult::Parameter(2), vec![]), Written::Parameter(2));
        assert_eq!(written(StubResult::Field, vec![number(5)]), Written::Value(number(5)));
        assert_eq!(written(StubResult::Throws, vec![number(5)]), Written::Throws(number(5)));
    }

    #[test]
    fn answers_that_the_last_one_repeats_are_left_out() {
        let all = |numbers: &[i32]| Written::Sequence(numbers.iter().copied().map(number).collect());
        assert_eq!(sequence(&[1, 2, 3]), all(&[1, 2, 3]));
        assert_eq!(sequence(&[1, 2, 2]), all(&[1, 2]));
        assert_eq!(sequence(&[1, 1, 2]), all(&[1, 1, 2]), "the second call still gets the first answer");
        assert_eq!(sequence(&[1, 2, 1]), all(&[1, 2, 1]));
        assert_eq!(sequence(&[1, 1, 1]), Written::Value(number(1)), "the same each time");
    }
}
