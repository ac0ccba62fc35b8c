//! Stubs that several tests of a class need: one method of the test class creates them.

use super::body::TestBody;
use super::class::JunitMethod;
use super::plain_classes::is_silent;
use super::slugs::{capital, identifier_part, of_literal};
use super::type_names::{ClassName, TypeNames};
use crate::framework::Framework;
use crate::source::java::{self, Printer};
use crate::source::tree::{Expr, Method, NewObject, Stmt, TypeName};
use crate::style::TestStyle;
use cupping_case::{JavaType, Literal};
use std::collections::{BTreeMap, BTreeSet};

/// Number of tests with the same stub before a method is created for it.
const LEAST: usize = 2;
/// Maximum length of a word for the results of a stub's methods.
const LONGEST: usize = 30;

/// Stubs by their text.
#[derive(Default)]
pub(super) struct Sharing {
    makers: BTreeMap<String, (String, NewObject)>,
}

impl Sharing {
    /// The stubs that several of these bodies contain and that do not depend on the rest of the body.
    pub fn of(bodies: &[TestBody], taken: &[String]) -> Sharing {
        let mut counts: BTreeMap<String, (usize, NewObject)> = BTreeMap::new();
        for body in bodies {
            let stubs: BTreeMap<String, &NewObject> = body
                .paragraphs
                .iter()
                .flatten()
                .filter_map(stub)
                .map(|(value, new)| (java::text(value), new))
                .collect();
            for (text, new) in stubs {
                counts.entry(text).or_insert_with(|| (0, new.clone())).0 += 1;
            }
        }
        counts.retain(|_, (count, _)| *count >= LEAST);
        let mut names: BTreeSet<String> = taken.iter().cloned().collect();
        let mut makers = BTreeMap::new();
        for (text, (_, new)) in counts {
            let stem = name(&new);
            let mut name = stem.clone();
            let mut number = 2;
            while !names.insert(name.clone()) {
                name = format!("{stem}{number}");
                number += 1;
            }
            makers.insert(text, (name, new));
        }
        Sharing { makers }
    }

    /// Calls the methods in place of the stubs.
    pub fn apply(&self, body: &mut TestBody) {
        for statement in body.paragraphs.iter_mut().flatten() {
            let Some((value, _)) = stub(statement) else { continue };
            if let Some((maker, new)) = self.makers.get(&java::text(value))
                && let Stmt::Local(_, _, value) = statement
            {
                *value = Expr::helper(maker, lists(new).into_iter().map(Expr::Name).collect());
            }
        }
    }

    /// The methods.
    pub fn methods(
        &self,
        framework: Framework,
        style: &TestStyle,
        names: &TypeNames<'_>,
    ) -> Vec<JunitMethod> {
        let print = |(name, new): &(String, NewObject)| {
            let result = TypeName::new(new.class.ty.clone(), class_name(names, new));
            let method = Method {
                modifiers: &["private", "static"],
                result: Some(result),
                name: name.clone(),
                parameters: lists(new).into_iter().map(|it| (texts(names), it)).collect(),
                body: vec![vec![Stmt::Return(Expr::New(Box::new(new.clone())))]],
                ..Method::default()
            };
            let lines = Printer::styled(framework, style).method(&method);
            JunitMethod::member(name, lines, names.take_imports())
        };
        self.makers.values().map(print).collect()
    }
}

/// The name of the class in the file; the request adds its import.
fn class_name(names: &TypeNames<'_>, new: &NewObject) -> String {
    match &new.class.ty {
        JavaType::Class(class) => names.class(class),
        _ => new.class.name.clone(),
    }
}

/// The lists in which a stub records its calls.
fn lists(new: &NewObject) -> BTreeSet<String> {
    let methods = new.methods.iter().flatten();
    let recorded = |method: &Method| {
        method.body.iter().flatten().filter_map(|it| recorded_in(method, it)).cloned().collect::<Vec<_>>()
    };
    methods.flat_map(recorded).collect()
}

/// The list to which a statement of a method adds the text of a call. Parameters of the method are other collections.
fn recorded_in<'s>(method: &Method, statement: &'s Stmt) -> Option<&'s String> {
    let Stmt::Expr(Expr::Call(Some(list), called, arguments)) = statement else { return None };
    let (Expr::Name(list), [Expr::Concatenation(_) | Expr::Literal(Literal::String(_))]) =
        (&**list, arguments.as_slice())
    else {
        return None;
    };
    (called == "add" && method.parameters.iter().all(|(_, it)| it != list)).then_some(list)
}

/// `List<String>`
fn texts(names: &TypeNames<'_>) -> TypeName {
    TypeName::new(JavaType::class("java/util/List"), format!("{}<String>", names.class("java/util/List")))
}

/// A declared stub with more code than a lambda expression, which reads no variable of its test but the lists of its
/// calls.
fn stub(statement: &Stmt) -> Option<(&Expr, &NewObject)> {
    let Stmt::Local(_, _, value) = statement else { return None };
    let Expr::New(new) = value else { return None };
    let methods = new.methods.as_ref()?;
    let is_constant = new.outer.is_none() && new.arguments.iter().all(|it| is_closed(it, &[]));
    let is_closed_body = |method: &Method| {
        let parameters: Vec<&str> = method.parameters.iter().map(|(_, name)| &**name).collect();
        method.body.iter().flatten().all(|it| match it {
            Stmt::Return(value) | Stmt::Expr(value) => {
                recorded_in(method, it).is_some() || is_closed(value, &parameters)
            }
            _ => false,
        })
    };
    let is_constant = is_constant
        && new.fields.iter().all(|it| it.value.as_ref().is_none_or(|value| is_closed(value, &[])));
    (is_constant && methods.iter().all(is_closed_body)).then_some((value, new))
}

/// Whether an expression reads no variables other than these.
fn is_closed(value: &Expr, parameters: &[&str]) -> bool {
    match value {
        Expr::Literal(_) | Expr::ClassOf(_) | Expr::Type(_) | Expr::Next(..) => true,
        Expr::Name(name) => parameters.contains(&&**name),
        Expr::Field(of, _) => is_closed(of, parameters),
        Expr::Cast(_, value) => is_closed(value, parameters),
        Expr::Call(Some(of), _, arguments) => {
            is_closed(of, parameters) && arguments.iter().all(|it| is_closed(it, parameters))
        }
        Expr::Array(_, values) => values.iter().all(|it| is_closed(it, parameters)),
        _ => false,
    }
}

/// `stubOfShapeAnswering5`
fn name(new: &NewObject) -> String {
    let class = match &new.class.ty {
        JavaType::Class(class) => identifier_part(ClassName::parse(class).simple()),
        _ => "Object".to_owned(),
    };
    let told = new.methods.iter().flatten().filter(|it| !is_silent(it));
    let answers = told.flat_map(|method| method.body.iter().flatten());
    let words: Vec<String> = answers.filter_map(answer).map(|word| capital(&word)).collect();
    let words = words.join("And");
    match words.len() {
        1..=LONGEST => format!("stubOf{class}Answering{words}"),
        _ => format!("stubOf{class}"),
    }
}

fn answer(statement: &Stmt) -> Option<String> {
    match statement {
        Stmt::Return(Expr::Literal(literal)) => of_literal(literal),
        Stmt::Return(Expr::Name(_)) => Some("itsArgument".to_owned()),
        _ => None,
    }
}
