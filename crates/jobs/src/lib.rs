//! Jobs: the work on one class, its plan, and a store that keeps what was found.
//!
//! A class's result is a function of what was read and of the options. So a job is known by a [`Request`] — program,
//! version, options, class, share of the budget — whose digest is its [`Key`]. What the job really read is known only
//! when it is done; it is kept beside the result, with the digest of the [`Answers`]. A result stands for a key as long
//! as the program of today gives the same answers (a *verifying trace*, Mokhov, Mitchell & Peyton Jones, *Build
//! systems à la carte*, 2018, §4.2.2). Nothing in the store depends on paths, clocks or hosts, so that it can be shared
//! and copied.
//!
//! # Invariants
//!
//! - An entry is whole or not there: temporary file, `fsync`, rename. Whatever is wrong with one (torn, poisoned, of
//!   another version) makes it absent, and its job is done again.
//! - Any number of processes may use one folder. Two that do the same job write the same entry; the last one stays.
//! - A plan and its shards are functions of plan and store.
//!
//! # Parts chosen
//!
//! - **A folder, not an object store.** `object_store` (Apache Arrow's) was compared: it is well kept, and brings
//!   `tokio`, `reqwest` and a TLS library into a program that has no network. Entries never change, and their
//!   names are digests, so a folder that is copied both ways (`aws s3 sync`, `rclone copy`, a CI's cache) is a shared
//!   cache with the same guarantees; `docs/scale.md` has the commands.
//! - **`sha2`** as in `report`: nobody has to think about forged digests. **`tempfile`** as there.

mod answers;
mod digest;
mod plan;
mod request;
mod store;

pub use answers::Answers;
pub use digest::Digest;
pub use plan::{Job, PlanError, Shard, read_plan};
pub use request::{Key, Request};
pub use store::{Store, StoreError, StoredResult};
