//! Filters the invokables that may appear in sequences: `--include`, `--exclude` and `--access`.

use crate::access::AccessLevel;
use crate::invokable::Invokable;
use crate::names::simple;
use cupping_machine::{Field, Machine};

/// The user's restrictions on what precedes the method under test.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Filter {
    /// If not empty, only members that match one of these patterns.
    pub include: Vec<String>,
    /// Not members that match one of these patterns.
    pub exclude: Vec<String>,
    /// The access level.
    pub access: AccessLevel,
}

impl Filter {
    /// Whether a sequence may contain this invocation before its last one.
    pub fn allows(&self, machine: &Machine, invokable: &Invokable) -> bool {
        self.access.allows(machine.method(invokable.method).access)
            && self.lets_in(&invokable.reference.class, &invokable.reference.name)
    }

    /// Whether an argument may be created by this invokable. JDK objects count as values, which only
    /// `--exclude` restricts.
    pub fn allows_argument(&self, machine: &Machine, invokable: &Invokable) -> bool {
        if !machine.class(invokable.class).from_jdk {
            return self.allows(machine, invokable);
        }
        let values = Filter { include: Vec::new(), ..self.clone() };
        values.lets_in(&invokable.reference.class, &invokable.reference.name)
    }

    /// Whether a field may be set between calls: `--include` names it, it is public, or it is accessible and
    /// the methods of its class never set it.
    pub fn sets_field(&self, class: &str, field: &Field, is_left_to_others: bool) -> bool {
        self.allows_field(class, field)
            && (!self.include.is_empty() || field.access.is_public() || is_left_to_others)
    }

    /// Whether a sequence may access this field of a class.
    pub fn allows_field(&self, class: &str, field: &Field) -> bool {
        // Fields are accessed as in source code, never by reflection.
        !field.access.is_private() && self.access.allows(field.access) && self.lets_in(class, &field.name)
    }

    /// Whether `--include` names a class that would otherwise be ignored.
    pub fn names_class(&self, class: &str) -> bool {
        let class = class.replace('/', ".");
        self.include.iter().any(|pattern| {
            let (owner, _) = pattern.rsplit_once('.').unwrap_or((pattern, ""));
            matches(pattern, &class) || owner.contains('.') && matches(owner, &class)
        })
    }

    /// The names that patterns can match for a member of a class (an internal name): `add`, `Till.add`,
    /// `app.Till` and `app.Till.add`.
    pub fn names_of(class: &str, member: &str) -> [String; 4] {
        let class = class.replace('/', ".");
        let simple = simple(&class);
        let member = if member == "<init>" { "new" } else { member };
        [member.to_owned(), format!("{simple}.{member}"), class.clone(), format!("{class}.{member}")]
    }

    /// Whether a pattern matches one of these names.
    pub fn describes(pattern: &str, names: &[String; 4]) -> bool {
        names.iter().any(|name| matches(pattern, name))
    }

    pub(crate) fn lets_in(&self, class: &str, member: &str) -> bool {
        let names = Filter::names_of(class, member);
        let named = |patterns: &[String]| patterns.iter().any(|p| Filter::describes(p, &names));
        (self.include.is_empty() || named(&self.include)) && !named(&self.exclude)
    }
}

/// Whether a pattern, in which `*` is any text, matches a name.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{Filter, matches};

    #[test]
    fn patterns_describe_names() {
        let cases = [
            ("push", "push", true),
            ("push", "pushed", false),
            ("set*", "setEnabled", true),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("*ab", "ab", true),
            ("ab*ab", "ab", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn members_are_named_alone_with_class_and_with_package() {
        let filter = |include: &[&str], exclude: &[&str]| Filter {
            include: include.iter().map(|p| (*p).into()).collect(),
            exclude: exclude.iter().map(|p| (*p).into()).collect(),
            ..Filter::default()
        };
        let class = "org/x/Map$Entry";
        for pattern in ["set", "Entry.set", "org.x.*", "org.x.Map$Entry", "org.x.Map$Entry.set", "*.set"] {
            assert!(filter(&[pattern], &[]).lets_in(class, "set"), "{pattern}");
            assert!(!filter(&[], &[pattern]).lets_in(class, "set"), "{pattern}");
            assert!(!filter(&["*"], &[pattern]).lets_in(class, "set"), "{pattern}");
        }
        assert!(!filter(&["get"], &[]).lets_in(class, "set"));
        assert!(filter(&["Entry.new"], &[]).lets_in(class, "<init>"));
        assert!(filter(&["java.util.ArrayList"], &[]).names_class("java/util/ArrayList"));
        assert!(filter(&["java.util.ArrayList.add"], &[]).names_class("java/util/ArrayList"));
        assert!(!filter(&["add"], &[]).names_class("java/util/ArrayList"));
    }
}
