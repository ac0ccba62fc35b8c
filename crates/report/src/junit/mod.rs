//! Suites as test classes in the style of a person: cases become statements and expressions (`crate::source`), which
//! are printed as Java for a framework (`crate::framework`).
//!
//! The emitted source requires no newer language than Java 8.

mod assertions;
mod body;
mod chains;
mod class;
mod comments;
mod counterexamples;
mod distinctions;
mod expressions;
mod families;
mod folder;
mod helpers;
mod operands;
mod outcomes;
mod overloads;
mod plain_classes;
mod recorders;
mod reflection;
mod restore;
mod sharing;
mod slugs;
mod stubs;
mod test_names;
mod texts;
mod type_names;
mod values;
mod variables;

use crate::facts::ClassFacts;
pub use crate::framework::Framework;
use crate::source::java;
use crate::source::tree::Method;
use crate::style::TestStyle;
use cupping_case::{Case, Outcome, Suite};
use expressions::Writer;
use plain_classes::PlainClasses;
use sharing::Sharing;
use std::collections::BTreeSet;
use std::sync::Arc;
use type_names::{ClassName, TypeNames, test_package};

pub use class::{ClassSource, JunitClass, JunitMethod};
pub use counterexamples::{ASSERTION, counterexample_class};
pub use families::parameterized;

/// What the tests of a class are printed as: `FractionTest`, then `FractionFailingTest`, each only if it has
/// tests.
pub fn test_classes(suite: &Suite, form: impl Into<TestForm>, facts: &dyn ClassFacts) -> Vec<JunitClass> {
    test_classes_raw(suite, form, facts, &BTreeSet::new())
}

/// As [`test_classes`], with the arguments of some cases cast to raw types: javac rejected these cases because an
/// argument violates the bounds of a type variable, which erasure allows at run time. A case is given by whether it
/// is failing and its position.
pub fn test_classes_raw(
    suite: &Suite,
    form: impl Into<TestForm>,
    facts: &dyn ClassFacts,
    raw: &BTreeSet<(bool, usize)>,
) -> Vec<JunitClass> {
    let TestForm { framework, style } = form.into();
    let printer = Printer { suite, framework, style, facts, raw };
    [(safe(&suite.cases), false), (safe(&suite.failing), true)]
        .into_iter()
        .filter(|(cases, _)| !cases.is_empty())
        .map(|(cases, failing)| printer.class(&cases, failing))
        .collect()
}

/// The cases that may become tests, each with its position. No other case is ever printed, whatever found it, so
/// none is certified or written.
fn safe(cases: &[Case]) -> Vec<(usize, &Case)> {
    cases.iter().enumerate().filter(|(_, case)| case.danger().is_none()).collect()
}

/// What tests are written for, and in which style.
#[derive(Clone, Debug)]
pub struct TestForm {
    /// The framework.
    pub framework: Framework,
    /// The style.
    pub style: Arc<TestStyle>,
}

impl From<Framework> for TestForm {
    /// The default style.
    fn from(framework: Framework) -> TestForm {
        TestForm { framework, style: Arc::default() }
    }
}

struct Printer<'a> {
    suite: &'a Suite,
    framework: Framework,
    style: Arc<TestStyle>,
    facts: &'a dyn ClassFacts,
    raw: &'a BTreeSet<(bool, usize)>,
}

