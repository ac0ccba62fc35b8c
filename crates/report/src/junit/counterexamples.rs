//! Counterexamples of a specification as tests: they assert what the specification demands, and fail until the
//! defect is fixed.

use super::comments::escape;
use super::slugs::camel_case;
use super::test_names::{method_word, number};
use super::{ClassName, JunitClass, JunitMethod, Printer, TestForm, TypeNames, body, test_package};
use crate::facts::ClassFacts;
use cupping_case::{Case, Counterexample, Suite};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The exception of a failed assertion in every framework.
pub const ASSERTION: &str = "java.lang.AssertionError";

/// Maximum length of the part of a test's name that says what fails.
const LONGEST_TITLE: usize = 50;

/// `ListCounterexampleTest`; `None` without counterexamples.
pub fn counterexample_class(
    class: &str,
    counterexamples: &[Counterexample],
    form: impl Into<TestForm>,
    facts: &dyn ClassFacts,
) -> Option<JunitClass> {
    let suite = Suite::new(class);
    let raw = BTreeSet::new();
    let TestForm { framework, style } = form.into();
    let printer = Printer { suite: &suite, framework, style, facts, raw: &raw };
    let safe: Vec<(usize, &Counterexample)> =
        counterexamples.iter().enumerate().filter(|(_, it)| it.case.danger().is_none()).collect();
    (!safe.is_empty()).then(|| printer.counterexamples(&safe))
}

impl Printer<'_> {
    fn counterexamples(&self, all: &[(usize, &Counterexample)]) -> JunitClass {
        let cases: Vec<&Case> = all.iter().map(|(_, it)| &it.case).collect();
        let under_test = ClassName::parse(&self.suite.class);
        let package = test_package(under_test.package, self.facts);
        let names = TypeNames::new(&package, self.facts);
        let name = format!("{}CounterexampleTest", under_test.nest.join("_"));
        for (_, it) in all {
            self.body(&it.case, &names, false);
        }
        self.around(&cases, &names);
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
        let title = |it: &Counterexample| self.style.test_names.apply(&title(it));
        let titles = number(all.iter().map(|(_, it)| title(it)).collect());
        let methods = all.iter().zip(titles).map(|((at, it), title)| {
            let body = self.body(&it.case, &names, false);
            self.counterexample(*at, it, title, body, qualify_test, &names)
        });
        let methods = methods.collect();
        let (before, after) = self.around(&cases, &names);
        let nest = under_test.nest.join(".");
        JunitClass {
            class_under_test: self.suite.class.to_string(),
            package: package.replace('/', "."),
            name,
            framework: self.framework,
            style: Arc::clone(&self.style),
            failing: true,
            comment: vec![
                format!("Inputs on which {nest} breaks its specification, found by Cupping."),
                String::new(),
                "<p>Each test asserts what the specification demands, and fails until the defect is fixed."
                    .into(),
            ],
            methods,
            before,
            after,
            qualify_test,
            shared: Vec::new(),
            suppressed: Default::default(),
        }
    }

    fn counterexample(
        &self,
        at: usize,
        it: &Counterexample,
        name: String,
        body: body::TestBody,
        qualify_test: bool,
        names: &TypeNames<'_>,
    ) -> JunitMethod {
        let mut lines = vec!["/**".to_owned(), " * <pre>".into()];
        lines.extend(it.comment.iter().map(|line| format!(" * {}", escape(line)).trim_end().to_owned()));
        lines.extend([" * </pre>".into(), " */".into()]);
        let fails_with = it.throws.as_ref().map_or(ASSERTION.to_owned(), |it| it.replace('/', "."));
        let printed = self.printed(at, &it.case, name, body, lines, qualify_test, names);
        JunitMethod { fails_with: Some(fails_with), ..printed }
    }
}

fn title(it: &Counterexample) -> String {
    let method = method_word(&it.case.under_test.name);
    let words: String = camel_case(&it.title).chars().take(LONGEST_TITLE).collect();
    if words.is_empty() { method } else { format!("{method}_{words}") }
}
