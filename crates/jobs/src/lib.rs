//! Jobs: the work on one class, its plan, and a store that keeps the results.
//!
//! A class's result is a function of what was read and of the options. So a job is identified by a [`Request`] —
//! program, version, options, class, share of the budget — whose digest is its [`Key`]. What the job really read is
//! known only when it is done; it is kept beside the result, with the digest of the [`Answers`]. A result is valid
//! for a key as long as the present program gives the same answers (a *verifying trace*, Mokhov, Mitchell & Peyton
//! Jones, *Build systems à la carte*, 2018, §4.2.2). Nothing in the store depends on paths, clocks or hosts, so that
//! it can be shared and copied.
//!
//! # Invariants
//!
//! - An entry is complete or absent: temporary file, `fsync`, rename. Any defect of an entry (torn, tampered with,
//!   another version) makes it absent, and its job is done again.
//! - Any number of processes may use one folder. Two that do the same job write the same entry; the last one stays.
//! - A plan and its shards are functions of plan and store.
//!
//! # Design choices
//!
//! - **`object_store`** (Apache Arrow's) for S3, Google Cloud Storage and Azure, instead of a client for each of them
//!   or OpenDAL, which knows dozens of services and has a larger interface. It brings `tokio`, `reqwest` and a TLS
//!   library, two minutes of compilation and 12 MB of program, so it is a feature: without `object-store` no code of
//!   the program opens a connection. Entries never change, so the folder is a copy without questions of freshness.
//! - **`sha2`** as in `report`: forged digests need no consideration. **`tempfile`** as there.

mod answers;
mod digest;
mod kept_reads;
mod plan;
#[cfg(feature = "object-store")]
mod remote;
#[cfg(not(feature = "object-store"))]
#[path = "no_remote.rs"]
mod remote;
mod request;
mod store;

pub use answers::Answers;
pub use digest::Digest;
pub use plan::{Job, PlanError, PlanLines, Shard, read_plan};
pub use request::{Key, Request};
pub use store::{Store, StoreError, StoredResult};
