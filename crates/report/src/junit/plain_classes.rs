//! Nested classes of a test class that implement large interfaces, or extend large abstract classes, and do nothing. A
//! stub extends one and overrides what it answers.

use super::body::TestBody;
use super::class::JunitMethod;
use super::stubs::default_value;
use super::type_names::TypeNames;
use crate::framework::Framework;
use crate::source::java::Printer;
use crate::source::tree::{Expr, Method, NewObject, Stmt};
use crate::style::TestStyle;
use std::collections::BTreeMap;

/// The number of methods that do nothing in a stub from which it extends such a class.
const LEAST: usize = 9;

/// The classes, by the interfaces that they implement as the file calls them.
#[derive(Default)]
pub(super) struct PlainClasses {
    all: BTreeMap<String, PlainClass>,
}

struct PlainClass {
    name: String,
    /// The stub with which it was met, with methods that do nothing.
    stub: NewObject,
    uses: usize,
}

impl PlainClasses {
    /// The classes for the interfaces of which these bodies have several large stubs.
    pub(super) fn of(bodies: &[TestBody], names: &TypeNames<'_>) -> PlainClasses {
        let mut all: BTreeMap<String, PlainClass> = BTreeMap::new();
        for new in bodies.iter().flat_map(|it| it.paragraphs.iter().flatten()).filter_map(large_stub) {
            let interface = &new.class.name;
            let plain = all.entry(interface.clone()).or_insert_with(|| {
                let simple = interface.rsplit('.').next().unwrap_or(interface);
                PlainClass { name: format!("Plain{simple}"), stub: silenced(new), uses: 0 }
            });
            plain.uses += 1;
            for (own, method) in plain.stub.methods.iter_mut().flatten().zip(new.methods.iter().flatten()) {
                // What overrides it may declare no more.
                own.throws = own.throws.take().or_else(|| method.throws.clone());
            }
        }
        let mut taken: Vec<String> = Vec::new();
        all.retain(|_, it| {
            let is_free = !names.is_taken(&it.name) && !taken.contains(&it.name);
            taken.push(it.name.clone());
            it.uses > 1 && is_free
        });
        PlainClasses { all }
    }

    /// Has large stubs extend these classes.
    pub(super) fn apply(&self, body: &mut TestBody) {
        for statement in body.paragraphs.iter_mut().flatten() {
            let Some(plain) = large_stub(statement).and_then(|it| self.all.get(&it.class.name)) else {
                continue;
            };
            let Stmt::Local(_, _, Expr::New(new)) = statement else { continue };
            let throws_alike =
                |(own, method): (&Method, &Method)| method.throws.is_none() || method.throws == own.throws;
            let (Some(own), Some(methods)) = (&plain.stub.methods, &mut new.methods) else { continue };
            if !own.iter().zip(methods.iter()).all(throws_alike) {
                continue;
            }
            methods.retain(|it| !is_silent(it));
            new.class.name.clone_from(&plain.name);
            if methods.is_empty() {
                new.methods = None;
            }
        }
    }

    /// The classes.
    pub(super) fn members(
        &self,
        framework: Framework,
        style: &TestStyle,
        names: &TypeNames<'_>,
    ) -> Vec<JunitMethod> {
        let print = |(interface, plain): (&String, &PlainClass)| {
            let printed = Printer::styled(framework, style).expr(&Expr::New(Box::new(plain.stub.clone())));
            let is = if plain.stub.is_interface { "implements" } else { "extends" };
            let head = format!("private static class {} {is} {interface} {{", plain.name);
            let lines = std::iter::once(head).chain(printed.lines().skip(1).map(str::to_owned)).collect();
            JunitMethod::member(&plain.name, lines, names.take_imports())
        };
        self.all.iter().map(print).collect()
    }
}

/// A declared stub with many methods that do nothing.
fn large_stub(statement: &Stmt) -> Option<&NewObject> {
    let Stmt::Local(_, _, Expr::New(new)) = statement else { return None };
    let silent = new.methods.iter().flatten().filter(|it| is_silent(it)).count();
    (new.arguments.is_empty() && new.outer.is_none() && silent >= LEAST).then_some(new)
}

/// Whether a method does nothing and returns nothing, or zero.
pub(super) fn is_silent(method: &Method) -> bool {
    let mut body = method.body.iter().flatten();
    match (body.next(), body.next()) {
        (None, None) => true,
        (Some(Stmt::Return(Expr::Literal(value))), None) => {
            method.result.as_ref().is_some_and(|ty| default_value(&ty.ty).as_ref() == Some(value))
        }
        _ => false,
    }
}

/// The stub with methods that do nothing.
fn silenced(new: &NewObject) -> NewObject {
    let silent = |method: &Method| {
        let zero = method.result.as_ref().and_then(|it| default_value(&it.ty));
        let body = zero.map(|it| Stmt::Return(Expr::Literal(it))).into_iter().collect();
        Method { body: vec![body], throws: None, ..method.clone() }
    };
    NewObject {
        fields: Vec::new(),
        methods: new.methods.as_ref().map(|all| all.iter().map(silent).collect()),
        ..new.clone()
    }
}
