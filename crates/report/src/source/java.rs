//! Prints the tree as Java: one statement per line, with readable breaks of long lines.

use super::literals;
use super::tree::{Assert, Expr, Field, Lambda, Method, NewObject, Stmt, TypeName};
use crate::framework::Framework;
use crate::style::{AssertionLibrary, Locals, TestStyle};
use cupping_case::{JavaType, Literal};
use std::collections::BTreeSet;

/// Maximum length of an assertion on a file or a state that is printed on one line.
const WIDTH: usize = 100;
/// Elements of a long array on one line.
const NUMBERS_OF_LINE: usize = 20;
const INDENT: &str = "    ";

/// Prints statements for a framework, and records the assertions that they call.
#[derive(Debug)]
pub struct Printer {
    framework: Framework,
    locals: Locals,
    library: AssertionLibrary,
    /// The methods for static imports, with their classes.
    pub assertions: BTreeSet<String>,
}

impl Printer {
    /// A printer for a framework, in the default style.
    pub fn new(framework: Framework) -> Printer {
        Printer::styled(framework, &TestStyle::default())
    }

    /// A printer for a framework that uses the forms of Java that a style asks for.
    pub fn styled(framework: Framework, style: &TestStyle) -> Printer {
        let (locals, library) = (style.locals, style.assertions);
        Printer { framework, locals, library, assertions: BTreeSet::new() }
    }

    pub(super) fn framework(&self) -> Framework {
        self.framework
    }

    pub(super) fn import(&mut self, class: &str, method: &str) {
        self.assertions.insert(format!("{class}.{method}"));
    }

    /// A field, not indented.
    pub fn field(&mut self, field: &Field) -> Vec<String> {
        let mut lines: Vec<String> = field.annotations.iter().map(|it| format!("@{}", it.name)).collect();
        let modifiers = words(field.modifiers);
        let value = field.value.as_ref().map_or(String::new(), |it| format!(" = {}", self.expr(it)));
        lines.push(format!("{modifiers}{} {}{value};", field.ty.name, field.name));
        lines
    }

    /// A method, not indented.
    pub fn method(&mut self, method: &Method) -> Vec<String> {
        let mut lines: Vec<String> = method.annotations.iter().map(|it| format!("@{it}")).collect();
        lines.push(format!("{} {{", head(method)));
        for (at, paragraph) in method.body.iter().filter(|it| !it.is_empty()).enumerate() {
            if at > 0 {
                lines.push(String::new());
            }
            for line in self.paragraph(paragraph, &method.body) {
                lines.push(if line.is_empty() { line } else { format!("{INDENT}{line}") });
            }
        }
        lines.push("}".into());
        lines
    }

    /// The lines of a paragraph of a body. Two statements may become one.
    fn paragraph(&mut self, paragraph: &[Stmt], body: &[Vec<Stmt>]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut at = 0;
        while let Some(stmt) = paragraph.get(at) {
            let pair = paragraph.get(at + 1).filter(|_| self.library == AssertionLibrary::AssertJ);
            let joined = pair.and_then(|then| {
                let is_other = |it: &&Stmt| !std::ptr::eq(*it, stmt) && !std::ptr::eq(*it, then);
                let rest: Vec<&Stmt> = body.iter().flatten().filter(is_other).collect();
                self.fluent_exception(stmt, then, &rest)
            });
            match joined {
                Some(text) => {
                    lines.extend(text.lines().map(str::to_owned));
                    at += 2;
                }
                None => {
                    lines.extend(self.stmt(stmt));
                    at += 1;
                }
            }
        }
        lines
    }

    /// A statement, not indented.
    pub fn stmt(&mut self, stmt: &Stmt) -> Vec<String> {
        let text = match stmt {
            Stmt::Local(ty, name, value) => {
                let modifier = if self.locals.is_final { "final " } else { "" };
                let ty = if self.locals.is_var && shows_type(ty, value) { "var" } else { &ty.name };
                format!("{modifier}{ty} {name} = {};", self.expr(value))
            }
            Stmt::Expr(expr) => format!("{};", self.expr(expr)),
            Stmt::Return(value) => format!("return {};", self.expr(value)),
            Stmt::Throw(value) => format!("throw {};", self.expr(value)),
            Stmt::If(condition, then, otherwise) => {
                let mut text = format!("if ({}) {{\n{}}}", self.expr(condition), self.indented(then));
                if !otherwise.is_empty() {
                    text += &format!(" else {{\n{}}}", self.indented(otherwise));
                }
                text
            }
            Stmt::Assert(assert) => self.assert(assert),
        };
        text.lines().map(str::to_owned).collect()
    }

    fn indented(&mut self, body: &[Stmt]) -> String {
        body.iter().flat_map(|it| self.stmt(it)).map(|line| format!("{INDENT}{line}\n")).collect()
    }

