//! A module of a project: one class path, one folder of tests.

use serde::Serialize;
use std::path::{Path, PathBuf};

/// A framework for tests that a module has on its class path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// JUnit 4.
    Junit4,
    /// JUnit 5.
    Junit5,
    /// TestNG.
    TestNg,
}

impl Framework {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Framework::Junit4 => "JUnit 4",
            Framework::Junit5 => "JUnit 5",
            Framework::TestNg => "TestNG",
        }
    }
}

/// A module as the build tool describes it. Paths are absolute. `cupping project --json` writes these fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Module {
    /// Its name: Maven's artifact, Gradle's path without the first colon, Bazel's package, the name of a plain folder.
    pub name: String,
    /// Its folder.
    pub root: PathBuf,
    /// Folders of sources.
    pub sources: Vec<PathBuf>,
    /// Folders of test sources; tests are written to the first.
    pub test_sources: Vec<PathBuf>,
    /// Folders of its classes; jars, if Bazel builds it.
    pub classes: Vec<PathBuf>,
    /// Folders of the classes of its tests; jars, if Bazel builds it.
    pub test_classes: Vec<PathBuf>,
    /// The class path of its tests: its classes, the test classes, and the dependencies of both.
    pub class_path: Vec<PathBuf>,
    /// The encoding of its sources.
    pub encoding: Option<String>,
    /// The target release of Java, such as `17`.
    pub release: Option<String>,
}

/// How libraries are recognised on a class path: the prefix of the jar's name, and the common name of the library.
const LIBRARIES: [(&str, &str); 9] = [
    ("junit-jupiter", "JUnit 5"),
    ("junit-4", "JUnit 4"),
    ("junit4", "JUnit 4"),
    ("testng", "TestNG"),
    ("assertj-core", "AssertJ"),
    ("hamcrest", "Hamcrest"),
    ("mockito-core", "Mockito"),
    ("spring-core", "Spring"),
    ("spring-boot", "Spring Boot"),
];

/// Jars of test frameworks and of what they need, by prefixes of their names.
const OF_FRAMEWORKS: [&str; 8] =
    ["junit", "hamcrest", "opentest4j", "apiguardian", "testng", "jquery", "jcommander", "slf4j-api"];

impl Module {
    /// The framework that its tests use; JUnit 5 if there are several.
    pub fn framework(&self) -> Option<Framework> {
        let named = self.libraries();
        let frameworks =
            [("JUnit 5", Framework::Junit5), ("TestNG", Framework::TestNg), ("JUnit 4", Framework::Junit4)];
        frameworks.into_iter().find(|(name, _)| named.contains(name)).map(|(_, framework)| framework)
    }

    /// The test libraries on its class path, by their common names.
    pub fn libraries(&self) -> Vec<&'static str> {
        let jars: Vec<String> = self.jars().map(library).collect();
        let mut found: Vec<&str> = LIBRARIES
            .iter()
            .filter(|(start, _)| jars.iter().any(|jar| jar.starts_with(start)))
            .map(|(_, name)| *name)
            .collect();
        found.dedup();
        found
    }

    /// The jars on its class path.
    pub fn jars(&self) -> impl Iterator<Item = &Path> {
        self.class_path.iter().map(PathBuf::as_path).filter(|it| it.extension().is_some_and(|it| it == "jar"))
    }

    /// The jars of test frameworks on its class path, with what they need.
    pub fn framework_jars(&self) -> impl Iterator<Item = &Path> {
        self.jars().filter(|jar| OF_FRAMEWORKS.iter().any(|it| library(jar).starts_with(it)))
    }

    /// Whether AssertJ is on its class path.
    pub fn has_assertj(&self) -> bool {
        self.libraries().contains(&"AssertJ")
    }

    /// The class path for runs of its tests, without missing entries.
    pub fn existing_class_path(&self) -> Vec<PathBuf> {
        self.class_path.iter().filter(|it| it.exists()).cloned().collect()
    }
}

/// The name of a jar, as its library has it: Bazel's rules_jvm_external puts `processed_` before it.
fn library(jar: &Path) -> String {
    let name = jar.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_prefix("processed_").map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_framework_is_read_off_the_class_path() {
        for (jars, expected) in [
            (vec!["/r/junit-jupiter-api-5.9.2.jar", "/r/junit-4.13.jar"], Some(Framework::Junit5)),
            (vec!["/r/junit-4.13.2.jar", "/r/hamcrest-2.2.jar"], Some(Framework::Junit4)),
            (vec!["/r/testng-7.5.jar"], Some(Framework::TestNg)),
            (vec!["/r/processed_junit-4.13.2.jar"], Some(Framework::Junit4)),
            (vec!["/r/guava.jar", "/r/junit-4"], None),
        ] {
            let module = Module { class_path: jars.iter().map(PathBuf::from).collect(), ..Module::default() };
            assert_eq!(module.framework(), expected, "{jars:?}");
        }
    }
}
