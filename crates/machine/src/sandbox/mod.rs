//! The sandbox: all that a program can learn of the world around it, and how it speaks to it.
//!
//! [`Settings`] are fixed before the machine boots: properties, environment, files, where the clock starts, the
//! seed of randomness. [`Console`] is the way out and in while it runs. Nothing else of the host can be reached.

mod console;
mod settings;

pub use console::Console;
pub use settings::Settings;
