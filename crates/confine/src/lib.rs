//! Runs a JVM that can do no harm to the computer.
//!
//! Certification runs untrusted code on an ordinary JVM. A [`Sandbox`] gives that JVM a private, empty folder
//! as working directory, home and temporary folder, a minimal environment, and resource limits. The kernel
//! refuses everything that is not allowed explicitly:
//!
//! - **Landlock** restricts files: the JVM can read the JDK, the class path and the system's libraries, and
//!   write to its own folder. It can read or change nothing else.
//! - **seccomp** restricts system calls: no network of any family, no new processes, no signals to others, no
//!   access to other processes, and nothing that `linux/calls.rs` does not list.
//! - A **monitor** is notified of each attempt to change a file, open a socket or start a process, before it
//!   happens ([`Attempt`]). This exposes tests that behave differently on the JVM than on the machine.
//! - **Limits** bound memory, processor time, threads, open files, and the size and number of files.
//!
//! The build tool of the user's project is the exception ([`BuildTool`]), and Cupping itself ([`OwnProgram`]), which
//! confines in turn what it runs.
//!
//! No part needs privileges, and the JVM cannot undo any: the restrictions hold for a process and its
//! descendants until they end, even as root.
//!
//! Libraries: `landlock` and `seccompiler` build the rules (`libseccomp` needs a C library, `extrasafe` hides
//! the listener); `rustix` makes most system calls without `unsafe`, `libc` the four that it lacks.
//! Bubblewrap and namespaces were considered and rejected: they need user namespaces, which many
//! distributions and containers forbid.

mod attempt;
mod build_tool;
mod error;
mod folder;
mod jdk_tool;
mod kernel;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
#[path = "unsupported.rs"]
mod linux;
mod locale;
mod own_program;
mod policy;
mod sandbox;
mod support;

pub use attempt::{Attempt, AttemptKind};
pub use build_tool::BuildTool;
pub use error::ConfineError;
pub use folder::PrivateFolder;
pub use jdk_tool::JdkTool;
pub use own_program::{EndedProgram, OwnProgram};
pub use policy::{JvmLimits, Policy};
pub use sandbox::{ConfinedJvm, Sandbox, Tool};
pub use support::{MissingFeature, Support};
