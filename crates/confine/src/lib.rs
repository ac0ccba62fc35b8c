//! Runs a JVM that can do nothing to the computer it runs on.
//!
//! Certification runs code that nobody trusts on a plain JVM. A [`Sandbox`] gives that JVM a private, empty folder as current
//! folder, home and folder for temporary files, an environment of a few variables, and limits. The kernel then refuses all
//! that is not listed:
//!
//! - **Landlock** refuses files: the JVM reads the JDK, the class path and the system's libraries, and writes below its own
//!   folder. Nothing else can be read or changed.
//! - **seccomp** refuses system calls: no network of any family, no new process, no signal to others, no access to other
//!   processes, and nothing that the list in `linux/calls.rs` does not name.
//! - A **monitor** is told of each attempt to change a file, open a socket or start a process, before it happens
//!   ([`Attempt`]). So a test that does on the JVM what it did not do on the machine is found out.
//! - **Limits** bound memory, processor time, threads, open files, the size of files and their number.
//!
//! None of it needs a privilege, and none of it can be undone by the JVM: both restrictions hold for a process and all that
//! it starts until it ends, root or not.
//!
//! Parts chosen: `landlock` and `seccompiler` build the rules (`libseccomp` wants a C library, `extrasafe` hides the
//! listener); `rustix` makes system calls without `unsafe` where it has them, `libc` the four that it lacks. Bubblewrap and
//! name spaces were tried: they need user name spaces, which many distributions and containers forbid.

mod attempt;
mod error;
mod folder;
mod jdk_tool;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod linux;
mod policy;
mod sandbox;
mod support;

pub use attempt::{Act, Attempt};
pub use error::ConfineError;
pub use folder::PrivateFolder;
pub use jdk_tool::JdkTool;
pub use policy::{Limits, Policy};
pub use sandbox::{Confined, Sandbox, Tool};
pub use support::{Missing, Support};
