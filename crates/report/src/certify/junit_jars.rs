//! Finds the jars of a test framework that emitted tests are compiled against.

use super::CertifyError;
use crate::framework::{Framework, Jar, jar};
use std::path::{Path, PathBuf};

/// JUnit's launcher with all engines in one jar; and JUnit 4, whose tests it also runs.
const LAUNCHER: &[Jar] = &[
    jar("junit-platform-console-standalone", "org/junit/platform/junit-platform-console-standalone", true),
    jar("junit4", "junit/junit", false),
    jar("hamcrest", "org/hamcrest/hamcrest", false),
];

/// The same in parts, as a folder may have it.
const LAUNCHER_PARTS: &[&str] = &[
    "junit-platform-launcher",
    "junit-platform-engine",
    "junit-platform-commons",
    "junit-jupiter-api",
    "junit-jupiter-engine",
    "junit-jupiter-params",
    "junit-vintage-engine",
    "junit4",
    "hamcrest",
    "hamcrest-core",
    "opentest4j",
    "apiguardian-api",
    "univocity-parsers",
];

/// Where to look for jars.
#[derive(Clone, Debug, Default)]
pub struct JarSources {
    /// Jars or folders named by the user, which take precedence.
    pub named: Vec<PathBuf>,
    /// Folders with jars, such as `/usr/share/java`.
    pub folders: Vec<PathBuf>,
    /// Maven repositories.
    pub repositories: Vec<PathBuf>,
}

/// The folder of jars beside the program, where it is installed from a release.
fn of_release() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?.parent()?.join("share/cupping/java");
    folder.is_dir().then_some(folder)
}

impl JarSources {
    /// `--junit-jar`, then `CUPPING_JUNIT`, then `/usr/share/java`, then `~/.m2/repository`, then what came with the
    /// release of Cupping.
    pub fn of_machine(named: &[PathBuf]) -> JarSources {
        let from_variable = std::env::var_os("CUPPING_JUNIT").unwrap_or_default();
        let variable = std::env::split_paths(&from_variable).filter(|path| !path.as_os_str().is_empty());
        let home = std::env::var_os("HOME").map(PathBuf::from);
        JarSources {
            named: named.iter().cloned().chain(variable).collect(),
            folders: std::iter::once("/usr/share/java".into()).chain(of_release()).collect(),
            repositories: home.into_iter().map(|home| home.join(".m2/repository")).collect(),
        }
    }

    /// The jars of a framework, in the order of a class path.
    pub fn find(&self, framework: Framework) -> Result<Vec<PathBuf>, CertifyError> {
        if let Some(path) = self.named.iter().find(|path| !path.exists()) {
            return Err(CertifyError::NoSuchJar { path: path.clone() });
        }
        // Jars named explicitly are all used, so that bundles under other names work too.
        let mut jars: Vec<PathBuf> = self.named.iter().filter(|path| path.is_file()).cloned().collect();
        let has_bundle = jars.iter().any(|jar| file_name(jar).contains("standalone"));
        for artifact in framework.row().jars {
            if jars.iter().any(|jar| is_jar_of(jar, artifact.name)) || has_bundle {
                continue;
            }
            match self.find_one(artifact) {
                Some(jar) => jars.push(jar),
                None if artifact.needed => {
                    return Err(CertifyError::JunitMissing {
                        artifact: artifact.name,
                        package: framework.row().package,
                    });
                }
                None => {}
            }
        }
        Ok(jars)
    }

    /// The jar that parameterized tests need, if the framework has a separate one.
    pub fn find_parameters(&self, framework: Framework) -> Option<PathBuf> {
        const PARAMETERS: Jar = jar("junit-jupiter-params", "org/junit/jupiter/junit-jupiter-params", false);
        let mut named = self.named.iter().filter(|path| path.is_file());
        let has_bundle = named.clone().any(|jar| file_name(jar).contains("standalone"));
        if framework != Framework::Junit5 || has_bundle {
            return None;
        }
        let jar = named.find(|jar| is_jar_of(jar, PARAMETERS.name)).cloned();
        jar.or_else(|| self.find_one(&PARAMETERS))
    }

