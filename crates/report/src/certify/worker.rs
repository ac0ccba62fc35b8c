//! The JVM that compiles and runs tests, as a child process that never outlives its owner.

use super::CertifyError;
use super::cache::Program;
use super::protocol::{Answer, Diagnostic, ask_to_compile, ask_to_run, go_on, read_answer};
use cupping_confine::{Attempt, ConfinedJvm};
use std::io::{BufReader, Read};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Limit on the time that javac may be silent. A class of thousands of tests takes a few seconds.
const COMPILE_LIMIT: Duration = Duration::from_secs(120);
/// Time beyond its limit that a test may take before the JVM is given up.
const GRACE: Duration = Duration::from_secs(5);
/// Number of bytes kept of the JVM's error output.
const KEPT_STDERR: usize = 4096;
/// Limit on the answers that wait to be read. Code under test can write to the same pipe; it must not fill memory.
const WAITING_ANSWERS: usize = 1024;
/// Processor time that one request may take in addition to its tests.
const OF_REQUEST: Duration = Duration::from_secs(120);
/// Number of processors that tests may keep busy, by their threads.
const PROCESSORS: u32 = 4;
/// The prefix of folders that JUnit gives to tests, below the folder for temporary files.
const TEST_FOLDER: &str = "junit";

/// A running JVM.
pub struct Worker {
    confined: ConfinedJvm,
    stdin: Option<ChildStdin>,
    answers: Receiver<Answer>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

/// The fate of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestEnd {
    /// It passed.
    Passed,
    /// It did not, and why.
    Failed(String),
    /// It tried to change the computer outside of the folder that JUnit gives it; the text describes the attempt.
    Escaped(String),
    /// The JVM has ended, for this reason. Later tests have not been run.
    Fatal(String),
}

impl Worker {
    /// Starts the JVM, which warms itself up while it has no requests.
    pub fn start(program: &Program) -> Result<Worker, CertifyError> {
        let (sandbox, mut command) = program.command()?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut confined = sandbox.spawn(command)?;
        let stdin = confined.take_stdin();
        let (send, answers) = sync_channel(WAITING_ANSWERS);
        if let Some(stdout) = confined.take_stdout() {
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
        if let Some(pipe) = confined.take_stderr() {
            let kept = Arc::clone(&stderr);
            std::thread::spawn(move || keep_end(pipe, &kept));
        }
        Ok(Worker { confined, stdin, answers, stderr })
    }

    /// Compiles sources; returns whether that succeeded, and javac's messages.
    pub fn compile(
        &mut self,
        class_path: &[String],
        sources: &[(String, String)],
    ) -> Result<(bool, Vec<Diagnostic>), CertifyError> {
        self.confined.extend_processor_time(OF_REQUEST);
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
                Ok(_) => return Err(self.gone("sent an unexpected answer")),
                Err(RecvTimeoutError::Timeout) => return Err(self.gone("is silent")),
                Err(RecvTimeoutError::Disconnected) => return Err(self.gone("ended")),
            }
        }
    }

    /// Runs tests of the sources last compiled, in a new class loader. The list of ends is as long as that of the
    /// tests, or ends with [`TestEnd::Fatal`].
    pub fn run(&mut self, limit: Duration, tests: &[(String, String)]) -> Result<Vec<TestEnd>, CertifyError> {
        let milliseconds = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX / 2);
        if let Some(stdin) = &mut self.stdin
            && ask_to_run(stdin, milliseconds, tests).is_err()
        {
            return Err(self.gone("ended"));
        }
        let mut ends = Vec::new();
        for test in 0..tests.len() {
            self.confined.extend_processor_time(OF_REQUEST + limit * PROCESSORS);
            // Earlier attempts belong to no test, or to threads that an earlier test left behind.
            self.confined.take_attempts();
            let Some(end) = self.run_one(limit, test)? else {
                return self.ended_after(ends);
            };
            let is_last = matches!(end, TestEnd::Fatal(_));
            ends.push(match self.escape() {
                // The JVM is gone all the same.
                Some(tried) if is_last => TestEnd::Fatal(tried),
                Some(tried) => TestEnd::Escaped(tried),
                None => end,
            });
            if is_last {
                return Ok(ends);
            }
        }
        match self.answers.recv_timeout(limit + GRACE) {
            Ok(Answer::Finished) => Ok(ends),
            Ok(_) => Err(self.gone("sent an unexpected answer")),
            Err(RecvTimeoutError::Timeout) => Err(self.gone("is silent")),
            Err(RecvTimeoutError::Disconnected) => self.ended_after(ends),
        }
    }

    /// The JVM ended while no test was running: the last one left something behind that ended it.
    fn ended_after(&mut self, mut ends: Vec<TestEnd>) -> Result<Vec<TestEnd>, CertifyError> {
        if ends.pop().is_none() {
            return Err(self.gone("ended"));
        }
        ends.push(TestEnd::Fatal(format!("the JVM ended after the test{}", self.status())));
        Ok(ends)
    }

    /// Runs the next test; `None` if the JVM ended before. The test begins on request, so attempts between the two
    /// answers are its own.
    fn run_one(&mut self, limit: Duration, test: usize) -> Result<Option<TestEnd>, CertifyError> {
        if let Some(stdin) = &mut self.stdin
            && go_on(stdin).is_err()
        {
            return Ok(None);
        }
        let mut running = false;
        loop {
            match self.answers.recv_timeout(limit + GRACE) {
                Ok(Answer::Begin(begun)) if begun == test && !running => running = true,
                Ok(Answer::End { test: ended, passed, detail, fatal }) if ended == test && running => {
                    return Ok(Some(match (passed, fatal) {
                        (_, true) => TestEnd::Fatal(detail),
                        (true, _) => TestEnd::Passed,
                        (false, _) => TestEnd::Failed(detail),
                    }));
                }
                Ok(_) => return Err(self.gone("sent an unexpected answer")),
                Err(RecvTimeoutError::Timeout) => {
                    return Ok(Some(TestEnd::Fatal(format!(
                        "the JVM did not answer for {:?}",
                        limit + GRACE
                    ))));
                }
                Err(RecvTimeoutError::Disconnected) if running => {
                    return Ok(Some(TestEnd::Fatal(format!(
                        "the JVM ended during the test{}",
                        self.status()
                    ))));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Forbidden operations attempted since the last query, as text.
    fn escape(&self) -> Option<String> {
        let folders = self.confined.folder().temporary();
        let tried = self.confined.take_attempts()?;
        let escapes: Vec<String> =
            tried.iter().filter(|it| !is_own(it, &folders)).take(3).map(Attempt::to_string).collect();
        (!escapes.is_empty()).then(|| format!("it {}", escapes.join(", ")))
    }

    fn status(&mut self) -> String {
        for _ in 0..100 {
            if let Ok(Some(status)) = self.confined.try_wait() {
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

/// Whether an attempt concerns a folder that JUnit gave to the test, or a device that accepts everything.
fn is_own(attempt: &Attempt, folders: &Path) -> bool {
    const DEVICES: [&str; 3] = ["/dev/null", "/dev/random", "/dev/urandom"];
    let Some(path) = &attempt.path else { return false };
    let inner = path.strip_prefix(folders).ok().and_then(|inner| inner.iter().next());
    inner.is_some_and(|name| name.to_string_lossy().starts_with(TEST_FOLDER))
        || DEVICES.iter().any(|device| path == Path::new(device))
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
