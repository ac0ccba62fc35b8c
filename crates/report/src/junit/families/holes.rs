//! The body of a test with holes where its literals are.

use super::super::class::JunitMethod;
use crate::source::tree::{Assert, Expr, Lambda, Method, Stmt, TypeName};
use cupping_case::{JavaType, Literal};
use std::collections::BTreeSet;

/// The body of a test, its literals apart.
pub(super) struct Skeleton {
    body: Vec<Vec<Stmt>>,
    /// The values of the holes, in order.
    pub values: Vec<Hole>,
    has_throws: bool,
}

/// A literal, or an array of literals, and its position.
#[derive(Clone, Debug)]
pub(super) struct Hole {
    pub value: Expr,
    pub ty: TypeName,
    pub role: Role,
}

/// The role of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A local variable of its type has it.
    Local(String),
    /// An argument: the method, the number of its arguments, and the index.
    Argument(String, usize, usize),
    /// The expected value of a result; of the observer of this name, if it is one.
    Expected(Option<String>),
    /// Anything else.
    Other,
}

impl Skeleton {
    /// The holes of a test that consists only of its statements.
    pub fn of(method: &JunitMethod) -> Option<Skeleton> {
        let is_plain = method.lines.first().is_some_and(|it| it.starts_with("@Test"));
        if !is_plain || method.body.is_empty() || method.fails_with.is_some() {
            return None;
        }
        let mut body = method.body.clone();
        let mut values = Vec::new();
        for stmt in body.iter_mut().flatten() {
            with_truth_value(stmt);
            let mut digger = |place: &mut Expr, role: &Role| match hole(place, role) {
                Some(hole) => {
                    *place = Expr::Name(format!("\0{}", hole.ty.name));
                    values.push(hole);
                    true
                }
                None => false,
            };
            visit(stmt, &mut digger);
        }
        let mut skeleton = Skeleton { body, values, has_throws: method.throws.is_some() };
        (!skeleton.assigns()).then_some(skeleton)
    }

    /// Whether a variable is reassigned: then it cannot be a parameter.
    fn assigns(&mut self) -> bool {
        let mut found = false;
        let mut look = |it: &mut Expr, _: &Role| {
            found |= matches!(it, Expr::Assign(..));
            false
        };
        self.body.iter_mut().flatten().for_each(|it| visit(it, &mut look));
        found
    }

    /// All names that the body has.
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut body = self.body.clone();
        let mut add = |it: &mut Expr, _: &Role| {
            match it {
                Expr::Name(name) => names.extend([name.clone()]),
                Expr::Lambda(parameters, _) => names.extend(parameters.iter().cloned()),
                _ => {}
            }
            false
        };
        body.iter_mut().flatten().for_each(|it| visit(it, &mut add));
        let locals = self.body.iter().flatten().filter_map(|it| match it {
            Stmt::Local(_, name, _) | Stmt::Assert(Assert::Throws { variable: Some(name), .. }) => {
                Some(name.clone())
            }
            _ => None,
        });
        names.extend(locals);
        names
    }

    /// Whether both differ only in the contents of the holes.
    pub fn is_like(&self, other: &Skeleton) -> bool {
        self.body == other.body && self.has_throws == other.has_throws
    }

    /// The body with these parameters, or the common value, in the holes.
    pub fn filled(&self, parameter: &dyn Fn(usize) -> Option<String>) -> Vec<Vec<Stmt>> {
        let mut body = self.body.clone();
        let mut at = 0;
        for stmt in body.iter_mut().flatten() {
            let mut fill = |place: &mut Expr, _: &Role| {
                if !matches!(place, Expr::Name(name) if name.starts_with('\0')) {
                    return false;
                }
                *place = parameter(at).map_or_else(|| self.values[at].value.clone(), Expr::Name);
                at += 1;
                true
            };
            visit(stmt, &mut fill);
            without_constant_truth(stmt);
        }
        for paragraph in &mut body {
            paragraph.retain(|it| !matches!(it, Stmt::Local(_, name, Expr::Name(value)) if name == value));
        }
        body
    }
}

/// `assertTrue(x)` as `assertEquals(true, x)`.
fn with_truth_value(stmt: &mut Stmt) {
    let (truth, actual) = match stmt {
        Stmt::Assert(Assert::True(actual)) => (true, actual),
        Stmt::Assert(Assert::False(actual)) => (false, actual),
        _ => return,
    };
    let actual = std::mem::replace(actual, Expr::Literal(Literal::Null));
    let expected = Expr::Literal(Literal::Boolean(truth));
    *stmt = Stmt::Assert(Assert::Equal { expected, actual, delta: None });
}

/// And back, where all tests expect the same.
fn without_constant_truth(stmt: &mut Stmt) {
    if let Stmt::Assert(Assert::Equal { expected: Expr::Literal(Literal::Boolean(truth)), actual, .. }) = stmt
    {
        let actual = std::mem::replace(actual, Expr::Literal(Literal::Null));
        *stmt = Stmt::Assert(if *truth { Assert::True(actual) } else { Assert::False(actual) });
    }
}

/// The content of a hole that can be cut out here.
fn hole(place: &Expr, role: &Role) -> Option<Hole> {
    let of = |ty: TypeName| Some(Hole { value: place.clone(), ty, role: role.clone() });
    match place {
        Expr::Literal(literal) => of(type_of(literal)?),
        Expr::Array(element, values) => {
            let is_literal = |it: &Expr| matches!(it, Expr::Literal(literal) if type_of(literal).is_some());
            let ty = JavaType::Array(Box::new(element.ty.clone()));
            let is_flat = !matches!(element.ty, JavaType::Array(_));
            let is_whole = is_flat && values.iter().all(is_literal);
            is_whole.then(|| of(TypeName::new(ty, format!("{}[]", element.name)))).flatten()
        }
        _ => None,
    }
}

