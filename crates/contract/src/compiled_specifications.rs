//! Compiled specifications: testcases with the names of the methods generated for their parts.

use crate::ast::{Bound, Condition, Order, Statement, Triple};
use crate::diagnostic::Span;
use crate::java::{Case, number_of, triples};

/// A method by its names in class files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Method {
    /// Internal name of the class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// Specifications, compiled.
#[derive(Clone, Debug, Default)]
pub struct CompiledSpecifications {
    /// The generated classes: bytes by internal name, in an order in which they can be defined.
    pub classes: Vec<(String, Vec<u8>)>,
    /// Their testcases.
    pub cases: Vec<CompiledCase>,
}

/// A testcase for one combination of types.
#[derive(Clone, Debug)]
pub struct CompiledCase {
    /// `Class.testcase`, with the chosen types.
    pub name: String,
    /// Index of its specification.
    pub specification: usize,
    /// Whether its triples hold of every call for which their preconditions hold.
    pub is_always: bool,
    /// Whether they say nothing about calls that throw.
    pub is_returning: bool,
    /// The class generated for it.
    pub class: String,
    /// Its variables, which are static fields of that class; the flag marks requirements.
    pub variables: Vec<(String, bool)>,
    /// Its steps in order.
    pub steps: Vec<Setup>,
    /// Its triples; nested ones come before the one that contains them.
    pub triples: Vec<CompiledTriple>,
}

/// A step of a testcase.
#[derive(Clone, Debug)]
pub enum Setup {
    /// Run this method; if it is a declaration, with the variable that it sets.
    Run(String, Option<usize>),
    /// Give a variable a random value within bounds.
    Random(usize, Vec<BoundMethods>),
    /// Check this triple against its call.
    Triple(usize),
}

/// A bound, with the methods that compute its ends.
#[derive(Clone, Debug)]
pub enum BoundMethods {
    /// A comparison with the value of this method.
    Compare(Order, String),
    /// Between the values of these methods, inclusive.
    Range(String, String),
    /// One of the values of these methods.
    OneOf(Vec<String>),
    /// This predicate holds of the variables up to this one.
    Where(String),
}

/// A triple with its methods in the testcase's class.
#[derive(Clone, Debug)]
pub struct CompiledTriple {
    /// Its position.
    pub span: Span,
    /// Number of variables in scope: the first so many.
    pub seen: usize,
    /// The called method.
    pub target: Method,
    /// The variable that is the receiver, if it is a variable.
    pub receiver: Option<usize>,
    /// For each argument, the variable that it is, if it is a variable.
    pub arguments: Vec<Option<usize>>,
    /// Whether the call is a constructor call.
    pub is_new: bool,
    /// Position of the precondition.
    pub pre_span: Span,
    /// The precondition's method. Its parameters are the variables, then the results of
    /// [`CompiledTriple::pre_nested`].
    pub pre: String,
    /// Triples nested in the precondition.
    pub pre_nested: Vec<usize>,
    /// Variables that the precondition mentions.
    pub pre_names: Vec<usize>,
    /// Whether the precondition is the constant `true`.
    pub pre_is_true: bool,
    /// The call's method.
    pub run: String,
    /// The method that takes the thrown exception and decides whether it was expected.
    pub throws: Option<String>,
    /// The postcondition's method. Its parameters are the variables, the result or exception if any, the
    /// values of `old` and of `modifies`, and the results of [`CompiledTriple::post_nested`].
    pub post: Option<String>,
    /// Triples nested in the postcondition.
    pub post_nested: Vec<usize>,
    /// Variables that the postcondition mentions.
    pub post_names: Vec<usize>,
    /// Methods that compute the values of `old`.
    pub old: Vec<String>,
    /// Methods that compute the operands of `modifies`; the flag marks objects rather than fields.
    pub modifies: Vec<(String, bool)>,
}

