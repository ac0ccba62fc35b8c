//! Lists in which stubs record the calls that they receive.

use super::expressions::Writer;
use super::stubs::parameter_name;
use crate::source::tree::{Expr, Lambda, Stmt, TypeName};
use cupping_case::{Assertion, Probe, RecordedMethod, StubMethod, VarId};

/// A list of the calls of a stub.
pub(super) struct Recorder<'c> {
    /// The stub.
    of: VarId,
    /// The methods that add to it.
    methods: &'c [RecordedMethod],
    /// The name of its variable.
    pub name: String,
}

impl<'c> Recorder<'c> {
    /// The list for an assertion on the calls of this stub; `None` for other assertions.
    pub fn of(stub: VarId, assertion: &'c Assertion, name: impl FnOnce() -> String) -> Option<Recorder<'c>> {
        match &assertion.probe {
            Probe::Calls { of, methods } if *of == stub => Some(Recorder { of: stub, methods, name: name() }),
            _ => None,
        }
    }

    /// Whether a probe reads it.
    pub fn is_read_by(&self, probe: &Probe) -> bool {
        matches!(probe, Probe::Calls { of, methods } if *of == self.of && methods == self.methods)
    }

    /// Its declaration.
    pub fn declaration(&self, writer: &Writer<'_>) -> Stmt {
        let of_texts = |class: &str, arguments: &str| {
            let class = writer.class(class);
            TypeName::new(class.ty, format!("{}<{arguments}>", class.name))
        };
        let made = Expr::new(of_texts("java/util/ArrayList", ""), Vec::new());
        Stmt::Local(of_texts("java/util/List", "String"), self.name.clone(), made)
    }

    /// Has the methods of a stub add to it.
    pub fn record(&self, stub: &mut Expr, methods: &[StubMethod]) {
        let is_it = |method: &StubMethod, it: &RecordedMethod| {
            it.name == method.name && it.descriptor == method.descriptor
        };
        let recorded = |method: &StubMethod| self.methods.iter().find(|it| is_it(method, it));
        match stub {
            Expr::Lambda(_, body) => {
                let Some(method) = methods.first() else { return };
                let Some(recorded) = recorded(method) else { return };
                let note = self.note(recorded);
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
                    if let Some(recorded) = recorded(method) {
                        own.body.insert(0, vec![Stmt::Expr(self.note(recorded))]);
                    }
                }
            }
            _ => {}
        }
    }

    /// `calls.add("moved(" + x + ", " + y + ")")`
    fn note(&self, method: &RecordedMethod) -> Expr {
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
        let text = if parts.len() == 1 { parts.remove(0) } else { Expr::Concatenation(parts) };
        Expr::call(Expr::name(&self.name), "add", vec![text])
    }
}
