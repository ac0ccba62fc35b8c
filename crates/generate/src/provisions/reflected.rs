//! Objects of reflection: methods, fields and constructors of well-known JDK classes, and those of the
//! application that carry annotations, since code that takes members asks for these.

use super::Provision;
use super::library::invokable;
use crate::generics::erased;
use crate::input::Input;
use crate::invokable::is_nameable;
use cupping_case::parse_method_descriptor;
use cupping_classfile::GenericType;
use cupping_machine::{ClassId, Kind, Machine};

/// Limit on the members, and on the classes, of the application.
const MAX_OWN: usize = 4;
/// Limit on the classes among which they are looked for.
const MAX_CLASSES: usize = 200;

/// The methods of `Class` that find members: by name, type, and whether they take a name and types of parameters.
const METHOD: (&str, &str) =
    ("getMethod", "(Ljava/lang/String;[Ljava/lang/Class;)Ljava/lang/reflect/Method;");
const FIELD: (&str, &str) = ("getField", "(Ljava/lang/String;)Ljava/lang/reflect/Field;");
const CONSTRUCTOR: (&str, &str) = ("getConstructor", "([Ljava/lang/Class;)Ljava/lang/reflect/Constructor;");
const OWN_METHOD: (&str, &str) = ("getDeclaredMethod", METHOD.1);
const OWN_FIELD: (&str, &str) = ("getDeclaredField", FIELD.1);
const OWN_CONSTRUCTOR: (&str, &str) = ("getDeclaredConstructor", CONSTRUCTOR.1);
const GENERIC_ABOVE: (&str, &str) = ("getGenericSuperclass", "()Ljava/lang/reflect/Type;");

/// The provisions of a reflection class, with members of different kinds.
pub(super) fn reflected(machine: &mut Machine, class: ClassId, package: &str) -> Vec<Provision> {
    let mut provisions = of_jdk(machine, class);
    let at = provisions.len().min(1);
    let own: Vec<Provision> = match &*machine.class(class).name.clone() {
        "java/lang/reflect/Method" => {
            let all = annotated(machine, package);
            all.iter().flat_map(|it| own_methods(machine, *it, false)).take(MAX_OWN).collect()
        }
        "java/lang/reflect/Constructor" => {
            let all = annotated(machine, package);
            all.iter().flat_map(|it| own_methods(machine, *it, true)).take(MAX_OWN).collect()
        }
        "java/lang/reflect/Field" => {
            let all = annotated(machine, package);
            all.iter().flat_map(|it| own_fields(machine, *it)).take(MAX_OWN).collect()
        }
        _ => return provisions,
    };
    provisions.splice(at..at, own);
    provisions
}

/// Classes of the application that carry annotations, as objects.
pub(super) fn own_classes(machine: &mut Machine, package: &str) -> Vec<ClassId> {
    let mut found = annotated(machine, package);
    found.retain(|it| machine.class(*it).file.as_ref().is_some_and(|it| it.annotations.visible.is_some()));
    found.truncate(MAX_OWN / 2);
    found
}

/// Annotations that a `Class<? extends Annotation>` may stand for; the first has no members.
const ANNOTATIONS: [&str; 2] = ["java/lang/FunctionalInterface", "java/lang/Deprecated"];

/// What the argument of a `Class<…>` has to be a subtype of, if it says more than `Object`.
pub(super) fn bound_of_class(machine: &mut Machine, ty: &GenericType) -> Option<ClassId> {
    let GenericType::Class { arguments, .. } = ty else { return None };
    let bound = match arguments.first()? {
        GenericType::Wildcard(bound) => bound.as_deref()?,
        other => other,
    };
    let name = erased(bound).filter(|it| it != "java/lang/Object")?;
    machine.load(&name).ok()
}

