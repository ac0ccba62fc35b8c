//! `--git`: two commits, checked out as worktrees in a temporary folder and built there.

use super::arguments::Arguments;
use crate::process::console;
use crate::shared::repository::Repository;
use cupping_classfile::PATH_SEPARATOR;
use cupping_confine::BuildTool;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Folders of compiled classes in the usual layouts.
const FOLDERS: [&str; 5] = [
    "target/classes",
    "build/classes/java/main",
    "build/classes/kotlin/main",
    "build/classes",
    "out/production/classes",
];
/// How deep modules may lie in a project.
const MAX_DEPTH: usize = 4;

/// Two commits that are checked out and built. They are removed with this.
#[derive(Debug)]
pub struct Checkouts {
    repository: Repository,
    folder: TempDir,
    classes: [String; 2],
}

impl Checkouts {
    /// Checks both ends of a range out and builds them.
    ///
    /// # Errors
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
            build(&target, &commit, args.build.as_deref())?;
            checkouts.classes[at] = classes(&target, &commit, args.built.as_deref())?;
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
        // What cannot be removed here, git forgets some day.
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

/// Adds or removes a worktree, for which git has to write: it runs as the build does. Hooks of the repository do not
/// run.
fn worktree(repository: &Repository, arguments: &[&str]) -> Result<(), String> {
    let all = ["-c", "core.hooksPath=/dev/null", "worktree"].iter().chain(arguments);
    let git = BuildTool::new(Path::new("git"), &repository.top).args(all);
    let run = git.run().map_err(|error| error.to_string())?;
    if run.status.success() {
        return Ok(());
    }
    Err(format!("git worktree {}: {}", arguments.join(" "), String::from_utf8_lossy(&run.stderr).trim()))
}

fn build(folder: &Path, commit: &str, command: Option<&str>) -> Result<(), String> {
    let has = |file: &str| folder.join(file).exists();
    let command = match command {
        Some(command) => command,
        None if has("pom.xml") => "mvn -q compile",
        None if has("gradlew") => "./gradlew -q classes",
        None if has("build.gradle") || has("build.gradle.kts") => "gradle -q classes",
        None => {
            return Err(format!(
                "commit {commit} has no build file that is known; name a command with --build"
            ));
        }
    };
    let run = BuildTool::new(Path::new("sh"), folder).args(["-c", command]).run();
    let run = run.map_err(|error| error.to_string())?;
    if run.status.success() {
        return Ok(());
    }
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    Err(format!("{command}: the build of commit {commit} failed\n{}{}", out.trim_end(), err.trim_end()))
}

/// The compiled classes of a checkout, as a class path.
fn classes(folder: &Path, commit: &str, named: Option<&str>) -> Result<String, String> {
    let mut found: Vec<PathBuf> = Vec::new();
    match named {
        Some(named) => found.extend(named.split(PATH_SEPARATOR).map(|it| folder.join(it))),
        None => modules(folder, MAX_DEPTH, &mut found),
    }
    found.retain(|it| it.exists());
    if found.is_empty() {
        return Err(format!(
            "commit {commit}: the build left no classes where they are usual; name the folder with --built"
        ));
    }
    let shown: Vec<String> = found.iter().map(|it| it.display().to_string()).collect();
    Ok(shown.join(&PATH_SEPARATOR.to_string()))
}

/// Folders of classes of a module and those below it.
fn modules(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for usual in FOLDERS.map(|it| folder.join(it)) {
        // The last of Gradle's folders contains the first.
        if usual.is_dir() && !found.iter().any(|it| it.starts_with(&usual)) {
            found.push(usual);
        }
    }
    if depth == 0 {
        return;
    }
    let is_module = |it: &PathBuf| {
        let name = it.file_name().and_then(|it| it.to_str()).unwrap_or(".");
        it.is_dir()
            && !it.is_symlink()
            && !name.starts_with('.')
            && !["src", "target", "build"].contains(&name)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let mut below: Vec<PathBuf> = entries.filter(is_module).collect();
    below.sort();
    below.iter().for_each(|it| modules(it, depth - 1, found));
}
