//! Emits counterexamples as test cases: the construction of the input, the call, and what the specification
//! demands.
//!
//! Inputs are constructed through the public API if a call sequence reaches the state (`sequences`), else
//! field by field (`construction`). `allowed_outcomes` enumerates what the specification allows, `demand`
//! picks the simplest statement that the outcomes share: an exception, a result, the value of an observer
//! (`observers`), or the state. `claims` turns it into assertions. `emitter` has what all of them share.

mod allowed_outcomes;
mod builder;
mod call_sequence;
mod claims;
mod construction;
mod demand;
mod emitter;
mod observers;
mod sequences;
mod source;
mod state_text;

use crate::check::{Cause, CheckResult, Example, Group};
use crate::concretize::lowest_first;
use crate::error::Error;
use crate::report;
use crate::specification::Specification;
use crate::world::World;
use builder::Builder;
use call_sequence::Sequences;
use cupping_case::{Action, Case, Counterexample, MethodRef, Operand, Outcome};
use cupping_classfile::Program;
use demand::Demand;
use emitter::{Emitter, SubjectPlace, before};
use source::Sources;

/// Counterexamples as cases, and the reasons why others were left out.
#[derive(Clone, Debug, Default)]
pub struct EmittedCounterexamples {
    /// The cases.
    pub cases: Vec<Counterexample>,
    /// The counterexamples that cannot be tests, and why.
    pub left_out: Vec<String>,
}

/// Emits the counterexamples of a check. `predicate` is the one that must hold afterwards, if there is one.
pub fn emit(
    world: &mut World,
    program: &Program,
    specification: &Specification,
    predicate: Option<&str>,
    checked: &CheckResult,
) -> Result<EmittedCounterexamples, Error> {
    let mut emitted = EmittedCounterexamples::default();
    if specification.is_abstract() {
        if !checked.groups.is_empty() {
            emitted.left_out.push(
                "counterexamples of a data abstraction cannot become tests: the specification describes the abstraction"
                    .into(),
            );
        }
        return Ok(emitted);
    }
    let mut emitter = Emitter {
        specification,
        sources: Sources::new(program, specification),
        classes: lowest_first(specification),
        predicate,
        sequences: Sequences::new(checked),
        world,
    };
    for group in &checked.groups {
        for example in &group.examples {
            match emitter.one(group, example)? {
                Ok(case) => emitted.cases.push(case),
                Err(why) => {
                    let line = format!("input {} cannot become a test: {why}", example.number);
                    emitted.left_out.push(line);
                }
            }
        }
    }
    Ok(emitted)
}

