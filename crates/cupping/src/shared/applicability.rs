//! Which classes a test can be written for.

use cupping_classfile::{ClassFile, Jdk, Program};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why there is no test for a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// Made by the compiler, not by a person.
    Synthetic,
    /// Declared in a method or an expression, so that no other source can name it.
    Local,
    /// It, or a class around it, is private.
    Private,
    /// An interface whose methods are all abstract, or an annotation.
    NoCode,
    /// A non-public JDK class: no test can be in its package.
    InsideJdk,
    /// `cupping.toml` leaves it out of wide runs.
    Skipped,
}

impl Obstacle {
    /// The kind of class, for counts: `3 local or anonymous`.
    pub fn kind(self) -> &'static str {
        match self {
            Obstacle::Synthetic => "synthetic",
            Obstacle::Local => "local or anonymous",
            Obstacle::Private => "private",
            Obstacle::NoCode => "interfaces without code",
            Obstacle::InsideJdk => "not public in the JDK",
            Obstacle::Skipped => "skipped by cupping.toml",
        }
    }

    /// The message about a class that was selected by name, with the remedy.
    pub fn message(self) -> &'static str {
        match self {
            Obstacle::Synthetic => "was made by the compiler; name the class around it",
            Obstacle::Local => {
                "is local or anonymous, and no test can name it; name the class that declares it"
            }
            Obstacle::Private => {
                "is private, or a class around it is, and no test can name it; name the class around it"
            }
            Obstacle::NoCode => "is an interface without code; name a class that implements it",
            Obstacle::InsideJdk => {
                "is a class of the JDK that is not public, and no test can join its package; name a public one"
            }
            Obstacle::Skipped => "is skipped by cupping.toml; name it to include it",
        }
    }
}

/// The reason why the class cannot be tested, if there is one.
pub fn obstacle(class: &ClassFile) -> Option<Obstacle> {
    if class.access.is_synthetic() {
        return Some(Obstacle::Synthetic);
    }
    if is_local(class) {
        return Some(Obstacle::Local);
    }
    if is_private(class) {
        return Some(Obstacle::Private);
    }
    let has_code = class.methods.iter().any(|it| it.has_code && &*it.name != "<clinit>");
    if class.access.is_interface() && !has_code {
        return Some(Obstacle::NoCode);
    }
    if class.origin().is_jdk() && !class.access.is_public() {
        return Some(Obstacle::InsideJdk);
    }
    None
}

/// What prevents the class from being loaded on its JDK, as an error for the user. A class that is its own ancestor
/// is not missing.
pub fn missing(class: &Arc<ClassFile>, program: &Program) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![Arc::clone(class)];
    while let Some(class) = waiting.pop() {
        if !seen.insert(class.name.clone()) {
            continue;
        }
        match missing_directly(&class, program) {
            Ok(ancestors) => waiting.extend(ancestors.into_iter().rev()),
            Err(problem) => return Some(problem),
        }
    }
    None
}

/// The direct ancestors that are not the JDK's.
fn missing_directly(class: &ClassFile, program: &Program) -> Result<Vec<Arc<ClassFile>>, String> {
    /// Class files of Java N have version N + 44 (JVMS table 4.1-A).
    const VERSION_OF_JAVA_0: u16 = 44;
    let jdk: &Jdk = program.jdk();
    if class.major_version > jdk.feature_version() + VERSION_OF_JAVA_0 {
        return Err(format!(
            "{}: is for Java {}, which the JDK {} in {} cannot run; name a newer JDK with --jdk, or compile with \
             --release {}",
            class.file(),
            class.major_version - VERSION_OF_JAVA_0,
            jdk.feature_version(),
            jdk.home().display(),
            jdk.feature_version()
        ));
    }
    let ancestors = class.super_name.iter().map(|name| ("superclass", name));
    let interfaces = class.interfaces.iter().map(|name| ("interface", name));
    let mut found = Vec::new();
    for (relation, name) in ancestors.chain(interfaces) {
        match program.find(name) {
            Err(error) => return Err(error.to_string()),
            Ok(None) => {
                return Err(format!(
                    "{}: its {relation} {} is not on the class path; add what holds it with --classpath",
                    class.file(),
                    name.replace('/', ".")
                ));
            }
            Ok(Some(ancestor)) if !ancestor.origin().is_jdk() => found.push(ancestor),
            Ok(Some(_)) => {}
        }
    }
    Ok(found)
}

fn is_local(class: &ClassFile) -> bool {
    let itself = class.inner_classes.iter().find(|it| it.inner == class.name);
    class.enclosing_method.is_some() || itself.is_some_and(|it| it.name.is_none() || it.outer.is_none())
}

/// Whether the class or an enclosing class is private. The file lists them all (JVMS §4.7.6).
fn is_private(class: &ClassFile) -> bool {
    let mut at = Some(&class.name);
    // At most one step for each entry: a damaged file may list a class as its own member.
    for _ in 0..=class.inner_classes.len() {
        let Some(entry) = at.and_then(|name| class.inner_classes.iter().find(|it| it.inner == *name)) else {
            return false;
        };
        if entry.access.is_private() {
            return true;
        }
        at = entry.outer.as_ref();
    }
    false
}
