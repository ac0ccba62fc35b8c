//! `--module` and `--no-project`, and the project around the current folder.

use crate::process::console;
use clap::Args;
use cupping_classfile::Jdk;
use cupping_project::{Builder, Project, ProjectFolder};
use cupping_report::certify::cache_folder;
use std::path::Path;

/// Arguments of commands that take classes from the surrounding project.
#[derive(Debug, Args)]
pub struct ProjectArgs {
    /// Work on this module of the surrounding project, with its class path; may be repeated [default: the modules in
    /// and below the current folder]
    #[arg(long = "module", value_name = "NAME", conflicts_with = "no_project", help_heading = "Input")]
    pub modules: Vec<String>,

    /// Ignore the surrounding project: without --classpath, classes are those of the current folder
    #[arg(long, help_heading = "Input")]
    pub no_project: bool,
}

/// Opens a project. Long steps are announced on standard error.
///
/// # Errors
///
/// The build fails, or a tool is missing; the text says what to do.
pub fn open(place: &ProjectFolder, jdk: &Jdk, may_build: bool) -> Result<Project, String> {
    open_with(place, jdk, may_build, &cache_folder())
}

/// Opens a project whose records are kept in this folder.
///
/// # Errors
/// As [`open`].
pub fn open_with(place: &ProjectFolder, jdk: &Jdk, may_build: bool, cache: &Path) -> Result<Project, String> {
    let note = |what: &str| console::remark(|| format!("{what} ({})", place.root.display()));
    let warn = |what: &str| console::warning(&what);
    let builder = Builder { jdk: jdk.home(), cache, may_build, note: &note, warn: &warn };
    place.open(builder).map_err(|error| error.to_string())
}

/// A path as a person would type it here: relative if it is below the folder.
pub fn shown(path: &Path, folder: &Path) -> String {
    match path.strip_prefix(folder) {
        Ok(short) if short.as_os_str().is_empty() => ".".into(),
        Ok(short) => short.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}
