//! Access to private members by reflection, if a test has no other way to call, set or read them.

use super::expressions::{Expression, Writer, int, signature};
use super::helpers::{BLANK, CALL, EMPTY, SET};
use crate::source::tree::{Expr, TypeName};
use cupping_case::{Action, Case, FieldRef, JavaType, Literal, MethodRef, Operand, VarId};

impl Writer<'_> {
    /// The member that an action uses, if it is private.
    pub(super) fn hidden<'c>(&self, action: &'c Action) -> Option<&'c MethodRef> {
        let (Action::Construct { constructor: method, .. }
        | Action::Invoke { method, .. }
        | Action::InvokeStatic { method, .. }) = action
        else {
            return None;
        };
        let is_private = self.facts.is_private(&method.class, &method.name, &method.descriptor);
        let is_out_of_reach = || {
            (&*method.name == "<init>" || method.class.contains('$'))
                && !self.names.is_accessible(&method.class)
        };
        (is_private == Some(true) || is_out_of_reach()).then_some(method)
    }

    /// Whether a step before the last, or a returning one, needs reflection.
    pub(super) fn has_hidden(&self, case: &Case, steps: usize) -> bool {
        case.steps[..steps].iter().any(|step| self.is_by_reflection(&step.action))
    }

    /// Whether only reflection can do this.
    pub(super) fn is_by_reflection(&self, action: &Action) -> bool {
        match action {
            Action::Allocate { .. } => true,
            Action::SetField { field, .. } => self.is_hidden_field(field),
            Action::NewArray { element, .. } => !self.is_accessible(element),
            _ => self.hidden(action).is_some(),
        }
    }

    /// Whether source can name the type.
    pub(super) fn is_accessible(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Class(name) => self.names.is_accessible(name),
            JavaType::Array(element) => self.is_accessible(element),
            _ => true,
        }
    }

    /// Whether source cannot set the field.
    pub(super) fn is_hidden_field(&self, field: &FieldRef) -> bool {
        self.facts.is_closed_field(&field.class, &field.name) == Some(true)
            || !self.names.is_accessible(&field.class)
            || !self.is_accessible(&field.ty)
    }

    /// The class as an object.
    fn class_object(&self, class: &str) -> Expr {
        match self.names.is_accessible(class) {
            true => Expr::ClassOf(self.class(class)),
            false => for_name(&class.replace('/', ".")),
        }
    }

    fn type_object(&self, ty: &JavaType) -> Expr {
        match ty {
            JavaType::Class(name) => self.class_object(name),
            ty if self.is_accessible(ty) => Expr::ClassOf(self.ty(ty)),
            ty => for_name(&ty.descriptor().replace('/', ".")),
        }
    }

    /// `setPrivate(Node.class, "next", node, other)`
    pub(super) fn set_hidden(
        &self,
        field: &FieldRef,
        receiver: Option<Expression>,
        value: &Operand,
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let owner = self.class_object(&field.class);
        let value = self.as_object(value, &field.ty, env);
        let arguments = vec![owner, Expr::string(&field.name), or_null(receiver), value];
        Expression::of(Expr::helper(SET, arguments), JavaType::Void)
    }

    /// `emptyStatic(Registry.class, "entries")`
    pub(super) fn empty_static(&self, field: &FieldRef) -> Expr {
        Expr::helper(EMPTY, vec![self.class_object(&field.class), Expr::string(&field.name)])
    }

    /// `blank(Node.class)`
    pub(super) fn allocate(&self, class: &str) -> Expression {
        Expression::of_class(Expr::helper(BLANK, vec![self.class_object(class)]), OBJECT)
    }

    /// An array of a class that source cannot name, with all elements null.
    pub(super) fn hidden_array(&self, element: &JavaType, length: usize) -> Expression {
        let array = self.class("java/lang/reflect/Array");
        let length = int(i32::try_from(length).unwrap_or(i32::MAX));
        let made = Expr::static_call(array, "newInstance", vec![self.type_object(element), length]);
        let ty = JavaType::Array(Box::new(JavaType::class(OBJECT)));
        Expression::of(Expr::cast(TypeName::new(ty.clone(), "Object[]"), made), ty)
    }

    /// The call of a private member; its static type is `Object`, whatever it returns.
    pub(super) fn call_hidden(
        &self,
        method: &MethodRef,
        receiver: Option<Expression>,
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let (parameters, _) = signature(method);
        let types = parameters.iter().map(|ty| self.type_object(ty)).collect();
        // Elements of an object array are boxed by their own type; reflection widens, and accepts no other box.
        let values = args.iter().zip(&parameters).map(|(arg, to)| self.as_object(arg, to, env)).collect();
        let owner = self.class_object(&method.class);
        let class = TypeName::new(JavaType::class("java/lang/Class"), "Class<?>");
        let arguments = vec![
            owner,
            Expr::string(&method.name),
            Expr::Values(class, types),
            or_null(receiver),
            Expr::Values(TypeName::lang("Object"), values),
        ];
        Expression::of_class(Expr::helper(CALL, arguments), OBJECT)
    }

    fn as_object(&self, arg: &Operand, to: &JavaType, env: &dyn Fn(VarId) -> Expression) -> Expr {
        match arg {
            Operand::Var(var) => env(*var).expr,
            Operand::Literal(literal) => self.literal_as(literal, to).expr,
        }
    }
}

const OBJECT: &str = "java/lang/Object";

/// `Class.forName("a.Hidden")`
fn for_name(name: &str) -> Expr {
    Expr::static_call(TypeName::lang("Class"), "forName", vec![Expr::string(name)])
}

fn or_null(receiver: Option<Expression>) -> Expr {
    receiver.map_or(Expr::Literal(Literal::Null), |it| it.expr)
}
