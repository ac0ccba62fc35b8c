//! The effort of a thread: the time of its processor, which other work on the computer does not change.

use std::time::{Duration, Instant};

/// Measures the processor time of the thread that starts it.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    processor: Option<Duration>,
    clock: Instant,
}

impl Effort {
    /// Starts now, on this thread.
    pub fn start() -> Effort {
        Effort { processor: processor_time(), clock: Instant::now() }
    }

    /// Processor time since the start; wall-clock time where the system does not tell. Asked on the same thread.
    pub fn spent(&self) -> Duration {
        let spent = processor_time().zip(self.processor).and_then(|(now, then)| now.checked_sub(then));
        spent.unwrap_or_else(|| self.clock.elapsed())
    }
}

#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn sleep_is_no_effort() {
        let effort = Effort::start();
        std::thread::sleep(Duration::from_millis(80));
        assert!(effort.spent() < Duration::from_millis(40));
    }
}
