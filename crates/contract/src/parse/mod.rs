//! The parser for specifications (paper, Figure 1; `docs/spec.md` has the whole grammar).
//!
//! [`reader`] reads tokens, [`statement`], [`requirement`] and [`triple`] the parts of a testcase.

mod reader;
mod requirement;
mod statement;
mod triple;

use crate::ast::{Parameter, Specification, TestDeclaration, Testcase};
use crate::diagnostic::{Diagnostic, SpecificationSource};
use crate::token::{TokenKind, tokens};
use reader::{ParseResult, TokenReader};

/// Parses a specification.
///
/// # Errors
/// The first error.
pub fn read(source: &SpecificationSource) -> Result<Specification, Diagnostic> {
    let all = tokens(&source.text).into_iter().filter(|token| token.kind != TokenKind::Comment).collect();
    TokenReader { source, tokens: all, at: 0, depth: 0 }.specification()
}

impl TokenReader<'_> {
    fn specification(&mut self) -> ParseResult<Specification> {
        let mut package = None;
        if self.take("package") {
            let name = self.qualified("the package")?;
            package = Some(self.source.slice(name).split_whitespace().collect());
            self.expect(";", "after the package")?;
        }
        let mut imports = Vec::new();
        while self.is("import") {
            let from = self.at;
            while !self.is(";") {
                if self.at >= self.tokens.len() {
                    return self.fail(self.span(from, from + 1), "';' is missing after the import");
                }
                self.at += 1;
            }
            self.at += 1;
            imports.push(self.span(from, self.at));
        }
        let mut tests = Vec::new();
        while self.at < self.tokens.len() {
            if !self.take("test") {
                let what = format!("'test' is missing: write test CLASS {{ … }} instead of {}", self.next());
                return self.fail(self.here(), what);
            }
            tests.push(self.test()?);
        }
        if tests.is_empty() {
            let what = "there is no test here: write test CLASS { testcase NAME { … } }";
            return self.fail(self.here(), what);
        }
        Ok(Specification { source: self.source.clone(), package, imports, tests })
    }

    fn test(&mut self) -> ParseResult<TestDeclaration> {
        let class = self.qualified("the class that the test is about")?;
        self.expect("{", "after the class of the test")?;
        let mut test = TestDeclaration { class, testcases: Vec::new(), members: Vec::new() };
        while !self.take("}") {
            if self.is("java") {
                self.at += 1;
                let from = self.at;
                if !self.is("{") {
                    return self.fail(self.here(), "'{' is missing after java");
                }
                let end = self.closing(from)?;
                test.members.push(self.span(from + 1, end));
                self.at = end + 1;
            } else if self.take("testcase") {
                let testcase = self.testcase()?;
                let name = self.source.slice(testcase.name);
                if test.testcases.iter().any(|it: &Testcase| self.source.slice(it.name) == name) {
                    let what = format!("this test already has a testcase {name}; give this one another name");
                    return self.fail(testcase.name, what);
                }
                test.testcases.push(testcase);
            } else if self.at >= self.tokens.len() {
                return self.fail(self.here(), "'}' is missing at the end of the test");
            } else {
                return self.fail(self.here(), "write testcase NAME { … } or java { … } here");
            }
        }
        Ok(test)
    }

    fn testcase(&mut self) -> ParseResult<Testcase> {
        let name = self.word("the testcase")?;
        let is_always = self.take("always");
        let is_returning = is_always && self.take("returning");
        if !self.is("{") {
            return self.fail(self.here(), "'{' is missing after the name of the testcase");
        }
        let end = self.closing(self.at)?;
        self.at += 1;
        let mut types = Vec::new();
        while self.take("forall") {
            types.push(self.parameter()?);
        }
        let mut body = Vec::new();
        while self.at < end {
            body.push(self.statement(end)?);
        }
        self.at = end + 1;
        Ok(Testcase { name, is_always, is_returning, types, body })
    }

    fn parameter(&mut self) -> ParseResult<Parameter> {
        let name = self.word("the type that the testcase is about")?;
        let bound = if self.take("extends") { Some(self.ty()?) } else { None };
        let mut values = Vec::new();
        if self.take("in") {
            values.push(self.ty()?);
            while self.take(",") {
                values.push(self.ty()?);
            }
        }
        if bound.is_none() && values.is_empty() {
            return self.fail(name, "list the types: forall T extends BOUND; or forall T in TYPE, TYPE;");
        }
        self.expect(";", "after forall")?;
        Ok(Parameter { name, bound, values })
    }
}
