//! Ctrl-C: once to end with what is found, twice to end at once.

use crate::exit::Status;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A second signal that follows this closely is the same one: `timeout` and terminals send it to the process and to
/// its group.
const SAME: Duration = Duration::from_millis(300);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Catches the signal from now on. Where that is not possible the signal ends the process, as without us.
pub fn install() {
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || match first {
        None => {
            first = Some(Instant::now());
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
        Some(first) if first.elapsed() < SAME => {}
        Some(_) => std::process::exit(Status::INTERRUPTED.code().into()),
    });
}

/// Whether the user wants the run to end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
