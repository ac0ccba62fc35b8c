//! What is private, by reflection: in no other way can a test call it, set it, or look at it.

use super::expressions::{Expression, Writer, signature};
use super::folder::TEXT;
use cupping_case::{Action, Case, FieldRef, JavaType, MethodRef, Operand, VarId};

/// The name of the method that makes calls.
const CALL: &str = "callPrivate";
/// The name of the method that sets fields.
const SET: &str = "setPrivate";
/// The name of the method that makes objects without a constructor.
const BLANK: &str = "blank";
/// The name of the method that shows states.
pub(super) const STATE: &str = "stateOf";

/// What test classes that need it get as their last members: the name that is looked for, and the text.
const HELPERS: [(&str, &str); 5] = [
    (
        CALL,
        "\
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
}",
    ),
    (
        SET,
        "\
/** Sets a field that is private, and so by reflection. */
private static void setPrivate(Class<?> owner, String name, Object object, Object value) throws Throwable {
    java.lang.reflect.Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    field.set(object, value);
}",
    ),
    (
        BLANK,
        "\
/** An object of a class that has no constructor without parameters; no constructor is called. */
private static Object blank(Class<?> type) throws Throwable {
    Class<?> unsafe = Class.forName(\"sun.misc.Unsafe\");
    java.lang.reflect.Field only = unsafe.getDeclaredField(\"theUnsafe\");
    only.setAccessible(true);
    return unsafe.getMethod(\"allocateInstance\", Class.class).invoke(only.get(null), type);
}",
    ),
    (
        TEXT,
        "\
/** What is in a file. */
private static String textOf(java.io.File file) throws java.io.IOException {
    return new String(java.nio.file.Files.readAllBytes(file.toPath()), java.nio.charset.StandardCharsets.UTF_8);
}",
    ),
    (
        STATE,
        "\
/** An object, its fields of these names, and what they lead to; an object that was shown already is its number. */
private static String stateOf(Object object, String... fields) throws Throwable {
    return show(object, fields, new java.util.ArrayList<>());
}

private static String show(Object object, String[] fields, java.util.List<Object> shown) throws Throwable {
    if (object == null || object instanceof Number || object instanceof Boolean) {
        return String.valueOf(object);
    }
    if (object instanceof Character) {
        return String.valueOf((int) (Character) object);
    }
    if (object instanceof Enum) {
        return ((Enum<?>) object).name();
    }
    if (object instanceof String) {
        return '\"' + object.toString() + '\"';
    }
    for (int at = 0; at < shown.size(); at++) {
        if (shown.get(at) == object) {
            return \"@\" + at;
        }
    }
    shown.add(object);
    java.util.StringJoiner parts = new java.util.StringJoiner(\", \");
    if (object.getClass().isArray()) {
        for (int at = 0; at < java.lang.reflect.Array.getLength(object); at++) {
            parts.add(show(java.lang.reflect.Array.get(object, at), fields, shown));
        }
        return \"[\" + parts + \"]\";
    }
    for (String name : fields) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (java.lang.reflect.Field field : type.getDeclaredFields()) {
                boolean isMeant = name.equals(field.getName())
                        || name.equals(type.getSimpleName() + \".\" + field.getName());
                if (!isMeant || java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                field.setAccessible(true);
                Object value = field.get(object);
                if (value != null) {
                    parts.add(field.getName() + \"=\" + show(value, fields, shown));
                }
            }
        }
    }
    return object.getClass().getSimpleName() + \"{\" + parts + \"}\";
}",
    ),
];

/// The helpers that any of these lines needs.
pub(super) fn helpers<'a, I: Iterator<Item = &'a String>>(
    lines: impl Fn() -> I,
) -> impl Iterator<Item = &'static str> {
    let needed = move |name: &str| {
        let call = format!("{name}(");
        lines().any(|line| {
            line.match_indices(&call).any(|(at, _)| {
                !line[..at].ends_with(|it: char| it.is_alphanumeric() || it == '.' || it == '_' || it == '$')
            })
        })
    };
    let found: Vec<&'static str> =
        HELPERS.iter().filter(|(name, _)| needed(name)).map(|(_, text)| *text).collect();
    found.into_iter()
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
        let is_private = self.facts.is_private(&method.class, &method.name, &method.descriptor);
        let is_out_of_reach = || {
            (&*method.name == "<init>" || method.class.contains('$'))
                && !self.names.is_accessible(&method.class)
        };
        (is_private == Some(true) || is_out_of_reach()).then_some(method)
    }

    /// Whether a step before the last, or one that returns, does what only reflection can.
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
    fn class_object(&self, class: &str) -> String {
        match self.names.is_accessible(class) {
            true => format!("{}.class", self.names.class(class)),
            false => format!("Class.forName(\"{}\")", class.replace('/', ".")),
        }
    }

    fn type_object(&self, ty: &JavaType) -> String {
        match ty {
            JavaType::Class(name) => self.class_object(name),
            ty if self.is_accessible(ty) => format!("{}.class", self.names.ty(ty)),
            ty => format!("Class.forName(\"{}\")", ty.descriptor().replace('/', ".")),
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
        let receiver = receiver.map_or_else(|| "null".to_owned(), |it| it.text);
        let value = self.as_object(value, &field.ty, env);
        let text = format!("{SET}({owner}, \"{}\", {receiver}, {value})", field.name);
        Expression { text, ty: Some(JavaType::Void), primary: false }
    }

    /// `blank(Node.class)`
    pub(super) fn allocate(&self, class: &str) -> Expression {
        let text = format!("{BLANK}({})", self.class_object(class));
        Expression::primary(text, JavaType::class("java/lang/Object"))
    }

    /// An array, all of whose elements are null, of a class that source cannot name.
    pub(super) fn hidden_array(&self, element: &JavaType, length: usize) -> Expression {
        let array = self.names.class("java/lang/reflect/Array");
        let text = format!("(Object[]) {array}.newInstance({}, {length})", self.type_object(element));
        let object = JavaType::class("java/lang/Object");
        Expression { text, ty: Some(JavaType::Array(Box::new(object))), primary: false }
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
        let types: Vec<String> = parameters.iter().map(|ty| self.type_object(ty)).collect();
        // In an array of objects each is boxed as what it is; reflection widens, and takes no other box.
        let values: Vec<String> =
            args.iter().zip(&parameters).map(|(arg, to)| self.as_object(arg, to, env)).collect();
        let owner = self.class_object(&method.class);
        let receiver = receiver.map_or_else(|| "null".to_owned(), |it| it.text);
        let text = format!(
            "{CALL}({owner}, \"{}\", new Class<?>[] {{{}}}, {receiver}, new Object[] {{{}}})",
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
