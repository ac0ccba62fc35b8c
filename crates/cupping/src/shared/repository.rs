//! Queries to git about the surrounding repository.

use cupping_confine::{Policy, Sandbox, Tool};
use std::path::{Path, PathBuf};

/// A git repository, queried by plumbing commands only: they change nothing, start no other program, and need not
/// change to another folder, which the sandbox forbids.
#[derive(Debug)]
pub struct Repository {
    git: PathBuf,
    /// Its top folder.
    pub top: PathBuf,
}

impl Repository {
    /// The surrounding repository.
    ///
    /// # Errors
    ///
    /// There is none, or no `git`.
    pub fn around_here() -> Result<Repository, String> {
        let here = std::env::current_dir().map_err(|error| error.to_string())?;
        let git = program().ok_or("git is not installed")?;
        let top = here.ancestors().find(|it| it.join(".git").exists());
        let top = top.ok_or_else(|| format!("{} is not in a git repository", here.display()))?.to_owned();
        Ok(Repository { git, top })
    }

    /// The zero-terminated lines of a command's output.
    ///
    /// # Errors
    ///
    /// The command fails; the text is the first line of its message.
    pub fn lines(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        let output = self.git(arguments)?;
        let lines = output.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        Ok(lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect())
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// There is no such commit.
    pub fn commit(&self, revision: &str) -> Result<String, String> {
        let commit = format!("{revision}^{{commit}}");
        self.word(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
    }

    /// The commit at which two branched off.
    ///
    /// # Errors
    ///
    /// They have no common ancestor.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<String, String> {
        self.word(&["merge-base", one, other])
    }

    /// The text of a file at a revision; `None` if it is not there.
    ///
    /// # Errors
    ///
    /// There is no such revision.
    pub fn text_at(&self, revision: &str, file: &Path) -> Result<Option<String>, String> {
        let commit = self.commit(revision)?;
        let top = self.top.canonicalize().unwrap_or_else(|_| self.top.clone());
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let Ok(below) = file.strip_prefix(&top) else { return Ok(None) };
        let below = below.to_string_lossy().replace('\\', "/");
        if self.lines(&["ls-tree", "-z", "--full-tree", &commit, "--", &below])?.is_empty() {
            return Ok(None);
        }
        let bytes = self.git(&["cat-file", "blob", &format!("{commit}:{below}")])?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn word(&self, arguments: &[&str]) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.git(arguments)?).trim().to_owned())
    }

    /// The output of a command.
    ///
    /// # Errors
    ///
    /// It fails; the text is the first line of its message.
    pub fn git(&self, arguments: &[&str]) -> Result<Vec<u8>, String> {
        let mut readable = vec![self.top.clone()];
        readable.extend(folder_of_worktree(&self.top));
        // The policy permits `git` only.
        let policy = Policy { readable, ..Policy::new(&self.git) };
        let sandbox = Sandbox::new(policy, false).map_err(|error| error.to_string())?;
        let mut command = sandbox.command(&self.git, Tool::Other);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1");
        command.args(["-c", "safe.directory=*", "-c", "core.fsmonitor=false"]);
        command.arg("--no-pager").args(arguments).current_dir(&self.top);
        let output = sandbox.run(command).map_err(|error| error.to_string())?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(said.lines().next().unwrap_or("git failed").to_owned());
        }
        Ok(output.stdout)
    }
}

/// The path of `git`.
fn program() -> Option<PathBuf> {
    ["/usr/bin/git", "/bin/git", "/usr/local/bin/git"].map(PathBuf::from).into_iter().find(|it| it.is_file())
}

/// In a linked worktree `.git` is a file that names the folder of the repository.
fn folder_of_worktree(top: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(top.join(".git")).ok()?;
    let named = top.join(text.strip_prefix("gitdir:")?.trim());
    // `.git/worktrees/NAME`: the objects are two folders above.
    named.ancestors().nth(2).map(Path::to_owned)
}
