//! Generates the Java class of a testcase: variables become static fields, and each part becomes a static
//! method.
//!
//! The class is generated twice: once for `javac` to infer the types of results and `old` values, then with
//! those types.

use crate::ast::{Bound, Condition, Specification, Statement, TestDeclaration, Testcase, Triple};
use crate::diagnostic::{Span, SpecificationSource};
use crate::token::{TokenKind, tokens};
use std::collections::BTreeMap;

/// The inferred types in Java syntax, by method.
pub(crate) type Types = BTreeMap<String, String>;

/// Generated Java with the origins of its parts.
#[derive(Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Offset in the text, offset in the specification, length.
    map: Vec<(usize, usize, usize)>,
}

impl Text {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The origin of a byte: the span of the part that contains it, or of the previous or next part.
    pub(crate) fn origin(&self, at: usize) -> Option<Span> {
        let after = self.map.partition_point(|(start, _, _)| *start <= at);
        let (_, from, length) =
            after.checked_sub(1).map(|before| self.map[before]).or(self.map.first().copied())?;
        Some(Span { start: from, end: from + length })
    }
}

/// A testcase for one combination of types.
pub(crate) struct Case<'s> {
    pub(crate) specification: &'s Specification,
    pub(crate) test: &'s TestDeclaration,
    pub(crate) testcase: &'s Testcase,
    /// The type parameters with their types.
    pub(crate) types: Vec<(String, String)>,
    pub(crate) package: String,
    /// The nested class under test, if its simple name needs an import.
    pub(crate) nested: Option<String>,
    pub(crate) class: String,
}

/// All triples of a testcase, nested ones before the one that contains them, each with the number of
/// variables in scope.
pub(crate) fn triples(testcase: &Testcase) -> Vec<(&Triple, usize)> {
    fn add<'t>(triple: &'t Triple, seen: usize, all: &mut Vec<(&'t Triple, usize)>) {
        for condition in std::iter::once(&triple.pre).chain(&triple.post) {
            condition.nested.iter().for_each(|inner| add(inner, seen, all));
        }
        all.push((triple, seen));
    }
    let (mut all, mut seen) = (Vec::new(), 0);
    for statement in &testcase.body {
        match statement {
            Statement::Requirement(_) | Statement::Local { .. } => seen += 1,
            Statement::Java(_) => {}
            Statement::Triple(triple) => add(triple, seen, &mut all),
        }
    }
    all
}

/// The index of a triple in [`triples`].
pub(crate) fn number_of(all: &[(&Triple, usize)], triple: &Triple) -> usize {
    all.iter().position(|(other, _)| other.span == triple.span).unwrap_or(0)
}

/// Lets `var` infer the type of an expression, including `void`. One class per package, for the first round
/// only.
pub(crate) const INFERENCE: &str = "
final class CuppingTypes {
    interface Z { boolean get() throws Throwable; }
    interface B { byte get() throws Throwable; }
    interface C { char get() throws Throwable; }
    interface S { short get() throws Throwable; }
    interface I { int get() throws Throwable; }
    interface J { long get() throws Throwable; }
    interface F { float get() throws Throwable; }
    interface D { double get() throws Throwable; }
    interface L<T> { T get() throws Throwable; }
    interface V { void get() throws Throwable; }
    static final class CuppingVoid { }
    static boolean of(Z e) { return false; }
    static byte of(B e) { return 0; }
    static char of(C e) { return 0; }
    static short of(S e) { return 0; }
    static int of(I e) { return 0; }
    static long of(J e) { return 0; }
    static float of(F e) { return 0; }
    static double of(D e) { return 0; }
    static <T> T of(L<T> e) { return null; }
    static CuppingVoid of(V e) { return null; }
}
";

/// Names of the local variables whose types are inferred; users cannot declare them.
pub(crate) const OBSERVED: &str = "cupping$value";
pub(crate) const RESULT: &str = "cupping$result";