/// A compiled testcase whose triples call these methods.
pub(crate) fn compiled_case(specification: usize, case: &Case<'_>, targets: Vec<Method>) -> CompiledCase {
    let source = &case.specification.source;
    let variables: Vec<(String, bool)> =
        case.variables().into_iter().map(|(_, name, is)| (name, is)).collect();
    let all = triples(case.testcase);
    let variable = |span: Span, seen: usize| {
        let text = source.slice(span);
        variables.iter().take(seen).position(|(name, _)| name == text)
    };
    let names = |condition: &Condition, seen: usize| -> Vec<usize> {
        let words = crate::token::tokens(source.slice(condition.span));
        let words: Vec<&str> =
            words.iter().map(|it| &source.slice(condition.span)[it.span.start..it.span.end]).collect();
        let is_named = |name: &str| {
            words
                .iter()
                .enumerate()
                .any(|(at, word)| *word == name && at.checked_sub(1).is_none_or(|it| words[it] != "."))
        };
        (0..seen).filter(|at| is_named(&variables[*at].0)).collect()
    };
    let nested = |condition: &Condition| condition.nested.iter().map(|it| number_of(&all, it)).collect();
    let compiled = |number: usize, triple: &Triple, seen: usize, target: Method| CompiledTriple {
        span: triple.span,
        seen,
        target,
        receiver: triple.call.receiver.and_then(|it| variable(it, seen)),
        arguments: triple.call.arguments.iter().map(|it| variable(*it, seen)).collect(),
        is_new: triple.call.is_new,
        pre_span: triple.pre.span,
        pre: format!("t{number}_pre"),
        pre_nested: nested(&triple.pre),
        pre_names: names(&triple.pre, seen),
        pre_is_true: source.slice(triple.pre.span) == "true",
        run: format!("t{number}_run"),
        throws: triple.throws.map(|_| format!("t{number}_throws")),
        post: triple.post.as_ref().map(|_| format!("t{number}_post")),
        post_nested: triple.post.as_ref().map(nested).unwrap_or_default(),
        post_names: triple.post.as_ref().map(|it| names(it, seen)).unwrap_or_default(),
        old: triple
            .post
            .iter()
            .flat_map(|it| (0..it.old.len()).map(|at| format!("t{number}_old{at}")))
            .collect(),
        modifies: triple
            .post
            .iter()
            .flat_map(|it| it.modifies.iter().enumerate())
            .map(|(at, (_, inner))| (format!("t{number}_mod{at}"), !source.slice(*inner).contains('.')))
            .collect(),
    };
    let mut steps = Vec::new();
    let mut declared = 0;
    for (step, statement) in case.testcase.body.iter().enumerate() {
        match statement {
            Statement::Requirement(it) => {
                steps.push(match &it.bounds[..] {
                    [Bound::Equal(_)] => Setup::Run(format!("s{step}"), Some(declared)),
                    bounds => Setup::Random(
                        declared,
                        bounds.iter().enumerate().map(|(at, it)| within(it, step, at)).collect(),
                    ),
                });
                declared += 1;
            }
            Statement::Local { value, .. } => {
                if value.is_some() {
                    steps.push(Setup::Run(format!("s{step}"), Some(declared)));
                }
                declared += 1;
            }
            Statement::Java(_) => steps.push(Setup::Run(format!("s{step}"), None)),
            Statement::Triple(triple) => steps.push(Setup::Triple(number_of(&all, triple))),
        }
    }
    let chosen: Vec<&str> = case.types.iter().map(|(_, ty)| ty.as_str()).collect();
    let chosen = if chosen.is_empty() { String::new() } else { format!("<{}>", chosen.join(", ")) };
    let class: String = source.slice(case.test.class).split_whitespace().collect();
    let name = format!("{class}.{}{chosen}", source.slice(case.testcase.name));
    let triples = all.iter().zip(targets).enumerate();
    let triples =
        triples.map(|(number, ((triple, seen), target))| compiled(number, triple, *seen, target)).collect();
    let (is_always, is_returning) = (case.testcase.is_always, case.testcase.is_returning);
    let class = case.internal_name();
    CompiledCase { name, specification, is_always, is_returning, class, variables, steps, triples }
}

fn within(bound: &Bound, step: usize, at: usize) -> BoundMethods {
    let end = |which: usize| format!("b{step}_{at}_{which}");
    match bound {
        Bound::Equal(_) => BoundMethods::OneOf(Vec::new()),
        Bound::Compare(order, _) => BoundMethods::Compare(*order, end(0)),
        Bound::Range(_, _) => BoundMethods::Range(end(0), end(1)),
        Bound::OneOf(values) => BoundMethods::OneOf((0..values.len()).map(end).collect()),
        Bound::Where(_) => BoundMethods::Where(format!("w{step}_{at}")),
    }
}