/// The literals of those classes that are within a bound; the bound itself if there is no other.
pub(super) fn within(
    machine: &mut Machine,
    mut classes: Vec<ClassId>,
    bound: Option<ClassId>,
) -> Vec<Provision> {
    if let Some(bound) = bound {
        if &*machine.class(bound).name == "java/lang/annotation/Annotation" {
            classes
                .splice(0..0, ANNOTATIONS.iter().filter_map(|it| machine.load(it).ok()).collect::<Vec<_>>());
        }
        classes.retain(|it| machine.is_subtype(*it, bound));
        if classes.is_empty() {
            classes.push(bound);
        }
    }
    classes.into_iter().map(literal).collect()
}

fn of_jdk(machine: &mut Machine, class: ClassId) -> Vec<Provision> {
    match &*machine.class(class).name.clone() {
        "java/lang/reflect/Method" => {
            let members = [
                ("java/lang/String", "length", None),
                ("java/util/List", "get", Some("int")),
                ("java/lang/Object", "notify", None),
                ("java/util/List", "size", None),
            ];
            let method = |(class, name, parameter): (_, _, Option<&str>)| {
                known(machine, METHOD, class, Some(name), Some(parameter.as_slice()))
            };
            members.into_iter().filter_map(method).collect()
        }
        "java/lang/reflect/Field" => {
            let members = [("java/lang/Integer", "MAX_VALUE"), ("java/lang/Boolean", "TRUE")];
            let field = |(class, name)| known(machine, FIELD, class, Some(name), None);
            members.into_iter().filter_map(field).collect()
        }
        "java/lang/reflect/Constructor" => {
            let parameters: [&[&str]; 2] = [&[], &["java/lang/String"]];
            let of = "java/lang/RuntimeException";
            let constructor = |parameters| known(machine, CONSTRUCTOR, of, None, Some(parameters));
            parameters.into_iter().filter_map(constructor).collect()
        }
        "java/lang/reflect/Type"
        | "java/lang/reflect/AnnotatedElement"
        | "java/lang/reflect/GenericDeclaration" => {
            let classes = ["java/lang/String", "java/util/List", "int"];
            let literal = |name: &&str| Some(literal(machine.load(name).ok()?));
            let mut found: Vec<Provision> = classes.iter().filter_map(literal).collect();
            if &*machine.class(class).name == "java/lang/reflect/Type" {
                let mut kinds = [parameterized, generic_arrays, variables, wildcards].map(|of| of(machine));
                // One of each kind first: code decides by the kind.
                let rest: Vec<_> = kinds.iter_mut().flat_map(|it| it.split_off(it.len().min(1))).collect();
                found.extend(kinds.into_iter().flatten().chain(rest));
            }
            found
        }
        "java/lang/reflect/ParameterizedType" => parameterized(machine),
        "java/lang/reflect/GenericArrayType" => generic_arrays(machine),
        "java/lang/reflect/TypeVariable" => variables(machine),
        "java/lang/reflect/WildcardType" => wildcards(machine),
        _ => Vec::new(),
    }
}

/// Types with arguments: one class, two classes, one variable.
fn parameterized(machine: &mut Machine) -> Vec<Provision> {
    let classes = ["java/util/concurrent/TimeUnit", "java/util/Properties", "java/util/ArrayList"];
    classes.iter().filter_map(|name| known(machine, GENERIC_ABOVE, name, None, None)).collect()
}

/// The type that a method of the JDK returns, as it is declared.
fn returned(machine: &mut Machine, class: &str, name: &str, parameters: &[&str]) -> Option<Provision> {
    let method = known(machine, METHOD, class, Some(name), Some(parameters))?;
    asked(machine, "java/lang/reflect/Method", "getGenericReturnType", GENERIC_ABOVE.1, method)
}

/// What a method without parameters returns.
fn asked(
    machine: &mut Machine,
    class: &str,
    name: &str,
    descriptor: &str,
    of: Provision,
) -> Option<Provision> {
    let class = machine.load(class).ok()?;
    Some(Provision::MakeOf(invokable(machine, class, name, descriptor)?, vec![of]))
}

/// Arrays of a variable.
fn generic_arrays(machine: &mut Machine) -> Vec<Provision> {
    returned(machine, "java/util/Collection", "toArray", &["[Ljava/lang/Object;"]).into_iter().collect()
}

