//! Literals and invocations as Java expressions.

use super::overloads::{StaticType, boxed, is_only_choice, is_subtype, needs_cast};
use super::texts::array_text;
use super::type_names::TypeNames;
use crate::facts::ClassFacts;
use crate::source::tree::{Expr, NewObject, TypeName};
use cupping_case::{Action, FieldRef, JavaType, Literal, MethodRef, Operand, VarId, parse_method_descriptor};

/// The name of the field that holds the temporary folder.
pub(super) const FOLDER: &str = "folder";

/// An expression and its static type.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The expression.
    pub expr: Expr,
    /// Its static type.
    pub ty: StaticType,
}

impl Expression {
    /// An expression of a known type.
    pub fn of(expr: Expr, ty: JavaType) -> Self {
        Expression { expr, ty: Some(ty) }
    }

    /// An expression of a known class.
    pub fn of_class(expr: Expr, class: &str) -> Self {
        Expression::of(expr, JavaType::class(class))
    }
}

/// Writes expressions with the names of one source file.
pub struct Writer<'a> {
    /// The names of classes.
    pub names: &'a TypeNames<'a>,
    /// Facts about classes.
    pub facts: &'a dyn ClassFacts,
    /// Whether every reference is cast to the erased type of its parameter, because the sequence violates bounds of
    /// type variables.
    pub raw: bool,
}

