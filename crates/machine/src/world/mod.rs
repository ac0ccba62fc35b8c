//! The sandbox: everything that a program can learn about the world around it, and its means of communication.
//!
//! [`WorldOptions`] are fixed before the machine boots: properties, environment, files, the start of the clock,
//! the seed of randomness. [`Console`] connects the standard streams while it runs. The file system ([`Disk`])
//! and the program's sockets ([`Network`]) are in memory and a part of the state. Nothing else of the host can
//! be reached.

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
mod jdk_statics;
mod network;
mod notes;
mod options;
mod path;
mod path_operations;
pub(crate) mod program_files;
mod shutdown_hooks;
mod threads_left;

pub use console::Console;
pub use content::Bytes;
pub use descriptors::{ByteSource, Disk, Mode};
pub use errno::Errno;
pub use export::ExportedFile;
pub use files::{
    EntryContent, FileEntry, FileResult, Files, HOME, JDK, TEMPORARY, TEST_FOLDER, USER, VARIED_TEST_FOLDER,
    WORKING_DIRECTORY,
};
pub use network::{Endpoint, Network, NetworkRefusal, ReceiveResult};
pub use options::WorldOptions;
pub(crate) use program_files::absolute;
