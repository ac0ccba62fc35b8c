//! Answers the test printer's questions about classes from their class files.

use cupping_classfile::{ClassFile, Program};
use cupping_report::facts::ClassFacts;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Answers from the class path and the JDK. An unreadable class makes an answer unknown.
pub struct ProgramFacts<'a> {
    program: &'a Program,
}

impl<'a> ProgramFacts<'a> {
    /// About the classes of this program.
    pub fn new(program: &'a Program) -> Self {
        ProgramFacts { program }
    }

    fn class(&self, name: &str) -> Option<Arc<ClassFile>> {
        self.program.find(name).ok().flatten()
    }

    /// The class, its superclasses and all superinterfaces, each once; `None` if one is missing. In its file, the
    /// superclass of an interface is `Object`, whose methods it also has (JLS §9.2).
    fn ancestry(&self, name: &str) -> Option<Vec<Arc<ClassFile>>> {
        let mut all: Vec<Arc<ClassFile>> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![Arc::<str>::from(name)];
        while let Some(name) = waiting.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let class = self.class(&name)?;
            waiting.extend(class.interfaces.iter().cloned());
            waiting.extend(class.super_name.clone());
            all.push(class);
        }
        Some(all)
    }
}

impl ClassFacts for ProgramFacts<'_> {
    fn overloads(&self, class: &str, name: &str) -> Option<Vec<Box<str>>> {
        let classes = if name == "<init>" { vec![self.class(class)?] } else { self.ancestry(class)? };
        let methods = classes.iter().flat_map(|class| class.methods.iter());
        let callable = methods.filter(|it| {
            &*it.name == name
                && !it.access.is_private()
                && !it.access.is_synthetic()
                && !it.access.is_bridge()
        });
        let descriptors: BTreeSet<Box<str>> = callable.map(|it| Box::from(&*it.descriptor)).collect();
        Some(descriptors.into_iter().collect())
    }

    fn is_package_of_jdk(&self, package: &str) -> bool {
        self.program.module_of_package(package).is_ok_and(|module| module.is_some())
    }

    fn is_private(&self, class: &str, name: &str, descriptor: &str) -> Option<bool> {
        Some(self.class(class)?.method(name, descriptor)?.access.is_private())
    }

    fn is_closed_field(&self, class: &str, name: &str) -> Option<bool> {
        let file = self.class(class)?;
        let access = file.fields.iter().find(|it| &*it.name == name)?.access;
        Some(access.is_private() || access.is_final())
    }

    fn is_subtype(&self, sub: &str, sup: &str) -> Option<bool> {
        if sub == sup || sup == "java/lang/Object" {
            return Some(true);
        }
        if sub.starts_with('[') || sup.starts_with('[') {
            return None;
        }
        Some(self.ancestry(sub)?.iter().any(|class| &*class.name == sup))
    }

    fn is_accessible(&self, class: &str, package: &str) -> Option<bool> {
        let file = self.class(class)?;
        let same_package = package_of(class) == package;
        // The flags of a nested class are those of its entry; those of its file only tell whether it is public.
        let mut access = file.access;
        let mut at = file.name.clone();
        for _ in 0..=file.inner_classes.len() {
            let entry = file.inner_classes.iter().find(|it| it.inner == at);
            if let Some(entry) = entry {
                access = entry.access;
            } else if at != file.name {
                access = self.class(&at)?.access;
            }
            if access.is_private() || !access.is_public() && !same_package {
                return Some(false);
            }
            match entry {
                None => return Some(!file.origin().is_jdk() || is_exported(package_of(class))),
                // Local and anonymous classes have no name elsewhere.
                Some(entry) => match (&entry.outer, &entry.name) {
                    (Some(outer), Some(_)) => at = outer.clone(),
                    _ => return Some(false),
                },
            }
        }
        None
    }

    fn is_inner(&self, class: &str) -> Option<bool> {
        let file = self.class(class)?;
        let entry = file.inner_classes.iter().find(|it| it.inner == file.name);
        Some(entry.is_some_and(|it| !it.access.is_static() && it.outer.is_some()))
    }

    fn nest(&self, class: &str) -> Option<Vec<String>> {
        let file = self.class(class)?;
        let (mut nest, mut at) = (Vec::new(), &*file.name);
        // Damaged files may be nested in each other.
        for _ in 0..=file.inner_classes.len() {
            let Some(entry) = file.inner_classes.iter().find(|it| *it.inner == *at) else {
                nest.push(at.rsplit('/').next().unwrap_or(at).to_owned());
                nest.reverse();
                return Some(nest);
            };
            nest.push(entry.name.as_ref()?.to_string());
            at = entry.outer.as_ref()?;
        }
        None
    }

    fn exists(&self, class: &str) -> bool {
        self.class(class).is_some()
    }
}

fn package_of(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

/// Whether the JDK exports a package to all. Its modules export the packages of the platform's specifications, and
/// little else that a test would need.
fn is_exported(package: &str) -> bool {
    let specified = ["java/", "javax/", "org/w3c/dom/", "org/xml/sax/", "org/ietf/jgss/"];
    let with_slash = format!("{package}/");
    specified.iter().any(|it| with_slash.starts_with(it))
}

#[cfg(test)]
mod tests;
