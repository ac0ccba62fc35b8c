//! The monitor: a thread that is notified of a process's attempts before they happen, records them and
//! answers.
//!
//! It enforces what Landlock and filters cannot express: the number of files and threads, and that only one
//! program runs. The process's memory may change after the monitor has read it. Therefore Landlock checks
//! again whatever the monitor allows, and the monitor itself performs what Landlock does not cover
//! (attributes).

use super::attributes::Attributes;
use super::calls::{Report, reported};
use super::listener_socket::receive;
use super::syscalls::{self, Answer, SystemCall};
use super::tracee;
use crate::folder::measure;
use crate::{Attempt, AttemptKind, JvmLimits, Policy, PrivateFolder, Support};
use rustix::event::{PollFd, PollFlags, poll};
use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Limit on the recorded attempts.
const KEPT: usize = 1000;
/// Number of new files and threads between two counts.
const UNCOUNTED: u64 = 64;
/// The first Landlock ABI that covers truncation.
const JUDGES_TRUNCATION: u32 = 3;

/// A running monitor.
#[derive(Debug)]
pub struct Monitor {
    attempts: Arc<Mutex<Vec<Attempt>>>,
    thread: Option<JoinHandle<()>>,
}

impl Monitor {
    /// Starts a monitor that waits for a child's listener at this end of a socket.
    pub fn start(from: OwnedFd, watch: Watch) -> Monitor {
        let attempts = Arc::clone(&watch.attempts);
        let thread = std::thread::spawn(move || {
            if let Some(listener) = receive(from.as_fd()) {
                watch.run(&listener);
            }
        });
        Monitor { attempts, thread: Some(thread) }
    }

    /// Takes the attempts since the last call.
    pub fn take_attempts(&self) -> Vec<Attempt> {
        std::mem::take(&mut *self.attempts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the monitor to end, which happens when the process ends.
    pub fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The monitor's state.
pub struct Watch {
    attempts: Arc<Mutex<Vec<Attempt>>>,
    calls: HashMap<i64, Report>,
    attributes: Attributes,
    root: PathBuf,
    limits: JvmLimits,
    landlock: u32,
    /// The process, once its program has started.
    process: Option<u32>,
    files_left: u64,
    threads_left: u64,
}

impl Watch {
    /// The state before the process starts.
    pub fn new(policy: &Policy, folder: &PrivateFolder, support: &Support) -> Watch {
        let writable = policy.writable.iter().map(PathBuf::as_path).chain([folder.root()]);
        Watch {
            attempts: Arc::default(),
            calls: reported().into_iter().collect(),
            attributes: Attributes::below(writable),
            root: folder.root().to_owned(),
            limits: policy.limits,
            landlock: support.landlock,
            process: None,
            files_left: UNCOUNTED.min(policy.limits.files),
            threads_left: UNCOUNTED.min(policy.limits.threads),
        }
    }

    /// Answers until the process has ended.
    fn run(mut self, listener: &OwnedFd) {
        loop {
            let mut waiting = [PollFd::new(listener, PollFlags::IN)];
            match poll(&mut waiting, None) {
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return,
                Ok(_) => {}
            }
            if !waiting[0].revents().contains(PollFlags::IN) {
                // No process is left.
                return;
            }
            match syscalls::receive(listener.as_fd()) {
                Ok(Some(call)) => {
                    let answer = self.judge(&call, &|| syscalls::still_waits(listener.as_fd(), &call));
                    syscalls::answer(listener.as_fd(), &call, answer);
                }
                Ok(None) => {}
                Err(_) => return,
            }
        }
    }

    /// Decides a call. `is_valid` checks that memory was read from the thread that made the call.
    fn judge(&mut self, call: &SystemCall, is_valid: &dyn Fn() -> bool) -> Answer {
        let Some(report) = self.calls.get(&call.number).copied() else { return Answer::Refuse(libc::EPERM) };
        let argument = |position: u8| call.arguments[usize::from(position)];
        let path = |folder: Option<u8>, path: u8| {
            tracee::path(call.thread, folder.map(argument), argument(path)).filter(|_| is_valid())
        };
        match report {
            Report::Open { folder, path: at, flags } => {
                let flags = flags.map_or(libc::O_WRONLY | libc::O_CREAT, |flags| argument(flags) as i32);
                let only_reads = flags & libc::O_ACCMODE == libc::O_RDONLY;
                let found = path(folder, at);
                if found.as_deref() == Some(Path::new("/dev/null")) {
                    return Answer::Continue;
                }
                self.record(AttemptKind::Write, found);
                if only_reads && flags & libc::O_TRUNC != 0 && self.landlock < JUDGES_TRUNCATION {
                    return Answer::Refuse(libc::EACCES);
                }
                self.new_file()
            }
            Report::File { act, folder, path: at } => {
                let found = path(folder, at);
                self.record(act, found);
                match act {
                    AttemptKind::Write if self.landlock < JUDGES_TRUNCATION => Answer::Refuse(libc::EACCES),
                    AttemptKind::Remove => Answer::Continue,
                    _ => self.new_file(),
                }
            }
            Report::Attributes(kind) => {
                let found = kind.path(call, is_valid);
                let answer = self.attributes.change(kind, call, found.as_deref());
                self.record(AttemptKind::ChangeAttributes, found);
                answer
            }
            Report::Clone { flags } if argument(flags) & libc::CLONE_THREAD as u64 != 0 => {
                self.new_thread(call)
            }
            Report::Clone { .. } | Report::Fork => self.refuse(AttemptKind::StartProcess, libc::EPERM),
            Report::Execute if self.process.is_none() => {
                self.process = Some(call.thread);
                Answer::Continue
            }
            Report::Execute => self.refuse(AttemptKind::StartProcess, libc::EACCES),
            Report::Socket => self.refuse(AttemptKind::OpenSocket, libc::EACCES),
            Report::Signal { process } if Some(argument(process) as u32) == self.process => Answer::Continue,
            Report::Signal { .. } => self.refuse(AttemptKind::Signal, libc::EPERM),
        }
    }

    fn record(&self, act: AttemptKind, path: Option<PathBuf>) {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = Attempt { act, path };
        // A loop may repeat the same attempt.
        if attempts.len() < KEPT && attempts.last() != Some(&attempt) {
            attempts.push(attempt);
        }
    }

    fn refuse(&self, act: AttemptKind, error: i32) -> Answer {
        self.record(act, None);
        Answer::Refuse(error)
    }

    fn new_file(&mut self) -> Answer {
        if self.files_left == 0 {
            let JvmLimits { files: most, total_size, .. } = self.limits;
            let (files, bytes) = measure(&self.root, most);
            if bytes < total_size {
                self.files_left = UNCOUNTED.min(most.saturating_sub(files));
            }
        }
        if self.files_left == 0 {
            return Answer::Refuse(libc::ENOSPC);
        }
        self.files_left -= 1;
        Answer::Continue
    }

    fn new_thread(&mut self, call: &SystemCall) -> Answer {
        if self.threads_left == 0 {
            let threads = tracee::threads(call.thread).unwrap_or(self.limits.threads);
            self.threads_left = UNCOUNTED.min(self.limits.threads.saturating_sub(threads));
        }
        if self.threads_left == 0 {
            return Answer::Refuse(libc::EAGAIN);
        }
        self.threads_left -= 1;
        Answer::Continue
    }
}