    fn assert(&mut self, assert: &Assert) -> String {
        if self.library == AssertionLibrary::AssertJ
            && let Some(fluent) = self.fluent(assert)
        {
            return fluent;
        }
        let names = &self.framework.row().names;
        match assert {
            Assert::Equal { expected, actual, delta } => {
                self.pair(names.equal, expected, actual, delta.as_ref())
            }
            Assert::ArrayEqual { expected, actual, delta } => {
                self.pair(names.array_equal, expected, actual, delta.as_ref())
            }
            Assert::NotEqual { unexpected, actual } => self.pair(names.not_equal, unexpected, actual, None),
            Assert::Same { expected, actual } => self.pair(names.same, expected, actual, None),
            Assert::True(actual) => self.single(names.is_true, actual),
            Assert::False(actual) => self.single(names.is_false, actual),
            Assert::Null(actual) => self.single(names.null, actual),
            Assert::NotNull(actual) => self.single(names.not_null, actual),
            Assert::Throws { class, body, variable } => {
                let (method, variable) = match variable {
                    Some(name) => (names.thrown, format!("{} {name} = ", class.name)),
                    None => (names.throws, String::new()),
                };
                self.import(self.framework.row().assertions, method);
                let body = self.lambda(&[], body);
                format!("{variable}{method}({}.class, {body});", class.name)
            }
        }
    }

    fn single(&mut self, method: &'static str, actual: &Expr) -> String {
        self.import(self.framework.row().assertions, method);
        format!("{method}({});", self.expr(actual))
    }

    /// An assertion about two values, in the order of the framework.
    fn pair(&mut self, method: &'static str, expected: &Expr, actual: &Expr, delta: Option<&Expr>) -> String {
        self.import(self.framework.row().assertions, method);
        let (first, second) =
            if self.framework.row().actual_first { (actual, expected) } else { (expected, actual) };
        let delta = delta.map_or(String::new(), |it| format!(", {}", self.expr(it)));
        let (one, two) = (self.expr(first), self.expr(second));
        let line = format!("{method}({one}, {two}{delta});");
        // Contents of files and states are long texts, which are easier to compare on separate lines.
        let is_helper = |it: &Expr| matches!(it, Expr::Call(None, ..));
        if one.contains('\n') || line.len() > WIDTH && (is_helper(first) || is_helper(second)) {
            return format!("{method}({one},\n{INDENT}{INDENT}{two}{delta});");
        }
        line
    }

    /// An expression.
    pub fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Literal(literal) => literal_text(literal),
            Expr::Name(name) => name.clone(),
            Expr::Type(ty) => ty.name.clone(),
            Expr::ClassOf(ty) => format!("{}.class", ty.name),
            Expr::Field(of, name) => format!("{}.{name}", self.receiver(of)),
            Expr::Element(array, index) => format!("{}[{index}]", self.receiver(array)),
            Expr::Call(receiver, method, arguments) => {
                let receiver =
                    receiver.as_ref().map_or(String::new(), |it| format!("{}.", self.receiver(it)));
                format!("{receiver}{method}({})", self.list(arguments))
            }
            Expr::New(new) => self.new_object(new),
            Expr::Array(element, values) if values.is_empty() => {
                // `new int[0][]`: the length goes to the outermost dimension.
                let (innermost, depth) = innermost(element);
                format!("new {innermost}[0]{}", "[]".repeat(depth))
            }
            Expr::Array(element, values) | Expr::Values(element, values) => {
                format!("new {}[] {{{}}}", element.name, self.elements(values))
            }
            Expr::Cast(to, value) => {
                let value = self.expr(value);
                // `(Object) -1` would be a subtraction.
                if value.starts_with('-') && to.ty.is_reference() {
                    format!("({}) ({value})", to.name)
                } else {
                    format!("({}) {value}", to.name)
                }
            }
            Expr::Assign(target, value) => format!("{} = {}", self.expr(target), self.expr(value)),
            Expr::IsNull(value) => format!("{} == null", self.expr(value)),
            Expr::Concatenation(parts) => {
                parts.iter().map(|it| self.receiver(it)).collect::<Vec<_>>().join(" + ")
            }
            Expr::Next(all, calls, last) => format!("{all}[Math.min({calls}++, {last})]"),
            Expr::Lambda(parameters, body) => self.lambda(parameters, body),
        }
    }

    fn list(&mut self, all: &[Expr]) -> String {
        all.iter().map(|it| self.expr(it)).collect::<Vec<_>>().join(", ")
    }

    /// The elements of an array; many numbers take several lines.
    fn elements(&mut self, all: &[Expr]) -> String {
        let is_number = |it: &Expr| matches!(it, Expr::Literal(_));
        if all.len() <= NUMBERS_OF_LINE || !all.iter().all(is_number) {
            return self.list(all);
        }
        let lines: Vec<String> = all.chunks(NUMBERS_OF_LINE).map(|it| self.list(it)).collect();
        format!("\n{INDENT}{INDENT}{}", lines.join(&format!(",\n{INDENT}{INDENT}")))
    }

    /// An expression to the left of a `.` or `[`.
    fn receiver(&mut self, expr: &Expr) -> String {
        let text = self.expr(expr);
        if is_primary(expr) { text } else { format!("({text})") }
    }

    fn new_object(&mut self, new: &NewObject) -> String {
        let arguments = self.list(&new.arguments);
        let outer = new.outer.as_ref().map_or(String::new(), |it| format!("{}.", self.receiver(it)));
        let made = format!("{outer}new {}({arguments})", new.class.name);
        let Some(methods) = &new.methods else { return made };
        let mut text = format!("{made} {{\n");
        for line in new.fields.iter().flat_map(|it| self.field(it)) {
            text += &format!("{INDENT}{line}\n");
        }
        for method in methods {
            let annotations: String = method.annotations.iter().map(|it| format!("@{it} ")).collect();
            let body: Vec<String> = method.body.iter().flatten().flat_map(|it| self.stmt(it)).collect();
            let body = if body.is_empty() { "{ }".into() } else { format!("{{ {} }}", body.join(" ")) };
            text += &format!("{INDENT}{annotations}{} {body}\n", head(method));
        }
        text + "}"
    }

    pub(super) fn lambda(&mut self, parameters: &[String], body: &Lambda) -> String {
        let list = match parameters {
            [one] => one.clone(),
            more => format!("({})", more.join(", ")),
        };
        match body {
            Lambda::Value(value) => format!("{list} -> {}", self.expr(value)),
            Lambda::Block(body) if body.is_empty() => format!("{list} -> {{ }}"),
            Lambda::Block(body) => match body.as_slice() {
                [one @ (Stmt::Local(..) | Stmt::Expr(_))] => {
                    format!("{list} -> {{ {} }}", self.stmt(one).join("\n"))
                }
                more => format!("{list} -> {{\n{}}}", self.indented(more)),
            },
        }
    }
}

