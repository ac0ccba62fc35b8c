//! Names of classes in one source file: imported, simple, or qualified.

use crate::facts::ClassFacts;
use cupping_case::JavaType;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The parts of an internal name: package (`org/example`), top-level class, nested classes.
pub struct ClassName<'a> {
    /// Package in internal form, empty for the unnamed one.
    pub package: &'a str,
    /// The top-level class, followed by the nested ones; never empty.
    pub nest: Vec<&'a str>,
}

impl<'a> ClassName<'a> {
    /// Splits `org/example/Outer$Inner`. A `$` at either end of a name or before another one belongs to the name.
    pub fn parse(internal: &'a str) -> ClassName<'a> {
        let (package, simple) = internal.rsplit_once('/').unwrap_or(("", internal));
        let mut nest = Vec::new();
        let mut start = 0;
        for (at, _) in simple.match_indices('$') {
            let next = simple.as_bytes().get(at + 1);
            if at > start && next.is_some_and(|&byte| byte != b'$') {
                nest.push(&simple[start..at]);
                start = at + 1;
            }
        }
        nest.push(&simple[start..]);
        ClassName { package, nest }
    }

    /// The innermost simple name.
    pub fn simple(&self) -> &'a str {
        self.nest[self.nest.len() - 1]
    }

    /// Whether source cannot name it, because it is anonymous or local.
    pub fn is_unspeakable(&self) -> bool {
        self.nest.iter().any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    }
}

/// The package of the class under test, except for packages of the JDK, to which nobody else may add.
pub fn test_package(package: &str, facts: &dyn ClassFacts) -> String {
    if facts.is_package_of_jdk(package) { beside_jdk(package) } else { package.into() }
}

/// The package of tests for a package of the JDK.
pub fn beside_jdk(package: &str) -> String {
    format!("tests/{package}")
}

/// The names of one source file, collected while it is printed.
///
/// The file is printed twice: the first round finds out which classes are used, so that in the second the classes of
/// the file's own package keep their simple names and imports give way.
pub struct TypeNames<'a> {
    package: String,
    facts: &'a dyn ClassFacts,
    /// The `package/TopLevel` class that each simple name denotes here.
    meaning: RefCell<BTreeMap<String, String>>,
    /// First parts of the qualified names written, which a variable of that name would hide (JLS §6.4.2).
    roots: RefCell<BTreeSet<String>>,
    /// `package.TopLevel` imports requested since [`TypeNames::take_imports`].
    imports: RefCell<BTreeSet<String>>,
}

impl<'a> TypeNames<'a> {
    /// Names for a file in `package` (internal form).
    pub fn new(package: &str, facts: &'a dyn ClassFacts) -> Self {
        TypeNames {
            package: package.into(),
            facts,
            meaning: RefCell::default(),
            roots: RefCell::default(),
            imports: RefCell::default(),
        }
    }

    /// Keeps what the first round learnt about the file's own package, and forgets the rest.
    pub fn second_round(self) -> Self {
        let package = self.package.clone();
        let prefix = if package.is_empty() { String::new() } else { format!("{package}/") };
        self.meaning.borrow_mut().retain(|simple, class| *class == format!("{prefix}{simple}"));
        self.imports.borrow_mut().clear();
        self
    }

    /// Reserves a simple name for a class of the file's own package, such as the test class itself.
    pub fn reserve(&self, simple: &str) {
        let class = join(&self.package, simple);
        self.meaning.borrow_mut().insert(simple.into(), class);
    }

    /// Whether source in this file may name the class, as far as known.
    pub fn is_accessible(&self, class: &str) -> bool {
        let element = class.trim_start_matches('[');
        let class = match element.strip_prefix('L').and_then(|it| it.strip_suffix(';')) {
            Some(element) if element.len() < class.len() && class.starts_with('[') => element,
            _ if class.starts_with('[') => return true,
            _ => class,
        };
        self.facts.is_accessible(class, &self.package).unwrap_or_else(|| {
            let is_inside = ["sun/", "jdk/internal/", "com/sun/"].iter().any(|it| class.starts_with(it));
            !is_inside && !ClassName::parse(class).is_unspeakable()
        })
    }

