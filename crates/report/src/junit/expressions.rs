//! Literals and invocations as Java expressions.

use super::overloads::{StaticType, boxed, is_only_choice, is_subtype, needs_cast};
use super::type_names::{ClassName, TypeNames};
use super::{literals, stubs};
use crate::facts::ClassFacts;
use cupping_case::{Action, FieldRef, JavaType, Literal, MethodRef, Operand, VarId, parse_method_descriptor};

/// A Java expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// Its source.
    pub text: String,
    /// Its static type.
    pub ty: StaticType,
    /// Whether a `.` may follow without parentheses.
    pub primary: bool,
}

impl Expression {
    /// An expression that a `.` may follow.
    pub fn primary(text: String, ty: JavaType) -> Self {
        Expression { text, ty: Some(ty), primary: true }
    }
}

/// Writes expressions with the names of one source file.
pub struct Writer<'a> {
    /// How classes are called.
    pub names: &'a TypeNames<'a>,
    /// What is known of classes.
    pub facts: &'a dyn ClassFacts,
    /// Whether every reference is cast to the erased type of its parameter, past the bounds of type variables
    /// that the sequence does not keep to.
    pub raw: bool,
}

impl Writer<'_> {
    /// A literal by itself.
    pub fn literal(&self, literal: &Literal) -> Expression {
        let (text, ty) = match literal {
            Literal::Null => return Expression { text: "null".into(), ty: None, primary: false },
            Literal::Boolean(value) => (value.to_string(), JavaType::Boolean),
            Literal::Byte(value) => (literals::byte(*value), JavaType::Byte),
            Literal::Char(unit) => (literals::char(*unit), JavaType::Char),
            Literal::Short(value) => (literals::short(*value), JavaType::Short),
            Literal::Int(value) => (literals::int(*value), JavaType::Int),
            Literal::Long(value) => (literals::long(*value), JavaType::Long),
            Literal::Float(value) => (literals::float(*value), JavaType::Float),
            Literal::Double(value) => (literals::double(*value), JavaType::Double),
            Literal::String(units) => {
                return Expression::primary(literals::string(units), JavaType::class("java/lang/String"));
            }
            Literal::Class(ty) => {
                let text = format!("{}.class", self.names.ty(ty));
                return Expression::primary(text, JavaType::class("java/lang/Class"));
            }
            Literal::Constant { class, field } => {
                // The type of the field is that of an enum's constant, unless someone says otherwise.
                let text = format!("{}.{field}", self.names.class(class));
                return Expression::primary(text, JavaType::class(class));
            }
            Literal::Boxed(inner) => {
                let inner = self.literal(inner);
                let Some(name) = inner.ty.as_ref().and_then(boxed) else { return inner };
                let text = format!("{}.valueOf({})", self.names.class(name), inner.text);
                return Expression::primary(text, JavaType::class(name));
            }
        };
        Expression { text, ty: Some(ty), primary: false }
    }

    /// A literal where `to` is declared.
    pub(super) fn literal_as(&self, literal: &Literal, to: &JavaType) -> Expression {
        let wider = widen(literal, to);
        self.literal(wider.as_ref().unwrap_or(literal))
    }

    /// An expression as an argument, element or new value where `to` is declared.
    pub fn fit(&self, expression: Expression, to: &JavaType, only_choice: bool) -> String {
        let forced = self.raw && to.is_reference() && expression.ty.is_some();
        if !forced && !needs_cast(self.facts, &expression.ty, to, only_choice) {
            return expression.text;
        }
        self.cast(&expression.text, to)
    }

    /// An operand as an argument where `to` is declared.
    fn fit_operand(
        &self,
        operand: &Operand,
        env: &dyn Fn(VarId) -> Expression,
        to: &JavaType,
        only: bool,
    ) -> String {
        match operand {
            Operand::Var(var) => self.fit(env(*var), to, only),
            Operand::Literal(Literal::Boxed(inner)) => self.fit_boxed(inner, to, only),
            Operand::Literal(literal) => {
                let literal = widen(literal, to);
                self.fit(self.literal(literal.as_ref().unwrap_or(operand_literal(operand))), to, only)
            }
        }
    }

    /// An operand as an element or new value: constants are narrowed there by themselves (JLS §5.2).
    pub(super) fn fit_assigned(
        &self,
        operand: &Operand,
        env: &dyn Fn(VarId) -> Expression,
        to: &JavaType,
    ) -> String {
        match (operand, to) {
            (Operand::Literal(Literal::Byte(value)), JavaType::Byte) => value.to_string(),
            (Operand::Literal(Literal::Short(value)), JavaType::Short) => value.to_string(),
            _ => self.fit_operand(operand, env, to, true),
        }
    }

    /// A box is left to javac's boxing where that gives the same object.
    fn fit_boxed(&self, inner: &Literal, to: &JavaType, only_choice: bool) -> String {
        let bare = self.literal(inner);
        let same_box = bare.ty.as_ref().and_then(boxed).is_some_and(|name| *to == JavaType::class(name));
        match (only_choice, same_box) {
            (false, true) => self.literal(&Literal::Boxed(Box::new(inner.clone()))).text,
            _ => self.fit(bare, to, only_choice),
        }
    }

    fn cast(&self, text: &str, to: &JavaType) -> String {
        let ty = self.names.ty(to);
        // `(Object) -1` would be a subtraction.
        if text.starts_with('-') && to.is_reference() {
            format!("({ty}) ({text})")
        } else {
            format!("({ty}) {text}")
        }
    }

    /// An expression to the left of a `.` that names a member of `class`.
    pub fn receiver(&self, expression: Expression, class: &JavaType) -> String {
        let needs_cast = match &expression.ty {
            None => true,
            Some(ty) if ty == class => false,
            Some(ty) => match is_subtype(self.facts, ty, class) {
                Some(subtype) => !subtype,
                None => *ty == JavaType::class("java/lang/Object"),
            },
        };
        match (needs_cast, expression.primary) {
            (true, _) => format!("({})", self.cast(&expression.text, class)),
            (false, true) => expression.text,
            (false, false) => format!("({})", expression.text),
        }
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
            // Who writes the body knows what the folder is called.
            Action::TestFolder => super::folder::root(super::JunitVersion::Five),
            Action::Allocate { class } => self.allocate(class),
            Action::NewArray { element, elements } if !self.is_accessible(element) => {
                self.hidden_array(element, elements.len())
            }
            Action::Construct { constructor, args } => self.construct(constructor, args, env),
            Action::Invoke { method, receiver, args } => {
                let class = class_or_array(&method.class);
                let receiver = self.receiver(operand(receiver), &class);
                self.call(&receiver, method, args, env)
            }
            Action::InvokeStatic { method, args } => {
                self.call(&self.names.class(&method.class), method, args, env)
            }
            Action::NewArray { element, elements } => {
                let values: Vec<String> =
                    elements.iter().map(|it| self.fit_assigned(it, env, element)).collect();
                self.array(element, &values)
            }
            Action::Implement { interface, methods, is_functional } => {
                stubs::implement(self, interface, methods, *is_functional, env)
            }
            Action::GetField { field, receiver } => {
                let text = self.field(field, receiver.as_ref().map(operand));
                Expression::primary(text, field.ty.clone())
            }
            Action::SetField { field, receiver, value } => {
                let target = self.field(field, receiver.as_ref().map(operand));
                let value = self.fit_assigned(value, env, &field.ty);
                Expression { text: format!("{target} = {value}"), ty: Some(field.ty.clone()), primary: false }
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
                let text = format!("{target}[{index}] = {value}");
                Expression { text, ty: Some(element), primary: false }
            }
        }
    }

    /// `new E[] {values}`
    pub fn array(&self, element: &JavaType, values: &[String]) -> Expression {
        let ty = JavaType::Array(Box::new(element.clone()));
        let text = if values.is_empty() {
            // `new int[0][]`: the length goes to the outermost dimension.
            let (innermost, depth) = innermost(element);
            format!("new {}[0]{}", self.names.ty(innermost), "[]".repeat(depth))
        } else {
            format!("new {}[] {{{}}}", self.names.ty(element), values.join(", "))
        };
        Expression { text, ty: Some(ty), primary: !values.is_empty() }
    }

    /// `receiver.method(args)` with casts where they are needed to reach this method.
    pub fn call(
        &self,
        receiver: &str,
        method: &MethodRef,
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let (parameters, result) = signature(method);
        let args = self.arguments(method, &parameters, args, env);
        let name = &method.name;
        Expression::primary(format!("{receiver}.{name}({args})"), result)
    }

    fn construct(
        &self,
        constructor: &MethodRef,
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let (parameters, _) = signature(constructor);
        let ty = JavaType::class(&constructor.class);
        let name = ClassName::parse(&constructor.class);
        let enclosing = constructor.class.rfind('$').map(|at| JavaType::class(&constructor.class[..at]));
        let is_inner = name.nest.len() > 1
            && !args.is_empty()
            && parameters.first() == enclosing.as_ref()
            && self.facts.is_inner(&constructor.class).unwrap_or(true);
        let text = match (is_inner, enclosing) {
            (true, Some(enclosing)) => {
                let outer = self.receiver(self.operand(&args[0], env), &enclosing);
                let rest = self.arguments(constructor, &parameters[1..], &args[1..], env);
                format!("{outer}.new {}({rest})", name.simple())
            }
            _ => {
                let args = self.arguments(constructor, &parameters, args, env);
                format!("new {}({args})", self.names.class(&constructor.class))
            }
        };
        Expression::primary(text, ty)
    }

    fn arguments(
        &self,
        method: &MethodRef,
        parameters: &[JavaType],
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> String {
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
            // Nobody writes an empty array where there may be nothing.
            Operand::Var(var) => method.varargs && at + 1 == parameters.len() && env(*var).text.is_empty(),
            Operand::Literal(_) => false,
        };
        let written: Vec<String> = args
            .iter()
            .enumerate()
            .filter(|(at, arg)| !is_left_out(*at, arg))
            .map(|(at, arg)| {
                // Null for `String...` could be the array or its only element.
                let is_rest = method.varargs && at + 1 == parameters.len();
                let only = only && !(is_rest && *arg == Operand::Literal(Literal::Null));
                self.fit_operand(arg, env, parameters.get(at).unwrap_or(&object), only)
            })
            .collect();
        written.join(", ")
    }

    fn field(&self, field: &FieldRef, receiver: Option<Expression>) -> String {
        let owner = match receiver {
            Some(receiver) => self.receiver(receiver, &JavaType::class(&field.class)),
            None => self.names.class(&field.class),
        };
        format!("{owner}.{}", field.name)
    }

    fn operand(&self, operand: &Operand, env: &dyn Fn(VarId) -> Expression) -> Expression {
        match operand {
            Operand::Literal(literal) => self.literal(literal),
            Operand::Var(var) => env(*var),
        }
    }
}

/// Parameter types and result of a method; none and `Object` if its descriptor is damaged, which javac
/// will then say.
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

fn innermost(ty: &JavaType) -> (&JavaType, usize) {
    match ty {
        JavaType::Array(element) => {
            let (inner, depth) = innermost(element);
            (inner, depth + 1)
        }
        _ => (ty, 0),
    }
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
