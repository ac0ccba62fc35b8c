//! The printer's queries about classes.

/// Facts about classes, for the printer; the implementation reads class files.
///
/// Every answer may be "unknown"; the printer then writes source that compiles in any case, such as a cast that a
/// person would omit. All class names are internal names such as `java/util/Map$Entry`.
pub trait ClassFacts {
    /// Descriptors of all methods of this name (`<init>` for constructors) that a call through `class` can choose
    /// from, including inherited ones, without bridges and other synthetic methods.
    fn overloads(&self, _class: &str, _name: &str) -> Option<Vec<Box<str>>> {
        None
    }

    /// Whether this method or constructor (`<init>`) of the class is private, so that tests call it by reflection.
    fn is_private(&self, _class: &str, _name: &str, _descriptor: &str) -> Option<bool> {
        None
    }

    /// Whether source elsewhere cannot set this field, declared by the class: it is private or final.
    fn is_closed_field(&self, _class: &str, _name: &str) -> Option<bool> {
        None
    }

    /// Whether every `sub` is also a `sup`.
    fn is_subtype(&self, _sub: &str, _sup: &str) -> Option<bool> {
        None
    }

    /// Whether source in `package` (internal form, `org/example`) may name the class.
    fn is_accessible(&self, _class: &str, _package: &str) -> Option<bool> {
        None
    }

    /// Whether instances of this nested class have an enclosing instance.
    fn is_inner(&self, _class: &str) -> Option<bool> {
        None
    }

    /// The simple names of the class and of its enclosing classes, outermost first, as their files declare them. A
    /// name may contain a `$`.
    fn nest(&self, _class: &str) -> Option<Vec<String>> {
        None
    }

    /// Whether a package (internal form) is one of the JDK's modules. Without knowledge, only `java` is.
    fn is_package_of_jdk(&self, package: &str) -> bool {
        package.starts_with("java/")
    }

    /// Whether there is a class of this name, so that a simple name would refer to it.
    fn exists(&self, _class: &str) -> bool {
        false
    }
}

/// Knows nothing: the resulting source compiles, with more casts than needed.
pub struct NoFacts;

impl ClassFacts for NoFacts {}
