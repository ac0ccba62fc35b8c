//! Cases and the suite of one class.

use crate::{
    Access, Action, Assertion, CriterionResult, Effect, Effects, FieldRef, JavaType, Literal, MethodRef,
    Outcome, Step,
};
use serde::{Deserialize, Serialize};

/// A variable of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its declared (static) type.
    pub ty: JavaType,
}

/// One constraint on the path of a failing case, in execution order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathNote {
    /// Where: `Class.method` and, if known, the source line.
    pub place: String,
    /// Source line, if the class file has line numbers.
    pub line: Option<u32>,
    /// The constraint, readable, over the names of the arguments: `curQtrs + 1 > 1`.
    pub constraint: String,
}

/// A sequence of invocations whose last one is under test, and what was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The method, constructor or static method under test: what the last step invokes.
    pub under_test: MethodRef,
    /// The variables, named by index.
    pub variables: Vec<Variable>,
    /// The steps; the last is the invocation under test.
    pub steps: Vec<Step>,
    /// How the last step ended.
    pub outcome: Outcome,
    /// What is claimed after the last step. Empty for a case that threw, unless state is observed after.
    pub assertions: Vec<Assertion>,
    /// Short description of the branch this case is kept for, to name it apart from its like; may be empty.
    pub distinction: String,
    /// The path condition, for the comment of a failing case.
    pub path: Vec<PathNote>,
    /// The name of its test in an earlier run, which it keeps.
    pub name: Option<Box<str>>,
    /// Static fields that it changes, and what they hold before it: its test class puts that back.
    pub restores: Vec<(FieldRef, Literal)>,
    /// What its run did to the world outside the heap. Recordings of earlier versions have none.
    #[serde(default)]
    pub effects: Effects,
}

impl Case {
    /// Why the case must not become a test; `None` for one that is safe for whoever runs it.
    ///
    /// A test may touch what is in its own temporary folder, and nothing else.
    pub fn danger(&self) -> Option<String> {
        danger(&self.effects)
    }

    /// Whether the case has a temporary folder.
    pub fn has_folder(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, Action::TestFolder))
    }

    /// Whether both are the same calls with the same outcome and claims, whatever they are called and kept for.
    pub fn is_same_test(&self, other: &Case) -> bool {
        // As text, in which NaN is NaN and 0.0 is not -0.0.
        let text = |case: &Case| {
            let Case { under_test, variables, steps, outcome, assertions, .. } = case;
            format!("{under_test:?} {variables:?} {steps:?} {outcome:?} {assertions:?}")
        };
        text(self) == text(other)
    }
}

/// A case on which the code breaks its specification. What it claims is what the specification demands, so as a test it
/// fails as long as the defect is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The calls, and what is demanded of the last.
    pub case: Case,
    /// What fails, in a few words.
    pub title: String,
    /// What a reader should know: the states, and what does not hold of them.
    pub comment: Vec<String>,
    /// With what the test fails: the internal name of an exception, or an assertion.
    pub throws: Option<Box<str>>,
}

/// A ratio of covered to all, as JaCoCo counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageCount {
    /// How many are covered.
    pub covered: u32,
    /// How many there are.
    pub total: u32,
}

/// What was found for one class.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Internal name of the class under test.
    pub class: Box<str>,
    /// Cases that describe behaviour: they pass.
    pub cases: Vec<Case>,
    /// Cases on which the code throws what it does not declare: likely bugs.
    pub failing: Vec<Case>,
    /// Line coverage by `cases` and `failing` together.
    pub lines: CoverageCount,
    /// Branch coverage by both together.
    pub branches: CoverageCount,
    /// What both together do for the criteria that were asked for; empty where none was.
    pub criteria: Vec<CriterionResult>,
    /// What became of the tests of an earlier run, where they were given.
    pub recollection: Recollection,
    /// Cases that are not written and not run, since who runs them is not safe from them.
    pub withheld: Vec<Withheld>,
}

/// A case that is not written and not run.
#[derive(Clone, Debug, PartialEq)]
pub struct Withheld {
    /// The case.
    pub case: Case,
    /// Why, for people: what it does that must not be repeated on somebody's computer.
    pub why: String,
}

/// What of these effects forbids a test, for people; see [`Case::danger`].
pub fn danger(effects: &Effects) -> Option<String> {
    const SHOWN: usize = 2;
    let escapes = effects.escapes(TEST_FOLDER);
    let inspected = |effect: &Effect| matches!(effect, Effect::File { access: Access::Inspected, .. });
    let changes = |effect: &Effect| !matches!(effect, Effect::File { access, .. } if !access.changes());
    // The worst comes first; that a file is asked for goes without saying where anything else is done.
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

/// The effect for people, who know nothing of the machine's folders.
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
    // The path comes before what is done with it.
    match (effect, named.split_once(" in the ")) {
        (Effect::File { access, .. }, Some((path, place))) => {
            let path = path.strip_suffix(access.verb()).map_or(path, str::trim_end);
            format!("{path} in the {place} {}", access.verb())
        }
        _ => named,
    }
}

/// The path that stands for the test's folder in [`Case::effects`].
pub const TEST_FOLDER: &str = "/cupping-tmp/junit";

/// A test of an earlier run (thesis §7.4).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// Its name.
    pub name: Box<str>,
    /// Whether it was among the likely bugs.
    pub failing: bool,
    /// The test.
    pub case: Case,
}

/// What became of the tests of an earlier run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recollection {
    /// The names of those that hold as they were: they keep their names.
    pub held: Vec<Box<str>>,
    /// The names of those that run, but show something else now.
    pub changed: Vec<Box<str>>,
    /// The names of those that can no longer be run, each with the reason.
    pub lost: Vec<(Box<str>, String)>,
    /// Those of methods that this run leaves alone.
    pub others: Vec<Remembered>,
}
