//! JUnit source, certification on the JDK, JSON, text summaries and HTML pages.
//!
//! A suite passes through `junit::test_classes`, `files::TestFolder::name`, `certify::Certifier::certify` and
//! `files::TestFolder::write`. The result is a [`result::ClassResult`], which `html` prints, and of which an
//! [`outline::Outline`] remains for `json`, `summary` and the index. `serde_json` writes the JSON (the common
//! choice, and its pretty printer is deterministic); `thiserror` derives the error types; `unicode-ident` knows the
//! letters of names (`unicode-xid` is larger and slower, and `icu` is a whole library).

pub mod certify;
pub mod corpus;
mod details;
pub mod differences;
pub mod facts;
pub mod files;
pub mod framework;
pub mod html;
mod java_tokens;
pub mod json;
pub mod junit;
mod markdown;
pub mod mutants;
pub mod outline;
pub mod result;
pub mod source;
pub mod style;
pub mod summary;
pub mod suppressions;
pub mod test_check;
pub mod withheld_tests;