/// An expression by itself.
pub fn text(expr: &Expr) -> String {
    Printer::new(Framework::Junit5).expr(expr)
}

/// The head of a method without its annotations.
fn head(method: &Method) -> String {
    let result = method.result.as_ref().map_or("void", |it| it.name.as_str());
    let parameters: Vec<String> =
        method.parameters.iter().map(|(ty, name)| format!("{} {name}", ty.name)).collect();
    let throws = method.throws.as_ref().map(|class| format!(" throws {class}")).unwrap_or_default();
    format!("{}{result} {}({}){throws}", words(method.modifiers), method.name, parameters.join(", "))
}

fn words(modifiers: &[&str]) -> String {
    modifiers.iter().map(|it| format!("{it} ")).collect()
}

/// Whether the value of a variable shows its type, so that it need not stand to the left.
fn shows_type(ty: &TypeName, value: &Expr) -> bool {
    match value {
        Expr::New(new) => new.methods.is_none() && new.class.name == ty.name && !ty.name.contains("<>"),
        Expr::Array(element, _) | Expr::Values(element, _) => ty.name == format!("{}[]", element.name),
        Expr::Cast(to, _) => to.name == ty.name,
        _ => false,
    }
}

/// Whether a `.` may follow without parentheses.
fn is_primary(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(literal) => matches!(literal, Literal::String(_)),
        Expr::Name(_)
        | Expr::Type(_)
        | Expr::ClassOf(_)
        | Expr::Field(..)
        | Expr::Element(..)
        | Expr::Next(..)
        | Expr::Call(..) => true,
        Expr::New(new) => new.methods.is_none(),
        Expr::Array(_, values) => !values.is_empty(),
        Expr::Values(..) => true,
        Expr::Cast(..) | Expr::Assign(..) | Expr::IsNull(_) | Expr::Concatenation(_) | Expr::Lambda(..) => {
            false
        }
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".into(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Byte(value) => literals::byte(*value),
        Literal::Char(unit) => literals::char(*unit),
        Literal::Short(value) => literals::short(*value),
        Literal::Int(value) => literals::int(*value),
        Literal::Long(value) => literals::long(*value),
        Literal::Float(value) => literals::float(*value),
        Literal::Double(value) => literals::double(*value),
        Literal::String(units) => literals::string(units),
        // These have forms of their own in the tree.
        Literal::Class(ty) => format!("{ty}.class"),
        Literal::Constant { class, field } => format!("{}.{field}", class.replace(['/', '$'], ".")),
        Literal::Boxed(inner) => literal_text(inner),
    }
}

/// The innermost element type as named in the file, and the number of dimensions.
fn innermost(ty: &TypeName) -> (&str, usize) {
    let mut depth = 0;
    let mut at = &ty.ty;
    while let JavaType::Array(element) = at {
        at = element;
        depth += 1;
    }
    (ty.name.trim_end_matches("[]"), depth)
}