    /// The jars that run tests, JUnit's launcher and engines, in the order of a class path. Jars named explicitly
    /// come first, and suffice if one of them has the launcher, as `has_launcher` says.
    ///
    /// # Errors
    ///
    /// [`CertifyError::NoSuchJar`], [`CertifyError::LauncherMissing`].
    pub fn find_launcher(&self, has_launcher: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, CertifyError> {
        if let Some(path) = self.named.iter().find(|path| !path.exists()) {
            return Err(CertifyError::NoSuchJar { path: path.clone() });
        }
        let mut jars: Vec<PathBuf> = self.named.iter().filter(|path| path.is_file()).cloned().collect();
        for folder in self.named.iter().filter(|path| path.is_dir()) {
            if jar_in(folder, LAUNCHER[0].name).is_some() {
                jars.extend(LAUNCHER.iter().filter_map(|it| jar_in(folder, it.name)));
            } else {
                jars.extend(LAUNCHER_PARTS.iter().filter_map(|name| jar_in(folder, name)));
            }
        }
        if jars.iter().any(|jar| has_launcher(jar)) {
            return Ok(jars);
        }
        for artifact in LAUNCHER {
            match self.find_one(artifact) {
                Some(jar) => jars.push(jar),
                None if artifact.needed => return Err(CertifyError::LauncherMissing),
                None => {}
            }
        }
        Ok(jars)
    }

    fn find_one(&self, artifact: &Jar) -> Option<PathBuf> {
        let folders = self.named.iter().filter(|path| path.is_dir()).chain(&self.folders);
        let in_folders = folders.filter_map(|folder| jar_in(folder, artifact.name));
        let in_repositories =
            self.repositories.iter().filter_map(|repository| newest_in(&repository.join(artifact.maven)));
        in_folders.chain(in_repositories).next()
    }
}

/// `name.jar`, or else the one with the highest version.
fn jar_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let plain = folder.join(format!("{name}.jar"));
    if plain.is_file() {
        return Some(plain);
    }
    let entries = std::fs::read_dir(folder).ok()?;
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_jar_of(path, name))
        .max_by_key(|path| version(path))
}

/// The jar of the highest version in `group/artifact/VERSION/artifact-VERSION.jar`.
fn newest_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let artifact = file_name(folder);
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .map(|path| path.join(format!("{artifact}-{}.jar", file_name(&path))))
        .filter(|jar| jar.is_file())
        .max_by_key(|jar| version(jar))
}

fn is_jar_of(path: &Path, name: &str) -> bool {
    let file = file_name(path);
    let Some(stem) = file.strip_suffix(".jar") else { return false };
    let stem = if name == "junit4" && stem.starts_with("junit-4") { "junit4" } else { stem };
    stem == name
        || stem
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Numbers in the name, to compare 5.10 with 5.9.
fn version(path: &Path) -> Vec<u64> {
    file_name(path).split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_version_in_a_maven_repository_wins() {
        let folder = tempfile::tempdir().unwrap();
        for (path, versions) in [
            ("org/junit/jupiter/junit-jupiter-api", ["5.9.2", "5.10.0"]),
            ("org/junit/platform/junit-platform-commons", ["1.9.2", "1.10.0"]),
            ("org/opentest4j/opentest4j", ["1.2.0", "1.3.0"]),
        ] {
            let name = path.rsplit('/').next().unwrap();
            for version in versions {
                let folder = folder.path().join(path).join(version);
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join(format!("{name}-{version}.jar")), b"").unwrap();
            }
        }
        let sources = JarSources { repositories: vec![folder.path().into()], ..Default::default() };
        let jars = sources.find(Framework::Junit5).unwrap();
        let names: Vec<String> = jars.iter().map(|jar| file_name(jar)).collect();
        assert_eq!(
            names,
            ["junit-jupiter-api-5.10.0.jar", "junit-platform-commons-1.10.0.jar", "opentest4j-1.3.0.jar"]
        );
    }

    #[test]
    fn missing_jars_are_named() {
        let error = JarSources::default().find(Framework::Junit4).unwrap_err().to_string();
        assert!(error.contains("junit4") && error.contains("apt-get install"), "{error}");
        let sources = JarSources { named: vec!["/nowhere/junit.jar".into()], ..Default::default() };
        let error = sources.find(Framework::Junit4).unwrap_err().to_string();
        assert!(error.contains("/nowhere/junit.jar"), "{error}");
    }
}
