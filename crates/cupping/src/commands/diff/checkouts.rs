//! `--git`: two commits, checked out as worktrees in a temporary folder and built there.

use super::arguments::Arguments;
use crate::process::console;
use crate::shared::project;
use crate::shared::repository::Repository;
use cupping_classfile::PATH_SEPARATOR;
use cupping_confine::BuildTool;
use cupping_project::{ProjectFolder, built_classes};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Two commits that are checked out and built. The checkouts are removed when this is dropped.
#[derive(Debug)]
pub struct Checkouts {
    repository: Repository,
    folder: TempDir,
    classes: [String; 2],
}

impl Checkouts {
    /// Checks out both ends of a range and builds them.
    ///
    /// # Errors
    ///
    /// There is no repository or no such commit, or a build fails.
    pub fn build(range: &str, args: &Arguments) -> Result<Checkouts, String> {
        let repository = Repository::around_here().map_err(|error| format!("--git {range}: {error}"))?;
        let commits = commits(&repository, range)?;
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let mut checkouts = Checkouts { repository, folder, classes: Default::default() };
        for (at, (name, commit)) in ["old", "new"].into_iter().zip(commits).enumerate() {
            console::remark(|| format!("{name}: building commit {commit}"));
            let target = checkouts.path().join(name);
            let shown = target.display().to_string();
            worktree(&checkouts.repository, &["add", "--quiet", "--detach", &shown, &commit])?;
            checkouts.classes[at] = build(&target, &checkouts.path().join("cache"), &commit, args)?;
        }
        Ok(checkouts)
    }

    /// The compiled classes of both commits, as class paths.
    pub fn classes(&self) -> &[String; 2] {
        &self.classes
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Checkouts {
    fn drop(&mut self) {
        // Git prunes worktrees that cannot be removed here.
        for target in ["old", "new"].map(|it| self.path().join(it)).into_iter().filter(|it| it.exists()) {
            let _ = worktree(&self.repository, &["remove", "--force", &target.display().to_string()]);
        }
    }
}

/// The commits of a range, old and new.
fn commits(repository: &Repository, range: &str) -> Result<[String; 2], String> {
    let commit = |name: &str| {
        let name = if name.is_empty() { "HEAD" } else { name };
        let none = |_| format!("--git {range}: no commit {name}; name two commits as in main..HEAD");
        repository.commit(name).map_err(none)
    };
    if let Some((old, new)) = range.split_once("...") {
        let (old, new) = (commit(old)?, commit(new)?);
        let base = repository.merge_base(&old, &new);
        return Ok([base.map_err(|_| format!("--git {range}: the commits have no common ancestor"))?, new]);
    }
    let (old, new) = range.split_once("..").unwrap_or((range, ""));
    Ok([commit(old)?, commit(new)?])
}

/// Adds or removes a worktree. Git has to write for this, so it runs with the rights of the build. Hooks of the
/// repository do not run.
fn worktree(repository: &Repository, arguments: &[&str]) -> Result<(), String> {
    let all = ["-c", "core.hooksPath=/dev/null", "worktree"].iter().chain(arguments);
    let git = BuildTool::new(Path::new("git"), &repository.top).args(all);
    let run = git.run().map_err(|error| error.to_string())?;
    if run.status.success() {
        return Ok(());
    }
    Err(format!("git worktree {}: {}", arguments.join(" "), String::from_utf8_lossy(&run.stderr).trim()))
}

/// Builds a checkout, and returns its compiled classes as a class path.
fn build(folder: &Path, cache: &Path, commit: &str, args: &Arguments) -> Result<String, String> {
    let mut found: Vec<PathBuf> = match &args.build {
        Some(command) => {
            run(folder, commit, command)?;
            built_classes(folder)
        }
        None => {
            let place = ProjectFolder::find(folder).ok_or_else(|| {
                format!("commit {commit} has no build file that Cupping knows; name a command with --build")
            })?;
            let project = project::open_with(&place, &args.jdk.locate()?, true, cache)
                .map_err(|error| format!("commit {commit}: {error}"))?;
            project.modules.into_iter().flat_map(|it| it.classes).collect()
        }
    };
    if let Some(named) = &args.built {
        found = named.split(PATH_SEPARATOR).map(|it| folder.join(it)).collect();
    }
    found.retain(|it| it.exists());
    if found.is_empty() {
        return Err(format!(
            "commit {commit}: the build left no classes in a usual place; name the folder with --built"
        ));
    }
    let shown: Vec<String> = found.iter().map(|it| it.display().to_string()).collect();
    Ok(shown.join(&PATH_SEPARATOR.to_string()))
}

/// Runs the user's build command.
fn run(folder: &Path, commit: &str, command: &str) -> Result<(), String> {
    let run = BuildTool::new(Path::new("sh"), folder).args(["-c", command]).run();
    let run = run.map_err(|error| error.to_string())?;
    if run.status.success() {
        return Ok(());
    }
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    Err(format!("{command}: the build of commit {commit} failed\n{}{}", out.trim_end(), err.trim_end()))
}
