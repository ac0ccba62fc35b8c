//! `--jdk`: a folder, a version, or the detected JDK.

use crate::process::console;
use clap::Args;
use cupping_classfile::Jdk;
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments of commands that need a JDK.
#[derive(Debug, Args)]
pub struct JdkArgs {
    /// The JDK whose library, javac and java are used: its folder, or a version such as 17 [default: JAVA_HOME, then
    /// PATH]
    #[arg(long, value_name = "DIR|VERSION", help_heading = "Input")]
    pub jdk: Option<PathBuf>,
}

impl JdkArgs {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// There is no such JDK; the text says how to name one.
    pub fn locate(&self) -> Result<Jdk, String> {
        self.locate_other(None)
    }

    /// Opens the JDK of another option with the same meaning, or without that, this one.
    ///
    /// # Errors
    ///
    /// As [`JdkArgs::locate`].
    pub fn locate_other(&self, named: Option<&Path>) -> Result<Jdk, String> {
        let jdk = locate(named.or(self.jdk.as_deref()))?;
        console::remark(|| format!("JDK {} in {}", jdk.feature_version(), jdk.home().display()));
        Ok(jdk)
    }
}

/// The folder in which Linux packages install JDKs.
const INSTALLED: &str = "/usr/lib/jvm";

/// The JDK that `--jdk` names: a folder, or the feature version of an installed JDK.
fn locate(named: Option<&Path>) -> Result<Jdk, String> {
    let version = named.and_then(Path::to_str).and_then(|text| text.parse::<u16>().ok());
    match version.filter(|_| named.is_some_and(|it| !it.is_dir())) {
        None => Jdk::locate(named).map_err(|error| error.to_string()),
        Some(version) => of_version(version, &installed()).ok_or_else(|| {
            format!(
                "no JDK {version} found in JAVA_HOME, on PATH or in {INSTALLED}; name its folder with --jdk"
            )
        }),
    }
}

/// The folders of the installed JDKs, in a fixed order.
fn installed() -> Vec<PathBuf> {
    let entries = fs::read_dir(INSTALLED).into_iter().flatten().flatten();
    let mut homes: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    homes.sort();
    homes
}

/// The first JDK of this version: the detected JDK precedes the installed ones.
fn of_version(version: u16, homes: &[PathBuf]) -> Option<Jdk> {
    let is_wanted = |jdk: &Jdk| jdk.feature_version() == version;
    Jdk::locate(None)
        .ok()
        .filter(is_wanted)
        .or_else(|| homes.iter().filter_map(|home| Jdk::open(home).ok()).find(is_wanted))
}
