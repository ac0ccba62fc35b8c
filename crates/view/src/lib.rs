//! Everything that is shown, drawn once for all commands: pages, tables, code, drawings, diagnostics, the JSON
//! envelope and SARIF. It knows nothing about Java's machine: rooms pass it texts, numbers and shapes.
//!
//! Markup is written with `maud`, whose `html!` is checked at compile time and escapes every text. Components are
//! functions that any crate can call, which is the purpose of this crate. `askama`, which the pages used before, has
//! templates in files of one crate: another crate can neither include nor extend them. `minijinja` reads templates
//! at run time, which helps programs whose users bring their own.
//!
//! - No text becomes markup. Markup has the type [`maud::Markup`].
//! - A page refers to nothing outside of its folder.
//! - The same content gives the same bytes.

pub mod code;
pub mod diagnostic;
mod envelope;
mod escape;
mod file_name;
mod index;
mod java;
mod page;
mod reserved;
pub mod sarif;
pub mod svg;
mod table;

pub use envelope::{Envelope, Problem, SCHEMA, SCHEMA_VERSION, Status};
pub use escape::{escape, printable, script_json};
pub use file_name::page_file;
pub use index::{Cell, Index, Unit};
pub use java::highlight;
pub use page::{Figure, Page, bar, class_name, percent};
pub use reserved::RESERVED_WORDS;
pub use table::{MOST_ROWS, Table};
