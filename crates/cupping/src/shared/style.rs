//! `--indent` and its like: the style of tests that are written.

use clap::{Args, ValueEnum};
use cupping_classfile::Program;
use cupping_report::style::{AssertionLibrary, Indent, Locals, TestNamePattern, TestStyle};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// The class that is on the class path where tests may use AssertJ.
const ASSERTJ: &str = "org/assertj/core/api/Assertions";

/// `--locals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LocalsName {
    /// With their types
    Typed,
    /// `final`, with their types
    Final,
    /// `var` where the type stands to the right of it (Java 10)
    Var,
    /// Both
    FinalVar,
}

/// `--static-imports`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StaticImports {
    /// Before all others
    First,
    /// After all others
    Last,
}

/// `--assert-with`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AssertWith {
    /// The assertions of the test framework
    Framework,
    /// AssertJ, where it has an assertion for the purpose
    Assertj,
}

/// Arguments about the style of tests. In a project the defaults are what most of its own tests do.
#[derive(Debug, Args)]
pub struct StyleArgs {
    /// A level of indentation: a number of spaces, or tab
    #[arg(long, value_name = "N", default_value = "4", value_parser = parse_indent, help_heading = "Style")]
    pub indent: Indent,

    /// Break lines that are longer than this; 0 for never
    #[arg(long, value_name = "COLUMNS", default_value_t = 120, value_parser = parse_width, help_heading = "Style")]
    pub line_width: usize,

    /// Where static imports stand
    #[arg(long, value_enum, default_value_t = StaticImports::First, help_heading = "Style")]
    pub static_imports: StaticImports,

    /// A file with the comment at the top of each test class, such as a licence
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath, help_heading = "Style")]
    pub licence_header: Option<PathBuf>,

    /// The same as a text, as the project's own tests have it.
    #[arg(long, hide = true, help_heading = "Style")]
    pub licence_text: Option<String>,

    /// How local variables are declared
    #[arg(long, value_enum, default_value_t = LocalsName::Typed, help_heading = "Style")]
    pub locals: LocalsName,

    /// Whose assertions tests call
    #[arg(long, value_enum, default_value_t = AssertWith::Framework, help_heading = "Style")]
    pub assert_with: AssertWith,

    /// Pattern for names of tests: {name} stands for the name, {Name} for the name with a capital, as in test{Name}
    #[arg(long, value_name = "PATTERN", default_value = "{name}", help_heading = "Style")]
    pub test_name_pattern: TestNamePattern,
}

impl StyleArgs {
    /// The style of tests of a program's classes.
    ///
    /// # Errors
    /// The header cannot be read or is no comment, or AssertJ is not on the class path.
    pub fn style(&self, program: &Program) -> Result<Arc<TestStyle>, String> {
        let assertions = match self.assert_with {
            AssertWith::Framework => AssertionLibrary::Framework,
            AssertWith::Assertj if !matches!(program.find(ASSERTJ), Ok(Some(_))) => {
                return Err(
                    "--assert-with assertj: AssertJ is not on the class path; add assertj-core.jar to \
                            --classpath"
                        .into(),
                );
            }
            AssertWith::Assertj => AssertionLibrary::AssertJ,
        };
        Ok(Arc::new(TestStyle {
            indent: self.indent,
            width: (self.line_width > 0).then_some(self.line_width),
            static_imports_last: self.static_imports == StaticImports::Last,
            locals: Locals {
                is_final: matches!(self.locals, LocalsName::Final | LocalsName::FinalVar),
                is_var: matches!(self.locals, LocalsName::Var | LocalsName::FinalVar),
            },
            assertions,
            header: self.header()?,
            test_names: self.test_name_pattern.clone(),
        }))
    }

    /// The comment at the top of each test class.
    ///
    /// # Errors
    /// The file cannot be read, or is no comment.
    pub fn header(&self) -> Result<Option<String>, String> {
        let Some(file) = &self.licence_header else { return Ok(self.licence_text.clone()) };
        let text = fs::read_to_string(file)
            .map_err(|error| format!("--licence-header {}: {error}", file.display()))?;
        let text = text.trim().replace("\r\n", "\n");
        if text.is_empty() {
            return Ok(None);
        }
        let is_block = text.starts_with("/*") && text.find("*/") == Some(text.len() - 2);
        let is_comment = is_block || text.lines().all(|line| line.starts_with("//"));
        match is_comment {
            true => Ok(Some(text)),
            false => {
                Err(format!("--licence-header {}: not a comment; write it between /* and */", file.display()))
            }
        }
    }
}

fn parse_indent(text: &str) -> Result<Indent, String> {
    match text {
        "tab" => Ok(Indent::Tab),
        _ => match text.parse() {
            Ok(spaces @ 1..=16) => Ok(Indent::Spaces(spaces)),
            _ => Err("write a number of spaces from 1 to 16, or tab".into()),
        },
    }
}

fn parse_width(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(width) if width == 0 || (40..=1000).contains(&width) => Ok(width),
        _ => Err("write a number of columns from 40 to 1000, or 0".into()),
    }
}
