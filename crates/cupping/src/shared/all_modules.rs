//! Results of all modules of a project, for documents that cover them together.
//!
//! A command runs once for each module, one after the other. Each run joins its results to those of the runs before,
//! and writes its documents anew, so that they are complete even if a later module fails.

use std::any::Any;
use std::sync::{Mutex, PoisonError};

/// What the runs for earlier modules found. All are runs of one command, and have one type of results.
static EARLIER: Mutex<Option<Box<dyn Any + Send>>> = Mutex::new(None);

/// The results of a module together with those of the modules before. Outside such a run they stay alone.
pub fn join<T: Clone + Send + 'static>(module: Option<&str>, new: T, append: impl FnOnce(&mut T, T)) -> T {
    if module.is_none() {
        return new;
    }
    let mut earlier = EARLIER.lock().unwrap_or_else(PoisonError::into_inner);
    let all = match earlier.take().and_then(|it| it.downcast::<T>().ok()) {
        Some(mut all) => {
            append(&mut all, new);
            *all
        }
        None => new,
    };
    *earlier = Some(Box::new(all.clone()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_joined_and_other_runs_stay_alone() {
        let append = |all: &mut Vec<u32>, new: Vec<u32>| all.extend(new);
        assert_eq!(join(Some("a"), vec![1], append), [1]);
        assert_eq!(join(None, vec![2], append), [2]);
        assert_eq!(join(Some("b"), vec![3, 4], append), [1, 3, 4]);
        assert_eq!(join(Some("c"), Vec::new(), append), [1, 3, 4]);
    }
}
