//! Everything that is shown, drawn once for all commands: pages, tables, code, drawings, diagnostics, the JSON
//! envelope and SARIF. It knows nothing of Java's machine: rooms hand it texts, numbers and shapes.
//!
//! Part chosen: markup is written with `maud`, whose `html!` is checked when it is compiled and escapes every text.
//! Components are functions that any crate calls, which is what this crate is for. `askama`, which the pages were
//! written with before, has templates in files of one crate: another crate can neither include nor extend them.
//! `minijinja` reads templates at run time, which helps those whose users bring their own.
//!
//! - No text becomes markup. What is markup has the type [`maud::Markup`].
//! - A page refers to nothing outside its folder.
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
