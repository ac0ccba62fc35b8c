//! Checks the generated tests of a project: which of them fail, and why.
//!
//! A file is read back ([`TestFile`]), its tests are run ([`crate::certify::Certifier::fates`]), and each test that
//! does not hold becomes a [`Finding`] with the old value and the new one. The documents are [`text()`],
//! [`markdown()`], [`sarif()`] and [`junit_xml()`].

mod defects;
mod finding;
mod gain;
mod junit_xml;
mod markdown;
mod page;
mod sarif;
mod source;
mod text;
mod values;

pub use defects::{NewDefect, new_defects};
pub use finding::{Cause, CheckReport, CheckedFile, Finding};
pub use gain::{Figures, Gain, Share};
pub use junit_xml::junit_xml;
pub use markdown::markdown;
pub use page::page;
pub use sarif::sarif;
pub use source::{TestFile, TestPlace};
pub use text::text;
