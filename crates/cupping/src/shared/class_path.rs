//! `--classpath`, as `java` takes it.

use crate::shared::project::ProjectArgs;
use clap::Args;
use cupping_classfile::{ClassPath, Jdk, manifest};

/// Arguments of commands that read classes.
#[derive(Debug, Args)]
pub struct ClassPathArgs {
    /// Folders and jars that hold the classes and everything they need, as java takes them [default: the class path
    /// of the surrounding project, else the current folder]. Also -cp
    #[arg(long, visible_alias = "class-path", value_name = "PATH", help_heading = "Input")]
    pub classpath: Option<String>,

    #[command(flatten)]
    pub project: ProjectArgs,
}

/// Opens the named class path, or the current folder, with the jars that manifests name. As with `java`, missing
/// entries are ignored. Folders that only a manifest names, and the current folder unless it is named, only show
/// their classes.
///
/// # Errors
///
/// An entry is damaged; the text says what to do.
pub fn open(named: Option<&str>, jdk: &Jdk) -> Result<ClassPath, String> {
    let version = jdk.feature_version();
    let mut opened = ClassPath::default();
    for entry in manifest::with_class_paths(named.unwrap_or(".")) {
        let path = entry.path.display().to_string();
        let part = match entry.in_manifest || named.is_none() {
            true => ClassPath::open_implied(&path, version),
            false => ClassPath::open(&path, version),
        };
        opened.append(&part.map_err(|error| error.to_string())?);
    }
    Ok(opened)
}
