//! Finding a JDK.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use crate::error::{ClassFileError, Result};
use crate::jimage::Image;

/// An installed JDK: its folder, its version, and its class library. Clones share the image.
#[derive(Clone, Debug)]
pub struct Jdk {
    home: PathBuf,
    feature_version: u16,
    image: Arc<Image>,
}

impl Jdk {
    /// Finds the JDK: the folder that the user named (`--jdk`), or `JAVA_HOME`, or the `javac` or `java` on `PATH`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::NoJdk`] with the places searched; if `explicit` is given, no other place is. Errors of
    /// [`Jdk::open`] for the place found.
    pub fn locate(explicit: Option<&Path>) -> Result<Jdk> {
        Jdk::locate_in(explicit, env::var_os("JAVA_HOME").as_deref(), env::var_os("PATH").as_deref())
    }

    /// As [`Jdk::locate`], with the values of `JAVA_HOME` and `PATH` given.
    ///
    /// # Errors
    ///
    /// As [`Jdk::locate`].
    pub fn locate_in(
        explicit: Option<&Path>,
        java_home: Option<&OsStr>,
        path: Option<&OsStr>,
    ) -> Result<Jdk> {
        let mut looked_at = Vec::new();
        if let Some(home) = explicit {
            return match what_is_missing(home) {
                None => Jdk::open(home),
                Some(problem) => Err(no_jdk(&[format!("--jdk {} ({problem})", home.display())])),
            };
        }
        match java_home.filter(|home| !home.is_empty()).map(Path::new) {
            None => looked_at.push("JAVA_HOME (not set)".to_owned()),
            Some(home) => match what_is_missing(home) {
                None => return Jdk::open(home),
                Some(problem) => looked_at.push(format!("JAVA_HOME={} ({problem})", home.display())),
            },
        }
        for folder in env::split_paths(&path.map(OsString::from).unwrap_or_default()) {
            for binary in ["javac", "java"] {
                let Some(home) = home_of_binary(&folder.join(binary)) else {
                    continue;
                };
                match what_is_missing(&home) {
                    None => return Jdk::open(&home),
                    Some(problem) => looked_at.push(format!("{} ({problem})", home.display())),
                }
            }
        }
        looked_at.push("PATH (no javac or java of a JDK)".to_owned());
        looked_at.dedup();
        Err(no_jdk(&looked_at))
    }

    /// Opens the JDK in `home`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::NoJdk`] if `home` holds none, or one without `lib/modules` (before Java 9);
    /// [`ClassFileError::DamagedImage`].
    pub fn open(home: &Path) -> Result<Jdk> {
        if let Some(problem) = what_is_missing(home) {
            return Err(no_jdk(&[format!("{} ({problem})", home.display())]));
        }
        let release = home.join("release");
        let text = fs::read_to_string(&release)
            .map_err(|error| ClassFileError::unreadable(release.display().to_string(), &error))?;
        let feature_version = feature_version(&text)
            .ok_or_else(|| no_jdk(&[format!("{} (has no JAVA_VERSION)", release.display())]))?;
        let image = Image::open(&home.join("lib").join("modules"))?;
        Ok(Jdk { home: home.to_owned(), feature_version, image: Arc::new(image) })
    }

    /// Its folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Its feature version, such as 17 or 25.
    pub fn feature_version(&self) -> u16 {
        self.feature_version
    }

    /// Its class library.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Its launcher.
    pub fn java_binary(&self) -> PathBuf {
        self.binary("java")
    }

    /// Its compiler. A JRE has none; the existence of the file is not checked here.
    pub fn javac_binary(&self) -> PathBuf {
        self.binary("javac")
    }

    fn binary(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}

/// The reason why `home` is not a JDK that can be opened.
fn what_is_missing(home: &Path) -> Option<&'static str> {
    if !home.is_dir() {
        return Some("no such directory");
    }
    if home.join("lib").join("modules").is_file() {
        return (!home.join("release").is_file()).then_some("has no file release");
    }
    let before_9 = ["jre/lib/rt.jar", "lib/rt.jar"].iter().any(|jar| home.join(jar).is_file());
    Some(if before_9 { "is older than Java 9" } else { "has no lib/modules" })
}

/// The JDK folder of a `java` or `javac`, symbolic links followed.
fn home_of_binary(binary: &Path) -> Option<PathBuf> {
    let binary =
        binary.with_file_name(format!("{}{}", binary.file_name()?.to_str()?, env::consts::EXE_SUFFIX));
    let resolved = fs::canonicalize(binary).ok()?;
    Some(resolved.parent()?.parent()?.to_owned())
}

/// The feature version in a `release` file: 17 of `JAVA_VERSION="17.0.15"`, 8 of `"1.8.0_402"`.
fn feature_version(release: &str) -> Option<u16> {
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let mut numbers = version.trim().trim_matches('"').split(|c: char| !c.is_ascii_digit());
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        feature => Some(feature),
    }
}

fn no_jdk(looked_at: &[String]) -> ClassFileError {
    ClassFileError::NoJdk { looked_at: looked_at.join(", ").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_versions_are_read_from_release_files() {
        let cases = [
            ("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"17.0.15\"\n", Some(17)),
            ("JAVA_VERSION=\"25\"", Some(25)),
            ("JAVA_VERSION=\"26-ea\"", Some(26)),
            ("JAVA_VERSION=\"1.8.0_402\"", Some(8)),
            ("JAVA_VERSION=\"\"", None),
            ("", None),
        ];
        for (release, expected) in cases {
            assert_eq!(feature_version(release), expected, "{release}");
        }
    }

    #[test]
    fn every_place_looked_at_is_named() {
        let error =
            Jdk::locate_in(None, Some("/nowhere/jdk".as_ref()), Some("/nowhere/bin".as_ref())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no JDK found; looked at JAVA_HOME=/nowhere/jdk (no such directory), PATH (no javac or java of a JDK); install \
             a JDK (17 or later) or name one with --jdk"
        );
        let error = Jdk::locate_in(Some("/nowhere".as_ref()), None, None).unwrap_err();
        assert!(error.to_string().contains("--jdk /nowhere (no such directory)"), "{error}");
    }
}
