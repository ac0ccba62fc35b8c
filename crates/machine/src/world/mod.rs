//! The sandbox: all that a program can learn of the world around it, and how it speaks to it.
//!
//! [`WorldOptions`] are fixed before the machine boots: properties, environment, files, where the clock starts, the
//! seed of randomness. [`Console`] is the way out and in while it runs. The file system ([`Disk`]) is in memory
//! and a part of the state, and so are the sockets of the program ([`Network`]). Nothing else of the host can be
//! reached.

mod console;
mod content;
mod descriptors;
mod effect_set;
pub(crate) mod effects;
pub(crate) mod environment;
mod errno;
mod export;
mod files;
mod globals;
mod network;
mod notes;
mod options;
mod path;
mod path_operations;
mod program_files;

pub use console::Console;
pub use content::Bytes;
pub use descriptors::{ByteSource, Disk, Mode};
pub use errno::Errno;
pub use export::ExportedFile;
pub use files::{
    EntryContent, FileEntry, FileResult, Files, HOME, JDK, TEMPORARY, TEST_FOLDER, USER, WORKING_DIRECTORY,
};
pub use network::{Endpoint, Network, NetworkRefusal, ReceiveResult};
pub use options::WorldOptions;
pub(crate) use program_files::absolute;
