//! Cupping itself, started again for one request.

use crate::ConfineError;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Limit on the bytes read from each stream.
const MOST_BYTES: u64 = 64 << 20;
/// Time that a run may take to end when it is told to.
const GRACE: Duration = Duration::from_secs(4);
/// Interval between checks of the run.
const PAUSE: Duration = Duration::from_millis(20);

/// A run of this program for one request of a server: it may fail, hang or take much memory, and the server
/// continues.
///
/// It confines what it runs, like any run of Cupping.
#[derive(Debug)]
pub struct OwnProgram {
    program: PathBuf,
    command: Command,
}

/// The end of the run.
#[derive(Debug)]
pub struct EndedProgram {
    /// Exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Whether it was told to end.
    pub was_stopped: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl OwnProgram {
    /// This program, to be run in a folder.
    ///
    /// # Errors
    /// The file of this program is not known.
    pub fn new(folder: &Path) -> Result<OwnProgram, ConfineError> {
        let start = |source| ConfineError::Start { program: "cupping".into(), source };
        let program = std::env::current_exe().map_err(start)?;
        let mut command = Command::new(&program);
        command.current_dir(folder).stdin(Stdio::null());
        Ok(OwnProgram { program, command })
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> OwnProgram {
        self.command.args(args);
        self
    }

    /// Runs it to its end, for at most this long, and no longer than it is wanted. It is first told to end, so that
    /// it can report what it has, and killed soon after.
    ///
    /// # Errors
    ///
    /// It cannot be started.
    pub fn run(
        mut self,
        limit: Duration,
        is_wanted: impl Fn() -> bool,
    ) -> Result<EndedProgram, ConfineError> {
        let program = self.program;
        let wrong = |source| ConfineError::Start { program: program.clone(), source };
        // Files take all its output, so that nobody has to read pipes meanwhile.
        let (stdout, stderr) = (tempfile::tempfile().map_err(wrong)?, tempfile::tempfile().map_err(wrong)?);
        self.command.stdout(stdout.try_clone().map_err(wrong)?);
        self.command.stderr(stderr.try_clone().map_err(wrong)?);
        let mut child = self.command.spawn().map_err(wrong)?;
        let started = Instant::now();
        let mut stopped: Option<Instant> = None;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(wrong)? {
                break status;
            }
            match stopped {
                None if started.elapsed() >= limit || !is_wanted() => {
                    stopped = Some(Instant::now());
                    interrupt_child(&mut child);
                }
                Some(since) if since.elapsed() >= GRACE => {
                    let _ = child.kill();
                }
                _ => {}
            }
            std::thread::sleep(PAUSE);
        };
        Ok(EndedProgram {
            code: status.code(),
            was_stopped: stopped.is_some(),
            stdout: text(stdout).map_err(wrong)?,
            stderr: text(stderr).map_err(wrong)?,
        })
    }
}

/// Sends the signal of Ctrl-C.
#[cfg(target_os = "linux")]
fn interrupt_child(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(id) = id {
        let _ = kill_process(id, Signal::INT);
    }
}

#[cfg(not(target_os = "linux"))]
fn interrupt_child(child: &mut Child) {
    let _ = child.kill();
}

fn text(mut file: File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
