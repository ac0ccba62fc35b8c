//! Ctrl-C: once to end with the results so far, twice to end at once.
//!
//! The work polls [`interrupted`] where it counts its progress, and returns early. That is the ordinary way, but no
//! guarantee: a call of the solver or a test on the JVM may take long. So a watchdog waits for [`PATIENCE`], then
//! reports the results so far ([`last_words`], [`so_far`]) and ends the process. Files are atomic, and it waits for
//! one that is being written.
//!
//! Libraries: `ctrlc` (see [`crate`]); `nix`, on which `ctrlc` is based, to end our children, and its `libc` for
//! `_exit`: `std::process::exit` runs the destructors of C++ libraries while other threads still use them, and may
//! wait forever.

use crate::process::console;
use crate::process::exit::Status;
use cupping_report::files;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time that the work may take to return.
pub const PATIENCE: Duration = Duration::from_millis(1400);
/// Time that the last words may take.
const LAST_WORDS_LIMIT: Duration = Duration::from_millis(350);
/// Time to wait for a file that is being written.
const WRITING_LIMIT: Duration = Duration::from_millis(100);
/// A second signal within this time is the same one: `timeout` and terminals send it to the process and to its
/// group.
const SAME: Duration = Duration::from_millis(300);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Decides which thread reports the end of the run: the first one that asks.
static REPORTER: AtomicU8 = AtomicU8::new(NOBODY);
const NOBODY: u8 = 0;
const COMMAND: u8 = 1;
const WATCHDOG: u8 = 2;

static LAST_WORDS: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);
static SO_FAR: Mutex<String> = Mutex::new(String::new());

/// Catches the signal from now on. If that is not possible, the signal ends the process by default.
pub fn install(patience: Duration) {
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || match first {
        None => {
            first = Some(Instant::now());
            INTERRUPTED.store(true, Ordering::Relaxed);
            if patience.is_zero() {
                end_now();
            }
            let watchdog = move || {
                thread::sleep(patience);
                end_late()
            };
            if thread::Builder::new().name("interruption".into()).spawn(watchdog).is_err() {
                end_now();
            }
        }
        Some(first) if first.elapsed() < SAME => {}
        Some(_) => end_now(),
    });
}

/// Whether the user wants the run to end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Sets the action of the watchdog, which runs if the work does not return in time.
pub fn last_words(words: impl FnOnce() + Send + 'static) {
    *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(words));
}

/// The progress so far, for the message if the work does not return in time.
pub fn so_far(text: String) {
    *SO_FAR.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// Makes `who` the reporter, unless somebody else is already.
fn become_reporter(who: u8) -> bool {
    match REPORTER.compare_exchange(NOBODY, who, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => true,
        Err(reporter) => reporter == who,
    }
}

/// Must be called before a command reports its end. It does not return if the watchdog is already reporting.
pub fn closing() {
    while !become_reporter(COMMAND) {
        thread::park();
    }
}

/// Says what is kept, and ends the process.
fn end_late() -> ! {
    if !become_reporter(WATCHDOG) {
        // The command is about to end by itself.
        thread::sleep(LAST_WORDS_LIMIT);
        end_now();
    }
    let words = LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (said, wait) = channel();
    thread::spawn(move || {
        match words {
            Some(words) => words(),
            None => {
                let so_far = SO_FAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let part = if so_far.is_empty() { "" } else { "; " };
                console::error(&format!("interrupted{part}{so_far}"));
            }
        }
        let _ = said.send(());
    });
    let _ = wait.recv_timeout(LAST_WORDS_LIMIT);
    end_now()
}

/// Ends the process and our children without running any destructors.
pub fn end_now() -> ! {
    let _writing = files::quiet(WRITING_LIMIT);
    #[cfg(unix)]
    {
        kill_children();
        // SAFETY: `_exit` takes any number, and does not return. It runs no code of the process, so the state of
        // other threads does not matter.
        unsafe { nix::libc::_exit(Status::INTERRUPTED.code().into()) }
    }
    #[cfg(not(unix))]
    std::process::exit(Status::INTERRUPTED.code().into())
}

/// Ends the JVMs and compilers that we started. They are in their own process groups, so that Ctrl-C does not reach
/// them. Between the list and the signal, only a child's owner can reap it.
#[cfg(unix)]
fn kill_children() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|it| it.parse().ok()) {
            let _ = kill(Pid::from_raw(child), Signal::SIGKILL);
        }
    }
}