/// A variable of a class, and two of methods, with a bound and with several.
fn variables(machine: &mut Machine) -> Vec<Provision> {
    let declared: [(&str, &str, &[&str]); 3] = [
        ("java/util/List", "get", &["int"]),
        ("java/lang/Enum", "valueOf", &["java/lang/Class", "java/lang/String"]),
        ("java/util/Collections", "max", &["java/util/Collection"]),
    ];
    declared.into_iter().filter_map(|(class, name, all)| returned(machine, class, name, all)).collect()
}

/// Wildcards with an upper bound, with a lower bound, and with none.
fn wildcards(machine: &mut Machine) -> Vec<Provision> {
    let declared: [(&str, &str, &[&str]); 3] = [
        ("java/lang/annotation/Annotation", "annotationType", &[]),
        ("java/lang/Class", "getSuperclass", &[]),
        ("java/lang/Class", "forName", &["java/lang/String"]),
    ];
    let argument = |(class, name, parameters): (&str, &str, &[&str])| {
        let of = returned(machine, class, name, parameters)?;
        let (class, descriptor) = ("java/lang/reflect/ParameterizedType", "()[Ljava/lang/reflect/Type;");
        let all = asked(machine, class, "getActualTypeArguments", descriptor, of)?;
        let arrays = machine.load("java/lang/reflect/Array").ok()?;
        let element = invokable(machine, arrays, "get", "(Ljava/lang/Object;I)Ljava/lang/Object;")?;
        Some(Provision::MakeOf(element, vec![all, Provision::Input(Input::Fixed(Kind::Int, 0))]))
    };
    declared.into_iter().filter_map(argument).collect()
}

/// The classes of a package some of whose members carry annotations.
fn annotated(machine: &mut Machine, package: &str) -> Vec<ClassId> {
    let names = machine.program().classes_of_package(package, false).unwrap_or_default();
    let mut found = Vec::new();
    for name in names.iter().take(MAX_CLASSES) {
        let Ok(class) = machine.load(name) else { continue };
        let Some(file) = machine.class(class).file.clone() else { continue };
        let has_some = file.annotations.visible.is_some()
            || file.methods.iter().any(|it| it.annotations.visible.is_some())
            || file.fields.iter().any(|it| it.annotations.visible.is_some());
        let is_plain = !file.access.is_annotation() && !machine.class(class).from_jdk;
        if has_some && is_plain && is_nameable(machine, class, package) {
            found.push(class);
        }
    }
    found
}

/// The methods, or the constructors, of a class that carry annotations, and one that does not.
fn own_methods(machine: &mut Machine, class: ClassId, constructors: bool) -> Vec<Provision> {
    let Some(file) = machine.class(class).file.clone() else { return Vec::new() };
    let mut has_bare = false;
    let mut found = Vec::new();
    for method in &file.methods {
        let is_it = (&*method.name == "<init>") == constructors && &*method.name != "<clinit>";
        let is_bare = method.annotations.visible.is_none();
        if !is_it || method.access.is_synthetic() || (is_bare && std::mem::replace(&mut has_bare, true)) {
            continue;
        }
        let Some((parameters, _)) = parse_method_descriptor(&method.descriptor) else { continue };
        let types = parameters.iter().map(|it| machine.load_descriptor(&it.descriptor()).ok());
        let Some(types) = types.collect::<Option<Vec<ClassId>>>() else { continue };
        found.extend(match constructors {
            true => found_by(machine, OWN_CONSTRUCTOR, class, None, Some(&types)),
            false => found_by(machine, OWN_METHOD, class, Some(&method.name), Some(&types)),
        });
    }
    found
}

fn own_fields(machine: &mut Machine, class: ClassId) -> Vec<Provision> {
    let Some(file) = machine.class(class).file.clone() else { return Vec::new() };
    let all = file.fields.iter().filter(|it| !it.access.is_synthetic());
    all.filter_map(|it| found_by(machine, OWN_FIELD, class, Some(&it.name), None)).collect()
}

