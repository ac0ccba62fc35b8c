//! A sandbox: a JVM in a private folder, confined as far as the kernel supports it.

use crate::linux::{self, Monitor};
use crate::locale;
use crate::{Attempt, ConfineError, Policy, PrivateFolder, Support};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

/// The tool to run, since tools take JVM options in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `java`.
    Java,
    /// `javac`, `jar` and the like, which take JVM options with `-J`.
    Compiler,
    /// Another program, such as `git`, which takes no JVM options.
    Other,
}

/// A sandbox for running one JVM.
#[derive(Debug)]
pub struct Sandbox {
    policy: Policy,
    folder: PrivateFolder,
    confined: bool,
}

impl Sandbox {
    /// Creates the private folder. If the user asks for `unconfined`, folder and environment are the same,
    /// but the kernel enforces nothing.
    ///
    /// # Errors
    /// The private folder cannot be created.
    pub fn new(policy: Policy, unconfined: bool) -> Result<Sandbox, ConfineError> {
        Ok(Sandbox { policy, folder: PrivateFolder::new()?, confined: !unconfined })
    }

    /// The folder.
    pub fn folder(&self) -> &PrivateFolder {
        &self.folder
    }

    /// A command for a JDK tool with the sandbox's environment, working directory and JVM options. The caller
    /// adds arguments and streams.
    pub fn command(&self, program: &Path, tool: Tool) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.folder.work());
        command.envs(locale::variables(|name| std::env::var_os(name)));
        command.env("PATH", "/usr/bin:/bin").env("HOME", self.folder.home());
        command.env("TMPDIR", self.folder.temporary());
        for option in self.options().into_iter().filter(|_| tool != Tool::Other) {
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
            // Otherwise the system's library opens sockets to look up `localhost`.
            property("jdk.net.hosts.file", &self.folder.hosts()),
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
    /// The kernel rejects a restriction that it claims to support, or the program does not exist.
    pub fn spawn(self, mut command: Command) -> Result<ConfinedJvm, ConfineError> {
        let Sandbox { policy, folder, confined } = self;
        let support = Support::of_kernel();
        let (child, monitor) = if confined {
            linux::spawn(command, &policy, &folder, support)?
        } else {
            let program = command.get_program().into();
            (command.spawn().map_err(|source| ConfineError::Start { program, source })?, None)
        };
        Ok(ConfinedJvm { child, monitor, folder })
    }

    /// Runs the program to completion with empty standard input and returns its output.
    ///
    /// # Errors
    /// As for [`Sandbox::spawn`], and if the output cannot be read.
    pub fn run(self, mut command: Command) -> Result<Output, ConfineError> {
        let program = command.get_program().into();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let confined = self.spawn(command)?;
        confined.finish().map_err(|source| ConfineError::Start { program, source })
    }
}

/// A JVM running in a sandbox.
#[derive(Debug)]
pub struct ConfinedJvm {
    // Drop order: the process, then its monitor, then its folder.
    child: Child,
    monitor: Option<Monitor>,
    folder: PrivateFolder,
}

impl ConfinedJvm {
    /// Takes its standard input.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Takes its standard output.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Takes its standard error.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Its exit status, if it has ended.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// The folder.
    pub fn folder(&self) -> &PrivateFolder {
        &self.folder
    }

    /// Takes the attempts since the last call, in order; `None` without a monitor.
    pub fn take_attempts(&self) -> Option<Vec<Attempt>> {
        self.monitor.as_ref().map(Monitor::take_attempts)
    }

    /// Extends its processor time by this amount from now.
    pub fn extend_processor_time(&self, time: Duration) {
        linux::extend_processor_time(&self.child, time);
    }

    /// Waits for its end and returns its output.
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

impl Drop for ConfinedJvm {
    fn drop(&mut self) {
        // Kill it: the program may have threads that never end. It cannot have child processes.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(monitor) = &mut self.monitor {
            monitor.join();
        }
    }
}