impl Printer<'_> {
    fn class(&self, numbered: &[(usize, &Case)], failing: bool) -> JunitClass {
        let cases: Vec<&Case> = numbered.iter().map(|(_, case)| *case).collect();
        let cases = cases.as_slice();
        let under_test = ClassName::parse(&self.suite.class);
        let package = test_package(under_test.package, self.facts);
        let names = TypeNames::new(&package, self.facts);
        let suffix = if failing { "FailingTest" } else { "Test" };
        let name = format!("{}{suffix}", under_test.nest.join("_"));
        let titles = test_names::names(cases, &self.suite.class);
        let titles = test_names::number(titles.iter().map(|it| self.style.test_names.apply(it)).collect());
        for (at, case) in numbered {
            self.body(case, &names, self.raw.contains(&(failing, *at)));
        }
        self.around(cases, &names);
        let names = names.second_round();
        names.reserve(&name);
        if package == under_test.package {
            names.reserve(under_test.nest[0]);
        }
        let qualify_test = names.is_taken("Test");
        if !qualify_test {
            names.class(&self.framework.row().test.replace('.', "/"));
            names.take_imports();
        }
        let mut bodies: Vec<body::TestBody> = numbered
            .iter()
            .map(|(at, case)| self.body(case, &names, self.raw.contains(&(failing, *at))))
            .collect();
        let plain = PlainClasses::of(&bodies, &names);
        bodies.iter_mut().for_each(|it| plain.apply(it));
        let sharing = Sharing::of(&bodies, &titles);
        names.take_imports();
        let methods = numbered
            .iter()
            .zip(titles)
            .map(|((at, case), title)| {
                self.method(*at, case, title, failing, qualify_test, &names, (&plain, &sharing))
            })
            .collect();
        let mut shared = sharing.methods(self.framework, &self.style, &names);
        shared.extend(plain.members(self.framework, &self.style, &names));
        let (before, after) = self.around(cases, &names);
        JunitClass {
            class_under_test: self.suite.class.to_string(),
            package: package.replace('/', "."),
            name,
            framework: self.framework,
            style: Arc::clone(&self.style),
            failing,
            comment: comment(&under_test, failing, cases),
            methods,
            before,
            after,
            shared,
            qualify_test,
            suppressed: Default::default(),
        }
    }

    /// The members before and after the tests: the folder, and what is saved and restored.
    fn around(&self, cases: &[&Case], names: &TypeNames<'_>) -> (Vec<JunitMethod>, Vec<JunitMethod>) {
        let writer = Writer { names, facts: self.facts, raw: false };
        let mut before = folder::before(cases, &writer, self.framework);
        before.extend(restore::save(cases, &writer, self.framework));
        let mut after: Vec<JunitMethod> =
            restore::restore(cases, &writer, self.framework).into_iter().collect();
        after.extend(folder::after(cases, &writer, self.framework));
        (before, after)
    }

    #[allow(clippy::too_many_arguments, reason = "one place puts a test together")]
    fn method(
        &self,
        at: usize,
        case: &Case,
        name: String,
        failing: bool,
        qualify_test: bool,
        names: &TypeNames<'_>,
        (plain, sharing): (&PlainClasses, &Sharing),
    ) -> JunitMethod {
        let mut body = self.body(case, names, self.raw.contains(&(failing, at)));
        plain.apply(&mut body);
        sharing.apply(&mut body);
        let lines = if failing {
            comments::failure(case)
        } else {
            let purpose = comments::purpose(case);
            if purpose.is_empty() { comments::blindness(case) } else { purpose }
        };
        self.printed(at, case, name, body, lines, qualify_test, names)
    }

    /// A test with this comment over it.
    #[allow(clippy::too_many_arguments, reason = "one place puts a test together")]
    fn printed(
        &self,
        at: usize,
        case: &Case,
        name: String,
        body: body::TestBody,
        mut lines: Vec<String>,
        qualify_test: bool,
        names: &TypeNames<'_>,
    ) -> JunitMethod {
        let annotation = if qualify_test { self.framework.row().test } else { "Test" };
        let mut printer = java::Printer::styled(self.framework, &self.style);
        lines.extend(printer.method(&Method {
            annotations: vec![annotation.into()],
            modifiers: self.framework.visibility(),
            name: name.clone(),
            throws: body.throws.map(Into::into),
            body: body.paragraphs.clone(),
            ..Method::default()
        }));
        JunitMethod {
            name,
            case: at,
            rows: Vec::new(),
            fails_with: None,
            harmless: case.effects.are_harmless(),
            lines,
            imports: names.take_imports(),
            assertions: printer.assertions,
            body: body.paragraphs,
            throws: body.throws,
        }
    }

    fn body(&self, case: &Case, names: &TypeNames<'_>, raw: bool) -> body::TestBody {
        let writer = Writer { names, facts: self.facts, raw };
        body::write(&writer, self.framework, case)
    }
}

fn comment(under_test: &ClassName<'_>, failing: bool, cases: &[&Case]) -> Vec<String> {
    let class = under_test.nest.join(".");
    if failing {
        // A failing input that returns breaks a contract, such as that of `equals`.
        let is_returned = cases.iter().any(|case| matches!(case.outcome, Outcome::Returned));
        let contract = if is_returned { ", or breaks a contract" } else { "" };
        vec![
            format!("Inputs on which {class} throws an undeclared exception{contract}."),
            String::new(),
            "<p>Each test passes until the defect is fixed.".into(),
        ]
    } else {
        vec![format!("Tests of {class}, generated by Cupping.")]
    }
}
