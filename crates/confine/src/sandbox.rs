//! A JVM in a private folder, confined as far as the kernel can.

use crate::linux::{self, Monitor};
use crate::{Attempt, ConfineError, Policy, PrivateFolder, Support};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

/// Variables of the user's environment that are handed on: they say in which language and time zone a program speaks.
const HANDED_ON: &[&str] = &["LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ"];

/// Which program of the JDK is run, since each takes options of the JVM in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `java`.
    Java,
    /// `javac`, `jar` and the like, which take options of the JVM behind `-J`.
    Compiler,
}

/// A place in which one JVM can be run.
#[derive(Debug)]
pub struct Sandbox {
    policy: Policy,
    folder: PrivateFolder,
    confined: bool,
}

impl Sandbox {
    /// Makes the private folder. `unconfined` is the user's own decision: the folder and the environment stay as they are
    /// for a confined process, and the kernel refuses nothing.
    ///
    /// # Errors
    /// The private folder cannot be made.
    pub fn new(policy: Policy, unconfined: bool) -> Result<Sandbox, ConfineError> {
        Ok(Sandbox { policy, folder: PrivateFolder::new()?, confined: !unconfined })
    }

    /// The folder.
    pub fn folder(&self) -> &PrivateFolder {
        &self.folder
    }

    /// A command for a program of the JDK, with the environment, the current folder and the options of the JVM that the
    /// sandbox wants. The caller adds arguments and streams.
    pub fn command(&self, program: &Path, tool: Tool) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.folder.work());
        for name in HANDED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("PATH", "/usr/bin:/bin").env("HOME", self.folder.home());
        command.env("TMPDIR", self.folder.temporary());
        for option in self.options() {
            let mut argument = OsString::new();
            if tool == Tool::Compiler {
                argument.push("-J");
            }
            argument.push(option);
            command.arg(argument);
        }
        command
    }

    fn options(&self) -> Vec<OsString> {
        let property = |name: &str, value: &Path| {
            let mut option = OsString::from(format!("-D{name}="));
            option.push(value);
            option
        };
        let limits = &self.policy.limits;
        vec![
            property("java.io.tmpdir", &self.folder.temporary()),
            property("user.home", &self.folder.home()),
            format!("-Xmx{}m", limits.heap >> 20).into(),
            format!("-XX:MaxDirectMemorySize={}m", (limits.heap / 2) >> 20).into(),
            "-XX:+DisableAttachMechanism".into(),
            "-XX:-CreateCoredumpOnCrash".into(),
            "-XX:-UsePerfData".into(),
        ]
    }

    /// Starts the program, which is killed when the result is dropped.
    ///
    /// # Errors
    /// The kernel refuses a restriction that it said it has, or there is no such program.
    pub fn spawn(self, mut command: Command) -> Result<Confined, ConfineError> {
        let Sandbox { policy, folder, confined } = self;
        let support = Support::of_kernel();
        let (child, monitor) = if confined {
            linux::spawn(command, &policy, &folder, support)?
        } else {
            let program = command.get_program().into();
            (command.spawn().map_err(|source| ConfineError::Start { program, source })?, None)
        };
        Ok(Confined { child, monitor, folder })
    }

    /// Runs the program to its end with nothing on standard input; what it printed.
    ///
    /// # Errors
    /// As [`Sandbox::spawn`], and where its output cannot be read.
    pub fn run(self, mut command: Command) -> Result<Output, ConfineError> {
        let program = command.get_program().into();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let confined = self.spawn(command)?;
        confined.finish().map_err(|source| ConfineError::Start { program, source })
    }
}

/// A JVM that runs in a sandbox.
#[derive(Debug)]
pub struct Confined {
    // Dropped in this order: the process, its monitor, its folder.
    child: Child,
    monitor: Option<Monitor>,
    folder: PrivateFolder,
}

impl Confined {
    /// Its standard input, once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Its standard output, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Its standard error, once.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// How it ended, if it did.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// The folder.
    pub fn folder(&self) -> &PrivateFolder {
        &self.folder
    }

    /// What it tried since this was asked last, in order; `None` where nobody watches.
    pub fn take_attempts(&self) -> Option<Vec<Attempt>> {
        self.monitor.as_ref().map(Monitor::take_attempts)
    }

    /// Lets it use so much more of the processors' time from now on.
    pub fn extend_processor_time(&self, time: Duration) {
        linux::extend_processor_time(&self.child, time);
    }

    /// Waits until it ends; what it printed.
    fn finish(mut self) -> io::Result<Output> {
        use std::io::Read;
        drop(self.take_stdin());
        let mut stderr = self.take_stderr();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stderr.as_mut().map_or(Ok(0), |pipe| pipe.read_to_end(&mut bytes));
            read.map(|_| bytes)
        });
        let mut bytes = Vec::new();
        if let Some(mut stdout) = self.take_stdout() {
            stdout.read_to_end(&mut bytes)?;
        }
        let stderr = reader.join().unwrap_or_else(|_| Ok(Vec::new()))?;
        Ok(Output { status: self.child.wait()?, stdout: bytes, stderr })
    }
}

impl Drop for Confined {
    fn drop(&mut self) {
        // Killed, not asked to end: the program may have threads that never do. It has no processes of its own.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(monitor) = &mut self.monitor {
            monitor.join();
        }
    }
}
