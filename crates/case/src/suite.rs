//! Cases, and the suite of a class.

use crate::{
    Access, Action, Assertion, Cause, CriterionResult, Effect, Effects, FieldRef, JavaType, Literal,
    MethodRef, Outcome, Step,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A variable of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its declared (static) type.
    pub ty: JavaType,
}

/// A constraint on the path of a failing case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathNote {
    /// Its place: `Class.method` and, if known, the source line.
    pub place: String,
    /// Source line, if the class file has line numbers.
    pub line: Option<u32>,
    /// The constraint in readable form, over argument names: `curQtrs + 1 > 1`.
    pub constraint: String,
}

/// A sequence of invocations, of which the last is under test, with the observed outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The method, constructor or static method that the last step invokes.
    pub under_test: MethodRef,
    /// The variables, named by index.
    pub variables: Vec<Variable>,
    /// The steps; the last one is the invocation under test.
    pub steps: Vec<Step>,
    /// How the last step ended.
    pub outcome: Outcome,
    /// Assertions after the last step. Empty for a case that threw, unless it observes state afterwards.
    pub assertions: Vec<Assertion>,
    /// A short description of the branch that this case covers, to distinguish its name from similar ones;
    /// may be empty.
    pub distinction: String,
    /// The path condition, for the comment on a failing case.
    pub path: Vec<PathNote>,
    /// The name of its test in an earlier run, which it keeps.
    pub name: Option<Box<str>>,
    /// Static fields that it changes, with their values before: its test class restores them.
    pub restores: Vec<(FieldRef, Literal)>,
    /// Static fields with collections or maps that it fills, and that were empty before: its test class empties them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empties: Vec<FieldRef>,
    /// Why it fails, of a failing input.
    #[serde(default)]
    pub cause: Option<Cause>,
    /// The effects of its run. Recordings of earlier versions have none.
    #[serde(default)]
    pub effects: Effects,
    /// Its purpose, one sentence a line, for the comment above its test; may be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub purpose: Vec<String>,
    /// Steps before the last that throw, by index, with the internal name of a class of what they throw. The test
    /// catches it and goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caught: Vec<(usize, Box<str>)>,
}

impl Case {
    /// The reason why the case must not become a test; `None` if it is safe to run.
    ///
    /// A test may only touch its own temporary folder.
    pub fn danger(&self) -> Option<String> {
        danger(&self.effects)
    }

    /// Whether the case uses a temporary folder.
    pub fn has_folder(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, Action::TestFolder))
    }

    /// Whether both have the same calls, outcome and assertions, regardless of names and purpose.
    pub fn is_same_test(&self, other: &Case) -> bool {
        // Compare the debug text, in which NaN equals NaN and 0.0 differs from -0.0.
        let text = |case: &Case| {
            let Case { under_test, variables, steps, outcome, assertions, caught, .. } = case;
            format!("{under_test:?} {variables:?} {steps:?} {outcome:?} {assertions:?} {caught:?}")
        };
        text(self) == text(other)
    }
}

/// A case on which the code violates its specification. It asserts what the specification demands, so it
/// fails until the defect is fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The calls, and the demanded outcome of the last.
    pub case: Case,
    /// A short description of the failure.
    pub title: String,
    /// An explanation for the reader: the states, and what they violate.
    pub comment: Vec<String>,
    /// How the test fails: the internal name of an exception, or `None` for an assertion.
    pub throws: Option<Box<str>>,
}

/// A coverage ratio as JaCoCo counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageCount {
    /// Number covered.
    pub covered: u32,
    /// Total number.
    pub total: u32,
}

/// The suite of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Internal name of the class under test.
    pub class: Box<str>,
    /// Cases that describe behaviour; they pass.
    pub cases: Vec<Case>,
    /// Cases in which the code throws an undeclared exception: likely bugs, those worth most first.
    pub failing: Vec<Case>,
    /// Cases in which it does so because the test breaks a precondition that nothing declares. They are not
    /// written.
    pub preconditions: Vec<Case>,
    /// Line coverage of `cases` and `failing` together.
    pub lines: CoverageCount,
    /// Branch coverage of both together.
    pub branches: CoverageCount,
    /// The results of both together for the requested criteria; empty if none was requested.
    pub criteria: Vec<CriterionResult>,
    /// The fate of the tests of an earlier run, if there was one.
    pub recollection: Recollection,
    /// Cases that are neither written nor run, because they are not safe.
    pub withheld: Vec<WithheldCase>,
    /// The mutants that each case runs and notices, by whether the case is a failing one and by its index.
    pub notes: BTreeMap<(bool, usize), CaseNote>,
}

