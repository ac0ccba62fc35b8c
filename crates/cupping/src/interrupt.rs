//! Ctrl-C: once to end with what is found, twice to end at once.

use crate::exit::Status;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Catches the signal from now on. Where that is not possible the signal ends the process, as without us.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(Status::INTERRUPTED.code().into());
        }
    });
}

/// Whether the user wants the run to end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
