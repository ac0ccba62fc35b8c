//! Lists in which stubs record the calls that they receive, or objects that they are passed.

use super::expressions::{Expression, Writer};
use super::stubs::parameter_name;
use crate::source::tree::{Expr, Lambda, Stmt, TypeName};
use cupping_case::{
    Assertion, CapturedArgument, JavaType, Literal, Probe, RecordedMethod, StubMethod, VarId,
    parse_method_descriptor,
};

/// A list of the calls of a stub, or of objects that it is passed.
pub(super) struct Recorder<'c> {
    /// What it records.
    subject: Subject<'c>,
    /// The name of its variable.
    pub name: String,
}

/// What is recorded.
#[derive(Clone, Copy)]
enum Subject<'c> {
    /// Calls of these methods of a stub.
    Calls(VarId, &'c [RecordedMethod]),
    /// An argument of one method, of each call.
    Argument(&'c CapturedArgument),
}

impl<'c> Recorder<'c> {
    /// The list for an assertion on what this stub has been told; `None` for other assertions.
    pub fn of(stub: VarId, assertion: &'c Assertion) -> Option<Recorder<'c>> {
        let (subject, name) = match &assertion.probe {
            Probe::Calls { of, methods } if *of == stub => (Subject::Calls(stub, methods), "calls"),
            Probe::Captured { argument, .. } if argument.stub == stub => {
                (Subject::Argument(argument), "passed")
            }
            _ => return None,
        };
        Some(Recorder { subject, name: name.into() })
    }

    /// Whether a probe reads it.
    pub fn is_read_by(&self, probe: &Probe) -> bool {
        match (self.subject, probe) {
            (Subject::Calls(stub, own), Probe::Calls { of, methods }) => *of == stub && methods == own,
            (Subject::Argument(own), Probe::Captured { argument, .. }) => {
                CapturedArgument { call: own.call, ..argument.clone() } == *own
            }
            _ => false,
        }
    }

    /// The type of its elements.
    fn element(&self) -> JavaType {
        match self.subject {
            Subject::Calls(..) => JavaType::class("java/lang/String"),
            Subject::Argument(it) => {
                let types = parse_method_descriptor(&it.descriptor).map(|(parameters, _)| parameters);
                let ty = types.and_then(|types| types.into_iter().nth(it.parameter));
                ty.unwrap_or_else(|| JavaType::class("java/lang/Object"))
            }
        }
    }

    /// Its declaration.
    pub fn declaration(&self, writer: &Writer<'_>) -> Stmt {
        let of_elements = |class: &str, arguments: &str| {
            let class = writer.class(class);
            TypeName::new(class.ty, format!("{}<{arguments}>", class.name))
        };
        let made = Expr::new(of_elements("java/util/ArrayList", ""), Vec::new());
        let list = of_elements("java/util/List", &writer.ty(&self.element()).name);
        Stmt::Local(list, self.name.clone(), made)
    }

    /// The element for one call.
    pub fn element_of(&self, call: usize) -> Expression {
        let number = i32::try_from(call).unwrap_or(i32::MAX);
        let element = Expr::call(Expr::name(&self.name), "get", vec![Expr::Literal(Literal::Int(number))]);
        Expression::of(element, self.element())
    }

    /// Has the methods of a stub add to it.
    pub fn record(&self, stub: &mut Expr, methods: &[StubMethod]) {
        match stub {
            Expr::Lambda(_, body) => {
                let Some(method) = methods.first() else { return };
                let Some(note) = self.note(method) else { return };
                let is_void = method.descriptor.ends_with(")V");
                *body = match std::mem::replace(body, Lambda::Block(Vec::new())) {
                    Lambda::Block(old) if old.is_empty() => Lambda::Value(Box::new(note)),
                    Lambda::Block(old) => {
                        Lambda::Block(std::iter::once(Stmt::Expr(note)).chain(old).collect())
                    }
                    Lambda::Value(value) if is_void => {
                        Lambda::Block(vec![Stmt::Expr(note), Stmt::Expr(*value)])
                    }
                    Lambda::Value(value) => Lambda::Block(vec![Stmt::Expr(note), Stmt::Return(*value)]),
                };
            }
            Expr::New(new) => {
                for (own, method) in new.methods.iter_mut().flatten().zip(methods) {
                    if let Some(note) = self.note(method) {
                        own.body.insert(0, vec![Stmt::Expr(note)]);
                    }
                }
            }
            _ => {}
        }
    }

    /// What a method of the stub adds, if it adds something: `calls.add("moved(" + x + ", " + y + ")")`,
    /// `passed.add(x)`.
    fn note(&self, method: &StubMethod) -> Option<Expr> {
        let is_it = |name: &str, descriptor: &str| *name == *method.name && *descriptor == *method.descriptor;
        let added = match self.subject {
            Subject::Calls(_, all) => text(all.iter().find(|it| is_it(&it.name, &it.descriptor))?),
            Subject::Argument(it) => {
                is_it(&it.method, &it.descriptor).then(|| Expr::Name(parameter_name(it.parameter)))?
            }
        };
        Some(Expr::call(Expr::name(&self.name), "add", vec![added]))
    }
}

/// The text of a call, as a stub puts it together.
fn text(method: &RecordedMethod) -> Expr {
    let mut text = method.name.to_string();
    let mut parts = Vec::new();
    for (at, parameter) in method.shown.iter().enumerate() {
        text.push_str(if at == 0 { "(" } else { ", " });
        parts.push(Expr::string(&std::mem::take(&mut text)));
        parts.push(Expr::Name(parameter_name(*parameter)));
    }
    if !parts.is_empty() {
        text.push(')');
    }
    parts.push(Expr::string(&text));
    if parts.len() == 1 { parts.remove(0) } else { Expr::Concatenation(parts) }
}