impl Case<'_> {
    fn source(&self) -> &SpecificationSource {
        &self.specification.source
    }

    /// The internal name of its class.
    pub(crate) fn internal_name(&self) -> String {
        match self.package.as_str() {
            "" => self.class.clone(),
            package => format!("{}/{}", package.replace('.', "/"), self.class),
        }
    }

    /// Copies a part of the specification with its origin, replacing some spans.
    fn copy(&self, to: &mut Text, span: Span, replaced: &[(Span, String)]) {
        let text = self.source().slice(span);
        let mut done = 0;
        let mut skip_to = 0;
        for token in tokens(text) {
            let from = span.start + token.span.start;
            if token.span.start < skip_to || token.kind == TokenKind::Comment {
                continue;
            }
            let gap = text.get(done..token.span.start).unwrap_or(" ");
            to.push(if gap.is_empty() {
                ""
            } else if gap.contains('\n') {
                "\n"
            } else {
                " "
            });
            let whole = replaced.iter().find(|(part, _)| part.start == from);
            let (written, length) = match whole {
                Some((part, by)) => (by.as_str(), part.end - part.start),
                None => {
                    let word = &text[token.span.start..token.span.end];
                    let ty =
                        self.types.iter().find(|(name, _)| token.kind == TokenKind::Word && name == word);
                    (ty.map_or(word, |(_, ty)| ty.as_str()), token.span.end - token.span.start)
                }
            };
            to.map.push((to.text.len(), from, length));
            to.push(written);
            done = token.span.start + length;
            skip_to = done;
        }
    }

    fn words(&self, span: Span) -> String {
        let mut text = Text::default();
        self.copy(&mut text, span, &[]);
        text.text
    }

    /// Types and names of the variables, in order.
    pub(crate) fn variables(&self) -> Vec<(String, String, bool)> {
        let mut variables = Vec::new();
        for statement in &self.testcase.body {
            match statement {
                Statement::Requirement(it) => {
                    variables.push((self.words(it.ty), self.source().slice(it.name).to_owned(), true));
                }
                Statement::Local { ty, name, .. } => {
                    variables.push((self.words(*ty), self.source().slice(*name).to_owned(), false));
                }
                _ => {}
            }
        }
        variables
    }

    fn parameters(&self, seen: usize) -> Vec<String> {
        self.variables().into_iter().take(seen).map(|(ty, name, _)| format!("{ty} {name}")).collect()
    }

    fn head(&self, to: &mut Text, ty: &str, name: &str, parameters: &[String]) {
        to.push(&format!("    static {ty} {name}({}) throws Throwable {{\n", parameters.join(", ")));
    }

    fn expression(&self, to: &mut Text, lead: &str, span: Span, replaced: &[(Span, String)], end: &str) {
        to.push(lead);
        self.copy(to, span, replaced);
        to.push("\n");
        to.push(end);
    }

    /// The class; without types for the inference round.
    pub(crate) fn class(&self, types: Option<&Types>) -> Text {
        let mut to = Text::default();
        if !self.package.is_empty() {
            to.push(&format!("package {};\n", self.package));
        }
        for import in &self.specification.imports {
            self.copy(&mut to, *import, &[]);
            to.push("\n");
        }
        if let Some(nested) = &self.nested {
            to.push(&format!("import {nested};\n"));
        }
        if let Some(package) = self.specification.package.as_ref().filter(|it| **it != self.package) {
            to.push(&format!("import {package}.*;\n"));
        }
        to.push(&format!("@SuppressWarnings(\"all\")\nfinal class {} {{\n", self.class));
        for member in &self.test.members {
            self.copy(&mut to, *member, &[]);
            to.push("\n");
        }
        for statement in &self.testcase.body {
            let (ty, name) = match statement {
                Statement::Requirement(it) => (it.ty, it.name),
                Statement::Local { ty, name, .. } => (*ty, *name),
                _ => continue,
            };
            to.push("    static ");
            self.copy(&mut to, ty, &[]);
            to.push(" ");
            self.copy(&mut to, name, &[]);
            to.push(";\n");
        }
        let all = triples(self.testcase);
        let mut seen = 0;
        for (step, statement) in self.testcase.body.iter().enumerate() {
            match statement {
                Statement::Requirement(it) => {
                    let ty = self.words(it.ty);
                    for (at, bound) in it.bounds.iter().enumerate() {
                        self.bound(&mut to, bound, [step, at], &ty, self.source().slice(it.name), seen);
                    }
                    seen += 1;
                }
                Statement::Local { name, value, .. } => {
                    if let Some(value) = value {
                        self.head(&mut to, "void", &format!("s{step}"), &[]);
                        let name = self.source().slice(*name);
                        let is_array = self.source().slice(*value).starts_with('{');
                        let new = if is_array { self.array_of(name) } else { String::new() };
                        self.expression(&mut to, &format!("        {name} = {new}"), *value, &[], "    ;}\n");
                    }
                    seen += 1;
                }
                Statement::Java(span) => {
                    self.head(&mut to, "void", &format!("s{step}"), &[]);
                    self.expression(&mut to, "        ", *span, &[], "    }\n");
                }
                Statement::Triple(_) => {}
            }
        }
        for (number, (triple, seen)) in all.iter().enumerate() {
            self.triple(&mut to, number, triple, *seen, &all, types);
        }
        to.push("}\n");
        to
    }

    /// `new T[]`, for a variable initialised with an array.
    fn array_of(&self, name: &str) -> String {
        let variables = self.variables();
        let ty = variables.iter().find(|(_, other, _)| other == name).map_or("", |(ty, _, _)| ty.as_str());
        format!("new {ty} ")
    }

    fn bound(&self, to: &mut Text, bound: &Bound, [step, at]: [usize; 2], ty: &str, name: &str, seen: usize) {
        match bound {
            Bound::Equal(e) => {
                self.head(to, "void", &format!("s{step}"), &[]);
                let new = if self.source().slice(*e).starts_with('{') {
                    format!("new {ty} ")
                } else {
                    String::new()
                };
                self.expression(to, &format!("        {name} = {new}"), *e, &[], "    ;}\n");
            }
            Bound::Where(e) => {
                self.head(to, "boolean", &format!("w{step}_{at}"), &self.parameters(seen + 1));
                self.expression(to, "        return (", *e, &[], "    );}\n");
            }
            Bound::Compare(_, e) => self.value(to, ty, &format!("b{step}_{at}_0"), *e),
            Bound::Range(low, high) => {
                self.value(to, ty, &format!("b{step}_{at}_0"), *low);
                self.value(to, ty, &format!("b{step}_{at}_1"), *high);
            }
            Bound::OneOf(values) => {
                for (which, value) in values.iter().enumerate() {
                    self.value(to, ty, &format!("b{step}_{at}_{which}"), *value);
                }
            }
        }
    }

    fn value(&self, to: &mut Text, ty: &str, name: &str, span: Span) {
        self.head(to, ty, name, &[]);
        self.expression(to, "        return ", span, &[], "    ;}\n");
    }

    fn triple(
        &self,
        to: &mut Text,
        number: usize,
        triple: &Triple,
        seen: usize,
        all: &[(&Triple, usize)],
        types: Option<&Types>,
    ) {
        let variables = self.parameters(seen);
        let mut parameters = variables.clone();
        let replaced = self.nested(&triple.pre, all, &mut parameters);
        self.head(to, "boolean", &format!("t{number}_pre"), &parameters);
        self.expression(to, "        return (", triple.pre.span, &replaced, "    );}\n");
        let call = triple.call.span;
        if types.is_none() {
            self.head(to, "void", &format!("t{number}_call"), &[]);
            self.expression(to, "        ", call, &[], "    ;}\n");
            self.head(to, "void", &format!("t{number}_type"), &[]);
            let lead = format!("        var {RESULT} = CuppingTypes.of(() -> ");
            self.expression(to, &lead, call, &[], "    );}\n");
        }
        let result = types
            .map_or("CuppingVoid", |types| types.get(&format!("t{number}_type")).map_or("Object", |it| it));
        let is_void = result.ends_with("CuppingVoid");
        if types.is_some() {
            self.head(to, if is_void { "void" } else { result }, &format!("t{number}_run"), &[]);
            self.expression(to, if is_void { "        " } else { "        return " }, call, &[], "    ;}\n");
        }
        if let Some(thrown) = triple.throws {
            self.head(to, "boolean", &format!("t{number}_throws"), &["Throwable thrown".to_owned()]);
            self.expression(to, "        return thrown instanceof ", thrown, &[], "    ;}\n");
        }
        let Some(post) = &triple.post else { return };
        let mut parameters = variables.clone();
        match triple.throws {
            Some(thrown) => parameters.push(format!("{} thrown", self.words(thrown))),
            None if !is_void => parameters.push(format!("{result} result")),
            None => {}
        }
        let mut replaced = Vec::new();
        for (at, (whole, inner)) in post.old.iter().enumerate() {
            let name = format!("t{number}_old{at}");
            self.observed(to, &name, *inner, &variables, types);
            let ty = types.and_then(|types| types.get(&name)).map_or("Object", |it| it);
            parameters.push(format!("{ty} old${at}"));
            replaced.push((*whole, format!("old${at}")));
        }
        for (at, (whole, inner)) in post.modifies.iter().enumerate() {
            self.observed(to, &format!("t{number}_mod{at}"), *inner, &variables, types);
            parameters.push(format!("boolean modifies${at}"));
            replaced.push((*whole, format!("modifies${at}")));
        }
        replaced.extend(self.nested(post, all, &mut parameters));
        if types.is_some() {
            self.head(to, "boolean", &format!("t{number}_post"), &parameters);
            self.expression(to, "        return (", post.span, &replaced, "    );}\n");
        }
    }

    /// A method that returns the value of an expression whose type is inferred in the first round.
    fn observed(&self, to: &mut Text, name: &str, span: Span, variables: &[String], types: Option<&Types>) {
        match types {
            None => {
                self.head(to, "void", name, variables);
                self.expression(to, &format!("        var {OBSERVED} = "), span, &[], "    ;}\n");
            }
            Some(types) => {
                self.head(to, types.get(name).map_or("Object", |it| it), name, variables);
                self.expression(to, "        return ", span, &[], "    ;}\n");
            }
        }
    }

    /// The parameters that replace the triples nested in a condition.
    fn nested(
        &self,
        condition: &Condition,
        all: &[(&Triple, usize)],
        parameters: &mut Vec<String>,
    ) -> Vec<(Span, String)> {
        let name = |triple: &Triple| format!("triple${}", number_of(all, triple));
        parameters.extend(condition.nested.iter().map(|it| format!("boolean {}", name(it))));
        condition.nested.iter().map(|it| (it.span, name(it))).collect()
    }
}
