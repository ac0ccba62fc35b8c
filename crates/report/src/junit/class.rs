//! A test class as it is written to a file.

use super::helpers::helpers;
use super::type_names::{ClassName, beside_jdk};
use crate::framework::Framework;
use crate::source::layout;
use crate::source::tree::Stmt;
use crate::style::TestStyle;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One `@Test` method, or a parameterized one.
#[derive(Clone, Debug, PartialEq)]
pub struct JunitMethod {
    /// Its name.
    pub name: String,
    /// Index of its case in the suite's list from which it was printed.
    pub case: usize,
    /// The rows of a parameterized test: the case of each, and the name of a separate test for it.
    pub rows: Vec<(usize, String)>,
    /// The binary name of the exception with which it must fail, if it is a failing test.
    pub fails_with: Option<String>,
    /// Whether the machine knows that it has no effect outside of the heap.
    pub harmless: bool,
    /// Comment, annotation, head and body, not indented.
    pub lines: Vec<String>,
    /// Classes that it imports, such as `java.util.List`.
    pub imports: BTreeSet<String>,
    /// Static methods it needs imported, with their classes.
    pub assertions: BTreeSet<String>,
    /// The statements of a test, in paragraphs.
    pub(super) body: Vec<Vec<Stmt>>,
    /// The exceptions that it declares.
    pub(super) throws: Option<&'static str>,
}

impl JunitMethod {
    /// Its cases: one, or one for each row.
    pub fn cases(&self) -> impl Iterator<Item = usize> + '_ {
        self.recorded().map(|(case, _)| case)
    }

    /// Its cases, each with the name of a separate test for it.
    pub fn recorded(&self) -> impl Iterator<Item = (usize, &str)> + '_ {
        let own = self.rows.is_empty().then_some((self.case, self.name.as_str()));
        own.into_iter().chain(self.rows.iter().map(|(case, name)| (*case, name.as_str())))
    }

    /// Whether it calls a method of the test class.
    pub fn calls(&self, name: &str) -> bool {
        let call = format!(" {name}(");
        self.lines.iter().any(|line| line.contains(&call))
    }
}

/// One JUnit test class.
#[derive(Clone, Debug, PartialEq)]
pub struct JunitClass {
    /// Internal name of the class under test.
    pub class_under_test: String,
    /// Package with dots; empty for the unnamed one.
    pub package: String,
    /// Simple name of the test class.
    pub name: String,
    /// The framework it is written for.
    pub framework: Framework,
    /// The style it is written in.
    pub style: Arc<TestStyle>,
    /// Whether its cases are those of [`Suite::failing`](cupping_case::Suite::failing).
    pub failing: bool,
    /// The comment over the class, one entry per line.
    pub comment: Vec<String>,
    /// Its tests.
    pub methods: Vec<JunitMethod>,
    /// Fields, and what runs before each test.
    pub before: Vec<JunitMethod>,
    /// The methods that run after each test.
    pub after: Vec<JunitMethod>,
    /// Methods that create objects for several tests, and classes of such objects. Those that no test calls are not
    /// written.
    pub shared: Vec<JunitMethod>,
    /// Whether the name `Test` denotes another class here, so that the annotation is written in full.
    pub qualify_test: bool,
    /// Warnings of javac to suppress, such as `unchecked`.
    pub suppressed: BTreeSet<String>,
}

/// Source text, and which lines of it belong to which method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSource {
    /// The file.
    pub text: String,
    /// For each method its first line and the line after its last, counted from 1.
    pub lines: Vec<(usize, usize)>,
    /// For each method shared by tests its name, its first line and the line after its last.
    pub shared: Vec<(String, usize, usize)>,
    /// For each imported class the line of its import.
    pub imports: Vec<(usize, String)>,
}

impl JunitClass {
    /// Its name for javac and the JVM, with dots.
    pub fn binary_name(&self) -> String {
        if self.package.is_empty() { self.name.clone() } else { format!("{}.{}", self.package, self.name) }
    }

    /// The simple name from which the names of a class's tests are derived; takes the internal name of the class.
    pub fn simple_name_of_tests(class: &str) -> String {
        ClassName::parse(class).nest.join("_")
    }

    /// The packages (with dots) that the tests of a class can be in: its own and, if that is the JDK's, another one.
    pub fn packages_of_tests(class: &str) -> [String; 2] {
        let own = ClassName::parse(class).package;
        [own.to_owned(), beside_jdk(own)].map(|it| it.replace('/', "."))
    }