impl Emitter<'_> {
    fn one(&mut self, group: &Group, example: &Example) -> Result<Result<Counterexample, String>, Error> {
        if let Cause::Stopped(why) = &group.cause {
            return Ok(Err(why.clone()));
        }
        let instance = before(example);
        let left = self.run(&instance)?;
        let demand = match self.demand(group, example, &left)? {
            Ok(demand) => demand,
            Err(why) => return Ok(Err(why)),
        };
        let mut builder = Builder::default();
        let made = match self.by_calls(&instance, &left, &mut builder)? {
            Some(made) => made,
            None => match self.by_fields(&instance, &mut builder)? {
                Ok(made) => made,
                Err(why) => return Ok(Err(why)),
            },
        };
        Ok(Ok(self.finish(group, example, builder, made, demand)))
    }

    /// Adds the call and the assertions, after the arguments have been constructed.
    fn finish(
        &self,
        group: &Group,
        example: &Example,
        mut builder: Builder,
        made: Vec<Operand>,
        demand: Demand,
    ) -> Counterexample {
        let Some(method) = self.sources.target() else {
            // Counterexamples only exist if there is a method.
            return Counterexample { case: empty(), title: String::new(), comment: Vec::new(), throws: None };
        };
        let is_static = self.specification.target.as_ref().is_some_and(|it| it.is_static);
        let receiver = made.first().cloned();
        let mut result = None;
        let action = if self.specification.constructs() {
            Action::Construct { constructor: method.clone(), args: made.clone() }
        } else if is_static {
            // With a predicate, a static method may run alongside an object that is not an argument.
            let is_beside = self.specification.plan.receiver.is_some()
                && !self.specification.target.as_ref().is_some_and(|it| it.drives);
            let skipped = usize::from(is_beside);
            Action::InvokeStatic { method: method.clone(), args: made[skipped.min(made.len())..].to_vec() }
        } else {
            let receiver = receiver.clone().unwrap_or(builder::null());
            Action::Invoke { method: method.clone(), receiver, args: made[1..].to_vec() }
        };
        let shows_result = matches!(self.subject_place(), Some(SubjectPlace::Result));
        if demand.reads_result() || shows_result && demand.reads_state() {
            result = Some(builder.variable(self.sources.result()));
        }
        builder.step(action, result);
        let subject = match self.subject_place() {
            Some(SubjectPlace::Result) => result,
            Some(SubjectPlace::Argument(at)) => made.get(at).and_then(builder::variable_of),
            None => None,
        };
        let (outcome, assertions) = self.claims(demand, &mut builder, result, subject);
        let Builder { variables, steps } = builder;
        let case = Case {
            under_test: method,
            variables,
            steps,
            outcome,
            assertions,
            distinction: String::new(),
            path: Vec::new(),
            name: None,
            restores: Vec::new(),
            empties: Vec::new(),
            cause: None,
            effects: example.effects.clone(),
            purpose: Vec::new(),
            caught: Vec::new(),
        };
        let threw = match &group.cause {
            Cause::Threw(class) => Some(class.replace('.', "/").into()),
            _ => thrown_class(&example.outcome, &case.outcome),
        };
        let text = report::example(self.specification, group, example);
        let comment =
            text.lines().map(|it| it.strip_prefix("    ").unwrap_or(it.trim_start()).to_owned()).collect();
        Counterexample { case, title: title(self.specification, &group.cause), comment, throws: threw }
    }
}

/// The exception that makes a test without assertions fail: an unexpected one.
fn thrown_class(outcome: &str, demanded: &Outcome) -> Option<Box<str>> {
    if *demanded != Outcome::Returned {
        return None;
    }
    let rest = outcome.strip_prefix("it throws ")?;
    let end = rest.find([':', ' ']).unwrap_or(rest.len());
    Some(rest[..end].replace('.', "/").into())
}

/// A short description of the failure.
fn title(specification: &Specification, cause: &Cause) -> String {
    match cause {
        Cause::Threw(class) => {
            format!("throws no {}", class.rsplit(['.', '$']).next().unwrap_or_default())
        }
        Cause::Fails(places) => match places.first() {
            Some(at) => {
                let span = specification.promised[*at].condition.span();
                specification.comment(span).unwrap_or_else(|| {
                    let part = specification.promised[*at].part.name();
                    format!("{part} of line {}", specification.line(span))
                })
            }
            None => String::new(),
        },
        Cause::Predicate(_) => "keeps the invariant".into(),
        Cause::Stopped(why) => why.clone(),
    }
}

fn empty() -> Case {
    let under_test = MethodRef {
        class: "".into(),
        name: "".into(),
        descriptor: "()V".into(),
        varargs: false,
        throws: Vec::new(),
        parameter_names: Vec::new(),
    };
    Case {
        under_test,
        variables: Vec::new(),
        steps: Vec::new(),
        outcome: Outcome::Returned,
        assertions: Vec::new(),
        distinction: String::new(),
        path: Vec::new(),
        name: None,
        restores: Vec::new(),
        empties: Vec::new(),
        cause: None,
        effects: Default::default(),
        purpose: Vec::new(),
        caught: Vec::new(),
    }
}
