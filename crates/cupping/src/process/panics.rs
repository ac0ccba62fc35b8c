//! Panics as values: the message and position, instead of a trace on standard error.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the message and position of a panic for [`catch`], on the thread that panics. A panic that nobody catches
/// belongs to the main thread; it is printed here. With `RUST_BACKTRACE`, every panic is.
pub fn install() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let text = message(info.payload());
        let place = info.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            eprintln!("{text}{place}\n{}", std::backtrace::Backtrace::force_capture());
        }
        LAST.with(|last| *last.borrow_mut() = Some(format!("{text}{place}")));
        if CATCHING.with(|depth| *depth.borrow() == 0) {
            print(info);
        }
    }));
}

thread_local! {
    static CATCHING: RefCell<u32> = const { RefCell::new(0) };
}

/// Runs `work`; if it panics, returns the panic's message. The caller drops whatever `work` may have left half-done.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    CATCHING.with(|depth| *depth.borrow_mut() += 1);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHING.with(|depth| *depth.borrow_mut() -= 1);
    result.map_err(|payload| {
        LAST.with(|last| last.borrow_mut().take()).unwrap_or_else(|| message(&*payload).to_owned())
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "a panic without a message",
    }
}
