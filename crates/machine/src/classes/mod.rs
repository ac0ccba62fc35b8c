//! Classes: the table of loaded classes, and how a class is loaded and linked.
//!
//! The owner is `ClassTable` (`table`, with `lookup` and `dispatch`), which does not know the machine; its
//! parts are `names`, `linkage`, `guests` and `well_known`. If there are several programs, `space` holds the
//! parts of each (`programs`). Loading runs code of class loaders, and resolution runs code of the program, so
//! both are methods of the machine: `load`, `define`, `arrays`, `loaders`, `hidden`, `access`, `resolve`,
//! `init`.

pub(crate) mod access;
mod arrays;
pub(crate) mod class;
mod define;
mod dispatch;
pub(crate) mod errors;
pub(crate) mod format;
pub(crate) mod guests;
pub(crate) mod handle;
mod hidden_classes;
pub(crate) mod ids;
mod init;
pub(crate) mod kind;
pub(crate) mod linkage;
mod load;
pub(crate) mod loaders;
mod lookup;
pub(crate) mod method;
pub mod modules;
pub(crate) mod names;
pub(crate) mod parts;
mod programs;
mod queries;
pub(crate) mod resolve;
pub(crate) mod space;
pub(crate) mod table;
pub(crate) mod well_known;

pub use class::{Class, ClassKind, Field};
pub use ids::{ClassId, MethodId, SignatureId};
pub use kind::{Kind, parse_kinds, primitive_name};
pub use method::CallReports;
pub use space::SpaceId;