/// The type of a parameter for such literals.
fn type_of(literal: &Literal) -> Option<TypeName> {
    let ty = match literal {
        Literal::Boolean(_) => JavaType::Boolean,
        Literal::Byte(_) => JavaType::Byte,
        Literal::Char(_) => JavaType::Char,
        Literal::Short(_) => JavaType::Short,
        Literal::Int(_) => JavaType::Int,
        Literal::Long(_) => JavaType::Long,
        Literal::Float(_) => JavaType::Float,
        Literal::Double(_) => JavaType::Double,
        Literal::String(_) => return Some(TypeName::lang("String")),
        Literal::Null | Literal::Class(_) | Literal::Constant { .. } | Literal::Boxed(_) => return None,
    };
    let name = ty.to_string();
    Some(TypeName::new(ty, name))
}

/// Processes an expression in its role; returns whether to skip its parts.
type Visitor<'v> = dyn FnMut(&mut Expr, &Role) -> bool + 'v;

/// Visits all expressions of a statement, each before its parts, in the order of the text.
fn visit(stmt: &mut Stmt, visitor: &mut Visitor<'_>) {
    match stmt {
        Stmt::Local(ty, name, value) => {
            let is_same = matches!(value, Expr::Literal(it) if type_of(it).is_some_and(|it| it.ty == ty.ty))
                || matches!(value, Expr::Array(element, _) if ty.ty == JavaType::Array(Box::new(element.ty.clone())));
            let role = if is_same { Role::Local(name.clone()) } else { Role::Other };
            visit_expr(value, &role, visitor);
        }
        Stmt::Expr(value) | Stmt::Return(value) | Stmt::Throw(value) => {
            visit_expr(value, &Role::Other, visitor)
        }
        Stmt::If(condition, then, otherwise) => {
            visit_expr(condition, &Role::Other, visitor);
            then.iter_mut().chain(otherwise).for_each(|it| visit(it, visitor));
        }
        Stmt::Assert(assert) => visit_assert(assert, visitor),
    }
}

fn visit_assert(assert: &mut Assert, visitor: &mut Visitor<'_>) {
    match assert {
        Assert::Equal { expected, actual, delta } | Assert::ArrayEqual { expected, actual, delta } => {
            let observer = match actual {
                Expr::Call(Some(_), method, arguments) if arguments.is_empty() => Some(method.clone()),
                _ => None,
            };
            visit_expr(expected, &Role::Expected(observer), visitor);
            visit_expr(actual, &Role::Other, visitor);
            delta.iter_mut().for_each(|it| visit_expr(it, &Role::Other, visitor));
        }
        Assert::NotEqual { unexpected: one, actual: other }
        | Assert::Same { expected: one, actual: other } => {
            visit_expr(one, &Role::Other, visitor);
            visit_expr(other, &Role::Other, visitor);
        }
        Assert::True(of) | Assert::False(of) | Assert::Null(of) | Assert::NotNull(of) => {
            visit_expr(of, &Role::Other, visitor);
        }
        Assert::Throws { body, .. } => visit_lambda(body, visitor),
    }
}

fn visit_lambda(body: &mut Lambda, visitor: &mut Visitor<'_>) {
    match body {
        Lambda::Value(value) => visit_expr(value, &Role::Other, visitor),
        Lambda::Block(body) => body.iter_mut().for_each(|it| visit(it, visitor)),
    }
}

fn visit_expr(expr: &mut Expr, role: &Role, visitor: &mut Visitor<'_>) {
    if visitor(expr, role) {
        return;
    }
    match expr {
        Expr::Literal(_) | Expr::Name(_) | Expr::Type(_) | Expr::ClassOf(_) | Expr::Next(..) => {}
        Expr::Field(of, _) | Expr::Element(of, _) | Expr::IsNull(of) => visit_expr(of, &Role::Other, visitor),
        Expr::Cast(_, of) => visit_expr(of, role, visitor),
        Expr::Assign(target, value) => {
            visit_expr(target, &Role::Other, visitor);
            visit_expr(value, &Role::Other, visitor);
        }
        Expr::Call(receiver, method, arguments) => {
            receiver.iter_mut().for_each(|it| visit_expr(it, &Role::Other, visitor));
            visit_arguments(method, arguments, visitor);
        }
        Expr::New(new) => {
            new.outer.iter_mut().for_each(|it| visit_expr(it, &Role::Other, visitor));
            visit_arguments("<init>", &mut new.arguments, visitor);
            let answers = new.fields.iter_mut().filter_map(|it| it.value.as_mut());
            answers.for_each(|it| visit_expr(it, &Role::Other, visitor));
            let bodies = new.methods.iter_mut().flatten().map(|it: &mut Method| &mut it.body);
            bodies.flatten().flatten().for_each(|it| visit(it, visitor));
        }
        // What a stub records of a call is the same in all tests of a family.
        Expr::Concatenation(_) => {}
        Expr::Array(_, values) | Expr::Values(_, values) => {
            values.iter_mut().for_each(|it| visit_expr(it, &Role::Other, visitor));
        }
        Expr::Lambda(_, body) => visit_lambda(body, visitor),
    }
}

fn visit_arguments(method: &str, arguments: &mut [Expr], visitor: &mut Visitor<'_>) {
    let count = arguments.len();
    for (at, argument) in arguments.iter_mut().enumerate() {
        visit_expr(argument, &Role::Argument(method.to_owned(), count, at), visitor);
    }
}
