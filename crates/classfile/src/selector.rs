//! Classes as a user names them.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::class_path::ClassPath;
use crate::error::{ClassFileError, Result};
use crate::program::Program;

/// A choice of classes, as a user types it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassSelector {
    /// One class: `org.x.Y`, `org.x.Y$Z` or `org.x.Y.Z`.
    Class(String),
    /// The classes of a package, as `org/x`: `org.x.*`, or with subpackages `org.x.**`.
    Package {
        /// The package.
        name: String,
        /// Whether its subpackages are included.
        deep: bool,
    },
    /// All classes of a directory or a jar, which is then on the class path.
    Place(PathBuf),
}

impl ClassSelector {
    /// The meaning of a text. It is a place if it ends in `.jar`, contains a folder separator and exists, or is `.`
    /// or `..`; a directory named like a class can be given as `./name`.
    pub fn parse(text: &str) -> ClassSelector {
        for (suffix, deep) in [("**", true), ("*", false)] {
            let package = text
                .strip_suffix(suffix)
                .and_then(|text| text.strip_suffix(['.', '/']).or(text.is_empty().then_some("")));
            if let Some(package) = package {
                return ClassSelector::Package { name: package.replace('.', "/"), deep };
            }
        }
        let is_path = text.contains(['/', std::path::MAIN_SEPARATOR]) || !text.contains('.');
        let is_jar =
            Path::new(text).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar"));
        if is_jar || matches!(text, "." | "..") || is_path && Path::new(text).exists() {
            return ClassSelector::Place(text.into());
        }
        ClassSelector::Class(text.strip_suffix(".class").unwrap_or(text).to_owned())
    }

    /// Adds the place that it names to a class path.
    ///
    /// # Errors
    ///
    /// As [`ClassPath::push`].
    pub fn add_to(&self, class_path: &mut ClassPath, feature_version: u16) -> Result<()> {
        match self {
            ClassSelector::Place(path) => class_path.push(path, feature_version),
            ClassSelector::Class(_) | ClassSelector::Package { .. } => Ok(()),
        }
    }

    /// Internal names of the classes, sorted. Classes of packages and places are listed by their file names, so that
    /// a damaged one is found when it is loaded, and the others are still processed.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::ClassNotFound`], [`ClassFileError::NothingSelected`], and errors of reading.
    pub fn resolve(&self, program: &Program) -> Result<Vec<String>> {
        let names = match self {
            ClassSelector::Class(name) => vec![resolve_class(name, program)?],
            // Of the JDK's classes, only what is asked for by name: there are tens of thousands.
            ClassSelector::Package { name, deep: true }
                if name.is_empty() && program.class_path().entries().next().is_some() =>
            {
                let mut names = Vec::new();
                for entry in program.class_path().entries() {
                    names.extend(entry.class_names()?);
                }
                names.sort_unstable();
                names.dedup();
                names
            }
            ClassSelector::Package { name, deep } => program.classes_of_package(name, *deep)?.to_vec(),
            ClassSelector::Place(path) => match program.class_path().entry(path) {
                Some(entry) => entry.class_names()?,
                None => return Err(self.nothing("add it to --classpath")),
            },
        };
        if names.is_empty() {
            return Err(self.nothing("check the name, and that compiled classes (.class) are there"));
        }
        Ok(names)
    }

    fn nothing(&self, remedy: &str) -> ClassFileError {
        ClassFileError::NothingSelected { selector: self.to_string().into(), remedy: remedy.into() }
    }
}

impl fmt::Display for ClassSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassSelector::Class(name) => f.write_str(name),
            ClassSelector::Package { name, deep } => {
                let (dot, stars) = (if name.is_empty() { "" } else { "." }, if *deep { "**" } else { "*" });
                write!(f, "{}{dot}{stars}", name.replace('/', "."))
            }
            ClassSelector::Place(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The internal name of `org.x.Y.Z`: `org/x/Y/Z`, else `org/x/Y$Z`, and so on outwards.
fn resolve_class(name: &str, program: &Program) -> Result<String> {
    let mut internal = name.replace('.', "/");
    loop {
        if program.find(&internal)?.is_some() {
            return Ok(internal);
        }
        match internal.rfind('/') {
            Some(slash) => internal.replace_range(slash..=slash, "$"),
            None => return Err(program.class_not_found(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        let package = |name: &str, deep| ClassSelector::Package { name: name.into(), deep };
        let cases = [
            ("org.x.Y", ClassSelector::Class("org.x.Y".into())),
            ("Y", ClassSelector::Class("Y".into())),
            ("org/x/Y$Z", ClassSelector::Class("org/x/Y$Z".into())),
            ("org.x.*", package("org/x", false)),
            ("org.x.**", package("org/x", true)),
            ("*", package("", false)),
            ("**", package("", true)),
            ("lib.jar", ClassSelector::Place("lib.jar".into())),
            ("/tmp", ClassSelector::Place("/tmp".into())),
            (".", ClassSelector::Place(".".into())),
        ];
        for (text, expected) in cases {
            assert_eq!(ClassSelector::parse(text), expected, "{text}");
        }
    }
}