    /// The simple names of a class and of its enclosing classes, outermost first.
    pub fn nest(&self, internal: &str) -> Vec<String> {
        let by_name = || ClassName::parse(internal).nest.into_iter().map(str::to_owned).collect();
        // Only a name with a dollar may be composed.
        if internal.contains('$') { self.facts.nest(internal).unwrap_or_else(by_name) } else { by_name() }
    }

    /// The class as the source names it; requests the import it needs.
    pub fn class(&self, internal: &str) -> String {
        let nest = self.nest(internal);
        let package = ClassName::parse(internal).package;
        let top = &nest[0];
        let full = join(package, top);
        let nested = nest[1..].iter().map(|part| format!(".{part}")).collect::<String>();
        if self.means(top, &full, package) {
            if package != self.package && package != "java/lang" {
                self.imports.borrow_mut().insert(full.replace('/', "."));
            }
            format!("{top}{nested}")
        } else {
            let root = full.split('/').next().unwrap_or_default();
            self.roots.borrow_mut().insert(root.into());
            format!("{}{nested}", full.replace('/', "."))
        }
    }

    /// The type as a declaration or a cast names it.
    pub fn ty(&self, ty: &JavaType) -> String {
        match ty {
            JavaType::Class(name) => self.class(name),
            JavaType::Array(element) => format!("{}[]", self.ty(element)),
            primitive => primitive.to_string(),
        }
    }

    /// Imports asked for since the last call.
    pub fn take_imports(&self) -> BTreeSet<String> {
        self.imports.take()
    }

    /// Whether a name is used for a class or a package, so that variables must avoid it.
    pub fn is_taken(&self, name: &str) -> bool {
        self.meaning.borrow().contains_key(name) || self.roots.borrow().contains(name)
    }

    fn means(&self, simple: &str, full: &str, package: &str) -> bool {
        if let Some(meaning) = self.meaning.borrow().get(simple) {
            return meaning == full;
        }
        // A class of the file's own package hides the one of java.lang (JLS §6.4.1).
        let hidden = package == "java/lang"
            && self.package != "java/lang"
            && self.facts.exists(&join(&self.package, simple));
        if !hidden {
            self.meaning.borrow_mut().insert(simple.into(), full.into());
        }
        !hidden
    }
}

fn join(package: &str, simple: &str) -> String {
    if package.is_empty() { simple.into() } else { format!("{package}/{simple}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::NoFacts;

    #[test]
    fn names_are_taken_apart() {
        let nest = |name| ClassName::parse(name).nest.join("|");
        assert_eq!(nest("java/util/Map$Entry"), "Map|Entry");
        assert_eq!(nest("$Proxy"), "$Proxy");
        assert_eq!(nest("a/Odd$"), "Odd$");
        assert!(ClassName::parse("a/Outer$1").is_unspeakable());
    }

    /// Knows that `a/Odd$Bag` is a top-level class and `a/Odd$In$ner` is nested in `a/Odd`.
    struct Dollars;

    impl ClassFacts for Dollars {
        fn nest(&self, class: &str) -> Option<Vec<String>> {
            let nest: &[&str] = match class {
                "a/Odd$Bag" => &["Odd$Bag"],
                "a/Odd$In$ner" => &["Odd", "In$ner"],
                _ => return None,
            };
            Some(nest.iter().map(|it| (*it).to_owned()).collect())
        }
    }

    #[test]
    fn dollars_in_names_are_not_parted() {
        let names = TypeNames::new("shop", &Dollars);
        assert_eq!(names.class("a/Odd$Bag"), "Odd$Bag");
        assert_eq!(names.class("a/Odd$In$ner"), "Odd.In$ner");
        assert_eq!(names.take_imports().into_iter().collect::<Vec<_>>(), ["a.Odd", "a.Odd$Bag"]);
    }

    #[test]
    fn own_package_wins_over_imports() {
        let names = TypeNames::new("shop", &NoFacts);
        names.class("java/util/List");
        names.class("shop/List");
        let names = names.second_round();
        names.reserve("List");
        assert_eq!(names.class("java/util/List"), "java.util.List");
        assert_eq!(names.class("shop/List"), "List");
        assert_eq!(names.class("java/util/Map$Entry"), "Map.Entry");
        assert_eq!(names.class("java/lang/String"), "String");
        assert_eq!(names.take_imports().into_iter().collect::<Vec<_>>(), ["java.util.Map"]);
    }
}
