//! Completeness after SpecFuzzer (Molina et al. 2022): the share of mutated post-states that a specification
//! rejects. A mutant has one changed value: the result, a field, or an element.

use cupping_infer::{CallOutcome, Execution, Formula, Image, Subject, Value};
use std::rc::Rc;

/// The number of mutants, and how many each of the specifications rejects.
#[derive(Clone, Copy, Debug, Default)]
pub struct Completeness {
    /// The mutants.
    pub mutants: usize,
    /// Those that are rejected.
    pub rejected: usize,
}

impl Completeness {
    /// The sum of both.
    pub fn and(self, other: Completeness) -> Completeness {
        Completeness { mutants: self.mutants + other.mutants, rejected: self.rejected + other.rejected }
    }

    /// In hundredths.
    pub fn percent(self) -> usize {
        self.rejected * 100 / self.mutants.max(1)
    }
}

/// Limit on the executions of a method whose states are mutated.
const MOST_EXECUTIONS: usize = 40;

/// The mutants that a specification rejects. Observers are not part of mutants, so clauses about them do not count.
pub fn completeness(
    subject: &Subject,
    executions: &[Execution],
    specification: &cupping_infer::Specification,
) -> Completeness {
    let clauses: Vec<_> = specification.clauses.iter().filter(|it| !asks_observers(&it.formula)).collect();
    let mut found = Completeness::default();
    for method in 0..subject.methods.len() {
        let is_one = |it: &&Execution| it.method == method && matches!(it.ending, CallOutcome::Returned(_));
        let all: Vec<&Execution> = executions.iter().filter(is_one).collect();
        let step = all.len().div_ceil(MOST_EXECUTIONS).max(1);
        for mutant in all.into_iter().step_by(step).flat_map(mutants) {
            found.mutants += 1;
            let is_rejected = clauses.iter().any(|it| {
                let when = it.point.phase();
                it.point.samples(subject, &mutant) && it.formula.holds(&mutant, when) == Some(false)
            });
            found.rejected += usize::from(is_rejected);
        }
    }
    found
}

fn asks_observers(formula: &Formula) -> bool {
    formula.any(|it| matches!(it, cupping_infer::Term::Observer(..)))
}

/// The mutants of an execution.
fn mutants(of: &Execution) -> Vec<Execution> {
    let mut all = Vec::new();
    if let CallOutcome::Returned(value) = &of.ending {
        all.extend(other(value).map(|it| Execution { ending: CallOutcome::Returned(it), ..of.clone() }));
    }
    for (at, object) in &of.exit.state.objects {
        let mut with = |change: &dyn Fn(&mut cupping_infer::Object)| {
            let mut image: Image = (*of.exit.state).clone();
            image.objects.entry(*at).and_modify(|it| change(it));
            let mut mutant = of.clone();
            mutant.exit.state = Rc::new(image);
            all.push(mutant);
        };
        for (field, (name, value)) in object.fields.iter().enumerate() {
            if let Some(value) = other(value).filter(|_| !name.ends_with("()")) {
                with(&|it| it.fields[field].1 = value.clone());
            }
        }
        for (index, value) in object.elements.iter().flatten().enumerate() {
            if let Some(value) = other(value) {
                with(&|it| {
                    if let Some(element) = it.elements.as_mut().and_then(|it| it.get_mut(index)) {
                        *element = value.clone();
                    }
                });
            }
        }
    }
    all
}

/// Another value of the same type.
fn other(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Bool(it) => Value::Bool(!it),
        Value::Int(it) => Value::Int(it.wrapping_add(1)),
        Value::Char(it) => Value::Char(it.wrapping_add(1)),
        Value::Float(it) => Value::Float(it + 1.0),
        Value::Text(it) => Value::Text(format!("{it}x")),
        Value::Object(_) => Value::Null,
        Value::Absent | Value::Null | Value::Enum(..) | Value::Seq(_) => return None,
    })
}