impl Writer<'_> {
    /// A type as this file calls it.
    pub fn ty(&self, ty: &JavaType) -> TypeName {
        TypeName::new(ty.clone(), self.names.ty(ty))
    }

    /// A class as this file calls it.
    pub fn class(&self, internal: &str) -> TypeName {
        TypeName::new(JavaType::class(internal), self.names.class(internal))
    }

    /// A literal by itself.
    pub fn literal(&self, literal: &Literal) -> Expression {
        let ty = match literal {
            Literal::Null => return Expression { expr: Expr::Literal(Literal::Null), ty: None },
            Literal::Boolean(_) => JavaType::Boolean,
            Literal::Byte(_) => JavaType::Byte,
            Literal::Char(_) => JavaType::Char,
            Literal::Short(_) => JavaType::Short,
            Literal::Int(_) => JavaType::Int,
            Literal::Long(_) => JavaType::Long,
            Literal::Float(_) => JavaType::Float,
            Literal::Double(_) => JavaType::Double,
            Literal::String(_) => JavaType::class("java/lang/String"),
            Literal::Class(ty) => return Expression::of_class(Expr::ClassOf(self.ty(ty)), "java/lang/Class"),
            Literal::Constant { class, field } => {
                // The type of the field is that of the enum constant, unless stated otherwise.
                return Expression::of_class(Expr::field(Expr::Type(self.class(class)), field), class);
            }
            Literal::Boxed(inner) => {
                let inner = self.literal(inner);
                let Some(name) = inner.ty.as_ref().and_then(boxed) else { return inner };
                let value = Expr::static_call(self.class(name), "valueOf", vec![inner.expr]);
                return Expression::of_class(value, name);
            }
        };
        Expression::of(Expr::Literal(literal.clone()), ty)
    }

    /// A literal where `to` is declared.
    pub(super) fn literal_as(&self, literal: &Literal, to: &JavaType) -> Expression {
        let wider = widen(literal, to);
        self.literal(wider.as_ref().unwrap_or(literal))
    }

    /// An expression as an argument, element or new value of declared type `to`.
    pub fn fit(&self, expression: Expression, to: &JavaType, only_choice: bool) -> Expr {
        let forced = self.raw && to.is_reference() && expression.ty.is_some();
        if !forced && !needs_cast(self.facts, &expression.ty, to, only_choice) {
            return expression.expr;
        }
        self.cast(expression.expr, to)
    }

    /// An operand as an argument of declared type `to`.
    fn fit_operand(
        &self,
        operand: &Operand,
        env: &dyn Fn(VarId) -> Expression,
        to: &JavaType,
        only: bool,
    ) -> Expr {
        match operand {
            Operand::Var(var) => self.fit(env(*var), to, only),
            Operand::Literal(Literal::Boxed(inner)) => self.fit_boxed(inner, to, only),
            Operand::Literal(literal) => {
                let literal = widen(literal, to);
                self.fit(self.literal(literal.as_ref().unwrap_or(operand_literal(operand))), to, only)
            }
        }
    }

    /// An operand as an element or new value: constants are narrowed there implicitly (JLS §5.2).
    pub(super) fn fit_assigned(
        &self,
        operand: &Operand,
        env: &dyn Fn(VarId) -> Expression,
        to: &JavaType,
    ) -> Expr {
        match (operand, to) {
            (Operand::Literal(Literal::Byte(value)), JavaType::Byte) => int(*value),
            (Operand::Literal(Literal::Short(value)), JavaType::Short) => int(*value),
            _ => self.fit_operand(operand, env, to, true),
        }
    }

    /// Boxing is left to javac if that gives the same object.
    fn fit_boxed(&self, inner: &Literal, to: &JavaType, only_choice: bool) -> Expr {
        let bare = self.literal(inner);
        let same_box = bare.ty.as_ref().and_then(boxed).is_some_and(|name| *to == JavaType::class(name));
        match (only_choice, same_box) {
            (false, true) => self.literal(&Literal::Boxed(Box::new(inner.clone()))).expr,
            _ => self.fit(bare, to, only_choice),
        }
    }

    fn cast(&self, value: Expr, to: &JavaType) -> Expr {
        Expr::cast(self.ty(to), value)
    }

    /// An expression to the left of a `.` that names a member of `class`.
    pub fn receiver(&self, expression: Expression, class: &JavaType) -> Expr {
        let needs_cast = match &expression.ty {
            None => true,
            Some(ty) if ty == class => false,
            Some(ty) => match is_subtype(self.facts, ty, class) {
                Some(subtype) => !subtype,
                None => *ty == JavaType::class("java/lang/Object"),
            },
        };
        if needs_cast { self.cast(expression.expr, class) } else { expression.expr }
    }

    /// An invocation, access or array; for stores, the assignment.
    pub fn action(&self, action: &Action, env: &dyn Fn(VarId) -> Expression) -> Expression {
        let operand = |operand: &Operand| self.operand(operand, env);
        if let Some(method) = self.hidden(action) {
            let (receiver, args) = match action {
                Action::Invoke { receiver, args, .. } => (Some(operand(receiver)), args.as_slice()),
                Action::Construct { args, .. } | Action::InvokeStatic { args, .. } => (None, args.as_slice()),
                _ => (None, &[][..]),
            };
            return self.call_hidden(method, receiver, args, env);
        }
        match action {
            Action::SetField { field, receiver, value } if self.is_hidden_field(field) => {
                self.set_hidden(field, receiver.as_ref().map(operand), value, env)
            }
            Action::TestFolder => Expression::of_class(Expr::name(FOLDER), "java/io/File"),
            Action::Allocate { class } => self.allocate(class),
            Action::NewArray { element, elements } if !self.is_accessible(element) => {
                self.hidden_array(element, elements.len())
            }
            Action::Construct { constructor, args } => self.construct(constructor, args, env),
            Action::Invoke { method, receiver, args } => {
                let class = class_or_array(&method.class);
                let receiver = self.receiver(operand(receiver), &class);
                self.call(receiver, method, args, env)
            }
            Action::InvokeStatic { method, args } => {
                self.call(Expr::Type(self.class(&method.class)), method, args, env)
            }
            Action::NewArray { element, elements } => {
                let values = elements.iter().map(|it| self.fit_assigned(it, env, element)).collect();
                self.array(element, values)
            }
            Action::Implement { interface, constructor, args, methods, is_functional } => {
                let args = constructor.as_ref().map(|it| self.arguments(it, &signature(it).0, args, env));
                self.implement(interface, args, methods, *is_functional, env)
            }
            Action::GetField { field, receiver } => {
                Expression::of(self.field(field, receiver.as_ref().map(operand)), field.ty.clone())
            }
            Action::SetField { field, receiver, value } => {
                let target = self.field(field, receiver.as_ref().map(operand));
                let value = self.fit_assigned(value, env, &field.ty);
                Expression::of(Expr::assign(target, value), field.ty.clone())
            }
            Action::SetElement { array, index, value } => {
                let array = operand(array);
                let value_expression = operand(value);
                let element = match &array.ty {
                    Some(JavaType::Array(element)) => (**element).clone(),
                    _ => value_expression.ty.clone().unwrap_or_else(|| JavaType::class("java/lang/Object")),
                };
                let target = self.receiver(array, &JavaType::Array(Box::new(element.clone())));
                let value = self.fit_assigned(value, env, &element);
                let place = Expr::Element(Box::new(target), *index);
                Expression::of(Expr::assign(place, value), element)
            }
        }
    }

    /// `new E[] {values}`; bytes and characters that form a text are written as one.
    pub fn array(&self, element: &JavaType, values: Vec<Expr>) -> Expression {
        let ty = JavaType::Array(Box::new(element.clone()));
        if let Some(text) = array_text(element, &values) {
            let (method, arguments) = match element {
                JavaType::Char => ("toCharArray", Vec::new()),
                _ => {
                    let charsets = Expr::Type(self.class("java/nio/charset/StandardCharsets"));
                    ("getBytes", vec![Expr::field(charsets, "US_ASCII")])
                }
            };
            return Expression::of(Expr::call(Expr::string(&text), method, arguments), ty);
        }
        Expression::of(Expr::Array(self.ty(element), values), ty)
    }

    /// `receiver.method(args)` with casts where they are needed to reach this method.
    pub fn call(
        &self,
        receiver: Expr,
        method: &MethodRef,
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let (parameters, result) = signature(method);
        let args = self.arguments(method, &parameters, args, env);
        Expression::of(Expr::call(receiver, &method.name, args), result)
    }

    fn construct(
        &self,
        constructor: &MethodRef,
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let (parameters, _) = signature(constructor);
        let ty = JavaType::class(&constructor.class);
        let nest = self.names.nest(&constructor.class);
        let enclosing = constructor.class.rfind('$').map(|at| JavaType::class(&constructor.class[..at]));
        let is_inner = nest.len() > 1
            && !args.is_empty()
            && parameters.first() == enclosing.as_ref()
            && self.facts.is_inner(&constructor.class).unwrap_or(true);
        let made = match (is_inner, enclosing) {
            (true, Some(enclosing)) => {
                let outer = Some(self.receiver(self.operand(&args[0], env), &enclosing));
                let arguments = self.arguments(constructor, &parameters[1..], &args[1..], env);
                let class = TypeName::new(ty.clone(), nest[nest.len() - 1].as_str());
                Expr::New(Box::new(NewObject::of(outer, class, arguments)))
            }
            _ => {
                let args = self.arguments(constructor, &parameters, args, env);
                Expr::new(self.class(&constructor.class), args)
            }
        };
        Expression::of(made, ty)
    }

    fn arguments(
        &self,
        method: &MethodRef,
        parameters: &[JavaType],
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Vec<Expr> {
        let types: Vec<StaticType> = args
            .iter()
            .zip(parameters)
            .map(|(arg, to)| match arg {
                Operand::Literal(literal) => {
                    let wider = widen(literal, to);
                    self.literal(wider.as_ref().unwrap_or(literal)).ty
                }
                Operand::Var(var) => env(*var).ty,
            })
            .collect();
        let only = is_only_choice(self.facts, method, &types);
        let object = JavaType::class("java/lang/Object");
        let is_left_out = |at: usize, arg: &Operand| match arg {
            // An empty array for variable arguments is omitted.
            Operand::Var(var) => {
                method.varargs && at + 1 == parameters.len() && env(*var).expr == Expr::name("")
            }
            Operand::Literal(_) => false,
        };
        args.iter()
            .enumerate()
            .filter(|(at, arg)| !is_left_out(*at, arg))
            .map(|(at, arg)| {
                // Null for `String...` could be the array or its only element.
                let is_rest = method.varargs && at + 1 == parameters.len();
                let only = only && !(is_rest && *arg == Operand::Literal(Literal::Null));
                self.fit_operand(arg, env, parameters.get(at).unwrap_or(&object), only)
            })
            .collect()
    }

    pub(super) fn field(&self, field: &FieldRef, receiver: Option<Expression>) -> Expr {
        let owner = match receiver {
            Some(receiver) => self.receiver(receiver, &JavaType::class(&field.class)),
            None => Expr::Type(self.class(&field.class)),
        };
        Expr::field(owner, &field.name)
    }

    pub(super) fn operand(&self, operand: &Operand, env: &dyn Fn(VarId) -> Expression) -> Expression {
        match operand {
            Operand::Literal(literal) => self.literal(literal),
            Operand::Var(var) => env(*var),
        }
    }
}

