//! Independent pieces of work on several threads, with their results in the order of the pieces.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Stack of a thread: the machine recurses over natives that call Java.
const STACK: usize = 64 << 20;

/// Does the work for each piece on at most `jobs` threads; results are in the order of the pieces. A panic of the
/// work is a panic of the caller.
pub fn in_order<T: Sync, R: Send>(
    jobs: NonZeroUsize,
    pieces: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    if jobs.get() == 1 || pieces.len() < 2 {
        return pieces.iter().enumerate().map(|(at, piece)| work(at, piece)).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::default();
    let take_pieces = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(at) else { return };
            let result = work(at, piece);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, take_pieces).ok();
        let threads: Vec<_> = (1..jobs.get().min(pieces.len())).filter_map(spawn).collect();
        // The calling thread works too, so that everything is done even if no thread can be started.
        take_pieces();
        for ended in threads.into_iter().map(thread::ScopedJoinHandle::join) {
            ended.unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_pieces() {
        let pieces: Vec<u64> = (0..50).collect();
        for jobs in [1, 3, 80] {
            let jobs = NonZeroUsize::new(jobs).unwrap();
            // Later pieces end first.
            let results = in_order(jobs, &pieces, |at, piece| {
                std::hint::black_box((0..(50 - piece) * 1000).sum::<u64>());
                (at, piece * piece)
            });
            let expected: Vec<(usize, u64)> = (0..50).map(|it| (it as usize, it * it)).collect();
            assert_eq!(results, expected, "{jobs} threads");
        }
        assert!(in_order(NonZeroUsize::MIN, &[0_u8; 0], |at, _| at).is_empty());
    }

    #[test]
    #[should_panic(expected = "piece 7")]
    fn a_panic_reaches_the_caller() {
        let jobs = NonZeroUsize::new(4).unwrap();
        in_order(jobs, &[0; 9], |at, _| assert!(at != 7, "piece {at}"));
    }
}
