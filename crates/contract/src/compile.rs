//! Compiles specifications to classes in two rounds of `javac`, the first of which infers types.

use crate::ast::{Specification, Test};
use crate::compiled::{Compiled, compiled_case};
use crate::compiler::{CompileError, Compiler};
use crate::diagnostic::Diagnostic;
use crate::java::Case;
use crate::javac::Javac;
use crate::names::{check_names, nested_import};
use crate::targets::{targets_of, types_of};

/// Limit on the type combinations of a testcase.
const MOST_CHOICES: usize = 256;

impl Compiler<'_> {
    /// Compiles specifications.
    ///
    /// # Errors
    /// All errors found in them.
    pub fn compile(&self, specifications: &[Specification]) -> Result<Compiled, CompileError> {
        let mut wrong = Vec::new();
        let mut cases = Vec::new();
        for (at, specification) in specifications.iter().enumerate() {
            for test in &specification.tests {
                match self.cases_of(specification, test) {
                    Ok(found) => cases.extend(found.into_iter().map(|case| (at, case))),
                    Err(diagnostics) => wrong.extend(diagnostics),
                }
            }
        }
        for (number, (_, case)) in cases.iter_mut().enumerate() {
            case.class = format!("Cupping$Case{number}");
        }
        if !wrong.is_empty() {
            return Err(CompileError::Wrong(wrong));
        }
        if cases.is_empty() {
            return Ok(Compiled::default());
        }
        let javac = Javac::new(self.program, &cases);
        let first = javac.classes(None)?;
        let mut types = Vec::new();
        let mut targets = Vec::new();
        for (_, case) in &cases {
            types.push(types_of(case, &first));
            targets.push(targets_of(case, &first)?);
        }
        let second = javac.classes(Some(&types))?;
        let compiled =
            cases.iter().zip(targets).map(|((at, case), targets)| compiled_case(*at, case, targets));
        Ok(Compiled { cases: compiled.collect(), classes: second })
    }

    /// The testcases of a test, one per combination of types.
    fn cases_of<'s>(
        &self,
        specification: &'s Specification,
        test: &'s Test,
    ) -> Result<Vec<Case<'s>>, Vec<Diagnostic>> {
        let source = &specification.source;
        let one = |span, message: String| vec![Diagnostic::new(source, span, message)];
        let written: String = source.slice(test.class).split_whitespace().collect();
        let Some(name) = self.resolve(specification, &written) else {
            let message = format!("class {written} is not on the class path; write its package or import it");
            return Err(one(test.class, message));
        };
        let is_jdk = self.program.find(&name).ok().flatten().is_some_and(|file| file.origin().is_jdk());
        let package = name.rsplit_once('/').filter(|_| !is_jdk).map_or("", |(package, _)| package);
        let nested = nested_import(specification, &name);
        let mut cases = Vec::new();
        for testcase in &test.testcases {
            let mut choices: Vec<Vec<(String, String)>> = vec![Vec::new()];
            for parameter in &testcase.types {
                let values = self.values_of(specification, parameter)?;
                let name = source.slice(parameter.name);
                choices = choices
                    .iter()
                    .flat_map(|choice| {
                        values.iter().map(|value| {
                            choice.iter().cloned().chain([(name.to_owned(), value.clone())]).collect()
                        })
                    })
                    .collect();
                if choices.len() > MOST_CHOICES {
                    return Err(one(
                        parameter.name,
                        format!("more than {MOST_CHOICES} combinations of types"),
                    ));
                }
            }
            check_names(specification, testcase)?;
            for types in choices {
                let package = package.replace('/', ".");
                let (nested, class) = (nested.clone(), String::new());
                cases.push(Case { specification, test, testcase, types, package, nested, class });
            }
        }
        Ok(cases)
    }
}
