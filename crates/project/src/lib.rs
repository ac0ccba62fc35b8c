//! The Java project that Cupping is started in: its modules, class paths, folders for tests, and `cupping.toml`.
//!
//! [`ProjectFolder::find`] looks for a project around a folder and runs nothing. [`ProjectFolder::open`] asks the
//! build tool for the modules, or reads the record of its last answer; it compiles if sources are newer than
//! classes.
//!
//! Maven and Gradle are queried by listeners that are loaded into an ordinary build: an event spy, and an init
//! script. Both see what the build itself resolved. The alternatives were Maven's `dependency:build-classpath`,
//! which is one more plugin to download; the text of `mvn -X`, which changes from version to version; Gradle's
//! tooling API, which is a library for the JVM; and our own resolution of dependencies, which would be a second
//! Maven.
//!
//! Bazel has no such listener; it answers queries (`bazel.rs`).
//!
//! Libraries: `roxmltree` reads the module lists of POMs and the rules of Bazel (`quick-xml` is designed for streams),
//! `toml_edit` reads `cupping.toml` with the position of each key (`toml` loses it), `sha2` names records.

mod answer;
mod bazel;
mod configuration;
mod error;
mod freshness;
mod gradle;
mod maven;
mod module;
mod place;
mod plain;
mod record;
mod test_habits;
mod tool;
mod usual_folders;

pub use configuration::{ClassRule, Configuration, ConfigurationEntry, ConfigurationError, FILE_NAME};
pub use error::ProjectError;
pub use module::{Framework, Module};
pub use place::{Project, ProjectFolder};
pub use test_habits::TestHabits;
pub use tool::{Builder, Tool};
pub use usual_folders::built_classes;
