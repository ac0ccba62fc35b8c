//! Calls of private methods and constructors, by reflection: in no other way can a test make them.

use super::expressions::{Expression, Writer, signature};
use cupping_case::{Action, Case, JavaType, MethodRef, Operand, VarId};

/// The name of the method that makes the calls.
const HELPER: &str = "callPrivate";

/// It, as the last member of a test class that needs it.
const DECLARATION: &str = "\
/** Calls a method or constructor that is private, and so by reflection; the constructor's name is <init>. */
private static Object callPrivate(Class<?> owner, String name, Class<?>[] types, Object receiver, Object[] values)
        throws Throwable {
    try {
        if (name.equals(\"<init>\")) {
            java.lang.reflect.Constructor<?> constructor = owner.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        }
        java.lang.reflect.Method method = owner.getDeclaredMethod(name, types);
        method.setAccessible(true);
        return method.invoke(receiver, values);
    } catch (java.lang.reflect.InvocationTargetException thrown) {
        throw thrown.getCause();
    }
}";

/// The method that makes such calls, where any of these lines has one.
pub(super) fn helper<'a>(mut lines: impl Iterator<Item = &'a String>) -> Option<&'static str> {
    lines.any(|line| line.contains("callPrivate(")).then_some(DECLARATION)
}

impl Writer<'_> {
    /// What an action calls, if that is private.
    pub(super) fn hidden<'c>(&self, action: &'c Action) -> Option<&'c MethodRef> {
        let (Action::Construct { constructor: method, .. }
        | Action::Invoke { method, .. }
        | Action::InvokeStatic { method, .. }) = action
        else {
            return None;
        };
        self.facts
            .is_private(&method.class, &method.name, &method.descriptor)
            .filter(|it| *it)
            .map(|_| method)
    }

    /// Whether a step before the last, or one that returns, calls what is private.
    pub(super) fn has_hidden(&self, case: &Case, steps: usize) -> bool {
        case.steps[..steps].iter().any(|step| self.hidden(&step.action).is_some())
    }

    /// The call of what is private; its static type is `Object`, whatever it gives.
    pub(super) fn call_hidden(
        &self,
        method: &MethodRef,
        receiver: Option<Expression>,
        args: &[Operand],
        env: &dyn Fn(VarId) -> Expression,
    ) -> Expression {
        let (parameters, _) = signature(method);
        let types: Vec<String> = parameters.iter().map(|ty| format!("{}.class", self.names.ty(ty))).collect();
        // In an array of objects each is boxed as what it is; reflection widens, and takes no other box.
        let values: Vec<String> =
            args.iter().zip(&parameters).map(|(arg, to)| self.as_object(arg, to, env)).collect();
        let owner = self.names.class(&method.class);
        let receiver = receiver.map_or_else(|| "null".to_owned(), |it| it.text);
        let text = format!(
            "{HELPER}({owner}.class, \"{}\", new Class<?>[] {{{}}}, {receiver}, new Object[] {{{}}})",
            method.name,
            types.join(", "),
            values.join(", ")
        );
        Expression::primary(text, JavaType::class("java/lang/Object"))
    }

    fn as_object(&self, arg: &Operand, to: &JavaType, env: &dyn Fn(VarId) -> Expression) -> String {
        match arg {
            Operand::Var(var) => env(*var).text,
            Operand::Literal(literal) => self.literal_as(literal, to).text,
        }
    }
}
