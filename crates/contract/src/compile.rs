//! Compiles specifications to classes in two rounds of `javac`, the first of which infers types.

use crate::ast::{Specification, TestDeclaration};
use crate::compiled_specifications::{CompiledSpecifications, compiled_case};
use crate::compiler::{CompileError, Compiler};
use crate::diagnostic::{Diagnostic, Span};
use crate::java::{Case, Types, triples};
use crate::javac::Javac;
use crate::names::{check_names, nested_import};
use crate::targets::{targets_of, types_of};
use crate::token::tokens;

/// Limit on the type combinations of a testcase.
const MOST_CHOICES: usize = 256;

impl Compiler<'_> {
    /// Compiles specifications.
    ///
    /// # Errors
    /// All errors found in them.
    pub fn compile(&self, specifications: &[Specification]) -> Result<CompiledSpecifications, CompileError> {
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
            return Ok(CompiledSpecifications::default());
        }
        let javac = Javac::new(self.program, &cases);
        let first = javac.classes(None)?;
        let mut types = Vec::new();
        let mut targets = Vec::new();
        for (_, case) in &cases {
            types.push(types_of(case, &first));
            targets.push(targets_of(case, &first)?);
            wrong.extend(misused(case, types.last()));
        }
        if !wrong.is_empty() {
            return Err(CompileError::Wrong(wrong));
        }
        let second = javac.classes(Some(&types))?;
        let compiled =
            cases.iter().zip(targets).map(|((at, case), targets)| compiled_case(*at, case, targets));
        Ok(CompiledSpecifications { cases: compiled.collect(), classes: second })
    }

    /// The testcases of a test, one per combination of types.
    fn cases_of<'s>(
        &self,
        specification: &'s Specification,
        test: &'s TestDeclaration,
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

/// Uses of `result` where the call returns nothing, and of `modifies` for a value that no call can change.
fn misused(case: &Case<'_>, types: Option<&Types>) -> Vec<Diagnostic> {
    let source = &case.specification.source;
    let type_of = |name: String| types.and_then(|it| it.get(&name)).map_or("", String::as_str);
    let mut found = Vec::new();
    for (number, (triple, _)) in triples(case.testcase).iter().enumerate() {
        let Some(post) = &triple.post else { continue };
        let text = source.slice(post.span);
        let words: Vec<Span> = tokens(text).iter().map(|it| it.span).collect();
        let word = |at: usize| words.get(at).map_or("", |it| &text[it.start..it.end]);
        let is_void = triple.throws.is_none() && type_of(format!("t{number}_type")).ends_with("CuppingVoid");
        let result = (0..words.len()).find(|at| word(*at) == "result" && (*at == 0 || word(at - 1) != "."));
        if let Some(at) = result.filter(|_| is_void) {
            let span =
                Span { start: post.span.start + words[at].start, end: post.span.start + words[at].end };
            let called = source.slice(triple.call.name);
            let message = format!("{called} returns nothing, so there is no result");
            found.push(Diagnostic::new(source, span, message));
        }
        for (at, (_, inner)) in post.modifies.iter().enumerate() {
            let ty = type_of(format!("t{number}_mod{at}"));
            let is_primitive =
                matches!(ty, "boolean" | "byte" | "char" | "short" | "int" | "long" | "float" | "double");
            if is_primitive && !source.slice(*inner).contains('.') {
                let message = format!("no call changes this {ty}; modifies takes an object or object.field");
                found.push(Diagnostic::new(source, *inner, message));
            }
        }
    }
    found
}