fn literal(class: ClassId) -> Provision {
    Provision::Input(Input::ClassLiteral(class))
}

/// The same for classes that are named.
fn known(
    machine: &mut Machine,
    by: (&str, &str),
    class: &str,
    name: Option<&str>,
    parameters: Option<&[&str]>,
) -> Option<Provision> {
    let class = machine.load(class).ok()?;
    let types = parameters.map(|all| all.iter().map(|it| machine.load(it).ok()).collect::<Option<Vec<_>>>());
    found_by(machine, by, class, name, types.flatten().as_deref())
}

/// What a method of `Class` finds, asked of a class for a name and parameters.
fn found_by(
    machine: &mut Machine,
    (method, descriptor): (&str, &str),
    class: ClassId,
    name: Option<&str>,
    parameters: Option<&[ClassId]>,
) -> Option<Provision> {
    let classes = machine.load("java/lang/Class").ok()?;
    let finder = invokable(machine, classes, method, descriptor)?;
    let mut parts = vec![literal(class)];
    parts.extend(name.map(|name| Provision::Input(Input::Text(name.encode_utf16().collect()))));
    if let Some(parameters) = parameters {
        parts.push(Provision::Elements(classes, parameters.iter().map(|it| literal(*it)).collect()));
    }
    Some(Provision::MakeOf(finder, parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lab;

    const SAMPLES: &str = "
        public class Samples {
            enum Day { MONDAY }
        }
    ";

    fn class(name: &str, arguments: Vec<GenericType>) -> GenericType {
        GenericType::Class { name: name.into(), arguments }
    }

    /// The bound of a `Class` with this argument, by name.
    fn bound(machine: &mut Machine, argument: GenericType) -> Option<String> {
        let found = bound_of_class(machine, &class("java/lang/Class", vec![argument]));
        found.map(|it| machine.class(it).name.to_string())
    }

    /// The names of the classes that are within a bound.
    fn names(machine: &mut Machine, classes: &[&str], bound: Option<&str>) -> Vec<String> {
        let load = |machine: &mut Machine, name: &str| machine.load(name).expect("it is there");
        let classes = classes.iter().map(|it| load(machine, it)).collect();
        let bound = bound.map(|it| load(machine, it));
        let found = within(machine, classes, bound);
        let named = found.iter().map(|it| match it {
            Provision::Input(Input::ClassLiteral(class)) => machine.class(*class).name.to_string(),
            other => panic!("{other:?}"),
        });
        named.collect()
    }

    #[test]
    fn literals_of_classes_are_within_the_bound_that_the_type_asks_for() {
        let (_folder, mut m) = lab(SAMPLES);
        let wildcard = |of: &str| GenericType::Wildcard(Some(Box::new(class(of, vec![]))));
        assert_eq!(bound(&mut m, wildcard("java/lang/Enum")).as_deref(), Some("java/lang/Enum"));
        assert_eq!(bound(&mut m, class("java/util/List", vec![])).as_deref(), Some("java/util/List"));
        assert_eq!(bound(&mut m, GenericType::Wildcard(None)), None);
        assert_eq!(bound(&mut m, wildcard("java/lang/Object")), None, "it says nothing");
        assert_eq!(bound(&mut m, GenericType::Variable("T".into())), None);
        assert_eq!(bound_of_class(&mut m, &class("java/lang/Class", vec![])), None, "a raw type");

        let all = ["java/lang/String", "Samples$Day", "java/lang/Integer"];
        assert_eq!(names(&mut m, &all, None), all);
        assert_eq!(names(&mut m, &all, Some("java/lang/Enum")), ["Samples$Day"]);
        assert_eq!(names(&mut m, &all, Some("java/lang/Comparable")), all);
        assert_eq!(names(&mut m, &all, Some("java/util/List")), ["java/util/List"], "nothing else is one");
        assert!(
            names(&mut m, &all, Some("java/lang/annotation/Annotation"))
                .contains(&"java/lang/Deprecated".to_owned()),
            "well-known annotations are tried"
        );
    }
}
