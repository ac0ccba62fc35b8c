//! Objects that stand in for implementations of interfaces and abstract classes: lambda expressions, or anonymous
//! classes if there is more than one method or a constructor.

use super::expressions::{Expression, Writer};
use crate::source::tree::{Expr, Field, Lambda, Method, NewObject, Stmt};
use cupping_case::{
    JavaType, Literal, MethodRef, Operand, StubMethod, StubResult, VarId, parse_method_descriptor,
};

impl Writer<'_> {
    /// The expression for a stub; that of an abstract class has the arguments of the constructor.
    pub(super) fn implement(
        &self,
        interface: &str,
        args: Option<Vec<Expr>>,
        methods: &[StubMethod],
        is_functional: bool,
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let expr = match methods {
            [method] if is_functional => self.lambda(method, env),
            _ => self.anonymous_class(interface, args, methods, env),
        };
        Expression::of_class(expr, interface)
    }

    fn lambda(&self, method: &StubMethod, env: &dyn Fn(VarId) -> Expression) -> Expr {
        let (parameters, _) =
            parse_method_descriptor(&method.descriptor).unwrap_or((Vec::new(), JavaType::Void));
        let names: Vec<String> = (0..parameters.len()).map(parameter_name).collect();
        let value = match &method.result {
            StubResult::Calls { parameter, method, arguments } => {
                Some(self.parameter_call(*parameter, method, arguments, env))
            }
            _ => self.stub_result(method, env),
        };
        let body = match value {
            Some(value) => Lambda::Value(Box::new(value)),
            None => Lambda::Block(Vec::new()),
        };
        Expr::Lambda(names, body)
    }

    fn anonymous_class(
        &self,
        interface: &str,
        arguments: Option<Vec<Expr>>,
        methods: &[StubMethod],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expr {
        let class = self.class(interface);
        let (is_interface, arguments) = (arguments.is_none(), arguments.unwrap_or_default());
        let mut fields = Vec::new();
        let methods = methods.iter().enumerate().filter_map(|(at, method)| {
            let (parameters, returned) = parse_method_descriptor(&method.descriptor)?;
            let parameters = parameters.iter().enumerate().map(|(at, ty)| (self.ty(ty), parameter_name(at)));
            let parameters = parameters.collect();
            let mut throws = None;
            let body: Vec<Stmt> = match &method.result {
                StubResult::Sequence(values) => {
                    let answers: Vec<Expr> =
                        values.iter().map(|it| self.fit_assigned(it, env, &returned)).collect();
                    // Overloaded methods have one name.
                    let is_overloaded = methods.iter().filter(|it| it.name == method.name).count() > 1;
                    let stem =
                        if is_overloaded { format!("{}{at}", method.name) } else { method.name.to_string() };
                    let (all, calls) = (format!("{stem}Answers"), format!("{stem}Calls"));
                    let last = answers.len().saturating_sub(1);
                    fields.extend(self.answers(&all, &calls, &returned, answers));
                    vec![Stmt::Return(Expr::Next(all, calls, last))]
                }
                StubResult::Throws(value) => {
                    let thrown = self.operand(value, env);
                    throws = thrown.ty.as_ref().map(|ty| self.ty(ty).name);
                    vec![Stmt::Throw(thrown.expr)]
                }
                StubResult::Calls { parameter, method: called, arguments } => {
                    let thrown: Vec<String> = called.throws.iter().map(|it| self.class(it).name).collect();
                    throws = (!thrown.is_empty()).then(|| thrown.join(", "));
                    let call = self.parameter_call(*parameter, called, arguments, env);
                    vec![if returned == JavaType::Void { Stmt::Expr(call) } else { Stmt::Return(call) }]
                }
                _ => self.stub_result(method, env).map(Stmt::Return).into_iter().collect(),
            };
            Some(Method {
                annotations: vec!["Override".into()],
                modifiers: &["public"],
                result: Some(self.ty(&returned)),
                name: method.name.to_string(),
                parameters,
                throws,
                body: vec![body],
            })
        });
        let methods = Some(methods.collect());
        Expr::New(Box::new(NewObject { outer: None, class, arguments, fields, is_interface, methods }))
    }

    /// The fields for what a method answers in turn.
    fn answers(&self, all: &str, calls: &str, ty: &JavaType, answers: Vec<Expr>) -> [Field; 2] {
        let field = |modifiers, ty: &JavaType, name: &str, value| Field {
            annotations: Vec::new(),
            modifiers,
            ty: self.ty(ty),
            name: name.to_owned(),
            value,
        };
        let array = JavaType::Array(Box::new(ty.clone()));
        [
            field(&["private", "final"], &array, all, Some(Expr::Array(self.ty(ty), answers))),
            field(&["private"], &JavaType::Int, calls, None),
        ]
    }

    /// The call of a method of a parameter.
    fn parameter_call(
        &self,
        parameter: usize,
        method: &MethodRef,
        arguments: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expr {
        self.call(Expr::Name(parameter_name(parameter)), method, arguments, env).expr
    }

    /// The result of a method; `None` if it is void.
    fn stub_result(&self, method: &StubMethod, env: &dyn Fn(VarId) -> Expression) -> Option<Expr> {
        match &method.result {
            StubResult::Nothing => {
                let (_, returned) = parse_method_descriptor(&method.descriptor)?;
                default_value(&returned).map(|value| self.literal(&value).expr)
            }
            StubResult::Sequence(_) | StubResult::Throws(_) | StubResult::Calls { .. } => None,
            StubResult::Parameter(at) => Some(Expr::Name(parameter_name(*at))),
            StubResult::Value(operand) => {
                let (_, returned) = parse_method_descriptor(&method.descriptor)?;
                Some(self.fit_assigned(operand, env, &returned))
            }
        }
    }
}

/// A name that no variable of a test has, since variables named after a class have longer names.
pub(super) fn parameter_name(at: usize) -> String {
    ["x", "y", "z"].get(at).map_or_else(|| format!("p{at}"), |name| (*name).to_owned())
}

/// The value that fields of a type have at first; `None` for `void`.
pub(super) fn default_value(ty: &JavaType) -> Option<Literal> {
    Some(match ty {
        JavaType::Void => return None,
        JavaType::Boolean => Literal::Boolean(false),
        JavaType::Byte => Literal::Byte(0),
        JavaType::Short => Literal::Short(0),
        JavaType::Char => Literal::Char(0),
        JavaType::Int => Literal::Int(0),
        JavaType::Long => Literal::Long(0),
        JavaType::Float => Literal::Float(0.0),
        JavaType::Double => Literal::Double(0.0),
        JavaType::Class(_) | JavaType::Array(_) => Literal::Null,
    })
}
