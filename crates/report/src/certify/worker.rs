//! The JVM that compiles and runs tests, as a child process that never outlives its owner.

use super::CertifyError;
use super::cache::Program;
use super::protocol::{Answer, Diagnostic, ask_to_compile, ask_to_run, read_answer};
use std::io::{BufReader, Read};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long javac may be silent. A class of thousands of tests takes a few seconds.
const COMPILE_LIMIT: Duration = Duration::from_secs(120);
/// How much longer than its limit a test may take before the JVM is given up.
const GRACE: Duration = Duration::from_secs(5);
/// How much of the JVM's error output is kept, in bytes.
const KEPT_STDERR: usize = 4096;

/// A running JVM.
pub struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    answers: Receiver<Answer>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

/// What became of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestEnd {
    /// It passed.
    Passed,
    /// It did not, and why.
    Failed(String),
    /// The JVM is gone since: the reason. Tests after it have not been run.
    Fatal(String),
}

impl Worker {
    /// Starts the JVM, which warms itself up while nothing is asked.
    pub fn start(program: &Program) -> Result<Worker, CertifyError> {
        let mut command = program.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C at a terminal reaches a whole process group; it is for the owner, who still has tests to certify.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| CertifyError::NoTool {
            program: command.get_program().into(),
            reason: error.to_string(),
        })?;
        let stdin = child.stdin.take();
        let (send, answers) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                while let Ok(answer) = read_answer(&mut stdout) {
                    if send.send(answer).is_err() {
                        return;
                    }
                }
            });
        }
        let stderr = Arc::new(Mutex::new(Vec::new()));
        if let Some(pipe) = child.stderr.take() {
            let kept = Arc::clone(&stderr);
            std::thread::spawn(move || keep_end(pipe, &kept));
        }
        Ok(Worker { child, stdin, answers, stderr })
    }

    /// Compiles sources; whether all is well, and what javac said.
    pub fn compile(
        &mut self,
        class_path: &[String],
        sources: &[(String, String)],
    ) -> Result<(bool, Vec<Diagnostic>), CertifyError> {
        if let Some(stdin) = &mut self.stdin
            && ask_to_compile(stdin, class_path, sources).is_err()
        {
            return Err(self.gone("ended"));
        }
        let mut diagnostics = Vec::new();
        loop {
            match self.answers.recv_timeout(COMPILE_LIMIT) {
                Ok(Answer::Diagnostic(diagnostic)) => diagnostics.push(diagnostic),
                Ok(Answer::Compiled(ok)) => return Ok((ok, diagnostics)),
                Ok(_) => return Err(self.gone("answered out of turn")),
                Err(RecvTimeoutError::Timeout) => return Err(self.gone("is silent")),
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone("ended")),
            }
        }
    }

    /// Runs tests of the sources last compiled, in a new class loader. The list of ends is as long as that of
    /// the tests, or ends with [`TestEnd::Fatal`].
    pub fn run(&mut self, limit: Duration, tests: &[(String, String)]) -> Result<Vec<TestEnd>, CertifyError> {
        let milliseconds = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX / 2);
        if let Some(stdin) = &mut self.stdin
            && ask_to_run(stdin, milliseconds, tests).is_err()
        {
            return Err(self.gone("ended"));
        }
        let mut ends = Vec::new();
        let mut running = false;
        loop {
            match self.answers.recv_timeout(limit + GRACE) {
                Ok(Answer::Begin(_)) => running = true,
                Ok(Answer::End { passed: true, .. }) => {
                    running = false;
                    ends.push(TestEnd::Passed);
                }
                Ok(Answer::End { detail, .. }) => {
                    running = false;
                    ends.push(TestEnd::Failed(detail));
                }
                Ok(Answer::Finished) if ends.len() == tests.len() => return Ok(ends),
                Ok(_) => return Err(self.gone("answered out of turn")),
                Err(RecvTimeoutError::Timeout) if running => {
                    ends.push(TestEnd::Fatal(format!("the JVM fell silent for {:?}", limit + GRACE)));
                    return Ok(ends);
                }
                Err(RecvTimeoutError::Disconnected) if running => {
                    ends.push(TestEnd::Fatal(format!("the JVM ended during the test{}", self.status())));
                    return Ok(ends);
                }
                // The certifier ends itself after a test that ran over its limit, having said so.
                Err(RecvTimeoutError::Disconnected) if matches!(ends.last(), Some(TestEnd::Failed(_))) => {
                    if let Some(TestEnd::Failed(detail)) = ends.pop() {
                        ends.push(TestEnd::Fatal(detail));
                    }
                    return Ok(ends);
                }
                // Or a thread that a test left behind did.
                Err(RecvTimeoutError::Disconnected) if !ends.is_empty() => {
                    ends.pop();
                    ends.push(TestEnd::Fatal(format!("the JVM ended after the test{}", self.status())));
                    return Ok(ends);
                }
                Err(RecvTimeoutError::Timeout) => return Err(self.gone("is silent")),
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone("ended")),
            }
        }
    }

    fn status(&mut self) -> String {
        for _ in 0..100 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return format!(" ({status})");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        String::new()
    }

    fn gone(&mut self, what: &str) -> CertifyError {
        let status = if what == "ended" { self.status() } else { String::new() };
        let kept = self.stderr.lock().map(|kept| String::from_utf8_lossy(&kept).trim().to_string());
        let stderr = kept.ok().filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
        CertifyError::Jvm { what: format!("{what}{status}"), stderr: stderr.unwrap_or_default() }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Killed, not asked to end: tests may have left threads that never do.
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn keep_end(mut pipe: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend(&buffer[..length]);
        let surplus = kept.len().saturating_sub(KEPT_STDERR);
        kept.drain(..surplus);
    }
}
