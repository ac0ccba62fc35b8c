//! Tries the contracts of `java.lang.Object` and `Comparable` on the objects that tests have reached.
//!
//! An object is the end of a test. One plan creates two or three of them, one after the other, so the test that
//! shows a violation is a plan like any other. Only calls that return are judged: the search itself finds
//! methods that throw. Objects that hold stubs are excluded, since a stub may break the contract itself.

mod bench;
mod contract;
mod specimen;

use crate::candidate::Candidate;
use crate::case_writer::Draft;
use crate::input::Input;
use crate::invokable::Subject;
use crate::plan::{Plan, Var};
use bench::Bench;
use contract::{Breach, Methods};
use cupping_case::{Assertion, Blame, Cause, Expectation, JavaType, Literal, Probe};
use cupping_explore::Path;
use cupping_machine::{Machine, Snapshot, Value};
use specimen::{Combination, Specimen, specimens};
use std::rc::Rc;

/// A contract that is broken, with the sequence that shows it.
pub(crate) struct Violation {
    /// The sequence. Its last call is the one that breaks the contract.
    pub candidate: Candidate,
    claims: Vec<(Var, Claim)>,
    what: &'static str,
}

/// What a violation asserts about a result.
#[derive(Clone)]
enum Claim {
    Is(Literal),
    DiffersFrom(Var),
}

/// Tries the contracts on the objects at the ends of these tests: at most one violation of each. `base` is the state
/// before every test.
pub(crate) fn violations(
    machine: &mut Machine,
    base: &Snapshot,
    subject: &Subject,
    drafts: &[Draft],
) -> Vec<Violation> {
    let Some(methods) = Methods::of(machine, subject) else { return Vec::new() };
    let mut bench = Bench { machine, base };
    let specimens = specimens(&mut bench, subject, drafts);
    let mut found: Vec<Violation> = Vec::new();
    for breach in contract::breaches(&mut bench, &methods, &specimens) {
        if !found.iter().any(|it| it.what == breach.what()) {
            found.extend(violation(&mut bench, &methods, &specimens, &breach));
        }
    }
    found
}

impl Violation {
    /// Turns the written test into one that shows the violation; `false` if the test does not show it.
    pub fn describe(&self, draft: &mut Draft) -> bool {
        // Varied runs have already checked the last result.
        let is_stable = |assertion: &Assertion| draft.case.assertions.contains(assertion);
        let mut assertions = Vec::new();
        for (var, claim) in &self.claims {
            let id = |var: Var| draft.ids.get(var).copied().flatten();
            let expectation = match claim {
                Claim::Is(literal) => Some(Expectation::Equals(literal.clone())),
                Claim::DiffersFrom(other) => id(*other).map(Expectation::DiffersFrom),
            };
            let (Some(id), Some(expectation)) = (id(*var), expectation) else { return false };
            assertions.push(Assertion { probe: Probe::Var(id), expectation });
        }
        let is_literal = |it: &&Assertion| matches!(it.expectation, Expectation::Equals(_));
        if assertions.last().filter(is_literal).is_some_and(|last| !is_stable(last)) {
            return false;
        }
        draft.case.assertions = assertions;
        draft.unchanged.clear();
        draft.case.cause = Some(Cause { blame: Blame::Defect, what: self.what.into() });
        true
    }
}

/// The sequence that shows a breach, if it does.
fn violation(
    bench: &mut Bench<'_>,
    methods: &Methods,
    specimens: &[Specimen],
    breach: &Breach,
) -> Option<Violation> {
    let of: Vec<&Specimen> = breach.specimens().iter().map(|at| &specimens[*at]).collect();
    let Combination { plan, mut slots, model, objects, fresh } = Combination::of(bench.machine, &of)?;
    let mut plan = Plan::clone(&plan);
    let mut claims = Vec::new();
    for step in breach.calls(methods) {
        let mut arguments: Vec<Var> = step.on.iter().map(|at| objects[*at]).collect();
        if step.takes_null {
            arguments.push(plan.input(Input::Null, JavaType::class("java/lang/Object"), "other"));
        }
        let result = plan.call(&step.method, arguments, step.name)?;
        claims.push((result, step.expected));
    }
    slots.resize(plan.variables.len(), Default::default());
    let plan = Rc::new(plan);
    let (driver, ended) = bench.run(&plan, &slots, &model, fresh)?;
    let told = |var: Var| driver.slots[var].value;
    let results: Vec<Value> = claims.iter().map(|(var, _)| told(*var)).collect::<Option<_>>()?;
    let claims = breach.confirm(&results)?.into_iter().zip(&claims);
    let claims = claims
        .filter_map(|(literal, (var, expected))| match expected {
            contract::ExpectedResult::Shown => Some((*var, Claim::Is(literal))),
            contract::ExpectedResult::DiffersFromLast(back) => Some((*var, Claim::DiffersFrom(var - back))),
            contract::ExpectedResult::Nothing => None,
        })
        .collect();
    let machine = &bench.machine;
    let candidate = Candidate {
        plan,
        path: Path::default(),
        model,
        hits: machine.registers().coverage.clone(),
        pairs: machine.registers().pairs.clone(),
        ended,
        thrown: None,
        is_pure: false,
        leaf: None,
        control: 0,
        remembered: None,
        keeps_inputs: true,
        driver,
    };
    Some(Violation { candidate, claims, what: breach.what() })
}