/// Parameter types and result of a method; no parameters and `Object` if its descriptor is damaged, which javac will
/// report.
pub fn signature(method: &MethodRef) -> (Vec<JavaType>, JavaType) {
    parse_method_descriptor(&method.descriptor)
        .unwrap_or_else(|| (Vec::new(), JavaType::class("java/lang/Object")))
}

fn operand_literal(operand: &Operand) -> &Literal {
    match operand {
        Operand::Literal(literal) => literal,
        Operand::Var(_) => &Literal::Null,
    }
}

/// The class or array type that an internal name names, as in a class constant (JVMS §4.4.1).
pub fn class_or_array(name: &str) -> JavaType {
    if name.starts_with('[') {
        JavaType::parse(name).unwrap_or_else(|| JavaType::class(name))
    } else {
        JavaType::class(name)
    }
}

/// A small whole number; if a constant is assigned, no cast is needed.
pub(super) fn int(value: impl Into<i32>) -> Expr {
    Expr::Literal(Literal::Int(value.into()))
}

/// The literal of type `to` with the same value, where a wider type is declared.
fn widen(literal: &Literal, to: &JavaType) -> Option<Literal> {
    let value = match literal {
        Literal::Byte(value) => i32::from(*value),
        Literal::Short(value) => i32::from(*value),
        Literal::Int(value) => *value,
        _ => return None,
    };
    match to {
        JavaType::Int => Some(Literal::Int(value)),
        JavaType::Long => Some(Literal::Long(i64::from(value))),
        JavaType::Byte => i8::try_from(value).ok().map(Literal::Byte),
        JavaType::Short => i16::try_from(value).ok().map(Literal::Short),
        _ => None,
    }
}
