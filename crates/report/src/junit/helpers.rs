//! Helper methods, added as the last members of test classes that call them.

/// The name of the method that makes calls.
pub(super) const CALL: &str = "callPrivate";
/// The name of the method that sets fields.
pub(super) const SET: &str = "setPrivate";
/// The name of the method that empties collections.
pub(super) const EMPTY: &str = "emptyStatic";
/// The name of the method that creates objects without a constructor.
pub(super) const BLANK: &str = "blank";
/// The name of the method that shows states.
pub(super) const STATE: &str = "stateOf";

/// The name of the method that returns a file's content as text.
pub(super) const TEXT: &str = "textOf";
/// The name of the method that lists the remaining elements of an iterator.
pub(super) const ELEMENTS: &str = "elementsOf";
/// The name of the method that deletes a folder with its content.
pub(super) const DELETE: &str = "deleteFolder";

/// Helper members that are added to test classes that use them: the name to look for, and the text.
const HELPERS: [(&str, &str); 8] = [
    (
        ELEMENTS,
        "\
/** What an iterator has left, in order. */
private static java.util.List<Object> elementsOf(java.util.Iterator<?> iterator) {
    java.util.List<Object> elements = new java.util.ArrayList<>();
    while (iterator.hasNext()) {
        elements.add(iterator.next());
    }
    return elements;
}",
    ),
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
        EMPTY,
        "\
/** Empties the collection or map that a static field holds. */
private static void emptyStatic(Class<?> owner, String name) throws Throwable {
    java.lang.reflect.Field field = owner.getDeclaredField(name);
    field.setAccessible(true);
    Object held = field.get(null);
    if (held instanceof java.util.Map) {
        ((java.util.Map<?, ?>) held).clear();
    } else {
        ((java.util.Collection<?>) held).clear();
    }
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
        DELETE,
        "\
/** Deletes a folder with all that is in it. */
private static void deleteFolder(java.io.File folder) {
    java.io.File[] inner = java.nio.file.Files.isSymbolicLink(folder.toPath()) ? null : folder.listFiles();
    if (inner != null) {
        for (java.io.File one : inner) {
            deleteFolder(one);
        }
    }
    folder.delete();
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