    /// The kind of its tests, as shown in its name between the class and `Test`: `Failing`, or nothing for regular
    /// tests.
    pub fn kind(&self) -> &'static str {
        match (self.failing, self.methods.iter().any(|it| it.fails_with.is_some())) {
            (false, _) => "",
            (true, false) => "Failing",
            (true, true) => "Counterexample",
        }
    }

    /// The path of the file, relative to the output folder, with `/`.
    pub fn path(&self) -> String {
        format!("{}.java", self.binary_name().replace('.', "/"))
    }

    /// The Java source; the same bytes every time.
    pub fn source(&self) -> ClassSource {
        let mut out = Lines::of(&self.style);
        if !self.package.is_empty() {
            out.line(&format!("package {};", self.package));
            out.line("");
        }
        let imports = self.import_section(&mut out);
        out.line("/**");
        for line in &self.comment {
            out.line(format!(" * {line}").trim_end());
        }
        out.line(" */");
        self.suppressions(&mut out);
        let visibility = if self.framework.row().is_public { "public " } else { "" };
        out.line(&format!("{visibility}class {} {{", self.name));
        let mut lines = Vec::new();
        for member in &self.before {
            member.lines.iter().for_each(|line| out.line(format!("    {line}").trim_end()));
            out.line("");
        }
        for (at, method) in self.methods.iter().enumerate() {
            if at > 0 {
                out.line("");
            }
            let first = out.next_line();
            for line in &method.lines {
                out.line(&if line.is_empty() { String::new() } else { format!("    {line}") });
            }
            lines.push((first, out.next_line()));
        }
        for after in &self.after {
            out.line("");
            after.lines.iter().for_each(|line| out.line(&format!("    {line}")));
        }
        let mut shared = Vec::new();
        for maker in self.shared.iter().filter(|it| self.is_called(it)) {
            out.line("");
            let first = out.next_line();
            maker.lines.iter().for_each(|line| out.line(&format!("    {line}")));
            shared.push((maker.name.clone(), first, out.next_line()));
        }
        for helper in helpers(|| self.all().flat_map(|it| &it.lines)) {
            out.line("");
            for line in helper.lines() {
                out.line(format!("    {line}").trim_end());
            }
        }
        out.line("}");
        ClassSource { text: out.text, lines, shared, imports }
    }

    /// The lines of all its members.
    pub(super) fn all_lines(&self) -> impl Iterator<Item = &str> {
        self.all().flat_map(|it| it.lines.iter().map(String::as_str))
    }

    fn all(&self) -> impl Iterator<Item = &JunitMethod> {
        let shared = self.shared.iter().filter(|it| self.is_called(it));
        self.before.iter().chain(&self.methods).chain(&self.after).chain(shared)
    }

    fn is_called(&self, maker: &JunitMethod) -> bool {
        let is_called = |maker: &JunitMethod| self.methods.iter().any(|it| it.calls(&maker.name));
        // One of them may create objects of another.
        is_called(maker) || self.shared.iter().any(|it| it.calls(&maker.name) && is_called(it))
    }

    fn import_section(&self, out: &mut Lines<'_>) -> Vec<(usize, String)> {
        if self.style.static_imports_last {
            let lines = self.import_classes(out);
            self.import_statics(out);
            return lines;
        }
        self.import_statics(out);
        self.import_classes(out)
    }

    fn import_statics(&self, out: &mut Lines<'_>) {
        let statics: BTreeSet<&str> =
            self.methods.iter().flat_map(|it| it.assertions.iter().map(String::as_str)).collect();
        for name in &statics {
            out.line(&format!("import static {name};"));
        }
        if !statics.is_empty() {
            out.line("");
        }
    }

    fn import_classes(&self, out: &mut Lines<'_>) -> Vec<(usize, String)> {
        let mut classes: BTreeSet<&str> =
            self.all().flat_map(|it| it.imports.iter().map(String::as_str)).collect();
        let has_test = self.methods.iter().any(|it| it.lines.iter().any(|line| line == "@Test"));
        if has_test && !self.qualify_test {
            classes.insert(self.framework.row().test);
        }
        // java and javax first, the others after, as most style guides require.
        let (java, others): (Vec<&str>, Vec<&str>) =
            classes.into_iter().partition(|name| name.starts_with("java.") || name.starts_with("javax."));
        let mut lines = Vec::new();
        for group in [java, others].into_iter().filter(|group| !group.is_empty()) {
            for name in group {
                lines.push((out.next_line(), name.to_string()));
                out.line(&format!("import {name};"));
            }
            out.line("");
        }
        lines
    }

    fn suppressions(&self, out: &mut Lines<'_>) {
        let quoted: Vec<String> = self.suppressed.iter().map(|it| format!("\"{it}\"")).collect();
        match quoted.as_slice() {
            [] => {}
            [one] => out.line(&format!("@SuppressWarnings({one})")),
            several => out.line(&format!("@SuppressWarnings({{{}}})", several.join(", "))),
        }
    }
}

/// The lines of a file in a style.
struct Lines<'a> {
    style: &'a TestStyle,
    text: String,
    count: usize,
}

impl<'a> Lines<'a> {
    fn of(style: &'a TestStyle) -> Lines<'a> {
        Lines { style, text: String::new(), count: 0 }
    }

    fn line(&mut self, line: &str) {
        for line in layout::lines(self.style, line) {
            self.text.push_str(&line);
            self.text.push('\n');
            self.count += 1;
        }
    }

    fn next_line(&self) -> usize {
        self.count + 1
    }
}