/// What a case runs and notices, for tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseNote {
    /// The lines that it runs in the source file of the class under test, in rising order.
    pub lines: Vec<u32>,
    /// The mutants that it is credited with.
    pub noticed: Vec<NoticedMutant>,
}

/// A mutant that a case notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticedMutant {
    /// Its place: `Class.method`.
    pub place: String,
    /// Its source line, if it has one.
    pub line: Option<u32>,
    /// The operator, and what is changed.
    pub what: String,
}

impl Suite {
    /// A suite without cases.
    pub fn new(class: impl Into<Box<str>>) -> Suite {
        let none = CoverageCount::default();
        Suite {
            class: class.into(),
            cases: Vec::new(),
            failing: Vec::new(),
            preconditions: Vec::new(),
            lines: none,
            branches: none,
            criteria: Vec::new(),
            recollection: Recollection::default(),
            withheld: Vec::new(),
            notes: BTreeMap::new(),
        }
    }
}

/// A case that is neither written nor run.
#[derive(Clone, Debug, PartialEq)]
pub struct WithheldCase {
    /// The case.
    pub case: Case,
    /// The unsafe effect, for display.
    pub why: String,
}

/// The effects that forbid a test, for display; see [`Case::danger`].
pub fn danger(effects: &Effects) -> Option<String> {
    const SHOWN: usize = 2;
    let escapes = effects.escapes(TEST_FOLDER);
    let inspected = |effect: &Effect| matches!(effect, Effect::File { access: Access::Inspected, .. });
    let changes = |effect: &Effect| !matches!(effect, Effect::File { access, .. } if !access.changes());
    // The worst effect comes first. Inspecting files is implied by other operations and is only mentioned
    // alone.
    let (mut worst, rest): (Vec<&Effect>, Vec<&Effect>) = escapes.into_iter().partition(|it| changes(it));
    let (asked, read): (Vec<&Effect>, Vec<&Effect>) = rest.into_iter().partition(|it| inspected(it));
    worst.extend(read);
    if worst.is_empty() {
        worst = asked;
    }
    let mut shown: Vec<String> = worst.iter().take(SHOWN).map(|effect| in_words(effect)).collect();
    if worst.len() > SHOWN {
        shown.push(format!("{} more", worst.len() - SHOWN));
    }
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// Displays the effect without the machine's internal folder names.
fn in_words(effect: &Effect) -> String {
    const NAMES: [(&str, &str); 3] = [
        ("/cupping-dir", "the current folder"),
        ("/cupping-home", "the home folder"),
        ("/cupping-tmp", "the folder for temporary files"),
    ];
    let text = effect.to_string();
    let named = NAMES.iter().find_map(|(place, name)| {
        let rest = text.strip_prefix(place)?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(format!("{rest} in {name}")),
            None => Some(format!("{name}{rest}")),
        }
    });
    let Some(named) = named else { return text };
    // Put the path before the operation.
    match (effect, named.split_once(" in the ")) {
        (Effect::File { access, .. }, Some((path, place))) => {
            let path = path.strip_suffix(access.verb()).map_or(path, str::trim_end);
            format!("{path} in the {place} {}", access.verb())
        }
        _ => named,
    }
}

/// The path of the test's folder in [`Case::effects`].
pub const TEST_FOLDER: &str = "/cupping-tmp/junit";

/// A test of an earlier run (thesis §7.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedTest {
    /// Its name.
    pub name: Box<str>,
    /// Whether it was among the likely bugs.
    pub failing: bool,
    /// The test.
    pub case: Case,
}

/// The fate of the tests of an earlier run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recollection {
    /// Names of the tests that still pass unchanged: they keep their names.
    pub held: Vec<Box<str>>,
    /// Names of the tests that run with a different outcome.
    pub changed: Vec<Box<str>>,
    /// Names of the tests that can no longer run, with reasons.
    pub lost: Vec<(Box<str>, String)>,
    /// Tests of methods that are not part of this run.
    pub others: Vec<RecordedTest>,
}
