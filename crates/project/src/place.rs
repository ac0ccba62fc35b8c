//! The root of a project, and its modules.

use crate::record::Record;
use crate::tool::{Builder, Tool};
use crate::{Module, ProjectError, bazel, freshness, gradle, maven, plain, record};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A folder with a project. Nothing has been run yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFolder {
    /// The root of the project.
    pub root: PathBuf,
    /// The build tool.
    pub tool: Tool,
}

/// A project with its modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its folder.
    pub place: ProjectFolder,
    /// Its modules with Java, in build order.
    pub modules: Vec<Module>,
}

/// Build files of Gradle.
const GRADLE: [&str; 5] =
    ["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts", "gradle.properties"];

impl ProjectFolder {
    /// The project around a folder: the root of the build of Maven, Gradle or Bazel that the folder belongs to, or the
    /// folder itself if it has sources in a usual place. If a folder has build files of several, the first counts.
    pub fn find(folder: &Path) -> Option<ProjectFolder> {
        let folder = folder.canonicalize().ok()?;
        let has = |at: &Path, names: &[&str]| names.iter().any(|name| at.join(name).is_file());
        for at in folder.ancestors() {
            if has(at, &["pom.xml"]) {
                return Some(ProjectFolder { root: maven::root(at), tool: Tool::Maven });
            }
            if has(at, &GRADLE[..4]) {
                let settings = at.ancestors().find(|above| has(above, &GRADLE[..2]));
                return Some(ProjectFolder { root: settings.unwrap_or(at).to_owned(), tool: Tool::Gradle });
            }
            if has(at, &bazel::files::ROOTS) {
                return Some(ProjectFolder { root: at.to_owned(), tool: Tool::Bazel });
            }
            if at.join(".git").exists() {
                break;
            }
        }
        plain::is_project(&folder).then_some(ProjectFolder { root: folder, tool: Tool::Plain })
    }

    /// Asks for the modules, and compiles them if a source is newer than the classes.
    ///
    /// # Errors
    /// [`ProjectError`]: the build tool is missing or fails, or there is no Java module.
    pub fn open(&self, builder: Builder<'_>) -> Result<Project, ProjectError> {
        let file = record::path(builder.cache, &self.root);
        let known = record::read(&file).filter(|it| !builder.may_build || !self.is_stale(it));
        let (is_known, asked) = (known.is_some(), SystemTime::now());
        let modules = match (known, self.tool) {
            (Some(record), _) => record.modules,
            (None, Tool::Plain) => plain::modules(&self.root, builder)?,
            (None, _) if !builder.may_build => Vec::new(),
            (None, Tool::Maven) => maven::modules(&self.root, builder)?,
            (None, Tool::Gradle) => gradle::modules(&self.root, builder)?,
            (None, Tool::Bazel) => bazel::modules(&self.root, builder)?,
        };
        if modules.is_empty() {
            return Err(ProjectError::NoModule { tool: self.tool, root: self.root.clone() });
        }
        if self.tool != Tool::Plain && !is_known {
            let build_files = self.build_files(&modules);
            record::write(&file, &Record { modules: modules.clone(), build_files, asked });
        }
        Ok(Project { place: self.clone(), modules })
    }

    /// Whether the build tool has to run, although no build file on record has changed.
    fn is_stale(&self, record: &Record) -> bool {
        match self.tool {
            Tool::Bazel => bazel::files::is_stale(&self.root, record),
            _ => record.modules.iter().any(freshness::is_stale),
        }
    }

    /// Files whose change may affect the modules: those of the root, of the modules, and of folders between.
    fn build_files(&self, modules: &[Module]) -> Vec<PathBuf> {
        let names: &[&str] = match self.tool {
            Tool::Bazel => return bazel::files::build_files(&self.root),
            Tool::Maven => &["pom.xml"],
            _ => &GRADLE,
        };
        let mut folders: Vec<&Path> = vec![&self.root];
        for module in modules {
            folders.extend(module.root.ancestors().take_while(|it| it.starts_with(&self.root)));
        }
        folders.sort();
        folders.dedup();
        let files = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
        files.filter(|file| file.is_file()).collect()
    }
}

impl Project {
    /// The modules in or below a folder; all if the folder is in none of them, or in one.
    pub fn modules_at(&self, folder: &Path) -> Vec<&Module> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let below: Vec<&Module> = self.modules.iter().filter(|it| it.root.starts_with(&folder)).collect();
        if !below.is_empty() {
            return below;
        }
        let around = self.modules.iter().filter(|it| folder.starts_with(&it.root));
        match around.max_by_key(|it| it.root.components().count()) {
            Some(module) => vec![module],
            None => self.modules.iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn found(files: &[(&str, &str)], from: &str) -> Option<(String, Tool)> {
        let folder = tree(files);
        let root = folder.path().canonicalize().unwrap();
        let place = ProjectFolder::find(&root.join(from))?;
        Some((place.root.strip_prefix(&root).unwrap().display().to_string(), place.tool))
    }

    #[test]
    fn a_module_belongs_to_the_build_that_lists_it() {
        let parent = "<project><modules><module>core</module></modules></project>";
        let files = [
            ("all/pom.xml", parent),
            ("all/core/pom.xml", "<project/>"),
            ("all/core/src/main/java/A.java", ""),
            ("all/other/pom.xml", "<project/>"),
        ];
        assert_eq!(found(&files, "all/core/src/main"), Some(("all".into(), Tool::Maven)));
        assert_eq!(found(&files, "all"), Some(("all".into(), Tool::Maven)));
        // It is in the folder of a build, but not part of it.
        assert_eq!(found(&files, "all/other"), Some(("all/other".into(), Tool::Maven)));
    }

    #[test]
    fn modules_of_profiles_count() {
        let parent = "<project><profiles><profile><modules><module>./core/</module></modules></profile></profiles></project>";
        let files = [("pom.xml", parent), ("core/pom.xml", "<project/>")];
        assert_eq!(found(&files, "core"), Some((String::new(), Tool::Maven)));
    }

    #[test]
    fn the_settings_of_gradle_are_its_root() {
        let files = [("settings.gradle.kts", ""), ("a/b/build.gradle", ""), ("a/b/src/x", "")];
        assert_eq!(found(&files, "a/b/src"), Some((String::new(), Tool::Gradle)));
    }

    #[test]
    fn a_workspace_of_bazel_is_its_root() {
        assert_eq!(
            found(&[("MODULE.bazel", ""), ("a/b/BUILD", "")], "a/b"),
            Some((String::new(), Tool::Bazel))
        );
        assert_eq!(found(&[("x/WORKSPACE", ""), ("x/a/A.java", "")], "x/a"), Some(("x".into(), Tool::Bazel)));
        // Projects that Bazel builds too have the folders of Maven.
        assert_eq!(
            found(&[("WORKSPACE", ""), ("pom.xml", "<project/>")], ""),
            Some((String::new(), Tool::Maven))
        );
    }

    #[test]
    fn a_folder_with_sources_is_a_project_of_its_own() {
        assert_eq!(found(&[("src/p/A.java", "")], ""), Some((String::new(), Tool::Plain)));
        assert_eq!(found(&[("src/main/java/A.java", "")], ""), Some((String::new(), Tool::Plain)));
        assert_eq!(found(&[("notes/A.txt", "")], ""), None);
    }
}
